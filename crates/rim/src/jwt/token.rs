//! A JWT taken apart. Before its signature is verified only the header is read.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, Visitor};

use super::key::Algorithm;
use super::problem::Problem;
use crate::limits::{JWT_KID_LEN_MAX, JWT_LEN_MAX};

/// A token whose signature has not been looked at.
pub(super) struct Unverified<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) kid: Option<String>,
    /// The signed part.
    pub(super) signed: &'a [u8],
    pub(super) signature: Vec<u8>,
    claims: &'a str,
}

/// The fields of a header that are read. `jwk`, `jku`, `x5c` and `x5u`, by which a token would bring its own key, are not.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    #[serde(default)]
    crit: Present,
}

/// Whether a field is there, with any value.
#[derive(Default)]
struct Present(bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// Kinds of tokens that are for calling: those of other kinds, such as a logout token, may be signed by the same key.
const TYPES: [&str; 4] = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];

impl<'a> Unverified<'a> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// `Long`, `Malformed`, `Algorithm`.
    pub(super) fn read(token: &'a str) -> Result<Self, Problem> {
        if token.len() > JWT_LEN_MAX {
            return Err(Problem::Long);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(Problem::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(Problem::Malformed)?;
        let header: Header = json(header).ok_or(Problem::Malformed)?;
        let is_for_calls =
            header.typ.as_ref().is_none_or(|typ| TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ)));
        let kid_fits = header.kid.as_ref().is_none_or(|kid| kid.len() <= JWT_KID_LEN_MAX);
        if header.crit.0 || !is_for_calls || !kid_fits || claims.contains('.') {
            return Err(Problem::Malformed);
        }
        let algorithm = Algorithm::of_name(&header.alg).ok_or(Problem::Algorithm)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| Problem::Malformed)?;
        Ok(Self { algorithm, kid: header.kid, signed: signed.as_bytes(), signature, claims })
    }

    /// The claims, which only a verified signature makes true.
    ///
    /// # Errors
    /// `Claims`.
    pub(super) fn claims(&self) -> Result<Claims, Problem> {
        json(self.claims).ok_or(Problem::Claims)
    }
}

/// The JSON in a part of a token.
fn json<T: for<'de> Deserialize<'de>>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

/// The claims of a token that are read.
#[derive(Deserialize)]
pub(super) struct Claims {
    pub(super) iss: Option<String>,
    pub(super) sub: Option<String>,
    pub(super) aud: Option<ClaimAudience>,
    pub(super) exp: Option<ClaimTime>,
    pub(super) nbf: Option<ClaimTime>,
    pub(super) iat: Option<ClaimTime>,
}

/// For whom a token is.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ClaimAudience {
    One(String),
    Several(Vec<String>),
}

impl ClaimAudience {
    /// Returns whether it is for one that is named.
    pub(super) fn holds(&self, wanted: &str) -> bool {
        match self {
            Self::One(one) => one == wanted,
            Self::Several(several) => several.iter().any(|one| one == wanted),
        }
    }
}

/// A time in Unix milliseconds; claims have it in seconds, with or without a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimTime(pub(super) u64);

/// Seconds that can be told in milliseconds, and more than any issuer means: the year 287,396.
const SECONDS_MAX: u64 = 1 << 43;

impl<'de> Deserialize<'de> for ClaimTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seconds;

        impl Visitor<'_> for Seconds {
            type Value = ClaimTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("seconds since 1970")
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<ClaimTime, E> {
                if seconds > SECONDS_MAX {
                    Err(E::custom("too far away"))
                } else {
                    Ok(ClaimTime(seconds * 1_000))
                }
            }

            #[expect(clippy::cast_sign_loss, reason = "it is checked")]
            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<ClaimTime, E> {
                if (0.0..=SECONDS_MAX as f64).contains(&seconds) {
                    Ok(ClaimTime((seconds * 1_000.0) as u64))
                } else {
                    Err(E::custom("before 1970, or too far away"))
                }
            }
        }

        deserializer.deserialize_any(Seconds)
    }
}

//! One key, which is for one algorithm: from a JWK, a PEM or a secret.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::{hmac, signature};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::der;
use crate::limits::JWT_KID_LEN_MAX;

guanxi_model::kinds! {
    /// How tokens are signed, by a name that is written in one way. `none` and all others are refused.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Algorithm: name {
        Rs256 = "RS256",
        Es256 = "ES256",
        EdDsa = "EdDSA",
        Hs256 = "HS256",
    }
}

/// The shortest secret of HS256, in bytes: as long as its hash, by RFC 7518.
pub(super) const SECRET_LEN_MIN: usize = 32;

/// The bits that an RSA modulus may have: those of less are broken, and those of more cost too much.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2_048..=8_192;

/// A point of P-256: a byte that says how it is written, and two numbers.
const P256_LEN: usize = 65;

/// The material that verifies a signature.
enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
    Secret(hmac::Key),
}

/// A key. It verifies what is signed by its own algorithm, and nothing else: the public key of one is never the secret
/// of another.
pub(super) struct Key {
    pub(super) kid: Option<String>,
    pub(super) algorithm: Algorithm,
    /// Tells this key from all others, under any `kid`: a token that it has signed is valid as long as the key is known.
    pub(super) print: u64,
    material: Material,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("kid", &self.kid)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

/// A key as JWK has it.
#[derive(Deserialize)]
pub(super) struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    k: Option<String>,
}

impl Key {
    /// The key of a JWK, or why it is none that can be used here.
    pub(super) fn of_jwk(jwk: &Jwk) -> Result<Self, String> {
        let for_signatures = jwk.usage.as_ref().is_none_or(|usage| usage == "sig")
            && jwk.key_ops.as_ref().is_none_or(|ops| ops.iter().any(|op| op == "verify"));
        if !for_signatures {
            return Err("it is not for verifying signatures".into());
        }
        if jwk.kid.as_ref().is_some_and(|kid| kid.len() > JWT_KID_LEN_MAX) {
            return Err(format!("its kid has more than {JWT_KID_LEN_MAX} bytes"));
        }
        let part = |part: &Option<String>, name: &str| {
            let decoded = part.as_ref().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
            decoded.ok_or_else(|| format!("it has no `{name}` in base64url"))
        };
        let kid = jwk.kid.clone();
        let key = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => Self::rsa(kid, &part(&jwk.n, "n")?, &part(&jwk.e, "e")?)?,
            ("EC", Some("P-256")) => {
                let (x, y) = (part(&jwk.x, "x")?, part(&jwk.y, "y")?);
                Self::p256(kid, [&[4], &x[..], &y[..]].concat())?
            }
            ("OKP", Some("Ed25519")) => Self::ed25519(kid, part(&jwk.x, "x")?)?,
            ("oct", _) => Self::secret(kid, &part(&jwk.k, "k")?)?,
            (kty, crv) => {
                let crv = short(crv.unwrap_or_default());
                return Err(format!("its type {} {crv} is none of those used here", short(kty)));
            }
        };
        let own = key.algorithm.name();
        match jwk.alg.as_deref() {
            Some(alg) if alg != own => {
                Err(format!("its alg {} is not {own}, that of its type here", short(alg)))
            }
            _ => Ok(key),
        }
    }

    /// Returns whether a JWK is a secret.
    pub(super) fn is_secret(jwk: &Jwk) -> bool {
        jwk.kty == "oct"
    }

    /// The key of a SubjectPublicKeyInfo in DER.
    pub(super) fn of_public_der(der: &[u8]) -> Result<Self, String> {
        match der::public_key(der) {
            Some(der::PublicKey::Rsa { modulus, exponent }) => Self::rsa(None, modulus, exponent),
            Some(der::PublicKey::P256(point)) => Self::p256(None, point.to_vec()),
            Some(der::PublicKey::Ed25519(key)) => Self::ed25519(None, key.to_vec()),
            None => Err("it is no public key of RSA, P-256 or Ed25519".into()),
        }
    }

    fn rsa(kid: Option<String>, modulus: &[u8], exponent: &[u8]) -> Result<Self, String> {
        let (modulus, exponent) = (without_zeros(modulus), without_zeros(exponent));
        let bits = modulus.first().map_or(0, |first| modulus.len() * 8 - first.leading_zeros() as usize);
        if !RSA_BITS.contains(&bits) {
            let (min, max) = (RSA_BITS.start(), RSA_BITS.end());
            return Err(format!("its modulus has {bits} bits; between {min} and {max} are wanted"));
        }
        let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
        if !is_odd(modulus) || !is_odd(exponent) || exponent.len() > 4 || exponent == [1] {
            return Err("its numbers are not those of an RSA key".into());
        }
        let material = Material::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() };
        Ok(Self::new(kid, Algorithm::Rs256, &[modulus, exponent], material))
    }

    fn p256(kid: Option<String>, point: Vec<u8>) -> Result<Self, String> {
        if point.len() != P256_LEN || point[0] != 4 {
            return Err("it is no uncompressed point of P-256".into());
        }
        Ok(Self::new(kid, Algorithm::Es256, &[&point.clone()], Material::P256(point)))
    }

    fn ed25519(kid: Option<String>, key: Vec<u8>) -> Result<Self, String> {
        if key.len() != signature::ED25519_PUBLIC_KEY_LEN {
            return Err("it is no key of Ed25519".into());
        }
        Ok(Self::new(kid, Algorithm::EdDsa, &[&key.clone()], Material::Ed25519(key)))
    }

    /// The key of a secret.
    pub(super) fn secret(kid: Option<String>, secret: &[u8]) -> Result<Self, String> {
        if secret.len() < SECRET_LEN_MIN {
            let length = secret.len();
            return Err(format!("the secret has {length} bytes; HS256 wants {SECRET_LEN_MIN} random ones"));
        }
        let material = Material::Secret(hmac::Key::new(hmac::HMAC_SHA256, secret));
        Ok(Self::new(kid, Algorithm::Hs256, &[secret], material))
    }

    fn new(kid: Option<String>, algorithm: Algorithm, parts: &[&[u8]], material: Material) -> Self {
        let mut hash = Sha256::new();
        hash.update(algorithm.name().as_bytes());
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let print = u64::from_be_bytes(hash[..8].try_into().expect("it has eight bytes"));
        Self { kid, algorithm, print, material }
    }

    /// Returns whether it has signed a message.
    pub(super) fn has_signed(&self, message: &[u8], with: &[u8]) -> bool {
        let verified = match &self.material {
            Material::Rsa { modulus, exponent } => {
                let key = signature::RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, with)
            }
            Material::P256(point) => {
                signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, with)
            }
            Material::Ed25519(key) => {
                signature::UnparsedPublicKey::new(&signature::ED25519, key).verify(message, with)
            }
            Material::Secret(key) => hmac::verify(key, message, with),
        };
        verified.is_ok()
    }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

/// As much of a foreign text as a line of a log takes.
fn short(text: &str) -> String {
    format!("{:?}", text.chars().take(24).collect::<String>())
}

//! The keys that are known, and which of them a token may have been signed with.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tokio_rustls::rustls::pki_types::pem::{PemObject as _, SectionKind};

use super::der;
use super::key::{Algorithm, Jwk, Key};
use super::problem::Problem;
use crate::limits::{JWT_KEYS_MAX, JWT_NAMELESS_KEYS_MAX};

/// Keys, of which no two of one algorithm have one name.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySet(Vec<Arc<Key>>);

/// A document of keys; those that are of no use here are left out one by one.
#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Value>,
}

/// Where a document of keys comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file of the operator, which may hold secrets.
    File,
    /// An address that others can read, too.
    Url,
}

impl KeySet {
    /// These keys.
    ///
    /// # Errors
    /// When there are too many, or two that a token cannot tell apart.
    pub(super) fn new(keys: Vec<Arc<Key>>) -> Result<Self, String> {
        if keys.len() > JWT_KEYS_MAX {
            return Err(format!("there are {} keys; at most {JWT_KEYS_MAX} are allowed", keys.len()));
        }
        let nameless = keys.iter().filter(|key| key.kid.is_none()).count();
        if nameless > JWT_NAMELESS_KEYS_MAX {
            return Err(format!(
                "there are {nameless} keys without a `kid`, each of which is tried; at most \
                 {JWT_NAMELESS_KEYS_MAX} are allowed"
            ));
        }
        for (at, key) in keys.iter().enumerate() {
            let same = |other: &&Arc<Key>| other.kid == key.kid && other.algorithm == key.algorithm;
            if let (Some(kid), Some(_)) = (&key.kid, keys[at + 1..].iter().find(same)) {
                return Err(format!("two keys have the kid {kid:?}"));
            }
        }
        Ok(Self(keys))
    }

    /// The keys of both.
    ///
    /// # Errors
    /// When two of them have one name.
    pub(super) fn joined(&self, other: &Self) -> Result<Self, String> {
        Self::new(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The keys of a document: a JWKS, a JWK, or PEM.
    ///
    /// # Errors
    /// When it cannot be read, or is no set and its key cannot be used. A set without keys is one.
    pub(super) fn read(bytes: &[u8], origin: Origin) -> Result<Self, String> {
        let text = bytes.trim_ascii_start();
        let keys = if text.starts_with(b"{") { of_json(text, origin)? } else { of_pem(text)? };
        Self::new(keys)
    }

    /// The secret that is the whole of a file. The line break that editors put behind a text is none of it.
    ///
    /// # Errors
    /// When it is too short, or anything else than a secret: a public key is no secret.
    pub(super) fn of_secret(bytes: &[u8]) -> Result<Self, String> {
        let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        let secret = if is_text { bytes.trim_ascii_end() } else { bytes };
        let start = secret.trim_ascii_start();
        if start.starts_with(b"{") || start.starts_with(b"-----BEGIN") || der::public_key(secret).is_some() {
            return Err("it is a key of another kind; name it in jwt_key_files".into());
        }
        Self::new(vec![Arc::new(Key::secret(None, secret)?)])
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a key is among them.
    pub(super) fn holds(&self, print: u64) -> bool {
        self.0.iter().any(|key| key.print == print)
    }

    /// Returns the keys by which a token of an algorithm may have been signed: the key that the token names, else the keys
    /// without a name. If the token names none and only one key of its algorithm has a name, that key is among them.
    ///
    /// # Errors
    /// `Key` when it is not known, `Algorithm` when the key that it names is for another one.
    pub(super) fn signers(&self, algorithm: Algorithm, kid: Option<&str>) -> Result<Vec<&Key>, Problem> {
        let fits = |key: &&Key| key.algorithm == algorithm;
        let all = || self.0.iter().map(AsRef::as_ref);
        let named: Vec<&Key> = match kid {
            Some(kid) => all().filter(|key| key.kid.as_deref() == Some(kid)).collect(),
            None => all().filter(fits).filter(|key| key.kid.is_some()).collect(),
        };
        let nameless = all().filter(fits).filter(|key| key.kid.is_none());
        let signers: Vec<&Key> = match (kid, named.as_slice()) {
            (Some(_), []) => nameless.collect(),
            (Some(_), named) => named.iter().copied().filter(fits).collect(),
            (None, [only]) => nameless.chain([*only]).collect(),
            (None, _) => nameless.collect(),
        };
        match (signers.is_empty(), kid.is_some() && !named.is_empty()) {
            (false, _) => Ok(signers),
            (true, true) => Err(Problem::Algorithm),
            (true, false) => Err(Problem::Key),
        }
    }

    /// Returns whether a name is that of a key.
    pub(super) fn names(&self, kid: &str) -> bool {
        self.0.iter().any(|key| key.kid.as_deref() == Some(kid))
    }
}

fn of_json(text: &[u8], origin: Origin) -> Result<Vec<Arc<Key>>, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("it is no JSON: {error}"))?;
    let is_set = value.get("keys").is_some();
    let all = if is_set {
        Jwks::deserialize(value).map_err(|error| format!("it is no JWKS: {error}"))?.keys
    } else {
        vec![value]
    };
    if all.len() > JWT_KEYS_MAX {
        return Err(format!("it holds {} keys; at most {JWT_KEYS_MAX} are allowed", all.len()));
    }
    // A set that was read whole is the truth: an issuer that publishes no key has withdrawn all. A file of which no key can
    // be used is more likely a mistake of its author. From an address, such keys say that ours are withdrawn, too.
    let mut keys = Vec::with_capacity(all.len());
    let mut first = None;
    for value in all {
        match of_value(value, origin) {
            Ok(key) => keys.push(Arc::new(key)),
            // Issuers publish keys for other ends, too.
            Err(why) => {
                tracing::debug!(why, "a key for JWTs is left out");
                first = first.or(Some(why));
            }
        }
    }
    match first {
        Some(why) if keys.is_empty() && (origin == Origin::File || !is_set) => {
            Err(format!("it has no usable key; the problem of the first key: {why}"))
        }
        _ => Ok(keys),
    }
}

fn of_value(value: Value, origin: Origin) -> Result<Key, String> {
    // What cannot be read may be a secret: nothing of it is told.
    let jwk = Jwk::deserialize(value).map_err(|_| "it is no JWK".to_owned())?;
    if Key::is_secret(&jwk) && origin == Origin::Url {
        return Err("an address may serve only public keys, and this is a secret key".into());
    }
    Key::of_jwk(&jwk)
}

fn of_pem(text: &[u8]) -> Result<Vec<Arc<Key>>, String> {
    let mut keys = Vec::new();
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(text) {
        let (kind, der) = section.map_err(|error| format!("it is no PEM: {error}"))?;
        let key = match kind {
            SectionKind::PublicKey => Key::of_public_der(&der)?,
            SectionKind::Certificate => {
                return Err("it is a certificate; take its key out with `openssl x509 -pubkey -noout`".into());
            }
            SectionKind::PrivateKey | SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey => {
                return Err(
                    "it is a private key, which belongs to the issuer alone; take the public one out with \
                            `openssl pkey -pubout`"
                        .into(),
                );
            }
            _ => continue,
        };
        keys.push(Arc::new(key));
    }
    if keys.is_empty() {
        return Err("it is neither a JWKS nor a public key in PEM".into());
    }
    Ok(keys)
}

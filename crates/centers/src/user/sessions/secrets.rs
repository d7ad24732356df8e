//! The secrets of sessions, as texts: made, read, and made anew at a refresh.
//!
//! | text | is |
//! |---|---|
//! | `gxs_` gene bits | the secret of a token that an operator made, for good |
//! | `gxs_` gene family bits | the access secret of a login, which calls carry |
//! | `gxr_` gene family bits | its refresh secret, which is changed for a new pair |
//!
//! The gene of the user in two hex digits says which shard is asked. The family is 128 random bits that all secrets of a
//! login share. Their hash is the session's id, so a secret of any age leads to the session by one read. A secret that is no
//! longer in force is known to have been one of the session's secrets. The bits, 256 of them, differ for each secret. Of all
//! that only hashes are stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_model::{Gene, SessionKey, Uid};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// The beginning of a secret that calls carry, so that scanners recognise a leaked one.
const ACCESS_PREFIX: &str = "gxs_";

/// The beginning of a refresh secret.
const REFRESH_PREFIX: &str = "gxr_";

/// Characters of the gene.
const GENE_LEN: usize = 2;

/// Characters of a family: 128 bits in base64url.
const FAMILY_LEN: usize = 22;

/// Characters of the bits that differ: 256 of them in base64url.
const BITS_LEN: usize = 43;

/// A text that authenticates a user; never shown by `Debug`, and overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    fn new(prefix: &str, gene: Gene, family: &str, bits: [u8; 32]) -> Self {
        let bits = Zeroizing::new(URL_SAFE_NO_PAD.encode(bits));
        Self(Zeroizing::new(format!("{prefix}{:02x}{family}{}", gene.0, *bits)))
    }

    /// Returns the text, for its owner alone.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

/// The secrets of a login that are in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SecretPair {
    /// The secret that calls carry.
    pub access: SecretText,
    /// The secret that is exchanged for a new pair.
    pub refresh: SecretText,
}

/// SHA-256 of a text.
pub(super) fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// The first secrets of a login, and the id of its session.
pub(super) fn first_pair(uid: Uid, mut random: impl FnMut() -> [u8; 32]) -> ([u8; 32], SecretPair) {
    let family = URL_SAFE_NO_PAD.encode(&random()[..16]);
    let (gene, access, refresh) = (uid.gene(), random(), random());
    let pair = SecretPair {
        access: SecretText::new(ACCESS_PREFIX, gene, &family, access),
        refresh: SecretText::new(REFRESH_PREFIX, gene, &family, refresh),
    };
    (sha256(&family), pair)
}

/// Returns the secrets that a refresh secret is exchanged for.
///
/// They follow from the given secret and a nonce, which is stored beside the new hashes. So a repeat of the same refresh
/// gives the same secrets, although they are stored nowhere. The secret is the key of the HMAC, and without it the nonce says
/// nothing: a reader of the store, or of a backup of it, has no secret. Without the nonce an old secret leads nowhere.
pub(super) fn next_pair(refresh: &RefreshText<'_>, nonce: [u8; 32]) -> SecretPair {
    let derive = |what: &[u8]| -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(refresh.text.as_bytes()).expect("any length is a key");
        mac.update(b"guanxi session ");
        mac.update(what);
        mac.update(&nonce);
        mac.finalize().into_bytes().into()
    };
    let RefreshText { gene, family, .. } = *refresh;
    SecretPair {
        access: SecretText::new(ACCESS_PREFIX, gene, family, derive(b"access")),
        refresh: SecretText::new(REFRESH_PREFIX, gene, family, derive(b"refresh")),
    }
}

/// A text that has the form of a refresh secret.
pub(super) struct RefreshText<'a> {
    text: &'a str,
    gene: Gene,
    family: &'a str,
}

impl<'a> RefreshText<'a> {
    /// Takes a text apart; `None` when it has another form.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (gene, rest) = split(text, REFRESH_PREFIX)?;
        Some(Self { text, gene, family: family(rest)? })
    }

    /// Returns which session it is of.
    pub(super) fn key(&self) -> SessionKey {
        SessionKey { gene: self.gene, id: sha256(self.family), hash: sha256(self.text) }
    }
}

/// Returns where the session of a secret that calls carry is found; `None` for texts of other forms.
pub fn session_key(text: &str) -> Option<SessionKey> {
    let (gene, rest) = split(text, ACCESS_PREFIX)?;
    let hash = sha256(text);
    Some(match family(rest) {
        Some(family) => SessionKey { gene, id: sha256(family), hash },
        None => SessionKey::lone(gene, hash),
    })
}

/// The gene that a text names, and what follows it.
fn split<'a>(text: &'a str, prefix: &str) -> Option<(Gene, &'a str)> {
    let (digits, rest) = text.strip_prefix(prefix)?.split_at_checked(GENE_LEN)?;
    let gene = u8::from_str_radix(digits, 16).ok()?;
    // One text for each secret: no sign, no capitals.
    (format!("{gene:02x}") == digits).then_some((Gene(gene), rest))
}

/// The family of a secret that has one.
fn family(rest: &str) -> Option<&str> {
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_plain && rest.len() == FAMILY_LEN + BITS_LEN).then(|| &rest[..FAMILY_LEN])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls answer 1, 2, 3 and so on, 32 times each.
    fn first(uid: u64) -> ([u8; 32], SecretPair) {
        let mut calls = 0;
        first_pair(Uid::new(uid).unwrap(), || {
            calls += 1;
            [calls; 32]
        })
    }

    #[test]
    fn the_secrets_of_a_login_name_its_shard_and_session() {
        let (id, pair) = first(0x120a);
        let (access, refresh) = (pair.access.as_str(), pair.refresh.as_str());
        assert_eq!(access, "gxs_0aAQEBAQEBAQEBAQEBAQEBAQAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI");
        assert!(refresh.starts_with("gxr_0aAQEBAQEBAQEBAQEBAQEBAQAwMD") && refresh.len() == 71);
        let key = SessionKey { gene: Gene(0x0a), id, hash: sha256(access) };
        assert_eq!(session_key(access), Some(key));
        assert_eq!(session_key(refresh), None, "calls cannot carry it");
        let key = RefreshText::parse(refresh).unwrap().key();
        assert_eq!(key, SessionKey { gene: Gene(0x0a), id, hash: sha256(refresh) });
        assert!(RefreshText::parse(access).is_none());
        assert_eq!(format!("{pair:?}"), "SecretPair { access: SecretText, refresh: SecretText }");
    }

    #[test]
    fn a_refresh_comes_to_the_same_secrets_for_the_same_nonce_alone() {
        let (id, pair) = first(7);
        let given = RefreshText::parse(pair.refresh.as_str()).unwrap();
        let next = next_pair(&given, [5; 32]);
        assert_eq!(next, next_pair(&given, [5; 32]));
        assert_ne!(next, next_pair(&given, [6; 32]));
        assert_eq!(session_key(next.access.as_str()).unwrap().id, id);
        let again = RefreshText::parse(next.refresh.as_str()).unwrap();
        assert_eq!(again.key().id, id);
        // The two do not follow from each other, nor do those of another secret.
        assert_ne!(next.access.as_str()[28..], next.refresh.as_str()[28..]);
        assert_ne!(next_pair(&again, [5; 32]), next);
    }

    #[test]
    fn a_text_of_another_form_is_the_secret_of_no_login() {
        let (_, pair) = first(0xab);
        let (access, refresh) = (pair.access.as_str(), pair.refresh.as_str());
        for bad in
            ["", "gxr_", "gxr_ab", &refresh[..70], &format!("{refresh}x"), &refresh.replace("_ab", "_AB")]
        {
            assert!(RefreshText::parse(bad).is_none(), "{bad}");
        }
        assert!(RefreshText::parse(&refresh.replace("ECAQ", "EC Q").replace("AwMD", "A+MD")).is_none());
        // The secret of a call may be an operator's token, of any length.
        let lone = SessionKey::lone(Gene(0xab), sha256(&access[..49]));
        assert_eq!(session_key(&access[..49]), Some(lone));
        for bad in ["", "gxs_", "gxs_1", "gxs_+1abc", "gxs_0Aabc", "gxs_gg", "gxs_é", "gx_0aabc", "Gxs_0a"] {
            assert_eq!(session_key(bad), None, "{bad}");
        }
    }

    #[test]
    fn texts_are_no_secrets_or_lead_to_the_session_that_they_name() {
        let (_, pair) = first(0x120a);
        let seeds = [pair.access.as_str().as_bytes(), pair.refresh.as_str().as_bytes(), b"gxs_ff"];
        guanxi_fuzz::fuzz("session_secrets", &seeds, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (access, refresh) = (session_key(&text), RefreshText::parse(&text));
            assert!(access.is_none() || refresh.is_none());
            if let Some(key) = access.or_else(|| refresh.as_ref().map(RefreshText::key)) {
                assert_eq!(text[4..6], format!("{:02x}", key.gene.0));
                assert_eq!(key.hash, sha256(&text));
            }
            if let Some(refresh) = &refresh {
                let next = next_pair(refresh, [1; 32]);
                let again = RefreshText::parse(next.refresh.as_str()).expect("it has the same form");
                assert_eq!((again.key().id, again.key().gene), (refresh.key().id, refresh.key().gene));
                assert_eq!(session_key(next.access.as_str()).map(|key| key.id), Some(refresh.key().id));
            }
            let lone = access.map(|key| key.id == key.hash);
            guanxi_fuzz::came_to((
                lone,
                refresh.is_some(),
                text.len().min(80),
                text.get(..5).map(str::to_owned),
            ))
        });
    }
}

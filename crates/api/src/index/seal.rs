//! The credential of the processes of a cluster for each other: signatures by a key that they share.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_model::Clock;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// By how much the clocks of two processes may differ, with the time that a question is on its way. A process that is more than
/// half a second off is not ready.
const AGE_MAX_MS: u64 = 30_000;

/// The header that has the time and the signature.
pub(super) const SIGNED: &str = "x-guanxi-signed";

/// Signs questions and checks signatures. Cheap to clone.
#[derive(Clone)]
pub struct IndexSeal {
    key: [u8; 32],
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for IndexSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IndexSeal")
    }
}

impl IndexSeal {
    /// The seal of all processes whose data has this secret.
    pub fn new(data_key: [u8; 32], clock: Arc<dyn Clock>) -> Self {
        let derived = signer(&data_key).chain_update(b"guanxi index listener").finalize().into_bytes();
        Self { key: derived.into(), clock }
    }

    /// Returns the header that signs a question.
    pub(super) fn sign(&self, path: &str, body: &[u8]) -> String {
        let now_ms = self.clock.now_ms();
        let signature = self.signed(now_ms, path, body).finalize().into_bytes();
        format!("{now_ms}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Returns whether a process of ours has signed a question, a moment ago.
    pub(super) fn is_signed(&self, header: &str, path: &str, body: &[u8]) -> bool {
        let read = || {
            let (at_ms, signature) = header.split_once('.')?;
            let (at_ms, signature) = (at_ms.parse::<u64>().ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
            self.signed(at_ms, path, body).verify_slice(&signature).ok()?;
            Some(self.clock.now_ms().abs_diff(at_ms) <= AGE_MAX_MS)
        };
        read().unwrap_or(false)
    }

    /// A path has no line breaks, and a number of bytes none of any other path.
    fn signed(&self, at_ms: u64, path: &str, body: &[u8]) -> Hmac<Sha256> {
        signer(&self.key)
            .chain_update(at_ms.to_be_bytes())
            .chain_update(path.as_bytes())
            .chain_update(b"\n")
            .chain_update(body)
    }
}

fn signer(key: &[u8; 32]) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(key).expect("any length is a key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ManualClock;

    #[test]
    fn only_what_was_signed_with_the_same_key_a_moment_ago_is_let_in() {
        let clock = Arc::new(ManualClock::new(1_750_000_000_000));
        let seal = IndexSeal::new([7; 32], clock.clone());
        let signed = seal.sign("/posts", b"{}");
        assert!(seal.is_signed(&signed, "/posts", b"{}"));
        assert!(IndexSeal::new([7; 32], clock.clone()).is_signed(&signed, "/posts", b"{}"));
        assert!(!IndexSeal::new([8; 32], clock.clone()).is_signed(&signed, "/posts", b"{}"));
        assert!(!seal.is_signed(&signed, "/users", b"{}") && !seal.is_signed(&signed, "/posts", b"{ }"));
        let later = signed.replacen('1', "2", 1);
        for bad in ["", ".", "1", "1.", &signed[..signed.len() - 1], &later] {
            assert!(!seal.is_signed(bad, "/posts", b"{}"), "{bad}");
        }
        clock.advance(AGE_MAX_MS);
        assert!(seal.is_signed(&signed, "/posts", b"{}"));
        clock.advance(1);
        assert!(!seal.is_signed(&signed, "/posts", b"{}"), "it is too old");
    }
}

//! Ids of requests: the client's, or one that is made.

use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderValue;

/// Characters of an id that is taken from a client: it goes into logs and back into answers.
const LEN_MAX: usize = 64;

/// Hex digits of an id that is made.
const MADE_LEN: usize = 16;

/// Returns whether a client's id is taken: a few visible ASCII characters.
pub(super) fn is_valid(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=LEN_MAX).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}

/// The text of an id.
pub(super) fn text(id: &HeaderValue) -> &str {
    id.to_str().unwrap_or_default()
}

/// Makes ids.
pub(super) struct RequestIds {
    next: AtomicU64,
}

impl RequestIds {
    pub(super) const fn new(seed: u64) -> Self {
        Self { next: AtomicU64::new(seed) }
    }

    /// Returns an id that this process has not made before.
    pub(super) fn make(&self) -> HeaderValue {
        let mut rest = mixed(self.next.fetch_add(1, Ordering::Relaxed));
        let mut text = [0; MADE_LEN];
        for digit in &mut text {
            *digit = b"0123456789abcdef"[(rest >> 60) as usize];
            rest <<= 4;
        }
        HeaderValue::from_bytes(&text).expect("hex digits are visible")
    }
}

/// SplitMix64's output: each number has another, so that ids of one process never meet and look like nothing.
const fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn made_ids_are_valid_and_differ() {
        let ids = RequestIds::new(u64::MAX - 5);
        let made: HashSet<String> = (0..10_000).map(|_| text(&ids.make()).to_owned()).collect();
        assert_eq!(made.len(), 10_000);
        assert!(made.iter().all(|id| id.len() == MADE_LEN && is_valid(&HeaderValue::from_str(id).unwrap())));
    }

    #[test]
    fn a_clients_id_is_short_and_visible() {
        let valid = |id: &[u8]| HeaderValue::from_bytes(id).is_ok_and(|id| is_valid(&id));
        assert!(valid(b"a") && valid(b"0af7651916cd43dd:8448/eb~!") && valid(&[b'x'; 64]));
        for bad in [&b""[..], b"a b", b"a\tb", &[b'x'; 65], "\u{e9}".as_bytes(), b"\x7f"] {
            assert!(!valid(bad), "{bad:?}");
        }
    }
}

//! What stays of external ids that led to users who are erased: keyed hashes, and their key.
//!
//! A holder of the data has the key, and may ask of a name that it guesses whether it was erased here. A holder of a name
//! alone, or of the hashes of other data, learns nothing.

use guanxi_model::{ExternalId, Gene};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;

/// Prefix of hashes of external ids that led to users who are erased.
pub const ERASED_ID: u8 = b'4';
/// The key of the key of these hashes.
pub const ERASED_ID_KEY: &[u8] = b"5";

/// Bytes of a hash: half of SHA-256, so that no two ids of one shard have the same.
const HASH_LEN: usize = 16;

/// A keyed hash of an external id.
pub type ErasedIdHash = [u8; HASH_LEN];

/// The key of the hashes: random bytes, made with the data and carried by its dumps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ErasedIdKey(pub [u8; 32]);

impl fmt::Debug for ErasedIdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErasedIdKey(..)")
    }
}

impl ErasedIdKey {
    /// Reads the stored form, which is the key itself.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The hash of an id: the first half of its HMAC-SHA256.
    ///
    /// # Panics
    /// Never: HMAC takes keys of any length.
    pub fn hash(&self, id: &ExternalId) -> ErasedIdHash {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(id.as_str().as_bytes());
        let mut hash = ErasedIdHash::default();
        hash.copy_from_slice(&mac.finalize().into_bytes()[..HASH_LEN]);
        hash
    }
}

/// `gene hash`, the key of a hash of an id of a shard.
pub fn erased_id_key(gene: Gene, hash: ErasedIdHash) -> Vec<u8> {
    [&[ERASED_ID, gene.0][..], &hash].concat()
}

/// Reads the key of a hash.
pub fn parse_erased_id_key(key: &[u8]) -> Option<(Gene, ErasedIdHash)> {
    let [ERASED_ID, gene, hash @ ..] = key else { return None };
    Some((Gene(*gene), hash.try_into().ok()?))
}

//! What stays of the external id of a user who is erased: a hash, whose key and function are the backend's.

use super::RowTerms;
use guanxi_model::Gene;
use guanxi_model::user::ExternalId;
use std::fmt;

/// What stays of the external id of a user who is erased.
pub type ErasedHash = [u8; 16];

/// How external ids are hashed that led to users who are erased. The key is a secret.
#[derive(Clone, Copy)]
pub struct ErasedIds {
    key: [u8; 32],
    hash: fn(&[u8; 32], &ExternalId) -> ErasedHash,
}

impl ErasedIds {
    /// For rows of which no id is erased, and none is asked for.
    pub const NONE: Self = Self { key: [0; 32], hash: |_, _| [0; 16] };

    /// Hashes by a function with a key.
    pub const fn new(key: [u8; 32], hash: fn(&[u8; 32], &ExternalId) -> ErasedHash) -> Self {
        Self { key, hash }
    }
}

impl fmt::Debug for ErasedIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErasedIds(..)")
    }
}

impl RowTerms {
    /// Returns what stays of an id once its user is erased, and in which shard.
    pub fn erased(&self, id: &ExternalId) -> (Gene, ErasedHash) {
        (id.gene(), (self.erased_ids.hash)(&self.erased_ids.key, id))
    }
}

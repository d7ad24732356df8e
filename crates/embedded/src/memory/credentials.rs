//! Credentials: a small table that is held whole in memory.

use crate::engine::{EngineError, RowBatch, Snapshot, Table};
use crate::layout::{CREDENTIAL, decode_credential, encode_credential, named_key};
use guanxi_model::limits::CREDENTIALS_MAX;
use guanxi_model::{Credential, Error, Reason, Result};
use std::collections::{BTreeMap, HashMap};
use std::sync::{RwLock, RwLockReadGuard};

#[derive(Default)]
struct Held {
    by_hash: HashMap<[u8; 32], Credential>,
    by_name: BTreeMap<String, [u8; 32]>,
    /// Names that a group under way will add: two adds of one name in a group must not both succeed.
    pending: HashMap<String, bool>,
}

/// The credentials in memory. Only the writer changes them.
#[derive(Default)]
pub(crate) struct CredentialTable(RwLock<Held>);

/// A change that waits for its commit.
pub(crate) enum CredentialChange {
    Add(Credential),
    Revoke(String),
}

impl CredentialTable {
    pub(crate) fn load(snapshot: &Snapshot) -> Result<Self, EngineError> {
        let mut held = Held::default();
        for row in snapshot.prefix(Table::Records, &[CREDENTIAL]) {
            let (key, value) = row?;
            let credential = decode_credential(&key[1..], &value)
                .ok_or_else(|| EngineError::Damaged("a credential cannot be decoded".into()))?;
            held.by_name.insert(credential.name.clone(), credential.hash);
            held.by_hash.insert(credential.hash, credential);
        }
        Ok(Self(RwLock::new(held)))
    }

    pub(crate) fn find(&self, hash: &[u8; 32]) -> Option<Credential> {
        self.read().by_hash.get(hash).cloned()
    }

    pub(crate) fn list(&self) -> Vec<Credential> {
        let held = self.read();
        held.by_name.values().filter_map(|hash| held.by_hash.get(hash).cloned()).collect()
    }

    pub(crate) fn plan_add(&self, credential: Credential, batch: &mut RowBatch) -> Result<CredentialChange> {
        Credential::check_name(&credential.name)?;
        let mut held = self.write();
        let held = &mut *held;
        let taken = held.pending.get(&credential.name).copied();
        if taken.unwrap_or_else(|| held.by_name.contains_key(&credential.name)) {
            return Err(Error::new(Reason::AlreadyExists));
        }
        if held.by_hash.len() >= CREDENTIALS_MAX as usize {
            return Err(Error::new(Reason::LimitReached { limit: CREDENTIALS_MAX }));
        }
        held.pending.insert(credential.name.clone(), true);
        let value = encode_credential(&credential);
        batch.put(Table::Records, &named_key(CREDENTIAL, &credential.name), &value);
        Ok(CredentialChange::Add(credential))
    }

    /// `None` when there is no credential of this name.
    pub(crate) fn plan_revoke(&self, name: &str, batch: &mut RowBatch) -> Option<CredentialChange> {
        let mut held = self.write();
        let known = held.pending.get(name).copied().unwrap_or_else(|| held.by_name.contains_key(name));
        known.then(|| {
            held.pending.insert(name.to_owned(), false);
            batch.remove(Table::Records, &named_key(CREDENTIAL, name));
            CredentialChange::Revoke(name.to_owned())
        })
    }

    /// Makes a committed change visible.
    pub(crate) fn apply(&self, change: Option<CredentialChange>) {
        let mut held = self.write();
        match change {
            Some(CredentialChange::Add(credential)) => {
                held.pending.remove(&credential.name);
                held.by_name.insert(credential.name.clone(), credential.hash);
                held.by_hash.insert(credential.hash, credential);
            }
            Some(CredentialChange::Revoke(name)) => {
                held.pending.remove(&name);
                if let Some(hash) = held.by_name.remove(&name) {
                    held.by_hash.remove(&hash);
                }
            }
            None => {}
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.0.read().expect("nobody panics while holding the table")
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Held> {
        self.0.write().expect("nobody panics while holding the table")
    }
}

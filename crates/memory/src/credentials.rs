//! Credentials: a small table that is held whole in memory.

use guanxi_model::Credential;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{RwLock, RwLockReadGuard};

#[derive(Default)]
struct Held {
    by_name: BTreeMap<String, Credential>,
    /// The names of each token: several credentials may have one.
    names: HashMap<[u8; 32], BTreeSet<String>>,
}

impl Held {
    fn put(&mut self, credential: Credential) {
        self.remove(&credential.name);
        self.names.entry(credential.hash).or_default().insert(credential.name.clone());
        self.by_name.insert(credential.name.clone(), credential);
    }

    fn remove(&mut self, name: &str) {
        let Some(before) = self.by_name.remove(name) else { return };
        if let Some(names) = self.names.get_mut(&before.hash) {
            names.remove(name);
            if names.is_empty() {
                self.names.remove(&before.hash);
            }
        }
    }
}

/// The credentials in memory. Only the writer changes them.
#[derive(Default)]
pub struct CredentialTable(RwLock<Held>);

impl CredentialTable {
    /// Holds these.
    pub fn new(credentials: impl IntoIterator<Item = Credential>) -> Self {
        let mut held = Held::default();
        credentials.into_iter().for_each(|credential| held.put(credential));
        Self(RwLock::new(held))
    }

    /// The credential of a token, the first by name.
    pub fn find(&self, hash: &[u8; 32]) -> Option<Credential> {
        let held = self.read();
        let name = held.names.get(hash)?.first()?;
        held.by_name.get(name).cloned()
    }

    /// All of them, by name.
    pub fn list(&self) -> Vec<Credential> {
        self.read().by_name.values().cloned().collect()
    }

    /// Returns whether there is one of a name.
    pub fn has(&self, name: &str) -> bool {
        self.read().by_name.contains_key(name)
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.read().by_name.len()
    }

    /// Makes committed changes visible: what each name stands for now, if for anything.
    pub fn apply(&self, changes: impl IntoIterator<Item = (String, Option<Credential>)>) {
        let mut changes = changes.into_iter().peekable();
        if changes.peek().is_none() {
            return;
        }
        let mut held = self.0.write().expect("nobody panics while holding the table");
        for (name, credential) in changes {
            match credential {
                Some(credential) => held.put(credential),
                None => held.remove(&name),
            }
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.0.read().expect("nobody panics while holding the table")
    }
}

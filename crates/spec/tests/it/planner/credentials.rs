//! Credentials as a database would hold them.

use super::rows::{NotFetched, Rows, Selected};
use super::{START_MS, apply, options};
use guanxi_model::limits::{BATCH_MAX, CREDENTIALS_MAX};
use guanxi_model::plan::{CredentialRows, RowKey};
use guanxi_model::{Credential, CredentialCommand, ManualClock, Outcome, Principal, Reason, Result, Write};
use guanxi_ports::Facts as _;
use guanxi_spec::memory::MemoryStore;
use std::sync::Arc;

impl CredentialRows for Selected<'_, &mut Rows> {
    fn has_credential(&mut self, name: &str) -> Result<bool, NotFetched> {
        self.check(RowKey::Credential(name.to_owned()))?;
        Ok(self.rows().credentials.contains_key(name))
    }

    fn credentials(&mut self) -> Result<u32, NotFetched> {
        self.check(RowKey::Credentials)?;
        Ok(self.rows().credentials.len() as u32)
    }

    fn put_credential(&mut self, credential: Credential) -> Result<(), NotFetched> {
        self.check(RowKey::Credential(credential.name.clone()))?;
        self.rows().credentials.insert(credential.name.clone(), credential);
        Ok(())
    }

    fn remove_credential(&mut self, name: &str) -> Result<(), NotFetched> {
        self.check(RowKey::Credential(name.to_owned()))?;
        self.rows().credentials.remove(name);
        Ok(())
    }
}

/// Adds a credential, whose token is made of its name.
fn named(name: &str) -> CredentialCommand {
    let mut hash = [0; 32];
    hash[..name.len()].copy_from_slice(name.as_bytes());
    let (name, principal) = (name.to_owned(), Principal::Admin);
    CredentialCommand::Add(Credential { hash, name, principal, created_ms: 1, rate_per_minute: None })
}

/// So many and no more, however they came; one that goes makes room in the same write.
#[tokio::test]
async fn credentials_are_bounded() {
    let model = MemoryStore::new(Arc::new(ManualClock::new(START_MS)), options());
    let mut rows = Rows::new(&options());
    let names: Vec<String> = (0..CREDENTIALS_MAX).map(|n| format!("token {n}")).collect();
    for names in names.chunks(BATCH_MAX as usize) {
        let write = Write::all(names.iter().map(|name| named(name)));
        let ours = apply(&mut rows, &write, START_MS).unwrap();
        assert_eq!((ours.changed(), ours.outcomes), (1_000, model.apply(write).await.unwrap().outcomes));
    }
    let revoke = CredentialCommand::Revoke { name: "token 7".to_owned() };
    let write = Write::all([named("more"), revoke, named("more"), named("most"), named("token 8")]);
    let ours = apply(&mut rows, &write, START_MS).unwrap().outcomes;
    assert_eq!(ours, model.apply(write).await.unwrap().outcomes);
    let full = || Err(Reason::LimitReached { limit: CREDENTIALS_MAX });
    let results: Vec<_> = ours.iter().map(Outcome::result).collect();
    assert_eq!(results, [full(), Ok(true), Ok(true), full(), Err(Reason::AlreadyExists)]);
}

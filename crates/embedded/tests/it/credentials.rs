//! As many tokens as there may be, in memory and after a reopening. What else is asked of them is in the suite.

use crate::world::{clock, options};
use guanxi_embedded::EmbeddedStore;
use guanxi_model::limits::{BATCH_MAX, CREDENTIALS_MAX};
use guanxi_model::{Credential, CredentialCommand, Outcome, Principal, Reason, Write};
use guanxi_ports::{Credentials as _, Facts as _};

/// A credential of a name, whose token is made of that.
fn named(name: &str) -> CredentialCommand {
    let mut hash = [0; 32];
    hash[..name.len()].copy_from_slice(name.as_bytes());
    let (name, principal) = (name.to_owned(), Principal::Admin);
    CredentialCommand::Add(Credential { hash, name, principal, created_ms: 1, rate_per_minute: None })
}

/// So many and no more, however they came; one that goes makes room in the same write.
#[tokio::test]
async fn credentials_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), options(1), clock()).unwrap();
    let names: Vec<String> = (0..CREDENTIALS_MAX).map(|n| format!("token {n}")).collect();
    for names in names.chunks(BATCH_MAX as usize) {
        let added = store.apply(Write::all(names.iter().map(|name| named(name)))).await.unwrap();
        assert_eq!(added.changed(), names.len() as u64);
    }
    look(&store).await;
    store.close().await.unwrap();
    drop(store);
    look(&EmbeddedStore::open(dir.path(), options(1), clock()).unwrap()).await;
}

/// A full store takes one in the place of another alone.
async fn look(store: &EmbeddedStore) {
    let full = || Err(Reason::LimitReached { limit: CREDENTIALS_MAX });
    let revoke = CredentialCommand::Revoke { name: "token 7".to_owned() };
    let write = Write::all([named("more"), revoke, named("token 7"), named("most"), named("token 8")]);
    let answer = store.apply(write).await.unwrap();
    let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
    assert_eq!(results, [full(), Ok(true), Ok(true), full(), Err(Reason::AlreadyExists)]);
    assert_eq!(store.list().await.unwrap().len(), CREDENTIALS_MAX as usize);
}

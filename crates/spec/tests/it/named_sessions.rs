//! An end user's token is a session, and its credential a name for that.

use guanxi_model::{
    Credential, CredentialCommand, ManualClock, Outcome, Principal, Reason, RequestKey, SessionKey, Uid,
    Write,
};
use guanxi_ports::{
    CredentialWrites as _, Credentials, Facts as _, NamedSessions, SessionWrites as _, Sessions,
};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;

fn user() -> Uid {
    Uid::new(0x0107).expect("a uid")
}

fn credential(name: &str, byte: u8, principal: Principal) -> Credential {
    Credential { hash: [byte; 32], name: name.to_owned(), principal, created_ms: 5, rate_per_minute: None }
}

fn token(name: &str, byte: u8) -> Credential {
    credential(name, byte, Principal::EndUser(user()))
}

struct World {
    sessions: Arc<dyn Sessions>,
    raw: Arc<dyn Credentials>,
    named: NamedSessions,
}

impl World {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(9)), Options::default()));
        let named = NamedSessions::new(store.clone(), store.clone(), store.clone());
        Self { sessions: store.clone(), raw: store, named }
    }

    async fn is_valid(&self, byte: u8) -> bool {
        let key = SessionKey::lone(user().gene(), [byte; 32]);
        self.sessions.find(key).await.expect("an answer").is_some()
    }

    async fn names(&self) -> Vec<String> {
        self.named.list().await.expect("an answer").into_iter().map(|found| found.name).collect()
    }
}

#[tokio::test]
async fn a_token_of_an_end_user_is_a_session_with_a_name() {
    let world = World::new();
    world.named.add(token("phone", 1)).await.unwrap();
    world.named.add(credential("ops", 2, Principal::Admin)).await.unwrap();
    let session = world.sessions.list(user(), None, 9).await.unwrap().sessions.remove(0);
    assert_eq!((session.id, session.created_ms, session.expires_ms), ([1; 32], 5, None));
    assert_eq!(world.names().await, ["ops", "phone"]);
    assert_eq!(world.named.revoke("phone").await, Ok(true));
    assert!(!world.is_valid(1).await);
    assert_eq!(world.names().await, ["ops"]);
    assert_eq!(world.named.revoke("phone").await, Ok(false));
    assert_eq!(world.raw.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_taken_name_leaves_no_session_behind() {
    let world = World::new();
    world.named.add(token("phone", 1)).await.unwrap();
    for again in [token("phone", 2), credential("phone", 2, Principal::Admin)] {
        assert_eq!(world.named.add(again).await.unwrap_err().reason, Reason::AlreadyExists);
        assert!(world.is_valid(1).await && !world.is_valid(2).await);
    }
    world.named.add(credential("ops", 3, Principal::Admin)).await.unwrap();
    assert_eq!(world.named.add(token("ops", 4)).await.unwrap_err().reason, Reason::AlreadyExists);
    assert!(!world.is_valid(4).await);
    assert_eq!(
        world.named.add(token("", 4)).await.unwrap_err().reason,
        Reason::MissingField { field: "name" }
    );
    assert!(!world.is_valid(4).await);
}

#[tokio::test]
async fn ending_all_sessions_of_a_user_ends_its_tokens() {
    let world = World::new();
    world.named.add(token("phone", 1)).await.unwrap();
    world.named.add(token("laptop", 2)).await.unwrap();
    assert_eq!(world.sessions.revoke_all(user()).await, Ok(2));
    assert_eq!(world.names().await, [""; 0]);
    assert_eq!(world.named.find([1; 32]).await, Ok(None));
    assert_eq!(world.named.revoke("laptop").await, Ok(false));
    // The name is free again.
    world.named.add(token("phone", 3)).await.unwrap();
    world.named.add(credential("laptop", 4, Principal::Admin)).await.unwrap();
    assert_eq!(world.names().await, ["laptop", "phone"]);
    assert!(world.is_valid(3).await && !world.is_valid(1).await);
}

/// It is a write of a session and one of a credential, so that no one write holds it among others or answers it again.
#[tokio::test]
async fn a_token_of_an_end_user_is_a_write_of_its_own() {
    let world = World::new();
    let ops = || CredentialCommand::Add(credential("ops", 2, Principal::Admin));
    let revoke = |name: &str| CredentialCommand::Revoke { name: name.to_owned() };
    let request = RequestKey { actor: user(), id: "once".into(), fingerprint: 7 };
    let refused = Reason::InvalidField { field: "request_id" };
    for write in [
        Write::all([ops(), CredentialCommand::Add(token("phone", 1))]),
        Write::of(CredentialCommand::Add(token("phone", 1))).under(Some(request.clone())),
    ] {
        assert_eq!(world.named.apply(write).await.unwrap_err().reason, refused);
        assert!(!world.is_valid(1).await && world.names().await.is_empty());
    }
    world.named.add(token("phone", 1)).await.unwrap();
    let write = Write::all([ops(), revoke("phone")]);
    assert_eq!(world.named.apply(write).await.unwrap_err().reason, refused);
    assert_eq!(world.names().await, ["phone"]);
    let write = Write::all([ops(), revoke("nobody"), ops()]).under(Some(request));
    let outcomes = world.named.apply(write).await.unwrap().outcomes;
    let results: Vec<_> = outcomes.iter().map(Outcome::result).collect();
    assert_eq!(results, [Ok(true), Ok(false), Err(Reason::AlreadyExists)]);
    assert_eq!(world.names().await, ["ops", "phone"]);
}

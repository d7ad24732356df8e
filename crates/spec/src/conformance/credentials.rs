//! Tokens that operators made: commands like any other, though they are no user's.

use super::model_check::{model, same_answer};
use super::{Need, Rng, World, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::CREDENTIAL_NAME_LEN_MAX;
use guanxi_model::{
    Change, Command, Credential, CredentialCommand, FanoutMode, FanoutPolicy, Op, Outcome, PairCommand,
    Principal, Reason, RequestKey, Scope, Scopes, Write,
};
use guanxi_ports::{CredentialWrites as _, Credentials as _, Facts as _};

fn credential(name: &str, byte: u8, principal: Principal) -> Credential {
    Credential {
        hash: [byte; 32],
        name: name.to_owned(),
        principal,
        created_ms: super::START_MS,
        rate_per_minute: None,
    }
}

/// Credentials are found by hash, listed by name, and gone when revoked.
pub async fn credentials_are_found_listed_and_revoked(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    assert_eq!(store.list().await, Ok(Vec::new()));
    let read = [Scope::RelationRead, Scope::Watch].into_iter().collect();
    let newer = Scopes::of_names(["post.write", "stars.count"]).expect("names that could be stored");
    let added = [
        credential("web", 1, Principal::Service(Scopes::all())),
        credential("alice", 2, Principal::EndUser(u(7))),
        credential("ops", 3, Principal::Admin),
        credential("reader", 4, Principal::Service(read)),
        credential("newer", 6, Principal::Service(newer)),
        credential("nothing", 7, Principal::Service(Scopes::default())),
    ];
    for credential in &added {
        store.add(credential.clone()).await.unwrap();
    }
    for credential in &added {
        assert_eq!(store.find(credential.hash).await, Ok(Some(credential.clone())));
    }
    assert_eq!(store.find([9; 32]).await, Ok(None));
    let names: Vec<String> =
        store.list().await.unwrap().into_iter().map(|credential| credential.name).collect();
    assert_eq!(names, ["alice", "newer", "nothing", "ops", "reader", "web"]);
    assert_eq!(store.revoke("alice").await, Ok(true));
    assert_eq!(store.revoke("alice").await, Ok(false));
    assert_eq!(store.find([2; 32]).await, Ok(None));
    assert_eq!(store.list().await.unwrap().len(), 5);
    store.add(credential("alice", 5, Principal::EndUser(u(8)))).await.unwrap();
    assert_eq!(store.find([5; 32]).await.unwrap().unwrap().principal, Principal::EndUser(u(8)));
    // Where the token of an end user is the name of a session, the end of that session is.
    let told = world.events_since(&world.origin).await;
    let of_credentials = told.iter().find(|event| event.change != Change::User(UserChange::SessionEnded));
    assert_eq!(of_credentials, None, "credentials are not in the log");
}

/// Names are unique, present, bounded and one line.
pub async fn credentials_names_are_checked(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    let add = async |name: &str, byte| store.add(credential(name, byte, Principal::Admin)).await;
    let reason = async |name: &str, byte| add(name, byte).await.unwrap_err().reason;
    add("a", 1).await.unwrap();
    assert_eq!(reason("a", 2).await, Reason::AlreadyExists);
    assert_eq!(store.find([2; 32]).await, Ok(None));
    assert_eq!(store.find([1; 32]).await.unwrap().unwrap().name, "a", "the first stays");
    assert_eq!(reason("", 3).await, Reason::MissingField { field: "name" });
    let long = "x".repeat(CREDENTIAL_NAME_LEN_MAX as usize + 1);
    let too_long = Reason::TooLong { field: "name", limit: CREDENTIAL_NAME_LEN_MAX };
    assert_eq!(reason(&long, 4).await, too_long);
    add(&long[1..], 5).await.unwrap();
    for control in ["a\nb", "a\r", "\0", "\u{1b}[2J", "\u{7f}", "\u{85}", "a\u{2028}b"] {
        assert_eq!(reason(control, 6).await, Reason::InvalidField { field: "name" }, "{control:?}");
    }
    add("后端 / web-1", 7).await.unwrap();
    for nobody in ["", "\0", &long] {
        assert_eq!(store.revoke(nobody).await, Ok(false), "{nobody:?}");
    }
}

/// What is answered to each command of a write.
fn results(outcomes: &[Outcome]) -> Vec<Result<bool, Reason>> {
    outcomes.iter().map(Outcome::result).collect()
}

fn add(name: &str, byte: u8) -> Command {
    CredentialCommand::Add(credential(name, byte, Principal::Admin)).into()
}

fn revoke(name: &str) -> Command {
    CredentialCommand::Revoke { name: name.to_owned() }.into()
}

/// The names of all credentials, with the first byte of each hash.
async fn named(world: &World) -> Vec<(String, u8)> {
    let all = world.backend.credentials.list().await.unwrap();
    all.into_iter().map(|credential| (credential.name, credential.hash[0])).collect()
}

/// Each command of a write sees what those before it did, also among commands of users and the policy.
pub async fn a_write_of_credentials_is_done_in_order(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    store.add(credential("a", 1, Principal::Admin)).await.unwrap();
    let write = Write::all([
        revoke("a"),
        add("a", 2),
        add("b", 3),
        add("b", 4),
        revoke("c"),
        revoke("b"),
        add("c", 5),
    ]);
    let answer = store.apply(write).await.unwrap();
    let taken = || Err(Reason::AlreadyExists);
    let wanted = [Ok(true), Ok(true), Ok(true), taken(), Ok(false), Ok(true), Ok(true)];
    assert_eq!(results(&answer.outcomes), wanted);
    assert_eq!(named(world).await, [("a".to_owned(), 2), ("c".to_owned(), 5)]);
    for (byte, name) in [(1, None), (2, Some("a")), (3, None), (4, None), (5, Some("c"))] {
        let found = store.find([byte; 32]).await.unwrap();
        assert_eq!(found.as_ref().map(|found| &*found.name), name, "{byte}");
    }
    // In and out again leaves nothing, and neither does a write that is refused as a whole.
    let answer = store.apply(Write::all([add("d", 6), revoke("d")])).await.unwrap();
    assert_eq!(results(&answer.outcomes), [Ok(true), Ok(true)]);
    let refused = store.apply(Write::all([add("e", 7), add("", 8)])).await.unwrap_err();
    assert_eq!(refused.reason, Reason::MissingField { field: "name" });
    assert_eq!(named(world).await.len(), 2);
    let follow = PairCommand { op: Op::Follow, subject: u(1), object: u(2) };
    let policy = FanoutPolicy { mode: FanoutMode::Push, ..FanoutPolicy::default() };
    let write = Write::all([add("f", 9), follow.into(), Command::FanoutPolicy(policy), revoke("a")]);
    let answer = world.write(write).await;
    assert_eq!(results(&answer.outcomes), vec![Ok(true); 4]);
    assert_eq!(world.view().await.fanout_policy().await.unwrap(), policy);
    assert_eq!(named(world).await, [("c".to_owned(), 5), ("f".to_owned(), 9)]);
    assert!(world.relation(1, 2).await.following_since.is_some());
}

/// A repeated request is answered from the first, for every later state of the credential.
pub async fn a_repeated_request_adds_no_credential(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let under = |commands: &[Command], fingerprint| {
        let request = RequestKey { actor: u(1), id: "once".into(), fingerprint };
        Write::all(commands.to_vec()).under(Some(request))
    };
    let first = world.write(under(&[add("a", 1), add("a", 2)], 7)).await;
    assert_eq!(results(&first.outcomes), [Ok(true), Err(Reason::AlreadyExists)]);
    let store = &world.backend.credentials;
    assert_eq!(store.revoke("a").await, Ok(true));
    let again = world.write(under(&[add("a", 1), add("a", 2)], 7)).await;
    assert_eq!((&again.outcomes, &again.position), (&first.outcomes, &first.position));
    assert_eq!(named(world).await, []);
    assert_eq!(world.try_write(under(&[add("b", 1)], 8)).await, Err(Reason::IdempotencyMismatch));
    assert_eq!(named(world).await, []);
    // Another actor's is another request.
    let request = RequestKey { actor: u(2), id: "once".into(), fingerprint: 7 };
    world.write(Write::of(add("a", 3)).under(Some(request))).await;
    assert_eq!(named(world).await, [("a".to_owned(), 3)]);
}

/// Several credentials may have one token; it is found until the last of them goes.
pub async fn a_token_with_several_names_has_the_first(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    let found = async || store.find([1; 32]).await.unwrap().map(|found| found.name);
    for name in ["m", "b", "z"] {
        store.add(credential(name, 1, Principal::Admin)).await.unwrap();
    }
    for (gone, next) in [("b", Some("m")), ("z", Some("m")), ("m", None)] {
        assert_eq!(store.revoke(gone).await, Ok(true));
        assert_eq!(found().await.as_deref(), next, "after {gone}");
    }
}

/// Commands on a few names.
pub struct RandomCredentials {
    rng: Rng,
}

impl RandomCredentials {
    /// Draws from these numbers.
    pub const fn new(rng: Rng) -> Self {
        Self { rng }
    }

    /// One operation.
    pub fn command(&mut self) -> CredentialCommand {
        let name = (*self.rng.pick(&["a", "b", "c", "\u{1}", ""])).to_owned();
        match self.rng.below(20) {
            0..9 => CredentialCommand::Revoke { name },
            // Names that cannot be refuse the whole write, which is for now and then.
            n if n > 9 && Credential::check_name(&name).is_err() => CredentialCommand::Revoke { name },
            _ => CredentialCommand::Add(credential(&name, self.rng.below(3) as u8, Principal::Admin)),
        }
    }
}

/// Random writes to the backend and to the model: every answer is equal, and so is the stored state.
pub async fn random_credentials(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let (store, model) = (&world.backend.credentials, model(world));
    let mut play = RandomCredentials::new(Rng::new(11));
    let mut asked: Vec<Write> = Vec::new();
    for step in 0..60 {
        let commands: Vec<CredentialCommand> = (0..=play.rng.below(4)).map(|_| play.command()).collect();
        let mut write = Write::all(commands);
        match play.rng.below(4) {
            0 => {
                let (id, fingerprint) = (format!("r{}", play.rng.below(20)), play.rng.bits());
                write = write.under(Some(RequestKey { actor: u(1), id: id.into(), fingerprint }));
                asked.push(write.clone());
            }
            1 if !asked.is_empty() => write = play.rng.pick(&asked).clone(),
            _ => {}
        }
        let context = format!("step {step}: {write:?}");
        let ours = world.try_write(write.clone()).await;
        let theirs = model.apply(write).await.map_err(|error| error.reason);
        same_answer(world, &ours, &theirs, &context);
        assert_eq!(store.list().await, model.list().await, "{context}");
        for byte in 0..3 {
            assert_eq!(store.find([byte; 32]).await, model.find([byte; 32]).await, "{context}");
        }
    }
}

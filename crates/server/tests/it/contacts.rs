//! Phone numbers and mail addresses through the API.

use std::sync::Arc;

use guanxi_api::{Budgets, RateLimits};
use guanxi_model::event::UserChange;
use guanxi_model::limits::CONTACT_RESERVATION_MS;
use guanxi_model::user::{Contact, ContactClaim, ContactCommand, ContactKind, UserCommand};
use guanxi_model::{Change, Clock as _, LogId, ManualClock, Scope, Uid, Write};
use guanxi_ports::{Facts as _, Log as _, Store as _};
use guanxi_proto::Wire;
use guanxi_remote::Remote;
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post, post_as};

const PASSWORD: &str = "correct horse battery";

/// A server, and a service's token for it.
struct World {
    server: Server,
    service: String,
}

impl World {
    async fn start() -> Self {
        Self::with(Setup { auth: true, ..Setup::default() }).await
    }

    async fn with(setup: Setup) -> Self {
        let server = Server::start(setup).await;
        let service = server.service(&[Scope::UserWrite, Scope::UserRead]).await;
        Self { server, service }
    }

    async fn call(&self, method: &str, request: Value) -> Answer {
        self.call_as(&self.service, method, request).await
    }

    async fn call_as(&self, token: &str, method: &str, request: Value) -> Answer {
        let path = format!("/guanxi.v1.UserService/{method}");
        post_as(self.server.main, token, &path, &request.to_string()).await
    }

    async fn register(&self, name: &str) -> String {
        let answer = self.call("Register", json!({ "loginName": name, "password": PASSWORD })).await;
        answer.json()["uid"].as_str().unwrap().to_owned()
    }

    /// Whether a bind or unbind changed anything, or why it was refused.
    async fn write(&self, method: &str, request: Value) -> Result<bool, String> {
        let answer = self.call(method, request).await;
        if answer.status == 200 { Ok(answer.json()["changed"] == json!(true)) } else { Err(answer.reason()) }
    }

    async fn bind_phone(&self, uid: &str, phone: &str) -> Result<bool, String> {
        self.write("BindPhone", json!({ "uid": uid, "phone": phone })).await
    }

    async fn login(&self, field: &str, text: &str) -> Answer {
        let request = json!({ (field): text, "password": PASSWORD });
        post(self.server.main, "UserService/Login", &request.to_string()).await
    }

    /// Returns the found user, or why none is found.
    async fn lookup(&self, field: &str, text: &str) -> String {
        let answer = self.call("LookupUser", json!({ (field): text })).await;
        match answer.json()["user"]["uid"].as_str() {
            Some(uid) => uid.to_owned(),
            None => answer.reason(),
        }
    }

    /// One step of a bind, by a process that dies after it.
    async fn step(&self, command: ContactCommand) -> bool {
        let answer = self.server.store.apply(Write::of(UserCommand::from(command))).await.unwrap();
        answer.user().unwrap().result.unwrap()
    }

    async fn claim(&self, contact: &Contact) -> Option<ContactClaim> {
        self.server.store.view(None).await.unwrap().claim_of(contact).await.unwrap()
    }
}

fn phone(text: &str) -> Contact {
    Contact::stored(ContactKind::Phone, text.to_owned())
}

fn uid(text: &str) -> Uid {
    Uid::new(text.parse().unwrap()).unwrap()
}

#[tokio::test]
async fn a_bound_contact_lets_its_user_in_and_leads_services_to_it() {
    let world = World::start().await;
    let alice = world.register("alice").await;
    assert_eq!(world.bind_phone(&alice, "+14155550100").await, Ok(true));
    assert_eq!(world.bind_phone(&alice, "+14155550100").await, Ok(false));
    let email = json!({ "uid": alice, "email": "Alice@Example.ORG" });
    assert_eq!(world.write("BindEmail", email).await, Ok(true));
    for (field, text) in [("loginName", "alice"), ("phone", "+14155550100"), ("email", "ALICE@example.org")] {
        let session = world.login(field, text).await;
        assert_eq!(session.json()["uid"], json!(alice), "{}", session.text());
        assert_eq!(world.lookup(field, text).await, alice);
    }
    // The user itself and services are told; no other caller is.
    let session = world.login("phone", "+14155550100").await.json();
    let own = session["accessToken"].as_str().unwrap();
    let other = world.server.user(9).await;
    for (token, is_told) in [(own, true), (&world.service, true), (&other, false)] {
        let user = world.call_as(token, "GetUser", json!({ "uid": alice })).await.json()["user"].clone();
        let told = [&user["phone"], &user["email"]];
        assert_eq!(told == [&json!("+14155550100"), &json!("alice@example.org")], is_told, "{user}");
        assert_eq!(told == [&Value::Null, &Value::Null], !is_told, "{user}");
    }
    for kind in ["Phone", "Email"] {
        let unbind = || {
            world.write(if kind == "Phone" { "UnbindPhone" } else { "UnbindEmail" }, json!({ "uid": alice }))
        };
        assert_eq!((unbind().await, unbind().await), (Ok(true), Ok(false)));
    }
    for (field, text) in [("phone", "+14155550100"), ("email", "alice@example.org")] {
        assert_eq!(world.login(field, text).await.reason(), "LOGIN_FAILED");
        assert_eq!(world.lookup(field, text).await, "USER_NOT_FOUND");
    }
    assert_eq!(world.claim(&phone("+14155550100")).await, None, "nothing is left of it");
}

#[tokio::test]
async fn what_end_users_may_not_do_with_contacts() {
    let world = World::start().await;
    let alice = world.register("alice").await;
    world.bind_phone(&alice, "+14155550100").await.unwrap();
    let session = world.login("phone", "+14155550100").await.json();
    let own = session["accessToken"].as_str().unwrap();
    // No end user learns whose a phone number is, nor whether a user has it, not even the user that has it.
    for request in [
        json!({ "phone": "+14155550100" }),
        json!({ "phone": "+14155550199" }),
        json!({ "email": "nobody@example.org" }),
    ] {
        let refused = world.call_as(own, "LookupUser", request.clone()).await;
        assert_eq!(refused.reason(), "PERMISSION_DENIED", "{request}");
    }
    for (method, request) in [
        ("BindPhone", json!({ "uid": alice, "phone": "+14155550101" })),
        ("BindEmail", json!({ "uid": alice, "email": "a@example.org" })),
        ("UnbindPhone", json!({ "uid": alice })),
        ("UnbindEmail", json!({ "uid": alice })),
    ] {
        let refused = world.call_as(own, method, request).await;
        assert_eq!(refused.reason(), "PERMISSION_DENIED", "a service says that it has verified it: {method}");
    }
}

#[tokio::test]
async fn exactly_one_name_is_given() {
    let world = World::start().await;
    for names in [
        json!({}),
        json!({ "loginName": "alice", "phone": "+14155550100" }),
        json!({ "phone": "+14155550100", "email": "a@example.org" }),
        json!({ "loginName": "alice", "phone": "+14155550100", "email": "a@example.org" }),
    ] {
        assert_eq!(world.call("LookupUser", names.clone()).await.reason(), "ONE_NAME_NEEDED", "{names}");
        let mut login = names.clone();
        login["password"] = json!(PASSWORD);
        let before = world.server.passwords.work();
        let answer = post(world.server.main, "UserService/Login", &login.to_string()).await;
        assert_eq!(answer.reason(), "ONE_NAME_NEEDED", "{names}");
        assert_eq!(world.server.passwords.work(), before, "nothing is hashed for it");
    }
    for (method, request, reason) in [
        ("LookupUser", json!({ "phone": "4155550100" }), "INVALID_FIELD"),
        ("LookupUser", json!({ "email": "nobody" }), "INVALID_FIELD"),
        ("BindPhone", json!({ "phone": "+14155550100" }), "MISSING_FIELD"),
        ("BindPhone", json!({ "uid": "7" }), "MISSING_FIELD"),
        ("BindPhone", json!({ "uid": "7", "phone": "004155550100" }), "INVALID_FIELD"),
        ("BindPhone", json!({ "uid": "7", "phone": "+49030123456" }), "INVALID_FIELD"),
        ("BindPhone", json!({ "uid": "7", "phone": "+123456789012345678" }), "TOO_LONG"),
        ("BindEmail", json!({ "uid": "7", "email": "x,victim@example.org" }), "INVALID_FIELD"),
        ("BindEmail", json!({ "uid": "7", "email": "mailto:z@example.org" }), "INVALID_FIELD"),
        ("BindEmail", json!({ "uid": "7", "email": "a b@c" }), "INVALID_FIELD"),
        ("BindEmail", json!({ "uid": "7", "email": format!("a@{}", "b".repeat(300)) }), "TOO_LONG"),
        ("UnbindPhone", json!({}), "MISSING_FIELD"),
    ] {
        let answer = world.call(method, request.clone()).await;
        assert_eq!(answer.reason(), reason, "{method} {request}");
        let given = request["phone"].as_str().or(request["email"].as_str()).unwrap_or("none is given");
        assert!(!answer.text().contains(given), "what was given is repeated: {}", answer.text());
    }
}

#[tokio::test]
async fn a_contact_is_one_users_until_it_goes() {
    let world = World::start().await;
    // Neither has an account.
    assert_eq!(world.bind_phone("7", "+14155550100").await, Ok(true));
    assert_eq!(world.bind_phone("8", "+14155550100").await, Err("CONTACT_TAKEN".into()));
    assert_eq!(world.lookup("phone", "+14155550100").await, "7");
    // Another one in its place.
    assert_eq!(world.bind_phone("7", "+14155550101").await, Ok(true));
    assert_eq!(world.lookup("phone", "+14155550100").await, "USER_NOT_FOUND");
    assert_eq!(world.claim(&phone("+14155550100")).await, None);
    assert_eq!(world.bind_phone("8", "+14155550100").await, Ok(true));
    // The former owner is not found by it any more: a hint of before is not believed.
    assert_eq!(world.lookup("phone", "+14155550100").await, "8");
    assert_eq!(world.lookup("phone", "+14155550101").await, "7");
    assert_eq!(world.write("UnbindPhone", json!({ "uid": "8" })).await, Ok(true));
    assert_eq!(world.lookup("phone", "+14155550100").await, "USER_NOT_FOUND");
    assert_eq!(world.bind_phone("7", "+14155550100").await, Ok(true));
    assert_eq!(world.bind_phone("8", "+14155550101").await, Ok(true));
    for _ in 0..2 {
        assert_eq!(world.lookup("phone", "+14155550100").await, "7");
        assert_eq!(world.lookup("phone", "+14155550101").await, "8");
    }
}

#[tokio::test]
async fn what_a_process_left_of_a_contact_heals() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let world = World::with(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let (alice, bob) = (world.register("alice").await, world.register("bob").await);
    let text = "+14155550100";
    let reserve = async || {
        assert!(world.step(ContactCommand::Reserve { contact: phone(text), uid: uid(&alice) }).await);
        world.claim(&phone(text)).await.unwrap().version
    };
    // Reserved: no user has it, and it is kept for its user for a while.
    reserve().await;
    assert_eq!(world.login("phone", text).await.reason(), "LOGIN_FAILED");
    assert_eq!(world.lookup("phone", text).await, "USER_NOT_FOUND");
    assert_eq!(world.bind_phone(&bob, text).await, Err("CONTACT_TAKEN".into()));
    clock.set(clock.now_ms() + CONTACT_RESERVATION_MS);
    assert_eq!(world.bind_phone(&bob, text).await, Ok(true));
    assert_eq!(world.write("UnbindPhone", json!({ "uid": bob })).await, Ok(true));
    // Bound and not confirmed: a login by it confirms it.
    let reserved = reserve().await;
    let bind =
        ContactCommand::Bind { uid: uid(&alice), contact: phone(text), expected_revision: 1, reserved };
    assert!(world.step(bind).await);
    clock.set(clock.now_ms() + CONTACT_RESERVATION_MS);
    assert_eq!(world.bind_phone(&bob, text).await, Err("CONTACT_TAKEN".into()));
    assert_eq!(world.login("phone", text).await.status, 200);
    assert!(world.claim(&phone(text)).await.unwrap().confirmed);
    // Unbound and not released: a bind releases it first, and so does a lookup.
    for heal in ["bind", "lookup"] {
        assert!(world.step(ContactCommand::Unbind { uid: uid(&alice), contact: phone(text) }).await);
        assert_eq!(world.login("loginName", "alice").await.status, 200);
        if heal == "bind" {
            assert_eq!(world.bind_phone(&bob, text).await, Ok(true));
            assert_eq!(world.lookup("phone", text).await, bob);
            assert_eq!(world.write("UnbindPhone", json!({ "uid": bob })).await, Ok(true));
            assert_eq!(world.bind_phone(&alice, text).await, Ok(true));
        } else {
            assert_eq!(world.lookup("phone", text).await, "USER_NOT_FOUND");
            assert_eq!(world.claim(&phone(text)).await, None);
        }
    }
    // Bound, not confirmed, and unbound.
    let reserved = reserve().await;
    let revision = world.call("GetUser", json!({ "uid": alice })).await.json()["user"]["revision"].clone();
    let expected_revision = revision.as_u64().unwrap() as u32;
    world
        .step(ContactCommand::Bind { uid: uid(&alice), contact: phone(text), expected_revision, reserved })
        .await;
    assert_eq!(world.write("UnbindPhone", json!({ "uid": alice })).await, Ok(true));
    assert_eq!(world.bind_phone(&bob, text).await, Ok(true), "at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_those_who_bind_one_contact_at_once_one_has_it() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let setup = Setup { auth: true, clock: clock.clone(), ..Setup::default() };
    let world = Arc::new(World::with(setup).await);
    for round in 0..10 {
        let text = format!("+1415555{round:04}");
        let race = |uid: u64| {
            let (world, text) = (world.clone(), text.clone());
            tokio::spawn(async move { (uid.to_string(), world.bind_phone(&uid.to_string(), &text).await) })
        };
        let racing: Vec<_> = (1..=6).map(race).collect();
        let mut winners = Vec::new();
        for answer in racing {
            match answer.await.unwrap() {
                (uid, Ok(true)) => winners.push(uid),
                (_, refused) => assert_eq!(refused, Err("CONTACT_TAKEN".into())),
            }
        }
        assert_eq!(winners, [world.lookup("phone", &text).await], "round {round}");
    }
    // One user who binds and unbinds several at once has one of them in the end, and the others are free.
    let race = |n: u64| {
        let world = world.clone();
        tokio::spawn(async move {
            match n % 4 {
                3 => world.write("UnbindPhone", json!({ "uid": "99" })).await,
                _ => world.bind_phone("99", &format!("+1650555000{}", n % 4)).await,
            }
        })
    };
    let racing: Vec<_> = (0..24).map(race).collect();
    for answer in racing {
        let answer = answer.await.unwrap();
        assert!(answer.is_ok() || answer == Err("REVISION_MISMATCH".into()), "{answer:?}");
    }
    clock.set(clock.now_ms() + CONTACT_RESERVATION_MS);
    let mut had = 0;
    for n in 0..3 {
        let text = format!("+1650555000{n}");
        match world.lookup("phone", &text).await.as_str() {
            "99" => had += 1,
            other => {
                assert_eq!(other, "USER_NOT_FOUND");
                assert_eq!(world.bind_phone(&(50 + n).to_string(), &text).await, Ok(true), "{text}");
            }
        }
    }
    assert!(had <= 1);
}

#[tokio::test]
async fn attempts_are_counted_by_what_is_given() {
    let limits = RateLimits { logins_per_minute: 3, keys_max: 100, ..RateLimits::NONE };
    let rates = Arc::new(Budgets::new(limits));
    let world = World::with(Setup { auth: true, rates, ..Setup::default() }).await;
    for spelling in ["a@example.org", "A@example.org", "a@EXAMPLE.ORG"] {
        assert_eq!(world.login("email", spelling).await.reason(), "LOGIN_FAILED");
    }
    let before = world.server.passwords.work();
    assert_eq!(world.login("email", "a@example.org").await.reason(), "RATE_LIMITED");
    assert_eq!(world.server.passwords.work(), before, "nothing is hashed for it");
    assert_eq!(world.login("phone", "+14155550100").await.reason(), "LOGIN_FAILED", "another budget");
    assert_eq!(
        world.login("loginName", "a@example.org").await.reason(),
        "LOGIN_FAILED",
        "a name like it, too"
    );
}

#[tokio::test]
async fn watch_tells_that_a_contact_changed_and_not_which_it_is() {
    let server = Server::open().await;
    let (main, admin) = server.clients(Wire::Http1);
    let remote = Remote::connect(main, admin).await.unwrap();
    let before = remote.head().await.unwrap();
    for (method, request) in [
        ("BindPhone", json!({ "uid": "7", "phone": "+14155550100" })),
        ("BindEmail", json!({ "uid": "7", "email": "a@example.org" })),
        ("UnbindPhone", json!({ "uid": "7" })),
    ] {
        let answer = post(server.main, &format!("UserService/{method}"), &request.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let events = remote.read(LogId(0), &before, 100).await.unwrap().events;
    assert!(events.iter().all(|event| event.subject == uid("7")));
    let changes: Vec<Change> = events.iter().map(|event| event.change).collect();
    let told = [UserChange::PhoneSet, UserChange::EmailSet, UserChange::PhoneSet];
    assert_eq!(changes, told.map(Change::User), "one for each, and none of the steps between");
    let named = format!("{events:?}");
    assert!(!named.contains("415") && !named.contains("example"), "{named}");
}

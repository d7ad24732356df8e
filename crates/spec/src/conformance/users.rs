//! Accounts, profiles and passwords.

use super::model_check::{model, same_answer, same_logs};
use super::users_world::{
    RandomUsers, account, hash, hidden_from_lookup, name, names_and_deleted, nicknamed, portraits, uid_for,
};
use super::{Need, Rng, World, draft, follow, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::NICKNAME_LEN_MAX;
use guanxi_model::user::{
    ContactClaim, ContactCommand, Privacy, Profile, ProfilePatch, Registration, UserCommand, UserStatus,
};
use guanxi_model::{Change, Command, LoginName, Op, PairCommand, Reason, Uid, User, Write};
use guanxi_ports::{Facts as _, Store as _};
use std::collections::BTreeSet;

/// An account has a name, which leads to it, and a uid of the name's gene.
pub async fn an_account_is_found_by_its_name(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let shown = LoginName::new("alice".into(), "Alice".into());
    let registered = Registration { login_name: shown, ..account("alice", 1) };
    let uid = world.register(registered.clone()).await;
    assert_eq!(uid, registered.uid);
    let view = world.view().await;
    let user = User {
        login_name: Some(name("alice")),
        registered_ms: Some(world.now_ms()),
        profile: nicknamed("alice"),
        revision: 1,
        ..User::unknown(uid)
    };
    let found = view.users(&[u(5), uid]).await.unwrap();
    let shown = found[1].as_ref().and_then(|user| user.login_name.as_ref()).map(LoginName::shown);
    assert_eq!(shown, Some("Alice"), "beside the name that is compared");
    assert_eq!(found, [None, Some(user)]);
    assert_eq!(view.uid_of(&name("alice")).await.unwrap(), Some(uid));
    assert_eq!(view.uid_of(&name("alic")).await.unwrap(), None);
    assert_eq!(view.password(uid).await.unwrap(), Some(hash("first")));
    assert_eq!(view.password(u(5)).await.unwrap(), None);
    let foreign = Registration { uid: u(uid.get() ^ 1), ..account("bob", 1) };
    if foreign.uid.gene() != foreign.login_name.gene() {
        let refused = world.user(UserCommand::Register(foreign)).await;
        assert_eq!(refused.result, Err(Reason::InvalidField { field: "uid" }));
    }
}

/// A name is one user's, and a uid that is used gets no account.
pub async fn names_and_uids_are_given_once(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let refused = async |registration| world.user(UserCommand::Register(registration)).await.result;
    assert_eq!(refused(account("alice", 2)).await, Err(Reason::LoginNameTaken));
    assert_eq!(refused(account("alice", 1)).await, Err(Reason::LoginNameTaken));
    // Names that share a gene share uids.
    let same = (0..9_999).map(|n| name(&format!("n{n}"))).find(|other| other.gene() == uid.gene()).unwrap();
    let other = |uid: Uid| Registration {
        uid,
        login_name: same.clone(),
        password: None,
        profile: Profile::default(),
    };
    assert_eq!(refused(other(uid)).await, Err(Reason::UidInUse));
    let [followed, following, profiled, free] = [2, 3, 4, 5].map(|salt| uid_for(&same, salt));
    world.change(&[PairCommand { op: Op::Follow, subject: following, object: followed }]).await;
    world.settle([followed.get()]).await;
    let patch = ProfilePatch { bio: Some("a foreign user".into()), ..ProfilePatch::default() };
    world.user(UserCommand::Update { uid: profiled, patch, expected_revision: None }).await;
    for uid in [followed, following, profiled] {
        assert_eq!(refused(other(uid)).await, Err(Reason::UidInUse), "{uid}");
    }
    if !world.lacks_posts() {
        let author = uid_for(&same, 6);
        let post = world.post(draft(author.get(), "before there was an account")).await;
        assert_eq!(refused(other(author)).await, Err(Reason::UidInUse));
        assert_eq!(world.delete(author.get(), post).await, Ok(true));
        assert_eq!(refused(other(author)).await, Err(Reason::UidInUse), "what was deleted can come back");
    }
    assert_eq!(world.register(other(free)).await, free);
    assert_eq!(world.view().await.password(free).await.unwrap(), None, "an account needs no password");
}

/// A profile needs no account; each change is a revision.
pub async fn profiles_need_no_account(world: &World) {
    let uid = u(7);
    let update = async |patch, expected_revision| {
        let outcome = world.user(UserCommand::Update { uid, patch, expected_revision }).await;
        (outcome.result, outcome.revision)
    };
    let nickname = |text: &str| ProfilePatch { nickname: Some(text.into()), ..ProfilePatch::default() };
    assert_eq!(update(ProfilePatch::default(), None).await, (Ok(false), 0), "nothing is kept of nothing");
    assert_eq!(world.view().await.users(&[uid]).await.unwrap(), [None]);
    assert_eq!(update(nickname("七"), Some(0)).await, (Ok(true), 1));
    assert_eq!(update(nickname("七"), None).await, (Ok(false), 1));
    assert_eq!(update(nickname("八"), Some(0)).await, (Err(Reason::RevisionMismatch { revision: 1 }), 1));
    let year = ProfilePatch { birth_year: Some(Some(1_990)), ..ProfilePatch::default() };
    assert_eq!(update(year, Some(1)).await, (Ok(true), 2));
    let long = nickname(&"x".repeat(NICKNAME_LEN_MAX as usize + 1));
    let too_long = Err(Reason::TooLong { field: "nickname", limit: NICKNAME_LEN_MAX });
    assert_eq!(update(long, None).await, (too_long, 2));
    let hidden = world.user(UserCommand::SetPrivacy { uid, patch: hidden_from_lookup() }).await;
    assert_eq!((hidden.result, hidden.revision), (Ok(true), 3));
    let again = world.user(UserCommand::SetPrivacy { uid, patch: hidden_from_lookup() }).await;
    assert_eq!((again.result, again.revision), (Ok(false), 3));
    let user = User {
        profile: Profile { birth_year: Some(1_990), ..nicknamed("七") },
        privacy: Privacy { discoverable: false, ..Privacy::default() },
        revision: 3,
        ..User::unknown(uid)
    };
    assert_eq!(world.view().await.users(&[uid, uid]).await.unwrap(), [Some(user.clone()), Some(user)]);
}

/// A password is replaced only if it is still what was verified.
pub async fn passwords_of_accounts(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let set = async |uid, password, replaces: Option<&str>| {
        let (password, replaces) = (hash(password), replaces.map(hash));
        world.user(UserCommand::SetPassword { uid, password, replaces }).await.result
    };
    assert_eq!(set(uid, "second", Some("other")).await, Ok(false));
    assert_eq!(set(uid, "second", Some("first")).await, Ok(true));
    assert_eq!(set(uid, "third", Some("first")).await, Ok(false));
    assert_eq!(set(uid, "second", None).await, Ok(false));
    assert_eq!(set(uid, "third", None).await, Ok(true));
    assert_eq!(world.view().await.password(uid).await.unwrap(), Some(hash("third")));
    assert_eq!(set(u(7), "none", None).await, Err(Reason::UserNotFound));
}

/// Each change of a user is an event of the user.
pub async fn what_happens_to_users_is_logged(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let before = world.last();
    let uid = world.register(account("alice", 1)).await;
    let patch = ProfilePatch { bio: Some("words".into()), ..ProfilePatch::default() };
    for command in [
        UserCommand::Update { uid, patch: patch.clone(), expected_revision: None },
        UserCommand::Update { uid, patch, expected_revision: None },
        UserCommand::SetPrivacy { uid, patch: hidden_from_lookup() },
        UserCommand::SetPassword { uid, password: hash("3"), replaces: None },
        UserCommand::SetStatus { uid, status: UserStatus::Active },
        UserCommand::SetStatus { uid, status: UserStatus::Deactivated },
        UserCommand::SetStatus { uid, status: UserStatus::Active },
    ] {
        world.user(command).await;
    }
    let events = world.events_since(&before).await;
    assert!(events.iter().all(|event| event.subject == uid));
    let changes: Vec<Change> = events.into_iter().map(|event| event.change).collect();
    let told = [
        UserChange::Registered,
        UserChange::ProfileUpdated,
        UserChange::PrivacySet,
        UserChange::PasswordSet,
        UserChange::Deactivated,
        UserChange::Reactivated,
    ];
    assert_eq!(changes, told.map(Change::User));
}

/// If users register one name at once, one gets it; a repeat under the same request id gets the same account.
pub async fn racing_registrations_have_one_winner(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let register = |salt| {
        let facts = world.backend.store.clone();
        let write = Write::of(UserCommand::Register(account("alice", salt)));
        tokio::spawn(async move { facts.apply(write).await.unwrap() })
    };
    let racing: Vec<_> = (0..16).map(register).collect();
    let mut winners = BTreeSet::new();
    for answer in racing {
        let answer = answer.await.unwrap();
        world.saw(&answer.position);
        let outcome = answer.user().unwrap();
        match outcome.result {
            Ok(true) => drop(winners.insert(outcome.uid)),
            result => assert_eq!(result, Err(Reason::LoginNameTaken)),
        }
    }
    let winner = world.view().await.uid_of(&name("alice")).await.unwrap();
    assert_eq!(winners.into_iter().collect::<Vec<_>>(), Vec::from_iter(winner));
}

/// Accounts are of one commit with what else is written in it, and remembered under its request id.
pub async fn a_registration_is_part_of_its_write(world: &World) {
    if world.lacks(Need::Accounts) || world.lacks(Need::MixedBatches) {
        return;
    }
    let registration = account("alice", 1);
    let uid = registration.uid;
    let commands = [
        Command::from(UserCommand::Register(registration)),
        follow(uid.get(), 2).into(),
        UserCommand::SetPrivacy { uid, patch: hidden_from_lookup() }.into(),
        UserCommand::Register(account("alice", 2)).into(),
    ];
    let request = guanxi_model::RequestKey { actor: uid, id: "once".into(), fingerprint: 7 };
    let write = Write::all(commands).under(Some(request));
    let first = world.write(write.clone()).await;
    let results: Vec<_> = first.outcomes.iter().map(guanxi_model::Outcome::result).collect();
    assert_eq!(results, [Ok(true), Ok(true), Ok(true), Err(Reason::LoginNameTaken)]);
    assert_eq!(world.write(write).await, first);
    assert_eq!(world.counts(uid.get()).await.following, 1);
}

/// Random writes of users to the backend and to the model: every answer is equal.
pub async fn random_users(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let model = model(world);
    for seed in 1..=3 {
        let mut play = RandomUsers::new(Rng::new(seed), None);
        for step in 0..150 {
            let write = Write::of(play.command(world.now_ms()));
            let context = format!("seed {seed}, step {step}: {write:?}");
            let (ours, theirs) = (world.try_write(write.clone()).await, model.apply(write).await);
            same_answer(world, &ours, &theirs.map_err(|error| error.reason), &context);
            let everybody = RandomUsers::everybody(None);
            let (view, other) = (world.view().await, model.view(Some(&world.last())).await.unwrap());
            let (ours, theirs) =
                (portraits(&*view, &everybody, true).await, portraits(&*other, &everybody, true).await);
            assert_eq!(ours, theirs, "{context}");
            let (ours, theirs) = (names_and_deleted(&*view).await, names_and_deleted(&*other).await);
            assert_eq!(ours, theirs, "{context}");
            world.clock().set(world.now_ms() + play.pause());
        }
    }
    // An unbind releases last, which single steps may leave out.
    let view = world.view().await;
    for contact in RandomUsers::contacts() {
        let Some(ContactClaim { uid, version, .. }) = view.claim_of(&contact).await.unwrap() else {
            continue;
        };
        let user = view.users(&[uid]).await.unwrap().remove(0);
        if !user.is_some_and(|user| user.contacts.has(&contact)) {
            let write = Write::of(UserCommand::from(ContactCommand::Release { contact, uid, version }));
            world.write(write.clone()).await;
            model.apply(write).await.unwrap();
        }
    }
    same_logs(world, &model, 0).await;
}

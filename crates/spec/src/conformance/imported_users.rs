//! Users from elsewhere, each kept whole in one step.

use super::external_ids_world::{assign, external, uid_of_gene};
use super::users_world::{account, email, hash, name, nicknamed, phone, uid_for};
use super::{Need, World, follow, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::{CONTACT_BIND_MS, FACT_AHEAD_MAX_MS};
use guanxi_model::user::{ContactCommand, Contacts, ImportUser, Privacy, Standing, UserCommand, UserStatus};
use guanxi_model::{Change, LoginName, Reason, Stamp, Uid, User};
use guanxi_ports::Walk;

/// An account of a name with everything that a list says of one.
fn whole(given: &str) -> ImportUser {
    let login_name = name(given);
    ImportUser {
        password: Some(hash("first")),
        profile: nicknamed(given),
        registered_ms: Some(5_000),
        privacy: Privacy { locked: true, hides_followers: true, ..Privacy::default() },
        is_deactivated: true,
        contacts: Contacts { phone: Some(phone(1)), email: Some(email(1)) },
        ..ImportUser { login_name: Some(login_name.clone()), ..ImportUser::unknown(uid_for(&login_name, 1)) }
    }
}

/// Imports a user, as if its contacts had been reserved just now.
async fn import(world: &World, user: ImportUser) -> Result<bool, Reason> {
    let reserved = [Some(Stamp::from_ms(world.now_ms())); 2];
    world.user(UserCommand::Import { user: Box::new(user), reserved }).await.result
}

/// Reserves the contacts of a user, imports it, and confirms them.
async fn import_reserved(world: &World, user: ImportUser) -> Result<bool, Reason> {
    let (uid, mut reserved) = (user.uid, [None; 2]);
    let Contacts { phone, email } = user.contacts.clone();
    let contacts = [phone, email];
    for (contact, version) in contacts.iter().zip(&mut reserved) {
        let Some(contact) = contact.clone() else { continue };
        let step = ContactCommand::Reserve { contact: contact.clone(), uid };
        assert_eq!(world.user(UserCommand::from(step)).await.result, Ok(true));
        *version = world.view().await.claim_of(&contact).await.unwrap().map(|claim| claim.version);
    }
    let result = world.user(UserCommand::Import { user: Box::new(user), reserved }).await.result;
    for (contact, version) in contacts.into_iter().zip(reserved) {
        let Some((contact, version)) = contact.zip(version) else { continue };
        world.user(UserCommand::from(ContactCommand::Confirm { contact, uid, version })).await;
    }
    result
}

/// Everything that is known of a user stands after one step, is logged as what sets each part, and is not changed by a repeat.
pub async fn an_imported_user_is_kept_whole(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let (alice, id) = (whole("alice"), external("bob's id"));
    let bob = uid_of_gene(id.gene(), 9);
    let profile =
        ImportUser { profile: nicknamed("bob"), external_id: Some(id.clone()), ..ImportUser::unknown(bob) };
    let before = world.last();
    assert_eq!(import_reserved(world, alice.clone()).await, Ok(true));
    let events = world.events_since(&before).await;
    let events = events.into_iter().filter(|event| event.subject == alice.uid);
    let changes: Vec<Change> = events.map(|event| event.change).collect();
    let told = [
        UserChange::Registered,
        UserChange::PrivacySet,
        UserChange::PhoneSet,
        UserChange::EmailSet,
        UserChange::Deactivated,
    ];
    assert_eq!(changes, told.map(Change::User));
    assert_eq!(import(world, profile.clone()).await, Ok(true));
    assert_eq!(import(world, ImportUser::unknown(u(7))).await, Ok(false), "nothing is known of it");
    let kept = [
        User {
            login_name: alice.login_name.clone(),
            registered_ms: alice.registered_ms,
            profile: alice.profile.clone(),
            privacy: alice.privacy,
            status: UserStatus::Deactivated,
            revision: 5,
            contacts: alice.contacts.clone(),
            ..User::unknown(alice.uid)
        },
        User { profile: profile.profile.clone(), revision: 1, ..User::unknown(bob) },
    ];
    let check = async || {
        let view = world.view().await;
        let uids = [alice.uid, bob];
        assert_eq!(view.users(&uids).await.unwrap(), kept.clone().map(Some));
        let standing =
            Standing { status: UserStatus::Deactivated, privacy: alice.privacy, taken_down: false };
        assert_eq!(view.standings(&uids).await.unwrap(), [standing, Standing::default()]);
        assert_eq!(view.password(alice.uid).await.unwrap(), Some(hash("first")));
        assert_eq!(view.uid_of(&name("alice")).await.unwrap(), Some(alice.uid));
        assert_eq!(view.external_ids(&uids).await.unwrap(), [None, Some(id.clone())]);
        let mut all = kept.to_vec();
        all.sort_by_key(|user| user.uid);
        assert_eq!(view.all_users(Walk::new(None, 9)).await.unwrap(), all);
        assert_eq!(view.all_users(Walk::new(None, 1)).await.unwrap(), all[..1]);
        assert_eq!(view.all_users(Walk::new(Some(all[0].uid), 9)).await.unwrap(), all[1..]);
    };
    check().await;
    assert_eq!(import(world, alice.clone()).await, Err(Reason::LoginNameTaken));
    assert_eq!(import(world, ImportUser { is_deactivated: true, ..profile.clone() }).await, Ok(false));
    check().await;
}

/// Every refusal of an imported user refuses all of it.
pub async fn what_refuses_an_imported_user_keeps_nothing_of_it(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let id = external("elsewhere");
    let known = world.user(assign(&id, 1)).await.uid;
    world.register(account("carol", 1)).await;
    let used = uid_for(&name("dave"), 2);
    world.change(&[follow(used.get(), 3)]).await;
    world.settle([3]).await;
    let (now, alice) = (world.now_ms(), || whole("alice"));
    let other = uid_of_gene(id.gene(), 5);
    let nameless =
        |uid: Uid| ImportUser { login_name: None, password: None, ..ImportUser { uid, ..alice() } };
    let of_name = |login_name: LoginName, uid| ImportUser { login_name: Some(login_name), uid, ..alice() };
    for (user, reason) in [
        (of_name(name("carol"), uid_for(&name("carol"), 7)), Reason::LoginNameTaken),
        (of_name(name("dave"), used), Reason::UidInUse),
        (ImportUser { registered_ms: Some(now + FACT_AHEAD_MAX_MS + 1), ..alice() }, Reason::TimeOutOfRange),
        (
            ImportUser { external_id: Some(external("x")), ..alice() },
            Reason::InvalidField { field: "external_id" },
        ),
        (
            ImportUser { external_id: Some(id.clone()), ..nameless(other) },
            Reason::InvalidField { field: "external_id" },
        ),
        (
            ImportUser {
                external_id: Some(external("y")),
                ..nameless(Uid::new(external("y").gene().0.wrapping_add(1).into()).unwrap_or(u(256)))
            },
            Reason::InvalidField { field: "uid" },
        ),
    ] {
        let uid = user.uid;
        assert_eq!(import(world, user.clone()).await, Err(reason), "{user:?}");
        let view = world.view().await;
        let known = view.users(&[uid]).await.unwrap().remove(0);
        assert!(
            known.is_none() && view.standings(&[uid]).await.unwrap() == [Standing::default()],
            "{known:?}"
        );
    }
    let late = Stamp::from_ms(now - CONTACT_BIND_MS);
    for reserved in [[None, None], [Some(Stamp::from_ms(now)), Some(late)]] {
        let refused = world.user(UserCommand::Import { user: Box::new(alice()), reserved }).await;
        assert_eq!((refused.result, refused.revision), (Err(Reason::DeadlineExceeded), 0));
    }
    let mine = ImportUser { external_id: Some(id), contacts: Contacts::default(), ..nameless(known) };
    assert_eq!(import(world, mine).await, Ok(true), "the id leads to it already");
    assert_eq!(import_reserved(world, alice()).await, Ok(true));
}

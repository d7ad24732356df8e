//! Phone numbers and mail addresses: the steps of binding them, and what a process leaves that dies between two.

use super::users_world::{email, phone};
use super::{Need, World, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::{CONTACT_BIND_MS, CONTACT_RESERVATION_MS};
use guanxi_model::user::{Contact, ContactClaim, ContactCommand, Contacts, MetClaim, UserCommand};
use guanxi_model::{Change, Clock as _, ManualClock, Reason, Stamp, Uid, User, Write};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, Facts as _, Store};
use std::sync::Arc;

/// The steps, as a center does them, but for what it says of the answers.
#[derive(Clone)]
struct Steps {
    graph: Arc<dyn Store>,
    clock: Arc<ManualClock>,
}

/// The steps of a bind: reserve, bind, confirm, release of the contact before.
const STEPS: usize = 4;

impl Steps {
    fn of(world: &World) -> Self {
        Self { graph: world.backend.store.clone(), clock: world.settings.clock.clone() }
    }

    async fn step(&self, command: ContactCommand) -> (Result<bool, Reason>, u32) {
        let answer: Applied = self.graph.apply(Write::of(UserCommand::from(command))).await.unwrap();
        let outcome = answer.user().unwrap();
        (outcome.result, outcome.revision)
    }

    async fn user(&self, uid: Uid) -> User {
        let view = self.graph.view(None).await.unwrap();
        view.users(&[uid]).await.unwrap().remove(0).unwrap_or_else(|| User::unknown(uid))
    }

    async fn claim(&self, contact: &Contact) -> Option<ContactClaim> {
        self.graph.view(None).await.unwrap().claim_of(contact).await.unwrap()
    }

    /// Returns the user that a contact leads to; a half-done state after a crash is healed.
    async fn meet(&self, contact: &Contact) -> Option<Uid> {
        let now_ms = self.clock.now_ms();
        let claim = self.claim(contact).await?;
        let ContactClaim { uid, version, .. } = claim;
        let contact = contact.clone();
        match claim.met(self.user(uid).await.contacts.has(&contact), now_ms) {
            MetClaim::Held { confirm } => {
                if confirm {
                    self.step(ContactCommand::Confirm { contact, uid, version }).await.0.unwrap();
                }
                Some(uid)
            }
            MetClaim::Reserved => None,
            MetClaim::Stale => {
                self.step(ContactCommand::Release { contact, uid, version }).await.0.unwrap();
                None
            }
        }
    }

    /// Binds a contact, or dies after some steps.
    async fn bind(&self, uid: Uid, contact: &Contact, steps: usize) -> Result<(), Reason> {
        let user = self.user(uid).await;
        let old = user.contacts.of(contact.kind()).cloned();
        let old_claim = match &old {
            Some(old) => self.claim(old).await,
            None => None,
        };
        let reserve = || ContactCommand::Reserve { contact: contact.clone(), uid };
        if self.step(reserve()).await.0.is_err() {
            self.meet(contact).await;
            self.step(reserve()).await.0?;
        }
        let claim = self.claim(contact).await.filter(|claim| claim.uid == uid);
        let ContactClaim { version, .. } = claim.ok_or(Reason::ContactTaken)?;
        let bind = ContactCommand::Bind {
            uid,
            contact: contact.clone(),
            expected_revision: user.revision,
            reserved: version,
        };
        if steps > 1 {
            self.step(bind).await.0?;
        }
        if steps > 2 {
            self.step(ContactCommand::Confirm { contact: contact.clone(), uid, version }).await.0?;
        }
        if let Some((contact, claim)) = old.zip(old_claim).filter(|_| steps > 3) {
            self.step(ContactCommand::Release { contact, uid, version: claim.version }).await.0?;
        }
        Ok(())
    }
}

fn lacks(world: &World) -> bool {
    world.lacks(Need::ContactSteps)
}

/// Reserve, bind, confirm; unbind, release: what each step changes, and that the user's alone are told of.
pub async fn a_contact_is_bound_in_steps(world: &World) {
    if lacks(world) {
        return;
    }
    let (steps, uid, before) = (Steps::of(world), u(7), world.last());
    for (n, contact) in [phone(1), email(1)].into_iter().enumerate() {
        let revision = 2 * n as u32;
        assert_eq!(steps.claim(&contact).await, None);
        assert_eq!(
            steps.step(ContactCommand::Reserve { contact: contact.clone(), uid }).await,
            (Ok(true), 0)
        );
        let claim = steps.claim(&contact).await.unwrap();
        assert_eq!((claim.uid, claim.confirmed, claim.version.ms()), (uid, false, world.now_ms()));
        let version = claim.version;
        let bind = || {
            let (contact, reserved) = (contact.clone(), version);
            ContactCommand::Bind { uid, contact, expected_revision: revision, reserved }
        };
        let confirm = || ContactCommand::Confirm { contact: contact.clone(), uid, version };
        assert_eq!(steps.step(bind()).await, (Ok(true), revision + 1));
        let mismatch = Reason::RevisionMismatch { revision: revision + 1 };
        assert_eq!(steps.step(bind()).await, (Err(mismatch), revision + 1));
        assert!(world.view().await.users(&[uid]).await.unwrap()[0].as_ref().unwrap().contacts.has(&contact));
        assert_eq!(steps.step(confirm()).await, (Ok(true), 0));
        assert_eq!(steps.step(confirm()).await, (Ok(false), 0), "confirmed is confirmed");
        assert_eq!(steps.claim(&contact).await, Some(ContactClaim { confirmed: true, ..claim }));
        let unbind = || ContactCommand::Unbind { uid, contact: contact.clone() };
        assert_eq!(steps.step(ContactCommand::Unbind { uid, contact: phone(9) }).await.0, Ok(false));
        assert_eq!(steps.step(unbind()).await, (Ok(true), revision + 2));
        assert_eq!(steps.step(unbind()).await, (Ok(false), revision + 2));
        let release = || ContactCommand::Release { contact: contact.clone(), uid, version };
        assert_eq!(steps.step(release()).await, (Ok(true), 0));
        assert_eq!(steps.step(release()).await, (Ok(false), 0));
        assert_eq!(steps.claim(&contact).await, None);
    }
    assert_eq!(steps.user(uid).await.contacts, Contacts::default());
    let events = world.events_since(&before).await;
    assert!(events.iter().all(|event| event.subject == uid));
    let changes: Vec<Change> = events.into_iter().map(|event| event.change).collect();
    let told = [UserChange::PhoneSet, UserChange::PhoneSet, UserChange::EmailSet, UserChange::EmailSet];
    assert_eq!(changes, told.map(Change::User));
}

/// What one user has claimed another cannot, however old the claim is; who has claimed it may begin anew.
pub async fn a_claimed_contact_is_refused_to_others(world: &World) {
    if lacks(world) {
        return;
    }
    let steps = Steps::of(world);
    let reserve =
        async |uid: u64| steps.step(ContactCommand::Reserve { contact: phone(1), uid: u(uid) }).await.0;
    assert_eq!(reserve(7).await, Ok(true));
    let first = steps.claim(&phone(1)).await.unwrap();
    assert_eq!(reserve(8).await, Err(Reason::ContactTaken));
    assert_eq!(reserve(7).await, Ok(true));
    let second = steps.claim(&phone(1)).await.unwrap();
    assert!(second.version > first.version, "every reservation is a version");
    world.clock().set(world.now_ms() + 2 * CONTACT_RESERVATION_MS);
    assert_eq!(reserve(8).await, Err(Reason::ContactTaken), "its user may have bound it");
    assert_eq!(steps.bind(u(7), &phone(1), STEPS).await, Ok(()));
    assert_eq!(reserve(8).await, Err(Reason::ContactTaken));
    assert_eq!(steps.meet(&phone(1)).await, Some(u(7)));
    assert_eq!(steps.meet(&phone(2)).await, None);
}

/// A bind, confirm or release that comes late finds that it is.
pub async fn late_steps_do_no_harm(world: &World) {
    if lacks(world) {
        return;
    }
    let (steps, uid, other, contact) = (Steps::of(world), u(7), u(8), phone(1));
    let bind = async |expected_revision, reserved: Stamp| {
        steps.step(ContactCommand::Bind { uid, contact: phone(1), expected_revision, reserved }).await.0
    };
    let release = async |version| {
        steps.step(ContactCommand::Release { contact: phone(1), uid, version }).await.0.unwrap()
    };
    let reserve = async || {
        steps.step(ContactCommand::Reserve { contact: phone(1), uid }).await.0.unwrap();
        steps.claim(&phone(1)).await.unwrap().version
    };
    // A bind of a reservation that is about to be released.
    let first = reserve().await;
    world.clock().set(first.ms() + CONTACT_BIND_MS);
    assert_eq!(bind(0, first).await, Err(Reason::DeadlineExceeded));
    // A release of a reservation whose user may be about to bind it, and of one that was renewed.
    assert!(!release(first).await);
    world.clock().set(world.now_ms() + 1);
    let second = reserve().await;
    world.clock().set(first.ms() + CONTACT_RESERVATION_MS);
    assert!(!release(first).await, "it is another version now");
    assert!(!release(second).await, "it keeps its time");
    assert_eq!(bind(0, second).await, Ok(true));
    let confirm = async |version| {
        steps.step(ContactCommand::Confirm { contact: phone(1), uid, version }).await.0.unwrap()
    };
    assert!(!confirm(first).await);
    assert!(confirm(second).await);
    // A release from before the user bound it again.
    let third = reserve().await;
    assert!(!release(second).await);
    assert!(confirm(third).await);
    // A bind from before the contact was unbound, and given to another.
    steps.step(ContactCommand::Unbind { uid, contact: contact.clone() }).await.0.unwrap();
    assert!(release(third).await);
    steps.bind(other, &contact, STEPS).await.unwrap();
    assert_eq!(bind(0, third).await, Err(Reason::RevisionMismatch { revision: 2 }));
    assert!(!confirm(third).await);
    assert!(!release(third).await);
    assert_eq!(steps.meet(&contact).await, Some(other));
}

/// After each step at which a process can die: whom the contact leads to, who can bind it then, and what is left.
pub async fn what_a_crash_leaves_of_a_contact_heals(world: &World) {
    if lacks(world) {
        return;
    }
    let steps = Steps::of(world);
    for (n, died_after) in (1..STEPS).enumerate() {
        // Users and contacts of their own for each, a contact that is replaced among them.
        let n = 10 * n as u64;
        let (uid, other, old, new) = (u(100 + n), u(101 + n), phone(n), phone(1 + n));
        steps.bind(uid, &old, STEPS).await.unwrap();
        steps.bind(uid, &new, died_after).await.unwrap();
        let is_bound = died_after > 1;
        let leads = |is_bound: bool| is_bound.then_some(uid);
        assert_eq!(steps.meet(&new).await, leads(is_bound), "died after {died_after}");
        assert_eq!(steps.meet(&old).await, leads(!is_bound), "died after {died_after}");
        assert_eq!(steps.claim(&new).await.unwrap().confirmed, is_bound, "who met it has confirmed it");
        assert_eq!(steps.claim(&old).await.is_none(), is_bound, "who met it has released it");
        // The one that is not bound is somebody else's at once, or when the reservation has had its time.
        assert_eq!(steps.bind(other, &new, STEPS).await, Err(Reason::ContactTaken));
        world.clock().set(world.now_ms() + CONTACT_RESERVATION_MS);
        let (free, taken) = if is_bound { (old, new) } else { (new, old) };
        assert_eq!(steps.bind(other, &taken, STEPS).await, Err(Reason::ContactTaken));
        assert_eq!(steps.bind(other, &free, STEPS).await, Ok(()));
        assert_eq!((steps.meet(&free).await, steps.meet(&taken).await), (Some(other), Some(uid)));
    }
    // Unbound and not released.
    let (uid, other, contact) = (u(200), u(201), email(1));
    steps.bind(uid, &contact, STEPS).await.unwrap();
    assert_eq!(steps.step(ContactCommand::Unbind { uid, contact: contact.clone() }).await.0, Ok(true));
    assert!(steps.claim(&contact).await.is_some());
    assert_eq!(steps.bind(other, &contact, STEPS).await, Ok(()));
    assert_eq!(steps.meet(&contact).await, Some(other));
    // Bound and never confirmed: it is its user's, however long that is.
    let (uid, other, contact) = (u(300), u(301), email(2));
    steps.bind(uid, &contact, 2).await.unwrap();
    world.clock().set(world.now_ms() + 10 * CONTACT_RESERVATION_MS);
    assert_eq!(steps.bind(other, &contact, STEPS).await, Err(Reason::ContactTaken));
    assert_eq!(steps.meet(&contact).await, Some(uid));
}

/// All claims are listed, of both kinds and of all shards, in one order that does not change, and no other record with them.
pub async fn claims_are_listed_in_pieces(world: &World) {
    if lacks(world) {
        return;
    }
    let steps = Steps::of(world);
    assert_eq!(world.view().await.claims(Walk::new(None, 10)).await.unwrap(), []);
    let mut all = Vec::new();
    for n in 0..12 {
        let died_after = 1 + n as usize % STEPS;
        for (uid, contact) in [(u(n + 1), phone(n)), (u(n + 101), email(n))] {
            steps.bind(uid, &contact, died_after).await.unwrap();
            all.push((contact.clone(), steps.claim(&contact).await.unwrap()));
        }
    }
    all.sort_by_key(|(contact, _)| (contact.kind().code(), contact.expose().to_owned()));
    let view = world.view().await;
    for max in [1, 5, all.len(), 100] {
        let mut listed: Vec<(Contact, ContactClaim)> = Vec::new();
        loop {
            let after = listed.last().map(|(contact, _)| contact.clone());
            let piece = view.claims(Walk::new(after.as_ref(), max)).await.unwrap();
            let is_over = piece.len() < max;
            listed.extend(piece);
            if is_over {
                break;
            }
        }
        assert_eq!(listed, all, "{max} at once");
    }
    // After one that is not there any more.
    let (contact, ContactClaim { uid, version, .. }) = all.swap_remove(3);
    steps.step(ContactCommand::Unbind { uid, contact: contact.clone() }).await.0.unwrap();
    world.clock().set(world.now_ms() + CONTACT_RESERVATION_MS);
    let release = ContactCommand::Release { contact: contact.clone(), uid, version };
    assert_eq!(steps.step(release).await.0, Ok(true));
    let behind = |(other, _): &&(Contact, ContactClaim)| {
        (other.kind().code(), other.expose()) > (contact.kind().code(), contact.expose())
    };
    all.sort_by_key(|(contact, _)| (contact.kind().code(), contact.expose().to_owned()));
    let rest: Vec<_> = all.iter().filter(behind).cloned().collect();
    assert_eq!(world.view().await.claims(Walk::new(Some(&contact), 100)).await.unwrap(), rest);
}

/// If users bind one contact at once, one of them has it.
pub async fn racing_binds_have_one_winner(world: &World) {
    if lacks(world) {
        return;
    }
    let steps = Steps::of(world);
    for round in 0..4 {
        let race = |uid: u64| {
            let steps = steps.clone();
            tokio::spawn(async move { (uid, steps.bind(u(uid), &phone(round), STEPS).await) })
        };
        let racing: Vec<_> = (1..=8).map(race).collect();
        let mut winners = Vec::new();
        for answer in racing {
            match answer.await.unwrap() {
                (uid, Ok(())) => winners.push(u(uid)),
                (_, refused) => assert_eq!(refused, Err(Reason::ContactTaken)),
            }
        }
        assert_eq!(steps.meet(&phone(round)).await, winners.first().copied());
        assert_eq!(winners.len(), 1, "{winners:?}");
        for uid in 1..=8 {
            let has = steps.user(u(uid)).await.contacts.has(&phone(round));
            assert_eq!(has, winners == [u(uid)], "user {uid}");
        }
    }
}

/// Many users bind one contact at once and each process dies after a step of its own. No user has the contact of another,
/// and in the end somebody can bind it.
pub async fn what_binds_died_of_can_be_bound_again(world: &World) {
    if lacks(world) {
        return;
    }
    let steps = Steps::of(world);
    for round in 0..6 {
        let contact = email(round);
        let race = |uid: u64| {
            let (steps, contact) = (steps.clone(), contact.clone());
            let dies_after = 1 + ((uid + round) % STEPS as u64) as usize;
            tokio::spawn(async move { drop(steps.bind(u(uid), &contact, dies_after).await) })
        };
        let racing: Vec<_> = (1..=8).map(race).collect();
        for dead in racing {
            dead.await.unwrap();
        }
        let mut having = Vec::new();
        for uid in (1..=8).map(u) {
            having.extend(steps.user(uid).await.contacts.has(&contact).then_some(uid));
        }
        assert_eq!(steps.meet(&contact).await, having.first().copied(), "round {round}");
        assert!(having.len() <= 1, "round {round}: {having:?}");
        world.clock().set(world.now_ms() + CONTACT_RESERVATION_MS);
        if let Some(uid) = having.first() {
            let revision = steps.user(*uid).await.revision;
            let unbound = steps.step(ContactCommand::Unbind { uid: *uid, contact: contact.clone() }).await;
            assert_eq!(unbound, (Ok(true), revision + 1));
        }
        assert_eq!(steps.bind(u(9), &contact, STEPS).await, Ok(()));
        assert_eq!(steps.meet(&contact).await, Some(u(9)));
    }
}

//! The job that mends claims of contacts that a process left behind when it died between two steps of a bind.
//!
//! A caller that meets a contact mends its claim ([`UserCenter::meet`]). A claim that no caller meets would stay. It would
//! say that the contact belongs to a user that never bound it, or that unbound it long ago. So the job looks at all claims
//! once a day, [`CLAIMS_AT_ONCE`] at a time, and meets each claim that does not agree with its user. The job has no state of
//! its own: two of them side by side come to the same result.

use super::sweep::Sweep;
use super::{BackgroundJob, JobTerms};
use crate::apply_all::do_all;
use crate::user::UserCenter;
use guanxi_model::user::{Contact, ContactClaim, MetClaim};
use guanxi_model::{Clock, Result, Uid};
use guanxi_ports::{BoxFuture, Store, StoreView, Walk};
use metrics::{Counter, counter, describe_counter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How often the job looks whether the daily look at all claims is due.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// Claims of one piece: their users are read in one batch.
const CLAIMS_AT_ONCE: usize = 64;

/// Mends claims of contacts that were left half done.
pub struct ClaimSweep {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    users: UserCenter,
    sweep: Sweep<Contact>,
    mended: Counter,
}

crate::opaque_debug!(ClaimSweep);

impl ClaimSweep {
    /// The job over a backend.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        describe_counter!(
            "guanxi_contact_claims_mended_total",
            "Claims of phone numbers and mail addresses that a process left half done, and that the daily look found."
        );
        let mended = counter!("guanxi_contact_claims_mended_total");
        let users = UserCenter::new(store.clone(), clock.clone());
        Self { store, clock, users, sweep: Sweep::default(), mended }
    }

    /// Does one piece of the work. Returns whether there was any. The caller rests between two pieces, so that other writes
    /// go first.
    ///
    /// # Errors
    /// Those of the store. The next call goes on where this one was.
    pub async fn step(&mut self) -> Result<bool> {
        let now_ms = self.clock.now_ms();
        if !self.sweep.begin(now_ms) {
            return Ok(false);
        }
        let view = self.store.view(None).await?;
        let found = view.claims(Walk::new(self.sweep.after(), CLAIMS_AT_ONCE)).await?;
        let last = found.last().filter(|_| found.len() == CLAIMS_AT_ONCE).map(|(contact, _)| contact.clone());
        let half_done = half_done(&*view, found, now_ms).await?;
        drop(view);
        let (users, count) = (&self.users, half_done.len() as u64);
        do_all(half_done.into_iter().map(|contact| {
            let users = users.clone();
            async move { users.meet(&contact, None).await.map(drop) }
        }))
        .await?;
        self.mended.increment(count);
        self.sweep.found(last);
        Ok(true)
    }
}

/// Returns the contacts among some whose claim must be confirmed or released.
async fn half_done(
    view: &dyn StoreView,
    claims: Vec<(Contact, ContactClaim)>,
    now_ms: u64,
) -> Result<Vec<Contact>> {
    let uids: BTreeSet<Uid> = claims.iter().map(|(_, claim)| claim.uid).collect();
    let uids = Vec::from_iter(uids);
    let users = view.users(&uids).await?;
    let users: BTreeMap<Uid, _> = uids.into_iter().zip(users).collect();
    let is_half_done = |(contact, claim): &(Contact, ContactClaim)| {
        let user = users.get(&claim.uid).and_then(Option::as_ref);
        let met = claim.met(user.is_some_and(|user| user.contacts.has(contact)), now_ms);
        matches!(met, MetClaim::Stale | MetClaim::Held { confirm: true })
    };
    Ok(claims.into_iter().filter(is_half_done).map(|(contact, _)| contact).collect())
}

impl BackgroundJob for ClaimSweep {
    fn terms(&self) -> JobTerms {
        JobTerms::one_per_store("claims", "claims of contacts were not mended", LOOK_EVERY)
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(Self::step(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::sweep::SWEEP_EVERY_MS;
    use crate::jobs::tests::world::{START_MS, work};
    use guanxi_model::limits::CONTACT_RESERVATION_MS;
    use guanxi_model::user::{ContactCommand, ContactKind, UserCommand};
    use guanxi_model::{Logs, ManualClock, Write};
    use guanxi_ports::Facts as _;
    use guanxi_spec::memory::{MemoryStore, Options};

    /// More than a piece.
    const USERS: u64 = 150;

    struct World {
        store: Arc<MemoryStore>,
        clock: Arc<ManualClock>,
        users: UserCenter,
    }

    fn uid(n: u64) -> Uid {
        Uid::new(n + 1).unwrap()
    }

    fn phone(n: u64) -> Contact {
        Contact::stored(ContactKind::Phone, format!("+49{n:04}"))
    }

    impl World {
        fn new(logs: Logs) -> Self {
            let clock = Arc::new(ManualClock::new(START_MS));
            let options = Options { logs, ..Options::default() };
            let store = Arc::new(MemoryStore::new(clock.clone(), options));
            let users = UserCenter::new(store.clone(), clock.clone());
            Self { store, clock, users }
        }

        async fn write(&self, command: ContactCommand) {
            let written = self.store.apply(Write::of(UserCommand::from(command))).await.unwrap();
            written.user().unwrap().result.unwrap();
        }

        async fn claims(&self) -> Vec<(Contact, ContactClaim)> {
            self.store.view(None).await.unwrap().claims(Walk::new(None, 10_000)).await.unwrap()
        }

        /// One of each kind: bound; only reserved; bound and not confirmed; unbound and not released.
        async fn cut_off(&self) {
            for n in 0..USERS {
                let (contact, uid) = (phone(n), uid(n));
                self.write(ContactCommand::Reserve { contact: contact.clone(), uid }).await;
                let view = self.store.view(None).await.unwrap();
                let version = view.claim_of(&contact).await.unwrap().unwrap().version;
                if n % 4 == 1 {
                    continue;
                }
                let bind = (contact.clone(), version);
                let bind =
                    ContactCommand::Bind { uid, contact: bind.0, expected_revision: 0, reserved: bind.1 };
                self.write(bind).await;
                if n % 4 != 2 {
                    self.write(ContactCommand::Confirm { contact: contact.clone(), uid, version }).await;
                }
                if n % 4 == 3 {
                    self.write(ContactCommand::Unbind { uid, contact }).await;
                }
            }
        }
    }

    /// What no bind, login or look-up ever meets is mended within a day; what is under way is left alone.
    #[tokio::test]
    async fn what_was_cut_off_is_mended_without_anybody_meeting_it() {
        for logs in [Logs::One, Logs::PerGene] {
            let world = World::new(logs);
            world.cut_off().await;
            let mut job = ClaimSweep::new(world.store.clone(), world.clock.clone());
            assert_eq!(work(&mut job).await, 3, "64, 64 and 22 claims");
            let kinds = |claims: &[(Contact, ContactClaim)]| {
                let of = |n: u64| {
                    claims.iter().find(|(contact, _)| *contact == phone(n)).map(|(_, c)| c.confirmed)
                };
                (0..USERS).map(of).collect::<Vec<_>>()
            };
            let expected = |reserved| {
                let of = |n: u64| [Some(true), reserved, Some(true), None][n as usize % 4];
                (0..USERS).map(of).collect::<Vec<_>>()
            };
            assert_eq!(kinds(&world.claims().await), expected(Some(false)), "reservations keep their time");
            world.clock.advance(SWEEP_EVERY_MS - 1);
            assert_eq!(work(&mut job).await, 0);
            world.clock.advance(1);
            const { assert!(SWEEP_EVERY_MS > CONTACT_RESERVATION_MS) }
            assert!(work(&mut job).await > 0);
            assert_eq!(kinds(&world.claims().await), expected(None));
            for n in (0..USERS).step_by(2) {
                let bound = world.users.meet(&phone(n), None).await.unwrap().0;
                assert_eq!(bound.unwrap().uid, uid(n));
            }
        }
    }
}

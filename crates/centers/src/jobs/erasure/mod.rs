//! The job behind DeleteUser and EraseUser.
//!
//! 1. `AccountCenter::erase` writes one command. The status becomes `Deleted`, with the time to erase at, and the sessions end in
//!    the same commit. From the acknowledgement on the user is gone for every reader, and the planner refuses new acts about it.
//!    So the rows that the job finds are all there are.
//! 2. A task of the server calls [`Erasure::step`] about once a second. Each step removes 64 rows by ordinary commands with ordinary
//!    events, so that each list agrees with its count at every moment: edges both ways, settings of others on the user, tombstones,
//!    groups, dismissals, affinities, likes. When the time has come, its posts are purged.
//! 3. The last commit says `Erased`. It removes everything that is kept under the user's own key, and leaves the uid and the time.
//!
//! The job keeps no state of its own: a store lists the users that are deleted and not erased yet. A process that dies anywhere
//! leaves that entry behind, and the next process starts over and finds finished work done. Two jobs side by side do the same work
//! twice, with the same result. If the rows of one user cannot be removed, that user is left for later and delays no other.

mod meters;
mod stuck;
mod walk;

use super::{BackgroundJob, JobTerms};
use crate::apply_all::apply_all;
use crate::post::PostCenter;
use crate::user::UserCenter;
use guanxi_model::post::PostCommand;
use guanxi_model::user::{ContactKind, UserCommand, UserStatus};
use guanxi_model::{Clock, Error, LogMark, Logs, Position, PostId, Principal, Result, Uid, Write};
use guanxi_ports::{Applied, BoxFuture, CredentialWrites as _, Credentials, Log, Store, StoreView, Walk};
use meters::ErasureMeters;
use std::sync::Arc;
use std::time::Duration;
use stuck::Stuck;
use walk::ErasureWalk;

/// The parts that the job works on.
#[derive(Clone)]
pub struct ErasureParts {
    /// Relations, users, posts and likes.
    pub store: Arc<dyn Store>,
    /// Tokens that operators gave to end users, as they are stored, including tokens of users whose sessions have ended.
    pub credentials: Arc<dyn Credentials>,
    /// How far the acts of all users have come.
    pub log: Arc<dyn Log>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// How long the job rests when no user is deleted. Deleted users are hidden in the meantime.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often the list of deleted users is walked from its beginning. The list is in the order in which users are due. A user
/// that enters it before others, since a clock was set back or its write was overtaken, is found by such a walk. A look at a
/// user that left nothing that others see takes eleven short reads.
const LOOK_AGAIN_MS: u64 = 3_600_000;

/// Removes what deleted users left.
pub struct Erasure {
    parts: ErasureParts,
    users: UserCenter,
    posts: PostCenter,
    /// Where it is with the user whom it works on.
    walk: Option<ErasureWalk>,
    /// Every user up to this place in the list of the deleted has left nothing that others see, or is stuck.
    left: Option<(u64, Uid)>,
    /// When it last began at the front of that list.
    began_ms: u64,
    /// The users that it passes over for a while.
    stuck: Stuck,
    meters: ErasureMeters,
}

/// The user that the job works on, and why.
#[derive(Clone, Copy)]
enum Next {
    /// Its rest is over.
    Again(Uid),
    /// It is to be erased now.
    Due(Uid),
    /// It may have left something that others see; with when it is due.
    Seen(u64, Uid),
}

impl Next {
    const fn uid(self) -> Uid {
        match self {
            Self::Again(uid) | Self::Due(uid) | Self::Seen(_, uid) => uid,
        }
    }
}

crate::opaque_debug!(Erasure);

impl Erasure {
    /// The job over a backend.
    pub fn new(parts: ErasureParts) -> Self {
        let users = UserCenter::new(parts.store.clone(), parts.clock.clone());
        let posts = PostCenter::new(parts.store.clone());
        let (began_ms, stuck, meters) = (parts.clock.now_ms(), Stuck::default(), ErasureMeters::default());
        Self { parts, users, posts, walk: None, left: None, began_ms, stuck, meters }
    }

    /// Does one piece of the work, of a bounded number of rows. Returns whether there was any. The caller rests between two
    /// pieces, so that other writes go first.
    ///
    /// # Errors
    /// Those of the store, with the user whose rows were worked on. The next call goes on where this one was, or with another
    /// user if the rows themselves are at fault.
    pub async fn step(&mut self) -> Result<bool> {
        let now_ms = self.parts.clock.now_ms();
        let view = self.parts.store.view(None).await?;
        let Some(next) = self.next(&*view, now_ms).await? else { return Ok(false) };
        let worked = self.work_on(&*view, next, now_ms).await;
        match &worked {
            Ok(true) => {}
            Ok(false) => self.stuck.done(next.uid()),
            Err(error) => self.stuck.failed(next.uid(), error, now_ms),
        }
        self.meters.stuck.set(self.stuck.len() as f64);
        worked.map(|_| true).map_err(|error| {
            let Error { reason, detail } = error;
            Error::with_detail(reason, format_args!("user {}: {}", next.uid(), detail.unwrap_or_default()))
        })
    }

    /// Returns the user to work on: a stuck user that has rested, a user that is due, or the next one that may have left
    /// something that others see.
    async fn next(&mut self, view: &dyn StoreView, now_ms: u64) -> Result<Option<Next>> {
        if let Some(uid) = self.stuck.rested(now_ms) {
            return Ok(Some(Next::Again(uid)));
        }
        // One of so many is not stuck.
        let max = self.stuck.len() + 1;
        let stuck = &self.stuck;
        let first_of = |users: Vec<(u64, Uid)>| users.into_iter().find(|(_, uid)| !stuck.has(*uid));
        let first = first_of(view.deleted_users(Walk::new(None, max)).await?);
        if let Some((_, uid)) = first.filter(|(at, _)| *at <= now_ms) {
            return Ok(Some(Next::Due(uid)));
        }
        let mut seen = first_of(view.deleted_users(Walk::new(self.left, max)).await?);
        let is_long_ago = now_ms < self.began_ms || now_ms - self.began_ms >= LOOK_AGAIN_MS;
        if seen.is_none() && is_long_ago {
            (self.left, self.began_ms, seen) = (None, now_ms, first);
        }
        Ok(seen.map(|(at, uid)| Next::Seen(at, uid)))
    }

    /// Does a piece of the work on a user; `false` when nothing of it is left.
    async fn work_on(&mut self, view: &dyn StoreView, next: Next, now_ms: u64) -> Result<bool> {
        let uid = next.uid();
        let is_due = match next {
            Next::Due(_) => true,
            Next::Seen(..) => false,
            Next::Again(_) => match view.standings(&[uid]).await?.first().map(|standing| standing.status) {
                Some(UserStatus::Deleted { erase_at_ms }) => erase_at_ms <= now_ms,
                _ => return Ok(false),
            },
        };
        let more = self.remove_some(view, uid, is_due).await?;
        if !more && is_due {
            self.finish(uid).await?;
        }
        if let Next::Seen(at, uid) = next
            && !more
        {
            self.left = Some((at, uid));
        }
        Ok(more)
    }

    /// Removes the next rows of a user; `false` when a whole walk over all of them has found none.
    async fn remove_some(&mut self, view: &dyn StoreView, uid: Uid, is_due: bool) -> Result<bool> {
        let mut walk = match self.walk.take() {
            Some(walk) if walk.is_of(uid, is_due) => walk,
            _ => ErasureWalk::new(uid, is_due, self.acts_so_far().await?),
        };
        let later = match walk.since() {
            Some(since) => Some(self.parts.store.view(Some(since)).await?),
            None => None,
        };
        let view = later.as_deref().unwrap_or(view);
        while let Some(part) = walk.part() {
            let Some(rows) = walk::rows(view, uid, part).await? else {
                walk.go_on();
                continue;
            };
            let answers = apply_all(&self.parts.store, rows.writes).await?;
            let removed = answers.iter().map(Applied::changed).sum();
            let is_of_posts = part.is_of_posts();
            let left = is_of_posts && self.purge_likes(uid, &rows.posts, walk.since()).await?;
            self.meters.removed.increment(removed);
            // A purged post stays in its outbox, and is found each time.
            walk.found(rows.next, removed > 0 || left || !is_of_posts);
            self.walk = Some(walk);
            return Ok(true);
        }
        Ok(walk.has_found())
    }

    /// Returns a position that includes all acts of users so far, if such acts reach the lists of other users later. An act
    /// that began with a user before it was deleted is visible in each view that includes this position, and no act begins
    /// afterwards. Returns `None` where acts are visible at once.
    async fn acts_so_far(&self) -> Result<Option<Position>> {
        let head = self.parts.log.head().await?;
        if head.logs() == Logs::One {
            return Ok(None);
        }
        let acts = head.marks().map(|(log, mark)| (log, LogMark { acted: mark.seen, ..mark }));
        Ok(Some(Position::sparse(head.history(), acts)))
    }

    /// Takes likes of purged posts back, so that nothing is left of them; tells whether there may be more.
    async fn purge_likes(&self, author: Uid, ids: &[PostId], since: Option<&Position>) -> Result<bool> {
        let stats = self.parts.store.view(since).await?.stats(ids).await?;
        let (liked, others): (Vec<_>, Vec<_>) = ids.iter().zip(stats).partition(|(_, stats)| stats.likes > 0);
        let mut left = false;
        for (id, _) in liked {
            left |= self.posts.purge_some(*id, Some(author)).await?.1;
        }
        if !others.is_empty() {
            let end = others.into_iter().map(|(id, _)| PostCommand::EndPurge { author, id: *id });
            self.parts.store.apply(Write::all(end)).await?;
        }
        Ok(left)
    }

    /// Erases a user of whom nothing is left but what its own row leads to.
    async fn finish(&self, uid: Uid) -> Result<()> {
        for kind in ContactKind::ALL {
            self.users.unbind(uid, kind).await?;
        }
        for credential in self.parts.credentials.list().await? {
            if credential.principal == Principal::EndUser(uid) {
                self.parts.credentials.revoke(&credential.name).await?;
            }
        }
        let status = UserStatus::Erased { at_ms: self.parts.clock.now_ms() };
        let answer = self.parts.store.apply(Write::of(UserCommand::SetStatus { uid, status })).await?;
        if answer.revised::<Uid>()?.changed {
            self.meters.erased.increment(1);
            tracing::info!(%uid, "a user is erased");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

impl BackgroundJob for Erasure {
    fn terms(&self) -> JobTerms {
        JobTerms::one_per_store("erasure", "what deleted users left was not removed", LOOK_EVERY)
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(Self::step(self))
    }
}

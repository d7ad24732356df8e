//! Steps of clients that are told what is new: polls, streams and the red dot.

use super::{Checked, Follower, Held, Past, Player, answered, by_author, repeated, same};
use crate::stage::Ran;
use crate::trace::{User, uid};
use guanxi_centers::feed::HomeUpdates;
use guanxi_model::{Position, PostId, Reason, Uid, Visibility};
use guanxi_oracle::{Happened, Oracle};
use std::collections::BTreeSet;
use std::pin::pin;

impl Player {
    pub(super) async fn poll(&mut self, viewer: User, max: usize) -> Checked {
        let last = answered(self.world().log.head().await)?;
        let beginning = Position::beginning(last.history(), last.logs());
        let nothing = Held { position: beginning, ids: Vec::new() };
        let held = self.held.get(&viewer).cloned().unwrap_or(nothing);
        let (user, viewer) = (viewer, uid(viewer));
        let feed = &self.world().feed;
        let news = answered(repeated(|| feed.poll(viewer, held.position.clone(), max)).await)?;
        self.counts.others += 1;
        if news.reset {
            same("items of a reset", &news.ids, &Vec::new())?;
            // What arrived late is a reason, too.
            if !self.subject.keeper.lags() {
                self.check_reset(viewer, &held.position, max)?;
            }
        } else {
            same("new", &news.ids, &self.oracle.new_since(viewer, by_author(&held.position)))?;
            self.check_held(viewer, &held, &news)?;
        }
        self.hold(user, news.position);
        Ok(())
    }

    /// Notes that a client holds the whole home of a position.
    pub(super) fn hold(&mut self, user: User, position: Position) {
        let ids = self.at(uid(user), &position).home(uid(user));
        self.held.insert(user, Held { position, ids });
    }

    /// A client that held all of home and takes the new items and its own in holds all of home again: no home of a trace
    /// is longer than what is watched. Two cases differ where effects are late. News tell of posts for friends alone once
    /// it has arrived in the viewer's log that the author is a friend or is none any more. And a position does not name
    /// the shards of strangers whose posts are shared, so that it does not say which of these are held.
    fn check_held(&self, viewer: Uid, held: &Held, news: &HomeUpdates) -> Checked {
        let oracle = self.at(viewer, &news.position);
        let now: BTreeSet<PostId> = oracle.home(viewer).into_iter().collect();
        let own = now.iter().filter(|id| oracle.author(**id) == Some(viewer));
        let before: BTreeSet<PostId> = held.ids.iter().chain(&news.ids).chain(own).copied().collect();
        let known = |author: Uid| author == viewer || oracle.follows(viewer, author);
        let of_known = |id: PostId| oracle.author_of_original(id).is_none_or(known);
        let is_told = |id: &&PostId| {
            let arrived = self.settled || !oracle.is_for_friends(**id);
            !self.subject.keeper.lags() || arrived && of_known(**id)
        };
        let wrong: Vec<PostId> = (&before ^ &now).iter().filter(is_told).copied().collect();
        same("items held in vain or missed", &wrong, &Vec::new())
    }

    /// Clients read the first page again only when there is a reason: more new items than asked for, or something
    /// other than a new post.
    fn check_reset(&self, viewer: Uid, since: &Position, max: usize) -> Checked {
        let too_many = self.oracle.new_since(viewer, by_author(since)).len() > max;
        let (mut oracle, mut touched) = (Oracle::default(), false);
        // The authors who have written for a group, ever.
        let mut addressed = BTreeSet::new();
        for Past { at, what, .. } in &self.past {
            let author = |id: PostId| oracle.author(id);
            if let Happened::Wrote { visibility: Visibility::Group(_), author, .. } = *what {
                addressed.insert(author);
            }
            if let Happened::Showed { id, visibility: Visibility::Group(_) } = *what {
                addressed.extend(author(id));
            }
            let concerned = match *what {
                Happened::Pair { subject, object, .. } | Happened::Muted { subject, object, .. } => {
                    subject == viewer || object == viewer
                }
                Happened::Wrote { author, seq, .. } => seq == 0 && knows(&oracle, viewer, author),
                Happened::Showed { id, .. }
                | Happened::Deleted(id)
                | Happened::Restored(id)
                | Happened::TakenDown(id)
                | Happened::Reinstated(id)
                | Happened::Purged(id) => {
                    author(id).is_some_and(|author| knows(&oracle, viewer, author))
                        || oracle.stands_behind(viewer, id)
                }
                // No reader is told whether that is the user who came or left.
                Happened::Grouped(owner, _) | Happened::Ungrouped(owner, _)
                    if !addressed.contains(&owner) =>
                {
                    false
                }
                Happened::Went(uid)
                | Happened::CameBack(uid)
                | Happened::UserTakenDown(uid)
                | Happened::UserReinstated(uid)
                | Happened::Left(uid)
                | Happened::Grouped(uid, _)
                | Happened::Ungrouped(uid, _)
                | Happened::GroupGone(uid) => {
                    knows(&oracle, viewer, uid) || oracle.stands_behind_of(viewer, uid)
                }
                // The outcome of a request is told in plain words.
                Happened::Asked { .. }
                | Happened::Erased(_)
                | Happened::Liked(..)
                | Happened::Unliked(..)
                | Happened::Locked(..)
                | Happened::Limited(..)
                | Happened::RejectionForgotten(..)
                | Happened::GroupMade(_) => false,
            };
            touched |= !since.includes(*at) && concerned;
            oracle.happened_again(what);
        }
        // Events of originals from before the process began, or that are gone from a short log, are not known.
        let forgot = self.log_is_short || self.began.as_ref().is_some_and(|began| !since.covers(began));
        let may_have = forgot && self.oracle.knows_reposts(viewer);
        same("a reset without a reason", &(too_many || touched || may_have), &true)
    }

    pub(super) async fn stream(&mut self, viewer: User) -> Checked {
        if !self.followers.contains_key(&viewer) {
            let position = answered(self.world().log.head().await)?;
            let ids = self.oracle.home(uid(viewer));
            self.follow_stream(viewer, Held { position, ids }).await?;
        }
        let Some(mut follower) = self.followers.remove(&viewer) else { return Ok(()) };
        let stage = self.world().stage.clone();
        loop {
            let next = {
                let mut next = pin!(follower.stream.next());
                stage.run(next.as_mut()).await
            };
            let news = match next {
                Ran::Done(news) => answered(news)?,
                Ran::Idle | Ran::Paused => break,
            };
            self.counts.others += 1;
            if !news.reset {
                self.check_held(uid(viewer), &follower.held, &news)?;
            }
            let ids = self.at(uid(viewer), &news.position).home(uid(viewer));
            follower.held = Held { position: news.position, ids };
        }
        // It waits: so nothing is left to tell.
        let silence =
            HomeUpdates { ids: Vec::new(), reset: false, position: answered(self.world().log.head().await)? };
        self.check_held(uid(viewer), &follower.held, &silence)?;
        self.followers.insert(viewer, follower);
        Ok(())
    }

    /// Begins to follow a stream from what a client holds.
    pub(super) async fn follow_stream(&mut self, user: User, held: Held) -> Checked {
        let stream = answered(self.world().feed.stream(uid(user), Some(held.position.clone())).await)?;
        self.followers.insert(user, Follower { stream, held });
        Ok(())
    }

    pub(super) async fn unread(&mut self, viewer: User, cap: u32) -> Checked {
        let feed = &self.world().feed;
        let unread = answered(repeated(|| feed.unread(uid(viewer), cap, None)).await)?;
        self.counts.others += 1;
        self.answer(&[], u64::from(unread.count) << 1 | u64::from(unread.capped));
        let seen = |author| self.seen.get(&viewer).map_or(0, |seen| seen.of(author).seq());
        same("unread", &(unread.count, unread.capped), &self.oracle.unread(uid(viewer), seen, cap))
    }

    pub(super) async fn mark_seen(&mut self, viewer: User, ago: u64) -> Checked {
        let head = answered(self.world().log.head().await)?;
        let beginning = Position::beginning(head.history(), head.logs());
        let kept = self.past.len().saturating_sub(usize::try_from(ago).unwrap_or(usize::MAX));
        let position = self.past[..kept].iter().fold(beginning, |position, past| position.after(past.at));
        let marked = self.world().feed.mark_seen(uid(viewer), position.clone()).await;
        // No mark of a deleted user is kept: the call is refused.
        if self.oracle.has_left(uid(viewer)) {
            let refused = marked.err().map(|error| error.reason);
            return same("a mark of a deleted user", &refused, &Some(Reason::UserDeleted));
        }
        answered(marked)?;
        let seen = self.seen.entry(viewer).or_insert_with(|| position.clone());
        seen.join(&position);
        Ok(())
    }
}

fn knows(oracle: &Oracle, viewer: Uid, author: Uid) -> bool {
    author == viewer || oracle.follows(viewer, author)
}

//! Planning writes of posts, in the same group, batch and order as those of the graph.

mod commands;
mod import;
mod likes;
mod working;

pub(super) use working::WorkingPosts;

use super::plan::{Planner, Planning};
use crate::engine::{EngineError, Table};
use crate::layout::{POLICY_KEY, PostValue, SEEN, encode_number, encode_policy, user_key};
use crate::shared::seq_of;
use guanxi_model::event::PostChange;
use guanxi_model::post::{Hidden, Kind, PostCommand, PostOutcome, PostStats, visible};
use guanxi_model::{Change, FanoutPolicy, Position, Post, PostHeader, PostId, Reason, Result, Uid};

/// Why an operation does not take place.
enum Stop {
    /// It is refused: an outcome.
    Refused(Reason),
    /// The store cannot be read.
    Failed(EngineError),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Self::Failed(error)
    }
}

/// A post that the actor may see.
struct Seen {
    /// The post that was named.
    named: PostHeader,
    /// What it stands for.
    original: PostHeader,
}

/// What deciding about one operation comes to.
type Deciding<T> = Result<T, Stop>;

impl Planner<'_> {
    pub(in crate::writer) fn post_command(&mut self, command: PostCommand) -> Planning<PostOutcome> {
        let (id, decided) = match command {
            PostCommand::Create(draft) => match self.create(draft) {
                Ok((id, new)) => (Some(id), Ok(new)),
                Err(stop) => (None, Err(stop)),
            },
            PostCommand::Update { author, id, edit } => (Some(id), self.update(author, id, edit)),
            PostCommand::Delete { author, id } => (Some(id), self.set_deleted(author, id, true)),
            PostCommand::Restore { author, id } => match self.restore(author, id) {
                Ok((id, changed)) => (Some(id), Ok(changed)),
                Err(stop) => (Some(id), Err(stop)),
            },
            PostCommand::Like { uid, id } => (Some(id), self.like(uid, id)),
            PostCommand::Unlike { uid, id } => (Some(id), self.unlike(uid, id)),
            PostCommand::UndoRepost { uid, id } => (Some(id), self.undo_repost(uid, id)),
        };
        self.post_outcome(id, decided)
    }

    /// The outcome of an operation on a post, with the post's revision afterwards.
    fn post_outcome(&mut self, id: Option<PostId>, decided: Deciding<bool>) -> Planning<PostOutcome> {
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let post = match id {
            Some(id) => self.posts.get(&self.snapshot, id)?,
            None => None,
        };
        let (id, revision) =
            post.map_or((None, 0), |value| (Some(value.post.header.id), value.post.revision));
        Ok(PostOutcome { result, id, revision })
    }

    pub(in crate::writer) fn mark_seen(&mut self, uid: Uid, seen: &Position) -> Planning<()> {
        let seq = seq_of(seen);
        let seen = self.posts.seen(&self.snapshot, uid)?;
        if seq > *seen {
            *seen = seq;
            self.batch.put(Table::Records, &user_key(SEEN, uid), &encode_number(seq));
        }
        Ok(())
    }

    pub(in crate::writer) fn set_policy(&mut self, policy: &FanoutPolicy) {
        self.batch.put(Table::Records, POLICY_KEY, &encode_policy(policy));
    }

    /// A post without its content.
    fn item(&mut self, id: PostId) -> Planning<Option<PostHeader>> {
        Ok(self.posts.get(&self.snapshot, id)?.map(|value| value.post.header))
    }

    /// A post that a user may see, and what it stands for: itself, or the original of a repost, seen as well.
    fn seen_by(&mut self, viewer: Uid, id: PostId) -> Deciding<Seen> {
        let named = self.item(id)?.ok_or(Reason::PostNotFound)?;
        let relation = self.relation(viewer, named.author)?;
        let original = match named.kind {
            Kind::Repost { of, .. } => match self.item(of)? {
                Some(original) => Some((original, self.relation(viewer, original.author)?)),
                None => None,
            },
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
        };
        let beside = original.as_ref().map(|(original, relation)| (original, relation));
        visible(&named, &relation, beside, viewer).map_err(Hidden::refusal)?;
        Ok(Seen { named, original: original.map_or(named, |(original, _)| original) })
    }

    /// Puts a new or changed post, with its event.
    fn put_post(&mut self, post: Post, change: PostChange) -> Planning<()> {
        let PostHeader { id, author, .. } = post.header;
        let version = self.hlc.tick(self.now_ms);
        let seq = self.event(version, author, Change::Post { id, kind: change });
        self.posts.note(&self.snapshot, &post.header, change, seq)?;
        self.posts.put(PostValue { post, changed: seq });
        Ok(())
    }

    /// Counts a reply, repost or quote at what it refers to, or no longer does, and indexes a plain repost.
    fn refer(&mut self, item: &PostHeader, stands: bool) -> Planning<()> {
        self.count_child(item.kind, if stands { up } else { down })?;
        match item.kind {
            Kind::Repost { of, .. } => self.posts.note_repost(&self.snapshot, item, of, stands),
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => Ok(()),
        }
    }

    fn count_child(&mut self, kind: Kind, step: fn(&mut u64)) -> Planning<()> {
        let (parent, counter): (_, fn(&mut PostStats) -> &mut u64) = match kind {
            Kind::Post => return Ok(()),
            Kind::Reply { to, .. } => (to, |stats| &mut stats.replies),
            Kind::Repost { of, .. } | Kind::Quote { of, .. } => (of, |stats| &mut stats.reposts),
        };
        step(counter(self.posts.stats_mut(&self.snapshot, parent)?));
        Ok(())
    }
}

/// One more.
const fn up(counter: &mut u64) {
    *counter += 1;
}

/// One less.
const fn down(counter: &mut u64) {
    *counter = counter.saturating_sub(1);
}

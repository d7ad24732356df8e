//! Mending rows that a comparison has named: each is derived anew from the facts as they are now.
//!
//! Mends are made apart from the plans of a group, so the tables hold every fact. A mend changes no fact and makes no event. Memory gets
//! what the tables say.

use super::{Job, MendAnswer, Writer};
use crate::engine::{EngineError, EngineResult, RowBatch, Snapshot, Table};
use crate::layout::{
    COUNTERS, CountersValue, ForwardValue, forward_key, mark_prefix, marked_by_key, pair_key, reverse_key,
    user_key,
};
use crate::rows;
use crate::shared::Shared;
use guanxi_memory::first_pages::ListChange;
use guanxi_memory::lists::ListChanges;
use guanxi_memory::relations::RelationsEntry;
use guanxi_memory::user_relations::{Follow, UserRelations};
use guanxi_model::{Counts, Edge, Error, Result, Stamp, Uid};
use guanxi_ports::MarkKind;
use std::collections::BTreeMap;

/// A derived row that is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MendTarget {
    /// A reverse edge of a time: it exists exactly if the follow has that time.
    Reverse { subject: Uid, object: Uid, at: Stamp },
    /// A place in the list of marks about a user: it exists exactly if the mark does.
    Mark { kind: MarkKind, subject: Uid, object: Uid },
    /// The mutual mark of a follow.
    Mutual { subject: Uid, object: Uid },
    /// The counters of a user. The numbers of followers and of requests to it are wrong by so much: a comparison has counted them, and
    /// writes since then have added and subtracted.
    Counters { uid: Uid, wrong_by: (i64, i64) },
}

impl MendTarget {
    /// A reverse edge, unless a number is no uid.
    pub(crate) fn reverse(subject: u64, object: u64, at: u64) -> Option<Self> {
        let (subject, object) = (Uid::new(subject).ok()?, Uid::new(object).ok()?);
        Some(Self::Reverse { subject, object, at: Stamp::from_raw(at) })
    }

    /// A mutual mark, unless a number is no uid.
    pub(crate) fn mutual(subject: u64, object: u64) -> Option<Self> {
        Some(Self::Mutual { subject: Uid::new(subject).ok()?, object: Uid::new(object).ok()? })
    }

    /// Counters, unless the number is no uid.
    pub(crate) fn counters(uid: u64, wrong_by: (i64, i64)) -> Option<Self> {
        Some(Self::Counters { uid: Uid::new(uid).ok()?, wrong_by })
    }

    /// The user of whom all relations are read.
    pub(crate) const fn user(&self) -> Option<Uid> {
        match self {
            Self::Reverse { .. } | Self::Mark { .. } => None,
            Self::Mutual { subject, .. } => Some(*subject),
            Self::Counters { uid, .. } => Some(*uid),
        }
    }
}

impl Writer {
    /// Makes the mends of a group, each in a commit of its own, and returns the other jobs.
    pub(super) fn mend_first(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        let mut others = Vec::with_capacity(jobs.len());
        for job in jobs {
            match job {
                Job::Mend(targets, answer) => self.answer_mend(&targets, &answer),
                other => others.push(other),
            }
        }
        others
    }

    fn answer_mend(&mut self, targets: &[MendTarget], answer: &MendAnswer) {
        let ready = self.shared.check_running().and_then(|()| self.check_space());
        let mended = ready.and_then(|()| self.mend(targets));
        // A caller that has left is no error: the mends stand.
        let _ = answer.send(mended);
    }

    /// Derives rows anew, and returns how many were wrong.
    fn mend(&mut self, targets: &[MendTarget]) -> Result<u64> {
        let shared = self.shared.clone();
        let last_seq = self.state.last_seq;
        let mut mends = Mends::new(&shared, last_seq);
        if let Err(error) = mends.take_all(targets) {
            return Err(self.unplanned(error));
        }
        let Mends { batch, lists, relations, mended, .. } = mends;
        if batch.is_empty() {
            return Ok(0);
        }
        self.commits += 1;
        self.shared.committing.announce(last_seq, self.commits);
        self.write(batch).map_err(|error: EngineError| -> Error { self.shared.stop(&error) })?;
        self.shared.relations.replace(relations);
        self.shared.lists.apply(last_seq, &lists);
        self.publish();
        Ok(mended)
    }
}

/// Mends that wait for their commit.
struct Mends<'a> {
    shared: &'a Shared,
    snapshot: Snapshot,
    last_seq: u64,
    batch: RowBatch,
    lists: ListChanges,
    relations: Vec<(Uid, RelationsEntry)>,
    /// Follows whose mutual marks are mended, by follower.
    marked: BTreeMap<Uid, Vec<Follow>>,
    /// Users whose counters are counted anew, and by how much those of others are wrong.
    users: BTreeMap<Uid, (i64, i64)>,
    mended: u64,
}

impl<'a> Mends<'a> {
    fn new(shared: &'a Shared, last_seq: u64) -> Self {
        Self {
            shared,
            snapshot: shared.engine.snapshot(),
            last_seq,
            batch: shared.engine.batch(),
            lists: ListChanges::default(),
            relations: Vec::new(),
            marked: BTreeMap::new(),
            users: BTreeMap::new(),
            mended: 0,
        }
    }

    fn take_all(&mut self, targets: &[MendTarget]) -> EngineResult<()> {
        targets.iter().try_for_each(|target| unless_damaged(self.take(*target)))?;
        let users = std::mem::take(&mut self.users);
        users.into_iter().try_for_each(|(uid, wrong_by)| unless_damaged(self.user(uid, wrong_by)))
    }

    fn take(&mut self, target: MendTarget) -> EngineResult<()> {
        match target {
            MendTarget::Reverse { subject, object, at } => self.reverse(object, Edge { at, uid: subject }),
            MendTarget::Mark { kind, subject, object } => self.mark(kind, subject, object),
            MendTarget::Mutual { subject, object } => self.mutual(subject, object),
            MendTarget::Counters { uid, wrong_by } => {
                let user = self.users.entry(uid).or_default();
                *user = (user.0 + wrong_by.0, user.1 + wrong_by.1);
                Ok(())
            }
        }
    }

    fn follow(&self, subject: Uid, object: Uid) -> EngineResult<Option<ForwardValue>> {
        let row = self.snapshot.get(Table::Forward, &forward_key(subject, object))?;
        let damaged = || EngineError::Damaged(format!("the follow of {object} by {subject}"));
        row.map(|bytes| ForwardValue::decode(&bytes).ok_or_else(damaged)).transpose()
    }

    fn reverse(&mut self, object: Uid, edge: Edge) -> EngineResult<()> {
        let follow = self.follow(edge.uid, object)?;
        let key = reverse_key(object, edge);
        let (is, should_be) = (
            self.snapshot.contains(Table::Reverse, &key)?,
            follow.is_some_and(|follow| follow.at == edge.at),
        );
        if is != should_be {
            self.batch.set(Table::Reverse, &key, should_be.then_some([]));
            let change = if should_be { ListChange::Added(edge) } else { ListChange::Removed(edge) };
            self.lists.followers.push((object, change));
            self.mended += 1;
        }
        Ok(())
    }

    fn mark(&mut self, kind: MarkKind, subject: Uid, object: Uid) -> EngineResult<()> {
        let place = marked_by_key(object, kind, subject);
        let is = self.snapshot.contains(Table::Records, &place)?;
        let should_be =
            self.snapshot.contains(Table::Records, &pair_key(mark_prefix(kind), subject, object))?;
        if is != should_be {
            self.batch.set(Table::Records, &place, should_be.then_some([]));
            self.mended += 1;
        }
        Ok(())
    }

    fn mutual(&mut self, subject: Uid, object: Uid) -> EngineResult<()> {
        let Some(own) = self.follow(subject, object)? else { return Ok(()) };
        let back = self.follow(object, subject)?;
        let friends_since = back.map(|back| back.at.max(own.at));
        if own.friends_since != friends_since {
            let value = ForwardValue { friends_since, ..own };
            self.batch.put(Table::Forward, &forward_key(subject, object), &value.encode());
            let follow = Follow { uid: object, at: own.at, friends_since };
            self.marked.entry(subject).or_default().push(follow);
            self.users.entry(subject).or_default();
            self.mended += 1;
        }
        Ok(())
    }

    /// Counts anew what a user has said of others, corrects what others have said of it, and brings both to memory.
    fn user(&mut self, uid: Uid, wrong_by: (i64, i64)) -> EngineResult<()> {
        let stored = rows::relations::counters(&self.snapshot, uid)?;
        let mut facts = rows::relations::all_said(&self.snapshot, uid, stored.limit)?;
        for follow in self.marked.remove(&uid).into_iter().flatten() {
            facts.set_follow(follow);
        }
        let held = self.shared.latest_user(uid)?;
        let is_newer = held.packed().unpack() != facts;
        let followers = stored.counts.followers.saturating_add_signed(wrong_by.0);
        let asked = stored.asked.saturating_add_signed(wrong_by.1);
        let value = CountersValue {
            counts: counts(&facts, followers),
            limit: stored.limit,
            changed: if is_newer { self.last_seq } else { stored.changed },
            asks: facts.asks.len() as u32,
            asked,
        };
        if value != stored {
            self.batch.put(Table::Records, &user_key(COUNTERS, uid), &value.encode());
            self.mended += u64::from(CountersValue { changed: stored.changed, ..value } != stored);
        }
        let version = if is_newer { self.last_seq } else { held.version() };
        self.relations.push((uid, RelationsEntry::new(self.last_seq, version, (followers, asked), &facts)));
        Ok(())
    }
}

/// Leaves what cannot be decoded alone: it is a finding of its own, and no mend helps.
fn unless_damaged(mended: EngineResult<()>) -> EngineResult<()> {
    match mended {
        Err(EngineError::Damaged(what)) => {
            tracing::warn!(%what, "a row cannot be mended: what it is derived from cannot be decoded");
            Ok(())
        }
        done => done,
    }
}

fn counts(facts: &UserRelations, followers: u64) -> Counts {
    Counts {
        following: facts.following.len() as u32,
        followers,
        friends: facts.friends() as u32,
        blocks: facts.blocks.len() as u32,
        mutes: facts.mutes.len() as u32,
    }
}

//! What users have said about each other.

use super::{NotFetched, Pair, Rows};
use guanxi_model::plan::{FactLimits, RelationRows, Said};
use guanxi_model::{Counts, Edge, GuardedCount, MuteTerms, Stamp, Uid};

/// A follow: a fact of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FollowRow {
    /// Its place in lists.
    pub at: Stamp,
    /// Of the last change by the follower.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
    /// Since when the two are friends, as far as this shard knows.
    pub friend_at: Option<Stamp>,
}

/// What the first knows of a follow by the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FanRow {
    /// Its place in lists.
    pub at: Stamp,
    /// The version of the fact that it follows from.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
}

/// A block: a fact of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockRow {
    /// Its place in lists.
    pub at: Stamp,
    /// Of the last change.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
}

/// What the first knows of a block by the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorRow {
    /// The version of the fact that it follows from.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
}

/// A mute: a fact of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct MuteRow {
    /// Its place in lists.
    pub at: Stamp,
    /// Of the last change.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
    /// What it leaves out, and until when.
    pub terms: MuteTerms,
}

/// The counters of a user, and what belongs to it alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserRow {
    /// Its counters.
    pub counts: Counts,
    /// Its own follow limit.
    pub follow_limit: Option<u32>,
    /// The event of its log that last changed whom it follows, mutes or blocks, or who is its friend.
    pub audience_seq: u64,
    /// The event of its log by which somebody last began or ceased to block it.
    pub blocked_seq: u64,
    /// Requests of its own that are not over.
    pub sent: u32,
    /// Those of them that hold a place because it does not follow whom it asks.
    pub asking: u32,
    /// The newest request to it that it has seen.
    pub requests_seen: Stamp,
}

impl Rows {
    /// Changes a follow of a user of the shard, and its counters.
    pub fn change_follow(
        &mut self,
        pair: Pair,
        change: impl FnOnce(&mut FollowRow),
    ) -> Result<(), NotFetched> {
        let asks = self.sent.get(pair)?.asked.is_some();
        let row = self.follows.change(pair)?;
        let before = *row;
        change(row);
        let after = *row;
        let user = self.noted(pair.0)?;
        step(&mut user.asking, asks && !before.active, asks && !after.active);
        let counts = &mut user.counts;
        step(&mut counts.following, before.active, after.active);
        step(&mut counts.friends, before.friend_at.is_some(), after.friend_at.is_some());
        Ok(())
    }

    /// Changes what a user of the shard knows of a follow by another, and its counter.
    pub fn change_fan(&mut self, pair: Pair, change: impl FnOnce(&mut FanRow)) -> Result<(), NotFetched> {
        let row = self.fans.change(pair)?;
        let before = row.active;
        change(row);
        let after = row.active;
        let followers = &mut self.users.change(pair.0)?.counts.followers;
        *followers = (*followers + u64::from(after)).saturating_sub(u64::from(before));
        Ok(())
    }

    /// A user of the shard whose relations change by the next event of its log.
    pub fn noted(&mut self, uid: Uid) -> Result<&mut UserRow, NotFetched> {
        let next = self.shards.seq(uid.gene()) + 1;
        let user = self.users.change(uid)?;
        user.audience_seq = next;
        Ok(user)
    }
}

/// Counts one more, or one less.
pub(super) fn step(count: &mut u32, before: bool, after: bool) {
    *count = (*count + u32::from(after)).saturating_sub(u32::from(before));
}

impl RelationRows for Rows {
    fn limits(&self) -> FactLimits {
        self.terms.limits
    }

    fn said(&mut self, owner: Uid, other: Uid) -> Result<Said, NotFetched> {
        if self.is_home(owner) {
            let pair = (owner, other);
            let (follow, asks) = (*self.follows.get(pair)?, self.sent.get(pair)?.waiting());
            return Ok(Said {
                follow: follow.active.then_some((follow.at, follow.friend_at.is_some())),
                blocks: self.blocks.get(pair)?.active,
                mutes: self.mutes.get(pair)?.active,
                asks,
            });
        }
        let pair = (other, owner);
        let (fan, is_friend) = (*self.fans.get(pair)?, self.follows.get(pair)?.friend_at.is_some());
        // The author's own facts decide who may see a post, where they were asked for.
        let follow = self.foreign.follow(owner, other, fan.active.then_some(fan.at));
        Ok(Said {
            follow: follow.map(|at| (at, is_friend)),
            blocks: self.blocked_by.get(pair)?.active,
            mutes: false,
            asks: self.requests.get(pair)?.asked.as_ref().map(|asked| asked.kind),
        })
    }

    fn friends_since(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, NotFetched> {
        let pair = if self.is_home(owner) { (owner, other) } else { (other, owner) };
        Ok(self.follows.get(pair)?.friend_at)
    }

    fn count(&mut self, uid: Uid, of: GuardedCount) -> Result<u32, NotFetched> {
        if !self.is_home(uid) {
            return Ok(0);
        }
        let UserRow { counts, asking, .. } = *self.users.get(uid)?;
        Ok(match of {
            GuardedCount::Follows => counts.following + asking,
            GuardedCount::Blocks => counts.blocks,
            GuardedCount::Mutes => counts.mutes,
        })
    }

    fn follow_limit(&mut self, uid: Uid) -> Result<Option<u32>, NotFetched> {
        if !self.is_home(uid) {
            return Ok(None);
        }
        Ok(self.users.get(uid)?.follow_limit)
    }

    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Result<(), NotFetched> {
        self.users.change(uid)?.follow_limit = limit;
        Ok(())
    }

    fn removed_at(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, NotFetched> {
        let row = self.follows.get((owner, other))?;
        Ok((!row.active && row.version > Stamp::ZERO).then_some(row.version))
    }

    /// A row without a version says nothing, so that it is removed; it need not be known, and one that stands stays.
    fn forget_removed(&mut self, owner: Uid, other: Uid) -> Result<(), NotFetched> {
        if !self.follows.get((owner, other)).is_ok_and(|row| row.active) {
            self.follows.put((owner, other), FollowRow::default());
        }
        Ok(())
    }

    /// A follow that stands at the same place only changes since when the two are friends, which the other one did.
    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        version: Stamp,
    ) -> Result<(), NotFetched> {
        if !self.is_home(owner) {
            return Ok(());
        }
        self.change_follow((owner, follow.uid), |row| {
            if !row.active || row.at != follow.at {
                (row.at, row.version, row.active) = (follow.at, version, true);
            }
            row.friend_at = friends_since;
        })
    }

    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> Result<(), NotFetched> {
        if !self.is_home(owner) {
            return Ok(());
        }
        self.change_follow((owner, other), |row| {
            (row.version, row.active, row.friend_at) = (version, false, None);
        })
    }

    /// Of a follower of another shard the version stays, here and where one goes: the event of that shard which says so is yet to
    /// come, and is newer.
    fn add_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), NotFetched> {
        if !self.is_home(owner) {
            return Ok(());
        }
        let version = self.is_home(follower.uid).then_some(self.minted);
        self.change_fan((owner, follower.uid), |row| {
            *row = FanRow { at: follower.at, version: version.unwrap_or(row.version), active: true };
        })
    }

    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), NotFetched> {
        if !self.is_home(owner) {
            return Ok(());
        }
        let version = self.is_home(follower.uid).then_some(self.minted);
        self.change_fan((owner, follower.uid), |row| {
            row.active = false;
            row.version = version.unwrap_or(row.version);
        })
    }

    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), NotFetched> {
        let version = self.minted;
        if !self.is_home(owner) {
            return Ok(());
        }
        let row = self.blocks.change((owner, other))?;
        let before = row.active;
        *row = BlockRow { at: since.unwrap_or(row.at), version, active: since.is_some() };
        step(&mut self.noted(owner)?.counts.blocks, before, since.is_some());
        if self.is_home(other) {
            *self.blocked_by.change((other, owner))? = MirrorRow { version, active: since.is_some() };
            self.users.change(other)?.blocked_seq = self.shards.seq(other.gene()) + 1;
        }
        Ok(())
    }

    fn put_mute(
        &mut self,
        owner: Uid,
        other: Uid,
        mute: Option<(Stamp, MuteTerms)>,
    ) -> Result<(), NotFetched> {
        let version = self.minted;
        if !self.is_home(owner) {
            return Ok(());
        }
        let row = self.mutes.change((owner, other))?;
        let before = row.active;
        let (at, terms) = mute.unwrap_or((row.at, MuteTerms::default()));
        *row = MuteRow { at, version, active: mute.is_some(), terms };
        step(&mut self.noted(owner)?.counts.mutes, before, mute.is_some());
        Ok(())
    }
}

//! What an answer shows whose parts are of different moments.

use super::{Happened, Oracle};
use guanxi_model::{Op, Uid};

impl Oracle {
    /// What happened, as far as an answer to a viewer shows it whose parts are of different moments. For each thing
    /// that happened, and changed something then, it is told of which users' shards the moment is after it.
    pub fn of_parts(viewer: Option<Uid>, past: &[(&Happened, impl Fn(Uid) -> bool)]) -> Self {
        let mut oracle = Self::default();
        for (what, is_in) in past {
            match **what {
                Happened::Pair { op, subject, object } => {
                    oracle.part_of_pair(viewer, (op, subject, object), is_in);
                }
                // In plain words it is what it does to edges.
                Happened::Asked { .. } => {}
                Happened::Wrote { id, author, .. } => {
                    // Every reader of an answer knows the author of the answered post.
                    oracle.happened(what);
                    if !is_in(author) {
                        oracle.happened(&Happened::Deleted(id));
                    }
                }
                Happened::Showed { id, .. }
                | Happened::Deleted(id)
                | Happened::Restored(id)
                | Happened::TakenDown(id)
                | Happened::Reinstated(id)
                | Happened::Purged(id) => {
                    if oracle.author(id).is_some_and(is_in) {
                        oracle.happened(what);
                    }
                }
                Happened::Went(uid)
                | Happened::CameBack(uid)
                | Happened::Left(uid)
                | Happened::UserTakenDown(uid)
                | Happened::UserReinstated(uid)
                | Happened::Erased(uid)
                | Happened::Liked(uid, _)
                | Happened::Unliked(uid, _)
                | Happened::GroupMade(uid)
                | Happened::Grouped(uid, _)
                | Happened::Ungrouped(uid, _)
                | Happened::GroupGone(uid)
                | Happened::Locked(uid, _)
                | Happened::Limited(uid, _)
                | Happened::RejectionForgotten(uid, _)
                | Happened::Muted { subject: uid, .. } => {
                    if is_in(uid) {
                        oracle.happened(what);
                    }
                }
            }
        }
        oracle
    }

    /// Each follow is in the shard of who follows. A block is in the shard of who blocks, and in the viewer's, if the
    /// viewer is who is blocked.
    pub(super) fn part_of_pair(
        &mut self,
        viewer: Option<Uid>,
        (op, a, b): (Op, Uid, Uid),
        is_in: impl Fn(Uid) -> bool,
    ) {
        let parts = is_in(if viewer == Some(b) { b } else { a });
        match op {
            Op::Follow if is_in(a) => drop(self.follows.insert((a, b))),
            Op::Unfollow if is_in(a) => drop(self.follows.remove(&(a, b))),
            Op::RemoveFollower if is_in(b) => drop(self.follows.remove(&(b, a))),
            Op::Mute if is_in(a) => drop(self.mute(a, b, false, None)),
            Op::Unmute if is_in(a) => drop(self.mutes.remove(&(a, b))),
            Op::Unblock if parts => drop(self.blocks.remove(&(a, b))),
            Op::Block => {
                // Each group is in the shard of its owner, as each follow is in that of who follows.
                if is_in(a) {
                    self.follows.remove(&(a, b));
                    self.leave(a, b);
                }
                if is_in(b) {
                    self.follows.remove(&(b, a));
                    self.leave(b, a);
                }
                if parts {
                    self.blocks.insert((a, b));
                }
            }
            _ => {}
        }
    }
}

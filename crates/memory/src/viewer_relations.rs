//! What one viewer has said about others at one commit, for many questions.

use super::relations::{PackedShape, RelationsEntry, RelationsProbe};
use crate::cache::hash;
use guanxi_model::{EventAt, LogId, MuteScope, Stamp, Uid};
use guanxi_ports::{RelationsVersion, ViewerRelations};

/// Up to this many follows are found through an index, which is made in less time than a page's questions take without
/// it; more are searched in the packed form.
const INDEXED_MAX: usize = 128;

/// A viewer's facts at one commit: the packed user, whose header is read once.
pub struct HeldViewerRelations {
    user: RelationsEntry,
    log: LogId,
    shape: PackedShape,
    following: Vec<Uid>,
    /// Open-addressed: one more than the place in `following`, or 0. At most half full; empty if there is none.
    index: Vec<u16>,
}

impl HeldViewerRelations {
    /// The facts of a user whose events are in a log.
    pub fn new(user: RelationsEntry, log: LogId) -> Self {
        let probe = user.packed().probe();
        let (shape, following) = (probe.shape(), probe.uids());
        let index = if following.len() <= INDEXED_MAX { index(&following) } else { Vec::new() };
        Self { user, log, shape, following, index }
    }

    fn probe(&self) -> RelationsProbe<'_> {
        self.user.packed().probe_again(self.shape)
    }

    /// The place of a user in `following`.
    fn place(&self, uid: Uid) -> Option<usize> {
        let mask = self.index.len() - 1;
        let mut at = hash(uid.get()) as usize & mask;
        while self.index[at] != 0 {
            let place = usize::from(self.index[at]) - 1;
            if self.following[place] == uid {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
        None
    }
}

fn index(following: &[Uid]) -> Vec<u16> {
    let mut index = vec![0; (following.len() * 2).next_power_of_two().max(2)];
    let mask = index.len() - 1;
    for (place, uid) in (1..).zip(following) {
        let mut at = hash(uid.get()) as usize & mask;
        while index[at] != 0 {
            at = (at + 1) & mask;
        }
        index[at] = place;
    }
    index
}

impl ViewerRelations for HeldViewerRelations {
    fn version(&self) -> RelationsVersion {
        RelationsVersion(self.user.version())
    }

    fn changed(&self) -> EventAt {
        EventAt::new(self.log, self.user.version())
    }

    fn following(&self) -> &[Uid] {
        &self.following
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        if self.index.is_empty() {
            return self.probe().follow(uid);
        }
        Some(self.probe().follow_at(self.place(uid)?))
    }

    fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        self.probe().mutes(uid)
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.probe().blocks(uid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_relations::{Follow, UserRelations};
    use guanxi_model::Edge;

    fn uid(n: u64) -> Uid {
        Uid::new(n).unwrap()
    }

    #[test]
    fn it_says_what_the_facts_say_with_and_without_an_index() {
        for n in [0, 1, 2, 75, INDEXED_MAX as u64, INDEXED_MAX as u64 + 1, 2_000] {
            let follow = |i: u64| Follow {
                uid: uid(i * 3),
                at: Stamp::from_ms(1_000 + i * 7 % 1_000),
                friends_since: i.is_multiple_of(2).then(|| Stamp::from_ms(9_000)),
            };
            let edge = |n| Edge { at: Stamp::from_ms(5), uid: uid(n) };
            let following: Vec<Follow> = (1..=n).map(follow).collect();
            let facts = UserRelations {
                following,
                blocks: vec![edge(7_001)],
                mutes: vec![edge(3)],
                ..UserRelations::default()
            };
            let held = HeldViewerRelations::new(RelationsEntry::new(5, 5, (0, 0), &facts), LogId(0));
            let mut listed = held.following().to_vec();
            listed.sort_unstable();
            assert_eq!(listed, facts.following.iter().map(|f| f.uid).collect::<Vec<_>>());
            for other in (1..7_100).map(uid) {
                let wanted = facts.follow(other).map(|f| (f.at, f.friends_since.is_some()));
                assert_eq!(held.follow(other), wanted, "{other} of {n}");
            }
            assert!(held.blocks(uid(7_001)) && !held.blocks(uid(3)));
            assert!(held.mutes(uid(3)).is_some() && held.mutes(uid(7_001)).is_none());
        }
    }
}

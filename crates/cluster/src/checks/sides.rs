//! What two shards say about one pair of users, and where that does not fit together.

use crate::rows::{
    BlockRow, FanRow, FollowRow, MirrorRow, NotFetched, Pair, RequestRow, Rows, SentRow, stamp,
};
use guanxi_model::Stamp;
use guanxi_ports::DifferenceKind;
use tokio_postgres::Row;

/// What the shard of the first of two users says about both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PairSide {
    /// The follow of the second by the first: a fact.
    pub follow: FollowRow,
    /// What is known of the follow of the first by the second.
    pub fan: FanRow,
    /// The block of the second by the first: a fact.
    pub block: BlockRow,
    /// What is known of the block of the first by the second.
    pub blocked_by: MirrorRow,
    /// What the second asks of the first: a fact.
    pub request: RequestRow,
    /// What is known of what the first asks of the second.
    pub sent: SentRow,
}

impl PairSide {
    /// Returns what was fetched of a pair.
    pub(super) fn of(rows: &Rows, pair: Pair) -> Result<Self, NotFetched> {
        Ok(Self {
            follow: *rows.follows.get(pair)?,
            fan: *rows.fans.get(pair)?,
            block: *rows.blocks.get(pair)?,
            blocked_by: *rows.blocked_by.get(pair)?,
            request: rows.requests.get(pair)?.clone(),
            sent: rows.sent.get(pair)?.clone(),
        })
    }

    /// Returns since when the two are friends, as far as this shard knows.
    pub(super) fn friends_since(&self) -> Option<Stamp> {
        (self.follow.active && self.fan.active).then(|| self.follow.at.max(self.fan.at))
    }
}

/// Both sides of a pair, in the direction from the first user to the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenPair {
    /// In the shard of the first, read last.
    pub own: PairSide,
    /// In the shard of the second, read first.
    pub their: PairSide,
}

/// Something that does not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairDifference {
    /// What it is.
    pub kind: DifferenceKind,
    /// In words.
    pub detail: String,
}

/// A row of a fact or of what follows from it, as far as the two have to agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PairedRow {
    /// Its place in lists; 0 where what follows has none.
    pub at: Stamp,
    /// Of the last change of the fact; 0 if there is no row.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
}

impl PairedRow {
    /// Reads a place, a version and whether a row stands, which are in columns side by side.
    pub(super) fn of(row: &Row, first: usize) -> Self {
        Self { at: stamp(row, first), version: stamp(row, first + 1), active: row.get(first + 2) }
    }

    /// Returns whether what follows is not what it has to be. Of a fact that was forgotten after its end nothing may
    /// stand.
    pub(super) fn differs_from(self, mirror: Self) -> bool {
        if self.active {
            return self != mirror;
        }
        mirror.active || self.version > Stamp::ZERO && mirror.version > self.version
    }

    /// Returns how it differs.
    fn difference(self, mirror: Self) -> Option<(How, String)> {
        if !self.differs_from(mirror) {
            return None;
        }
        let how = match (self.active, mirror.active) {
            (true, false) => How::Missing,
            (false, true) => How::Surplus,
            _ => How::Stale,
        };
        Some((how, format!("the fact is {}, what follows is {}", self.told(), mirror.told())))
    }

    fn told(self) -> String {
        if self == Self::default() {
            return "not there".to_owned();
        }
        let stands = if self.active { "stands" } else { "ended" };
        format!("{stands} since {} in version {}", self.at.raw(), self.version.raw())
    }
}

enum How {
    Missing,
    Surplus,
    Stale,
}

impl SeenPair {
    /// The follow, and what the other shard knows of it.
    pub(super) fn follows(&self) -> (PairedRow, PairedRow) {
        let (fact, mirror) = (self.own.follow, self.their.fan);
        (
            PairedRow { at: fact.at, version: fact.version, active: fact.active },
            PairedRow { at: mirror.at, version: mirror.version, active: mirror.active },
        )
    }

    /// The block, and what the other shard knows of it.
    pub(super) fn blocks(&self) -> (PairedRow, PairedRow) {
        let (fact, mirror) = (self.own.block, self.their.blocked_by);
        (
            PairedRow { at: Stamp::ZERO, version: fact.version, active: fact.active },
            PairedRow { at: Stamp::ZERO, version: mirror.version, active: mirror.active },
        )
    }

    /// Returns what is wrong with what is known of a request of the first to the second. A place that is only reserved is none
    /// yet, and what has ended by itself is removed by each side for itself: only rejections that hold are compared.
    pub(super) fn request_difference(&self, now_ms: u64) -> Option<&'static str> {
        request_difference(&self.their.request, &self.own.sent, now_ms)
    }

    /// Returns whether the first follows the second although one blocks the other.
    pub(super) const fn follows_despite_block(&self) -> bool {
        self.own.follow.active && (self.own.block.active || self.their.block.active)
    }

    /// Everything that does not fit together.
    pub(super) fn differences(&self, now_ms: u64) -> Vec<PairDifference> {
        let mut found = Vec::new();
        let mut add = |kind, detail| found.push(PairDifference { kind, detail });
        let (fact, mirror) = self.follows();
        if let Some((how, detail)) = fact.difference(mirror) {
            let kind = match how {
                How::Missing => DifferenceKind::ReverseMissing,
                How::Surplus => DifferenceKind::ForwardMissing,
                How::Stale => DifferenceKind::TimeDiffers,
            };
            add(kind, detail);
        }
        let (fact, mirror) = self.blocks();
        if let Some((_, detail)) = fact.difference(mirror) {
            add(DifferenceKind::MarkIndex, format!("of a block, {detail}"));
        }
        let (marked, wanted) = (self.own.follow.friend_at, self.own.friends_since());
        if marked != wanted {
            let kind = match wanted {
                Some(_) => DifferenceKind::MutualMarkMissing,
                None => DifferenceKind::MutualMarkWrong,
            };
            let told = |at: Option<Stamp>| at.map_or("no".to_owned(), |at| at.raw().to_string());
            add(kind, format!("friends since {}, expected {}", told(marked), told(wanted)));
        }
        if self.follows_despite_block() {
            add(DifferenceKind::FollowDespiteBlock, "one blocks the other".to_owned());
        }
        if let Some(detail) = self.request_difference(now_ms) {
            add(DifferenceKind::RequestsCount, detail.to_owned());
        }
        found
    }
}

/// Returns what is wrong with what the shard of a sender knows of a request.
pub(super) fn request_difference(fact: &RequestRow, mirror: &SentRow, now_ms: u64) -> Option<&'static str> {
    let holds = |until: Option<u64>| until.filter(|until| *until > now_ms);
    match (&fact.asked, &mirror.asked) {
        (Some(_), None) => return Some("a request that its sender does not know of"),
        (Some(fact), Some(asked)) if fact != asked || !mirror.waits => {
            return Some("a request that its sender knows otherwise");
        }
        (None, Some(_)) if mirror.waits => return Some("a request that its receiver does not know of"),
        _ => {}
    }
    (holds(fact.rejected_until_ms()) != holds(mirror.cooling_ms))
        .then_some("a rejection that its sender does not know of, or not as it is")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::PastRow;
    use guanxi_model::PastRequest;

    fn at(n: u64) -> Stamp {
        Stamp::from_raw(n)
    }

    fn row(n: u64, version: u64, active: bool) -> PairedRow {
        PairedRow { at: at(n), version: at(version), active }
    }

    #[test]
    fn what_follows_has_to_be_what_the_fact_is() {
        let none = PairedRow::default();
        for (fact, mirror, differs) in [
            (none, none, false),
            (row(1, 1, true), row(1, 1, true), false),
            (row(1, 1, true), none, true),
            (row(1, 1, true), row(1, 1, false), true),
            (row(1, 2, true), row(1, 1, true), true),
            (row(1, 1, true), row(2, 1, true), true),
            (row(1, 2, false), row(1, 1, true), true),
            (row(1, 2, false), row(1, 1, false), false),
            (row(1, 2, false), none, false),
            (row(1, 2, false), row(1, 3, false), true),
            (none, row(1, 3, false), false),
            (none, row(1, 3, true), true),
        ] {
            assert_eq!(fact.differs_from(mirror), differs, "{fact:?} {mirror:?}");
            assert_eq!(fact.difference(mirror).is_some(), differs);
        }
    }

    #[test]
    fn each_difference_of_a_pair_is_named() {
        let mut seen = SeenPair { own: PairSide::default(), their: PairSide::default() };
        let kinds = |seen: &SeenPair| {
            seen.differences(1_000).into_iter().map(|difference| difference.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&seen), []);
        seen.own.follow = FollowRow { at: at(5), version: at(5), active: true, friend_at: None };
        assert_eq!(kinds(&seen), [DifferenceKind::ReverseMissing]);
        seen.their.fan = FanRow { at: at(5), version: at(5), active: true };
        assert_eq!(kinds(&seen), []);
        seen.own.fan = FanRow { at: at(7), version: at(7), active: true };
        assert_eq!(kinds(&seen), [DifferenceKind::MutualMarkMissing]);
        seen.own.follow.friend_at = Some(at(7));
        assert_eq!(kinds(&seen), []);
        seen.own.fan.active = false;
        assert_eq!(kinds(&seen), [DifferenceKind::MutualMarkWrong]);
        seen.own.follow.friend_at = None;
        seen.own.block = BlockRow { at: at(9), version: at(9), active: true };
        assert_eq!(kinds(&seen), [DifferenceKind::MarkIndex, DifferenceKind::FollowDespiteBlock]);
        seen.own.follow.active = false;
        seen.their.blocked_by = MirrorRow { version: at(9), active: true };
        assert_eq!(kinds(&seen), [DifferenceKind::ForwardMissing]);
        seen.their.fan.active = false;
        assert_eq!(kinds(&seen), []);
        let rejected =
            |until_ms| Some(PastRow { past: PastRequest::Rejected { until_ms }, rejected_at: at(9) });
        seen.their.request.past = rejected(1_001);
        assert_eq!(kinds(&seen), [DifferenceKind::RequestsCount]);
        seen.own.sent.cooling_ms = Some(1_001);
        assert_eq!(kinds(&seen), []);
        (seen.their.request.past, seen.own.sent.cooling_ms) = (rejected(900), None);
        assert_eq!(kinds(&seen), [], "over by itself");
    }
}

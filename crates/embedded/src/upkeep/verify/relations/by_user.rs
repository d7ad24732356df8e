//! One pass over all tables, user by user: every table is ordered by the user that a row belongs to, so what is
//! said about one user arrives together.

use super::ComparedRelations;
use super::naming::Mending;
use crate::engine::EngineResult;
use crate::layout::{BLOCK, CountersValue, MUTE, REQUEST, SENT_REQUEST};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::FollowCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source::{self, ForwardRow, ReverseRow, RowSource};
use crate::view::View;
use crate::writer::MendTarget;
use guanxi_model::{Counts, Stamp};
use guanxi_ports::DifferenceKind;

/// A follow of the user at hand; at most as many as the follow limit allows are held.
struct FoundFollow {
    object: u64,
    /// Its time and its mutual mark, if they can be decoded.
    value: Option<(u64, Option<u64>)>,
    /// The time of the follow in the other direction, if there is one.
    back: Option<u64>,
}

struct Pass<'a, 'm> {
    forward: RowSource<ForwardRow>,
    reverse: RowSource<ReverseRow>,
    counters: RowSource<Option<CountersValue>>,
    blocks: RowSource<u64>,
    mutes: RowSource<u64>,
    sent: RowSource<()>,
    received: RowSource<()>,
    last_seq: u64,
    mending: &'a Mending,
    cells: Option<&'a mut FollowCells>,
    meter: &'a mut ProgressMeter<'m>,
    findings: Findings,
    compared: ComparedRelations,
    /// Users with counters that only the mending knows of.
    mended: Vec<u64>,
}

/// Compares everything about every user, with the reverse table mended, and folds the edges into cells if asked.
pub(super) fn compare(
    view: &View,
    mending: &Mending,
    cells: Option<&mut FollowCells>,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(ComparedRelations, Findings)> {
    let snapshot = &view.snapshot;
    let mut pass = Pass {
        forward: source::forward(snapshot)?,
        reverse: source::reverse(snapshot)?,
        counters: source::counters(snapshot)?,
        blocks: source::pairs(snapshot, BLOCK)?,
        mutes: source::pairs(snapshot, MUTE)?,
        sent: source::requests(snapshot, SENT_REQUEST)?,
        received: source::requests(snapshot, REQUEST)?,
        last_seq: view.seq,
        mending,
        cells,
        meter,
        findings: Findings::default(),
        compared: ComparedRelations::default(),
        mended: mending.missing.keys().rev().copied().collect(),
    };
    let mut follows = Vec::new();
    while let Some(uid) = pass.next_user() {
        pass.user(uid, &mut follows)?;
    }
    pass.compared.forward = pass.forward.read;
    pass.compared.reverse = pass.reverse.read;
    let mut findings = pass.findings;
    findings.append(pass.forward.into_undecodable());
    findings.append(pass.reverse.into_undecodable());
    findings.append(pass.counters.into_undecodable());
    findings.append(pass.blocks.into_undecodable());
    findings.append(pass.mutes.into_undecodable());
    findings.append(pass.sent.into_undecodable());
    findings.append(pass.received.into_undecodable());
    Ok((pass.compared, findings))
}

impl Pass<'_, '_> {
    /// The smallest user that any table has rows of.
    fn next_user(&self) -> Option<u64> {
        [
            self.forward.of(),
            self.reverse.of(),
            self.counters.of(),
            self.blocks.of(),
            self.mutes.of(),
            self.sent.of(),
            self.received.of(),
            self.mended.last().copied(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn user(&mut self, uid: u64, follows: &mut Vec<FoundFollow>) -> EngineResult<()> {
        self.mended.pop_if(|mended| *mended == uid);
        self.take_follows(uid, follows)?;
        let mut blocks = Vec::new();
        while let Some(object) = self.blocks.next_of(uid)? {
            blocks.push(object);
        }
        let mut mutes = 0;
        while self.mutes.next_of(uid)?.is_some() {
            mutes += 1;
        }
        self.compared.marks += blocks.len() as u64 + u64::from(mutes);
        let followers = self.take_followers(uid, follows, &blocks)?;
        self.check_follows(uid, follows, &blocks);
        let counts = Counts {
            following: follows.len() as u32,
            followers,
            friends: follows.iter().filter(|follow| follow.back.is_some()).count() as u32,
            blocks: blocks.len() as u32,
            mutes,
        };
        let mut requests = (0, 0);
        while self.sent.next_of(uid)?.is_some() {
            requests.0 += 1;
        }
        while self.received.next_of(uid)?.is_some() {
            requests.1 += 1;
        }
        self.check_counters(uid, counts, requests)
    }

    fn take_follows(&mut self, uid: u64, follows: &mut Vec<FoundFollow>) -> EngineResult<()> {
        follows.clear();
        while let Some(row) = self.forward.next_of(uid)? {
            self.meter.row();
            if let (Some(cells), Some(value)) = (&mut self.cells, &row.value) {
                cells.forward(uid, row.object, value.at.raw());
            }
            if row.value.is_none() {
                self.findings.add(DifferenceKind::Undecodable, Some(uid), Some(row.object), || {
                    "the value of the forward edge cannot be decoded".into()
                });
            }
            let value = row.value.map(|value| (value.at.raw(), value.friends_since.map(Stamp::raw)));
            follows.push(FoundFollow { object: row.object, value, back: None });
        }
        Ok(())
    }

    /// Reads the user's followers, notes which of them the user follows back, and counts them.
    fn take_followers(&mut self, uid: u64, follows: &mut [FoundFollow], blocks: &[u64]) -> EngineResult<u64> {
        let mut followers = 0;
        while let Some(ReverseRow { subject, at }) = self.reverse.next_of(uid)? {
            self.meter.row();
            if let Some(cells) = &mut self.cells {
                cells.reverse(subject, uid, at);
            }
            if self.mending.extra.is_empty() || !self.mending.extra.contains(&(uid, subject, at)) {
                followers += 1;
                self.follower(uid, subject, at, follows, blocks);
            }
        }
        for &(subject, at) in self.mending.missing.get(&uid).into_iter().flatten() {
            followers += 1;
            self.follower(uid, subject, at, follows, blocks);
        }
        Ok(followers)
    }

    fn follower(&mut self, uid: u64, subject: u64, at: u64, follows: &mut [FoundFollow], blocks: &[u64]) {
        if let Ok(i) = follows.binary_search_by_key(&subject, |follow| follow.object) {
            follows[i].back = Some(at);
        }
        if blocks.binary_search(&subject).is_ok() {
            self.findings.add(DifferenceKind::FollowDespiteBlock, Some(subject), Some(uid), || {
                format!("user {uid} blocks user {subject}")
            });
        }
    }

    fn check_follows(&mut self, uid: u64, follows: &[FoundFollow], blocks: &[u64]) {
        for follow in follows {
            if blocks.binary_search(&follow.object).is_ok() {
                self.findings.add(DifferenceKind::FollowDespiteBlock, Some(uid), Some(follow.object), || {
                    format!("user {uid} blocks user {}", follow.object)
                });
            }
            let Some((at, mark)) = follow.value else { continue };
            let expected = follow.back.map(|back| back.max(at));
            self.compared.mutual += u64::from(mark.is_some() || expected.is_some());
            if mark != expected {
                let kind = match expected {
                    Some(_) => DifferenceKind::MutualMarkMissing,
                    None => DifferenceKind::MutualMarkWrong,
                };
                let show = |mark: Option<u64>| mark.map(Stamp::from_raw);
                self.findings.mends(MendTarget::mutual(uid, follow.object));
                self.findings.add(kind, Some(uid), Some(follow.object), || {
                    format!("marked mutual since {:?}, expected {:?}", show(mark), show(expected))
                });
            }
        }
    }

    fn check_counters(&mut self, uid: u64, expected: Counts, (asks, asked): (u64, u64)) -> EngineResult<()> {
        let stored = match self.counters.next_of(uid)? {
            Some(Some(value)) => {
                let last_seq = self.last_seq;
                if value.changed > last_seq {
                    self.findings.add(DifferenceKind::Undecodable, Some(uid), None, || {
                        format!("the counters are of event {}, and the last one is {last_seq}", value.changed)
                    });
                }
                value
            }
            Some(None) => {
                self.findings.add(DifferenceKind::Undecodable, Some(uid), None, || {
                    "the counters cannot be decoded".into()
                });
                return Ok(());
            }
            None => CountersValue::default(),
        };
        let wrong_by = |stored: u64, expected: u64| expected.wrapping_sub(stored).cast_signed();
        let wrong_by = (wrong_by(stored.counts.followers, expected.followers), wrong_by(stored.asked, asked));
        let (requests, stored) = (u64::from(stored.asks) + stored.asked, stored.counts);
        self.compared.counters += 1;
        let pairs = [
            (DifferenceKind::FollowingCount, stored.following.into(), expected.following.into()),
            (DifferenceKind::FollowersCount, stored.followers, expected.followers),
            (DifferenceKind::FriendsCount, stored.friends.into(), expected.friends.into()),
            (DifferenceKind::BlocksCount, stored.blocks.into(), expected.blocks.into()),
            (DifferenceKind::MutesCount, stored.mutes.into(), expected.mutes.into()),
            (DifferenceKind::RequestsCount, requests, asks + asked),
        ];
        if pairs.iter().any(|(_, stored, expected)| stored != expected) {
            self.findings.mends(MendTarget::counters(uid, wrong_by));
        }
        for (kind, stored, expected) in pairs {
            if stored != expected {
                self.findings
                    .add(kind, Some(uid), None, || format!("the counter says {stored}, expected {expected}"));
            }
        }
        Ok(())
    }
}

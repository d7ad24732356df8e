//! Proof and dump.

use super::MemoryStore;
use super::state::{Maps, Pairs};
use guanxi_model::{Counts, DigestParts, Error, Position, Reason, Result, Stamp, Uid};
use guanxi_ports::upkeep::DIFFERENCES_MAX;
use guanxi_ports::{
    Difference, DifferenceKind, HeatCell, HeatMap, HeatSide, MendProgress, MendReport, MendStage, Progress,
    Shards, Upkeep, VerifyReport,
};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;

/// A store in memory has no databases.
impl Shards for MemoryStore {}

impl Upkeep for MemoryStore {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        // What is under way is late, and no difference.
        self.settle();
        let state = self.shared.now();
        let report = compare(&state, state.position(&self.shared.options));
        let rows = report.forward + report.reverse + report.counters + report.marks;
        progress(Progress { done: rows, total: rows });
        Ok(report)
    }

    /// Nothing derived is stored apart from the facts: what both sides say changes in one step, in one map of states. So nothing is
    /// ever mended here.
    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        let mut tell = |now| progress(MendProgress { stage: MendStage::Comparing, progress: now, mended: 0 });
        let left = self.verify(&mut tell)?;
        Ok(MendReport { found: left.differences_total, mended: 0, left })
    }

    /// One line per record, in the order of the keys: a word and its fields, separated by spaces.
    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        let state = self.shared.now();
        let lines = lines(&state);
        let total = lines.len() as u64;
        for (done, line) in (1..).zip(lines) {
            writeln!(sink, "{line}").map_err(|error| Error::with_detail(Reason::Internal, error))?;
            progress(Progress { done, total });
        }
        sink.flush().map_err(|error| Error::with_detail(Reason::Internal, error))?;
        Ok(state.position(&self.shared.options))
    }
}

pub(super) fn lines(state: &Maps) -> Vec<String> {
    let pairs = |word: &'static str, pairs: &Pairs| {
        let lines = pairs.iter().map(move |((a, b), at)| format!("{word} {a} {b} {}", at.raw()));
        lines.collect::<Vec<_>>()
    };
    let seqs: Vec<String> = state.seqs.iter().map(|(log, seq)| format!("{}:{seq}", log.0)).collect();
    let mut lines = vec![format!("seqs {} clock {}", seqs.join(","), state.hlc.last().raw())];
    lines.extend(pairs("follow", &state.follows));
    lines.extend(state.removed.keys().map(|(a, b)| format!("removed {a} {b}")));
    lines.extend(pairs("block", &state.blocks));
    lines.extend(pairs("mute", &state.mutes));
    lines.extend(state.waiting.requests.values().map(|request| format!("request {request:?}")));
    lines.extend(state.limits.iter().map(|(uid, limit)| format!("limit {uid} {limit}")));
    lines.extend(state.groups.lines());
    lines.extend(state.jobs.iter().map(|(job, position)| format!("job {position} {job:?}")));
    lines.extend(state.credentials.values().map(|credential| format!("credential {credential:?}")));
    lines.extend(state.audit.values().map(|entry| format!("audit {entry:?}")));
    lines
}

/// Compares everything derived with the facts.
pub(super) fn compare(state: &Maps, position: Position) -> VerifyReport {
    let mut found = Found { differences: Vec::new(), total: 0 };
    let mut expected: BTreeMap<Uid, Counts> = BTreeMap::new();
    let mut mutual = 0;
    for ((a, b), at) in &state.follows {
        expected.entry(*a).or_default().following += 1;
        expected.entry(*b).or_default().followers += 1;
        if state.follows.contains_key(&(*b, *a)) {
            expected.entry(*a).or_default().friends += 1;
            mutual += 1;
        }
        match state.followers.get(&(*b, *a)) {
            None => found.add(DifferenceKind::ReverseMissing, *a, Some(*b), "no reverse edge"),
            Some(reverse) if reverse != at => {
                found.add(DifferenceKind::TimeDiffers, *a, Some(*b), format_args!("{at:?} and {reverse:?}"));
            }
            Some(_) => {}
        }
        if [(*a, *b), (*b, *a)].iter().any(|pair| state.blocks.contains_key(pair)) {
            found.add(DifferenceKind::FollowDespiteBlock, *a, Some(*b), "one blocks the other");
        }
    }
    for (b, a) in state.followers.keys() {
        if !state.follows.contains_key(&(*a, *b)) {
            found.add(DifferenceKind::ForwardMissing, *a, Some(*b), "no forward edge");
        }
    }
    state.blocks.keys().for_each(|(a, _)| expected.entry(*a).or_default().blocks += 1);
    state.mutes.keys().for_each(|(a, _)| expected.entry(*a).or_default().mutes += 1);
    // A user that is missing on either side counts as all zero there.
    for uid in state.counts.keys() {
        expected.entry(*uid).or_default();
    }
    for (uid, expected) in &expected {
        found.counters(*uid, state.counts(*uid), *expected);
    }
    VerifyReport {
        position,
        forward: state.follows.len() as u64,
        reverse: state.followers.len() as u64,
        counters: expected.len() as u64,
        mutual,
        marks: (state.blocks.len() + state.mutes.len()) as u64,
        posts: state.posts.posts.len() as u64,
        likes: state.posts.likes.len() as u64,
        differences_total: found.total,
        differences: found.differences,
        heat: heat(state),
    }
}

/// The heat map of follows.
fn heat(state: &Maps) -> Vec<HeatCell> {
    let mut map = HeatMap::default();
    let mut add = |side, a: Uid, b: Uid, at: Stamp| {
        let hash = DigestParts::default().number(a.get()).number(b.get()).number(at.raw()).digest();
        map.add(side, (a.gene(), b.gene()), 1, hash.into());
    };
    state.follows.iter().for_each(|((a, b), at)| add(HeatSide::Forward, *a, *b, *at));
    state.followers.iter().for_each(|((b, a), at)| add(HeatSide::Reverse, *a, *b, *at));
    map.cells()
}

struct Found {
    differences: Vec<Difference>,
    total: u64,
}

impl Found {
    fn add(&mut self, kind: DifferenceKind, subject: Uid, object: Option<Uid>, detail: impl Display) {
        self.total += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            let detail = detail.to_string();
            self.differences.push(Difference { kind, subject: Some(subject), object, detail });
        }
    }

    fn counters(&mut self, uid: Uid, stored: Counts, expected: Counts) {
        let pairs = [
            (DifferenceKind::FollowingCount, u64::from(stored.following), u64::from(expected.following)),
            (DifferenceKind::FollowersCount, stored.followers, expected.followers),
            (DifferenceKind::FriendsCount, u64::from(stored.friends), u64::from(expected.friends)),
            (DifferenceKind::BlocksCount, u64::from(stored.blocks), u64::from(expected.blocks)),
            (DifferenceKind::MutesCount, u64::from(stored.mutes), u64::from(expected.mutes)),
        ];
        for (kind, stored, expected) in pairs {
            if stored != expected {
                self.add(kind, uid, None, format_args!("stored {stored}, expected {expected}"));
            }
        }
    }
}

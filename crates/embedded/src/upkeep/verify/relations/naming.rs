//! Naming wrong edges: the rows of differing cells are read again from both tables and compared one by one.

use crate::engine::EngineResult;
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source::{self, RowSource};
use crate::view::View;
use crate::writer::MendTarget;
use guanxi_model::Stamp;
use guanxi_ports::DifferenceKind;
use std::collections::{BTreeMap, HashSet};

/// Rows held at a time: about 128 MB. More differing cells are taken in several passes.
const ROWS_HELD_MAX: u64 = 4_000_000;

/// Edges mended in memory. With more damage than that, counters and marks are reported as the reverse table has
/// them, so one wrong row may be named twice.
const MENDED_MAX: usize = 2_000_000;

/// A forward edge of a differing cell; its time is `None` when its value cannot be decoded.
type Fact = (u64, u64, Option<u64>);

/// A reverse edge of a differing cell: subject, object, time.
type Derived = (u64, u64, u64);

/// What makes the reverse table agree with the facts.
#[derive(Default)]
pub(super) struct Mending {
    /// By object: the subject and time of edges that the reverse table lacks.
    pub missing: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Reverse edges (object, subject, time) that should not be.
    pub extra: HashSet<(u64, u64, u64)>,
    missing_len: usize,
}

impl Mending {
    pub(super) fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }

    fn is_full(&self) -> bool {
        self.missing_len + self.extra.len() > MENDED_MAX
    }
}

/// Names each wrong row of the differing cells. There is no mending if there is too much to mend.
pub(super) fn name(
    view: &View,
    cells: &ComparedCells,
    differing: &[u16],
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(Findings, Option<Mending>)> {
    let mut findings = Findings::default();
    let mut mending = Mending::default();
    let mut rest = differing;
    while !rest.is_empty() {
        let mut rows = 0;
        let fits = rest.iter().take_while(|cell| {
            rows += cells.rows(**cell);
            rows <= ROWS_HELD_MAX
        });
        let (now, later) = rest.split_at(fits.count().max(1));
        rest = later;
        let wanted: HashSet<u16> = now.iter().copied().collect();
        let facts = facts(view, |subject, object| wanted.contains(&cells.of(subject, object)), meter)?;
        let derived = derived(view, |subject, object| wanted.contains(&cells.of(subject, object)), meter)?;
        compare(&facts, &derived, &mut findings, &mut mending);
    }
    Ok((findings, (!mending.is_full()).then_some(mending)))
}

fn facts(
    view: &View,
    wanted: impl Fn(u64, u64) -> bool,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Vec<Fact>> {
    let mut found = Vec::new();
    each(source::forward(&view.snapshot)?, meter, |subject, row| {
        if wanted(subject, row.object) {
            found.push((subject, row.object, row.value.map(|value| value.at.raw())));
        }
    })?;
    Ok(found)
}

fn derived(
    view: &View,
    wanted: impl Fn(u64, u64) -> bool,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Vec<Derived>> {
    let mut found = Vec::new();
    each(source::reverse(&view.snapshot)?, meter, |object, row| {
        if wanted(row.subject, object) {
            found.push((row.subject, object, row.at));
        }
    })?;
    found.sort_unstable();
    Ok(found)
}

fn each<T>(
    mut rows: RowSource<T>,
    meter: &mut ProgressMeter<'_>,
    mut take: impl FnMut(u64, T),
) -> EngineResult<()> {
    while let Some(uid) = rows.of() {
        while let Some(row) = rows.next_of(uid)? {
            meter.expect(1);
            meter.row();
            take(uid, row);
        }
    }
    Ok(())
}

/// Compares both sides pair by pair.
fn compare(facts: &[Fact], mut derived: &[Derived], findings: &mut Findings, mending: &mut Mending) {
    for &(subject, object, at) in facts {
        let before = derived.partition_point(|row| (row.0, row.1) < (subject, object));
        for &(subject, object, at) in &derived[..before] {
            forward_missing(subject, object, at, findings, mending);
        }
        derived = &derived[before..];
        let same = derived.iter().take_while(|row| (row.0, row.1) == (subject, object)).count();
        let (ours, later) = derived.split_at(same);
        derived = later;
        // A fact whose time cannot be read is named as undecodable; it agrees with any reverse edge.
        if let Some(at) = at {
            pair(subject, object, at, ours, findings, mending);
        }
    }
    for &(subject, object, at) in derived {
        forward_missing(subject, object, at, findings, mending);
    }
}

/// Compares one fact with the reverse edges of its pair.
fn pair(
    subject: u64,
    object: u64,
    at: u64,
    reverse: &[Derived],
    findings: &mut Findings,
    mending: &mut Mending,
) {
    let mut wrong = reverse.iter().filter(|row| row.2 != at);
    if reverse.iter().all(|row| row.2 != at) {
        mending.missing.entry(object).or_default().push((subject, at));
        mending.missing_len += 1;
        findings.mends(MendTarget::reverse(subject, object, at));
        if let Some(row) = wrong.next() {
            mending.extra.insert((object, subject, row.2));
            findings.mends(MendTarget::reverse(subject, object, row.2));
            findings.add(DifferenceKind::TimeDiffers, Some(subject), Some(object), || {
                format!("forward has {}, reverse has {}", show(at), show(row.2))
            });
        } else {
            findings.add(DifferenceKind::ReverseMissing, Some(subject), Some(object), || {
                format!("forward has {}, reverse has nothing", show(at))
            });
        }
    }
    for row in wrong {
        forward_missing(subject, object, row.2, findings, mending);
    }
}

fn forward_missing(subject: u64, object: u64, at: u64, findings: &mut Findings, mending: &mut Mending) {
    mending.extra.insert((object, subject, at));
    findings.mends(MendTarget::reverse(subject, object, at));
    findings.add(DifferenceKind::ForwardMissing, Some(subject), Some(object), || {
        format!("reverse has {}, forward has no edge of this time", show(at))
    });
}

fn show(at: u64) -> String {
    format!("{:?}", Stamp::from_raw(at))
}

//! Deciding which edges an import would accept.

use super::sort::{SortedRows, Sorter};
use super::{BulkEdge, BulkError, BulkLimits, BulkPlace, BulkReport, REFUSED_NAMED_MAX, RefusedEdge};
use crate::engine::EngineError;
use crate::progress::ProgressMeter;
use guanxi_model::{Reason, Stamp};
use std::collections::{BinaryHeap, HashSet};
use std::io;

/// Up to this many follows are searched one by one, which for most users is faster than a hash set.
const SCAN_MAX: usize = 32;

/// What was read: sorted by subject, then by place in the input.
pub(super) struct Lines {
    sorted: SortedRows<4>,
    report: BulkReport,
}

/// What was accepted.
pub(super) struct Accepted {
    pub report: BulkReport,
    /// `[subject, object, at]`
    pub by_subject: SortedRows<3>,
    /// `[object, subject, at]`
    pub by_object: SortedRows<3>,
}

/// Reads the input. Edges without a time get one of the load's, in the order of the input.
pub(super) fn read<E>(
    place: &BulkPlace,
    now: Stamp,
    edges: impl IntoIterator<Item = Result<BulkEdge, E>>,
    limits: BulkLimits,
    meter: &mut ProgressMeter<'_>,
) -> Result<Lines, BulkError<E>> {
    let mut report = BulkReport::default();
    let mut lines = Sorter::new(place.sort_dir(), "lines", limits.memory_edges);
    for edge in edges {
        let BulkEdge { line, subject, object, at } = edge.map_err(BulkError::Input)?;
        let arrived = now.raw().saturating_add(report.read);
        report.read += 1;
        // An edge counts once when read and once in each of two tables.
        meter.expect(3);
        meter.row();
        let (count, reason) = match Stamp::of_fact(at, now.ms()) {
            Err(reason) => (&mut report.ahead_refused, reason),
            Ok(_) if subject == object => (&mut report.self_refused, Reason::SelfRelation),
            Ok(at) => {
                let at = at.map_or(arrived, Stamp::raw);
                lines.push([subject.get(), line, object.get(), at]).map_err(EngineError::from)?;
                continue;
            }
        };
        *count += 1;
        if report.refused.len() < REFUSED_NAMED_MAX {
            report.refused.push(RefusedEdge { line, reason });
        }
    }
    let sorted = lines.finish().map_err(EngineError::from)?;
    Ok(Lines { sorted, report })
}

/// Accepts what an import in this order would: the first edge of each pair, up to the follow limit.
pub(super) fn accept(
    place: &BulkPlace,
    lines: Lines,
    follow_limit: u32,
    limits: BulkLimits,
) -> io::Result<Accepted> {
    let Lines { sorted, mut report } = lines;
    let mut by_subject = Sorter::new(place.sort_dir(), "by-subject", limits.memory_edges);
    let mut by_object = Sorter::new(place.sort_dir(), "by-object", limits.memory_edges);
    let mut over_limit = FirstLines::default();
    let mut following = Following::default();
    let mut current = 0;
    for line in sorted {
        let [subject, line, object, at] = line?;
        if subject != current {
            current = subject;
            following.clear();
        }
        if following.contains(object) {
            report.already_there += 1;
        } else if following.len() >= follow_limit as usize {
            report.over_limit += 1;
            over_limit.push(line);
        } else {
            following.insert(object);
            report.accepted += 1;
            by_subject.push([subject, object, at])?;
            by_object.push([object, subject, at])?;
        }
    }
    let reason = Reason::LimitReached { limit: follow_limit };
    report.refused.extend(over_limit.0.into_iter().map(|line| RefusedEdge { line, reason: reason.clone() }));
    report.refused.sort_unstable_by_key(|refused| refused.line);
    Ok(Accepted { report, by_subject: by_subject.finish()?, by_object: by_object.finish()? })
}

/// The follows of the subject at hand.
#[derive(Default)]
struct Following {
    few: Vec<u64>,
    many: HashSet<u64>,
}

impl Following {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    fn contains(&self, object: u64) -> bool {
        self.few.contains(&object) || (!self.many.is_empty() && self.many.contains(&object))
    }

    fn insert(&mut self, object: u64) {
        if self.few.len() < SCAN_MAX {
            self.few.push(object);
        } else {
            self.many.insert(object);
        }
    }
}

/// The first lines of many that come in no order.
#[derive(Default)]
struct FirstLines(BinaryHeap<u64>);

impl FirstLines {
    fn push(&mut self, line: u64) {
        self.0.push(line);
        if self.0.len() > REFUSED_NAMED_MAX {
            self.0.pop();
        }
    }
}

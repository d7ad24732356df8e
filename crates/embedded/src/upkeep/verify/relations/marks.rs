//! Blocks, mutes and removed follows against the same by the user whom they are about.

use crate::engine::{EngineResult, Table};
use crate::layout::{mark_prefix, marked_by_key, pair_key};
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source::{self, MarkRow, RowSource};
use crate::view::View;
use crate::writer::MendTarget;
use guanxi_model::Uid;
use guanxi_ports::{DifferenceKind, MarkKind};
use std::collections::HashSet;

/// Folds both sides, and names what is on one of them only.
pub(in crate::upkeep::verify) fn compare(view: &View, seed: u64) -> EngineResult<Findings> {
    let mut cells = ComparedCells::new(seed);
    let snapshot = &view.snapshot;
    for kind in MarkKind::ALL {
        // A row whose key cannot be decoded is named where marks are counted, or with the records.
        each(&mut source::marks(snapshot, kind)?, |subject, row| {
            cells.forward(row.other.get(), subject.get(), row.kind as u64);
            Ok(())
        })?;
    }
    let mut places = source::marked_by(snapshot)?;
    each(&mut places, |object, row| {
        cells.reverse(object.get(), row.other.get(), row.kind as u64);
        Ok(())
    })?;
    let mut findings = places.into_undecodable();
    let wanted: HashSet<u16> = cells.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(findings);
    }
    let is_wanted = |subject: Uid, object: Uid| wanted.contains(&cells.of(object.get(), subject.get()));
    let mut name = |kind, (subject, object): (Uid, Uid), detail: String| {
        findings.mends(Some(MendTarget::Mark { kind, subject, object }));
        let (subject, object) = (Some(subject.get()), Some(object.get()));
        findings.add(DifferenceKind::MarkIndex, subject, object, || detail);
    };
    for kind in MarkKind::ALL {
        each(&mut source::marks(snapshot, kind)?, |subject, row| {
            let place = marked_by_key(row.other, kind, subject);
            if is_wanted(subject, row.other) && !snapshot.contains(Table::Records, &place)? {
                name(
                    kind,
                    (subject, row.other),
                    format!("the {} is not in the index of the other user", word(kind)),
                );
            }
            Ok(())
        })?;
    }
    each(&mut source::marked_by(snapshot)?, |object, MarkRow { kind, other }| {
        let row = pair_key(mark_prefix(kind), other, object);
        if is_wanted(other, object) && !snapshot.contains(Table::Records, &row)? {
            name(kind, (other, object), format!("the index has a {} that there is not", word(kind)));
        }
        Ok(())
    })?;
    Ok(findings)
}

/// Takes every row of a source, with the user that it is of.
fn each(
    rows: &mut RowSource<MarkRow>,
    mut take: impl FnMut(Uid, MarkRow) -> EngineResult<()>,
) -> EngineResult<()> {
    while let Some(of) = rows.of() {
        let (Ok(uid), Some(row)) = (Uid::new(of), rows.next_of(of)?) else { break };
        take(uid, row)?;
    }
    Ok(())
}

const fn word(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Block => "block",
        MarkKind::Mute => "mute",
        MarkKind::RemovedFollow => "removed follow",
    }
}

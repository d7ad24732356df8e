//! A logical dump of one view, written while the store serves.
//!
//! It holds the facts and the records: forward edges, posts with their likes, earlier revisions and counters, removed
//! follows, blocks, mutes, counters, follow limits, seen marks, dismissed suggestions, scores of users with each other, credentials (as hashes), what operators did, import jobs and remembered
//! answers. Reverse edges and outboxes are left out, since they follow from forward edges and posts; so is the log, since positions of this history mean nothing in the one that a restore begins.

use crate::engine::{Engine, EngineError, Table};
use crate::layout::{
    FORMAT_VERSION, ForwardValue, PostValue, STATE_KEY, StateValue, parse_forward_key, parse_post_key,
};
use crate::progress::ProgressMeter;
use crate::shared::seq_of;
use crate::view::View;
use guanxi_model::{Error, Position, Reason, Result, Stamp};
use guanxi_rows::{DumpHeader, DumpSection, DumpWriter};
use std::io::{self, Write};
use std::ops::Bound;

/// About how many rows a dump has.
pub(super) fn expected_rows(engine: &Engine) -> u64 {
    [Table::Forward, Table::Records, Table::Posts]
        .into_iter()
        .map(|table| engine.approximate_rows(table))
        .sum()
}

/// Dumps a view.
pub(super) fn dump(
    view: &View,
    position: &Position,
    sink: &mut dyn Write,
    meter: &mut ProgressMeter<'_>,
) -> Result<()> {
    let (history, seq) = (position.history(), seq_of(position));
    let header = DumpHeader { layout: FORMAT_VERSION, history, seq, clock: clock(view)?, logs: None };
    let mut out = DumpWriter::new(sink, &header).map_err(|error| not_written(&error))?;
    section(view, DumpSection::Forward, &mut out, meter)?;
    section(view, DumpSection::Records, &mut out, meter)?;
    section(view, DumpSection::Posts, &mut out, meter)?;
    out.finish().map_err(|error| not_written(&error))?;
    meter.finish();
    Ok(())
}

fn section(
    view: &View,
    section: DumpSection,
    out: &mut DumpWriter<'_>,
    meter: &mut ProgressMeter<'_>,
) -> Result<()> {
    for row in view.snapshot.range(table_of(section), Bound::Unbounded, Bound::Unbounded) {
        let (key, value) = row?;
        meter.row();
        if let Some(what) = unrestorable(section, &key, &value) {
            let detail = format!("{what} cannot be decoded; run `guanxi verify`, which names it");
            return Err(Error::with_detail(Reason::Damaged, detail));
        }
        // The header carries the state.
        if section != DumpSection::Records || &key[..] != STATE_KEY {
            out.row(section, &key, &value).map_err(|error| not_written(&error))?;
        }
    }
    out.end_section().map_err(|error| not_written(&error))
}

/// The table of a section.
const fn table_of(section: DumpSection) -> Table {
    match section {
        DumpSection::Forward => Table::Forward,
        DumpSection::Records => Table::Records,
        DumpSection::Posts => Table::Posts,
    }
}

/// Returns what a row is, if it could not be restored: reverse edges and outboxes are derived from these.
fn unrestorable(section: DumpSection, key: &[u8], value: &[u8]) -> Option<&'static str> {
    let (what, sound) = match section {
        DumpSection::Records => return None,
        DumpSection::Forward => {
            ("a forward edge", parse_forward_key(key).is_some() && ForwardValue::decode(value).is_some())
        }
        DumpSection::Posts => {
            ("a post", parse_post_key(key).is_some_and(|id| PostValue::decode(id, value).is_some()))
        }
    };
    (!sound).then_some(what)
}

fn clock(view: &View) -> Result<Stamp> {
    let Some(bytes) = view.snapshot.get(Table::Records, STATE_KEY)? else { return Ok(Stamp::ZERO) };
    let damaged = || EngineError::Damaged("the store's state cannot be decoded".into());
    Ok(StateValue::decode(&bytes).ok_or_else(damaged)?.clock)
}

fn not_written(error: &io::Error) -> Error {
    Error::with_detail(Reason::Internal, format!("the dump cannot be written: {error}"))
}

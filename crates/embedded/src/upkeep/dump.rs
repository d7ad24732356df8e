//! A logical dump of one view, written while the store serves.
//!
//! It holds the facts and the records: forward edges, removed follows, blocks, mutes, counters, follow limits,
//! credentials (as hashes), import jobs and remembered answers. Reverse edges are left out, since they follow from
//! the forward ones; so is the log, since positions of this history mean nothing in the one that a restore begins.

use super::Meter;
use super::format::{DumpWriter, Header, Section};
use crate::engine::{Engine, EngineError, Table};
use crate::layout::{ForwardValue, STATE_KEY, StateValue, parse_forward_key};
use crate::view::View;
use guanxi_model::{Error, Position, Reason, Result, Stamp};
use std::io::{self, Write};
use std::ops::Bound;

/// About how many rows a dump has.
pub(super) fn expected_rows(engine: &Engine) -> u64 {
    [Table::Forward, Table::Records].into_iter().map(|table| engine.approximate_rows(table)).sum()
}

/// Dumps a view.
pub(super) fn dump(
    view: &View,
    position: Position,
    sink: &mut dyn Write,
    meter: &mut Meter<'_>,
) -> Result<()> {
    let header = Header { history: position.history, seq: position.seq, clock: clock(view)? };
    let mut out = DumpWriter::new(sink, &header).map_err(|error| not_written(&error))?;
    section(view, Section::Forward, &mut out, meter)?;
    section(view, Section::Records, &mut out, meter)?;
    out.finish().map_err(|error| not_written(&error))?;
    meter.finish();
    Ok(())
}

fn section(view: &View, section: Section, out: &mut DumpWriter<'_>, meter: &mut Meter<'_>) -> Result<()> {
    for row in view.snapshot.range(section.table(), Bound::Unbounded, Bound::Unbounded) {
        let (key, value) = row?;
        meter.row();
        if section == Section::Forward && !is_forward_edge(&key, &value) {
            let detail = "a forward edge cannot be decoded; run `guanxi verify`, which names it";
            return Err(Error::with_detail(Reason::Damaged, detail));
        }
        // The header carries the state.
        if section == Section::Forward || &key[..] != STATE_KEY {
            out.row(section, &key, &value).map_err(|error| not_written(&error))?;
        }
    }
    out.end_section().map_err(|error| not_written(&error))
}

/// Whether a row can be restored: its reverse edge is derived from it.
fn is_forward_edge(key: &[u8], value: &[u8]) -> bool {
    parse_forward_key(key).is_some() && ForwardValue::decode(value).is_some()
}

fn clock(view: &View) -> Result<Stamp> {
    let Some(bytes) = view.snapshot.get(Table::Records, STATE_KEY)? else { return Ok(Stamp::ZERO) };
    let damaged = || EngineError::Damaged("the store's state cannot be decoded".into());
    Ok(StateValue::decode(&bytes).ok_or_else(damaged)?.clock)
}

fn not_written(error: &io::Error) -> Error {
    Error::with_detail(Reason::Internal, format!("the dump cannot be written: {error}"))
}

//! `guanxi import --dry-run`: what a list is taken for.

use super::super::{print, print_json};
use guanxi_lists::batches::{Batches, RefusedLine};
use guanxi_lists::form::{Decided, LayoutFacts};
use guanxi_lists::input::Input;
use guanxi_lists::row::Row;
use guanxi_server::Outcome;
use serde::Serialize;
use std::fmt;

/// Rows that are shown: enough to see which column is which.
const ROWS_SHOWN: usize = 3;

/// The layout that a list is taken for, and its first rows.
#[derive(Debug, Serialize)]
struct DryRun {
    file: String,
    compression: &'static str,
    #[serde(flatten)]
    facts: LayoutFacts,
    rows: Vec<ShownRow>,
}

/// A row as it would be imported.
#[derive(Debug, Serialize)]
struct ShownRow {
    line: u64,
    is_refused: bool,
    text: String,
}

/// Prints what a list is taken for.
pub(super) fn dry_run<R: Row>(file: &str, input: Input, decided: Decided, verb: &str, json: bool) -> Outcome {
    let compression = input.compression.name();
    let rows = first_rows::<R>(input, &decided, verb)?;
    let run = DryRun { file: file.to_owned(), compression, facts: decided.facts, rows };
    if json { print_json(&run) } else { print(&run) }
}

fn first_rows<R: Row>(input: Input, decided: &Decided, verb: &str) -> Outcome<Vec<ShownRow>> {
    let mut rows = Vec::new();
    for batch in Batches::<R, _>::new(input.lines, decided.form.clone()) {
        let batch = batch?;
        let read = batch.row_lines.iter().zip(&batch.rows).map(|(line, row)| ShownRow {
            line: *line,
            is_refused: false,
            text: row.told(verb, &|uid| uid.to_string()),
        });
        let refused = batch.refused.iter().map(|RefusedLine { line, refusal, text }| ShownRow {
            line: *line,
            is_refused: true,
            text: format!("{}: {}: {text}", refusal.reason, refusal.detail),
        });
        rows.extend(read.take(ROWS_SHOWN).chain(refused.take(ROWS_SHOWN)));
        if rows.len() >= ROWS_SHOWN {
            break;
        }
    }
    rows.sort_by_key(|row| row.line);
    rows.truncate(ROWS_SHOWN);
    Ok(rows)
}

impl fmt::Display for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, compression, facts, rows } = self;
        writeln!(f, "file       {file}, {compression}")?;
        write!(f, "lines      end in {}", facts.line_end)?;
        if let Some(separator) = facts.separator {
            write!(f, ", fields are separated by {separator}")?;
        }
        if facts.is_export {
            write!(f, "\nlayout     said by its first line, as guanxi export writes it")?;
        }
        if let Some(header) = &facts.header {
            write!(f, "\nheader     {header}")?;
        }
        if let Some(columns) = &facts.columns {
            write!(f, "\ncolumns    {columns}")?;
        }
        if let Some([sources, targets]) = facts.ids {
            write!(f, "\nids        sources: {sources}, targets: {targets}")?;
        }
        for ShownRow { line, is_refused, text } in rows {
            write!(f, "\nline {line:<5} {}{text}", if *is_refused { "refused: " } else { "" })?;
        }
        write!(f, "\nnothing was written")
    }
}

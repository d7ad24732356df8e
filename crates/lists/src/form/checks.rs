//! Whether the rows of the first block are what they are taken for.

use super::super::fields::with_fields;
use super::super::time::{field_time, out_of_range};
use super::dialect::separator_name;
use super::sample::IdKind;
use super::{Ids, Side, TableForm, Wish, shown};

/// Milliseconds from which on a number of seconds is rather one of smaller units.
const SMALLER_UNITS_MS: u64 = 100_000_000_000_000;

/// Most rows have the fields of the table; else it is another kind of list.
pub(super) fn check_widths(rows: &[&[u8]], table: &TableForm) -> Result<(), String> {
    let width = |row: &&[u8]| with_fields(row, table.separator, |fields| fields.count);
    let fit = rows.iter().filter(|row| (table.needed()..=table.width).contains(&width(row))).count();
    if fit * 2 >= rows.len() {
        return Ok(());
    }
    let widest = rows.iter().map(width).max().unwrap_or_default();
    Err(format!(
        "{} of its first {} rows do not have the fields {}: they have up to {widest}, separated by {}; name all columns by --columns, \
         or write one follow a line if each line lists all friends of a user",
        rows.len() - fit,
        rows.len(),
        table.columns(),
        separator_name(table.separator)
    ))
}

/// The ids are what they shall be, and both columns hold the same.
pub(super) fn check_ids(
    rows: &[&[u8]],
    table: &TableForm,
    wish: &Wish,
    has_header: bool,
) -> Result<(), String> {
    let has = |side: &Side, kind: IdKind| match side {
        Side::Column(at) => rows
            .iter()
            .any(|row| with_fields(row, table.separator, |fields| IdKind::of(fields.value(*at)) == kind)),
        Side::Fixed(_) => true,
    };
    let sides = [(&table.subject, "source"), (&table.object, "target")];
    if wish.ids == Ids::Uid {
        return match sides.iter().find(|(side, _)| !has(side, IdKind::Number)) {
            Some((_, word)) => Err(format!(
                "no {word} of its first rows is a number; if users are named by ids of your own, add --ids string"
            )),
            None => Ok(()),
        };
    }
    if has_header || wish.columns.is_some() {
        return Ok(());
    }
    let kind = |side: &Side| match side {
        Side::Column(at) => IdKind::of_column(rows, table.separator, *at),
        Side::Fixed(_) => None,
    };
    for ((one, word), (other, other_word)) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        let Some(found) = kind(one).filter(|kind| !matches!(kind, IdKind::Number | IdKind::Text)) else {
            continue;
        };
        if !has(other, found) {
            return Err(format!(
                "each {word} is of {}, and no {other_word} is; if both are users all the same, say --columns {}",
                found.name(),
                table.columns()
            ));
        }
    }
    Ok(())
}

/// The kinds of times in a column.
#[derive(Default)]
pub(super) struct Times {
    /// Fields that are times.
    pub read: usize,
    plausible: usize,
    /// Fields that are neither times nor empty.
    pub garbage: usize,
    first: Option<(String, Option<u64>)>,
}

impl Times {
    /// Reads the fields of a column.
    pub(super) fn of(rows: &[&[u8]], separator: u8, column: usize) -> Self {
        let mut times = Self::default();
        for row in rows {
            with_fields(row, separator, |fields| {
                let field = fields.value(column);
                if field.is_empty() {
                    return;
                }
                let ms = field_time(field).map(|time| time.ms);
                times.first.get_or_insert_with(|| (shown(field), ms));
                match ms {
                    Some(ms) => {
                        times.read += 1;
                        times.plausible += usize::from(out_of_range(ms, false).is_none());
                    }
                    None => times.garbage += 1,
                }
            });
        }
        times
    }
}

/// Some times are times.
pub(super) fn check_times(rows: &[&[u8]], table: &TableForm) -> Result<(), String> {
    let Some(column) = table.time else { return Ok(()) };
    let times = Times::of(rows, table.separator, column);
    let Some((first, ms)) = times.first.filter(|_| times.plausible == 0) else { return Ok(()) };
    let columns = table.columns().replace("time", "-");
    Err(match ms {
        Some(ms) if ms >= SMALLER_UNITS_MS => format!(
            "its times, such as `{first}`, are after the year 2100 in seconds; if they are milliseconds or smaller units, make seconds of \
             them, or leave them out by --columns {columns}"
        ),
        _ => format!(
            "field {} of its rows, such as `{first}`, is no time since the year 2000; if it is something else, leave it out by --columns \
             {columns}",
            column + 1
        ),
    })
}

//! Decides how a list is laid out. A list that can be read in two ways is refused, with the flags that decide it: a wrong
//! guess makes unintended users and follows.

use super::super::fields::with_fields;
use super::super::time::field_time;
use super::checks::{Times, check_ids, check_times, check_widths};
use super::container::not_readable;
use super::dialect::{line_end, separator, separator_name};
use super::elsewhere::{no_objects, no_table};
use super::names::{Fixed, Meaning, meaning};
use super::sample::{FirstLines, IdKind};
use super::{Column, Form, Header, Ids, Side, Stamped, TableForm, Wish, shown};
use serde::Serialize;

/// How a list is laid out, and what that was seen by.
#[derive(Clone, Debug)]
pub struct Decided {
    /// How rows are read.
    pub form: Form,
    /// The facts to report of it.
    pub facts: LayoutFacts,
}

/// The facts that are reported of a list before its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayoutFacts {
    /// The end of lines.
    pub line_end: &'static str,
    /// The separator of fields, of a table.
    pub separator: Option<&'static str>,
    /// The columns, as `--columns` takes them, of a table.
    pub columns: Option<String>,
    /// The line that names the columns.
    pub header: Option<String>,
    /// The look of the ids of sources and targets, of a table.
    pub ids: Option<[&'static str; 2]>,
    /// Whether the list is an export of this program, after whose first line nothing is guessed.
    pub is_export: bool,
}

/// Decides how a table of follows, blocks or mutes is laid out, by its first block.
///
/// # Errors
/// What is not clear or cannot be read, and what to do, in words.
pub fn decide_table(block: &[u8], is_whole: bool, wish: &Wish) -> Result<Decided, String> {
    if let Some(why) = no_table(block).or_else(|| not_readable(block)) {
        return Err(why);
    }
    let line_end = line_end(block);
    let sample = FirstLines::of(block, line_end, is_whole);
    let stamped = Stamped::read(sample.first)?;
    if let Some(stamped) = &stamped {
        stamped.check(wish.kind, wish.ids)?;
        if wish.columns.is_some()
            || wish.subject.is_some()
            || wish.object.is_some()
            || wish.header == Header::Yes
        {
            return Err("its first line says what its columns are: leave --columns, --subject, --object and --header out".to_owned());
        }
    }
    let (has_header, table) = if stamped.is_some() {
        (false, TableForm::exported(wish.kind))
    } else if sample.rows.is_empty() {
        (false, TableForm::default())
    } else {
        table(&sample.rows, wish)?
    };
    let rows = &sample.rows[usize::from(has_header)..];
    let kinds = [&table.subject, &table.object].map(|side| match side {
        Side::Column(at) => IdKind::of_column(rows, table.separator, *at).map_or("none", IdKind::name),
        Side::Fixed(_) => "given",
    });
    let facts = LayoutFacts {
        line_end: line_end_name(line_end),
        separator: Some(separator_name(table.separator)),
        columns: Some(table.columns()),
        header: has_header.then(|| String::from_utf8_lossy(sample.rows[0].trim_ascii()).into_owned()),
        ids: Some(kinds),
        is_export: stamped.is_some(),
    };
    Ok(Decided { form: Form { line_end, has_header, table }, facts })
}

/// Decides how a list of JSON objects is laid out, by its first block.
///
/// # Errors
/// What cannot be read, and what to do, in words.
pub fn decide_objects(block: &[u8], is_whole: bool, kind: &str, ids: Ids) -> Result<Decided, String> {
    if let Some(why) = not_readable(block) {
        return Err(why);
    }
    let line_end = line_end(block);
    let sample = FirstLines::of(block, line_end, is_whole);
    let stamped = Stamped::read(sample.first)?;
    if let Some(stamped) = &stamped {
        stamped.check(kind, ids)?;
    }
    if let Some(why) = no_objects(&sample.rows) {
        return Err(why);
    }
    let facts = LayoutFacts {
        line_end: line_end_name(line_end),
        is_export: stamped.is_some(),
        ..LayoutFacts::default()
    };
    Ok(Decided { form: Form { line_end, ..Form::default() }, facts })
}

const fn line_end_name(line_end: u8) -> &'static str {
    if line_end == b'\r' { "carriage returns" } else { "line feeds" }
}

/// Returns whether the first row names columns, and what the columns are.
fn table(rows: &[&[u8]], wish: &Wish) -> Result<(bool, TableForm), String> {
    let (separator, width) = separator(rows);
    let first = First::of(rows, separator);
    let has_header = first.is_header(rows, wish)?;
    if has_header && rows.len() == 1 {
        return Err(format!(
            "its only line, `{}`, names columns, and there is no row; if it is a row, say --header no",
            shown(rows[0])
        ));
    }
    let columns = match &wish.columns {
        Some(columns) => columns.clone(),
        None if has_header => first.columns(wish)?,
        None => positional(width, wish)?,
    };
    if wish.kind != "mutes" && columns.iter().any(|column| matches!(column, Column::Scope | Column::Until)) {
        return Err(format!(
            "it has a column `scope` or `until`, which mutes alone have: guanxi import mutes; or leave the column out by `-` in \
             --columns {}",
            example(width)
        ));
    }
    let rows = &rows[usize::from(has_header)..];
    let table = TableForm::of(separator, &columns, wish.subject.as_deref(), wish.object.as_deref())?;
    check_widths(rows, &table)?;
    check_ids(rows, &table, wish, has_header)?;
    check_times(rows, &table)?;
    Ok((has_header, table))
}

/// The columns of a list that does not name them.
fn positional(width: usize, wish: &Wish) -> Result<Vec<Column>, String> {
    let users = match (&wish.subject, &wish.object) {
        (None, None) => vec![Column::Source, Column::Target],
        (Some(_), None) => vec![Column::Target],
        (None, Some(_)) => vec![Column::Source],
        (Some(_), Some(_)) => {
            return Err("--subject and --object together leave nothing for the list to say".to_owned());
        }
    };
    if width < users.len() {
        return Err(
            "its lines have one field, and a row is `source target [time]`; a list of whom one user follows takes --subject UID, \
             of who follows one user --object UID"
                .to_owned(),
        );
    }
    if width > users.len() + 1 {
        return Err(format!(
            "its lines have {width} fields, and a row is `source target [time]`; say what the columns are, such as --columns {} \
             (`-` ignores one)",
            example(width)
        ));
    }
    Ok(users.into_iter().chain([Column::Time]).collect())
}

/// Columns as `--columns` takes them, for so many fields.
fn example(width: usize) -> String {
    let names = ["source", "target", "time"].into_iter().chain(std::iter::repeat("-"));
    names.take(width.clamp(2, 8)).collect::<Vec<_>>().join(",")
}

/// The first row, which may name the columns.
struct First<'a> {
    line: &'a [u8],
    separator: u8,
    fields: Vec<Vec<u8>>,
    meanings: Vec<Option<Meaning>>,
}

impl<'a> First<'a> {
    fn of(rows: &[&'a [u8]], separator: u8) -> Self {
        let line = rows[0];
        let fields = with_fields(line, separator, |fields| {
            (0..fields.count).map(|at| fields.get(at).to_vec()).collect::<Vec<_>>()
        });
        // A word that only may be a name is an id if it stands in other rows, too.
        let recurs = |name: &[u8]| {
            let has = |row: &&[u8]| {
                with_fields(row, separator, |fields| (0..fields.count).any(|at| fields.get(at) == name))
            };
            rows[1..].iter().any(has)
        };
        let known =
            |field: &Vec<u8>| meaning(field).filter(|meaning| *meaning != Meaning::Unclear || !recurs(field));
        let meanings = fields.iter().map(known).collect();
        Self { line, separator, fields, meanings }
    }

    /// Returns whether it names the columns.
    fn is_header(&self, rows: &[&[u8]], wish: &Wish) -> Result<bool, String> {
        match wish.header {
            Header::Yes => return Ok(true),
            Header::No => return Ok(false),
            Header::Auto => {}
        }
        if self.meanings.iter().all(Option::is_some) {
            // Where the columns are said already, nothing else would ask whether `a,b` is a row.
            let may_be_row = wish.ids == Ids::String && wish.columns.is_some();
            let is_unclear = may_be_row && self.meanings.contains(&Some(Meaning::Unclear));
            return if is_unclear { Err(self.question()) } else { Ok(true) };
        }
        let users: Vec<usize> = match &wish.columns {
            Some(columns) => columns
                .iter()
                .enumerate()
                .filter(|(_, c)| matches!(c, Column::Source | Column::Target))
                .map(|(at, _)| at)
                .collect(),
            None if wish.subject.is_some() || wish.object.is_some() => vec![0],
            None => vec![0, 1],
        };
        let kind = |at: usize| IdKind::of(self.fields.get(at).map_or(&b""[..], Vec::as_slice));
        let rest = |at| IdKind::of_column(&rows[1..], self.separator, at);
        if wish.ids == Ids::Uid {
            // A number is no name. Where the columns are said and rows of numbers follow, what is none names them.
            if users.iter().any(|at| kind(*at) == IdKind::Number) {
                return Ok(false);
            }
            let names_columns =
                wish.columns.is_some() && users.iter().all(|at| rest(*at) == Some(IdKind::Number));
            return if names_columns { Ok(true) } else { Err(self.question()) };
        }
        let is_stranger =
            |at: &usize| rest(*at).is_some_and(|rest| rest != IdKind::Text && rest != kind(*at));
        if self.meanings.iter().any(Option::is_some)
            || users.iter().any(is_stranger)
            || self.names_a_time(rows, wish, users.len())
        {
            return Err(self.question());
        }
        Ok(false)
    }

    /// Returns whether it has a word where all others have a time.
    fn names_a_time(&self, rows: &[&[u8]], wish: &Wish, users: usize) -> bool {
        let time = match &wish.columns {
            Some(columns) => columns.iter().position(|column| *column == Column::Time),
            None => Some(users),
        };
        let Some(time) = time.filter(|time| *time < self.fields.len()) else { return false };
        let times = Times::of(&rows[1..], self.separator, time);
        field_time(&self.fields[time]).is_none()
            && !self.fields[time].is_empty()
            && times.read > 0
            && times.garbage == 0
    }

    /// The columns that it names.
    fn columns(&self, wish: &Wish) -> Result<Vec<Column>, String> {
        let meanings: Option<Vec<Meaning>> = self.meanings.iter().copied().collect();
        let fixed = match (&wish.subject, &wish.object) {
            (Some(_), _) => Fixed::Subject,
            (None, Some(_)) => Fixed::Object,
            (None, None) => Fixed::None,
        };
        let named = meanings.ok_or_else(|| self.question())?;
        Column::named(&named, fixed).map_err(|why| {
            format!(
                "its first line is `{}`, and {why}; say what the columns are, such as --columns {} (`-` ignores one), and if it is a row, --header no{}",
                shown(self.line),
                example(self.fields.len()),
                if fixed == Fixed::None { ", or --subject UID or --object UID for a list of one side" } else { "" }
            )
        })
    }

    /// Returns the question to the user when the first line may be a row or not, or has unknown names.
    fn question(&self) -> String {
        let strangers: Vec<String> = std::iter::zip(&self.fields, &self.meanings)
            .filter(|(_, meaning)| matches!(meaning, None | Some(Meaning::Unclear)))
            .map(|(field, _)| format!("`{}`", shown(field)))
            .take(4)
            .collect();
        format!(
            "its first line is `{}`, and {} no clear name of a column; say what the columns are, such as --columns {} (`-` ignores \
             one), and whether that line names them: --header yes|no",
            shown(self.line),
            match strangers.as_slice() {
                [one] => format!("{one} is"),
                several => format!("{} are", several.join(", ")),
            },
            example(self.fields.len())
        )
    }
}

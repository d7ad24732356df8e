//! The layout of a list. It is decided once, from the first block and the command line, before a row is read.

mod checks;
mod container;
mod decide;
mod dialect;
mod elsewhere;
mod names;
mod sample;
mod stamp;

pub use container::{BLOCK_LEN, Compression, is_too_wide};
pub use decide::{Decided, LayoutFacts, decide_objects, decide_table};
pub use names::Column;
pub use stamp::{EDGE_COLUMNS, MUTE_COLUMNS, Stamped};

/// Whether a list begins with the names of its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Header {
    /// If its first line says so; what may be either is refused.
    #[default]
    Auto,
    /// Yes: its first line is no row.
    Yes,
    /// No: its first line is a row.
    No,
}

/// How lists name users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Ids {
    /// Uids.
    #[default]
    Uid,
    /// Ids of your own, UUIDs or other text, for which uids are made.
    String,
}

/// Where one of the two users of a row comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// From a column, counted from 0.
    Column(usize),
    /// It is the same for all rows.
    Fixed(String),
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableForm {
    /// The byte between fields; of spaces several are one.
    pub separator: u8,
    /// The user that follows, blocks or mutes.
    pub subject: Side,
    /// The user that is followed, blocked or muted.
    pub object: Side,
    /// The column of the time, counted from 0.
    pub time: Option<usize>,
    /// The column of what a mute leaves out, counted from 0.
    pub scope: Option<usize>,
    /// The column of when a mute ends, counted from 0.
    pub until: Option<usize>,
    /// How many columns there are.
    pub width: usize,
    /// Whether times before 2000 are times, too: in a list that this program wrote.
    pub any_time: bool,
}

impl TableForm {
    /// The columns of a list that this program wrote.
    pub fn exported(kind: &str) -> Self {
        let form = Self { any_time: true, ..Self::default() };
        if kind == "mutes" { Self { scope: Some(3), until: Some(4), width: 5, ..form } } else { form }
    }

    /// The columns that a row has at least: those of its users.
    pub fn needed(&self) -> usize {
        let of = |side: &Side| if let Side::Column(at) = side { at + 1 } else { 0 };
        of(&self.subject).max(of(&self.object))
    }

    /// Returns the columns, as `--columns` takes them.
    pub fn columns(&self) -> String {
        let name = |at| match at {
            _ if self.subject == Side::Column(at) => "source",
            _ if self.object == Side::Column(at) => "target",
            _ if self.time == Some(at) => "time",
            _ if self.scope == Some(at) => "scope",
            _ if self.until == Some(at) => "until",
            _ => "-",
        };
        (0..self.width).map(name).collect::<Vec<_>>().join(",")
    }
}

impl Default for TableForm {
    fn default() -> Self {
        Self {
            separator: b'\t',
            subject: Side::Column(0),
            object: Side::Column(1),
            time: Some(2),
            scope: None,
            until: None,
            width: 3,
            any_time: false,
        }
    }
}

/// How a list is laid out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The byte that ends a line.
    pub line_end: u8,
    /// Whether the first line that holds something names the columns.
    pub has_header: bool,
    /// The columns, of a list that has any.
    pub table: TableForm,
}

impl Default for Form {
    fn default() -> Self {
        Self { line_end: b'\n', has_header: false, table: TableForm::default() }
    }
}

/// All columns of a table, which are the value of one flag.
pub type TableColumns = Vec<Column>;

/// The statements of the command line about a table of follows, blocks or mutes. The docs of flags are their help.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Wish {
    /// The kind of rows: `edges`, `blocks` or `mutes`.
    #[arg(skip)]
    pub kind: &'static str,
    /// How the list names users.
    #[arg(skip)]
    pub ids: Ids,
    /// Whether the first line names the columns; auto refuses what may be a row or not
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub header: Header,
    /// What the columns are, with commas between: source, target, time, of mutes scope and until, and - for one that is not
    /// imported
    #[arg(long, value_name = "NAMES", value_parser = Column::all, allow_hyphen_values = true)]
    pub columns: Option<TableColumns>,
    /// The source of all rows, for a list of whom one user follows, blocks or mutes
    #[arg(long, value_name = "UID", conflicts_with = "object")]
    pub subject: Option<String>,
    /// The target of all rows, for a list of who follows one user
    #[arg(long, value_name = "UID")]
    pub object: Option<String>,
}

/// Returns whether a line is skipped: blank, or a comment.
pub fn is_nothing(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line[0] == b'#'
}

/// How a field or line is told of: its beginning, without control characters.
pub fn shown(field: &[u8]) -> String {
    /// Characters that tell which it is.
    const SHOWN_MAX: usize = 40;
    let text = String::from_utf8_lossy(field);
    text.chars().take(SHOWN_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

//! How a list is laid out: what the command line says of it, and what its first block shows.

use clap::Args;
use guanxi_lists::form::{Column, Decided, Header, Ids, Wish, decide_objects, decide_table};
use guanxi_lists::input::Input;
use guanxi_model::Uid;
use guanxi_server::{Failure, Outcome};

/// What is said of the columns of follows, blocks and mutes.
#[derive(Debug, Args)]
pub(super) struct ListLayout {
    /// Whether the first line names the columns; auto refuses what may be a row or not
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    header: Header,
    /// What the columns are, with commas between: source, target, time, of mutes scope and until, and - for one that is not
    /// imported
    #[arg(long, value_name = "NAMES", value_parser = columns, allow_hyphen_values = true)]
    columns: Option<Columns>,
    /// The source of all rows, for a list of whom one user follows, blocks or mutes
    #[arg(long, value_name = "UID", conflicts_with = "object")]
    subject: Option<String>,
    /// The target of all rows, for a list of who follows one user
    #[arg(long, value_name = "UID")]
    object: Option<String>,
}

#[derive(Clone, Debug)]
struct Columns(Vec<Column>);

fn columns(text: &str) -> Result<Columns, String> {
    Column::all(text).map(Columns)
}

impl ListLayout {
    /// Decides how a list of such rows is laid out.
    pub(super) fn decide(&self, input: &Input, kind: &'static str, ids: Ids) -> Outcome<Decided> {
        for (flag, uid) in [("--subject", &self.subject), ("--object", &self.object)] {
            let Some(text) = uid.as_ref().filter(|_| ids == Ids::Uid) else { continue };
            if text.parse().ok().and_then(|raw| Uid::new(raw).ok()).is_none() {
                return Err(Failure::usage(format_args!(
                    "{flag} {text} is no uid; if users are named by ids of your own, add --ids string"
                )));
            }
        }
        let wish = Wish {
            kind,
            ids,
            header: self.header,
            columns: self.columns.clone().map(|columns| columns.0),
            subject: self.subject.clone(),
            object: self.object.clone(),
        };
        decide_table(&input.block, input.is_whole(), &wish).map_err(refused)
    }
}

/// Decides how a list of JSON objects is laid out.
pub(super) fn decide_lines(input: &Input, kind: &str, ids: Ids) -> Outcome<Decided> {
    decide_objects(&input.block, input.is_whole(), kind, ids).map_err(refused)
}

fn refused(why: String) -> Failure {
    Failure::refused(why).hint("nothing was imported")
}

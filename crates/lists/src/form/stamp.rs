//! The first line of the lists that this program writes, after which nothing is guessed:
//! `# guanxi edges 1: subject object at`.

use super::Ids;

/// The columns of follows and blocks, as their first line names them.
pub const EDGE_COLUMNS: &str = "subject object at";
/// The columns of mutes; the last two are left out where they say nothing.
pub const MUTE_COLUMNS: &str = "subject object at scope until";
/// The beginning of a first line.
const MARK: &str = "# guanxi ";
/// The version of lines that is written, and the latest that is read.
const VERSION: u32 = 1;
/// The text after the columns where users are written by ids of their own.
const OWN_IDS: &str = " (own ids)";

/// The statement of a list about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// The kind of rows, such as `edges`.
    pub kind: String,
    /// How the list names users.
    pub ids: Ids,
}

impl Stamped {
    /// The first line of a list, without its end.
    pub fn line(kind: &str, ids: Ids, columns: &str) -> String {
        let ids = if ids == Ids::String { OWN_IDS } else { "" };
        format!("{MARK}{kind} {VERSION}: {columns}{ids}")
    }

    /// Reads the first line of a list; `None` for one of another program.
    ///
    /// # Errors
    /// When it is of a later version.
    pub(super) fn read(line: &[u8]) -> Result<Option<Self>, String> {
        let Some((kind, rest)) =
            str::from_utf8(line).ok().and_then(|line| line.trim().strip_prefix(MARK)?.split_once(' '))
        else {
            return Ok(None);
        };
        let Some((version, columns)) = rest.split_once(':') else { return Ok(None) };
        match version.parse::<u32>() {
            Ok(VERSION) => {}
            Ok(_) => {
                return Err(format!(
                    "its first line says version {version} of {kind}, and {VERSION} is read; import it with a later guanxi"
                ));
            }
            Err(_) => return Ok(None),
        }
        let ids = if columns.ends_with(OWN_IDS) { Ids::String } else { Ids::Uid };
        Ok(Some(Self { kind: kind.to_owned(), ids }))
    }

    /// Whether the list is what the import takes.
    ///
    /// # Errors
    /// What it is, and the command for it.
    pub(super) fn check(&self, kind: &str, ids: Ids) -> Result<(), String> {
        if self.kind != kind {
            return Err(format!("its first line says that it holds {0}: guanxi import {0}", self.kind));
        }
        match (self.ids, ids) {
            (Ids::String, Ids::Uid) => Err("its users are named by ids of your own: add --ids string".to_owned()),
            (Ids::Uid, Ids::String) => Err(
                "its users are named by uids: leave --ids out; or take its first line away, if they shall be ids of your own"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_other_comments_are_not() {
        for ids in [Ids::Uid, Ids::String] {
            let line = Stamped::line("edges", ids, EDGE_COLUMNS);
            let read = Stamped::read(format!("{line}\r").as_bytes()).unwrap().unwrap();
            assert_eq!(read, Stamped { kind: "edges".into(), ids });
            assert_eq!(read.check("edges", ids), Ok(()));
            assert!(read.check("blocks", ids).is_err_and(|told| told.contains("guanxi import edges")));
            let other = if ids == Ids::Uid { Ids::String } else { Ids::Uid };
            assert!(read.check("edges", other).is_err_and(|told| told.contains("--ids")));
        }
        assert_eq!(Stamped::line("edges", Ids::Uid, EDGE_COLUMNS), "# guanxi edges 1: subject object at");
        assert!(Stamped::read(b"# guanxi edges 2: x").is_err_and(|told| told.contains("later guanxi")));
        for line in ["# guanxi is great", "# guanxi edges", "# guanxi edges x: y", "1 2", "", "\u{e9}"] {
            assert_eq!(Stamped::read(line.as_bytes()), Ok(None), "{line}");
        }
    }
}

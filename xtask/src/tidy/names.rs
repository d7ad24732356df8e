//! One name, one type: a reader who meets a name in another crate must not take it for its namesake.

use std::collections::BTreeMap;

use super::lex;
use super::tree::{File, Tree};

/// Names that several types have all the same, and why.
const NAMESAKES: &[(&str, &str)] = &[
    ("Durability", "the setting as a user writes it, and as the store takes it"),
    ("Method", "of the API, and of an import"),
    ("Options", "each component that is configured has its own"),
    ("Outcome", "of a command, and of the process"),
    ("Reader", "of bytes, and of homes under load"),
    ("Row", "of a table on disk, of a list, of a finding"),
    ("Rule", "of the pair table, and of access to calls"),
    ("Shards", "locked rows of a plan, and the question where they are"),
    ("Snapshot", "of an engine, and of one shard"),
    ("Source", "of pages, and of settings"),
    ("Verdict", "on a pair's command, and on why home shows a post"),
];

/// What opens the definition of a type.
const KINDS: &[&str] = &["struct ", "enum ", "trait ", "type ", "union "];

/// Complains of every name with two definitions that has no row, and of rows that nothing needs.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let crates = tree.sources().filter(|file| file.path.starts_with("crates/"));
    complain(&definitions(crates), NAMESAKES)
}

fn complain(places: &BTreeMap<String, Vec<String>>, rows: &[(&str, &str)]) -> Vec<String> {
    let has_row = |name: &str| rows.iter().any(|row| row.0 == name);
    let several = |name: &str| places.get(name).is_some_and(|places| places.len() > 1);
    let doubled = places.iter().filter(|(name, _)| several(name) && !has_row(name)).map(|(name, places)| {
        format!(
            "{}: `{name}` is the name of another type, too: name each by what it is, or give it a row with its \
             reason in NAMESAKES of xtask/src/tidy/names.rs",
            places.join(", ")
        )
    });
    let stale = rows.iter().filter(|row| !several(row.0)).map(|(name, _)| {
        format!("`{name}` names one type only: take its row out of NAMESAKES of xtask/src/tidy/names.rs")
    });
    doubled.chain(stale).collect()
}

/// Returns where each type is defined that more than one file may name.
fn definitions<'a>(files: impl Iterator<Item = &'a File>) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let code = file.product_code();
        let visible = ["pub ", "pub(crate) ", "pub(super) ", "pub(in crate::cli) "];
        for at in visible.iter().flat_map(|pub_| lex::words(&code, pub_).map(|at| at + pub_.len())) {
            let rest = code[at..].strip_prefix("unsafe ").unwrap_or(&code[at..]);
            let Some(rest) = KINDS.iter().find_map(|kind| rest.strip_prefix(kind)) else { continue };
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            // A macro's parameter names no type yet.
            if length == 0 {
                continue;
            }
            let place = format!("{}:{}", file.path, lex::line_of(&code, at));
            places.entry(rest[..length].to_owned()).or_default().push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namesakes_need_a_row_and_rows_need_namesakes() {
        let files = [
            File::new("crates/x/src/a.rs", "pub struct Held<T>(T);\npub(crate) enum Row {}\nstruct Own;\n"),
            File::new("crates/y/src/a.rs", "pub(crate) trait Held {}\npub type Row = u8;\nstruct Own;\n"),
            File::new("crates/y/tests/it/a.rs", "pub struct Only;\n"),
            File::new("crates/z/src/a.rs", "pub struct Only;\n"),
        ];
        let complaints = complain(&definitions(files.iter()), &[("Row", "why"), ("Only", "why")]);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].starts_with("crates/x/src/a.rs:1, crates/y/src/a.rs:1: `Held`"));
        assert!(complaints[1].starts_with("`Only` names one type only"));
    }
}

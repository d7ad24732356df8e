//! Variables of the environment that tests read: each has a row in CONTRIBUTING.md, and each row a test.

use std::collections::BTreeSet;

use super::tree::{File, Tree};

/// Where the variables are told.
const PAGE: &str = "CONTRIBUTING.md";

/// What all of them begin with.
const PREFIX: &str = "GUANXI_";

/// The folder of settings, whose tests name variables that the product reads.
const SETTINGS: &str = "crates/server/src/config/";

/// Words on the line of a name that is read by a test, or by what only tests use.
const READS: &[&str] = &["env::var(", "env::var_os(", "setting(", "number(", ": &str = "];

/// Compares the variables that tests read with those that the page names.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let read: BTreeSet<String> = tree.sources().filter(|file| serves_tests(file)).flat_map(read_by).collect();
    let page = tree.files.iter().find(|file| file.path == PAGE);
    let told: BTreeSet<String> = page.map(told).unwrap_or_default();
    let missing = read
        .difference(&told)
        .map(|name| format!("{PAGE}: tests read {name}: say in its table what it does"));
    let over = told.difference(&read).map(|name| format!("{PAGE}: no test reads {name}: take its row out"));
    missing.chain(over).collect()
}

/// Whether a file is of tests, or of what only tests use: the fuzz targets' crate, and the failpoints.
fn serves_tests(file: &File) -> bool {
    let is_ours = !file.path.starts_with("bench/")
        && !file.path.starts_with("xtask/")
        && !file.path.starts_with(SETTINGS);
    let path = file.path.as_str();
    is_ours && (file.is_test() || path.starts_with("crates/fuzz/") || path.ends_with("/failpoints.rs"))
}

/// The names that a file reads, which stand in quotes.
fn read_by(file: &File) -> Vec<String> {
    let lines = file.text.lines().filter(|line| READS.iter().any(|word| line.contains(word)));
    lines.flat_map(|line| quoted(line, '"')).collect()
}

/// The names that the page's tables have in their first column.
fn told(page: &File) -> BTreeSet<String> {
    let rows = page.text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.flat_map(|cell| quoted(cell, '`')).collect()
}

/// Whole names between two marks.
fn quoted(line: &str, mark: char) -> Vec<String> {
    let is_name = |word: &&str| {
        let rest = word.strip_prefix(PREFIX);
        rest.is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    line.split(mark).filter(is_name).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_a_row_and_rows_without_a_variable_are_named() {
        let files = [
            (
                "crates/a/tests/it/main.rs",
                "let many = std::env::var(\"GUANXI_MANY\");\n guanxi().env(\"GUANXI_TOKEN\", x);",
            ),
            ("crates/fuzz/src/lib.rs", "pub const SEED: &str = \"GUANXI_SEED\";"),
            ("crates/server/src/config/tests.rs", "std::env::var(\"GUANXI_LISTEN\")"),
            (
                "CONTRIBUTING.md",
                "| variable |\n|---|\n| `GUANXI_SEED`, `GUANXI_GONE` | x | y |\n`GUANXI_MANY`",
            ),
        ];
        let files = files.iter().map(|(path, text)| File::new(path, text)).collect();
        let complaints = check(&Tree { files, packages: Vec::new(), foreign: Vec::new() });
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].contains("tests read GUANXI_MANY")
                && complaints[1].contains("no test reads GUANXI_GONE")
        );
    }
}

//! The tour of each library: its docs say what it is not and where to begin, and the files that they name are there.

use super::tree::{File, Tree};

/// The sections of a tour, beside the text before the first of them, which says what the crate is.
const SECTIONS: &[&str] = &["# What it is not", "# Where to begin"];

/// The section that names files.
const BEGINNINGS: &str = "# Where to begin";

/// Checks the docs of every library.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let libraries = tree.sources().filter(|file| file.path.ends_with("/src/lib.rs") && !file.is_test());
    libraries.flat_map(|file| tour(file, tree)).collect()
}

fn tour(library: &File, tree: &Tree) -> Vec<String> {
    let path = &library.path;
    let docs: Vec<&str> =
        library.text.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let missing = SECTIONS.iter().filter(|section| !docs.contains(section));
    let mut complaints: Vec<String> = missing
        .map(|section| {
            format!("{path}: its docs have no section `{section}`: CONTRIBUTING.md says what a tour has")
        })
        .collect();
    if !library.text.lines().any(|line| line.contains("```")) {
        complaints.push(format!("{path}: its docs have no example: CONTRIBUTING.md says what a tour has"));
    }
    let begin = docs.iter().skip_while(|line| **line != BEGINNINGS).skip(1);
    let named =
        begin.take_while(|line| !line.starts_with("# ")).flat_map(|line| line.split('`').skip(1).step_by(2));
    let dead = named.filter(|name| is_file(name) && !is_there(name, library, tree));
    complaints.extend(dead.map(|name| format!("{path}: its tour leads to `{name}`, which is not there")));
    complaints
}

/// Whether a span of code names a file or a folder.
fn is_file(name: &str) -> bool {
    [".rs", ".md", ".proto", "/"].iter().any(|end| name.ends_with(end))
}

/// Whether a file or folder lies beside the library, or at this path of the workspace.
fn is_there(name: &str, library: &File, tree: &Tree) -> bool {
    let beside = format!("{}{name}", library.path.trim_end_matches("lib.rs"));
    let is_it = |path: &str| {
        [name, &beside].iter().any(|it| path == *it || (it.ends_with('/') && path.starts_with(it)))
    };
    tree.files.iter().any(|file| is_it(&file.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_of(library: &str) -> Vec<String> {
        let files = [("crates/x/src/lib.rs", library), ("crates/x/src/a/b.rs", ""), ("docs/c.md", "")];
        let files = files.iter().map(|(path, text)| File::new(path, text)).collect();
        check(&Tree { files, packages: Vec::new(), foreign: Vec::new() })
    }

    #[test]
    fn a_tour_has_its_sections_and_an_example() {
        let whole = "//! X.\n//!\n//! # What it is not\n//!\n//! ```\n//! ```\n//! # Where to begin\n";
        assert_eq!(complaints_of(whole), Vec::<String>::new());
        for (part, told) in
            [("# What it is not", "`# What it is not`"), ("# Where to begin", "`# Where"), ("```", "example")]
        {
            let complaints = complaints_of(&whole.replace(part, ""));
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            assert!(complaints[0].contains(told), "{complaints:?}");
        }
    }

    #[test]
    fn a_tour_leads_to_files_that_are_there() {
        let begin = "//! X: `gone.rs`.\n//! # What it is not\n//! ```\n//! ```\n//! # Where to begin\n//!\n";
        let there = format!(
            "{begin}//! - `a/b.rs`, `a/`, `docs/c.md`, [`gone()`]: why?\n//! # Folders\n//! `gone.rs`\n"
        );
        assert_eq!(complaints_of(&there), Vec::<String>::new());
        let complaints = complaints_of(&format!("{begin}//! - `b.rs`: why?\n"));
        assert_eq!(complaints, ["crates/x/src/lib.rs: its tour leads to `b.rs`, which is not there"]);
    }
}

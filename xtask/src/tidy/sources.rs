//! Rules about Rust files: their first line, their length, and the calls that product code does not make.

use std::collections::HashSet;

use super::lex;
use super::tree::{File, Tree};

/// Lines of the longest file that a person writes. A longer one is two rooms.
const FILE_LINES_MAX: usize = 600;

/// Words of the shortest reason.
const REASON_WORDS_MIN: usize = 2;

/// Calls that product code does not make, and what to do instead.
const CALLS: &[(&str, &str)] = &[
    (".unwrap()", "return the error, or `expect(\"why it cannot fail\")`"),
    ("todo!", "finish it, or leave it out"),
    ("unimplemented!", "finish it, or leave it out"),
    ("dbg!", "log through tracing"),
];

/// Checks every file that a person writes.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut complaints: Vec<String> = tree.sources().flat_map(source).collect();
    complaints.extend(unreached(tree));
    complaints.extend(beside_their_folders(tree));
    complaints
}

/// Modules with children whose own file lies beside the folder and not in it: one layout serves all crates.
fn beside_their_folders(tree: &Tree) -> Vec<String> {
    let folder = |file: &File| file.path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let folders: HashSet<String> = tree.sources().filter_map(folder).collect();
    let beside = tree.sources().filter_map(|file| {
        let module = file.path.trim_end_matches(".rs");
        folders
            .contains(module)
            .then(|| format!("{}: move it to {module}/mod.rs, as all modules with children", file.path))
    });
    beside.collect()
}

fn source(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    let path = &file.path;
    if !file.text.starts_with("//! ") {
        complaints.push(format!("{path}:1: begin with a `//!` line that says what the file is for"));
    }
    let lines = file.text.lines().count();
    if lines > FILE_LINES_MAX {
        complaints.push(format!("{path}: {lines} lines, the limit is {FILE_LINES_MAX}: split it by subject"));
    }
    let product = file.product_code();
    for (call, remedy) in CALLS {
        for at in lex::words(&product, call) {
            complaints.push(format!("{path}:{}: `{call}`: {remedy}", lex::line_of(&product, at)));
        }
    }
    complaints.extend(expects(file, &product));
    complaints.extend(attributes(file));
    complaints
}

/// Every `expect` of an option or result says why it cannot fail.
fn expects(file: &File, product: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for at in lex::words(product, ".expect(") {
        let text = file.text[at + ".expect(".len()..].trim_start();
        // Methods of that name on other types take numbers and values.
        if !text.starts_with(|first: char| first == '"' || first == '&' || first.is_ascii_uppercase()) {
            continue;
        }
        let reason = text.strip_prefix('"').and_then(|rest| rest.split('"').next());
        let words = reason.map_or(0, |reason| reason.split_whitespace().count());
        if words < REASON_WORDS_MIN {
            let line = lex::line_of(product, at);
            complaints.push(format!("{}:{line}: `expect` needs a literal that says why it holds", file.path));
        }
    }
    complaints
}

/// Every lint that is turned off says why.
fn attributes(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for opening in ["[allow(", "[expect("] {
        for at in lex::words(&file.code, opening) {
            let end = file.code[at..].find(")]").map_or(file.code.len(), |length| at + length);
            if !file.code[at..end].contains("reason =") {
                let line = lex::line_of(&file.code, at);
                complaints.push(format!("{}:{line}: add `reason = \"...\"` to the attribute", file.path));
            }
        }
    }
    complaints
}

/// Files below `src` that no `mod` names: cargo compiles them nowhere.
fn unreached(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.sources().filter(|file| file.path.contains("/src/")) {
        let mut parts: Vec<&str> = file.path.trim_end_matches(".rs").split('/').collect();
        if parts.last() == Some(&"mod") {
            parts.pop();
        }
        let name = parts.pop().unwrap_or_default();
        let folder = parts.join("/");
        if matches!(name, "main" | "lib") || folder.ends_with("/bin") {
            continue;
        }
        let parents = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"].map(|end| format!("{folder}{end}"));
        let declared = tree.files.iter().filter(|parent| parents.contains(&parent.path)).any(|parent| {
            lex::words(&parent.code, &format!("mod {name};")).next().is_some()
                || lex::words(&parent.code, &format!("mod {name} {{")).next().is_some()
        });
        if !declared {
            complaints.push(format!("{}: no `mod {name};` names it: declare it or delete it", file.path));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_of(text: &str) -> Vec<String> {
        source(&File::new("crates/x/src/a.rs", text))
    }

    #[test]
    fn each_rule_about_a_file_finds_its_breach() {
        let good = "//! Says what it is.\nfn f() { g().expect(\"the caller checked\") }\n";
        assert_eq!(complaints_of(good), Vec::<String>::new());
        for bad in [
            "fn f() {}\n".to_owned(),
            "//! A file.\nfn f() { g().unwrap() }\n".to_owned(),
            "//! A file.\nfn f() { todo!() }\n".to_owned(),
            "//! A file.\nfn f() { g().expect(\"ok\") }\n".to_owned(),
            "//! A file.\nfn f() { g().expect(WHY) }\n".to_owned(),
            "//! A file.\n#[allow(dead_code)]\nfn f() {}\n".to_owned(),
            format!("//! A file.\n{}", "\n".repeat(FILE_LINES_MAX)),
        ] {
            assert_eq!(complaints_of(&bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn tests_may_unwrap() {
        let text = "//! A file.\n#[cfg(test)]\nmod tests {\n    fn f() { g().unwrap() }\n}\n";
        assert_eq!(complaints_of(text), Vec::<String>::new());
    }

    fn tree(files: &[(&str, &str)]) -> Tree {
        let files = files.iter().map(|(path, text)| File::new(path, text)).collect();
        Tree { files, packages: Vec::new(), foreign: Vec::new() }
    }

    #[test]
    fn a_module_with_children_lies_in_their_folder() {
        let files = [
            ("crates/x/src/a/mod.rs", "//! A.\nmod b;\n"),
            ("crates/x/src/a/b.rs", "//! B.\nmod c;\n"),
            ("crates/x/src/a/b/c.rs", "//! C."),
        ];
        let complaints = beside_their_folders(&tree(&files));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].starts_with("crates/x/src/a/b.rs"));
    }

    #[test]
    fn a_file_that_nothing_names_is_dead() {
        let files = [
            ("crates/x/src/lib.rs", "//! X.\nmod a;\n"),
            ("crates/x/src/a.rs", "//! A."),
            ("crates/x/src/b.rs", "//! B."),
        ];
        let complaints = unreached(&tree(&files));
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].starts_with("crates/x/src/b.rs"));
    }
}

//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md and the habits of the house, held against the tree.
//!
//! Runs as a test too (`the_tree_is_tidy`). Each rule is a pure function from the tree to complaints, and each
//! complaint names the place and the remedy.

mod arrows;
mod docs;
mod functions;
mod hygiene;
mod lex;
mod lines;
mod manifests;
mod modules;
mod names;
mod paths;
mod readmes;
mod sources;
mod tours;
mod tree;
mod variables;
mod words;

pub(crate) use lines::run as lines;

use crate::steps;
use tree::Tree;

/// Checks everything and prints every complaint, not only the first.
///
/// # Errors
/// How many complaints there are.
pub(crate) fn run() -> Result<(), String> {
    let complaints = check()?;
    for complaint in &complaints {
        eprintln!("tidy: {complaint}");
    }
    if complaints.is_empty() {
        eprintln!("tidy: ok");
        return Ok(());
    }
    Err(format!("tidy has {} complaints", complaints.len()))
}

/// The packages whose docs hold examples that run as tests.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn packages_with_doc_tests() -> Result<Vec<String>, String> {
    Ok(docs::packages_with_examples(&Tree::read(&steps::root())?))
}

fn check() -> Result<Vec<String>, String> {
    let root = steps::root();
    let tree = Tree::read(&root)?;
    let mut complaints = Vec::new();
    complaints.extend(arrows::check(&tree));
    complaints.extend(modules::check(&tree));
    complaints.extend(names::check(&tree));
    complaints.extend(sources::check(&tree));
    complaints.extend(functions::check(&tree));
    complaints.extend(manifests::check(&tree));
    complaints.extend(docs::check(&tree));
    complaints.extend(words::check(&tree));
    complaints.extend(tours::check(&tree));
    complaints.extend(readmes::check(&tree));
    complaints.extend(hygiene::check(&tree));
    complaints.extend(variables::check(&tree));
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        let complaints = super::check().expect("the tree is readable");
        assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
    }
}

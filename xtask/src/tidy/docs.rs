//! Rules about prose: every command is documented, every link leads somewhere.

use super::lex;
use super::tree::{File, Tree};

/// Where the binary's commands live, one file each.
const VERBS: &str = "crates/guanxi/src/cli/";

/// Checks the documents against the tree.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut complaints = undocumented_verbs(tree);
    complaints
        .extend(tree.files.iter().filter(|file| is_document(file)).flat_map(|file| dead_links(file, tree)));
    complaints
}

fn is_document(file: &File) -> bool {
    std::path::Path::new(&file.path).extension().is_some_and(|extension| extension == "md")
}

/// Each command of the binary appears in the documents as a user would type it.
fn undocumented_verbs(tree: &Tree) -> Vec<String> {
    let documents: Vec<&File> = tree.files.iter().filter(|file| is_document(file)).collect();
    let verbs = tree.files.iter().filter_map(|file| {
        let name = file.path.strip_prefix(VERBS)?.strip_suffix(".rs").filter(|name| !name.contains('/'))?;
        let is_command = lex::words(&file.code, "fn run").next().is_some();
        (name != "mod" && is_command).then_some(name)
    });
    verbs
        .filter(|verb| {
            let typed = [format!("guanxi {verb}"), format!("cargo run --release -- {verb}")];
            !documents.iter().any(|it| typed.iter().any(|typed| lex::words(&it.text, typed).next().is_some()))
        })
        .map(|verb| {
            format!(
                "{VERBS}{verb}.rs: no document mentions `guanxi {verb}`: describe it in docs/operations.md"
            )
        })
        .collect()
}

/// Links to files of this repository that are not there.
fn dead_links(file: &File, tree: &Tree) -> Vec<String> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut complaints = Vec::new();
    for (at, _) in file.text.match_indices("](") {
        let target = file.text[at + 2..].split([')', '#', ' ', '\n']).next().unwrap_or_default();
        if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let path = join(folder, target);
        let below = format!("{path}/");
        if !tree.files.iter().any(|other| other.path == path || other.path.starts_with(&below)) {
            let line = lex::line_of(&file.text, at);
            complaints.push(format!("{}:{line}: the link to `{target}` leads nowhere", file.path));
        }
    }
    complaints
}

fn join(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The packages with a library whose docs hold code blocks that rustdoc would run.
pub(super) fn packages_with_examples(tree: &Tree) -> Vec<String> {
    let has_example = |file: &&File| {
        let fences = file.text.lines().filter_map(|line| {
            let line = line.trim_start();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
            doc.trim().strip_prefix("```")
        });
        // Fences come in pairs; the first of each names the language, and none named means Rust.
        fences.step_by(2).any(|language| matches!(language, "" | "rust" | "should_panic" | "no_run"))
    };
    let packages = tree.packages.iter().filter(|package| {
        let library = format!("{}/src/", package.folder);
        let sources = || tree.sources().filter(|file| file.path.starts_with(&library));
        sources().any(|file| file.path.ends_with("/src/lib.rs")) && sources().any(|file| has_example(&file))
    });
    packages.map(|package| package.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let files = files.iter().map(|(path, text)| File::new(path, text)).collect();
        Tree { files, packages: Vec::new(), foreign: Vec::new() }
    }

    #[test]
    fn a_command_that_no_document_mentions_is_named() {
        let files = [
            ("crates/guanxi/src/cli/serve.rs", "pub fn run() {}"),
            ("crates/guanxi/src/cli/verify.rs", "pub fn run() {}"),
            ("crates/guanxi/src/cli/progress.rs", "pub fn bar() {}"),
            ("README.md", "Type `guanxi serve --data DIR`."),
        ];
        let complaints = check(&tree(&files));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("guanxi verify"));
    }

    #[test]
    fn links_are_followed_from_where_they_stand() {
        let text = "[a](../README.md) [b](other.md#part) [c](https://example.org/x) [d](gone.md) [e](#here)";
        let complaints = check(&tree(&[("docs/a.md", text), ("docs/other.md", ""), ("README.md", "")]));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("gone.md"));
    }
}

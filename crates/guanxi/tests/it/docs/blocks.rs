//! The command blocks of the documents.

use std::fs;
use std::path::{Path, PathBuf};

/// Why a block may stay out of the test. A block says so on the line before it: `<!-- not run: takes hours -->`.
pub(super) const REASONS: &[&str] = &[
    "needs root",
    "needs servers",
    "takes minutes",
    "takes hours",
    "installs packages",
    "builds the workspace",
];

/// How a mark begins.
const MARK: &str = "<!-- not run: ";
/// Names of shells that a block may not have, so that none is overlooked.
const OTHER_SHELLS: &[&str] = &["bash", "shell", "console", "zsh", "shell-session", "terminal"];

/// Commands of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its fence.
    pub(super) line: usize,
    /// What to paste.
    pub(super) text: String,
    /// Why it is not run.
    pub(super) mark: Option<String>,
}

/// The repository's root.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// `README.md`, what is in `docs`, and what examples say of themselves.
pub(super) fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut found = vec![root.join("README.md")];
    for directory in ["docs", "examples", "examples/typescript", "examples/python", "examples/browser"] {
        let Ok(entries) = fs::read_dir(root.join(directory)) else { continue };
        found.extend(entries.map(|entry| entry.expect("the directory is readable").path()));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// The blocks of a text, in their order.
///
/// # Panics
/// On a block of another shell's name, a mark that belongs to none, and a block without an end.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut mark = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some(language) = line.trim_start().strip_prefix("```") else {
            assert!(mark.is_none(), "line {number}: a mark stands on the line before its block");
            mark = line.trim().strip_prefix(MARK).map(|rest| {
                rest.strip_suffix(" -->").unwrap_or_else(|| panic!("line {}: no -->", number + 1)).to_owned()
            });
            continue;
        };
        assert!(!OTHER_SHELLS.contains(&language), "line {}: write ```sh", number + 1);
        let mut inside = Vec::new();
        loop {
            let (_, line) = lines.next().expect("a block has an end");
            if line.trim() == "```" {
                break;
            }
            inside.push(line.get(indent..).unwrap_or_default());
        }
        assert!(language == "sh" || mark.is_none(), "line {}: only commands need a mark", number + 1);
        if language == "sh" {
            blocks.push(Block { line: number + 1, text: inside.join("\n"), mark: mark.take() });
        }
    }
    blocks
}

#[test]
fn blocks_are_found_with_their_marks() {
    let text = "a\n```sh\nls\n\npwd\n```\n- b\n\n  <!-- not run: needs root -->\n  ```sh\n  reboot\n  ```\n```json\n{}\n```\n";
    let block = |line, text: &str, mark: Option<&str>| Block {
        line,
        text: text.to_owned(),
        mark: mark.map(str::to_owned),
    };
    assert_eq!(blocks(text), [block(2, "ls\n\npwd", None), block(10, "reboot", Some("needs root"))]);
}

#[test]
fn a_server_is_the_last_command_of_its_block() {
    for document in documents() {
        for block in blocks(&fs::read_to_string(&document).unwrap()) {
            let serves = |line: &str| line.starts_with("guanxi serve") || line.ends_with(" demo");
            if let Some(at) = block.text.lines().position(serves) {
                let place = format!("{}:{}", document.display(), block.line);
                assert_eq!(at + 1, block.text.lines().count(), "{place}: what follows a server never runs");
            }
        }
    }
}

#[test]
fn blocks_that_are_not_run_say_why_in_words_of_the_list() {
    let mut used = Vec::new();
    for document in documents() {
        for block in blocks(&fs::read_to_string(&document).unwrap()) {
            let Some(mark) = block.mark else { continue };
            assert!(
                REASONS.contains(&mark.as_str()),
                "{}:{}: {mark:?} is none of {REASONS:?}",
                document.display(),
                block.line
            );
            used.push(mark);
        }
    }
    for reason in REASONS {
        assert!(
            used.iter().any(|mark| mark == reason),
            "nothing is left out since it {reason}: remove the reason"
        );
    }
}

//! Rules about prose: every command is documented, every link leads somewhere.

use std::collections::HashSet;

use super::lex;
use super::tree::{File, Tree};

/// Where the binary's commands live, one file each.
const VERBS: &str = "crates/guanxi/src/cli/";

/// Checks the documents against the tree.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut complaints = undocumented_verbs(tree);
    let documents: Vec<&File> = tree.files.iter().filter(|file| is_document(file)).collect();
    complaints.extend(documents.iter().flat_map(|file| dead_links(file, tree)));
    let ours = documents.iter().filter(|file| file.path.starts_with("docs/"));
    complaints.extend(repeated(&ours.copied().collect::<Vec<_>>()));
    complaints
}

fn is_document(file: &File) -> bool {
    is_markdown(&file.path)
}

/// Whether a file is a document by its name.
pub(super) fn is_markdown(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|extension| extension == "md")
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

/// Links to files of this repository, and to headings in them, that are not there.
fn dead_links(file: &File, tree: &Tree) -> Vec<String> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut complaints = Vec::new();
    for (at, whole) in links(&file.text) {
        if whole.is_empty() || whole.contains("://") || whole.starts_with("mailto:") {
            continue;
        }
        let (target, heading) = whole.split_once('#').unwrap_or((whole, ""));
        let path = if target.is_empty() { file.path.clone() } else { join(folder, target) };
        let below = format!("{path}/");
        let found = tree.files.iter().find(|other| other.path == path);
        let leads = match found {
            Some(other) if is_document(other) && !heading.is_empty() => {
                anchors(&other.text).iter().any(|anchor| anchor == heading)
            }
            Some(_) => true,
            None => tree.files.iter().any(|other| other.path.starts_with(&below)),
        };
        if !leads {
            let line = lex::line_of(&file.text, at);
            complaints.push(format!("{}:{line}: the link to `{whole}` leads nowhere", file.path));
        }
    }
    complaints
}

/// Where a text links to, and the place of each link.
pub(super) fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("](")
        .map(|(at, open)| (at, text[at + open.len()..].split([')', ' ', '\n']).next().unwrap_or_default()))
}

/// The lines of a document outside of its blocks of code, each with its number.
pub(super) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        (!inside && !is_fence).then_some((number, line))
    })
}

/// What links to headings of a document are called, as GitHub makes them of their words.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let words = line.trim_start_matches('#');
        if words.len() == line.len() || !words.starts_with(' ') {
            continue;
        }
        let kept = words.trim().chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
        let anchor: String =
            kept.flat_map(char::to_lowercase).map(|one| if one == ' ' { '-' } else { one }).collect();
        let same = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
    }
    anchors
}

/// Words of a paragraph from which on it is compared with others: short ones, such as items of lists, may be alike.
const WORDS_MIN: usize = 25;

/// Which part of the runs of words of a paragraph another one may have, too.
const SHARED_MAX: f64 = 0.5;

/// Paragraphs that say the same twice, be it in other words here and there: one of them is wrong, or will be.
fn repeated(documents: &[&File]) -> Vec<String> {
    let mut paragraphs: Vec<(String, HashSet<Vec<String>>)> = Vec::new();
    let mut complaints = Vec::new();
    // What is generated repeats what its source repeats.
    for file in documents.iter().filter(|file| !file.text.contains("<!-- Generated from")) {
        for (number, line) in prose(&file.text).filter(|(_, line)| !line.starts_with('|')) {
            let words: Vec<String> = line
                .split(|letter: char| !letter.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect();
            if words.len() < WORDS_MIN {
                continue;
            }
            let (place, runs) =
                (format!("{}:{number}", file.path), words.windows(4).map(<[String]>::to_vec).collect());
            for (other, theirs) in &paragraphs {
                if is_alike(&runs, theirs) {
                    complaints.push(format!("{place}: this paragraph says what {other} says: keep one"));
                }
            }
            paragraphs.push((place, runs));
        }
    }
    complaints
}

#[expect(clippy::cast_precision_loss, reason = "a paragraph has few words")]
fn is_alike(one: &HashSet<Vec<String>>, other: &HashSet<Vec<String>>) -> bool {
    let shared = one.intersection(other).count();
    shared as f64 > SHARED_MAX * one.len().min(other.len()) as f64
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
        let is_run = |word| matches!(word, "" | "rust" | "should_panic" | "no_run" | "standalone_crate");
        fences.step_by(2).any(|language| language.split(',').all(is_run))
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
        let text = "## Over *here*\n[a](../README.md) [b](other.md#part-1) [c](https://example.org/x) [d](gone.md) \
                    [e](#over-here) [f](#there) [g](other.md#no-heading)\n";
        let other = "# `part`\n```sh\n# no heading\n```\n## Part\n";
        let complaints = check(&tree(&[("docs/a.md", text), ("docs/other.md", other), ("README.md", "")]));
        assert_eq!(complaints.len(), 3, "{complaints:?}");
        for (complaint, target) in complaints.iter().zip(["gone.md", "#there", "other.md#no-heading"]) {
            assert!(complaint.contains(&format!("docs/a.md:2: the link to `{target}`")), "{complaint}");
        }
    }

    #[test]
    fn what_is_said_twice_is_named_with_both_places() {
        let words: Vec<String> = (0..60).map(|at| format!("word{at}")).collect();
        let (once, again) = (words.join(" "), words.join(" ").replace("word30", "otherwise"));
        let table = format!("| {once} |");
        let text = format!("{once}\n\n{table}\n\n```text\n{once}\n```\n");
        let complaints = check(&tree(&[("docs/a.md", &text), ("docs/b.md", &format!("# B\n\n{again}\n"))]));
        assert_eq!(complaints, ["docs/b.md:3: this paragraph says what docs/a.md:1 says: keep one"]);
    }
}

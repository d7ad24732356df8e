//! The README in two languages: both have the same commands, links and figures.

use super::docs;
use super::tree::Tree;

const ENGLISH: &str = "README.md";
const CHINESE: &str = "README.zh-CN.md";

/// Compares the two READMEs.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let text = |path: &str| tree.files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    match (text(ENGLISH), text(CHINESE)) {
        (Some(english), Some(chinese)) => differences(english, chinese),
        _ => vec![format!("{ENGLISH} and {CHINESE} belong together, and one of them is missing")],
    }
}

/// One complaint for each kind of part in which the texts differ.
fn differences(english: &str, chinese: &str) -> Vec<String> {
    let kinds = [
        ("line of commands", commands(english), commands(chinese)),
        ("link", targets(english, CHINESE), targets(chinese, ENGLISH)),
        ("line of figures", figures(english), figures(chinese)),
    ];
    kinds.iter().filter_map(|(kind, english, chinese)| difference(kind, english, chinese)).collect()
}

/// The first part in which two lists differ.
fn difference(kind: &str, english: &[&str], chinese: &[&str]) -> Option<String> {
    let longest = english.len().max(chinese.len());
    let at = (0..longest).find(|at| english.get(*at) != chinese.get(*at))?;
    let part = |parts: &[&str]| parts.get(at).map_or("nothing".to_owned(), |part| format!("`{part}`"));
    Some(format!(
        "{CHINESE}: {kind} {} is {}, and in {ENGLISH} it is {}: make them equal",
        at + 1,
        part(chinese),
        part(english)
    ))
}

/// The lines of the blocks of shell commands, in their order.
fn commands(text: &str) -> Vec<&str> {
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    blocks.flat_map(str::lines).collect()
}

/// Where a README links to, sorted, since languages order their words differently; without places in itself, whose
/// names are of its language, and without the README of the other language.
fn targets<'a>(text: &'a str, counterpart: &str) -> Vec<&'a str> {
    let links = docs::links(text).map(|(_, target)| target);
    let mut targets: Vec<&str> =
        links.filter(|target| !target.starts_with('#') && *target != counterpart).collect();
    targets.sort_unstable();
    targets
}

/// The lines that `guanxi-bench report` writes between its marks.
fn figures(text: &str) -> Vec<&str> {
    let blocks = text.split("<!-- ").filter_map(|part| Some(part.split_once(":start -->\n")?.1));
    blocks.flat_map(str::lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[other](README.zh-CN.md) [a](a.md) [b](b.md) [here](#here)\n```sh\nls\n```\n```json\n{}\n```\n\
                        <!-- x:start -->\n| 1 |\n<!-- x:end -->\n";

    #[test]
    fn equal_parts_may_stand_among_other_words() {
        let links = "[乙](b.md) [甲](a.md) [English](README.md) [这里](#这里)\n";
        let (_, rest) = TEXT.split_once('\n').unwrap();
        assert_eq!(differences(TEXT, &format!("{links}{rest}更多\n")), Vec::<String>::new());
    }

    #[test]
    fn each_part_that_differs_is_named() {
        let chinese = TEXT.replace(CHINESE, ENGLISH);
        for (from, to, complaint) in [
            ("ls", "ls -l", "line of commands 1 is `ls -l`, and in README.md it is `ls`"),
            ("```sh\nls\n```\n", "", "line of commands 1 is nothing"),
            ("[b](b.md)", "[b](c.md)", "link 2 is `c.md`, and in README.md it is `b.md`"),
            ("[a](a.md)", "", "link 1 is `b.md`"),
            ("| 1 |", "| 2 |", "line of figures 1 is `| 2 |`"),
        ] {
            let complaints = differences(TEXT, &chinese.replace(from, to));
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            assert!(complaints[0].contains(complaint), "{complaints:?}");
        }
    }

    #[test]
    fn both_must_be_there() {
        let alone = super::super::tree::File::new(ENGLISH, TEXT);
        let tree = Tree { files: vec![alone], packages: Vec::new(), foreign: Vec::new() };
        assert_eq!(check(&tree).len(), 1);
    }
}

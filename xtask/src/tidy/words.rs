//! Rules about words: documents and comments of protos have no riddles and no endless sentences, and docs of code have
//! fewer riddles each time.

use std::collections::BTreeMap;

use super::docs;
use super::lex;
use super::tree::{File, Tree};

/// Words that make a reader guess who or what is meant, and what to write in their place.
const RIDDLES: &[(&str, &str)] = &[
    ("whoever", "name who it is: a caller, a user, a process"),
    ("whomever", "name who it is: a caller, a user, a process"),
    ("whatever", "name the thing, or say `any`"),
    ("nobody", "name who does not: `no user`, `no process`, or turn the sentence round"),
    ("everybody who", "name them: `all users who`"),
    ("everybody whom", "name them: `all users whom`"),
    ("everybody whose", "name them: `all users whose`"),
    ("those who", "name them: `users who`"),
    ("those whom", "name them: `users whom`"),
    ("those whose", "name them: `users whose`"),
    ("who asks", "name the caller"),
    ("who asked", "name the caller"),
    ("who is not", "name who: `a user that is not`, or one adjective"),
    ("what stands", "name the thing: the row, the state, the fact"),
    ("what comes of", "name the result"),
    ("what came of", "name the result"),
    ("what becomes of", "name the result or the state"),
    ("what became of", "name the result or the state"),
];

/// Words that open a sentence whose subject is a clause. A question may begin so, and so may a line that ends in a colon.
const OPENINGS: &[&str] = &["What", "Who", "Whom", "Whose"];

/// Words of a sentence: a reader who learned English late loses the beginning of a longer one before its end.
const SENTENCE_WORDS_MAX: usize = 40;

/// Riddles in docs of product code. The bound is what there was when the rule came; lower it with each file that is rewritten.
const RIDDLES_OF_CODE_MAX: usize = 0;

/// Checks the documents and the comments of our protos, and counts the riddles of docs of code.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let documents = tree.files.iter().filter(|file| is_held(&file.path));
    let mut complaints: Vec<String> = documents.flat_map(document).collect();
    complaints.extend(tree.files.iter().filter_map(comments_of_proto).flat_map(|file| document(&file)));
    let sources = tree.sources().filter(|file| file.path.starts_with("crates/"));
    complaints.extend(docs_of_code(sources, RIDDLES_OF_CODE_MAX));
    complaints
}

/// Documents that people read from beginning to end: the log of changes has a line for each change.
fn is_held(path: &str) -> bool {
    matches!(path, "ARCHITECTURE.md" | "CONTRIBUTING.md" | "README.md")
        || (path.starts_with("docs/") && docs::is_markdown(path))
}

/// Returns the comments of a proto of ours as a document with the same line numbers; `None` for other files. In
/// `docs/api.md` the comments of fields are rows, which have no sentences.
fn comments_of_proto(file: &File) -> Option<File> {
    let is_ours = file.path.starts_with("proto/guanxi/");
    let comment = |line: &str| line.trim_start().strip_prefix("//").unwrap_or_default().to_owned() + "\n";
    is_ours.then(|| File::new(&file.path, &file.text.lines().map(comment).collect::<String>()))
}

fn document(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for Passage { line, kind, text } in passages(&file.text) {
        let place = format!("{}:{line}", file.path);
        let plain = without_code_and_targets(&text);
        complaints.extend(
            riddles(&plain).map(|(riddle, remedy)| format!("{place}: `{riddle}` is a riddle: {remedy}")),
        );
        if kind != Kind::Paragraph {
            continue;
        }
        for sentence in sentences(&plain) {
            let beginning = sentence.iter().take(6).copied().collect::<Vec<_>>().join(" ");
            if sentence.len() > SENTENCE_WORDS_MAX {
                complaints.push(format!(
                    "{place}: the sentence `{beginning} ...` has {} words, {SENTENCE_WORDS_MAX} at most: make several of it, \
                     a list or a table",
                    sentence.len()
                ));
            }
            let closes = sentence.last().is_some_and(|word| word.ends_with(['?', ':']));
            if OPENINGS.contains(&sentence[0]) && !closes {
                complaints.push(format!(
                    "{place}: the sentence `{beginning} ...` has a clause for a subject: begin with the name of the thing"
                ));
            }
        }
    }
    complaints
}

/// What kind of text a passage is: only paragraphs have sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    HeadingOrRow,
}

/// A paragraph, an item of a list, a heading or a row, with the number of its first line.
struct Passage {
    line: usize,
    kind: Kind,
    text: String,
}

/// The passages of a document outside of its code, its front matter, its comments and its generated parts.
fn passages(text: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let (mut open, mut skipped, mut last) = (false, None, 0);
    for (number, line) in docs::prose(text) {
        let line = line.trim();
        if let Some(end) = skipped {
            skipped = (!line.ends_with(end)).then_some(end);
            open = false;
            continue;
        }
        skipped = skipped_to(number, line);
        let is_alone = line.starts_with(['#', '|']);
        if skipped.is_some() || line.is_empty() || line.starts_with("<!--") {
            open = false;
        } else if is_alone {
            passages.push(Passage { line: number, kind: Kind::HeadingOrRow, text: line.to_owned() });
            open = false;
        } else if let Some(item) = item(line) {
            passages.push(Passage { line: number, kind: Kind::Paragraph, text: item.to_owned() });
            open = true;
        } else if let Some(before) = passages.last_mut().filter(|_| open && number == last + 1) {
            before.text.push(' ');
            before.text.push_str(line);
        } else {
            passages.push(Passage { line: number, kind: Kind::Paragraph, text: line.to_owned() });
            open = true;
        }
        last = number;
    }
    passages
}

/// The end of what this line opens, if that has no sentences: front matter, a generated part, a comment of several lines.
fn skipped_to(number: usize, line: &str) -> Option<&'static str> {
    match line {
        "---" if number == 1 => Some("---"),
        _ if line.starts_with("<!--") && line.ends_with(":start -->") => Some(":end -->"),
        _ if line.starts_with("<!--") && !line.ends_with("-->") => Some("-->"),
        _ => None,
    }
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered = number.strip_prefix(". ").filter(|_| number.len() < line.len());
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or(numbered)
}

/// A text with one word for each span of code, and without the targets of links.
fn without_code_and_targets(text: &str) -> String {
    let mut plain = String::new();
    for (at, part) in text.split('`').enumerate() {
        plain.push_str(if at % 2 == 0 { part } else { "code" });
    }
    while let Some(open) = plain.find("](") {
        let close = plain[open..].find(')').map_or(plain.len(), |length| open + length + 1);
        plain.replace_range(open..close, "");
    }
    plain
}

/// The sentences of a paragraph, as words. A clause behind a colon or a semicolon is of the same sentence.
fn sentences(text: &str) -> Vec<Vec<&str>> {
    let ends = |word: &&str| word.trim_end_matches([')', '"', '*', '_', ']']).ends_with(['.', '!', '?']);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.split_inclusive(ends).map(<[&str]>::to_vec).collect()
}

/// The riddles in a text, each as often as it is there, with what to write in their place.
fn riddles(plain: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    RIDDLES.iter().flat_map(move |(riddle, remedy)| {
        let count = lex::words(&text, riddle).count();
        std::iter::repeat_n((*riddle, *remedy), count)
    })
}

/// Complains if the docs of code have more riddles than a bound, and says which folders have them.
fn docs_of_code<'a>(sources: impl Iterator<Item = &'a File>, bound: usize) -> Option<String> {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources {
        let count: usize =
            doc_comments(file).iter().map(|text| riddles(&without_code_and_targets(text)).count()).sum();
        if count > 0 {
            *folders.entry(file.path.split('/').take(2).collect::<Vec<_>>().join("/")).or_default() += count;
        }
    }
    let all: usize = folders.values().sum();
    let listed: Vec<String> = folders.iter().map(|(folder, count)| format!("{folder} {count}")).collect();
    (all > bound).then(|| {
        format!(
            "docs of code have {all} riddles, {bound} at most ({}): name the subject (RIDDLES of xtask/src/tidy/words.rs \
             says what to write), and never raise RIDDLES_OF_CODE_MAX",
            listed.join(", ")
        )
    })
}

/// The doc comments of a file's product code, a text for each item.
fn doc_comments(file: &File) -> Vec<String> {
    if file.is_test() {
        return Vec::new();
    }
    let product = file.product_code();
    let (code, product): (Vec<&str>, Vec<&str>) = (file.code.lines().collect(), product.lines().collect());
    let mut comments = Vec::new();
    let mut comment = String::new();
    for (at, line) in file.text.lines().enumerate() {
        if let Some(text) = line.trim_start().strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
            comment.push(' ');
            comment.push_str(text);
        } else if !comment.is_empty() {
            // A comment is of the next line of code: in a test that is no code of the product.
            let next = (at..code.len()).find(|next| !code[*next].trim().is_empty());
            let is_product =
                next.is_none_or(|next| product.get(next).is_some_and(|line| !line.trim().is_empty()));
            let whole = std::mem::take(&mut comment);
            comments.extend(is_product.then_some(whole));
        }
    }
    comments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_of(text: &str) -> Vec<String> {
        document(&File::new("docs/a.md", text))
    }

    #[test]
    fn riddles_are_found_in_paragraphs_items_headings_and_rows() {
        for text in [
            "Whoever calls.",
            "- a\n- and\n  whatever",
            "# For nobody",
            "| of | those  who |",
            "1. what\n   stands",
        ] {
            assert_eq!(complaints_of(text).len(), 1, "{text}");
        }
        let remedies = complaints_of("First.\n\nA page for everybody whose\nname is known.");
        assert_eq!(remedies, ["docs/a.md:3: `everybody whose` is a riddle: name them: `all users whose`"]);
    }

    #[test]
    fn code_links_comments_and_generated_parts_are_apart() {
        let text = "---\nnobody: whoever\n---\n<!-- nobody -->\n<!-- whoever\nwhatever -->\nRun as `nobody`, see [it](nobody.md).\n\
                    ```sh\nwhatever\n```\n<!-- x:start -->\nnobody\n<!-- x:end -->\nNobodyness.\n";
        assert_eq!(complaints_of(text), Vec::<String>::new());
        assert_eq!(complaints_of("<!-- x:start -->\n<!-- x:end -->\nnobody\n").len(), 1);
    }

    #[test]
    fn long_sentences_are_found_and_rows_are_not() {
        let most = vec!["word"; SENTENCE_WORDS_MAX].join(" ");
        assert_eq!(complaints_of(&format!("{most}. {most}: {most}")).len(), 1);
        let lines = format!(
            "- {most}\n- {most}\n\n{most}\n```text\n```\n{most}\n\n| {most} {most} |\n# {most} {most}\n"
        );
        assert_eq!(complaints_of(&lines), Vec::<String>::new());
        assert_eq!(
            complaints_of(&format!("{most}\nword")).len(),
            1,
            "lines of one paragraph are one sentence"
        );
        let code = format!("{} `a b c`, [d](e f).", vec!["word"; SENTENCE_WORDS_MAX - 2].join(" "));
        assert_eq!(complaints_of(&code), Vec::<String>::new());
    }

    #[test]
    fn a_clause_is_no_subject() {
        assert_eq!(complaints_of("It is so. What a call costs is told here.").len(), 1);
        assert_eq!(
            complaints_of("What does it cost? What to do:\n\n# What a call costs\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn documents_of_people_are_held() {
        for path in ["README.md", "ARCHITECTURE.md", "docs/a.md", "docs/api.md", "docs/adr/0001-a.md"] {
            assert!(is_held(path), "{path}");
        }
        for path in ["docs/feed.svg", "CHANGELOG.md", "crates/a/b.md"] {
            assert!(!is_held(path), "{path}");
        }
    }

    #[test]
    fn comments_of_our_protos_are_held() {
        let most = vec!["word"; SENTENCE_WORDS_MAX].join(" ");
        let text = format!(
            "// Whoever calls.\nsyntax = \"nobody\";\n\n// An item.\nmessage Nobody {{\n  // What it is. Required.\n  \
             string name = 1;\n  // - {most}\n  // - {most}\n  //   word\n}}\n"
        );
        let of = |path: &str| comments_of_proto(&File::new(path, &text)).map(|file| document(&file));
        let lines: Vec<String> = of("proto/guanxi/v1/a.proto").expect("a proto of ours");
        let places: Vec<&str> = lines.iter().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(places, [1, 6, 9].map(|line| format!("proto/guanxi/v1/a.proto:{line}")));
        assert_eq!(of("proto/google/rpc/a.proto"), None);
        assert_eq!(of("docs/a.md"), None);
    }

    #[test]
    fn riddles_of_docs_of_code_are_counted_up_to_a_bound() {
        let files = [
            File::new(
                "crates/x/src/a.rs",
                "//! For whoever reads.\n\n/// Nobody; `nobody`.\nfn a() {} // nobody\n",
            ),
            File::new(
                "crates/x/src/b.rs",
                "#[cfg(test)]\nmod tests {\n    /// Nobody.\n    fn b() {}\n}\n/// Those\n/// who.\nfn c() {}\n",
            ),
            File::new("crates/y/tests/it/a.rs", "//! Nobody.\n"),
        ];
        assert_eq!(docs_of_code(files.iter(), 3), None);
        let complaint = docs_of_code(files.iter(), 2).expect("three are more than two");
        assert!(complaint.starts_with("docs of code have 3 riddles, 2 at most (crates/x 3)"), "{complaint}");
    }
}

//! Paths in Rust code: those of `use` with the names that they bring, and those written where they are needed.

use super::lex;

/// One path to something of this crate or another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Where it stands in the code.
    pub at: usize,
    pub segments: Vec<String>,
    /// For a `use`: the name by which the file knows it.
    pub name: Option<String>,
}

/// Returns the paths of all `use` items, and those elsewhere that begin with `crate` or `super`.
pub(super) fn of(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    let mut rest = code.as_bytes().to_vec();
    for at in lex::words(code, "use ") {
        let length = code[at..].find(';').unwrap_or(code.len() - at);
        let mut reader = Reader { at, text: &code[at + "use ".len()..at + length], found: &mut found };
        reader.tree(&mut Vec::new());
        rest[at..at + length].fill(b' ');
    }
    let rest = String::from_utf8_lossy(&rest);
    for start in ["crate::", "super::"] {
        for at in lex::words(&rest, start) {
            // The second `super` of a path is not the beginning of one.
            if rest[..at].ends_with("::") {
                continue;
            }
            let length = rest[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let path = &rest[at..at + length.unwrap_or(rest.len() - at)];
            let segments =
                path.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
            found.push(Path { at, segments, name: None });
        }
    }
    found
}

/// Reads the tree of one `use`.
struct Reader<'a> {
    at: usize,
    text: &'a str,
    found: &'a mut Vec<Path>,
}

impl Reader<'_> {
    /// Reads one branch, up to its comma, its closing brace or the end.
    fn tree(&mut self, before: &mut Vec<String>) {
        let depth = before.len();
        loop {
            self.text = self.text.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
            if let Some(rest) = self.text.strip_prefix('{') {
                self.text = rest;
                self.group(before);
                break;
            }
            let word = self.word();
            if word.is_empty() {
                // A glob brings every name, and so none that could be followed.
                self.text = self.text.trim_start_matches('*');
                break;
            }
            if word != "self" || before.is_empty() {
                before.push(word);
            }
            if !self.text.trim_start().starts_with("::") {
                self.leaf(before.clone());
                break;
            }
        }
        before.truncate(depth);
    }

    fn group(&mut self, before: &mut Vec<String>) {
        loop {
            self.text = self.text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if let Some(rest) = self.text.strip_prefix('}') {
                self.text = rest;
                return;
            }
            if self.text.is_empty() {
                return;
            }
            let left = self.text.len();
            self.tree(before);
            if self.text.len() == left {
                // Nothing that a `use` may hold: a macro's pattern, perhaps.
                self.text = "";
            }
        }
    }

    fn leaf(&mut self, segments: Vec<String>) {
        let mut name = segments.last().cloned();
        if let Some(rest) = self.text.trim_start().strip_prefix("as ") {
            self.text = rest.trim_start();
            name = Some(self.word());
        }
        self.found.push(Path { at: self.at, segments, name });
    }

    fn word(&mut self) -> String {
        let length = self.text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(length);
        self.text = rest;
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_read_with_their_names() {
        let code = "pub(crate) use crate::{a::{self, B as C, d::*}, super::e};\nfn f() { super::super::g::H::new() }";
        let shown: Vec<(String, Option<String>)> =
            of(code).into_iter().map(|path| (path.segments.join("::"), path.name)).collect();
        let name = |name: &str| Some(name.to_owned());
        let expected = [
            ("crate::a".to_owned(), name("a")),
            ("crate::a::B".to_owned(), name("C")),
            ("crate::super::e".to_owned(), name("e")),
            ("super::super::g::H::new".to_owned(), None),
        ];
        assert_eq!(shown, expected);
    }
}

//! The statements of the program, read from its sources: every text that is one after `concat!` and the macros of the crate are
//! worked out. So a statement that somebody adds is among them without being listed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A statement, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The file, below `src`.
    pub file: String,
    pub sql: String,
}

/// A piece of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Literal(String),
    Sign(char),
}

use Token::{Literal, Sign, Word};

/// What a macro takes, without the kinds, and what it becomes.
struct Macro {
    names: Vec<String>,
    body: Vec<Token>,
}

type Macros = HashMap<String, Macro>;

/// All statements that are about tables of the cluster, but the texts that hold several of them.
pub(super) fn all() -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let files: Vec<(String, Vec<Token>)> = files
        .iter()
        .map(|file| {
            (
                file.strip_prefix(&root).unwrap().display().to_string(),
                product(&fs::read_to_string(file).unwrap()),
            )
        })
        .collect();
    let mut shared = Macros::new();
    for (_, tokens) in &files {
        shared.extend(macros(tokens));
    }
    let mut texts = Vec::new();
    for (file, tokens) in &files {
        // Two files may have a macro of one name.
        let own = macros(tokens);
        let found = worked_out(tokens, &own, &shared);
        let sql =
            found.into_iter().filter_map(|token| if let Literal(text) = token { Some(text) } else { None });
        texts.extend(sql.filter(|sql| is_statement(sql)).map(|sql| Text { file: file.clone(), sql }));
    }
    texts
}

fn is_statement(text: &str) -> bool {
    let verb = text.split(' ').next().unwrap_or_default();
    ["select", "insert", "update", "delete", "with"].contains(&verb)
        && text.contains(" gx.")
        && !text.contains(';')
}

fn sources(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

/// The tokens of a source without its tests, which stand at its end.
fn product(source: &str) -> Vec<Token> {
    tokens(source.split("#[cfg(test)]\nmod ").next().unwrap_or_default())
}

fn tokens(source: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if first == '"' {
            let (text, after) = literal(&rest[1..]);
            out.push(Literal(text));
            rest = after;
        } else if first == '\'' && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'')) {
            // A character; else it is a lifetime.
            let after = &rest[1 + rest[1..].chars().next().map_or(0, char::len_utf8)..];
            let end = after.find('\'').unwrap_or(after.len() - 1);
            rest = &after[end + 1..];
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                out.push(Sign(first));
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// The text of a literal that has begun, and what stands after it.
fn literal(source: &str) -> (String, &str) {
    let mut text = String::new();
    let mut chars = source.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (text, &source[at + 1..]),
            '\\' => match chars.next().unwrap().1 {
                '\n' => while chars.next_if(|(_, next)| next.is_whitespace()).is_some() {},
                'n' => text.push('\n'),
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    panic!("a literal without an end: {text}");
}

/// The index after the sign that closes what the sign at `open` opens.
fn closed(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Sign('(' | '[' | '{') => depth += 1,
            Sign(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The macros that a source defines, each of one rule: `macro_rules! name { (terms) => { body } }`.
fn macros(tokens: &[Token]) -> Macros {
    let mut out = Macros::new();
    for (place, token) in tokens.iter().enumerate() {
        let (Word(word), Some(Word(name))) = (token, tokens.get(place + 2)) else { continue };
        if word == "macro_rules" {
            let terms = place + 4;
            let body = closed(tokens, terms);
            let names = tokens[terms..body].windows(2).filter_map(|pair| match pair {
                [Sign('$'), Word(name)] => Some(name.clone()),
                _ => None,
            });
            let names = names.collect();
            // Behind the sign `=>`.
            let end = closed(tokens, body + 2);
            // A macro of several rules may call itself, which would be worked out for ever.
            let is_last = !matches!(tokens.get(end..end + 2), Some([Sign(';'), Sign('(')]));
            assert!(is_last, "{name}! has a second rule: give that one a macro of its own");
            let body = tokens[body + 3..end - 1].to_vec();
            out.insert(name.clone(), Macro { names, body });
        }
    }
    out
}

/// The terms of a call, which a comma separates.
fn terms(tokens: &[Token]) -> Vec<Vec<Token>> {
    let mut out = vec![Vec::new()];
    let mut place = 0;
    while place < tokens.len() {
        if tokens[place] == Sign(',') {
            out.push(Vec::new());
            place += 1;
        } else {
            let end = if matches!(tokens[place], Sign('(' | '[' | '{')) {
                closed(tokens, place)
            } else {
                place + 1
            };
            out.last_mut().unwrap().extend_from_slice(&tokens[place..end]);
            place = end;
        }
    }
    out
}

/// The tokens with macros replaced by what they become.
fn worked_out(tokens: &[Token], own: &Macros, shared: &Macros) -> Vec<Token> {
    let mut out = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        let called = match &tokens[place..] {
            [Word(name), Sign('!'), Sign('(' | '[' | '{'), ..] => Some(name.as_str()),
            _ => None,
        };
        let end = closed(tokens, place + 2);
        if let [Word(word), Sign('!'), Word(_), ..] = &tokens[place..]
            && word == "macro_rules"
        {
            place = closed(tokens, place + 3);
            continue;
        }
        let inner = || &tokens[place + 3..end - 1];
        if called == Some("concat") {
            let parts = terms(&worked_out(inner(), own, shared));
            let parts =
                parts.iter().flatten().map(|part| if let Literal(text) = part { text.as_str() } else { "" });
            out.push(Literal(parts.collect()));
            place = end;
        } else if let Some(found) = called.and_then(|name| own.get(name).or_else(|| shared.get(name))) {
            let given: HashMap<&str, Vec<Token>> =
                found.names.iter().map(String::as_str).zip(terms(inner())).collect();
            out.extend(worked_out(&filled(&found.body, &given), own, shared));
            place = end;
        } else {
            out.push(tokens[place].clone());
            place += 1;
        }
    }
    out
}

/// The body of a macro with its terms in their places.
fn filled(body: &[Token], given: &HashMap<&str, Vec<Token>>) -> Vec<Token> {
    let mut out = Vec::new();
    let mut place = 0;
    while place < body.len() {
        match &body[place..] {
            [Sign('$'), Word(name), ..] if given.contains_key(name.as_str()) => {
                out.extend_from_slice(&given[name.as_str()]);
                place += 2;
            }
            [token, ..] => {
                out.push(token.clone());
                place += 1;
            }
            [] => {}
        }
    }
    out
}

#[test]
fn texts_are_worked_out() {
    let source = r#"
        macro_rules! columns { () => { concat!("a, ", "b") }; }
        macro_rules! of { ($table:literal, $end:literal) => { Two { one: concat!("select ", columns!(), " from gx.", $table, $end) } }; }
        const C: char = '"'; // "select from gx.remark"
        const X: &str = concat!(
            "select ", columns!(),
            " from gx.x where y = \
             'z'",
        );
        const Y: Two<'_> = of!("y", " limit 1");
        #[cfg(test)]
        mod tests { const Z: &str = "select from gx.z"; }
    "#;
    let source = source.replace("\n        ", "\n");
    let tokens = product(&source);
    let found = worked_out(&tokens, &macros(&tokens), &Macros::new());
    let found: Vec<Token> =
        found.into_iter().filter(|token| matches!(token, Literal(text) if is_statement(text))).collect();
    let expected = ["select a, b from gx.x where y = 'z'", "select a, b from gx.y limit 1"];
    assert_eq!(found, expected.map(|text| Literal(text.to_owned())));
}

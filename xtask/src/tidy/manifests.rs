//! Rules about manifests: every dependency has a reason, and a licence we accept.

use super::tree::{File, Foreign, Tree};

/// Checks every `Cargo.toml`, the lock file, and the licences of what the build reaches.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let manifests = tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml"));
    let mut complaints: Vec<String> = manifests.flat_map(reasons).collect();
    let deny = tree.files.iter().find(|file| file.path == "deny.toml").map_or("", |file| file.text.as_str());
    let accepted = accepted(deny);
    complaints.extend(tree.foreign.iter().filter_map(|foreign| licence(foreign, &accepted)));
    complaints
}

/// Each dependency that is not inherited and not ours has a comment above it or behind it.
fn reasons(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    let (mut in_dependencies, mut above) = (false, "");
    for (number, line) in file.text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            in_dependencies = trimmed.trim_end_matches(']').ends_with("dependencies");
        } else if in_dependencies
            && is_foreign_entry(trimmed)
            && !above.starts_with('#')
            && !line.contains('#')
        {
            let name = trimmed.split([' ', '=', '.']).next().unwrap_or_default();
            let place = format!("{}:{}", file.path, number + 1);
            complaints.push(format!("{place}: say above `{name}` in one comment line why it is needed"));
        }
        above = trimmed;
    }
    complaints
}

/// A line that brings a dependency in: neither inherited from the workspace, whose manifest has the reason, nor
/// a crate of ours, nor the rest of an entry of several lines.
fn is_foreign_entry(line: &str) -> bool {
    let starts = line.starts_with(|c: char| c.is_ascii_alphabetic());
    let inherited = line.contains("workspace = true");
    starts && line.contains('=') && !inherited && !line.contains("path =")
}

/// The licences that `deny.toml` accepts: the strings of its `allow` list.
fn accepted(deny: &str) -> Vec<&str> {
    let list =
        deny.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).collect()
}

fn licence(foreign: &Foreign, accepted: &[&str]) -> Option<String> {
    let Foreign { name, version, licence } = foreign;
    let words = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut rest = words.as_slice();
    let fine = any(&mut rest, accepted) && rest.is_empty();
    (!fine).then(|| {
        format!("{name} {version} has the licence `{licence}`: use another crate, or accept it in deny.toml")
    })
}

/// `a OR b`: one that is accepted is enough.
fn any(words: &mut &[&str], accepted: &[&str]) -> bool {
    let mut fine = all(words, accepted);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        fine |= all(words, accepted);
    }
    fine
}

/// `a AND b`: each must be accepted.
fn all(words: &mut &[&str], accepted: &[&str]) -> bool {
    let mut fine = one(words, accepted);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        fine &= one(words, accepted);
    }
    fine
}

/// A licence with its exception, or an expression in parentheses.
fn one(words: &mut &[&str], accepted: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let fine = any(words, accepted);
        *words = words.get(1..).unwrap_or_default();
        return fine;
    }
    if let [with @ "WITH", exception, rest @ ..] = *words {
        *words = rest;
        return accepted.contains(&format!("{first} {with} {exception}").as_str());
    }
    accepted.contains(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_named() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nguanxi-model.workspace = true\n# Why.\na = \"1\"\n\
                        b = { version = \"1\" }\n[dev-dependencies]\nc = \"1\" # why\nd = \"1\"\n[features]\ne = []\n";
        let complaints = reasons(&File::new("crates/x/Cargo.toml", manifest));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].contains(":7:") && complaints[0].contains("`b`"));
        assert!(complaints[1].contains(":10:") && complaints[1].contains("`d`"));
    }

    #[test]
    fn licences_are_expressions() {
        let accepted = accepted("[licenses]\nallow = [\n  \"MIT\", # why\n  \"Apache-2.0\",\n]\n");
        let fine = |expression: &str| {
            let (name, version) = ("x".to_owned(), "1.0.0".to_owned());
            licence(&Foreign { name, version, licence: expression.to_owned() }, &accepted).is_none()
        };
        for good in
            ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR BSD) AND Apache-2.0", "X WITH Y OR MIT"]
        {
            assert!(fine(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR BSD) AND ISC", "MIT WITH Y"] {
            assert!(!fine(bad), "{bad}");
        }
    }
}

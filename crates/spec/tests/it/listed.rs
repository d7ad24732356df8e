//! Every case of the conformance suite is in one of its two lists: one that is in neither would compile and never run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files with the lists.
const LISTS: [&str; 2] = ["suite", "inbox_suite"];

/// The files without cases, and what they are instead.
const HELPERS: [(&str, &str); 10] = [
    ("mod", "the settings of cases, and what runs one"),
    ("suite", "the list of cases"),
    ("inbox_suite", "the list of cases of inboxes"),
    ("world", "the store of a case, and what every case ends with"),
    ("external_ids_world", "the words of cases of external ids"),
    ("groups_world", "the words of cases of groups"),
    ("posts_world", "the words of cases of posts"),
    ("users_world", "the words of cases of users"),
    ("replay", "a model of the graph, built from events"),
    ("rng", "random numbers"),
];

/// The sources of the suite by their names.
fn sources() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
    let mut sources = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            path.extension().is_some_and(|it| it == "rs"),
            "cases are looked for in files: {}",
            path.display()
        );
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        sources.insert(name, std::fs::read_to_string(path).unwrap());
    }
    sources
}

/// The cases of a file: its public functions of one argument, the world or the inbox, and those that `seeds!` makes.
fn cases(source: &str) -> BTreeSet<&str> {
    let functions = source.split("\npub async fn ").skip(1).filter_map(|function| {
        let (name, rest) = function.split_once('(')?;
        let (arguments, _) = rest.split_once(')')?;
        ["world: &World", "inbox: &dyn Inbox"].contains(&arguments.trim()).then_some(name)
    });
    let made = source.split("\nseeds! {").skip(1).flat_map(|seeds| {
        let (seeds, _) = seeds.split_once("\n}").expect("the macro's call ends");
        seeds.lines().filter_map(|line| Some(line.split_once('=')?.0.trim()))
    });
    functions.chain(made).collect()
}

/// What a list says: the last two words of `settings group case;`.
fn listed(source: &str) -> BTreeSet<(&str, &str)> {
    source
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.strip_suffix(';')?.split_whitespace().collect();
            matches!(words.len(), 2 | 3).then(|| (words[words.len() - 2], words[words.len() - 1]))
        })
        .collect()
}

#[test]
fn every_case_is_listed() {
    let sources = sources();
    let listed: BTreeSet<(&str, &str)> = LISTS.iter().flat_map(|list| listed(&sources[*list])).collect();
    for (group, source) in &sources {
        let cases = cases(source);
        let helper = HELPERS.iter().find(|(name, _)| *name == group.as_str());
        if let Some((_, reason)) = helper {
            assert_eq!(cases, BTreeSet::new(), "{group}.rs has cases and is said to be {reason}");
        } else {
            assert!(!cases.is_empty(), "{group}.rs has no case and is not among the helpers");
        }
        for case in cases {
            assert!(listed.contains(&(group.as_str(), case)), "{group}::{case} is in no list");
        }
    }
    for (name, _) in HELPERS {
        assert!(sources.contains_key(name), "{name}.rs is among the helpers and is not there");
    }
}

//! Each setting is in a table of `docs/operations.md`, with its default.

use super::blocks::root;
use crate::cli::run::{Ran, guanxi, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// The keys that tables of settings name, each with its default in words, if its table tells one.
fn documented(text: &str) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    let mut columns = None;
    for line in text.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match cells.as_slice() {
            ["key", "default", "meaning"] => columns = Some(true),
            ["key", "meaning"] => columns = Some(false),
            _ if !line.starts_with('|') => columns = None,
            [keys, default, ..] => {
                let Some(tells) = columns else { continue };
                let names: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
                let parts: Vec<&str> = default.split(", ").map(|part| part.trim_matches('`')).collect();
                for (at, name) in names.iter().enumerate() {
                    let part = parts.get(at).filter(|_| tells).map(|part| (*part).to_owned());
                    assert!(found.insert((*name).to_owned(), part).is_none(), "{name} is there twice");
                }
            }
            _ => {}
        }
    }
    found
}

/// All keys: those with values, and those that the refusal of an unknown one lists.
fn keys() -> Vec<String> {
    let refused = Ran::of(guanxi().args(["config", "--config", "/dev/stdin"]).stdin(unknown_key()));
    let (_, list) = refused.stderr.split_once("the keys are ").expect("the refusal lists them");
    list.trim().split(", ").map(str::to_owned).collect()
}

/// A configuration with a key that is like no other.
fn unknown_key() -> fs::File {
    let scratch = crate::cli::run::Scratch::new();
    fs::File::open(scratch.file("guanxi.toml", "qqqqqqqqqqqqqqqqqqqqqq = 1\n")).unwrap()
}

#[test]
fn each_setting_is_documented_with_its_default() {
    let text = fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let documented = documented(&text);
    let known = keys();
    assert!(known.len() > 30, "{known:?}");
    let missing: Vec<_> = known.iter().filter(|key| !documented.contains_key(*key)).collect();
    assert!(missing.is_empty(), "not in docs/operations.md: {missing:?}");
    let unknown: Vec<_> = documented.keys().filter(|key| !known.contains(key)).collect();
    assert!(unknown.is_empty(), "no settings: {unknown:?}");
    let defaults = run(&["config", "--json"]).json();
    for (key, words) in documented {
        let Some(words) = words else { continue };
        let default = match &defaults[&key]["value"] {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            Value::Array(items) if items.is_empty() => "none".to_owned(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        };
        // Thousands have commas; a list of defaults is parted by a comma and a blank.
        assert_eq!(words.replace(',', ""), default, "the default of {key}");
    }
}

/// The help of `serve`, and the man page made of it, name each default as it is.
#[test]
fn the_help_of_a_setting_tells_its_default() {
    let help = run(&["serve", "--help"]).stdout;
    // A flag begins its line; elsewhere it is spoken of.
    let flags: BTreeMap<&str, String> = help
        .split("\n      --")
        .skip(1)
        .map(|part| part.split_once(['\n', ' ', '[', '=']).unwrap_or((part, "")))
        .map(|(flag, text)| (flag, text.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect();
    let told = |flag: &str| {
        let (_, default) = flags.get(flag)?.split_once("[default: ")?;
        default.split_once(']').map(|(default, _)| default.to_owned())
    };
    assert_eq!(told("queue-wait-max-ms").as_deref(), Some("20"));
    let defaults = run(&["config", "--json"]).json();
    let mut compared = 0;
    for (key, setting) in defaults.as_object().unwrap() {
        let flag = key.replace('_', "-");
        let Some(default) = setting["value"].as_u64().filter(|_| flags.contains_key(&*flag)) else {
            continue;
        };
        assert_eq!(told(&flag), Some(default.to_string()), "{flag}");
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}

//! Pairs of a query and a text that say what the rules mean.

use crate::{Query, highlights, matches};

const PAIRS: &str = include_str!("../../../../tests-data/text/pairs.tsv");

/// How many there are at least.
const PAIRS_MIN: usize = 200;

/// Reads `\u{...}`.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').unwrap();
        all.push(char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap());
        all.push_str(rest);
    }
    all
}

#[test]
fn every_pair_matches_or_does_not() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in PAIRS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [query, text, expected, why] = fields[..] else { panic!("four fields: {line}") };
        let (query, text) = (unescaped(query), unescaped(text));
        let parsed = Query::parse(&query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let expected = match expected {
            "yes" => true,
            "no" => false,
            other => panic!("yes or no, not {other}: {line}"),
        };
        count += 1;
        if matches(&parsed, &text) != expected || highlights(&parsed, &text).is_empty() == expected {
            wrong.push(format!("{query} in {text} should be {expected}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= PAIRS_MIN, "{count} pairs");
}

//! What holds of random queries and texts in many scripts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;

use crate::{Analysis, PhraseToken, Query, QueryPart, Wanted, fold, highlights, matches};

/// Pieces that texts and queries are made of: few, so that they meet, and each kind of difficulty.
const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "A",
    "é",
    "e\u{301}",
    "ß",
    "ss",
    "ﬁ",
    "fi",
    "½",
    "㎏",
    "™",
    "1",
    "2",
    "x²",
    "Ø",
    "ı",
    "İ",
    "й",
    "и\u{306}",
    "ё",
    "Σ",
    "ς",
    "你",
    "好",
    "國",
    "国",
    "世",
    "が",
    "か\u{3099}",
    "ｶ",
    "ﾞ",
    "カ",
    "㌔",
    "キ",
    "㋀",
    "月",
    "한",
    "\u{1112}\u{1161}",
    "\u{11ab}",
    "ก",
    "ั",
    "क",
    "\u{93c}",
    "ש",
    "\u{5c1}",
    "ا",
    "\u{654}",
    "ـ",
    "👍",
    "🏽",
    "🇩",
    "🇪",
    "\u{200d}",
    "\u{fe0f}",
    "\u{ad}",
    "\u{301}",
    " ",
    " ",
    " ",
    "-",
    "'",
    ".",
    "，",
    "#",
    "_",
    "\u{fdfa}",
];

/// What a query has beside.
const SIGNS: &[&str] = &["\"", "\" ", " \"", " -", "* ", "*", "”"];

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Queries as they are typed.
fn queries() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => select(PIECES), 1 => select(SIGNS)];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

/// What differs by a break, or by one thing more or less: few enough for most phrases to be nearly in a text.
fn near_misses() -> impl Strategy<Value = (String, String)> {
    let texts = |length| prop::collection::vec(select(&["你", "好", "a", "½", " ", "，"][..]), 1..length);
    (texts(5), texts(8)).prop_map(|(query, text)| (format!("\"{}\"", query.concat()), text.concat()))
}

/// A query and a text. Of the queries a third are parts of their text, in quotes, with a star or as they are, and may have
/// more.
fn worlds() -> impl Strategy<Value = (String, String)> {
    let part = (prop::collection::vec(select(PIECES), 1..24), any::<prop::sample::Index>(), 1_usize..6);
    let forms = select(&["{}", "\"{}\"", "{}*", "a -{}", "{} -c", "{} \"a b\"", "-\"{}\" b"][..]);
    let near = (part, forms).prop_map(|((pieces, at, length), form)| {
        let from = at.index(pieces.len());
        let part = pieces[from..pieces.len().min(from + length)].concat();
        (form.replace("{}", &part), pieces.concat())
    });
    prop_oneof![(queries(), texts()), near, near_misses()]
}

/// An index of one text: where each token stands.
struct Index(BTreeMap<String, BTreeSet<u32>>);

impl Index {
    fn of(text: &str) -> Self {
        let mut index: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for token in Analysis::of(text).tokens() {
            index.entry(token.text.to_owned()).or_default().insert(token.position);
        }
        Self(index)
    }

    fn holds(&self, query: &Query) -> bool {
        query.parts().iter().all(|QueryPart { is_negated, wanted, .. }| self.has(wanted) != *is_negated)
    }

    fn has(&self, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Word(token) => self.0.contains_key(token),
            Wanted::Prefix(prefix) => self.0.keys().any(|token| token.starts_with(prefix)),
            Wanted::Phrase(tokens) => self.0.get(&tokens[0].text).is_some_and(|starts| {
                let stands = |start: u32, PhraseToken { text, offset }: &PhraseToken| {
                    self.0.get(text).is_some_and(|positions| positions.contains(&(start + offset)))
                };
                starts.iter().any(|start| tokens.iter().all(|token| stands(*start, token)))
            }),
        }
    }
}

fn part_of(text: &str, range: &std::ops::Range<u32>) -> String {
    text.chars().skip(range.start as usize).take(range.len()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn tokens_say_what_the_text_says((query, text) in worlds()) {
        if let Ok(query) = Query::parse(&query) {
            prop_assert_eq!(matches(&query, &text), Index::of(&text).holds(&query), "{:?} in {:?}", query, text);
        }
    }

    #[test]
    fn what_is_folded_stays(text in texts()) {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }

    #[test]
    fn highlights_are_apart_and_what_they_hold_is_found((query, text) in worlds()) {
        let Ok(query) = Query::parse(&query) else { return Ok(()) };
        let found = highlights(&query, &text);
        prop_assert_eq!(!found.is_empty(), matches(&query, &text));
        prop_assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start));
        for range in &found {
            prop_assert!(range.start < range.end && range.end as usize <= text.chars().count());
            let piece = Query::parse(&format!("\"{}\"", part_of(&text, range)));
            let piece = piece.unwrap_or_else(|error| panic!("{text:?} {range:?}: {error}"));
            prop_assert!(matches(&piece, &text), "{:?} of {:?}", range, text);
        }
    }

    #[test]
    fn every_part_of_a_run_is_found(text in texts(), around in texts(), from in 0_usize..24, length in 1_usize..8) {
        let whole = format!("{around}{text}");
        let analysis = Analysis::of(&whole);
        for (run, _) in analysis.pieces().filter(|(_, is_run)| *is_run) {
            let part: String = run.chars().skip(from % run.chars().count()).take(length).collect();
            let query = Query::parse(&part).unwrap();
            prop_assert!(matches(&query, &whole), "{:?} in {:?}", part, whole);
        }
    }

    #[test]
    fn every_word_is_found_whole_and_by_its_beginning(text in texts()) {
        let analysis = Analysis::of(&text);
        for (word, _) in analysis.pieces().filter(|(_, is_run)| !is_run) {
            prop_assert!(matches(&Query::parse(word).unwrap(), &text), "{:?} in {:?}", word, text);
            if let Ok(prefix) = Query::parse(&format!("{}*", word.chars().take(2).collect::<String>())) {
                prop_assert!(matches(&prefix, &text), "{:?} in {:?}", prefix, text);
            }
        }
    }

    #[test]
    fn a_text_is_found_by_all_that_it_says(text in texts()) {
        if let Ok(query) = Query::parse(&format!("\"{text}\"")) {
            prop_assert!(matches(&query, &text));
            let longer = format!("b {text} c");
            prop_assert!(matches(&query, &longer), "{:?}", longer);
        }
    }
}

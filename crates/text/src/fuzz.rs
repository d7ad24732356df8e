//! Fuzz targets of queries, texts and names as callers give them.

use guanxi_fuzz::{came_to, fuzz};

use crate::{
    Analysis, HIGHLIGHTS_MAX, MatchKind, NAME_CHARS_MAX, NameQuery, NearWord, QUERY_CHARS_MAX,
    QUERY_TERMS_MAX, Query, READINGS_MAX, WORD_CHARS_MAX, Wanted, fold, highlights, matches, name_keys,
    name_match,
};

/// The kinds of the first characters of a text: what a target may come to beside its answer.
fn shape(text: &str) -> u32 {
    text.chars().take(6).map(|char| char as u32 >> 7).fold(0, |all, kind| all ^ kind) % 64
}

#[test]
fn queries_are_refused_where_they_are_wrong_or_have_bounded_parts() {
    let seeds: [&[u8]; 5] = [
        b"rust -\"big cat\" gua*",
        "“你好 世界” -手机".as_bytes(),
        "－ＣＡＦＥ　＊".as_bytes(),
        "\u{fdfa}\u{fdfa}* é\u{301}".as_bytes(),
        b"a b c d e f g h i j k l m n o p q",
    ];
    fuzz("queries", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let read = Query::parse(&text);
        match &read {
            Ok(query) => {
                assert!(text.chars().count() <= QUERY_CHARS_MAX && query.parts().len() <= QUERY_TERMS_MAX);
                assert!(query.parts().iter().any(|part| !part.is_negated));
                for part in query.parts() {
                    let Wanted::Phrase(tokens) = &part.wanted else { continue };
                    assert!(tokens.len() > 1 && tokens[0].offset == 0, "{text:?}");
                    assert!(tokens.windows(2).all(|pair| pair[0].offset < pair[1].offset), "{text:?}");
                }
            }
            Err(error) => assert!(error.position as usize <= text.chars().count().min(QUERY_CHARS_MAX)),
        }
        let kinds =
            read.map(|query| query.parts().iter().map(|part| std::mem::discriminant(&part.wanted)).collect());
        came_to((kinds.map_err(|error| error.to_string().len()) as Result<Vec<_>, _>, shape(&text)))
    });
}

#[test]
fn highlights_lie_within_the_text_and_tokens_are_bounded() {
    let seeds: [&[u8]; 5] = [
        "strasse\0Die Straße".as_bytes(),
        "国爱\0中國愛你，國 愛".as_bytes(),
        "kg 1\0 5㎏ ½ \u{93c}\u{301}".as_bytes(),
        "ガ*\0ｱｶﾞﾒ 한\u{1112}\u{1161}\u{11ab}".as_bytes(),
        "a -b\0a\u{200d}\u{fe0f}c 👨\u{200d}👩".as_bytes(),
    ];
    fuzz("highlights", &seeds, |bytes| {
        let whole = String::from_utf8_lossy(bytes);
        let (asked, text) = whole.split_once('\0').unwrap_or(("a", &whole));
        let length = text.chars().count() as u32;
        let analysis = Analysis::of(text);
        let mut from = 0;
        for token in analysis.tokens() {
            assert!(!token.text.is_empty() && token.text.chars().count() <= WORD_CHARS_MAX, "{text:?}");
            assert!(token.source.start < token.source.end && token.source.end <= length, "{text:?}");
            assert!(token.position >= from, "{text:?}");
            from = token.position;
        }
        let folded = fold(text);
        assert_eq!(fold(&folded), folded, "{text:?}");
        let Ok(query) = Query::parse(asked) else { return came_to(shape(text)) };
        let found = highlights(&query, text);
        assert_eq!(found.is_empty(), !matches(&query, text), "{asked:?} in {text:?}");
        assert!(found.len() <= HIGHLIGHTS_MAX && found.iter().all(|range| range.start < range.end));
        assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start), "{asked:?} in {text:?}");
        assert!(found.last().is_none_or(|last| last.end <= length), "{asked:?} in {text:?}");
        came_to((found.len().min(4), query.parts().len(), shape(text)))
    });
}

#[test]
fn names_have_bounded_keys_and_find_themselves() {
    let seeds: [&[u8]; 4] =
        [b"Ann Smith", "單雄信 Tony".as_bytes(), "吕布・Zoë".as_bytes(), "김철수 さくら".as_bytes()];
    fuzz("names", &seeds, |bytes| {
        let name = String::from_utf8_lossy(bytes);
        let keys = name_keys(&name);
        assert!(keys.readings.len() <= READINGS_MAX && keys.initials.len() <= keys.readings.len());
        let last = name.split_whitespace().next_back().unwrap_or_default();
        let is_short = name.chars().count() <= NAME_CHARS_MAX;
        let found = [&*name, last].map(|query| {
            let found = name_match(query, &name);
            let is_wanted = is_short && !fold(query).is_empty();
            assert!(!is_wanted || found.is_some_and(|kind| kind <= MatchKind::Prefix), "{query:?} {name:?}");
            found
        });
        assert!(!is_short || fold(&name).is_empty() || found[0] == Some(MatchKind::Exact), "{name:?}");
        for reading in keys.readings.iter().filter(|reading| reading.len() <= name.len()) {
            assert!(name_match(reading, &name).is_some(), "{reading} {name:?}");
        }
        came_to((found, keys.words.len().min(8), keys.readings.len(), shape(&name)))
    });
}

/// What an index of keys is asked for finds exactly those names that match.
#[test]
fn keys_find_the_names_that_match() {
    let seeds: [&[u8]; 5] = [
        "Ann Smith\nsmi".as_bytes(),
        "單雄信 Tony\nshanx".as_bytes(),
        "吕布・Zoë\nzo".as_bytes(),
        "김철수 さくら\n철수 さ".as_bytes(),
        "Alexander\nalexsandar".as_bytes(),
    ];
    fuzz("name_queries", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (name, query) = text.split_once('\n').unwrap_or((&text, &text));
        let Ok(query) = NameQuery::parse(query) else { return came_to((None::<MatchKind>, shape(name))) };
        let (keys, whole) = (name_keys(name), query.whole());
        let reads =
            |letters: &str| keys.readings.iter().chain(&keys.initials).any(|key| key.starts_with(letters));
        let is_near = |near: &NearWord<'_>| {
            let mistakes = |word| strsim::osa_distance(near.word, word);
            keys.spelled().any(|word| mistakes(word) <= near.mistakes.into())
        };
        let kinds = [
            (keys.whole == whole, MatchKind::Exact),
            (keys.starts.iter().any(|start| start.starts_with(whole)), MatchKind::Prefix),
            (query.letters().is_some_and(reads), MatchKind::Pinyin),
            (query.near_words().is_some_and(|words| words.iter().all(is_near)), MatchKind::Fuzzy),
        ];
        let best = kinds.into_iter().find_map(|(holds, kind)| holds.then_some(kind));
        assert_eq!(query.matches(name), best, "{query:?} in {name:?}");
        came_to((best, shape(name)))
    });
}

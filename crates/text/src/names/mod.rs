//! Names of people: what they are found by.

mod fuzzy;
mod readings;

use guanxi_model::limits::NICKNAME_LEN_MAX;

use crate::analysis::{Analysis, framed};
use crate::class::{CharClass, class};

pub use readings::READINGS_MAX;

/// Characters of a nickname that are looked at, and of a query for one: no nickname has more.
pub const NAME_CHARS_MAX: usize = NICKNAME_LEN_MAX as usize;

/// How a query matches a nickname, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// Both are the same when they are folded.
    Exact,
    /// The nickname goes on as the query does from the beginning of one of its words. Each character of a run begins a word,
    /// so that `小明` finds `王小明`.
    Prefix,
    /// The Chinese characters of the nickname are read so, or the query is the beginning of how they are read: in whole
    /// syllables (`zhangwei`) or by the first letter of each (`zw`).
    Pinyin,
    /// Each word of the query is nearly a word of the nickname, in any order: one letter is wrong, missing, too many or
    /// exchanged with the next in a word of 4 letters or more, or two in one of 8 or more. There is none for words in runs.
    Fuzzy,
}

/// What an index keeps of a nickname.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameKeys {
    /// Its words and runs, folded, in their order.
    pub words: Vec<String>,
    /// How its Chinese characters are read, all in a row without tones, the most usual first: at most [`READINGS_MAX`].
    pub readings: Vec<String>,
    /// The first letters of the syllables of each reading, without repetition.
    pub initials: Vec<String>,
}

/// Returns what a nickname is found by, at a cost linear in its length. Of one that is longer than [`NAME_CHARS_MAX`] only
/// the beginning counts.
pub fn name_keys(nickname: &str) -> NameKeys {
    let analysis = Analysis::of(beginning(nickname));
    let words: Vec<String> = analysis.pieces().map(|(piece, _)| piece.to_owned()).collect();
    let (readings, initials) = readings::of(words.iter().flat_map(|word| word.chars()));
    NameKeys { words, readings, initials }
}

/// Returns how a query matches a nickname in the best way, if it does.
pub fn name_match(query: &str, nickname: &str) -> Option<MatchKind> {
    let asked = Asked::of(query)?;
    let name = framed(beginning(nickname));
    if name == asked.framed {
        return Some(MatchKind::Exact);
    }
    if name.contains(asked.prefix()) {
        return Some(MatchKind::Prefix);
    }
    let keys = name_keys(nickname);
    if asked.is_read_in(&keys) {
        return Some(MatchKind::Pinyin);
    }
    asked.is_nearly(&keys).then_some(MatchKind::Fuzzy)
}

/// The part of a nickname that counts.
fn beginning(nickname: &str) -> &str {
    nickname.char_indices().nth(NAME_CHARS_MAX).map_or(nickname, |(end, _)| &nickname[..end])
}

/// A query for a nickname.
struct Asked {
    /// Folded, with a space before and behind it.
    framed: String,
}

impl Asked {
    /// None when it has no words, or is longer than any nickname.
    fn of(query: &str) -> Option<Self> {
        if query.chars().nth(NAME_CHARS_MAX).is_some() {
            return None;
        }
        let framed = framed(query);
        (framed != " ").then_some(Self { framed })
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.framed.split(' ').filter(|word| !word.is_empty())
    }

    /// What the folded nickname must go on with: where the query begins with a word, its space as well.
    fn prefix(&self) -> &str {
        let text = self.framed.trim_end_matches(' ');
        let begins_with_run = text[1..].chars().next().is_some_and(|first| class(first) == CharClass::Run);
        &text[usize::from(begins_with_run)..]
    }

    /// Whether its letters begin a reading or the initials of one. Spaces and apostrophes between syllables say nothing.
    fn is_read_in(&self, keys: &NameKeys) -> bool {
        let letters: String = self.words().collect();
        let is_read = letters.bytes().all(|byte| byte.is_ascii_lowercase());
        is_read && keys.readings.iter().chain(&keys.initials).any(|key| key.starts_with(&letters))
    }

    fn is_nearly(&self, keys: &NameKeys) -> bool {
        let is_run = |word: &str| word.chars().next().is_some_and(|first| class(first) == CharClass::Run);
        let words = || keys.words.iter().filter(|word| !is_run(word));
        self.words().all(|asked| !is_run(asked) && words().any(|word| fuzzy::is_nearly(asked, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str, nickname: &str) -> Option<MatchKind> {
        name_match(query, nickname)
    }

    #[test]
    fn the_same_name_in_other_spelling_is_exact() {
        for (query, nickname) in
            [("zoe", "Zoë"), ("張偉", "张伟"), ("ann smith", "Ann  Smith!"), ("ｶﾞｽ", "ガス")]
        {
            assert_eq!(of(query, nickname), Some(MatchKind::Exact), "{query} {nickname}");
        }
    }

    #[test]
    fn any_word_may_be_begun() {
        for (query, nickname) in [
            ("zo", "Zoë"),
            ("smi", "Ann Smith"),
            ("ann smi", "Ann Smith"),
            ("小明", "王小明"),
            ("b. s", "Ann B. Smith"),
        ] {
            assert_eq!(of(query, nickname), Some(MatchKind::Prefix), "{query} {nickname}");
        }
        assert_eq!(of("mith", "Ann Smith"), Some(MatchKind::Fuzzy), "a letter is missing");
        assert_eq!(of("nn", "Ann"), None);
        assert_eq!(of("明王", "王小明"), None);
    }

    #[test]
    fn chinese_names_are_read_in_pinyin() {
        for (query, nickname) in [
            ("zhangwei", "张伟"),
            ("Zhang Wei", "張偉"),
            ("zhangw", "张伟"),
            ("zw", "张伟"),
            ("z", "张伟"),
            ("zengguofan", "曾国藩"),
            ("cengguofan", "曾国藩"),
            ("zgf", "曾国藩"),
            ("lvbu", "吕布"),
            ("lübu", "吕布"),
            ("xi'an", "西安"),
            ("yuehanshi", "约翰·史密斯"),
        ] {
            assert_eq!(of(query, nickname), Some(MatchKind::Pinyin), "{query} {nickname}");
        }
        assert_eq!(of("wei", "张伟"), None);
        assert_eq!(of("zhangwei", "Zhāng Wěi"), None, "two words are not one");
    }

    #[test]
    fn words_of_four_letters_may_have_one_mistake_and_of_eight_two() {
        for (query, nickname) in [
            ("anne", "Anna"),
            ("smtih", "Ann Smith"),
            ("smith ann", "Ann Smith"),
            ("alexsandar", "Alexander"),
            ("иванав", "Иванов"),
        ] {
            assert_eq!(of(query, nickname), Some(MatchKind::Fuzzy), "{query} {nickname}");
        }
        for (query, nickname) in [
            ("bob", "rob"),
            ("smyths", "Smith"),
            ("bob smyth", "Rob Smith"),
            ("王大明", "王小明"),
            ("zhangwai", "张伟"),
        ] {
            assert_eq!(of(query, nickname), None, "{query} {nickname}");
        }
    }

    #[test]
    fn nothing_and_too_much_find_nobody() {
        assert_eq!(of("", ""), None);
        assert_eq!(of("!", "!"), None);
        assert_eq!(of("", "Ann"), None);
        let long = "x".repeat(NAME_CHARS_MAX);
        assert_eq!(of(&long, &long), Some(MatchKind::Exact));
        assert_eq!(of(&format!("{long}x"), &format!("{long}x")), None);
        assert_eq!(of(&long, &format!("{long}x")), Some(MatchKind::Exact), "only the beginning counts");
    }

    #[test]
    fn kinds_are_ordered_best_first() {
        assert!(MatchKind::Exact < MatchKind::Prefix && MatchKind::Prefix < MatchKind::Pinyin);
        assert!(MatchKind::Pinyin < MatchKind::Fuzzy);
    }

    #[test]
    fn keys_are_words_and_readings() {
        let keys = name_keys("Tony 單雄信");
        assert_eq!(keys.words, ["tony", "单雄信"]);
        let surnames = ["dan", "chan", "shan"];
        let readings =
            ["xiongxin", "xiongshen"].map(|rest| surnames.map(|surname| format!("{surname}{rest}")));
        assert_eq!(keys.readings, readings.concat());
        assert_eq!(keys.initials, ["dxx", "cxx", "sxx", "dxs", "cxs", "sxs"]);
        assert_eq!(name_keys("Zoë").readings, Vec::<String>::new());
        let most = name_keys(&"单".repeat(NAME_CHARS_MAX));
        assert_eq!(most.readings.len(), READINGS_MAX);
    }
}

//! Names of people: what they are found by.

mod fuzzy;
mod readings;

use guanxi_model::limits::NICKNAME_LEN_MAX;

use crate::analysis::{Analysis, framed};
use crate::class::{CharClass, class};
use crate::query::{QueryError, QueryErrorKind};

pub use readings::READINGS_MAX;

/// Characters of a nickname that are looked at, and of a query for one: no nickname has more.
pub const NAME_CHARS_MAX: usize = NICKNAME_LEN_MAX as usize;

/// The most words of a query that may be typed nearly so: an index looks through its whole dictionary for each.
pub const NEAR_WORDS_MAX: usize = 4;

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
    /// Each word of the query is nearly a word of the nickname, in any order. One letter is wrong, missing, too many or
    /// exchanged with the next in a word of 4 letters or more; two are in a word of 8 or more. There is none for words in runs,
    /// nor for queries of more than [`NEAR_WORDS_MAX`] words.
    Fuzzy,
}

/// What an index keeps of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameKeys {
    /// All of it, folded.
    pub whole: String,
    /// From where a query may begin on to the end: from each word and each character of a run, in their order.
    pub starts: Vec<String>,
    /// Its words and runs, folded, in their order.
    pub words: Vec<String>,
    /// How its Chinese characters are read, all in a row without tones, the most usual first: at most [`READINGS_MAX`].
    pub readings: Vec<String>,
    /// The first letters of the syllables of each reading, without repetition.
    pub initials: Vec<String>,
}

impl NameKeys {
    /// Its words that are no runs: those that may be typed nearly so.
    pub fn spelled(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| !is_run(word))
    }
}

/// Returns what a name is found by, at a cost linear in its length but for the starts. Of one that is longer than
/// [`NAME_CHARS_MAX`] only the beginning counts.
pub fn name_keys(name: &str) -> NameKeys {
    let analysis = Analysis::of(beginning(name));
    let words: Vec<String> = analysis.pieces().map(|(piece, _)| piece.to_owned()).collect();
    let (readings, initials) = readings::of(words.iter().flat_map(|word| word.chars()));
    let text = analysis.framed();
    let starts =
        analysis.units().iter().map(|unit| text[unit.folded.start..].trim_end().to_owned()).collect();
    NameKeys { whole: text.trim_matches(' ').to_owned(), starts, words, readings, initials }
}

/// Returns how a query matches a name in the best way, if it does. What is no [`NameQuery`] matches none.
pub fn name_match(query: &str, name: &str) -> Option<MatchKind> {
    NameQuery::parse(query).ok()?.matches(name)
}

/// The part of a name that counts.
fn beginning(name: &str) -> &str {
    name.char_indices().nth(NAME_CHARS_MAX).map_or(name, |(end, _)| &name[..end])
}

fn is_run(word: &str) -> bool {
    word.chars().next().is_some_and(|first| class(first) == CharClass::Run)
}

/// A word of a query for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearWord<'a> {
    /// The folded word.
    pub word: &'a str,
    /// How many letters of it may be wrong, missing, too many or exchanged with the next: 0 to 2.
    pub mistakes: u8,
}

/// A query for a name: plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameQuery {
    /// Folded, with a space before and behind it.
    framed: String,
    letters: Option<String>,
}

impl NameQuery {
    /// Reads a query.
    ///
    /// # Errors
    /// When it has no words, or more than [`NAME_CHARS_MAX`] characters: it is longer than any name.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        if query.chars().nth(NAME_CHARS_MAX).is_some() {
            return Err(QueryError { kind: QueryErrorKind::NameTooLong, position: NAME_CHARS_MAX as u32 });
        }
        let framed = framed(query);
        if framed == " " {
            return Err(QueryError { kind: QueryErrorKind::Empty, position: 0 });
        }
        let letters: String = framed.split(' ').collect();
        let is_read = letters.bytes().all(|byte| byte.is_ascii_lowercase());
        Ok(Self { framed, letters: is_read.then_some(letters) })
    }

    /// Returns how a name matches in the best way, if it does.
    pub fn matches(&self, name: &str) -> Option<MatchKind> {
        let text = framed(beginning(name));
        if text == self.framed {
            return Some(MatchKind::Exact);
        }
        if text.contains(self.prefix()) {
            return Some(MatchKind::Prefix);
        }
        let keys = name_keys(name);
        if self.is_read_in(&keys) {
            return Some(MatchKind::Pinyin);
        }
        self.is_nearly(&keys).then_some(MatchKind::Fuzzy)
    }

    /// Returns what [`NameKeys::whole`] is of a name that it matches exactly, and what any of [`NameKeys::starts`] begins
    /// with of one that it begins.
    pub fn whole(&self) -> &str {
        self.framed.trim_matches(' ')
    }

    /// Returns what any of [`NameKeys::readings`] or [`NameKeys::initials`] begins with of a name that is read so: none if
    /// it is not of plain letters alone. Spaces and apostrophes between syllables say nothing.
    pub fn letters(&self) -> Option<&str> {
        self.letters.as_deref()
    }

    /// The words that must each be nearly one of [`NameKeys::spelled`]; none if any of them is a run, or if they are more than
    /// [`NEAR_WORDS_MAX`].
    pub fn near_words(&self) -> Option<Vec<NearWord<'_>>> {
        let near = |word| (!is_run(word)).then(|| NearWord { word, mistakes: fuzzy::mistakes(word) });
        let words: Option<Vec<NearWord<'_>>> = self.words().map(near).collect();
        words.filter(|words| words.len() <= NEAR_WORDS_MAX)
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.framed.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns what the folded name must go on with: where the query begins with a word, its space as well.
    fn prefix(&self) -> &str {
        let text = self.framed.trim_end_matches(' ');
        &text[usize::from(is_run(&text[1..]))..]
    }

    fn is_read_in(&self, keys: &NameKeys) -> bool {
        let is_read =
            |letters| keys.readings.iter().chain(&keys.initials).any(|key| key.starts_with(letters));
        self.letters().is_some_and(is_read)
    }

    fn is_nearly(&self, keys: &NameKeys) -> bool {
        let is_near = |near: &NearWord<'_>| keys.spelled().any(|word| fuzzy::is_nearly(near.word, word));
        self.near_words().is_some_and(|words| words.iter().all(is_near))
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
            ("deigo maria juan rivera", "Diego Juan Maria Rivera"),
        ] {
            assert_eq!(of(query, nickname), Some(MatchKind::Fuzzy), "{query} {nickname}");
        }
        for (query, nickname) in [
            ("bob", "rob"),
            ("smyths", "Smith"),
            ("bob smyth", "Rob Smith"),
            ("王大明", "王小明"),
            ("zhangwai", "张伟"),
            ("deigo maria de juan rivera", "Diego Maria de Juan Rivera"),
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
        assert_eq!(keys.whole, "tony 单雄信");
        assert_eq!(keys.starts, ["tony 单雄信", "单雄信", "雄信", "信"]);
        assert_eq!(keys.spelled().collect::<Vec<_>>(), ["tony"]);
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

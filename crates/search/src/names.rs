//! What the index holds of a name, and what it is asked for.
//!
//! A beginning of a name is a term of its own, so that a single letter is asked for as fast as a whole name. Beginnings have
//! up to [`BEGINNING_CHARS_MAX`] characters: of a longer query only these are asked for, and the caller compares the rest.

use guanxi_model::Uid;
use guanxi_model::user::LoginName;
use guanxi_ports::search::{ROW_NAME_CHARS_MAX, Row, UserColumn, UserState};
use guanxi_ports::{IndexDoc, UserDoc};
use guanxi_text::{NameKeys, name_keys};
use std::collections::BTreeSet;

/// Characters of the longest beginning that is a term.
pub(crate) const BEGINNING_CHARS_MAX: usize = ROW_NAME_CHARS_MAX;

/// Characters of a whole name that are a term: of a longer name only these are.
const WHOLE_CHARS_MAX: usize = 64;

/// The terms of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTerms {
    /// Wholes and beginnings, each with a mark in front.
    pub(crate) keys: BTreeSet<String>,
    /// The words that may be typed nearly so.
    pub(crate) words: BTreeSet<String>,
}

/// What a user is called, in terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserTerms {
    pub(crate) uid: Uid,
    pub(crate) digest: u64,
    pub(crate) row: Row<UserColumn>,
    /// Each attribute with its value.
    pub(crate) attributes: BTreeSet<String>,
    pub(crate) nickname: NameTerms,
    pub(crate) login_name: NameTerms,
}

impl IndexDoc for UserTerms {
    type Id = Uid;

    fn id(&self) -> Uid {
        self.uid
    }
}

/// What a term says of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is all of it, folded.
    Whole,
    /// It is a beginning of it, or of what follows from a word on.
    Start,
    /// It is the beginning of how it is read.
    Read,
    /// It is all of a login name, as it is typed.
    Typed,
}

impl Mark {
    /// The term of a text.
    pub(crate) fn term(self, text: &str) -> String {
        let (mark, chars_max) = match self {
            Self::Whole => ('=', WHOLE_CHARS_MAX),
            Self::Start => ('>', BEGINNING_CHARS_MAX),
            Self::Read => ('~', BEGINNING_CHARS_MAX),
            Self::Typed => ('!', usize::MAX),
        };
        std::iter::once(mark).chain(text.chars().take(chars_max)).collect()
    }

    /// The terms of all beginnings of a text.
    fn beginnings(self, text: &str) -> impl Iterator<Item = String> {
        let ends = text.char_indices().take(BEGINNING_CHARS_MAX).map(|(at, char)| at + char.len_utf8());
        ends.map(move |end| self.term(&text[..end]))
    }
}

impl NameTerms {
    fn of(name: &str) -> Self {
        let keys = name_keys(name);
        if keys.whole.is_empty() {
            return Self::default();
        }
        let NameKeys { whole, starts, readings, initials, .. } = &keys;
        let starts = starts.iter().flat_map(|start| Mark::Start.beginnings(start));
        let read = readings.iter().chain(initials).flat_map(|read| Mark::Read.beginnings(read));
        let all = std::iter::once(Mark::Whole.term(whole)).chain(starts).chain(read).collect();
        Self { keys: all, words: keys.spelled().map(str::to_owned).collect() }
    }

    fn of_login_name(name: &LoginName) -> Self {
        let mut terms = Self::of(name.shown());
        terms.keys.extend([name.as_str(), name.shown()].map(|text| Mark::Typed.term(text)));
        terms
    }
}

/// A user with terms in place of its texts. One who is deleted has no term of a name, so that none finds it.
pub(crate) fn in_terms(doc: UserDoc) -> UserTerms {
    let row = doc.row();
    let UserDoc { uid, state, nickname, login_name, attributes, digest, .. } = doc;
    let attributes = attributes.iter().map(|(name, value)| attribute_term(name, value)).collect();
    let (nickname, login_name) = if state == UserState::Deleted {
        Default::default()
    } else {
        let login_name = login_name.as_ref().map(NameTerms::of_login_name).unwrap_or_default();
        (NameTerms::of(&nickname), login_name)
    };
    UserTerms { uid, digest, row, attributes, nickname, login_name }
}

/// The term of an attribute. No name has the character between.
pub(crate) fn attribute_term(name: &str, value: &str) -> String {
    format!("{name}\0{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::limits::NICKNAME_LEN_MAX;

    #[test]
    fn beginnings_of_all_words_and_of_readings_are_terms() {
        let terms = NameTerms::of("Al 张伟");
        let starts = [">a", ">al", ">al ", ">al 张", ">al 张伟", ">张", ">张伟", ">伟"];
        let read = ["~z", "~zh", "~zha", "~zhan", "~zhang", "~zhangw", "~zhangwe", "~zhangwei", "~zw"];
        let all = ["=al 张伟"].into_iter().chain(starts).chain(read);
        assert_eq!(terms.keys, all.map(str::to_owned).collect());
        assert_eq!(terms.words, BTreeSet::from(["al".to_owned()]));
        assert_eq!(NameTerms::of("!?"), NameTerms::default());
        let login = NameTerms::of_login_name(&LoginName::new("al".into(), "Al".into()));
        assert!(login.keys.contains("!al") && login.keys.contains("!Al") && login.keys.contains(">al"));
    }

    /// For names of any length when folded, and with any readings.
    #[test]
    fn the_longest_names_have_bounded_terms() {
        for name in ["x", "单", "㌖", "㍿", "ﷺ", "👍", "a ", "行a"] {
            let name = name.repeat(NICKNAME_LEN_MAX as usize / name.len());
            let NameTerms { keys, words } = NameTerms::of(&name);
            let longest = keys.iter().chain(&words).map(String::len).max();
            assert!(keys.len() + words.len() <= 1_000 && longest <= Some(260), "{name}: {}", keys.len());
        }
    }
}

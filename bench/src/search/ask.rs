//! What is asked in a search, and how the calls are drawn.

use super::words::{PHRASE, Planted};
use super::world::World;
use crate::calls::Call;
use guanxi_model::Uid;
use guanxi_model::random::Rng;
use guanxi_text::{Query, Wanted, name_keys};

/// Posts of a page.
pub(crate) const POSTS_PAGE: usize = 50;
/// Users of a page.
pub(crate) const USERS_PAGE: usize = 20;
/// Users who are suggested at once.
pub(crate) const SUGGESTED: usize = 8;
/// Words of the dictionary that are searched for: of several characters, from this rank on.
const HAN_FROM: usize = 500;
/// See [`HAN_FROM`].
const HAN_WORDS: usize = 1_000;

/// A call of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchCall {
    /// What is searched.
    pub(crate) kind: Kind,
    /// What is typed.
    pub(crate) query: String,
    /// The viewer that searches.
    pub(crate) viewer: u64,
}

/// What kind of search it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Posts with a planted word.
    Word(Planted),
    /// Posts with one of the often ones and one of the less often ones.
    TwoWords,
    /// Posts with two words in a row.
    Phrase,
    /// Posts with a word of Chinese.
    Han,
    /// Users whose name begins so.
    Prefix,
    /// Users whose name is nearly so.
    Fuzzy,
    /// Users whose name is read so.
    Pinyin,
    /// Suggestions of users while somebody types: one letter.
    Letter,
    /// The same: three letters.
    Letters,
}

impl Kind {
    /// Searches of posts.
    pub(crate) const POSTS: [Self; 6] = [
        Self::Word(Planted::Rare),
        Self::Word(Planted::Some),
        Self::Word(Planted::Often),
        Self::TwoWords,
        Self::Phrase,
        Self::Han,
    ];
    /// Searches of users.
    pub(crate) const NAMES: [Self; 5] =
        [Self::Prefix, Self::Fuzzy, Self::Pinyin, Self::Letter, Self::Letters];

    /// What the report calls it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Word(Planted::Rare) => "posts, a word in 0.01 % of them",
            Self::Word(Planted::Some) => "posts, a word in 1 % of them",
            Self::Word(Planted::Often) => "posts, a word in 10 % of them",
            Self::TwoWords => "posts, words in 10 % and in 1 % of them",
            Self::Phrase => "posts, a phrase in 0.1 % of them",
            Self::Han => "posts, a word of Chinese",
            Self::Prefix => "users, the beginning of a name",
            Self::Fuzzy => "users, a name with one wrong letter",
            Self::Pinyin => "users, a name in pinyin",
            Self::Letter => "suggestions, one letter",
            Self::Letters => "suggestions, three letters",
        }
    }

    /// The statement that PostgreSQL answers it with; none if it cannot.
    pub(crate) const fn statement(self) -> Option<&'static str> {
        match self {
            Self::Word(_) | Self::TwoWords | Self::Phrase | Self::Han => Some("search_posts"),
            Self::Prefix => Some("names_prefix"),
            Self::Letter | Self::Letters => Some("names_suggest"),
            Self::Fuzzy => Some("names_fuzzy"),
            Self::Pinyin => None,
        }
    }

    /// Whether it searches posts.
    pub(crate) const fn is_of_posts(self) -> bool {
        matches!(self, Self::Word(_) | Self::TwoWords | Self::Phrase | Self::Han)
    }
}

/// Draws so many calls of a kind.
pub(crate) fn draw(kind: Kind, world: &World, viewers: &[Uid], count: usize, seed: u64) -> Vec<Call> {
    let mut rng = Rng::new(seed);
    let call = |_| {
        let viewer = viewers[rng.below(viewers.len())].get();
        Call::Search(SearchCall { kind, query: query(kind, world, &mut rng), viewer })
    };
    (0..count).map(call).collect()
}

fn query(kind: Kind, world: &World, rng: &mut Rng) -> String {
    let mut planted = |planted: Planted| planted.word(rng.below(planted.words() as usize) as u64);
    match kind {
        Kind::Word(often) => planted(often),
        Kind::TwoWords => format!("{} {}", planted(Planted::Often), planted(Planted::Some)),
        Kind::Phrase => format!("\"{}\"", PHRASE.0.join(" ")),
        Kind::Han => world.dictionary.compound(HAN_FROM + rng.below(HAN_WORDS)).to_owned(),
        Kind::Prefix | Kind::Letters => spelled_name(world, rng).chars().take(3).collect(),
        Kind::Fuzzy => misspelled(&spelled_name(world, rng), rng),
        Kind::Pinyin => {
            let name = world.name(3 * rng.below(world.names as usize / 3) as u64);
            name_keys(&name).readings.into_iter().next().unwrap_or(name)
        }
        Kind::Letter => char::from(b'a' + rng.below(26) as u8).to_string(),
    }
}

/// A name that is spelled in letters.
fn spelled_name(world: &World, rng: &mut Rng) -> String {
    // One in three is Chinese.
    world.name(3 * rng.below((world.names as usize - 2) / 3) as u64 + 1)
}

/// The same with another letter somewhere in its last word.
fn misspelled(name: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let from = name.find(' ').map_or(0, |at| at + 1);
    let at = from + rng.below(letters.len().saturating_sub(from).max(1));
    if let Some(letter) = letters.get_mut(at) {
        *letter = if *letter == 'x' { 'y' } else { 'x' };
    }
    letters.into_iter().collect()
}

/// A query for posts as PostgreSQL takes it.
///
/// # Errors
/// When it is no query, or has a beginning of a word, which is not searched for here.
pub(crate) fn tsquery(query: &str) -> Result<String, String> {
    let query = Query::parse(query).map_err(|error| format!("{query}: {error}"))?;
    let part = |part: &guanxi_text::QueryPart| {
        let wanted = match &part.wanted {
            Wanted::Word(word) => lexeme(word),
            Wanted::Phrase(tokens) => {
                let behind = |at: usize| match at {
                    0 => String::new(),
                    _ => format!(" <{}> ", tokens[at].offset - tokens[at - 1].offset),
                };
                let words = tokens.iter().enumerate();
                let words = words.map(|(at, token)| behind(at) + &lexeme(&token.text));
                format!("({})", words.collect::<String>())
            }
            Wanted::Prefix(_) => return Err("beginnings of words are not compared".to_owned()),
        };
        Ok(if part.is_negated { format!("!{wanted}") } else { wanted })
    };
    let parts: Vec<String> = query.parts().iter().map(part).collect::<Result<_, _>>()?;
    Ok(parts.join(" & "))
}

/// A lexeme as PostgreSQL reads it.
pub(crate) fn lexeme(word: &str) -> String {
    format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_written_for_postgres() {
        assert_eq!(tsquery("Tea green").unwrap(), "'tea' & 'green'");
        assert_eq!(tsquery("\"green tea\" -pot").unwrap(), "('green' <1> 'tea') & !'pot'");
        assert_eq!(tsquery("绿茶").unwrap(), "'绿茶'");
        assert_eq!(tsquery("你好世界").unwrap(), "('你好' <2> '好世' <2> '世界')");
        assert_eq!(lexeme("o'\\"), "'o''\\\\'");
        assert!(tsquery("gre*").is_err());
    }

    #[test]
    fn every_kind_asks_what_can_be_asked() {
        let world = World::new(100, 1_000, 1).unwrap();
        let viewers = world.viewers();
        for kind in Kind::POSTS.into_iter().chain(Kind::NAMES) {
            let calls = draw(kind, &world, &viewers, 30, 5);
            assert_eq!(calls, draw(kind, &world, &viewers, 30, 5));
            for call in calls {
                let Call::Search(call) = call else { panic!("{call:?}") };
                assert!(!call.query.is_empty() && call.kind == kind);
                if kind.is_of_posts() {
                    tsquery(&call.query).unwrap();
                }
            }
        }
    }
}

//! Rows: the numbers of documents, by which a back office filters, sorts, counts and sums up.
//!
//! All answers of one walk are about the documents of one moment, so that a walk over many pages skips and repeats nothing, and
//! its counts are exact. Counters change too often for a document to be written at each change: an answer says up to which
//! event its counters are those of the facts.

use super::index::SearchIndex;
use crate::BoxFuture;
use guanxi_model::{Position, Result};
use guanxi_text::{NameQuery, Query};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Walks that are kept at the same time in one index: each holds files of a moment that is gone.
pub const WALKS_MAX: usize = 8;

/// How long a walk is kept after it was begun, in milliseconds.
pub const WALK_MS: u64 = 10 * 60 * 1_000;

/// Walks that are held in one index beyond that time.
pub const WALKS_HELD_MAX: usize = 4;

/// Steps of one histogram.
pub const STEPS_MAX: usize = 20_000;

/// Different values that a top list counts.
pub const TOP_VALUES_MAX: usize = 1_000_000;

/// Characters, folded, of the longest name that finds what begins so and what is read so; a longer one finds whole names alone, so that
/// all that is found can be counted by an index.
pub const ROW_NAME_CHARS_MAX: usize = 12;

/// A number that documents of one kind have or lack.
pub trait RowColumn: Copy + Ord + Debug + Send + Sync + 'static {
    /// All of them, in their order.
    const ALL: &'static [Self];

    /// Its name, as it is on disk. It never changes.
    fn name(self) -> &'static str;

    /// Returns whether it changes so often that a document says it late: a counter, or the day of a login.
    fn is_late(self) -> bool;
}

/// The numbers of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UserColumn {
    /// A [`UserState`]; every user has one.
    State,
    /// The sex, as [`sex_number`](super::sex_number) has it; every user has one.
    Sex,
    /// The year of birth.
    BirthYear,
    /// When the account was registered, in Unix milliseconds.
    Registered,
    /// The start of the day of the last login (UTC), in Unix milliseconds.
    LastLogin,
    /// How many follow the user; a counter, as the next three.
    Followers,
    /// How many the user follows.
    Following,
    /// How many friends the user has.
    Friends,
    /// How many posts, replies, quotes and reposts of the user stand.
    Posts,
}

impl RowColumn for UserColumn {
    const ALL: &'static [Self] = &[
        Self::State,
        Self::Sex,
        Self::BirthYear,
        Self::Registered,
        Self::LastLogin,
        Self::Followers,
        Self::Following,
        Self::Friends,
        Self::Posts,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Sex => "sex",
            Self::BirthYear => "birth_year",
            Self::Registered => "registered",
            Self::LastLogin => "last_login",
            Self::Followers => "followers",
            Self::Following => "following",
            Self::Friends => "friends",
            Self::Posts => "posts",
        }
    }

    fn is_late(self) -> bool {
        matches!(self, Self::LastLogin | Self::Followers | Self::Following | Self::Friends | Self::Posts)
    }
}

/// The numbers of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PostColumn {
    /// A [`PostState`]; every post has one.
    State,
    /// The author's uid; every post has one.
    Author,
    /// A [`PostForm`]; every post has one.
    Form,
    /// An [`Audience`]; every post has one.
    Audience,
    /// When it was created, in Unix milliseconds; the given time of an imported post. Every post has one.
    Created,
    /// How many like it; a counter, as the next two.
    Likes,
    /// Replies.
    Replies,
    /// Reposts and quotes.
    Reposts,
}

impl RowColumn for PostColumn {
    const ALL: &'static [Self] = &[
        Self::State,
        Self::Author,
        Self::Form,
        Self::Audience,
        Self::Created,
        Self::Likes,
        Self::Replies,
        Self::Reposts,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Author => "author",
            Self::Form => "form",
            Self::Audience => "audience",
            Self::Created => "created",
            Self::Likes => "likes",
            Self::Replies => "replies",
            Self::Reposts => "reposts",
        }
    }

    fn is_late(self) -> bool {
        matches!(self, Self::Likes | Self::Replies | Self::Reposts)
    }
}

/// How a user stands. The numbers are those of the column, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UserState {
    /// It is there.
    Active = 0,
    /// It has gone, and may come back.
    Deactivated = 1,
    /// An operator has taken it down.
    TakenDown = 2,
    /// It has gone for good, and is not erased yet.
    Deleted = 3,
}

/// How a post stands. The numbers are those of the column, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PostState {
    /// Readers see it, as far as it is for them and its author is there.
    Live = 0,
    /// Its author has deleted it, and it is not purged yet.
    Deleted = 1,
    /// An operator has taken it down.
    TakenDown = 2,
}

/// What a post is to other posts. The numbers are those of the column, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PostForm {
    /// A post of its own.
    Post = 0,
    /// A reply.
    Reply = 1,
    /// A quote.
    Quote = 2,
}

/// For whom a post is. The numbers are those of the column, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Audience {
    /// For everybody.
    Public = 0,
    /// For followers.
    Followers = 1,
    /// For friends.
    Friends = 2,
    /// For a group.
    Group = 3,
}

/// The numbers of one document; a column that is not there has no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<C>(BTreeMap<C, u64>);

impl<C> Default for Row<C> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<C: RowColumn> Row<C> {
    /// Returns the number of a column.
    pub fn get(&self, column: C) -> Option<u64> {
        self.0.get(&column).copied()
    }

    /// Sets the number of a column, or takes it away.
    pub fn set(&mut self, column: C, number: Option<u64>) {
        match number {
            Some(number) => drop(self.0.insert(column, number)),
            None => drop(self.0.remove(&column)),
        }
    }
}

impl<C: RowColumn> FromIterator<(C, Option<u64>)> for Row<C> {
    fn from_iter<I: IntoIterator<Item = (C, Option<u64>)>>(numbers: I) -> Self {
        Self(numbers.into_iter().filter_map(|(column, number)| Some((column, number?))).collect())
    }
}

/// What a column of a row must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// Between two numbers, both included. A row without a number does not fit.
    Between(u64, u64),
    /// One of these, in rising order.
    OneOf(Vec<u64>),
}

impl Within {
    /// Returns whether a number fits.
    pub fn takes(&self, number: Option<u64>) -> bool {
        number.is_some_and(|number| match self {
            Self::Between(low, high) => (*low..=*high).contains(&number),
            Self::OneOf(numbers) => numbers.binary_search(&number).is_ok(),
        })
    }
}

/// The order of rows: by a column, rows without a number last in either direction, and by rising or falling ids within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOrder<C> {
    /// The column; none for ids alone.
    pub by: Option<C>,
    /// Whether the largest come first.
    pub falling: bool,
}

/// A place in an order: that of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// The number that the rows are ordered by.
    pub number: Option<u64>,
    /// The id of the row.
    pub id: u64,
}

impl<C> RowOrder<C> {
    /// Returns what orders places: the smaller one comes first.
    pub const fn key(&self, place: RowPlace) -> (bool, u64, u64) {
        let (is_missing, number) = match place.number {
            Some(number) => (false, number),
            None => (true, 0),
        };
        if self.falling && !is_missing {
            (false, !number, !place.id)
        } else if self.falling {
            (true, 0, !place.id)
        } else {
            (is_missing, number, place.id)
        }
    }
}

/// A question for the rows that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RowAsk<C, T> {
    /// What their texts must say.
    pub texts: T,
    /// What their numbers must be, all of it.
    pub filters: Vec<(C, Within)>,
    /// In which order they come.
    pub order: RowOrder<C>,
    /// Only rows behind this place.
    pub after: Option<RowPlace>,
    /// How many rows at most.
    pub max: usize,
    /// How many rows fit, where a page before has told it. A page in the order of ids then looks only at what is on it.
    pub total: Option<u64>,
    /// Sums over all rows that fit, on every page.
    pub sums: Vec<RowSum<C>>,
}

/// What the texts of a user must say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserTexts {
    /// What the user is called, as services search for it, but for what is nearly so; with the query as it was typed.
    pub name: Option<(NameQuery, String)>,
    /// Attributes that the user has, with their values.
    pub attributes: Vec<(String, String)>,
}

/// What the text of a post must say; anything if there is none.
pub type PostTexts = Option<Query>;

/// A question for users.
pub type UserRowAsk = RowAsk<UserColumn, UserTexts>;

/// A question for posts.
pub type PostRowAsk = RowAsk<PostColumn, PostTexts>;

/// A sum over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSum<C> {
    /// How many rows have a number in each step of a width; at most [`STEPS_MAX`] steps have any.
    Steps {
        /// The column.
        column: C,
        /// The width of a step, at least 1.
        width: u64,
    },
    /// The numbers that most rows have, exactly; at most [`TOP_VALUES_MAX`] different ones are counted.
    Top {
        /// The column.
        column: C,
        /// How many numbers.
        max: usize,
    },
    /// The numbers below which so many thousandths of the rows are.
    Percentiles {
        /// The column.
        column: C,
    },
}

/// The thousandths that percentiles are told of.
pub const PERCENTILES: [u16; 7] = [0, 250, 500, 750, 900, 990, 1_000];

/// What rows sum up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSummed {
    /// The steps that have rows, in rising order: the number that each begins with, and how many rows it has.
    Steps(Vec<(u64, u64)>),
    /// The numbers that most rows have, with how many have it, the most first and of equal ones the smaller first; and how many
    /// rows have other numbers.
    Top(Vec<(u64, u64)>, u64),
    /// For each of [`PERCENTILES`] the number is one of these bounds or between them; none when no row has a number. The bounds
    /// are equal below 128, and apart by less than 1/64 of the lower one above.
    Percentiles(Option<[(u64, u64); PERCENTILES.len()]>),
}

/// Rows that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRows<C> {
    /// The number of the walk, for the next page: it is kept for [`WALK_MS`], and only [`WALKS_MAX`] are.
    pub walk: u64,
    /// How many rows fit, on all pages.
    pub total: u64,
    /// The rows of the page: ids and numbers, as they are in the index.
    pub rows: Vec<(u64, Row<C>)>,
    /// The place of the last row, if there are more behind it.
    pub next: Option<RowPlace>,
    /// What was asked for, in its order.
    pub sums: Vec<RowSummed>,
    /// Where the index stands: events up to here are in the answer, but for counters.
    pub as_of: Position,
    /// Counters are those of the facts as of here, or newer.
    pub counters_as_of: Position,
}

/// Asks for the rows of users.
pub trait UserTable: SearchIndex {
    /// The users who fit, of a walk that was begun before, or at the moment of the call, which begins one.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked; `STALE_CURSOR` for a walk that is kept no more;
    /// `LIMIT_REACHED` for a sum with too many steps or values.
    fn user_rows(&self, walk: Option<u64>, ask: UserRowAsk) -> BoxFuture<'_, Result<FoundRows<UserColumn>>>;
}

/// Asks for the rows of posts; plain reposts have none.
pub trait PostTable: SearchIndex {
    /// The posts that fit.
    ///
    /// # Errors
    /// As [`UserTable::user_rows`]; `BAD_QUERY` for a prefix that too many words begin with.
    fn post_rows(&self, walk: Option<u64>, ask: PostRowAsk) -> BoxFuture<'_, Result<FoundRows<PostColumn>>>;
}

/// Keeps the walks of one index. A caller that asks a table of another process has none.
pub trait RowWalks: Send + Sync {
    /// Keeps a walk beyond [`WALK_MS`], until it is released, something is erased, or the index is built anew.
    ///
    /// # Errors
    /// `STALE_CURSOR` for a walk that is kept no more; `OVERLOADED` beyond [`WALKS_HELD_MAX`].
    fn hold(&self, walk: u64) -> Result<()>;

    /// Ends a walk, whether it was held or not.
    fn end(&self, walk: u64);

    /// Sets a hook that is called each time that walks end since something is erased or the index is built anew. The hook
    /// removes everything that was made of the walks. It is called by the thread that writes the index, before that goes on.
    fn at_end(&self, hook: WalkEndHook);
}

/// What is done when walks end.
pub type WalkEndHook = Box<dyn Fn() + Send + Sync>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_number_come_last_in_both_directions() {
        let place = |number, id| RowPlace { number, id };
        let places =
            [place(Some(1), 9), place(Some(2), 3), place(Some(2), 4), place(None, 1), place(None, 2)];
        for (falling, order) in [(false, [0, 1, 2, 3, 4]), (true, [2, 1, 0, 4, 3])] {
            let by = RowOrder { by: Some(UserColumn::Followers), falling };
            let mut sorted: Vec<usize> = (0..places.len()).collect();
            sorted.sort_by_key(|at| by.key(places[*at]));
            assert_eq!(sorted, order, "falling {falling}");
        }
    }
}

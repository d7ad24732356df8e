//! The rows of a batch: fetched under the locks of their shards, changed by plans, and then written back.
//!
//! A command is planned in one shard, its [home](Rows::enter): rows of its users are facts there, and of everybody else the
//! shard has mirrors, which follow from the events of others. What a plan puts for a user of another shard is left to that
//! shard, which derives it from the event.

mod answers;
mod cell;
mod erased_ids;
mod external_ids;
mod feed;
mod fetched;
mod foreign;
mod groups;
mod load;
mod posts;
mod relations;
mod sessions;
mod settings;
mod shards;
mod suggestions;
mod users;
mod waiting;

pub use answers::AnswerKey;
pub use cell::{Cells, NotFetched};
pub use erased_ids::{ErasedHash, ErasedIds};
pub use external_ids::DictionaryCells;
pub use feed::FeedTables;
pub use foreign::{ForeignKey, ForeignRows};
pub use groups::{GroupCells, GroupPlace, MemberPlace, OwnedGroups};
pub use posts::{LikeRow, OutboxHead, PostTables, ReferenceRow, StoredPost, kind_code, original_of};
pub use relations::{BlockRow, FanRow, FollowRow, MirrorRow, MuteRow, UserRow};
pub use sessions::SessionCells;
pub use settings::{CredentialChanges, SettingCells, SettingState};
pub use shards::{LoggedEvent, Peer, ProcessClock, ShardRow, Shards, peer_of};
pub use suggestions::{SuggestionCells, WholeRow};
pub use users::{AccountCells, EndedChanges};
pub use waiting::{AskedRow, Asking, PastRow, RequestRow, SentRow, Told};

use answers::AnswerRow;
use guanxi_model::plan::{FactLimits, RowKey};
use guanxi_model::{Gene, HistoryId, Stamp, Uid};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Two users, the first of whom is of the shard.
pub type Pair = (Uid, Uid);

/// What is the same for every batch of a process.
#[derive(Clone, Copy, Debug)]
pub struct RowTerms {
    /// Which cluster it is.
    pub history: HistoryId,
    /// The limits of users.
    pub limits: FactLimits,
    /// How external ids are hashed that led to users who are erased.
    pub erased_ids: ErasedIds,
}

impl RowTerms {
    /// Terms of rows of which no id is erased, and none is asked for.
    pub const fn new(history: HistoryId, limits: FactLimits) -> Self {
        Self { history, limits, erased_ids: ErasedIds::NONE }
    }
}

/// The rows of a batch.
#[derive(Debug)]
pub struct Rows {
    terms: RowTerms,
    /// The shards whose rows are locked.
    pub shards: Shards,
    /// Where the command that is planned now has its home.
    home: Gene,
    /// What other shards said of what it reads.
    foreign: Arc<ForeignRows>,
    /// The last version that was minted.
    minted: Stamp,
    fetched: BTreeSet<(Gene, RowKey)>,
    /// Whom users of the shards follow.
    pub follows: Cells<Pair, FollowRow>,
    /// Who follows them, as their shards know it.
    pub fans: Cells<Pair, FanRow>,
    /// Whom they block.
    pub blocks: Cells<Pair, BlockRow>,
    /// Who blocks them, as their shards know it.
    pub blocked_by: Cells<Pair, MirrorRow>,
    /// Whom they mute.
    pub mutes: Cells<Pair, MuteRow>,
    /// Their counters.
    pub users: Cells<Uid, UserRow>,
    /// What they are asked.
    pub requests: Cells<Pair, RequestRow>,
    /// What they have asked.
    pub sent: Cells<Pair, SentRow>,
    /// Since when users approve everybody that waits to follow them.
    pub unlocking: Cells<Uid, Option<Stamp>>,
    /// What is to be asked in other shards.
    asking: Vec<Asking>,
    /// The mark of the request of which the next event tells.
    request_mark: Option<Stamp>,
    /// The version that was minted last for a change of another shard, and the one before it, until it is taken.
    spare: Option<(Stamp, Stamp)>,
    /// What was minted for changes that follow in other shards, by the two users whom events concern.
    minted_for: BTreeMap<Pair, Told>,
    /// Posts, and what goes with them.
    pub posts: PostTables,
    /// Up to where users have seen their homes.
    pub feed: FeedTables,
    answers: BTreeMap<AnswerKey, AnswerRow>,
    /// Accounts, and what finds them.
    pub accounts: AccountCells,
    /// Sessions.
    pub sessions: SessionCells,
    /// External ids.
    pub dictionary: DictionaryCells,
    /// Groups and their members.
    pub groups: GroupCells,
    /// Dismissed users, and scores.
    pub suggestions: SuggestionCells,
    /// What is no user's.
    pub settings: SettingCells,
}

impl Rows {
    /// No rows of shards that are locked.
    pub fn new(terms: RowTerms, shards: Shards) -> Self {
        Self {
            terms,
            shards,
            home: Gene(0),
            foreign: Arc::default(),
            minted: Stamp::ZERO,
            fetched: BTreeSet::new(),
            follows: Cells::default(),
            fans: Cells::default(),
            blocks: Cells::default(),
            blocked_by: Cells::default(),
            mutes: Cells::default(),
            users: Cells::default(),
            requests: Cells::default(),
            sent: Cells::default(),
            unlocking: Cells::default(),
            asking: Vec::new(),
            request_mark: None,
            spare: None,
            minted_for: BTreeMap::new(),
            posts: PostTables::default(),
            feed: FeedTables::default(),
            answers: BTreeMap::new(),
            accounts: AccountCells::default(),
            sessions: SessionCells::default(),
            dictionary: DictionaryCells::default(),
            groups: GroupCells::default(),
            suggestions: SuggestionCells::default(),
            settings: SettingCells::default(),
        }
    }

    /// What is the same for every batch.
    pub const fn terms(&self) -> &RowTerms {
        &self.terms
    }

    /// No rows of what is no user's.
    pub fn of_settings(terms: RowTerms, clock: Arc<ProcessClock>) -> Self {
        Self { settings: SettingCells::here(), ..Self::new(terms, Shards::new([], clock)) }
    }

    /// Goes to the shard in which the next command is planned.
    pub fn enter(&mut self, home: Gene) {
        self.enter_with(home, Arc::default());
    }

    /// Goes to the shard in which the next command is planned, with what other shards said of the rows that it reads.
    pub fn enter_with(&mut self, home: Gene, foreign: Arc<ForeignRows>) {
        (self.home, self.foreign) = (home, foreign);
    }

    /// Returns whether other shards were asked for every row of theirs that a write about posts names.
    pub fn has_foreign(&self, named: &BTreeSet<RowKey>) -> bool {
        let foreign = named.iter().filter_map(ForeignKey::of).filter(|key| key.gene() != self.home);
        foreign.into_iter().all(|key| self.foreign.has(&key))
    }

    /// Returns whether a user is of the shard in which the command is planned.
    pub fn is_home(&self, uid: Uid) -> bool {
        uid.gene() == self.home
    }

    /// Returns which of some rows that a write of a home names are not there yet.
    pub fn missing(&self, home: Gene, named: BTreeSet<RowKey>) -> BTreeSet<(Gene, RowKey)> {
        let named = named.into_iter().map(|key| (home, key));
        named.filter(|key| !self.fetched.contains(key)).collect()
    }

    /// Says that rows were fetched: those that a write of a home names.
    pub fn note_fetched(&mut self, keys: BTreeSet<(Gene, RowKey)>) {
        self.fetched.extend(keys);
    }
}

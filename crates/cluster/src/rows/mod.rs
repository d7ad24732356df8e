//! The rows of a batch: fetched under the locks of their shards, changed by plans, and written back.
//!
//! A command is planned in one shard, its [home](Rows::enter): rows of its users are facts there, and of everybody else the
//! shard has mirrors, which follow from the events of others. What a plan puts for a user of another shard is left to that
//! shard, which derives it from the event.

mod answers;
mod columns;
mod external_ids;
mod feed;
mod fetch;
mod fetched;
mod foreign;
mod groups;
mod load;
mod lock;
mod pairs;
mod posts;
mod put;
mod relations;
mod sessions;
mod settings;
mod shards;
mod suggestions;
mod users;
mod waiting;

pub(crate) use columns::{
    column, column_of, damaged, gene, gene_column, keyed, limit, maybe_post_id, maybe_stamp, number,
    post_column, post_id, stamp, stamp_column, text_column, text_of, uid, uid_terms,
};
pub(crate) use external_ids::{read_erased_id, read_id};
pub(crate) use feed::seen_of;
pub(crate) use fetch::{
    ask_rows, fetch_derived, fetch_derived_of_posts, fetch_pairs, fetch_rows, fetch_stats, fetch_users,
    take_rows,
};
pub(crate) use foreign::{ask_foreign, take_foreign};
pub(crate) use groups::{group_number, read_group};
pub(crate) use guanxi_shard::cells::{Cells, ForeignKey, ForeignRows, NotFetched, Pair};
pub(crate) use guanxi_shard::digest::{DigestCell, DigestDelta, DigestKind, DigestSide, digest_of};
pub(crate) use lock::{BEGIN_APART, BEGIN_SOON, Locked, held, lock_free, lock_shards, locked};
pub(crate) use posts::{
    LikeRow, OutboxHead, ReferenceRow, kind_columns, kind_of, original_of, post_columns, post_header,
    revision_of, whole_post, whole_post_columns,
};
pub(crate) use put::put_changes;
pub(crate) use relations::{BlockRow, FanRow, FollowRow, MirrorRow, MuteRow, UserRow, put_deltas};
pub(crate) use sessions::{ALL_SESSIONS, BY_ID, PAGE, PUT_SESSION, read_session, session_terms};
pub(crate) use settings::{
    ALL_AUDIT, ALL_CREDENTIALS, AUDIT, CredentialChanges, POLICY, PUT_CREDENTIAL, PUT_POLICY, audit_column,
    audit_end, credential_columns, credential_terms, lock_settings, policy_terms, put_audit, read_audit,
    read_credential, read_policy, take_locked_settings,
};
pub(crate) use shards::{Peer, ProcessClock, ShardRow, Shards, peer_of};
pub(crate) use users::{
    REPEATED_STANDINGS, STANDINGS, UserStanding, account_columns, kind_column, put_standings, read_account,
    read_claim, read_standing, set_standing, standing_columns,
};
#[cfg(test)]
pub(crate) use waiting::PastRow;
pub(crate) use waiting::{
    AskedRow, Asking, RequestRow, SentRow, Told, past_request, place_column, request_kind, request_kind_of,
};

use crate::postgres::Fault;
use answers::{AnswerKey, AnswerRow};
use external_ids::DictionaryCells;
use feed::FeedTables;
use groups::GroupCells;
use guanxi_model::plan::{FactLimits, RowKey};
use guanxi_model::{Gene, HistoryId, Stamp, Uid};
use guanxi_rows::layout::ErasedIdKey;
use posts::PostTables;
use sessions::SessionCells;
use settings::SettingCells;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use suggestions::SuggestionCells;
use users::AccountCells;

/// The answers of statements, in the order in which these were added.
type Answered = std::vec::IntoIter<Vec<tokio_postgres::Row>>;

impl From<NotFetched> for Fault {
    fn from(NotFetched(what): NotFetched) -> Self {
        Self::Refused(format!("{what} was not fetched"))
    }
}

/// What is the same for every batch of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTerms {
    /// Which cluster it is.
    pub history: HistoryId,
    /// The limits of users.
    pub limits: FactLimits,
    /// The key of hashes of external ids that led to users who are erased.
    pub erased_id_key: ErasedIdKey,
}

impl RowTerms {
    /// Terms of rows of which no id is erased, and none is asked for.
    pub(crate) const fn new(history: HistoryId, limits: FactLimits) -> Self {
        Self { history, limits, erased_id_key: ErasedIdKey([0; 32]) }
    }
}

/// The rows of a batch.
#[derive(Debug)]
pub(crate) struct Rows {
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
    pub follows: Cells<Pair, FollowRow>,
    pub fans: Cells<Pair, FanRow>,
    pub blocks: Cells<Pair, BlockRow>,
    pub blocked_by: Cells<Pair, MirrorRow>,
    pub mutes: Cells<Pair, MuteRow>,
    pub users: Cells<Uid, UserRow>,
    pub requests: Cells<Pair, RequestRow>,
    pub sent: Cells<Pair, SentRow>,
    unlocking: Cells<Uid, Option<Stamp>>,
    /// What is to be asked in other shards.
    asking: Vec<Asking>,
    /// The mark of the request of which the next event tells.
    request_mark: Option<Stamp>,
    /// The version that was minted last for a change of another shard, and the one before it, until it is taken.
    spare: Option<(Stamp, Stamp)>,
    /// What was minted for changes that follow in other shards, by the two users whom events concern.
    minted_for: BTreeMap<Pair, Told>,
    pub posts: PostTables,
    feed: FeedTables,
    answers: BTreeMap<AnswerKey, AnswerRow>,
    accounts: AccountCells,
    sessions: SessionCells,
    dictionary: DictionaryCells,
    groups: GroupCells,
    suggestions: SuggestionCells,
    settings: SettingCells,
}

impl Rows {
    /// No rows of shards that are locked.
    pub(crate) fn new(terms: RowTerms, shards: Shards) -> Self {
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
    pub(crate) const fn terms(&self) -> &RowTerms {
        &self.terms
    }

    /// No rows of what is no user's.
    pub(crate) fn of_settings(terms: RowTerms, clock: Arc<ProcessClock>) -> Self {
        Self { settings: SettingCells::here(), ..Self::new(terms, Shards::new([], clock)) }
    }

    /// Goes to the shard in which the next command is planned.
    pub(crate) fn enter(&mut self, home: Gene) {
        self.enter_with(home, Arc::default());
    }

    /// Goes to the shard in which the next command is planned, with what other shards said of the rows that it reads.
    pub(crate) fn enter_with(&mut self, home: Gene, foreign: Arc<ForeignRows>) {
        (self.home, self.foreign) = (home, foreign);
    }

    /// Returns whether other shards were asked for every row of theirs that a write about posts names.
    pub(crate) fn has_foreign(&self, named: &BTreeSet<RowKey>) -> bool {
        let foreign = named.iter().filter_map(ForeignKey::of).filter(|key| key.gene() != self.home);
        foreign.into_iter().all(|key| self.foreign.has(&key))
    }

    /// Returns whether a user is of the shard in which the command is planned.
    pub(crate) fn is_home(&self, uid: Uid) -> bool {
        uid.gene() == self.home
    }

    /// Returns which of some rows that a write of a home names are not there yet.
    pub(crate) fn missing(&self, home: Gene, named: BTreeSet<RowKey>) -> BTreeSet<(Gene, RowKey)> {
        let named = named.into_iter().map(|key| (home, key));
        named.filter(|key| !self.fetched.contains(key)).collect()
    }

    /// Says that rows were fetched: those that a write of a home names.
    pub(crate) fn note_fetched(&mut self, keys: BTreeSet<(Gene, RowKey)>) {
        self.fetched.extend(keys);
    }
}

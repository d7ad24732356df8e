//! The rows of a batch: fetched under the locks of their shards, changed by plans, and written back.
//!
//! A command is planned in one shard, its [home](Rows::enter): rows of its users are facts there, and of everybody else the
//! shard has mirrors, which follow from the events of others. What a plan puts for a user of another shard is left to that
//! shard, which derives it from the event.

mod answers;
mod columns;
mod external_ids;
mod feed;
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
pub(crate) use foreign::{ask_foreign, take_foreign};
pub(crate) use groups::{group_number, read_group};
pub(crate) use guanxi_shard::cells::{Cells, ForeignKey, ForeignRows, NotFetched, Pair};
pub(crate) use guanxi_shard::digest::{DigestCell, DigestDelta, DigestKind, DigestSide, digest_of};
pub(crate) use lock::{BEGIN_APART, BEGIN_SOON, Locked, held, lock_free, lock_shards, locked};
pub(crate) use posts::{
    LikeRow, OutboxHead, ReferenceRow, kind_columns, kind_of, original_of, post_columns, post_header,
    revision_of, whole_post, whole_post_columns,
};
pub(crate) use relations::{BlockRow, FanRow, FollowRow, MirrorRow, MuteRow, UserRow, put_deltas};
pub(crate) use sessions::{ALL_SESSIONS, BY_ID, PAGE, PUT_SESSION, read_session, session_terms};
pub(crate) use settings::{
    ALL_AUDIT, ALL_CREDENTIALS, AUDIT, CredentialChanges, POLICY, PUT_CREDENTIAL, PUT_POLICY, audit_column,
    audit_end, credential_columns, credential_terms, lock_settings, policy_terms, put_audit, read_audit,
    read_credential, read_policy,
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

use crate::postgres::{Connection, Fault, Statements};
use answers::{AnswerFetch, AnswerKey, AnswerRow};
use external_ids::{DictionaryCells, ExternalFetch};
use feed::{FeedFetch, FeedTables};
use groups::{GroupCells, GroupFetch};
use guanxi_model::limits::IMPORT_SPILL_MS;
use guanxi_model::plan::{FactLimits, RowKey};
use guanxi_model::{Gene, HistoryId, PostId, Stamp, Uid};
use guanxi_rows::layout::ErasedIdKey;
use pairs::PairFetch;
use posts::{PostFetch, PostTables};
use relations::RelationFetch;
use sessions::{SessionCells, SessionFetch};
use settings::{SettingCells, SettingFetch};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use suggestions::{SuggestionCells, SuggestionFetch};
use users::{AccountCells, UserFetch};
use waiting::WaitingFetch;

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

/// The answers of statements, in the order in which these were added.
type Answered = std::vec::IntoIter<Vec<tokio_postgres::Row>>;

/// The rows that are fetched together, by domain. Each domain adds statements, and takes their answers in the same order.
#[derive(Default)]
struct Fetch {
    pairs: PairFetch,
    relations: RelationFetch,
    waiting: WaitingFetch,
    posts: PostFetch,
    feed: FeedFetch,
    answers: AnswerFetch,
    users: UserFetch,
    sessions: SessionFetch,
    external_ids: ExternalFetch,
    groups: GroupFetch,
    suggestions: SuggestionFetch,
    settings: SettingFetch,
}

impl Fetch {
    /// Fetches them into the rows of a batch, but for those that it has.
    async fn run(mut self, connection: &Connection, rows: &mut Rows) -> Result<(), Fault> {
        let mut statements = Statements::default();
        self.ask(rows, &mut statements);
        let found =
            if statements.is_empty() { Vec::new() } else { statements.send(connection, "", "").await? };
        self.take(&mut found.into_iter(), rows)
    }

    /// Adds the statements of those that a batch has not.
    fn ask(&mut self, rows: &Rows, statements: &mut Statements) {
        self.pairs.retain_missing(rows);
        self.pairs.ask(statements);
        self.relations.retain_missing(rows);
        self.relations.ask(statements);
        self.waiting.retain_missing(rows);
        self.waiting.ask(statements);
        self.posts.retain_missing(rows);
        self.posts.ask(statements);
        self.feed.retain_missing(rows);
        self.feed.ask(statements);
        self.answers.ask(rows, statements);
        self.users.retain_missing(rows);
        self.users.ask(statements);
        self.sessions.retain_missing(rows);
        self.sessions.ask(statements);
        self.external_ids.retain_missing(rows);
        self.external_ids.ask(rows.terms, statements);
        self.groups.retain_missing(rows);
        self.groups.ask(statements);
        self.suggestions.retain_missing(rows);
        self.suggestions.ask(statements);
        self.settings.retain_missing(rows);
        self.settings.ask(statements);
    }

    /// Takes in their answers, in the same order.
    fn take(self, found: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        self.pairs.take(found, rows)?;
        self.relations.take(found, rows)?;
        self.waiting.take(found, rows)?;
        self.posts.take(found, rows)?;
        self.feed.take(found, rows)?;
        self.answers.take(found, rows)?;
        self.users.take(found, rows)?;
        self.sessions.take(found, rows)?;
        self.external_ids.take(rows.terms, found, rows)?;
        self.groups.take(found, rows)?;
        self.suggestions.take(found, rows)?;
        self.settings.take(found, rows)
    }
}

/// Rows that were asked for.
pub(crate) struct AskedRows {
    fetch: Fetch,
    keys: BTreeSet<(Gene, RowKey)>,
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

    /// Adds the statements that fetch rows, which are [taken in](Self::take) when they were answered.
    pub(crate) fn ask(&self, keys: BTreeSet<(Gene, RowKey)>, statements: &mut Statements) -> AskedRows {
        let mut fetch = Fetch::default();
        for (home, key) in &keys {
            Self::name(*home, key, &mut fetch);
        }
        fetch.ask(self, statements);
        AskedRows { fetch, keys }
    }

    /// Takes in the answers of what was asked, in the same order.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(crate) fn take(&mut self, asked: AskedRows, found: &mut Answered) -> Result<(), Fault> {
        asked.fetch.take(found, self)?;
        self.fetched.extend(asked.keys);
        Ok(())
    }

    /// Fetches rows, all of them at once.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub(crate) async fn fetch(
        &mut self,
        connection: &Connection,
        keys: BTreeSet<(Gene, RowKey)>,
    ) -> Result<(), Fault> {
        let mut statements = Statements::default();
        let asked = self.ask(keys, &mut statements);
        let found =
            if statements.is_empty() { Vec::new() } else { statements.send(connection, "", "").await? };
        self.take(asked, &mut found.into_iter())
    }

    /// Fetches what two users have said about each other, as the shard of the first knows it, which is locked. For users
    /// whom a block parts, it also fetches the groups of the first that contain the second.
    pub(crate) async fn fetch_derived(
        &mut self,
        connection: &Connection,
        pairs: impl IntoIterator<Item = (Pair, bool)>,
    ) -> Result<(), Fault> {
        let mut fetch = Fetch::default();
        for (pair, are_parted) in pairs {
            fetch.pairs.pair(pair);
            fetch.relations.user(pair.0);
            if are_parted {
                fetch.groups.with(pair.0, pair.1);
                // Posts may be for a group that somebody leaves.
                fetch.posts.author(pair.0);
            }
        }
        fetch.run(connection, self).await
    }

    /// Fetches what two users of whom the first is of a locked shard have said about each other.
    pub(crate) async fn fetch_pairs(
        &mut self,
        connection: &Connection,
        pairs: impl IntoIterator<Item = Pair>,
    ) -> Result<(), Fault> {
        let mut fetch = Fetch::default();
        for pair in pairs {
            fetch.pairs.pair(pair);
            fetch.relations.user(pair.0);
        }
        fetch.run(connection, self).await
    }

    /// Fetches the counters of users of locked shards.
    pub(crate) async fn fetch_users(
        &mut self,
        connection: &Connection,
        uids: impl IntoIterator<Item = Uid>,
    ) -> Result<(), Fault> {
        let mut fetch = Fetch::default();
        uids.into_iter().for_each(|uid| fetch.relations.user(uid));
        fetch.run(connection, self).await
    }

    /// Fetches what the shards of posts know of likes, each of a post by a user, and of references, each of an original by
    /// another post.
    pub(crate) async fn fetch_derived_of_posts(
        &mut self,
        connection: &Connection,
        likes: impl IntoIterator<Item = (PostId, Uid)>,
        references: impl IntoIterator<Item = (PostId, PostId)>,
    ) -> Result<(), Fault> {
        let mut fetch = Fetch::default();
        likes.into_iter().for_each(|(id, uid)| fetch.posts.liker(id, uid));
        references.into_iter().for_each(|(of, id)| fetch.posts.reference(of, id));
        fetch.run(connection, self).await
    }

    /// Fetches the counters of posts of locked shards.
    pub(crate) async fn fetch_stats(
        &mut self,
        connection: &Connection,
        posts: impl IntoIterator<Item = PostId>,
    ) -> Result<(), Fault> {
        let mut fetch = Fetch::default();
        posts.into_iter().for_each(|id| fetch.posts.stats(id));
        fetch.run(connection, self).await
    }

    /// Says which rows of the database a row of the planner is made of.
    fn name(home: Gene, key: &RowKey, fetch: &mut Fetch) {
        let mut pair = |owner: Uid, other: Uid| {
            if owner.gene() == home {
                fetch.pairs.pair((owner, other));
            }
        };
        match key {
            RowKey::Said(a, b) | RowKey::Request(a, b) | RowKey::Cooldown(a, b) => {
                pair(*a, *b);
                pair(*b, *a);
            }
            RowKey::Removed(a, b) | RowKey::Mute(a, b) => pair(*a, *b),
            RowKey::User(uid) | RowKey::RequestsSeen(uid) if uid.gene() == home => fetch.relations.user(*uid),
            RowKey::Unlocking(uid) if uid.gene() == home => fetch.waiting.unlocking(*uid),
            RowKey::Account(uid) => fetch.users.account(home, *uid),
            RowKey::LoginName(name) if name.gene() == home => fetch.users.login_name(name),
            RowKey::Password(uid) if uid.gene() == home => fetch.users.password(*uid),
            RowKey::SignedOut(uid) if uid.gene() == home => fetch.users.signed_out(*uid),
            RowKey::Session(gene, id) if *gene == home => fetch.sessions.by_id(*gene, *id),
            RowKey::Sessions(uid) if uid.gene() == home => fetch.sessions.of_user(*uid),
            RowKey::Credential(name) => fetch.settings.credential(name.clone()),
            RowKey::Audit(id) => fetch.settings.audit(*id),
            RowKey::Claim(contact) if contact.gene() == home => fetch.users.claim(contact),
            RowKey::ExternalUid(id) if id.gene() == home => fetch.external_ids.uid_of(id),
            RowKey::ExternalId(uid) if uid.gene() == home => fetch.external_ids.id_of(*uid),
            RowKey::ErasedId(id) if id.gene() == home => fetch.external_ids.is_erased(id),
            RowKey::Post(id) if id.gene() == home => fetch.posts.post(*id),
            RowKey::Name(id) if id.gene() == home => {
                fetch.posts.post(*id);
                fetch.posts.other_names(*id);
            }
            RowKey::Stats(id) if id.gene() == home => fetch.posts.stats(*id),
            RowKey::Like(id, uid) if uid.gene() == home => fetch.posts.liked(*uid, *id),
            RowKey::Reposts(uid, of) if uid.gene() == home => fetch.posts.reposts(*uid, *of),
            RowKey::Author(uid) if uid.gene() == home => fetch.posts.author(*uid),
            RowKey::Source(uid, key) if uid.gene() == home => fetch.posts.source(*uid, key.clone()),
            RowKey::Taken(uid, ms) if uid.gene() == home => fetch.posts.taken(home, *ms, 1),
            RowKey::TakenLater(uid, ms) if uid.gene() == home => {
                fetch.posts.taken(home, ms.saturating_add(1), IMPORT_SPILL_MS - 1);
            }
            RowKey::Seen(uid) if uid.gene() == home => fetch.feed.seen(*uid),
            RowKey::Answer(actor, id) => fetch.answers.answer((home, *actor, id.clone())),
            RowKey::OwnedGroups(owner) if owner.gene() == home => fetch.groups.owned(*owner),
            RowKey::Group(owner, id) if owner.gene() == home => fetch.groups.group((*owner, *id)),
            RowKey::GroupMembers(owner, id) if owner.gene() == home => fetch.groups.whole((*owner, *id)),
            RowKey::GroupMember(owner, id, uid) if owner.gene() == home => {
                fetch.groups.member((*owner, *id, *uid));
            }
            RowKey::GroupsWith(owner, member) if owner.gene() == home => fetch.groups.with(*owner, *member),
            RowKey::Dismissed(viewer) if viewer.gene() == home => fetch.suggestions.dismissed(*viewer),
            RowKey::Affinities(actor) if actor.gene() == home => fetch.suggestions.affinities(*actor),
            _ => {}
        }
    }
}

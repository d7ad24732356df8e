//! Fetching the rows of a batch, all of them at once.

use super::answers::AnswerFetch;
use super::external_ids::ExternalFetch;
use super::feed::FeedFetch;
use super::groups::GroupFetch;
use super::pairs::PairFetch;
use super::posts::PostFetch;
use super::relations::RelationFetch;
use super::sessions::SessionFetch;
use super::settings::SettingFetch;
use super::suggestions::SuggestionFetch;
use super::users::UserFetch;
use super::waiting::WaitingFetch;
use super::{Answered, Pair, Rows};
use guanxi_model::limits::IMPORT_SPILL_MS;
use guanxi_model::plan::RowKey;
use guanxi_model::{Gene, PostId, Uid};
use guanxi_postgres::{Connection, Fault, Statements};
use std::collections::BTreeSet;

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
        self.external_ids.ask(rows.terms(), statements);
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
        self.external_ids.take(found, rows)?;
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

/// Adds the statements that fetch rows, which are [taken in](take_rows) when they were answered.
pub(crate) fn ask_rows(
    rows: &Rows,
    keys: BTreeSet<(Gene, RowKey)>,
    statements: &mut Statements,
) -> AskedRows {
    let mut fetch = Fetch::default();
    for (home, key) in &keys {
        name(*home, key, &mut fetch);
    }
    fetch.ask(rows, statements);
    AskedRows { fetch, keys }
}

/// Takes in the answers of what was asked, in the same order.
///
/// # Errors
/// When one cannot be read.
pub(crate) fn take_rows(rows: &mut Rows, asked: AskedRows, found: &mut Answered) -> Result<(), Fault> {
    asked.fetch.take(found, rows)?;
    rows.note_fetched(asked.keys);
    Ok(())
}

/// Fetches rows, all of them at once.
///
/// # Errors
/// When the database cannot be asked.
pub(crate) async fn fetch_rows(
    connection: &Connection,
    rows: &mut Rows,
    keys: BTreeSet<(Gene, RowKey)>,
) -> Result<(), Fault> {
    let mut statements = Statements::default();
    let asked = ask_rows(rows, keys, &mut statements);
    let found = if statements.is_empty() { Vec::new() } else { statements.send(connection, "", "").await? };
    take_rows(rows, asked, &mut found.into_iter())
}

/// Fetches what two users have said about each other, as the shard of the first knows it, which is locked. For users
/// whom a block parts, it also fetches the groups of the first that contain the second.
pub(crate) async fn fetch_derived(
    connection: &Connection,
    rows: &mut Rows,
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
    fetch.run(connection, rows).await
}

/// Fetches what two users of whom the first is of a locked shard have said about each other.
pub(crate) async fn fetch_pairs(
    connection: &Connection,
    rows: &mut Rows,
    pairs: impl IntoIterator<Item = Pair>,
) -> Result<(), Fault> {
    let mut fetch = Fetch::default();
    for pair in pairs {
        fetch.pairs.pair(pair);
        fetch.relations.user(pair.0);
    }
    fetch.run(connection, rows).await
}

/// Fetches the counters of users of locked shards.
pub(crate) async fn fetch_users(
    connection: &Connection,
    rows: &mut Rows,
    uids: impl IntoIterator<Item = Uid>,
) -> Result<(), Fault> {
    let mut fetch = Fetch::default();
    uids.into_iter().for_each(|uid| fetch.relations.user(uid));
    fetch.run(connection, rows).await
}

/// Fetches what the shards of posts know of likes, each of a post by a user, and of references, each of an original by
/// another post.
pub(crate) async fn fetch_derived_of_posts(
    connection: &Connection,
    rows: &mut Rows,
    likes: impl IntoIterator<Item = (PostId, Uid)>,
    references: impl IntoIterator<Item = (PostId, PostId)>,
) -> Result<(), Fault> {
    let mut fetch = Fetch::default();
    likes.into_iter().for_each(|(id, uid)| fetch.posts.liker(id, uid));
    references.into_iter().for_each(|(of, id)| fetch.posts.reference(of, id));
    fetch.run(connection, rows).await
}

/// Fetches the counters of posts of locked shards.
pub(crate) async fn fetch_stats(
    connection: &Connection,
    rows: &mut Rows,
    posts: impl IntoIterator<Item = PostId>,
) -> Result<(), Fault> {
    let mut fetch = Fetch::default();
    posts.into_iter().for_each(|id| fetch.posts.stats(id));
    fetch.run(connection, rows).await
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

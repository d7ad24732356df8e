//! Rows as a database would hold them, and the part of them that was fetched.

use super::external_ids::ExternalIdTables;
use super::groups::GroupTables;
use super::users::UserTables;
use super::waiting::WaitingTables;
use guanxi_model::affinity::Affinities;
use guanxi_model::limits::IMPORT_SPILL_MS;
use guanxi_model::plan::{
    EventRows, FactLimits, FeedRows, Fetched, PostRows, RelationRows, Remembered, RequestRows, RowKey, Said,
};
use guanxi_model::post::{AuthorRow, PostIds, PostStats, Revision};
use guanxi_model::{
    AuditEntry, AuditId, Change, Counts, Credential, Edge, Error, Event, EventAt, FanoutPolicy, Gene,
    GroupId, GuardedCount, HistoryId, Hlc, LogId, MuteTerms, Outcome, Position, Post, PostHeader, PostId,
    Reason, RequestId, RequestKey, Result, Session, Stamp, Uid,
};
use guanxi_ports::UserLike;
use guanxi_spec::memory::Options;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What one user has said about another, with since when the two are friends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PairRow {
    pub(super) said: Said,
    friends_since: Option<Stamp>,
}

/// All rows of a database, and what is minted under its locks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rows {
    history: HistoryId,
    limits: FactLimits,
    clock: Stamp,
    ids: PostIds,
    pub(super) events: Vec<Event>,
    pairs: BTreeMap<(Uid, Uid), PairRow>,
    followers: BTreeSet<(Uid, Reverse<Edge>)>,
    relations: BTreeMap<Uid, (Counts, Option<u32>)>,
    removed: BTreeMap<(Uid, Uid), Stamp>,
    pub(super) waiting: WaitingTables,
    posts: BTreeMap<PostId, Post>,
    revisions: BTreeMap<(PostId, u32), Revision>,
    stats: BTreeMap<PostId, PostStats>,
    likes: BTreeMap<(PostId, Uid), Stamp>,
    reposts: BTreeMap<(Uid, PostId), Vec<PostId>>,
    listed_reposts: BTreeSet<(PostId, PostId)>,
    authors: BTreeMap<Uid, AuthorRow>,
    outboxes: BTreeSet<(Uid, PostId)>,
    sources: BTreeMap<(Uid, String), PostId>,
    names: BTreeMap<PostId, String>,
    seen: BTreeMap<Uid, Position>,
    jobs: BTreeMap<String, u64>,
    answers: BTreeMap<(Uid, RequestId), Remembered>,
    policy: FanoutPolicy,
    pub(super) users: UserTables,
    pub(super) external_ids: ExternalIdTables,
    pub(super) dismissed: BTreeMap<(Uid, Uid), Stamp>,
    pub(super) affinities: BTreeMap<Uid, Affinities>,
    pub(super) groups: GroupTables,
    pub(super) sessions: BTreeMap<[u8; 32], Session>,
    pub(super) credentials: BTreeMap<String, Credential>,
    pub(super) audit: BTreeMap<AuditId, AuditEntry>,
}

impl Rows {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            history: options.history,
            limits: FactLimits {
                follows: options.follow_limit,
                blocks: options.block_limit,
                mutes: options.mute_limit,
            },
            clock: Stamp::ZERO,
            ids: PostIds::default(),
            events: Vec::new(),
            pairs: BTreeMap::new(),
            followers: BTreeSet::new(),
            relations: BTreeMap::new(),
            removed: BTreeMap::new(),
            waiting: WaitingTables::default(),
            posts: BTreeMap::new(),
            revisions: BTreeMap::new(),
            stats: BTreeMap::new(),
            likes: BTreeMap::new(),
            reposts: BTreeMap::new(),
            listed_reposts: BTreeSet::new(),
            authors: BTreeMap::new(),
            outboxes: BTreeSet::new(),
            sources: BTreeMap::new(),
            names: BTreeMap::new(),
            seen: BTreeMap::new(),
            jobs: BTreeMap::new(),
            answers: BTreeMap::new(),
            policy: FanoutPolicy::default(),
            users: UserTables::default(),
            external_ids: ExternalIdTables::default(),
            dismissed: BTreeMap::new(),
            affinities: BTreeMap::new(),
            groups: GroupTables::default(),
            sessions: BTreeMap::new(),
            credentials: BTreeMap::new(),
            audit: BTreeMap::new(),
        }
    }

    pub(super) fn position(&self) -> Position {
        Position::one(self.history, self.events.len() as u64)
    }

    pub(super) fn counts(&self, uid: Uid) -> Counts {
        self.relations.get(&uid).map_or_else(Counts::default, |(counts, _)| *counts)
    }

    pub(super) fn limit(&self, uid: Uid) -> Option<u32> {
        self.relations.get(&uid)?.1
    }

    pub(super) fn author(&self, author: Uid) -> AuthorRow {
        self.authors.get(&author).copied().unwrap_or_default()
    }

    pub(super) fn followers(&self, uid: Uid) -> Vec<Edge> {
        self.followers.iter().filter(|(of, _)| *of == uid).map(|(_, edge)| edge.0).collect()
    }

    pub(super) fn following(&self, uid: Uid) -> Vec<Edge> {
        let follow = |((owner, other), row): (&(Uid, Uid), &PairRow)| {
            let (at, _) = row.said.follow.filter(|_| *owner == uid)?;
            Some(Edge { at, uid: *other })
        };
        let mut edges: Vec<Edge> = self.pairs.iter().filter_map(follow).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    /// Returns the users whom a user once followed and does not follow any more.
    pub(super) fn removed_follows(&self, uid: Uid) -> Vec<Edge> {
        let of_user = self.removed.iter().filter(|((owner, _), _)| *owner == uid);
        let removed = of_user.map(|((_, other), at)| Edge { at: *at, uid: *other });
        removed
            .filter(|edge| self.pairs.get(&(uid, edge.uid)).is_none_or(|row| row.said.follow.is_none()))
            .collect()
    }

    /// What a user likes.
    pub(super) fn likes_by(&self, uid: Uid) -> Vec<UserLike> {
        let of_user = self.likes.iter().filter(|((_, user), _)| *user == uid);
        of_user.map(|((id, _), at)| UserLike { id: *id, at: *at }).collect()
    }

    pub(super) fn posts(&self) -> impl Iterator<Item = PostId> {
        self.posts.keys().copied()
    }

    pub(super) fn stats(&self, id: PostId) -> PostStats {
        self.stats.get(&id).copied().unwrap_or_default()
    }

    pub(super) fn likers(&self, id: PostId) -> Vec<Edge> {
        let likes = self.likes.iter().filter(|((of, _), _)| *of == id);
        let mut edges: Vec<Edge> = likes.map(|((_, uid), at)| Edge { at: *at, uid: *uid }).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    /// The reposts and quotes of a post, newest first.
    pub(super) fn reposts_of(&self, id: PostId) -> Vec<PostId> {
        let listed = self.listed_reposts.iter().rev().filter(|(original, _)| *original == id);
        listed.map(|(_, repost)| *repost).collect()
    }

    pub(super) fn revisions(&self, id: PostId) -> Vec<Revision> {
        let of_post = self.revisions.iter().filter(|((of, _), _)| *of == id);
        of_post.map(|(_, revision)| revision.clone()).rev().collect()
    }
}

/// A row that a plan asked for although it was not fetched.
#[derive(Debug)]
pub(super) struct NotFetched(#[expect(dead_code, reason = "shown when a run fails")] RowKey);

/// The rows that were fetched. Of a post that the batch itself makes nothing is there to be fetched.
pub(super) struct Selected<'a, R> {
    rows: R,
    fetched: &'a BTreeSet<RowKey>,
    made: BTreeSet<PostId>,
}

impl<'a, R> Selected<'a, R> {
    pub(super) fn of(rows: R, fetched: &'a BTreeSet<RowKey>) -> Self {
        Self { rows, fetched, made: BTreeSet::new() }
    }

    pub(super) fn check(&self, key: RowKey) -> Result<(), NotFetched> {
        let is_made = match &key {
            RowKey::Post(id) | RowKey::Stats(id) | RowKey::Like(id, _) | RowKey::Reposts(_, id) => {
                self.made.contains(id)
            }
            _ => false,
        };
        if is_made || self.fetched.contains(&key) { Ok(()) } else { Err(NotFetched(key)) }
    }
}

impl<R: Borrow<Rows>> Fetched for Selected<'_, R> {
    fn header(&self, id: PostId) -> Option<PostHeader> {
        self.check(RowKey::Post(id)).ok()?;
        Some(self.rows.borrow().posts.get(&id)?.header)
    }

    fn source(&self, author: Uid, key: &str) -> Option<PostId> {
        self.check(RowKey::Source(author, key.to_owned())).ok()?;
        self.rows.borrow().sources.get(&(author, key.to_owned())).copied()
    }

    fn taken_at(&self, author: Uid, ms: u64) -> usize {
        let known = self.check(RowKey::Taken(author, ms)).is_ok();
        PostId::at_ms(author, ms).filter(|id| known && self.rows.borrow().posts.contains_key(id)).count()
    }

    fn is_taken(&self, id: PostId) -> bool {
        let is_of =
            |key: &RowKey| matches!(key, RowKey::Taken(of, ms) if of.gene() == id.gene() && *ms == id.ms());
        self.fetched.iter().any(is_of) && self.rows.borrow().posts.contains_key(&id)
    }

    fn reposts(&self, user: Uid, original: PostId) -> &[PostId] {
        if self.check(RowKey::Reposts(user, original)).is_err() {
            return &[];
        }
        self.rows.borrow().reposts.get(&(user, original)).map_or(&[], Vec::as_slice)
    }

    fn asks(&self, sender: Uid, receiver: Uid) -> bool {
        self.check(RowKey::Said(sender, receiver)).is_ok()
            && self.rows.borrow().pairs.get(&(sender, receiver)).is_some_and(|row| row.said.asks.is_some())
    }

    fn session_user(&self, gene: Gene, id: [u8; 32]) -> Option<Uid> {
        self.check(RowKey::Session(gene, id)).ok()?;
        self.rows.borrow().sessions.get(&id).map(|session| session.uid)
    }

    fn groups_with(&self, owner: Uid, member: Uid) -> Vec<GroupId> {
        if self.check(RowKey::GroupsWith(owner, member)).is_err() {
            return Vec::new();
        }
        self.rows.borrow().groups.with(owner, member)
    }
}

impl Selected<'_, &mut Rows> {
    pub(super) fn rows(&mut self) -> &mut Rows {
        self.rows
    }

    fn relation_counts(&mut self, uid: Uid) -> Result<&mut (Counts, Option<u32>), NotFetched> {
        self.check(RowKey::User(uid))?;
        Ok(self.rows.relations.entry(uid).or_default())
    }

    /// Changes what a user has said about another, and the counters of that user.
    pub(super) fn change(
        &mut self,
        owner: Uid,
        other: Uid,
        change: impl FnOnce(&mut PairRow),
    ) -> Result<(), NotFetched> {
        self.check(RowKey::Said(owner, other))?;
        self.check(RowKey::User(owner))?;
        let row = self.rows.pairs.entry((owner, other)).or_default();
        let before = *row;
        change(row);
        row.said.follow = row.said.follow.map(|(at, _)| (at, row.friends_since.is_some()));
        let after = *row;
        let counts = &mut self.rows.relations.entry(owner).or_default().0;
        let step = |count: &mut u32, before: bool, after: bool| {
            *count = *count + u32::from(after) - u32::from(before);
        };
        step(&mut counts.following, before.said.follow.is_some(), after.said.follow.is_some());
        step(&mut counts.friends, before.friends_since.is_some(), after.friends_since.is_some());
        step(&mut counts.blocks, before.said.blocks, after.said.blocks);
        step(&mut counts.mutes, before.said.mutes, after.said.mutes);
        Ok(())
    }
}

impl EventRows for Selected<'_, &mut Rows> {
    type Error = NotFetched;

    fn stamp(&mut self, _actor: Uid, now_ms: u64) -> Stamp {
        let mut hlc = Hlc::after(self.rows.clock);
        self.rows.clock = hlc.tick(now_ms);
        self.rows.clock
    }

    fn next_event(&self, _subject: Uid) -> EventAt {
        EventAt::new(LogId(0), self.rows.events.len() as u64 + 1)
    }

    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt {
        let at = self.next_event(subject);
        self.rows.events.push(Event { at, version, subject, change, echo: None });
        at
    }

    fn check_position(&self, position: &Position) -> Result<()> {
        if position.history() != self.rows.history {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        if !self.rows.position().covers(position) {
            return Err(Error::new(Reason::TokenAhead));
        }
        Ok(())
    }
}

impl RequestRows for Selected<'_, &mut Rows> {
    fn remembered(&mut self, request: &RequestKey) -> Result<Option<Remembered>, NotFetched> {
        self.check(RowKey::Answer(request.actor, request.id.clone()))?;
        Ok(self.rows.answers.get(&(request.actor, request.id.clone())).cloned())
    }

    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]) {
        let (fingerprint, ms, position) = (request.fingerprint, now_ms, self.rows.position());
        let answer = Remembered { fingerprint, ms, position, outcomes: outcomes.to_vec() };
        self.rows.answers.insert((request.actor, request.id.clone()), answer);
    }

    fn job(&mut self, job: &str) -> Result<u64, NotFetched> {
        self.check(RowKey::Job(job.to_owned()))?;
        Ok(self.rows.jobs.get(job).copied().unwrap_or_default())
    }

    fn put_job(&mut self, job: &str, position: u64) {
        self.rows.jobs.insert(job.to_owned(), position);
    }
}

impl RelationRows for Selected<'_, &mut Rows> {
    fn limits(&self) -> FactLimits {
        self.rows.limits
    }

    fn said(&mut self, owner: Uid, other: Uid) -> Result<Said, NotFetched> {
        self.check(RowKey::Said(owner, other))?;
        Ok(self.rows.pairs.get(&(owner, other)).map(|row| row.said).unwrap_or_default())
    }

    fn friends_since(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.check(RowKey::Said(owner, other))?;
        Ok(self.rows.pairs.get(&(owner, other)).and_then(|row| row.friends_since))
    }

    fn count(&mut self, uid: Uid, of: GuardedCount) -> Result<u32, NotFetched> {
        let counts = self.relation_counts(uid)?.0;
        Ok(match of {
            GuardedCount::Follows => {
                let asks = |(pair, row): &(&(Uid, Uid), &PairRow)| {
                    pair.0 == uid && row.said.asks.is_some() && row.said.follow.is_none()
                };
                counts.following + self.rows.pairs.iter().filter(asks).count() as u32
            }
            GuardedCount::Blocks => counts.blocks,
            GuardedCount::Mutes => counts.mutes,
        })
    }

    fn follow_limit(&mut self, uid: Uid) -> Result<Option<u32>, NotFetched> {
        Ok(self.relation_counts(uid)?.1)
    }

    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Result<(), NotFetched> {
        self.relation_counts(uid)?.1 = limit;
        Ok(())
    }

    fn removed_at(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.check(RowKey::Removed(owner, other))?;
        Ok(self.rows.removed.get(&(owner, other)).copied())
    }

    fn forget_removed(&mut self, owner: Uid, other: Uid) -> Result<(), NotFetched> {
        self.rows.removed.remove(&(owner, other));
        Ok(())
    }

    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        _version: Stamp,
    ) -> Result<(), NotFetched> {
        self.change(owner, follow.uid, |row| {
            row.said.follow = Some((follow.at, false));
            row.friends_since = friends_since;
        })
    }

    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> Result<(), NotFetched> {
        self.rows.removed.insert((owner, other), version);
        self.change(owner, other, |row| (row.said.follow, row.friends_since) = (None, None))
    }

    fn add_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), NotFetched> {
        self.rows.followers.insert((owner, Reverse(follower)));
        self.relation_counts(owner)?.0.followers += 1;
        Ok(())
    }

    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), NotFetched> {
        self.rows.followers.remove(&(owner, Reverse(follower)));
        self.relation_counts(owner)?.0.followers -= 1;
        Ok(())
    }

    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), NotFetched> {
        self.change(owner, other, |row| row.said.blocks = since.is_some())
    }

    fn put_mute(
        &mut self,
        owner: Uid,
        other: Uid,
        mute: Option<(Stamp, MuteTerms)>,
    ) -> Result<(), NotFetched> {
        self.check(RowKey::Mute(owner, other))?;
        self.rows.waiting.mutes.insert((owner, other), mute);
        self.change(owner, other, |row| row.said.mutes = mute.is_some())
    }
}

impl PostRows for Selected<'_, &mut Rows> {
    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId {
        self.rows.ids.mint(now_ms, author)
    }

    fn take_post(
        &mut self,
        author: Uid,
        at_ms: u64,
        wanted: Option<PostId>,
    ) -> Result<Option<PostId>, NotFetched> {
        let is_later = |key: &RowKey| {
            matches!(key, RowKey::TakenLater(of, ms)
                if of.gene() == author.gene() && (*ms..*ms + IMPORT_SPILL_MS).contains(&at_ms))
        };
        if !self.fetched.iter().any(is_later) {
            self.check(RowKey::Taken(author, at_ms))?;
        }
        wanted.map_or(Ok(()), |id| self.check(RowKey::Post(id)))?;
        let is_free = |id: &PostId| !self.rows.posts.contains_key(id);
        let is_open = PostId::last_at_ms(author, at_ms).is_some_and(|last| is_free(&last));
        // All ids of a millisecond are looked at once, and none of one whose last is taken.
        let first = || if is_open { PostId::at_ms(author, at_ms).find(is_free) } else { None };
        let free = wanted.filter(is_free).or_else(first);
        free.iter().for_each(|id| self.rows.ids.observe(*id));
        Ok(free)
    }

    fn post(&mut self, id: PostId) -> Result<Option<&Post>, NotFetched> {
        self.check(RowKey::Post(id))?;
        Ok(self.rows.posts.get(&id))
    }

    fn add_to_outbox(&mut self, author: Uid, id: PostId) -> Result<(), NotFetched> {
        self.made.insert(id);
        self.rows.outboxes.insert((author, id));
        Ok(())
    }

    fn put_post(&mut self, post: Post, _changed: EventAt) {
        self.rows.posts.insert(post.header.id, post);
    }

    fn end_purge(&mut self, id: PostId) -> Result<(), NotFetched> {
        self.check(RowKey::Post(id))?;
        if let Some(post) = self.rows.posts.get_mut(&id) {
            post.deleted_ms = None;
        }
        Ok(())
    }

    fn put_revision(&mut self, id: PostId, revision: &Revision) {
        self.rows.revisions.insert((id, revision.revision), revision.clone());
    }

    fn remove_revision(&mut self, id: PostId, revision: u32) {
        self.rows.revisions.remove(&(id, revision));
    }

    fn remove_source(&mut self, author: Uid, id: PostId) -> Result<bool, NotFetched> {
        self.check(RowKey::Name(id))?;
        self.rows.names.remove(&id);
        let before = self.rows.sources.len();
        self.rows.sources.retain(|(of, _), known| *of != author || *known != id);
        Ok(self.rows.sources.len() < before)
    }

    fn author(&mut self, author: Uid) -> Result<AuthorRow, NotFetched> {
        self.check(RowKey::Author(author))?;
        Ok(self.rows.author(author))
    }

    fn put_author(&mut self, author: Uid, row: AuthorRow) -> Result<(), NotFetched> {
        self.rows.authors.insert(author, row);
        Ok(())
    }

    fn stats(&mut self, id: PostId) -> Result<&mut PostStats, NotFetched> {
        self.check(RowKey::Stats(id))?;
        Ok(self.rows.stats.entry(id).or_default())
    }

    fn like(&mut self, id: PostId, uid: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.check(RowKey::Like(id, uid))?;
        Ok(self.rows.likes.get(&(id, uid)).copied())
    }

    fn put_like(&mut self, id: PostId, like: Edge) {
        self.rows.likes.insert((id, like.uid), like.at);
    }

    fn remove_like(&mut self, id: PostId, like: Edge) {
        self.rows.likes.remove(&(id, like.uid));
    }

    fn reposts(&mut self, user: Uid, original: PostId) -> Result<&[PostId], NotFetched> {
        self.check(RowKey::Reposts(user, original))?;
        Ok(self.rows.reposts.get(&(user, original)).map_or(&[], Vec::as_slice))
    }

    fn list_repost(&mut self, original: PostId, repost: PostId, stands: bool) {
        if stands {
            assert!(self.rows.listed_reposts.insert((original, repost)), "it is listed once");
        } else {
            assert!(self.rows.listed_reposts.remove(&(original, repost)), "it was listed");
        }
    }

    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>) {
        self.rows.reposts.insert((user, original), reposts);
    }

    fn source(&mut self, author: Uid, key: &str) -> Result<Option<PostId>, NotFetched> {
        self.check(RowKey::Source(author, key.to_owned()))?;
        Ok(self.rows.sources.get(&(author, key.to_owned())).copied())
    }

    fn put_source(&mut self, author: Uid, key: String, id: PostId, is_new: bool) {
        if is_new {
            self.rows.names.insert(id, key.clone());
        }
        self.rows.sources.insert((author, key), id);
    }

    fn remove_sources(&mut self, author: Uid) -> Result<(), NotFetched> {
        self.rows.sources.retain(|(of, _), _| *of != author);
        Ok(())
    }
}

impl FeedRows for Selected<'_, &mut Rows> {
    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> Result<(), NotFetched> {
        self.check(RowKey::Seen(uid))?;
        self.rows.seen.entry(uid).or_insert_with(|| seen.clone()).join(seen);
        Ok(())
    }

    fn remove_seen(&mut self, uid: Uid) -> Result<(), NotFetched> {
        self.rows.seen.remove(&uid);
        Ok(())
    }

    fn put_policy(&mut self, policy: &FanoutPolicy) {
        self.rows.policy = *policy;
    }
}

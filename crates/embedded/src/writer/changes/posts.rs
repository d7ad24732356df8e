//! Posts while a group is planned: as committed, with this group's own changes on top. Each is read from the tables
//! at first touch and written once, when the plan is closed.

use super::maps::{planned, touched};
use crate::engine::{EngineResult, RowBatch, Snapshot, Table};
use crate::layout::{
    AUTHOR, IDS_KEY, POST_STATS, PostValue, encode_author, encode_number, encode_reposts, encode_stats,
    of_post_key, post_key, reposted_key, user_key,
};
use crate::rows;
use guanxi_memory::outboxes::OutboxChange;
use guanxi_model::post::{PostIds, PostStats};
use guanxi_model::{Gene, PostHeader, PostId, Stamp, Uid};
use std::collections::{HashMap, HashSet};

/// A user's plain reposts of an original.
struct Reposts {
    /// Those that stand, oldest first.
    ids: Vec<PostId>,
    /// Whether they are others than the stored ones.
    changed: bool,
}

/// The posts of a group, and what goes with them.
pub(crate) struct WorkingPosts {
    /// Mints ids; part of the plan, since ids of a plan that is not committed were never given.
    pub ids: PostIds,
    stored_ids: PostIds,
    posts: HashMap<PostId, Option<PostValue>>,
    changed: HashSet<PostId>,
    stats: HashMap<PostId, PostStats>,
    authors: HashMap<Uid, OutboxChange>,
    likes: HashMap<(PostId, Uid), Option<Stamp>>,
    reposts: HashMap<(Uid, PostId), Reposts>,
    /// Names of imported posts that the group has given or removed.
    sources: HashMap<(Uid, String), Option<PostId>>,
    names: HashMap<PostId, Option<String>>,
    seen: HashMap<Uid, u64>,
    /// How many slots of a millisecond are known to be taken, for imports.
    taken: HashMap<(Gene, u64), usize>,
}

impl WorkingPosts {
    pub(crate) fn new(ids: PostIds) -> Self {
        Self {
            ids,
            stored_ids: ids,
            posts: HashMap::new(),
            changed: HashSet::new(),
            stats: HashMap::new(),
            authors: HashMap::new(),
            likes: HashMap::new(),
            reposts: HashMap::new(),
            sources: HashMap::new(),
            names: HashMap::new(),
            seen: HashMap::new(),
            taken: HashMap::new(),
        }
    }

    /// A post as of this point of the plan.
    pub(crate) fn get(&mut self, snapshot: &Snapshot, id: PostId) -> EngineResult<Option<&PostValue>> {
        Ok(touched(&mut self.posts, id, || rows::posts::post(snapshot, id))?.as_ref())
    }

    /// Returns since when a post that was got is deleted, as of this point of the plan.
    pub(crate) fn deleted_ms(&self, id: PostId) -> Option<u64> {
        self.posts.get(&id)?.as_ref()?.post.deleted_ms
    }

    /// Adds or replaces a post, which was got before if it is not new.
    pub(crate) fn put(&mut self, value: PostValue) {
        let id = value.post.header.id;
        self.changed.insert(id);
        self.posts.insert(id, Some(value));
    }

    /// The counters of a post, to change them.
    pub(crate) fn stats_mut(&mut self, snapshot: &Snapshot, id: PostId) -> EngineResult<&mut PostStats> {
        touched(&mut self.stats, id, || rows::posts::stats(snapshot, id))
    }

    /// Returns what the group does to an author's outbox.
    pub(crate) fn author(&mut self, snapshot: &Snapshot, author: Uid) -> EngineResult<&mut OutboxChange> {
        touched(&mut self.authors, author, || {
            let author = rows::posts::author(snapshot, author)?;
            Ok(OutboxChange { author, ..OutboxChange::default() })
        })
    }

    /// Returns whether an author has posts, or had some; without a snapshot as far as the group has changed it.
    pub(crate) fn has_posts(&self, snapshot: Option<&Snapshot>, author: Uid) -> EngineResult<bool> {
        let row = match (self.authors.get(&author), snapshot) {
            (Some(change), _) => change.author,
            (None, Some(snapshot)) => rows::posts::author(snapshot, author)?,
            (None, None) => return Ok(false),
        };
        Ok(row.head.last_id.is_some())
    }

    /// Notes a post that comes to an outbox, before the head tells of it.
    pub(crate) fn append(&mut self, snapshot: &Snapshot, author: Uid, id: PostId) -> EngineResult<()> {
        let change = self.author(snapshot, author)?;
        let is_newest = change.author.head.last_id.is_none_or(|last| id > last);
        if is_newest { &mut change.appended } else { &mut change.inserted }.push(id);
        Ok(())
    }

    /// Returns when a user began to like a post.
    pub(crate) fn like(&mut self, snapshot: &Snapshot, id: PostId, uid: Uid) -> EngineResult<Option<Stamp>> {
        touched(&mut self.likes, (id, uid), || rows::posts::like(snapshot, id, uid)).copied()
    }

    /// Notes a like, or that it is gone.
    pub(crate) fn put_like(&mut self, id: PostId, uid: Uid, at: Option<Stamp>) {
        self.likes.insert((id, uid), at);
    }

    /// A user's plain reposts of an original that stand, oldest first. There is one at most, but for old ones.
    pub(crate) fn reposts(
        &mut self,
        snapshot: &Snapshot,
        user: Uid,
        original: PostId,
    ) -> EngineResult<&[PostId]> {
        let stored = || Ok(Reposts { ids: rows::posts::reposts(snapshot, user, original)?, changed: false });
        Ok(&touched(&mut self.reposts, (user, original), stored)?.ids)
    }

    /// Notes which plain reposts of an original stand.
    pub(crate) fn put_reposts(&mut self, user: Uid, original: PostId, ids: Vec<PostId>) {
        self.reposts.insert((user, original), Reposts { ids, changed: true });
    }

    /// The post that was imported under a source's name for it.
    pub(crate) fn source(&self, snapshot: &Snapshot, author: Uid, key: &str) -> EngineResult<Option<PostId>> {
        if !self.sources.is_empty()
            && let Some(id) = self.sources.get(&(author, key.to_owned()))
        {
            return Ok(*id);
        }
        rows::posts::source(snapshot, author, key)
    }

    /// Notes under which name a post was imported.
    pub(crate) fn put_source(&mut self, key: (Uid, String), id: PostId) {
        self.sources.insert(key, Some(id));
    }

    /// Notes that a post has the name that it came with no more.
    pub(crate) fn remove_name(&mut self, id: PostId) {
        self.names.insert(id, None);
    }

    /// The names beside that one under which a post of an author was imported.
    pub(crate) fn other_names(
        &self,
        snapshot: &Snapshot,
        author: Uid,
        id: PostId,
    ) -> EngineResult<Vec<String>> {
        let mut names = rows::posts::other_names(snapshot, id)?;
        names.retain(|name| self.sources.get(&(author, name.clone())) != Some(&None));
        let of_group = self.sources.iter().filter(|((of, _), known)| *of == author && **known == Some(id));
        names.extend(of_group.map(|((_, name), _)| name.clone()));
        Ok(names)
    }

    /// The names that the group has given posts of an author.
    pub(crate) fn sources_of(&self, author: Uid) -> Vec<String> {
        self.sources.keys().filter(|(of, _)| *of == author).map(|(_, name)| name.clone()).collect()
    }

    /// Notes that no post has a source's name.
    pub(crate) fn forget_source(&mut self, key: (Uid, String)) {
        self.sources.insert(key, None);
    }

    /// Notes the name that an imported post came with.
    pub(crate) fn put_name(&mut self, id: PostId, name: String) {
        self.names.insert(id, Some(name));
    }

    /// The name that an imported post came with.
    pub(crate) fn name(&self, snapshot: &Snapshot, id: PostId) -> EngineResult<Option<String>> {
        planned(self.names.get(&id), || rows::posts::name(snapshot, id))
    }

    /// Returns up to which event a user has seen its home.
    pub(crate) fn seen(&mut self, snapshot: &Snapshot, uid: Uid) -> EngineResult<&mut u64> {
        touched(&mut self.seen, uid, || rows::settings::seen(snapshot, uid))
    }

    /// Returns whether no post has an id.
    pub(crate) fn is_free(&self, snapshot: &Snapshot, id: PostId) -> EngineResult<bool> {
        match self.posts.get(&id) {
            Some(known) => Ok(known.is_none()),
            None => Ok(!snapshot.contains(Table::Posts, &post_key(id))?),
        }
    }

    /// Takes the first free id of a millisecond, unless its last one is taken.
    pub(crate) fn take_id(
        &mut self,
        snapshot: &Snapshot,
        author: Uid,
        at_ms: u64,
    ) -> EngineResult<Option<PostId>> {
        // All ids of a millisecond are looked at once in a group, and none of one whose last is taken.
        let Some(last) = PostId::last_at_ms(author, at_ms) else { return Ok(None) };
        if !self.is_free(snapshot, last)? {
            return Ok(None);
        }
        let taken = self.taken.get(&(author.gene(), at_ms)).copied().unwrap_or_default();
        for (slot, id) in PostId::at_ms(author, at_ms).enumerate().skip(taken) {
            let free = self.is_free(snapshot, id)?;
            self.taken.insert((author.gene(), at_ms), slot + 1);
            if free {
                self.ids.observe(id);
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Closes the plan: adds each changed row once, and returns what changed.
    pub(crate) fn finish(self, batch: &mut RowBatch) -> (Vec<(Uid, OutboxChange)>, Vec<PostHeader>) {
        let mut items = Vec::with_capacity(self.changed.len());
        for value in self.changed.iter().filter_map(|id| self.posts.get(id)?.as_ref()) {
            batch.put(Table::Posts, &post_key(value.post.header.id), &value.encode());
            items.push(value.post.header);
        }
        for (id, stats) in &self.stats {
            let key = of_post_key(POST_STATS, *id);
            batch.set(Table::Records, &key, (*stats != PostStats::default()).then(|| encode_stats(stats)));
        }
        for ((user, original), reposts) in self.reposts.iter().filter(|(_, reposts)| reposts.changed) {
            let key = reposted_key(*user, *original);
            batch.set(Table::Records, &key, (!reposts.ids.is_empty()).then(|| encode_reposts(&reposts.ids)));
        }
        for (author, change) in &self.authors {
            batch.put(Table::Records, &user_key(AUTHOR, *author), &encode_author(&change.author));
        }
        if self.ids != self.stored_ids {
            batch.put(Table::Records, IDS_KEY, &encode_number(self.ids.last()));
        }
        (self.authors.into_iter().collect(), items)
    }
}

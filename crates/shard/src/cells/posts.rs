//! Posts, what goes with them, and who likes them.
//!
//! A post, its counters and who likes it lie in its author's shard; that a user likes it, in the user's. Of the posts of other
//! shards a plan reads what was asked there before it.

use super::{Cells, NotFetched, Peer, Rows};
use guanxi_model::plan::{Fetched, PostRows};
use guanxi_model::post::{AuthorHead, AuthorRow, Kind, Post, PostStats, Revision};
use guanxi_model::{Change, Edge, EventAt, Gene, Logs, PostHeader, PostId, Stamp, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// A post that may be there, and the name that it was imported under.
#[derive(Clone, Debug, Default)]
pub struct StoredPost {
    /// The post.
    pub post: Option<Post>,
    /// Its name.
    pub name: Option<String>,
}

/// A like: a fact of the user, and what its post's shard knows of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LikeRow {
    /// Its place in lists.
    pub at: Stamp,
    /// Of the last change by the user that likes.
    pub version: Stamp,
    /// Whether it stands.
    pub active: bool,
}

/// What the shard of a post knows of another that answers or shares it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceRow {
    /// What it is, as a column has it.
    pub kind: i16,
    /// Of the event that it follows from.
    pub version: Stamp,
    /// Whether it is not deleted.
    pub active: bool,
}

/// What is kept of an author; events are of its own log.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutboxHead {
    /// The newest post.
    pub last_id: Option<PostId>,
    /// The last event that changed who sees what.
    pub last_seq: u64,
    /// The last that changed something below the newest.
    pub changed_seq: u64,
    /// The first that the author created.
    pub created_from: Option<PostId>,
}

impl OutboxHead {
    /// It as others know it.
    pub fn of(self, author: Uid) -> AuthorRow {
        let log = Logs::PerGene.of(author);
        let (last, changed) = (EventAt::new(log, self.last_seq), EventAt::new(log, self.changed_seq));
        AuthorRow {
            head: AuthorHead { last_id: self.last_id, last, changed },
            created_from: self.created_from,
        }
    }
}

impl From<AuthorRow> for OutboxHead {
    fn from(AuthorRow { head, created_from }: AuthorRow) -> Self {
        let (last_seq, changed_seq) = (head.last.seq(), head.changed.seq());
        Self { last_id: head.last_id, last_seq, changed_seq, created_from }
    }
}

/// The rows of posts.
#[derive(Debug, Default)]
pub struct PostTables {
    /// Posts.
    pub posts: Cells<PostId, StoredPost>,
    /// Their counters.
    pub stats: Cells<PostId, PostStats>,
    /// What users like: facts.
    pub liked: Cells<(Uid, PostId), LikeRow>,
    /// Who likes posts, as the shards of these know it.
    pub likers: Cells<(PostId, Uid), LikeRow>,
    /// The posts that answer or share others, as the shards of these know it.
    pub references: Cells<(PostId, PostId), ReferenceRow>,
    /// What is kept of authors.
    pub authors: Cells<Uid, OutboxHead>,
    /// The plain reposts of an original by a user that stand. They are posts, and are found by these.
    pub reposts: Cells<(Uid, PostId), Vec<PostId>>,
    /// The posts of sources' names.
    pub sources: Cells<(Uid, String), Option<PostId>>,
    /// Those that the batch gives to posts that stood already.
    pub also_named: BTreeSet<(Uid, String)>,
    /// Posts whose other names were fetched.
    pub named: BTreeSet<PostId>,
    /// The authors whose names are all forgotten.
    pub forgotten: BTreeSet<Uid>,
    /// Earlier revisions that are new, or removed.
    pub revisions: BTreeMap<(PostId, u32), Option<Revision>>,
    /// Ids of a gene that are taken at a millisecond.
    pub taken: BTreeMap<(Gene, u64), BTreeSet<PostId>>,
    /// Posts that the batch makes: nothing of them was there to be fetched.
    made: BTreeSet<PostId>,
    /// The counters of posts of other shards, which count what arrives.
    elsewhere: PostStats,
}

impl PostTables {
    fn is_taken(&self, id: PostId) -> bool {
        self.taken.get(&(id.gene(), id.ms())).is_some_and(|ids| ids.contains(&id))
            || self.posts.get(id).is_ok_and(|stored| stored.post.is_some())
    }

    /// Has what a batch knows of a post that it makes.
    fn make(&mut self, id: PostId) {
        self.made.insert(id);
        self.posts.fetched(id);
        self.stats.fetched(id);
        if let Some(ids) = self.taken.get_mut(&(id.gene(), id.ms())) {
            ids.insert(id);
        }
    }

    /// A like of a post that the batch makes was not there to be fetched.
    fn like_of_made(&mut self, id: PostId, uid: Uid) {
        if self.made.contains(&id) {
            self.liked.fetched((uid, id));
        }
    }
}

/// What leads to other rows.
impl Rows {
    pub(super) fn ids_taken_at(&self, author: Uid, ms: u64) -> usize {
        self.posts.taken.get(&(author.gene(), ms)).map_or(0, BTreeSet::len)
    }

    pub(super) fn is_id_taken(&self, id: PostId) -> bool {
        self.posts.is_taken(id)
    }

    pub(super) fn post_header(&self, id: PostId) -> Option<PostHeader> {
        if id.gene() != self.home {
            return self.foreign.header(id);
        }
        Some(self.posts.posts.get(id).ok()?.post.as_ref()?.header)
    }

    pub(super) fn source_of(&self, author: Uid, key: &str) -> Option<PostId> {
        if !self.is_home(author) {
            return Fetched::source(&*self.foreign, author, key);
        }
        *self.posts.sources.get((author, key.to_owned())).ok()?
    }

    pub(super) fn reposts_of(&self, user: Uid, original: PostId) -> &[PostId] {
        self.posts.reposts.get((user, original)).map_or(&[], Vec::as_slice)
    }
}

impl Rows {
    /// Notes of which version a row is that an event of the batch has changed.
    pub(super) fn note_version(&mut self, version: Stamp, subject: Uid, change: Change) {
        let (Change::Liked { id, .. } | Change::Unliked { id, .. }) = change else { return };
        if let Ok(row) = self.posts.liked.change((subject, id)) {
            row.version = version;
        }
        if let Ok(row) = self.posts.likers.change((id, subject)) {
            row.version = version;
        }
    }

    /// Notes that a post answers or shares another: in the other's shard, or for that shard to take in.
    fn note_reference(&mut self, post: &Post, changed: EventAt) {
        let header = &post.header;
        let Some((original, author)) = original_of(header.kind) else { return };
        self.shards.tell_original(changed, original);
        if original.gene() != self.home {
            self.shards.tell(changed, Peer::Shard(author.gene()));
            return;
        }
        let key = (original, header.id);
        let kind = kind_code(header.kind);
        let row = ReferenceRow { kind, version: self.minted, active: !header.deleted };
        self.posts.references.put(key, row);
    }
}

/// Returns what a post is to the one that it answers or shares, as a column has it.
pub const fn kind_code(kind: Kind) -> i16 {
    match kind {
        Kind::Post => 0,
        Kind::Reply { .. } => 1,
        Kind::Repost { .. } => 2,
        Kind::Quote { .. } => 3,
    }
}

/// Returns the post that a post answers or shares, and its author.
pub const fn original_of(kind: Kind) -> Option<(PostId, Uid)> {
    match kind {
        Kind::Post => None,
        Kind::Reply { to, author } => Some((to, author)),
        Kind::Repost { of, author } | Kind::Quote { of, author } => Some((of, author)),
    }
}

impl PostRows for Rows {
    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId {
        self.shards.mint_post(author, now_ms)
    }

    fn take_post(
        &mut self,
        author: Uid,
        at_ms: u64,
        wanted: Option<PostId>,
    ) -> Result<Option<PostId>, NotFetched> {
        if !self.posts.taken.contains_key(&(author.gene(), at_ms)) {
            return Err(NotFetched(format!("the ids of {author:?} that are taken at {at_ms}")));
        }
        let is_free = |id: &PostId| !self.posts.is_taken(*id);
        let is_open = PostId::last_at_ms(author, at_ms).is_some_and(|last| is_free(&last));
        // All ids of a millisecond are looked at once, and none of one whose last is taken.
        let first = || if is_open { PostId::at_ms(author, at_ms).find(is_free) } else { None };
        let free = wanted.filter(is_free).or_else(first);
        if let Some(id) = free {
            self.shards.observe_post(id);
        }
        Ok(free)
    }

    fn post(&mut self, id: PostId) -> Result<Option<&Post>, NotFetched> {
        if id.gene() != self.home {
            return self.foreign.post(id);
        }
        Ok(self.posts.posts.get(id)?.post.as_ref())
    }

    fn add_to_outbox(&mut self, _author: Uid, id: PostId) -> Result<(), NotFetched> {
        self.posts.make(id);
        Ok(())
    }

    fn put_post(&mut self, post: Post, changed: EventAt) {
        self.note_reference(&post, changed);
        let id = post.header.id;
        self.posts.posts.fetched(id);
        if let Ok(stored) = self.posts.posts.change(id) {
            stored.post = Some(post);
        }
    }

    fn end_purge(&mut self, id: PostId) -> Result<(), NotFetched> {
        if let Some(post) = &mut self.posts.posts.change(id)?.post {
            post.deleted_ms = None;
        }
        Ok(())
    }

    fn put_revision(&mut self, id: PostId, revision: &Revision) {
        self.posts.revisions.insert((id, revision.revision), Some(revision.clone()));
    }

    fn remove_revision(&mut self, id: PostId, revision: u32) {
        self.posts.revisions.insert((id, revision), None);
    }

    fn remove_source(&mut self, author: Uid, id: PostId) -> Result<bool, NotFetched> {
        let from = (author, String::new());
        let of_author = self.posts.sources.range(from..).take_while(|((of, _), _)| *of == author);
        let leading = of_author.filter(|(_, known)| **known == Some(id)).map(|(source, _)| source);
        let mut sources: Vec<(Uid, String)> = leading.collect();
        sources.extend(self.posts.posts.change(id)?.name.take().map(|name| (author, name)));
        let had_name = !sources.is_empty();
        for source in sources {
            self.posts.also_named.remove(&source);
            self.posts.sources.put(source, None);
        }
        Ok(had_name)
    }

    fn author(&mut self, author: Uid) -> Result<AuthorRow, NotFetched> {
        if !self.is_home(author) {
            return Ok(OutboxHead::default().of(author));
        }
        Ok(self.posts.authors.get(author)?.of(author))
    }

    fn put_author(&mut self, author: Uid, row: AuthorRow) -> Result<(), NotFetched> {
        if self.is_home(author) {
            *self.posts.authors.change(author)? = row.into();
        }
        Ok(())
    }

    fn stats(&mut self, id: PostId) -> Result<&mut PostStats, NotFetched> {
        if id.gene() != self.home {
            self.posts.elsewhere = PostStats::default();
            return Ok(&mut self.posts.elsewhere);
        }
        self.posts.stats.change(id)
    }

    fn like(&mut self, id: PostId, uid: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.posts.like_of_made(id, uid);
        let row = self.posts.liked.get((uid, id))?;
        Ok(row.active.then_some(row.at))
    }

    /// Its event says of which version it is.
    fn put_like(&mut self, id: PostId, like: Edge) {
        let row = LikeRow { at: like.at, version: self.minted, active: true };
        self.posts.liked.put((like.uid, id), row);
        if id.gene() == self.home {
            self.posts.likers.put((id, like.uid), row);
        }
    }

    fn remove_like(&mut self, id: PostId, like: Edge) {
        let row = LikeRow { at: like.at, version: self.minted, active: false };
        self.posts.liked.put((like.uid, id), row);
        if id.gene() == self.home {
            self.posts.likers.put((id, like.uid), row);
        }
    }

    fn reposts(&mut self, user: Uid, original: PostId) -> Result<&[PostId], NotFetched> {
        if self.posts.made.contains(&original) {
            self.posts.reposts.fetched((user, original));
        }
        self.posts.reposts.get((user, original)).map(Vec::as_slice)
    }

    /// What a shard knows of the posts that share one of it, it knows by their references.
    fn list_repost(&mut self, _original: PostId, _repost: PostId, _stands: bool) {}

    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>) {
        self.posts.reposts.put((user, original), reposts);
    }

    fn source(&mut self, author: Uid, key: &str) -> Result<Option<PostId>, NotFetched> {
        if !self.is_home(author) {
            return self.foreign.source(author, key);
        }
        self.posts.sources.get((author, key.to_owned())).copied()
    }

    fn put_source(&mut self, author: Uid, key: String, id: PostId, is_new: bool) {
        if is_new {
            self.posts.posts.fetched(id);
            if let Ok(stored) = self.posts.posts.change(id) {
                stored.name = Some(key.clone());
            }
        } else {
            self.posts.also_named.insert((author, key.clone()));
        }
        self.posts.sources.put((author, key), Some(id));
    }

    fn remove_sources(&mut self, author: Uid) -> Result<(), NotFetched> {
        self.posts.sources.reset(|(of, _)| *of == author);
        self.posts.forgotten.insert(author);
        Ok(())
    }
}

//! The words for posts that the cases are written in.

use super::{Need, World, u};
use guanxi_model::post::{
    Attachment, AttachmentKind, Body, Draft, Edit, ImportLike, ImportPost, Kind, PostCommand, PostOutcome,
    PostStats, Revision,
};
use guanxi_model::{
    Change, Command, Edge, Event, ImportCursor, Page, PageStart, Position, Post, PostHeader, PostId, Reason,
    RequestKey, Stamp, Uid, Visibility, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, ExportLike, OutboxAsk, PostView, StoreView};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A public post of a user, to be changed by struct update.
pub fn draft(author: u64, text: &str) -> Draft {
    Draft {
        author: u(author),
        body: Body { text: text.to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
    }
}

/// A reply with a text.
pub fn reply(author: u64, to: PostId) -> Draft {
    Draft { reply_to: Some(to), ..draft(author, "a reply") }
}

/// A repost without a text.
pub fn repost(author: u64, of: PostId) -> Draft {
    Draft { repost_of: Some(of), ..draft(author, "") }
}

/// An edit of nothing, to be changed by struct update.
pub const fn edit() -> Edit {
    Edit { text: None, attachments: None, visibility: None, expected_revision: None }
}

/// An edit of the text.
pub fn text(text: &str) -> Edit {
    Edit { text: Some(text.to_owned()), ..edit() }
}

/// An edit of who may see a post.
pub fn for_whom(visibility: Visibility) -> Edit {
    Edit { visibility: Some(visibility), ..edit() }
}

/// A picture.
pub fn image(reference: &str) -> Attachment {
    Attachment { kind: AttachmentKind::Image, reference: reference.to_owned() }
}

/// A public post to import, to be changed by struct update.
pub fn old_post(author: u64, key: &str, at_ms: u64) -> ImportPost {
    ImportPost {
        id: None,
        key: key.to_owned(),
        author: u(author),
        at_ms,
        body: Body { text: format!("imported as {key}"), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    }
}

/// Posts of a portrait that are read with one question.
const PORTRAYED_AT_ONCE: usize = 100;
/// Posts without likes, reposts and earlier revisions that a portrait asks for them all the same.
const PORTRAYED_BARE: usize = 20;

/// Everything that a store says of posts, for comparisons.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PostPortrait {
    posts: BTreeMap<PostId, (Post, PostStats, Vec<Revision>, Vec<Edge>)>,
    outboxes: BTreeMap<Uid, Vec<PostId>>,
}

impl World {
    /// Whether the backend has no posts; then the case is left out.
    pub fn lacks_posts(&self) -> bool {
        self.lacks(Need::Posts)
    }

    /// Whether the backend cannot say what feeds are made of; then the case is left out.
    pub fn lacks_outboxes(&self) -> bool {
        self.lacks(Need::Posts) || self.lacks(Need::Outboxes)
    }

    /// Does one operation on posts.
    pub async fn post_act(&self, command: PostCommand) -> PostOutcome {
        let answer = self.write(Write::of(command)).await;
        assert_eq!(answer.outcomes.len(), 1);
        answer.post().unwrap()
    }

    /// Does one operation on posts under a request id, as an api does.
    pub async fn post_request(&self, id: &str, command: PostCommand) -> Result<Applied, Reason> {
        let mut hasher = DefaultHasher::new();
        command.hash(&mut hasher);
        let request =
            Some(RequestKey { actor: command.actor(), id: id.into(), fingerprint: hasher.finish() });
        self.try_write(Write::of(command).under(request)).await
    }

    /// Writes a post, or says why not.
    pub async fn try_post(&self, draft: Draft) -> Result<PostId, Reason> {
        let outcome = self.post_act(PostCommand::Create(draft)).await;
        let PostOutcome { result, id, revision } = outcome;
        assert_eq!((id.is_some(), revision), (result.is_ok(), u32::from(result.is_ok())), "{result:?}");
        result.map(|changed| {
            assert!(changed, "a new post is a change");
            id.unwrap()
        })
    }

    /// Writes a post.
    pub async fn post(&self, draft: Draft) -> PostId {
        self.try_post(draft).await.unwrap()
    }

    /// Changes a post.
    pub async fn edit(&self, author: u64, id: PostId, edit: Edit) -> Result<bool, Reason> {
        self.post_act(PostCommand::Update { author: u(author), id, edit }).await.result
    }

    /// Deletes a post.
    pub async fn delete(&self, author: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::Delete { author: u(author), id }).await.result
    }

    /// Restores a post.
    pub async fn restore(&self, author: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::Restore { author: u(author), id }).await.result
    }

    /// Likes a post.
    pub async fn like(&self, uid: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::Like { uid: u(uid), id }).await.result
    }

    /// Takes a like back.
    pub async fn unlike(&self, uid: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::Unlike { uid: u(uid), id }).await.result
    }

    /// Undoes a repost.
    pub async fn undo_repost(&self, uid: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::UndoRepost { uid: u(uid), id }).await.result
    }

    /// Whether a plain repost of a post by a user stands.
    pub async fn reposted(&self, uid: u64, id: PostId) -> bool {
        let shown = self.view().await.shown(Some(u(uid)), &[id]).await.unwrap().remove(0);
        shown.is_some_and(|(_, marks)| marks.reposted)
    }

    /// Imports posts.
    pub async fn import_posts(&self, posts: &[ImportPost]) -> Vec<PostOutcome> {
        self.write(Write::of(Command::ImportPosts(posts.to_vec()))).await.posts()
    }

    /// Imports likes, given as (user, author, key, Unix milliseconds).
    pub async fn import_likes(&self, likes: &[(u64, u64, &str, u64)]) -> Vec<PostOutcome> {
        let like = |(uid, author, key, ms): &(u64, u64, &str, u64)| ImportLike {
            uid: u(*uid),
            author: u(*author),
            key: (*key).to_owned(),
            at: Some(Stamp::from_ms(*ms)),
        };
        self.write(Write::of(Command::ImportLikes(likes.iter().map(like).collect()))).await.posts()
    }

    /// All posts as they are exported, in pages of at most a size.
    pub async fn all_posts(&self, max: usize) -> Vec<ImportPost> {
        let view = self.view().await;
        let mut posts: Vec<ImportPost> = Vec::new();
        loop {
            let page = view.all_posts(Walk::new(posts.last().and_then(|post| post.id), max)).await.unwrap();
            assert!(page.len() <= max);
            if page.is_empty() {
                return posts;
            }
            posts.extend(page);
        }
    }

    /// All likes as they are exported, in pages of at most a size.
    pub async fn all_likes(&self, max: usize) -> Vec<ExportLike> {
        let view = self.view().await;
        let mut likes: Vec<ExportLike> = Vec::new();
        loop {
            let after = likes.last().map(|like| (like.id, like.like.uid));
            let page = view.all_likes(Walk::new(after, max)).await.unwrap();
            let ended = page.len() < max;
            likes.extend(page);
            if ended {
                return likes;
            }
        }
    }

    /// Imports posts under a job.
    pub async fn import_posts_as(
        &self,
        posts: &[ImportPost],
        job: &str,
        from: u64,
        to: u64,
    ) -> Result<(), Reason> {
        let mark = Some(ImportCursor { job: job.to_owned(), from, to });
        self.try_write(Write::of(Command::ImportPosts(posts.to_vec())).at(mark)).await.map(drop)
    }

    /// Notes that a user has seen its home.
    pub async fn mark_seen(&self, uid: u64, seen: &Position) -> Result<(), Reason> {
        self.try_write(Write::of(Command::MarkSeen { uid: u(uid), seen: seen.clone() })).await.map(drop)
    }

    /// A view of posts that sees this world's writes.
    pub async fn post_view(&self) -> Box<dyn StoreView> {
        self.backend.store.view(Some(&self.last())).await.unwrap()
    }

    /// A post as it is now.
    pub async fn read_post(&self, id: PostId) -> Post {
        self.view().await.posts(&[id]).await.unwrap().remove(0).unwrap()
    }

    /// A post without its content, as it is now.
    pub async fn item(&self, id: PostId) -> PostHeader {
        self.view().await.headers(&[id]).await.unwrap()[0].unwrap()
    }

    /// The counters of a post: likes, replies, reposts.
    pub async fn stats(&self, id: PostId) -> (u64, u64, u64) {
        let stats = self.view().await.stats(&[id]).await.unwrap()[0];
        (stats.likes, stats.replies, stats.reposts)
    }

    /// Returns all users who like a post, newest first, in pages of a size, each on a view of its own.
    pub async fn likers(&self, id: PostId, size: i32) -> Vec<Edge> {
        let (mut walked, mut start) = (Vec::new(), PageStart::Newest);
        loop {
            let page = Page::new(start, size).unwrap();
            let page = self.view().await.likers(id, page).await.unwrap();
            walked.extend(&page.items);
            let Some(next) = page.next else { return walked };
            assert_eq!(page.items.len() as i32, size, "a page with a successor is full");
            start = PageStart::After(next);
        }
    }

    /// The reposts and quotes of a post, newest first, in pages of a size, each on a view of its own.
    pub async fn reposts_of(&self, id: PostId, size: usize) -> Vec<PostId> {
        let mut walked: Vec<PostId> = Vec::new();
        loop {
            let below = walked.last().copied();
            let page = self.view().await.reposts_of(id, below, size).await.unwrap();
            let is_last = page.len() < size;
            walked.extend(page);
            if is_last {
                assert!(walked.is_sorted_by(|a, b| a > b), "newest first, each once: {walked:?}");
                return walked;
            }
        }
    }

    /// A whole outbox, newest first, in parts of at most a size.
    pub async fn outbox(&self, author: u64, max: usize) -> Vec<u64> {
        let view = self.view().await;
        whole_outbox(&*view, u(author), max).await.into_iter().map(PostId::get).collect()
    }

    /// What the last event of this world says.
    pub async fn last_change(&self) -> Event {
        self.events_since(&self.origin).await.pop().unwrap()
    }

    /// What the store says of every post in the log, checked to agree with itself; `None` if it cannot tell.
    pub(super) async fn post_portrait(&self) -> Option<PostPortrait> {
        let lacks = |need| self.backend.cannot.iter().any(|(lack, _)| *lack == need);
        if lacks(Need::Posts)
            || lacks(Need::Outboxes)
            || self.last().marks().any(|(_, mark)| self.settings.log_events_max < mark.seen)
        {
            return None;
        }
        let events = self.events_since(&self.origin).await;
        let ids: BTreeSet<PostId> = events
            .iter()
            .filter_map(|event| match event.change {
                Change::Post { id, .. } => Some(id),
                _ => None,
            })
            .collect();
        let view = self.view().await;
        let (mut posts, mut outboxes) = (BTreeMap::new(), BTreeMap::<Uid, Vec<PostId>>::new());
        let ids: Vec<PostId> = ids.into_iter().rev().collect();
        for part in ids.chunks(PORTRAYED_AT_ONCE) {
            let stood = view.posts(part).await.unwrap().into_iter().map(Option::unwrap);
            let stats = view.stats(part).await.unwrap();
            let headers = view.headers(part).await.unwrap();
            for ((post, stats), header) in stood.zip(stats).zip(headers) {
                assert_eq!(header, Some(post.header));
                let id = post.header.id;
                outboxes.entry(post.header.author).or_default().push(id);
                // The check of the whole store counts rows against numbers: where nothing is told, a sample is enough.
                let is_bare =
                    (stats.likes, stats.reposts, post.revision) == (0, 0, 1) && !post.header.deleted;
                let is_asked = !is_bare || posts.len() < PORTRAYED_BARE;
                let (revisions, likers) =
                    if is_asked { told_of_post(&*view, &post, stats).await } else { Default::default() };
                posts.insert(id, (post, stats, revisions, likers));
            }
        }
        for (author, ids) in &outboxes {
            assert_eq!(whole_outbox(&*view, *author, 100).await, *ids, "the outbox of {author}");
            let head = view.heads(&[*author]).await.unwrap()[0];
            assert_eq!(head.last_id, ids.first().copied(), "the head of {author}");
        }
        check_counters(&posts.values().map(|(post, stats, ..)| (post.header, *stats)).collect::<Vec<_>>());
        Some(PostPortrait { posts, outboxes })
    }
}

/// Its earlier revisions and who likes it; both, and its reposts, agree with its numbers.
async fn told_of_post(view: &dyn PostView, post: &Post, stats: PostStats) -> (Vec<Revision>, Vec<Edge>) {
    let id = post.header.id;
    let revisions = view.revisions(id, None, usize::MAX).await.unwrap();
    let without_content = post.revision == 0 && post.header.deleted && revisions.is_empty();
    assert!(revisions.len() as u32 + 1 == post.revision || without_content, "every earlier revision is kept");
    let likers = view.likers(id, Page::new(PageStart::Newest, 1_000).unwrap()).await.unwrap().items;
    assert!(stats.likes == likers.len() as u64 || likers.len() == 1_000, "{stats:?}");
    let reposts = view.reposts_of(id, None, 1_000).await.unwrap();
    assert!(stats.reposts == reposts.len() as u64 || reposts.len() == 1_000, "{stats:?}");
    for shared in view.headers(&reposts).await.unwrap() {
        let shares = |header: PostHeader| header.kind.shared().filter(|_| !header.deleted);
        assert_eq!(shared.and_then(shares).map(|(of, _)| of), Some(id), "it shares the post, and stands");
    }
    (revisions, likers)
}

/// Counters of replies and reposts are those of the posts that are not deleted.
fn check_counters(posts: &[(PostHeader, PostStats)]) {
    for (item, stats) in posts {
        let count = |wanted: &dyn Fn(Kind) -> bool| {
            posts.iter().filter(|(other, _)| !other.deleted && wanted(other.kind)).count() as u64
        };
        let replies = count(&|kind| matches!(kind, Kind::Reply { to, .. } if to == item.id));
        let reposts = count(&|kind| kind.shared().is_some_and(|(of, _)| of == item.id));
        assert_eq!((stats.replies, stats.reposts), (replies, reposts), "{item:?}");
    }
}

/// A whole outbox at a view, in parts of at most a size.
pub(super) async fn whole_outbox(view: &dyn PostView, author: Uid, max: usize) -> Vec<PostId> {
    let mut ids: Vec<PostId> = Vec::new();
    loop {
        let ask = OutboxAsk { author, below: ids.last().copied() };
        let part = view.outboxes(&[ask], max).await.unwrap();
        assert_eq!((part.parts.len(), part.parts[0].end as usize), (1, part.ids.len()));
        assert!(part.ids.len() <= max);
        assert!(!part.parts[0].more || !part.ids.is_empty(), "a part that goes on is not empty");
        ids.extend(part.ids);
        if !part.parts[0].more {
            assert!(ids.is_sorted_by(|a, b| a > b), "newest first: {ids:?}");
            return ids;
        }
    }
}

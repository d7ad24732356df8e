//! Export of posts and of likes, chunk by chunk, at one position.
//!
//! Posts are read in the order of their ids. An import needs the post that a post refers to before the post itself. Nearly
//! always that one has the lower id, since an author refers to a post that exists. Only imported posts may differ: their
//! times are given, and posts of one millisecond are ordered by their genes.
//!
//! So the posts come in rounds, each in the order of ids. The round of a post is the number of references to a higher id
//! between it and the first post of its thread. That needs no memory of the posts written before, so an export can continue
//! from any place. It is also the same wherever the ids are the same, and an import keeps ids. A round is read only if an
//! earlier round left a post for it, which costs one more scan of all posts.

use super::OperatorCenter;
use super::deleted::DeletedUsers;
use super::export::{Export, ExportChunk, ListedRows};
use crate::answer_room::fitting;
use crate::post::size::post_bytes;
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{ImportPost, Kind, PostHeader};
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_ports::{ExportLike, StoreView, Walk};
use std::collections::HashMap;

/// Posts whose rounds are kept at a time, 4 MB: more than a thread has, so that nearly every reply finds its parent's.
const ROUNDS_HELD: usize = 1 << 18;

/// A place in an export of posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostsPlace {
    /// The round, from 0.
    pub round: u32,
    /// The last post of the round that was looked at; `None` for the beginning.
    pub after: Option<PostId>,
}

/// Posts as an import takes them, in rounds.
pub struct ListedPosts {
    place: PostsPlace,
    /// Whether posts of later rounds were met, or may have been.
    more_rounds: bool,
    rounds: Rounds,
}

/// Likes in the order of post and user.
pub struct ListedLikes {
    after: Option<(PostId, Uid)>,
    deleted: DeletedUsers,
}

impl OperatorCenter {
    /// Starts an export of at most `max_posts` posts after a place. Posts of deleted users are left out and counted, and with
    /// them their answers and reposts, and all posts that refer to these.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn export_posts(
        &self,
        place: PostsPlace,
        max_posts: u64,
        at_least: Option<Position>,
    ) -> Result<Export<ListedPosts>> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        let rows = ListedPosts { place, more_rounds: place.after.is_some(), rounds: Rounds::default() };
        Ok(Export::new(view, rows, max_posts))
    }

    /// Starts an export of at most `max_likes` likes in the order of post and user, after one. Likes by deleted users, or of
    /// posts of theirs, are left out and counted.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn export_likes(
        &self,
        after: Option<(PostId, Uid)>,
        max_likes: u64,
        at_least: Option<Position>,
    ) -> Result<Export<ListedLikes>> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(Export::new(view, ListedLikes { after, deleted: DeletedUsers::default() }, max_likes))
    }
}

impl ListedPosts {
    /// Where the last chunk ended.
    pub const fn place(&self) -> PostsPlace {
        self.place
    }

    /// Goes on to the next round. Returns whether all rounds are through.
    const fn end_round(&mut self) -> bool {
        if self.more_rounds {
            self.place = PostsPlace { round: self.place.round + 1, after: None };
        }
        !std::mem::replace(&mut self.more_rounds, false)
    }
}

impl ListedRows for ListedPosts {
    type Row = ImportPost;

    /// Reads the next posts that fit into one answer. A chunk is empty where the posts that were looked at are of other rounds,
    /// so that each costs about as much. Posts that are left out are counted in the first round.
    async fn next(&mut self, view: &dyn StoreView, max: usize) -> Result<ExportChunk<ImportPost>> {
        let max = max.min(POSTS_MAX as usize);
        let mut posts = view.all_posts(Walk::new(self.place.after, max)).await?;
        if posts.is_empty() {
            return Ok(ExportChunk { rows: posts, left_out: 0, is_last: self.end_round() });
        }
        posts.truncate(fitting(&posts, |post| post_bytes(&post.body)));
        let ids: Vec<PostId> = posts.iter().filter_map(|post| post.id).collect();
        let headers = view.headers(&ids).await?;
        self.rounds.deleted.note(view, headers.iter().flatten().map(|header| header.author)).await?;
        let mut rounds = Vec::with_capacity(ids.len());
        for header in headers {
            rounds.push(match header {
                Some(header) => self.rounds.of(view, header).await?,
                None => Some(0),
            });
        }
        let round = self.place.round;
        let left_out = if round == 0 { rounds.iter().filter(|of| of.is_none()).count() as u64 } else { 0 };
        self.more_rounds |= rounds.iter().any(|of| of.is_some_and(|of| of > round));
        self.place.after = ids.last().copied();
        let chosen = posts.into_iter().zip(rounds).filter(|(_, of)| *of == Some(round));
        Ok(ExportChunk { rows: chosen.map(|(post, _)| post).collect(), left_out, is_last: false })
    }
}

impl ListedRows for ListedLikes {
    type Row = ExportLike;

    async fn next(&mut self, view: &dyn StoreView, max: usize) -> Result<ExportChunk<ExportLike>> {
        let mut likes = view.all_likes(Walk::new(self.after, max)).await?;
        self.after = likes.last().map(|like| (like.id, like.like.uid)).or(self.after);
        let is_last = likes.len() < max;
        let left_out = self.deleted.leave_out(view, &mut likes, |like| [like.like.uid, like.author]).await?;
        Ok(ExportChunk { rows: likes, left_out, is_last })
    }
}

/// The rounds of posts that were asked for.
#[derive(Default)]
struct Rounds {
    /// `None` of what is left out.
    known: HashMap<PostId, Option<u32>>,
    deleted: DeletedUsers,
}

impl Rounds {
    /// The round of a post: walks up to a post whose round is known, or that refers to none. `None` if it or one of these is by
    /// a user who is deleted.
    async fn of(&mut self, view: &dyn StoreView, post: PostHeader) -> Result<Option<u32>> {
        if self.known.len() > ROUNDS_HELD {
            self.known.clear();
        }
        let mut walked = Vec::new();
        let mut at = post;
        let mut round = loop {
            if self.deleted.has(at.author) {
                break None;
            }
            let Some(of) = refers_to(at.kind) else { break Some(0) };
            if let Some(known) = self.known.get(&at.id) {
                break *known;
            }
            // Ends a walk in a circle, which only damage makes.
            self.known.insert(at.id, Some(0));
            walked.push((at.id, of));
            match view.headers(&[of]).await?.pop().flatten() {
                Some(header) => {
                    self.deleted.note(view, std::iter::once(header.author)).await?;
                    at = header;
                }
                None => break Some(0),
            }
        };
        for (id, of) in walked.into_iter().rev() {
            round = round.map(|round| round + u32::from(of > id));
            self.known.insert(id, round);
        }
        Ok(round)
    }
}

const fn refers_to(kind: Kind) -> Option<PostId> {
    match kind {
        Kind::Post => None,
        Kind::Reply { to: of, .. } | Kind::Repost { of, .. } | Kind::Quote { of, .. } => Some(of),
    }
}

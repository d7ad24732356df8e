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
use crate::answer_room::fitting;
use crate::post::size::post_bytes;
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{ImportPost, Kind, PostHeader};
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_ports::Walk;
use guanxi_ports::{ExportLike, StoreView};
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

/// An export of posts under way: a pinned view, and the place up to which it was read.
pub struct PostExport {
    view: Box<dyn StoreView>,
    place: PostsPlace,
    /// Whether posts of later rounds were met, or may have been.
    more_rounds: bool,
    rounds: Rounds,
    left: u64,
    left_out: u64,
    ended: bool,
}

/// An export of likes under way: a pinned view, and the last like that was read.
pub struct LikeExport {
    view: Box<dyn StoreView>,
    after: Option<(PostId, Uid)>,
    left: u64,
    deleted: DeletedUsers,
    left_out: u64,
    ended: bool,
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
    ) -> Result<PostExport> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        let (more_rounds, rounds) = (place.after.is_some(), Rounds::default());
        Ok(PostExport { view, place, more_rounds, rounds, left: max_posts, left_out: 0, ended: false })
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
    ) -> Result<LikeExport> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        let deleted = DeletedUsers::default();
        Ok(LikeExport { view, after, left: max_likes, deleted, left_out: 0, ended: false })
    }
}

impl PostExport {
    /// Where all of it stands.
    pub fn position(&self) -> Position {
        self.view.position()
    }

    /// Where the last chunk ended.
    pub const fn place(&self) -> PostsPlace {
        self.place
    }

    /// How many posts of the last chunk were left out. They are counted in the first round.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next of them, which fit into one answer; `None` after the last. A chunk is empty where the posts that were
    /// looked at are of other rounds, so that each costs about as much.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self) -> Result<Option<Vec<ImportPost>>> {
        if self.ended {
            return Ok(None);
        }
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(POSTS_MAX as usize);
        let mut posts = self.view.all_posts(Walk::new(self.place.after, max)).await?;
        self.left_out = 0;
        if posts.is_empty() {
            self.end_round();
            return Ok(Some(posts));
        }
        posts.truncate(fitting(&posts, |post| post_bytes(&post.body)));
        let ids: Vec<PostId> = posts.iter().filter_map(|post| post.id).collect();
        let headers = self.view.headers(&ids).await?;
        self.rounds.deleted.note(&*self.view, headers.iter().flatten().map(|header| header.author)).await?;
        let mut rounds = Vec::with_capacity(ids.len());
        for header in headers {
            rounds.push(match header {
                Some(header) => self.rounds.of(&*self.view, header).await?,
                None => Some(0),
            });
        }
        let round = self.place.round;
        if round == 0 {
            self.left_out = rounds.iter().filter(|of| of.is_none()).count() as u64;
        }
        self.more_rounds |= rounds.iter().any(|of| of.is_some_and(|of| of > round));
        self.place.after = ids.last().copied();
        let chosen = posts.into_iter().zip(rounds).filter(|(_, of)| *of == Some(round));
        let posts: Vec<ImportPost> = chosen.map(|(post, _)| post).collect();
        self.left -= posts.len() as u64;
        self.ended = self.left == 0;
        Ok(Some(posts))
    }

    fn end_round(&mut self) {
        // None was asked for, or all rounds are through.
        if self.left == 0 || !self.more_rounds {
            self.ended = true;
        } else {
            self.place = PostsPlace { round: self.place.round + 1, after: None };
            self.more_rounds = false;
        }
    }
}

impl LikeExport {
    /// Where all of it stands.
    pub fn position(&self) -> Position {
        self.view.position()
    }

    /// How many of the last chunk were left out.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next of them, at most `max`; `None` after the last. A chunk may be empty, and the first one comes in any case.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self, max: usize) -> Result<Option<Vec<ExportLike>>> {
        if self.ended {
            return Ok(None);
        }
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(max);
        let mut likes = self.view.all_likes(Walk::new(self.after, max)).await?;
        self.after = likes.last().map(|like| (like.id, like.like.uid)).or(self.after);
        let looked_at = likes.len();
        self.deleted.note(&*self.view, likes.iter().flat_map(|like| [like.like.uid, like.author])).await?;
        likes.retain(|like| !self.deleted.has(like.like.uid) && !self.deleted.has(like.author));
        self.left_out = (looked_at - likes.len()) as u64;
        self.left -= likes.len() as u64;
        self.ended = looked_at < max || self.left == 0;
        Ok(Some(likes))
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

//! Rows of other shards that the plan of a write about posts reads: as they were when their databases were asked, just before
//! it, and outside of its transaction.
//!
//! A change since then is no harm: it happened at the same time as the write. All effects of the write in other shards are
//! settled there, when its events arrive.

use super::NotFetched;
use guanxi_model::plan::{Fetched, RowKey};
use guanxi_model::post::Post;
use guanxi_model::{Gene, GroupId, PostHeader, PostId, Stamp, Uid};
use std::collections::BTreeMap;

/// A row of the shard of another user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignKey {
    /// A post without its content.
    Post(PostId),
    /// The post that was imported under a source's name for it.
    Source(Uid, String),
    /// Whether somebody follows the actor: the own fact of the first.
    Follow(Uid, Uid),
    /// Since when a user is in a group of an owner.
    Member(Uid, GroupId, Uid),
}

impl ForeignKey {
    /// Returns what of another shard a row of the planner is made of, if it is.
    pub fn of(key: &RowKey) -> Option<Self> {
        match key {
            RowKey::Post(id) => Some(Self::Post(*id)),
            RowKey::Source(author, name) => Some(Self::Source(*author, name.clone())),
            RowKey::Said(owner, other) => Some(Self::Follow(*owner, *other)),
            RowKey::GroupMember(owner, id, member) => Some(Self::Member(*owner, *id, *member)),
            _ => None,
        }
    }

    /// In whose shard it is.
    pub const fn gene(&self) -> Gene {
        match self {
            Self::Post(id) => id.gene(),
            Self::Source(uid, _) | Self::Follow(uid, _) | Self::Member(uid, ..) => uid.gene(),
        }
    }

    /// Returns whether it may lead to other rows.
    pub const fn leads_on(&self) -> bool {
        matches!(self, Self::Post(_) | Self::Source(..))
    }
}

/// What other shards said.
#[derive(Debug, Default)]
pub struct ForeignRows {
    posts: BTreeMap<PostId, Option<Post>>,
    sources: BTreeMap<(Uid, String), Option<PostId>>,
    follows: BTreeMap<(Uid, Uid), Option<Stamp>>,
    members: BTreeMap<(Uid, GroupId, Uid), Option<Stamp>>,
}

impl ForeignRows {
    /// Returns whether a row was asked for.
    pub fn has(&self, key: &ForeignKey) -> bool {
        match key {
            ForeignKey::Post(id) => self.posts.contains_key(id),
            ForeignKey::Source(author, name) => self.sources.contains_key(&(*author, name.clone())),
            ForeignKey::Follow(a, b) => self.follows.contains_key(&(*a, *b)),
            ForeignKey::Member(owner, id, member) => self.members.contains_key(&(*owner, *id, *member)),
        }
    }

    /// A post, without its content.
    pub fn post(&self, id: PostId) -> Result<Option<&Post>, NotFetched> {
        let post = self.posts.get(&id).ok_or_else(|| NotFetched(format!("{id:?} of another shard")))?;
        Ok(post.as_ref())
    }

    /// The post of a source's name.
    pub fn source(&self, author: Uid, key: &str) -> Result<Option<PostId>, NotFetched> {
        let source = self.sources.get(&(author, key.to_owned()));
        source.copied().ok_or_else(|| NotFetched(format!("{key:?} of {author:?} of another shard")))
    }

    /// Returns since when a user of another shard follows the actor, as that shard says; as this shard knows it if that one was
    /// not asked.
    pub fn follow(&self, owner: Uid, other: Uid, known: Option<Stamp>) -> Option<Stamp> {
        self.follows.get(&(owner, other)).copied().unwrap_or(known)
    }

    /// Returns since when a user is in a group of an owner of another shard.
    pub fn member(&self, place: (Uid, GroupId, Uid)) -> Result<Option<Stamp>, NotFetched> {
        let member = self.members.get(&place).copied();
        member.ok_or_else(|| NotFetched(format!("{place:?} of another shard")))
    }

    /// Says that a row was asked for, which is absent unless it is found.
    pub fn asked(&mut self, key: ForeignKey) {
        match key {
            ForeignKey::Post(id) => drop(self.posts.insert(id, None)),
            ForeignKey::Source(author, name) => drop(self.sources.insert((author, name), None)),
            ForeignKey::Follow(a, b) => drop(self.follows.insert((a, b), None)),
            ForeignKey::Member(owner, id, member) => {
                self.members.insert((owner, id, member), None);
            }
        }
    }

    /// Says what a post is, without its content.
    pub fn found_post(&mut self, post: Post) {
        self.posts.insert(post.header.id, Some(post));
    }

    /// Says which post was imported under a source's name for it.
    pub fn found_source(&mut self, author: Uid, name: String, id: PostId) {
        self.sources.insert((author, name), Some(id));
    }

    /// Says since when a user follows the actor.
    pub fn found_follow(&mut self, owner: Uid, other: Uid, since: Stamp) {
        self.follows.insert((owner, other), Some(since));
    }

    /// Says since when a user is in a group of an owner.
    pub fn found_member(&mut self, place: (Uid, GroupId, Uid), since: Stamp) {
        self.members.insert(place, Some(since));
    }
}

/// Rows that lead to further rows of other shards. Rows of other kinds than posts and names lead to rows of the home
/// alone.
impl Fetched for ForeignRows {
    fn header(&self, id: PostId) -> Option<PostHeader> {
        Some(self.posts.get(&id)?.as_ref()?.header)
    }

    fn source(&self, author: Uid, key: &str) -> Option<PostId> {
        *self.sources.get(&(author, key.to_owned()))?
    }

    fn taken_at(&self, _author: Uid, _ms: u64) -> usize {
        0
    }

    fn is_taken(&self, _id: PostId) -> bool {
        false
    }

    fn reposts(&self, _user: Uid, _original: PostId) -> &[PostId] {
        &[]
    }

    fn asks(&self, _sender: Uid, _receiver: Uid) -> bool {
        false
    }

    fn session_user(&self, _gene: Gene, _id: [u8; 32]) -> Option<Uid> {
        None
    }

    fn groups_with(&self, _owner: Uid, _member: Uid) -> Vec<GroupId> {
        Vec::new()
    }
}

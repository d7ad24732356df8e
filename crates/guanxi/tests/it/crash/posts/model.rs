//! What one client knows to be true of its circle: who follows and mutes whom, who wrote and likes what. Home is
//! computed from it by the definition, at its most literal.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    /// Who does it.
    pub(crate) user: u64,
    /// Its idempotency key.
    pub(crate) request_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpKind {
    Follow(u64),
    Unfollow(u64),
    Mute(u64),
    Unmute(u64),
    Create { kind: Kind, visibility: Visibility },
    Show { id: u64, visibility: Visibility },
    Delete(u64),
    Restore(u64),
    Like(u64),
    Unlike(u64),
}

/// What a post is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Post,
    Reply {
        to: u64,
    },
    /// Without words.
    Repost {
        of: u64,
    },
    Quote {
        of: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Public,
    Followers,
}

/// What a write must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Changed(bool),
    Refused(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Post {
    author: u64,
    kind: Kind,
    visibility: Visibility,
    deleted: bool,
}

/// What is true, as acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    posts: BTreeMap<u64, Post>,
    pub(crate) follows: BTreeSet<(u64, u64)>,
    pub(crate) mutes: BTreeSet<(u64, u64)>,
    likes: BTreeSet<(u64, u64)>,
}

impl Op {
    /// The method and the request that do it.
    pub(crate) fn call(&self) -> (&'static str, Value) {
        let user = self.user.to_string();
        let id = &self.request_id;
        let pair = |object: u64| json!({ "subject": user, "object": object.to_string(), "requestId": id });
        let own = |post: u64| json!({ "author": user, "postId": post.to_string(), "requestId": id });
        let like = |post: u64| json!({ "uid": user, "postId": post.to_string(), "requestId": id });
        match self.kind {
            OpKind::Follow(object) => ("RelationService/Follow", pair(object)),
            OpKind::Unfollow(object) => ("RelationService/Unfollow", pair(object)),
            OpKind::Mute(object) => ("RelationService/Mute", pair(object)),
            OpKind::Unmute(object) => ("RelationService/Unmute", pair(object)),
            OpKind::Create { kind, visibility } => {
                let mut request = json!({
                    "author": user, "text": id, "visibility": visibility.name(), "requestId": id,
                });
                match kind {
                    Kind::Post => {}
                    Kind::Reply { to } => request["replyTo"] = to.to_string().into(),
                    Kind::Repost { of } => {
                        request["repostOf"] = of.to_string().into();
                        request["text"] = "".into();
                    }
                    Kind::Quote { of } => request["repostOf"] = of.to_string().into(),
                }
                ("PostService/CreatePost", request)
            }
            OpKind::Show { id: post, visibility } => {
                let mut request = own(post);
                request["visibility"] = visibility.name().into();
                ("PostService/UpdatePost", request)
            }
            OpKind::Delete(post) => ("PostService/DeletePost", own(post)),
            OpKind::Restore(post) => ("PostService/RestorePost", own(post)),
            OpKind::Like(post) => ("PostService/LikePost", like(post)),
            OpKind::Unlike(post) => ("PostService/UnlikePost", like(post)),
        }
    }
}

impl Visibility {
    const fn name(self) -> &'static str {
        match self {
            Self::Public => "PUBLIC",
            Self::Followers => "FOLLOWERS",
        }
    }
}

impl Model {
    /// What a write must answer.
    pub(crate) fn outcome(&self, op: &Op) -> Outcome {
        let user = op.user;
        match op.kind {
            OpKind::Follow(object) => Outcome::Changed(!self.follows.contains(&(user, object))),
            OpKind::Unfollow(object) => Outcome::Changed(self.follows.contains(&(user, object))),
            OpKind::Mute(object) => Outcome::Changed(!self.mutes.contains(&(user, object))),
            OpKind::Unmute(object) => Outcome::Changed(self.mutes.contains(&(user, object))),
            OpKind::Create { kind, .. } => self.create_outcome(user, kind),
            OpKind::Show { id, .. } if self.posts[&id].deleted => Outcome::Refused("POST_DELETED"),
            OpKind::Show { id, visibility } => Outcome::Changed(self.posts[&id].visibility != visibility),
            OpKind::Delete(id) => Outcome::Changed(!self.posts[&id].deleted),
            OpKind::Restore(id) => {
                let Post { author, kind, deleted, .. } = self.posts[&id];
                Outcome::Changed(deleted && !self.stands(author, kind))
            }
            OpKind::Like(id) => match self.refusal(id, user) {
                Some(reason) => Outcome::Refused(reason),
                None => Outcome::Changed(!self.likes.contains(&(id, user))),
            },
            OpKind::Unlike(id) => Outcome::Changed(self.likes.contains(&(id, user))),
        }
    }

    fn create_outcome(&self, user: u64, kind: Kind) -> Outcome {
        let (Kind::Reply { to: original } | Kind::Repost { of: original } | Kind::Quote { of: original }) =
            kind
        else {
            return Outcome::Changed(true);
        };
        let post = &self.posts[&original];
        let reposts_private = !matches!(kind, Kind::Reply { .. })
            && post.visibility != Visibility::Public
            && post.author != user;
        match self.refusal(original, user) {
            Some(reason) => Outcome::Refused(reason),
            None if reposts_private => Outcome::Refused("POST_FORBIDDEN"),
            None => Outcome::Changed(!self.stands(user, kind)),
        }
    }

    /// Whether a user has a repost without words already that is the same.
    fn stands(&self, user: u64, kind: Kind) -> bool {
        let same = |post: &Post| post.author == user && post.kind == kind && !post.deleted;
        matches!(kind, Kind::Repost { .. }) && self.posts.values().any(same)
    }

    /// Why a post cannot be liked, answered or reposted by a user who names it.
    fn refusal(&self, id: u64, user: u64) -> Option<&'static str> {
        let posts = [Some(id), self.original(id)];
        if !posts.into_iter().flatten().all(|id| self.is_for(id, user)) {
            return Some("POST_FORBIDDEN");
        }
        posts.into_iter().flatten().any(|id| self.posts[&id].deleted).then_some("POST_DELETED")
    }

    /// Takes in a write that was not refused; `id` is the post that it made or changed.
    pub(crate) fn apply(&mut self, op: &Op, id: u64) {
        let user = op.user;
        let post = |posts: &mut BTreeMap<u64, Post>, change: &dyn Fn(&mut Post)| {
            change(posts.get_mut(&id).expect("a client changes posts that it knows"));
        };
        match op.kind {
            OpKind::Follow(object) => drop(self.follows.insert((user, object))),
            OpKind::Unfollow(object) => drop(self.follows.remove(&(user, object))),
            OpKind::Mute(object) => drop(self.mutes.insert((user, object))),
            OpKind::Unmute(object) => drop(self.mutes.remove(&(user, object))),
            // A repost that stands is answered instead of a new one or of one that is to come back.
            OpKind::Create { kind, .. } if self.stands(user, kind) => {}
            OpKind::Create { kind, visibility } => {
                let newest = self.posts.last_key_value().map_or(0, |(newest, _)| *newest);
                assert!(id > newest, "the new post {id} is not above {newest}");
                self.posts.insert(id, Post { author: user, kind, visibility, deleted: false });
            }
            OpKind::Show { visibility, .. } => post(&mut self.posts, &|post| post.visibility = visibility),
            OpKind::Delete(_) => post(&mut self.posts, &|post| post.deleted = true),
            OpKind::Restore(_) => post(&mut self.posts, &|post| post.deleted = false),
            OpKind::Like(_) => drop(self.likes.insert((id, user))),
            OpKind::Unlike(_) => drop(self.likes.remove(&(id, user))),
        }
    }

    /// The home of a user, newest first.
    pub(crate) fn home(&self, viewer: u64) -> impl Iterator<Item = u64> {
        self.posts.keys().rev().copied().filter(move |id| self.at_home(*id, viewer))
    }

    fn at_home(&self, id: u64, viewer: u64) -> bool {
        let Post { author, kind, .. } = self.posts[&id];
        let follows = |uid| uid == viewer || self.follows.contains(&(viewer, uid));
        let mutes = |uid| uid != viewer && self.mutes.contains(&(viewer, uid));
        let fits = match kind {
            Kind::Post | Kind::Quote { .. } => true,
            Kind::Reply { to } => follows(self.posts[&to].author),
            Kind::Repost { of } => !mutes(self.posts[&of].author),
        };
        fits && follows(author) && !mutes(author) && self.visible(id, viewer)
    }

    fn visible(&self, id: u64, viewer: u64) -> bool {
        self.refusal(id, viewer).is_none()
    }

    fn original(&self, id: u64) -> Option<u64> {
        match self.posts[&id].kind {
            Kind::Repost { of } => Some(of),
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
        }
    }

    fn is_for(&self, id: u64, viewer: u64) -> bool {
        let Post { author, visibility, .. } = self.posts[&id];
        author == viewer || visibility == Visibility::Public || self.follows.contains(&(viewer, author))
    }

    /// The newest posts that are there, and with them their originals, with their likes, replies and reposts.
    pub(crate) fn stats(&self, max: usize) -> Vec<(u64, [u64; 3])> {
        let is_there = |post: &Post| match post.kind {
            Kind::Repost { of } => !post.deleted && !self.posts[&of].deleted,
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => !post.deleted,
        };
        let there = self.posts.iter().rev().filter(|(_, post)| is_there(post)).take(max);
        there.map(|(id, _)| (*id, self.stats_of(*id))).collect()
    }

    fn stats_of(&self, id: u64) -> [u64; 3] {
        let live =
            |kind: Kind| self.posts.values().filter(|post| !post.deleted && post.kind == kind).count() as u64;
        let likes = self.likes.range((id, 0)..=(id, u64::MAX)).count() as u64;
        [likes, live(Kind::Reply { to: id }), live(Kind::Repost { of: id }) + live(Kind::Quote { of: id })]
    }

    /// Some post that a user wrote or that can be answered, among the newest; none before the first.
    pub(crate) fn pick(&self, random: &mut fastrand::Rng, wanted: impl Fn(u64, Kind) -> bool) -> Option<u64> {
        /// Posts that clients still touch.
        const NEWEST: usize = 60;
        let newest = self.posts.iter().rev().take(NEWEST);
        let ids: Vec<u64> =
            newest.filter(|(_, post)| wanted(post.author, post.kind)).map(|(id, _)| *id).collect();
        random.choice(&ids).copied()
    }
}

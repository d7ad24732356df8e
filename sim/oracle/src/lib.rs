//! The definition of home, against which everything else is held.
//!
//! [`Oracle`] is told what happened and answers what a reader sees, by walking over everything. It is written from the
//! product's words alone and shares no rule with the product: of the model it knows ids and plain enumerations.
//!
//! On many shards an answer takes each user's shard at a moment of its own, which its position names, and what follows from
//! an act for another user comes there later. Then this is promised, and [`Oracle::of_parts`] is the definition:
//!
//! - The viewer's relations are as the viewer's shard says at its moment: whom it follows and mutes, and who is parted from it
//!   by a block, which stands in both shards before its acknowledgement.
//! - The posts of each author are as the author's shard says at its moment, and so is whether the author follows the viewer,
//!   which decides about posts for friends. So nothing that a page shows depends on what is late.
//! - Each moment is at or after the start of the question, and includes what its token names.
//! - No viewer is shown a post from a moment of its author's shard at which the author blocks the viewer: an answer
//!   that a change of the viewer's relations has overtaken is made again.
//! - News tells of posts for friends, where the author has begun or ceased to follow the viewer, once that change has
//!   come to
//!   the viewer's shard. It tells of everything once all changes have come.
//!
//! # What it is not
//!
//! - It is not how the product makes a home. `guanxi-centers` does that, in `feed/`.
//! - It plays nothing. `guanxi-sim` plays histories and compares the answers with those of the oracle.
//! - It is not fast: each answer walks over all posts.
//!
//! # Main types
//!
//! - [`Happened`] is all that can happen, and [`Kind`] what a new post is to others.
//! - [`Oracle`] answers homes, lists of authors, timelines of groups, and who may see, like or repost what.
//!
//! # Example
//!
//! ```
//! use guanxi_model::{Op, PostId, Uid, Visibility};
//! use guanxi_oracle::{Happened, Kind, Oracle};
//!
//! let (ann, bob) = (Uid::new(1)?, Uid::new(2)?);
//! let mut oracle = Oracle::default();
//! assert!(oracle.happened(&Happened::Pair { op: Op::Follow, subject: ann, object: bob }));
//! let id = PostId::new(1)?;
//! oracle.happened(&Happened::Wrote { id, author: bob, kind: Kind::Post, visibility: Visibility::Public, seq: 1 });
//! assert_eq!(oracle.home(ann), [id]);
//!
//! // A block by the author hides the post from home.
//! oracle.happened(&Happened::Pair { op: Op::Block, subject: bob, object: ann });
//! assert_eq!(oracle.home(ann), []);
//! # Ok::<(), guanxi_model::Error>(())
//! ```
//!
//! # Where to begin
//!
//! - [`Oracle::home`]: what is home?
//! - [`Oracle::of_parts`]: what is promised where shards answer as of different moments?
//! - `pairs.rs`: what do operations between two users change?
//! - `tests.rs`: the definition by examples, one sentence each.

#[cfg(test)]
mod tests;

mod ends;
mod pairs;
mod parts;
mod takedowns;

pub use ends::ListedMute;

use ends::{Asked, Muted};

use guanxi_model::post::AuthorFilter;
use guanxi_model::{Op, PostId, Uid, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// What a new post is to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A post of its own.
    Post,
    /// A reply. Replying to a repost is replying to its original.
    Reply(PostId),
    /// A repost without words. Reposting a repost is reposting its original.
    Repost(PostId),
    /// A repost with words: a post of its own. Quoting a repost is quoting its original.
    Quote(PostId),
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// One user did something to another.
    Pair {
        /// What.
        op: Op,
        /// The acting user.
        subject: Uid,
        /// To whom.
        object: Uid,
    },
    /// A post came, by event `seq`; 0 for an imported one, which is never new.
    Wrote {
        /// Which.
        id: PostId,
        /// The author.
        author: Uid,
        /// What it is to others.
        kind: Kind,
        /// For whom.
        visibility: Visibility,
        /// By which event.
        seq: u64,
    },
    /// A post is for others than before.
    Showed {
        /// Which.
        id: PostId,
        /// For whom.
        visibility: Visibility,
    },
    /// A post was deleted.
    Deleted(PostId),
    /// A deleted post is back.
    Restored(PostId),
    /// An operator took a post down.
    TakenDown(PostId),
    /// A post is taken down no more.
    Reinstated(PostId),
    /// An operator took a user down, and everything that it wrote with it.
    UserTakenDown(Uid),
    /// A user is taken down no more.
    UserReinstated(Uid),
    /// A user went, and everything that it wrote with it.
    Went(Uid),
    /// A user who went is back.
    CameBack(Uid),
    /// A user was deleted, and everything that it wrote with it: it does not come back, and nothing begins with it.
    Left(Uid),
    /// What was kept of a deleted user is gone, too.
    Erased(Uid),
    /// A post was deleted for good.
    Purged(PostId),
    /// A user likes a post.
    Liked(Uid, PostId),
    /// A user no longer likes a post.
    Unliked(Uid, PostId),
    /// A user locked itself, or unlocked.
    Locked(Uid, bool),
    /// A user mutes another: everything, or only what that one shares.
    Muted {
        /// The acting user.
        subject: Uid,
        /// The other user.
        object: Uid,
        /// Only plain reposts.
        reposts_only: bool,
        /// For how long; `None` is for ever.
        duration_ms: Option<u64>,
    },
    /// A user asked another to be friends, and for how long that waits; `None` is for as long as usual.
    Asked {
        /// The user that sends the request.
        sender: Uid,
        /// The user that receives the request.
        receiver: Uid,
        /// For how long.
        ttl_ms: Option<u64>,
    },
    /// A user may follow so many; `None` is as many as usual, which no history reaches.
    Limited(Uid, Option<u32>),
    /// The time is over for which one whom a user rejected may not ask again: the rejecter, and the rejected.
    RejectionForgotten(Uid, Uid),
    /// A user made a group; one of each is enough.
    GroupMade(Uid),
    /// A user put another into its group.
    Grouped(Uid, Uid),
    /// A user took another out of its group.
    Ungrouped(Uid, Uid),
    /// A user's group is gone.
    GroupGone(Uid),
}

/// A post.
#[derive(Clone, Copy, Debug)]
struct Written {
    author: Uid,
    kind: Kind,
    visibility: Visibility,
    deleted: bool,
    taken_down: bool,
    purged: bool,
    seq: u64,
}

/// Everything that is known, by the simplest means.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    posts: BTreeMap<PostId, Written>,
    follows: BTreeSet<(Uid, Uid)>,
    blocks: BTreeSet<(Uid, Uid)>,
    mutes: BTreeMap<(Uid, Uid), Muted>,
    locked: BTreeSet<Uid>,
    /// Waiting requests, by sender and receiver.
    asks: BTreeMap<(Uid, Uid), Asked>,
    /// Until when somebody who was rejected may not ask again, by who has rejected.
    cooldowns: BTreeMap<(Uid, Uid), u64>,
    /// The places of requests that were taken back, and until when they are kept, by who was asked.
    taken_back: BTreeMap<(Uid, Uid), (u64, u64)>,
    /// How many users a user may follow, of the users who were given a number.
    limits: BTreeMap<Uid, u32>,
    /// What the clock shows.
    now_ms: u64,
    /// How many requests and mutes have begun: the place of the next one in lists.
    begun: u64,
    gone: BTreeSet<Uid>,
    taken_down: BTreeSet<Uid>,
    /// The users who were not active at some time. A request that waited for one then is passed over, and waits until
    /// somebody answers it.
    went: BTreeSet<Uid>,
    left: BTreeSet<Uid>,
    erased: BTreeSet<Uid>,
    likes: BTreeSet<(Uid, PostId)>,
    /// The group of each user who has one.
    groups: BTreeMap<Uid, BTreeSet<Uid>>,
}

impl Oracle {
    /// Takes in what happened, and answers whether anything changed.
    pub fn happened(&mut self, what: &Happened) -> bool {
        if let Happened::Went(uid) | Happened::Left(uid) | Happened::UserTakenDown(uid) = *what {
            self.went.insert(uid);
        }
        match *what {
            Happened::Pair { op, subject, object } => self.pair(op, subject, object),
            Happened::Wrote { id, author, kind, visibility, seq } => {
                let kind = match kind {
                    Kind::Post => Kind::Post,
                    Kind::Reply(to) => Kind::Reply(self.root(to)),
                    Kind::Repost(of) => Kind::Repost(self.root(of)),
                    Kind::Quote(of) => Kind::Quote(self.root(of)),
                };
                let (deleted, taken_down, purged) = (false, false, false);
                let post = Written { author, kind, visibility, deleted, taken_down, purged, seq };
                self.posts.insert(id, post).is_none()
            }
            Happened::Showed { id, visibility } => self.change(id, |post| &mut post.visibility, visibility),
            Happened::Deleted(id) => self.change(id, |post| &mut post.deleted, true),
            Happened::Restored(id) => self.change(id, |post| &mut post.deleted, false),
            Happened::TakenDown(id) => self.take_down(id),
            Happened::Reinstated(id) => self.reinstate(id),
            Happened::UserTakenDown(uid) => self.taken_down.insert(uid),
            Happened::UserReinstated(uid) => self.taken_down.remove(&uid),
            Happened::Went(uid) => self.gone.insert(uid),
            Happened::CameBack(uid) => self.gone.remove(&uid),
            Happened::Left(uid) => {
                self.gone.insert(uid);
                self.taken_down.remove(&uid);
                self.left.insert(uid)
            }
            Happened::Erased(uid) => self.erased.insert(uid),
            Happened::Purged(id) => self.purge(id),
            Happened::Liked(uid, id) => self.likes.insert((uid, id)),
            Happened::Unliked(uid, id) => self.likes.remove(&(uid, id)),
            Happened::Locked(uid, true) => self.locked.insert(uid),
            Happened::Locked(uid, false) => self.locked.remove(&uid),
            Happened::Muted { subject, object, reposts_only, duration_ms } => {
                self.mute(subject, object, reposts_only, duration_ms)
            }
            Happened::Asked { sender, receiver, ttl_ms } => {
                self.may_meet(sender, receiver) && self.ask_to_be_friends(sender, receiver, ttl_ms)
            }
            Happened::Limited(uid, limit) => self.limit(uid, limit),
            Happened::RejectionForgotten(owner, other) => {
                let pair = (owner, other);
                let now_ms = self.now_ms;
                let is_over = |until: &u64| *until <= now_ms;
                if self.taken_back.get(&pair).is_some_and(|(_, until)| is_over(until)) {
                    return self.taken_back.remove(&pair).is_some();
                }
                self.cooldowns.get(&pair).is_some_and(is_over) && self.cooldowns.remove(&pair).is_some()
            }
            Happened::GroupMade(owner) => self.groups.insert(owner, BTreeSet::new()).is_none(),
            Happened::Grouped(owner, member) => {
                self.groups.get_mut(&owner).is_some_and(|group| group.insert(member))
            }
            Happened::Ungrouped(owner, member) => self.leave(owner, member),
            Happened::GroupGone(owner) => self.groups.remove(&owner).is_some(),
        }
    }

    /// Returns home: everything of the users whom the viewer follows and of the viewer, as far as it is shown; newest
    /// first.
    pub fn home(&self, viewer: Uid) -> Vec<PostId> {
        self.newest(|id, post| self.at_home(viewer, id, post))
    }

    /// Returns the timeline of a user's group: everything of its members, as far as it is shown; newest first. It is home
    /// with them in place of the users whom the user follows, and without what the user wrote itself.
    pub fn group_timeline(&self, owner: Uid) -> Vec<PostId> {
        let is_in = |uid: Uid| self.is_grouped(owner, uid);
        let known = |author: Uid| author == owner || is_in(author);
        self.newest(|id, post| is_in(post.author) && self.is_shown(owner, id, post, known))
    }

    /// Whether a user has a group.
    pub fn has_group(&self, owner: Uid) -> bool {
        self.groups.contains_key(&owner)
    }

    /// Returns the members of a user's group.
    pub fn group(&self, owner: Uid) -> BTreeSet<Uid> {
        self.groups.get(&owner).cloned().unwrap_or_default()
    }

    /// Whether a user is in the group of another, followed or not.
    pub fn is_grouped(&self, owner: Uid, member: Uid) -> bool {
        self.groups.get(&owner).is_some_and(|group| group.contains(&member))
    }

    /// Whether a user may come into the group of another.
    pub fn may_be_grouped(&self, owner: Uid, member: Uid) -> bool {
        owner != member && !self.blocked(owner, member) && !self.has_left(member)
    }

    fn leave(&mut self, owner: Uid, member: Uid) -> bool {
        self.groups.get_mut(&owner).is_some_and(|group| group.remove(&member))
    }

    /// Returns the items of home that others wrote after the event that `since` says of their author, newest first:
    /// no user is told of what it wrote itself.
    pub fn new_since(&self, viewer: Uid, since: impl Fn(Uid) -> u64) -> Vec<PostId> {
        let is_new = |post: &Written| post.author != viewer && post.seq > since(post.author);
        self.newest(|id, post| is_new(post) && self.at_home(viewer, id, post))
    }

    /// How many items of home came after what `seen` says of their author, and whether there are more than `cap`, which it
    /// stops at.
    pub fn unread(&self, viewer: Uid, seen: impl Fn(Uid) -> u64, cap: u32) -> (u32, bool) {
        let count = self.new_since(viewer, seen).len();
        (count.min(cap as usize) as u32, count > cap as usize)
    }

    /// Returns the posts of an author that a viewer may see, newest first; a service without a viewer sees all that are
    /// not deleted.
    pub fn author_list(&self, viewer: Option<Uid>, author: Uid, filter: AuthorFilter) -> Vec<PostId> {
        self.newest(|id, post| {
            let is_reply = matches!(post.kind, Kind::Reply(_));
            let is_listed = match filter {
                AuthorFilter::Posts => !is_reply,
                AuthorFilter::Replies => is_reply,
                AuthorFilter::All => true,
            };
            post.author == author && is_listed && self.may_look_at(viewer, id)
        })
    }

    /// Whether a viewer may see a post: it is there and for the viewer, and so is the original of a repost.
    pub fn may_see(&self, viewer: Option<Uid>, id: PostId) -> bool {
        let Some(post) = self.posts.get(&id) else { return false };
        self.is_for(viewer, id)
            && match post.kind {
                Kind::Repost(of) => self.is_for(viewer, of),
                Kind::Post | Kind::Reply(_) | Kind::Quote(_) => true,
            }
    }

    /// Whether a user may answer a post: one that it sees, which for a repost asks for its original, too.
    pub fn may_answer(&self, author: Uid, id: PostId) -> bool {
        self.may_see(Some(author), id)
    }

    /// Whether a user may repost a post: one that it sees, and that is open to it.
    pub fn may_repost(&self, author: Uid, id: PostId) -> bool {
        self.may_answer(author, id) && self.is_open(author, id)
    }

    /// Whether a post could be reposted by somebody who sees it: what is not for everybody only by its own author.
    pub fn is_open(&self, author: Uid, id: PostId) -> bool {
        let original = self.posts.get(&self.root(id));
        original.is_some_and(|post| post.visibility == Visibility::Public || post.author == author)
    }

    /// Returns the author of a post.
    pub fn author(&self, id: PostId) -> Option<Uid> {
        self.posts.get(&id).map(|post| post.author)
    }

    /// The post that a viewer sees beside a repost or quote; `None` beside any other, and when it is not to be seen.
    pub fn original_seen(&self, viewer: Option<Uid>, id: PostId) -> Option<PostId> {
        match self.posts.get(&id)?.kind {
            Kind::Repost(of) | Kind::Quote(of) => self.may_see(viewer, of).then_some(of),
            Kind::Post | Kind::Reply(_) => None,
        }
    }

    /// Whether a post stands behind a repost without words of somebody whom a viewer follows, or of the viewer.
    pub fn stands_behind(&self, viewer: Uid, id: PostId) -> bool {
        let knows = |author: Uid| author == viewer || self.follows(viewer, author);
        self.posts.values().any(|post| post.kind == Kind::Repost(id) && knows(post.author))
    }

    /// Whether anything of an author stands behind a repost without words of somebody whom a viewer follows, or of the viewer.
    pub fn stands_behind_of(&self, viewer: Uid, author: Uid) -> bool {
        let is_theirs = |(_, post): &(&PostId, &Written)| post.author == author;
        self.posts.iter().filter(is_theirs).any(|(id, _)| self.stands_behind(viewer, *id))
    }

    /// Whether anything stands behind a repost without words of somebody whom a viewer follows, or of the viewer.
    pub fn knows_reposts(&self, viewer: Uid) -> bool {
        self.posts.keys().any(|id| self.stands_behind(viewer, *id))
    }

    /// Returns the author of the original of a repost without words; `None` for other posts.
    pub fn author_of_original(&self, id: PostId) -> Option<Uid> {
        match self.posts.get(&id)?.kind {
            Kind::Repost(of) => self.author(of),
            Kind::Post | Kind::Reply(_) | Kind::Quote(_) => None,
        }
    }

    /// The repost without words of a post by a user, if there is one that is not deleted.
    pub fn reposted(&self, author: Uid, id: PostId) -> Option<PostId> {
        let kind = Kind::Repost(self.root(id));
        let is_it = |post: &Written| post.author == author && post.kind == kind && post.is_there();
        self.posts.iter().find(|(_, post)| is_it(post)).map(|(id, _)| *id)
    }

    /// Whether there is a repost without words of this very post by a user.
    pub fn has_reposted(&self, user: Uid, id: PostId) -> bool {
        !self.is_wordless(id) && self.reposted(user, id).is_some()
    }

    /// Returns the repost that takes the place of a deleted one, so that the deleted one does not come back.
    pub fn stands_instead(&self, id: PostId) -> Option<PostId> {
        let post = self.posts.get(&id).filter(|post| post.deleted)?;
        if let Kind::Repost(of) = post.kind { self.reposted(post.author, of) } else { None }
    }

    /// Whether a post is a repost without words.
    pub fn is_wordless(&self, id: PostId) -> bool {
        matches!(self.posts.get(&id).map(|post| post.kind), Some(Kind::Repost(_)))
    }

    /// Whether a post is there, neither deleted nor taken down.
    pub fn is_live(&self, id: PostId) -> bool {
        self.posts.get(&id).is_some_and(Written::is_there)
    }

    /// Whether a user is there.
    pub fn is_there(&self, uid: Uid) -> bool {
        !self.gone.contains(&uid) && !self.taken_down.contains(&uid)
    }

    /// Whether a user was deleted.
    pub fn has_left(&self, uid: Uid) -> bool {
        self.left.contains(&uid)
    }

    /// Users who were deleted and are not erased.
    pub fn leaving(&self) -> BTreeSet<Uid> {
        &self.left - &self.erased
    }

    /// What there still is of users whom it should not be of, once what they left is removed: edges, marks and likes of who
    /// was deleted, what was written by who is erased.
    pub fn left_over(&self) -> Vec<String> {
        let pairs = |kind: &str, pairs: &BTreeSet<(Uid, Uid)>| -> Vec<String> {
            let of_left = pairs.iter().filter(|(a, b)| self.has_left(*a) || self.has_left(*b));
            of_left.map(|pair| format!("{kind} {pair:?}")).collect()
        };
        let mut found = pairs("follow", &self.follows);
        found.extend(pairs("block", &self.blocks));
        found.extend(pairs("mute", &self.mutes.keys().copied().collect()));
        found.extend(pairs("request", &self.asks.keys().copied().collect()));
        let of_groups = self.groups.iter().flat_map(|(owner, group)| group.iter().map(|uid| (*owner, *uid)));
        found.extend(pairs("member", &of_groups.collect()));
        found.extend(
            self.groups.keys().filter(|uid| self.has_left(**uid)).map(|uid| format!("group of {uid}")),
        );
        let likes = self.likes.iter().filter(|(uid, _)| self.has_left(*uid));
        found.extend(likes.map(|like| format!("like {like:?}")));
        let of_erased = |id: PostId| self.author(id).is_some_and(|author| self.erased.contains(&author));
        let posts = self.posts.iter().filter(|(id, post)| !post.purged && of_erased(**id));
        found.extend(posts.map(|(id, _)| format!("post {id:?}")));
        let of_posts = self.likes.iter().filter(|(_, id)| of_erased(*id));
        found.extend(of_posts.map(|like| format!("like {like:?}")));
        found
    }

    /// How many like a post.
    pub fn likes(&self, id: PostId) -> u64 {
        self.likes.iter().filter(|(_, liked)| *liked == id).count() as u64
    }

    /// Whether `a` follows `b`.
    pub fn follows(&self, a: Uid, b: Uid) -> bool {
        self.follows.contains(&(a, b))
    }

    /// Whether `a` blocks `b`.
    pub fn blocks(&self, a: Uid, b: Uid) -> bool {
        self.blocks.contains(&(a, b))
    }

    /// Whether only friends of the author see a post, or the original that it stands for.
    pub fn is_for_friends(&self, id: PostId) -> bool {
        let friends = |id| self.posts.get(&id).is_some_and(|post| post.visibility == Visibility::Friends);
        friends(id) || friends(self.root(id))
    }

    /// The rules of home.
    fn at_home(&self, viewer: Uid, id: PostId, post: &Written) -> bool {
        self.is_shown(viewer, id, post, |author| author == viewer || self.follows(viewer, author))
    }

    /// The rules of lists that show posts of the users whom a viewer wants to hear of.
    fn is_shown(&self, viewer: Uid, id: PostId, post: &Written, known: impl Fn(Uid) -> bool) -> bool {
        let muted = |author: Uid| self.mutes.get(&(viewer, author)).filter(|_| author != viewer);
        let heard = |author: Uid| muted(author).is_none_or(|muted| muted.reposts_only);
        let author_of = |id: PostId| self.author(id);
        known(post.author)
            && heard(post.author)
            && self.may_see(Some(viewer), id)
            && match post.kind {
                Kind::Post | Kind::Quote(_) => true,
                Kind::Repost(of) => muted(post.author).is_none() && author_of(of).is_some_and(heard),
                Kind::Reply(to) => author_of(to).is_some_and(known),
            }
    }

    /// Whether a post by itself is there and for a viewer.
    fn is_for(&self, viewer: Option<Uid>, id: PostId) -> bool {
        let Some(post) = self.posts.get(&id).filter(|post| post.is_there()) else { return false };
        if !self.is_there(post.author) {
            return false;
        }
        let Some(viewer) = viewer.filter(|viewer| *viewer != post.author) else { return true };
        let follows = self.follows(viewer, post.author);
        let followed = self.follows(post.author, viewer);
        !self.blocked(viewer, post.author)
            && match post.visibility {
                Visibility::Public => true,
                Visibility::Followers => follows,
                Visibility::Friends => follows && followed,
                // Of the only group of the author.
                Visibility::Group(_) => self.is_grouped(post.author, viewer),
            }
    }

    fn blocked(&self, a: Uid, b: Uid) -> bool {
        self.blocks.contains(&(a, b)) || self.blocks.contains(&(b, a))
    }

    /// The original that a repost stands for; any other post stands for itself.
    fn root(&self, id: PostId) -> PostId {
        match self.posts.get(&id).map(|post| post.kind) {
            Some(Kind::Repost(of)) => of,
            _ => id,
        }
    }

    /// Of a purged post it stays that it was and whose; one that says nothing any more is no quote.
    fn purge(&mut self, id: PostId) -> bool {
        let Some(post) = self.posts.get_mut(&id) else { return false };
        if let Kind::Quote(of) = post.kind {
            post.kind = Kind::Repost(of);
        }
        (post.deleted, post.taken_down) = (true, false);
        !std::mem::replace(&mut post.purged, true)
    }

    fn change<T: PartialEq>(&mut self, id: PostId, field: fn(&mut Written) -> &mut T, to: T) -> bool {
        let Some(post) = self.posts.get_mut(&id) else { return false };
        let field = field(post);
        let changes = *field != to;
        *field = to;
        changes
    }

    fn newest(&self, wanted: impl Fn(PostId, &Written) -> bool) -> Vec<PostId> {
        self.posts.iter().rev().filter(|(id, post)| wanted(**id, post)).map(|(id, _)| *id).collect()
    }
}

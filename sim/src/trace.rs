//! A history to play: what users, operators, clocks and misfortunes do, one step after the other.
//!
//! Steps name users and posts by number, so that a trace keeps its meaning when steps are taken out of it.

use guanxi_model::post::AuthorFilter;
use guanxi_model::user::UserStatus;
use guanxi_model::{FanoutPolicy, Op, Uid, Visibility};

/// The time at which every trace begins, in Unix milliseconds.
pub const START_MS: u64 = 1_700_000_000_000;

/// A user, by number from 0.
pub type User = u8;

/// A post, by number in the order of creation; taken modulo the posts there are.
pub type Nth = u16;

/// A trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What it was made from, and what every further choice while playing it comes from.
    pub seed: u64,
    /// How the world is made.
    pub settings: Settings,
    /// What happens.
    pub steps: Vec<Step>,
}

/// How the world of a trace is made. No answer depends on any of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Events that the log of the memory backend keeps.
    pub log_events_max: u64,
    /// The longest page of followers that the fan-out gets, so that it works in chunks.
    pub followers_chunk: usize,
    /// The longest part of an outbox that a reader gets at once.
    pub outbox_part: usize,
    /// Bytes of each cache of the embedded backend.
    pub cache_bytes: u64,
    /// Begin with this policy.
    pub policy: FanoutPolicy,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A user writes.
    Create {
        /// The author.
        author: User,
        /// What.
        draft: Draft,
        /// For whom.
        visibility: Visibility,
    },
    /// The author changes the text.
    EditText(Nth),
    /// The author changes for whom it is.
    Show(Nth, Visibility),
    /// The author deletes it.
    Delete(Nth),
    /// The author restores it.
    Restore(Nth),
    /// Posts with given times are imported.
    Import(Vec<Old>),
    /// A user likes a post.
    Like(User, Nth),
    /// A user takes a like back.
    Unlike(User, Nth),
    /// A user takes a repost back.
    UndoRepost(User, Nth),
    /// An operator takes a post down.
    TakeDown(Nth),
    /// An operator reinstates a post.
    Reinstate(Nth),
    /// An operator takes a user down, or reinstates it.
    TakeUserDown(User, bool),
    /// A user is deactivated, or reactivated.
    Status(User, UserStatus),
    /// A user is deleted for good.
    DeleteUser {
        /// The user.
        user: User,
        /// Without keeping what it wrote for a while.
        at_once: bool,
    },
    /// The job that removes what deleted users left takes some steps, with other things happening inside.
    Remove {
        /// How many; [`CATCH_UP`] is until nothing is left.
        steps: u8,
        /// What happens meanwhile.
        inside: Vec<Inside>,
    },
    /// The same job dies within a step, after so many pauses, and another one is there in its place.
    RemoveCut(u8),
    /// One user does something to another.
    Pair(Op, User, User),
    /// A user locks itself, or unlocks.
    Lock(User, bool),
    /// A user mutes another, on terms.
    Mute {
        /// The acting user.
        subject: User,
        /// The other user.
        object: User,
        /// Only what the other shares.
        reposts_only: bool,
        /// For how long; `None` is for ever.
        duration_ms: Option<u64>,
    },
    /// A user asks another to be friends.
    Ask {
        /// The user that sends the request.
        sender: User,
        /// The user that receives the request.
        receiver: User,
        /// For how long that waits; `None` is for as long as usual.
        ttl_ms: Option<u64>,
    },
    /// An operator lets a user follow so many more than it follows and asks; `None` is as many as usual.
    Spare(User, Option<u8>),
    /// A job of the server takes some steps, with other things happening inside.
    Job {
        /// Which.
        job: Job,
        /// How many; [`CATCH_UP`] is until nothing is left.
        steps: u8,
        /// What happens meanwhile.
        inside: Vec<Inside>,
    },
    /// A job dies within a step, after so many pauses, and another one is there in its place.
    JobCut(Job, u8),
    /// A user looks at its relations: lists, requests, mutes and counts.
    Relations(User),
    /// A user follows several in one commit.
    FollowMany(User, Vec<User>),
    /// The clock moves, forwards or backwards.
    Clock(i64),
    /// A user reads a page of home, with other things happening inside of the read.
    Home {
        /// The viewer.
        viewer: User,
        /// Items of the page.
        size: usize,
        /// Go on from the last page that the user read.
        older: bool,
        /// What happens meanwhile.
        inside: Vec<Inside>,
    },
    /// A user reads home to its end, with a step after each page.
    Walk {
        /// The viewer.
        viewer: User,
        /// Items of a page.
        size: usize,
        /// What happens between pages.
        between: Vec<Step>,
    },
    /// A user reads home with its posts.
    HomePosts {
        /// The viewer.
        viewer: User,
        /// Items of the page.
        size: usize,
    },
    /// A user asks what is new since it last asked.
    Poll {
        /// The viewer.
        viewer: User,
        /// At most so many items.
        max: usize,
    },
    /// A user takes what its stream has for it.
    Stream(User),
    /// A user asks for the red dot.
    Unread {
        /// The viewer.
        viewer: User,
        /// What the count stops at.
        cap: u32,
    },
    /// A user has seen its home up to so many events ago.
    MarkSeen {
        /// The viewer.
        viewer: User,
        /// How many events ago.
        ago: u64,
    },
    /// An operator asks why a post is in a home or not.
    Explain(User, Nth),
    /// Somebody, or a service, reads an author's list to its end.
    AuthorList {
        /// The viewer; none for a service.
        viewer: Option<User>,
        /// The author.
        author: User,
        /// Which posts.
        filter: AuthorFilter,
        /// Items of a page.
        size: usize,
    },
    /// Somebody reads posts by id.
    Get(User, Vec<Nth>),
    /// An operator compares a home with its definition.
    Verify(User),
    /// A user makes others the members of its group, and removes all others.
    Group(User, Vec<User>),
    /// A user reads the timeline of its group to its end, with other things happening inside of the first page.
    GroupTimeline {
        /// The viewer.
        viewer: User,
        /// Items of a page.
        size: usize,
        /// What happens meanwhile.
        inside: Vec<Inside>,
    },
    /// An operator compares the timeline of a group with its definition.
    VerifyGroup(User),
    /// The fan-out takes some steps, with other things happening inside.
    FanOut {
        /// How many; [`CATCH_UP`] is until nothing is left.
        steps: u8,
        /// What happens meanwhile.
        inside: Vec<Inside>,
    },
    /// From now on every n-th offer to inboxes fails; 0 for none.
    Lossy(u64),
    /// The inbox of a user is dropped.
    Evict(User),
    /// Cold inboxes are dropped.
    Sweep,
    /// Another policy.
    Policy(FanoutPolicy),
    /// The worker of the fan-out is replaced by a new one.
    NewWorker,
    /// The process dies and starts again.
    Crash,
}

/// A job of the server behind relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// What ends requests, rejections and mutes whose time is over.
    Ends,
    /// What lets who waits to follow a user that has unlocked itself.
    Unlock,
}

/// Steps of the fan-out, or of a job, until nothing is left to do.
pub const CATCH_UP: u8 = u8::MAX;

/// A step that happens inside of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// After so many further pauses of the other.
    pub after: u8,
    /// What happens.
    pub step: Step,
}

/// What a new post is to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    /// A post of its own.
    Post,
    /// A reply.
    Reply(Nth),
    /// A repost without words.
    Repost(Nth),
    /// A quote.
    Quote(Nth),
}

/// A post to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Old {
    /// The author.
    pub author: User,
    /// When: milliseconds before the start of the trace; negative is after it.
    pub ago_ms: i64,
    /// The source's name of it: an earlier one of the same author makes it a repeat.
    pub key: u8,
    /// For whom.
    pub visibility: Visibility,
    /// The imported post that it answers or reposts: author and key.
    pub to: OldTo,
}

/// What an imported post is to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldTo {
    /// Nothing.
    Nothing,
    /// A reply.
    Reply(User, u8),
    /// A repost without words.
    Repost(User, u8),
    /// A quote.
    Quote(User, u8),
}

/// Users of a trace at most.
pub const USERS_MAX: User = 12;

/// The id of a user. The last two of a trace of twelve share a gene with the first two, so that their posts compete
/// for ids.
pub fn uid(user: User) -> Uid {
    let raw = if user >= 10 { u64::from(user) - 9 + 256 } else { u64::from(user) + 1 };
    Uid::new(raw).expect("a small number above zero is a uid")
}

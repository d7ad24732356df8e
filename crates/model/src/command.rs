//! What can be asked of a store, and what it answers: commands of any domain, applied by one write in one commit.

use crate::affinity::AffinityCommand;
use crate::audit::AuditCommand;
use crate::credential::CredentialCommand;
use crate::error::{Error, Reason, Result};
use crate::feed::FanoutPolicy;
use crate::group::{GroupCommand, GroupOutcome};
use crate::id::Uid;
use crate::limits::{
    BATCH_MAX, FOLLOW_LIMIT_MAX, GROUP_MEMBERS_PER_WRITE, IMPORT_BATCH_MAX, IMPORT_LIKES_MAX,
    IMPORT_POSTS_MAX, INTERACTIONS_MAX, JOB_NAME_LEN_MAX, MUTE_DURATION_MAX_MS, REQUEST_MESSAGE_LEN_MAX,
    REQUEST_TTL_MAX_MS, TOMBSTONES_MAX,
};
use crate::page::List;
use crate::pair::{MuteTerms, Op, RequestKind};
use crate::position::Position;
use crate::post::{ImportLike, ImportPost, PostCommand, PostOutcome, check_takedown_reason};
use crate::relation::Relation;
use crate::request_key::RequestKey;
use crate::session::{SessionCommand, SessionOutcome};
use crate::stamp::Stamp;
use crate::suggestion::DismissCommand;
use crate::user::{UserCommand, UserOutcome};

/// One operation of a subject on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PairCommand {
    /// What is done.
    pub op: Op,
    /// The acting user.
    pub subject: Uid,
    /// To whom.
    pub object: Uid,
}

/// A friend request with what the sender says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FriendRequest {
    /// The user that sends the request.
    pub sender: Uid,
    /// The user that receives the request.
    pub receiver: Uid,
    /// At most [`REQUEST_MESSAGE_LEN_MAX`] bytes.
    pub message: String,
    /// How long it waits, in milliseconds, 1 ..= [`REQUEST_TTL_MAX_MS`]; [`REQUEST_TTL_MS`](crate::limits::REQUEST_TTL_MS) if
    /// not given.
    pub ttl_ms: Option<u64>,
}

/// A request that waits elsewhere, to import.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportRequest {
    /// The user that sends the request.
    pub sender: Uid,
    /// The user that receives the request.
    pub receiver: Uid,
    /// For what.
    pub kind: RequestKind,
    /// When it ends by itself, in Unix milliseconds; as late as a new one does if not given. A request to follow ends as late as a
    /// new one in any case.
    pub expires_ms: Option<u64>,
    /// What the sender says, of a friend request; at most [`REQUEST_MESSAGE_LEN_MAX`] bytes.
    pub message: String,
}

/// A mute with its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MuteCommand {
    /// The user that mutes.
    pub subject: Uid,
    /// The other user.
    pub object: Uid,
    /// Only what the other shares: its plain reposts.
    pub reposts_only: bool,
    /// After what time it ends by itself, in milliseconds, 1 ..= [`MUTE_DURATION_MAX_MS`]; never if not given.
    pub duration_ms: Option<u64>,
}

/// An edge to import: a follow, a block or a mute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImportEdge {
    /// The user that follows, blocks or mutes.
    pub subject: Uid,
    /// The other user.
    pub object: Uid,
    /// The time when it began; now if not given.
    pub at: Option<Stamp>,
    /// What a mute leaves out, and until when; the default of follows and blocks.
    pub terms: MuteTerms,
}

impl ImportEdge {
    /// Returns a follow or a block, or a mute of everything that has no end.
    pub const fn new(subject: Uid, object: Uid, at: Option<Stamp>) -> Self {
        Self { subject, object, at, terms: MuteTerms { reposts_only: false, until_ms: None } }
    }
}

/// What a user sets on another besides a follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RestrictionKind {
    /// A block.
    Block,
    /// A mute.
    Mute,
}

impl RestrictionKind {
    /// Returns the operation that sets it.
    pub const fn op(self) -> Op {
        match self {
            Self::Block => Op::Block,
            Self::Mute => Op::Mute,
        }
    }

    /// Returns the list that shows those of a user.
    pub const fn list(self) -> List {
        match self {
            Self::Block => List::Blocks,
            Self::Mute => List::Mutes,
        }
    }
}

/// Something to do, of any domain. A new domain adds its commands here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// An operation on a pair.
    Pair(PairCommand),
    /// Follows with a given time. An active edge counts as unchanged, and a removed one stays removed.
    ImportEdges {
        /// At most [`IMPORT_BATCH_MAX`] in one write.
        edges: Vec<ImportEdge>,
        /// Bring removed edges back, too.
        revive: bool,
    },
    /// Blocks or mutes with a given time; like the operations, but for that. What is set already keeps its time and its terms.
    /// A mute whose end has passed is not set, and counts as unchanged; one that ends later than a mute may is refused with
    /// `TIME_OUT_OF_RANGE`.
    ImportRestrictions {
        /// Which of the two.
        kind: RestrictionKind,
        /// At most [`IMPORT_BATCH_MAX`] in one write, edges included.
        restrictions: Vec<ImportEdge>,
    },
    /// Sets or clears a user's own follow limit. Follows beyond a lowered limit stay; new ones are refused.
    FollowLimit {
        /// The user.
        uid: Uid,
        /// At most [`FOLLOW_LIMIT_MAX`]; `None` is the default again.
        limit: Option<u32>,
    },
    /// Forgets that follows were removed: an import of such an edge is new again. A follow that stands is left alone, and
    /// there is no event of it.
    DropTombstones {
        /// Subject and object of each; at most [`TOMBSTONES_MAX`] in one write.
        pairs: Vec<(Uid, Uid)>,
        /// Only if it was removed no later; otherwise whenever it was.
        until: Option<Stamp>,
    },
    /// [`Op::SendFriendRequest`] with what the sender says.
    SendFriendRequest(FriendRequest),
    /// [`Op::Mute`] on terms.
    Mute(MuteCommand),
    /// Forgets that a user rejected another, if the time is over for which that one may not ask again. There is no event of
    /// it.
    ForgetRejection {
        /// The user that has rejected.
        owner: Uid,
        /// The user that was rejected.
        other: Uid,
    },
    /// Notes that no user waits any more to follow a user who has unlocked itself. There is no event of it.
    EndUnlock {
        /// The user.
        uid: Uid,
        /// Since when it has been unlocking: another time leaves it alone.
        since: Stamp,
    },
    /// Notes that a user has seen the requests to it up to one. The mark only rises; there is no event of it.
    MarkRequestsSeen {
        /// The user.
        uid: Uid,
        /// The place of the newest that it has seen; all that there are if not given.
        seen: Option<Stamp>,
    },
    /// An operation on a user.
    User(UserCommand),
    /// An operation on a post.
    Post(PostCommand),
    /// Posts with given times; at most [`IMPORT_POSTS_MAX`] in one write.
    ImportPosts(Vec<ImportPost>),
    /// Likes with given times; at most [`IMPORT_LIKES_MAX`] in one write. What is liked already keeps its time.
    ImportLikes(Vec<ImportLike>),
    /// Notes that a user has seen its home up to a position. The marker only rises, in each log by itself; there is no
    /// event of it.
    MarkSeen {
        /// The user.
        uid: Uid,
        /// Up to where; at most the heads of the logs.
        seen: Position,
    },
    /// Sets how home timelines are pushed. There is no event of it: no page depends on it.
    FanoutPolicy(FanoutPolicy),
    /// Dismisses a suggestion, or takes that back. There is no event of it: nothing follows from it for anybody else.
    Dismiss(DismissCommand),
    /// Adds to the scores of a user, or takes some back.
    Affinity(AffinityCommand),
    /// An operation on a group.
    Group(GroupCommand),
    /// An operation on the tokens that operators made.
    Credential(CredentialCommand),
    /// Notes what an operator does.
    Audit(AuditCommand),
    /// An operation on the sessions of a user. Its secrets are in nothing that is remembered: a write with one has no request
    /// id.
    Session(SessionCommand),
}

impl Command {
    /// Checks the limits of one command that need no state. A command that fails them is not refused alone, but with
    /// the whole write.
    fn check(&self) -> Result<()> {
        match self {
            Self::FanoutPolicy(policy) => policy.check(),
            Self::Credential(command) => command.check(),
            Self::Audit(command) => command.check(),
            Self::SendFriendRequest(request) => request.check(),
            Self::Mute(mute) => check_time("duration", mute.duration_ms, MUTE_DURATION_MAX_MS),
            Self::Post(PostCommand::TakeDown { reason, .. })
            | Self::User(UserCommand::TakeDown { reason, .. }) => check_takedown_reason(reason),
            _ => Ok(()),
        }
    }

    /// Returns the user all of whose sessions it ends, if it is done. A status that becomes active counts, too.
    pub const fn ends_sessions_of(&self) -> Option<Uid> {
        match self {
            Self::Session(SessionCommand::SignOut { uid }) => Some(*uid),
            Self::User(command) if command.ends_sessions() => Some(command.uid()),
            _ => None,
        }
    }
}

/// Makes commands of those of each domain.
macro_rules! of_domains {
    ($($command:ident => $domain:ident;)*) => {
        $(
            impl From<$command> for Command {
                fn from(command: $command) -> Self {
                    Self::$domain(command)
                }
            }
        )*
    };
}

of_domains! {
    PairCommand => Pair;
    UserCommand => User;
    AffinityCommand => Affinity;
    DismissCommand => Dismiss;
    PostCommand => Post;
    SessionCommand => Session;
    CredentialCommand => Credential;
    GroupCommand => Group;
    AuditCommand => Audit;
}

/// Where an import stands: stored in the same commit as what it covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportCursor {
    /// The job's name, at most [`JOB_NAME_LEN_MAX`] bytes.
    pub job: String,
    /// The position that this batch continues from; must be the stored one (0 for a new job).
    pub from: u64,
    /// The position after this batch.
    pub to: u64,
}

/// A write: commands that are applied in order, in one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Write {
    /// What is done, at most [`BATCH_MAX`] beside what is imported. Each command has its own outcome.
    pub commands: Vec<Command>,
    /// Makes the whole write happen once: a repeat is answered from memory of the first.
    pub request: Option<RequestKey>,
    /// The cursor of an import job afterwards.
    pub cursor: Option<ImportCursor>,
    /// The position at which none of the external ids to which this write gives uids had a uid: the writer of the
    /// commands has looked there. A store may rely on that look, and then has to know only what was given since.
    pub unknown_at: Option<Position>,
}

impl Write {
    /// Returns a write of one command.
    pub fn of(command: impl Into<Command>) -> Self {
        Self { commands: vec![command.into()], ..Self::default() }
    }

    /// Returns a write of many commands.
    pub fn all(commands: impl IntoIterator<Item = impl Into<Command>>) -> Self {
        Self { commands: commands.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Returns an import of edges.
    pub fn edges(edges: Vec<ImportEdge>, revive: bool) -> Self {
        Self::of(Command::ImportEdges { edges, revive })
    }

    /// Makes the write happen once under a key, if there is one.
    #[must_use]
    pub fn under(self, request: Option<RequestKey>) -> Self {
        Self { request, ..self }
    }

    /// Moves an import job on with the write, if there is one.
    #[must_use]
    pub fn at(self, cursor: Option<ImportCursor>) -> Self {
        Self { cursor, ..self }
    }

    /// Says where none of the external ids to which it gives uids had one.
    #[must_use]
    pub fn unknown_at(self, position: Position) -> Self {
        Self { unknown_at: Some(position), ..self }
    }

    /// Checks what a write may be by itself. A store checks this before it changes anything.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`, `INVALID_FIELD`, `TOO_LONG`, `MISSING_FIELD`.
    pub fn check(&self) -> Result<()> {
        let (mut edges, mut posts, mut likes, mut tombstones, mut scores, mut others) = (0, 0, 0, 0, 0, 0);
        let mut members = 0;
        for command in &self.commands {
            command.check()?;
            match command {
                Command::ImportEdges { edges: more, .. }
                | Command::ImportRestrictions { restrictions: more, .. } => {
                    edges += more.len();
                }
                Command::ImportPosts(more) => posts += more.len(),
                Command::ImportLikes(more) => likes += more.len(),
                Command::DropTombstones { pairs, .. } => tombstones += pairs.len(),
                Command::FollowLimit { limit: Some(limit), .. } if *limit > FOLLOW_LIMIT_MAX => {
                    return Err(Error::new(Reason::InvalidField { field: "limit" }));
                }
                Command::Group(command) => {
                    command.check()?;
                    members += command.members().len();
                    others += 1;
                }
                Command::Affinity(command) => scores += command.additions.len(),
                Command::Pair(_)
                | Command::SendFriendRequest(_)
                | Command::Mute(_)
                | Command::Post(_)
                | Command::FanoutPolicy(_)
                | Command::Credential(_)
                | Command::Audit(_)
                | Command::Session(_)
                | Command::ForgetRejection { .. }
                | Command::EndUnlock { .. }
                | Command::MarkRequestsSeen { .. }
                | Command::FollowLimit { .. }
                | Command::User(_)
                | Command::Dismiss(_)
                | Command::MarkSeen { .. } => {
                    others += 1;
                }
            }
        }
        for (len, limit) in [
            (edges, IMPORT_BATCH_MAX),
            (posts, IMPORT_POSTS_MAX),
            (likes, IMPORT_LIKES_MAX),
            (tombstones, TOMBSTONES_MAX),
            (scores, INTERACTIONS_MAX),
            (others, BATCH_MAX),
            (members, GROUP_MEMBERS_PER_WRITE),
        ] {
            if len > limit as usize {
                return Err(Error::new(Reason::BatchTooLarge { limit }));
            }
        }
        self.check_request()?;
        self.check_cursor()
    }

    fn check_request(&self) -> Result<()> {
        let has_session = self.commands.iter().any(|command| matches!(command, Command::Session(_)));
        if self.request.is_some() && has_session {
            return Err(Error::new(Reason::InvalidField { field: "request_id" }));
        }
        Ok(())
    }

    fn check_cursor(&self) -> Result<()> {
        match &self.cursor {
            Some(cursor) if cursor.job.len() > JOB_NAME_LEN_MAX as usize => {
                Err(Error::new(Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX }))
            }
            _ => Ok(()),
        }
    }

    /// Returns how many things it does, imported ones included.
    pub fn len(&self) -> usize {
        let len = |command: &Command| match command {
            Command::ImportEdges { edges, .. } | Command::ImportRestrictions { restrictions: edges, .. } => {
                edges.len()
            }
            Command::ImportPosts(posts) => posts.len(),
            Command::ImportLikes(likes) => likes.len(),
            Command::DropTombstones { pairs, .. } => pairs.len(),
            _ => 1,
        };
        self.commands.iter().map(len).sum()
    }

    /// Returns whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FriendRequest {
    /// One without a message, that waits as long as requests do.
    pub const fn plain(sender: Uid, receiver: Uid) -> Self {
        Self { sender, receiver, message: String::new(), ttl_ms: None }
    }

    fn check(&self) -> Result<()> {
        if self.message.len() > REQUEST_MESSAGE_LEN_MAX as usize {
            return Err(Error::new(Reason::TooLong { field: "message", limit: REQUEST_MESSAGE_LEN_MAX }));
        }
        check_time("ttl", self.ttl_ms, REQUEST_TTL_MAX_MS)
    }
}

impl MuteCommand {
    /// One of everything, for ever.
    pub const fn plain(subject: Uid, object: Uid) -> Self {
        Self { subject, object, reposts_only: false, duration_ms: None }
    }
}

fn check_time(field: &'static str, ms: Option<u64>, max: u64) -> Result<()> {
    match ms {
        Some(ms) if ms == 0 || ms > max => Err(Error::new(Reason::InvalidField { field })),
        _ => Ok(()),
    }
}

/// The outcome of an operation on a pair, or of an imported edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairOutcome {
    /// Whether state changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// The relation of subject to object afterwards.
    pub relation: Relation,
}

/// The outcome of one command, or of one thing that was imported. A new domain adds its outcomes here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Of an operation on a pair, or an imported edge.
    Pair(PairOutcome),
    /// Of an operation on a post, or an imported post.
    Post(PostOutcome),
    /// Of an operation on a user.
    User(UserOutcome),
    /// Of a setting, which is never refused by itself.
    Done,
    /// Of an operation that answers nothing but whether state changed, or why not.
    Plain(Result<bool, Reason>),
    /// Of an operation on a group.
    Group(GroupOutcome),
    /// Of an operation on sessions.
    Session(SessionOutcome),
}

impl Outcome {
    /// Returns whether state changed, or why not; a setting counts as a change.
    pub fn result(&self) -> Result<bool, Reason> {
        match self {
            Self::Pair(outcome) => outcome.result.clone(),
            Self::Post(outcome) => outcome.result.clone(),
            Self::User(outcome) => outcome.result.clone(),
            Self::Done => Ok(true),
            Self::Plain(result) => result.clone(),
            Self::Group(outcome) => outcome.result.clone(),
            Self::Session(outcome) => outcome.result.clone(),
        }
    }

    /// Returns the outcome of an operation on a pair, if it is one.
    pub fn pair(self) -> Option<PairOutcome> {
        if let Self::Pair(outcome) = self { Some(outcome) } else { None }
    }

    /// Returns the outcome of an operation on a post, if it is one.
    pub fn post(self) -> Option<PostOutcome> {
        if let Self::Post(outcome) = self { Some(outcome) } else { None }
    }

    /// Returns the outcome of an operation on a user, if it is one.
    pub fn user(self) -> Option<UserOutcome> {
        if let Self::User(outcome) = self { Some(outcome) } else { None }
    }

    /// Returns the outcome of an operation on a group, if it is one.
    pub fn group(self) -> Option<GroupOutcome> {
        if let Self::Group(outcome) = self { Some(outcome) } else { None }
    }

    /// Returns the outcome of an operation on sessions, if it is one.
    pub fn session(self) -> Option<SessionOutcome> {
        if let Self::Session(outcome) = self { Some(outcome) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow() -> PairCommand {
        PairCommand { op: Op::Follow, subject: Uid::MIN, object: Uid::MIN }
    }

    #[test]
    fn each_kind_of_command_has_its_own_limit_also_when_they_are_mixed() {
        let edge = ImportEdge::new(Uid::MIN, Uid::MIN, None);
        let edges = |n: u32| Command::ImportEdges { edges: vec![edge; n as usize], revive: false };
        let mut write = Write::all(vec![follow(); BATCH_MAX as usize]);
        write.commands.extend([edges(IMPORT_BATCH_MAX - 1), edges(1)]);
        assert_eq!(write.check(), Ok(()));
        assert_eq!(write.len(), (BATCH_MAX + IMPORT_BATCH_MAX) as usize);
        write.commands.push(edges(1));
        assert_eq!(write.check(), Err(Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX }.into()));
        write.commands.pop();
        write.commands.push(follow().into());
        assert_eq!(write.check(), Err(Reason::BatchTooLarge { limit: BATCH_MAX }.into()));
    }

    #[test]
    fn forgotten_follows_are_bounded_in_all() {
        let pairs =
            |n: u32| Command::DropTombstones { pairs: vec![(Uid::MIN, Uid::MAX); n as usize], until: None };
        let mut write = Write::all([pairs(TOMBSTONES_MAX - 1), pairs(1)]);
        assert_eq!((write.check(), write.len()), (Ok(()), TOMBSTONES_MAX as usize));
        write.commands.push(pairs(1));
        assert_eq!(write.check(), Err(Reason::BatchTooLarge { limit: TOMBSTONES_MAX }.into()));
    }

    #[test]
    fn settings_and_cursors_are_checked_before_anything_is_done() {
        let limit = Command::FollowLimit { uid: Uid::MIN, limit: Some(FOLLOW_LIMIT_MAX + 1) };
        let write = Write::all([Command::from(follow()), limit]);
        assert_eq!(write.check(), Err(Reason::InvalidField { field: "limit" }.into()));
        let job = "j".repeat(JOB_NAME_LEN_MAX as usize + 1);
        let write = Write::of(follow()).at(Some(ImportCursor { job, from: 0, to: 1 }));
        assert_eq!(write.check(), Err(Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX }.into()));
    }
}

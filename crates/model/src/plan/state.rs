//! What a plan reads and changes.

use super::audit_rows::AuditRows;
use super::credential_rows::CredentialRows;
use super::external_rows::ExternalRows;
use super::group_rows::GroupRows;
use crate::affinity::Affinities;
use crate::command::{Outcome, RequestKey};
use crate::error::Result;
use crate::event::Change;
use crate::feed::FanoutPolicy;
use crate::id::{Gene, Uid};
use crate::log::EventAt;
use crate::page::Edge;
use crate::pair::{Direction, GuardedCount, MuteTerms, PairEnd, PastRequest, RelationRequest, RequestKind};
use crate::position::Position;
use crate::post::{AuthorRow, Post, PostId, PostStats, Revision};
use crate::session::Session;
use crate::stamp::Stamp;
use crate::user::{Contact, ContactClaim, LoginName, PasswordHash, Standing, User};

/// What one user has said about another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Since when the user follows the other, and whether the two are marked as friends.
    pub follow: Option<(Stamp, bool)>,
    /// Whether the user blocks the other.
    pub blocks: bool,
    /// Whether the user mutes the other.
    pub mutes: bool,
    /// What the user has asked of the other, if that waits.
    pub asks: Option<RequestKind>,
}

impl Said {
    /// Returns it as the pair state machine takes it.
    pub const fn direction(&self) -> Direction {
        Direction { follows: self.follow.is_some(), blocks: self.blocks, mutes: self.mutes, asks: self.asks }
    }
}

/// How many others a user may follow, block and mute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactLimits {
    /// Follows, unless the operator set a user's own limit.
    pub follows: u32,
    /// Blocks.
    pub blocks: u32,
    /// Mutes.
    pub mutes: u32,
}

/// An answer under a request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Of what was asked.
    pub fingerprint: u64,
    /// When, in Unix milliseconds.
    pub ms: u64,
    /// Where the answer stands.
    pub position: Position,
    /// What was answered.
    pub outcomes: Vec<Outcome>,
}

/// The logs of a batch, and what is minted under them.
pub trait EventRows {
    /// Why a row cannot be read. The batch is lost then.
    type Error;

    /// Mints the version of the next change of a user's facts: above every one before.
    fn stamp(&mut self, actor: Uid, now_ms: u64) -> Stamp;

    /// Returns the place of the next event of a user's log.
    fn next_event(&self, subject: Uid) -> EventAt;

    /// Adds an event to the log of its subject, and returns its place.
    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt;

    /// Checks that a position names nothing that is not committed or planned.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    fn check_position(&self, position: &Position) -> Result<()>;
}

/// What makes a repeated write happen once.
pub trait RequestRows: EventRows {
    /// Returns the answer under a request id, expired or not.
    ///
    /// # Errors
    /// When the row cannot be read.
    fn remembered(&mut self, request: &RequestKey) -> Result<Option<Remembered>, Self::Error>;

    /// Keeps the answer to a request, which stands with this batch.
    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]);

    /// Returns where an import job stands; 0 for a new one.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn job(&mut self, job: &str) -> Result<u64, Self::Error>;

    /// Moves an import job.
    fn put_job(&mut self, job: &str, position: u64);
}

/// What users have said about each other.
pub trait RelationRows: EventRows {
    /// Returns the limits that guard follows, blocks and mutes.
    fn limits(&self) -> FactLimits;

    /// Returns what a user has said about another.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn said(&mut self, owner: Uid, other: Uid) -> Result<Said, Self::Error>;

    /// Returns when a user and one whom it follows became friends, if they are.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn friends_since(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Returns how many a user follows, blocks or mutes. Among those whom it follows are those whom it has asked and does not
    /// follow: they hold a place.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn count(&mut self, uid: Uid, of: GuardedCount) -> Result<u32, Self::Error>;

    /// Returns a user's own follow limit.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn follow_limit(&mut self, uid: Uid) -> Result<Option<u32>, Self::Error>;

    /// Sets a user's own follow limit.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Result<(), Self::Error>;

    /// Returns when a follow was removed; of one that stands again it may still say so.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn removed_at(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Forgets that a follow was removed. It is asked for follows that stand, too, and says nothing about these.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn forget_removed(&mut self, owner: Uid, other: Uid) -> Result<(), Self::Error>;

    /// Adds or changes a follow: its place in lists, and since when the two are friends.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        version: Stamp,
    ) -> Result<(), Self::Error>;

    /// Removes a follow, and keeps that it was.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> Result<(), Self::Error>;

    /// Adds a follower to a user's list and counter.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn add_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), Self::Error>;

    /// Removes a follower from a user's list and counter.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), Self::Error>;

    /// Adds a block, or removes it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), Self::Error>;

    /// Adds or changes a mute, or removes it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_mute(
        &mut self,
        owner: Uid,
        other: Uid,
        mute: Option<(Stamp, MuteTerms)>,
    ) -> Result<(), Self::Error>;
}

/// What waits between two users, and ends by itself when its time is over.
pub trait WaitingRows: EventRows {
    /// Returns since when a user mutes another, and on which terms.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn mute(&mut self, owner: Uid, other: Uid) -> Result<Option<(Stamp, MuteTerms)>, Self::Error>;

    /// Returns what a user has asked of another, if that waits. The message may be left out.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn request(&mut self, sender: Uid, receiver: Uid) -> Result<Option<RelationRequest>, Self::Error>;

    /// Adds a request, which holds a place of the sender's from then on.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_request(&mut self, request: RelationRequest) -> Result<(), Self::Error>;

    /// Removes a request that is there.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_request(&mut self, request: &RelationRequest) -> Result<(), Self::Error>;

    /// Returns how many requests of a user wait.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn sent_requests(&mut self, sender: Uid) -> Result<u32, Self::Error>;

    /// Returns what a user remembers of the last request of another, which is over.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn past_request(&mut self, owner: Uid, other: Uid) -> Result<Option<PastRequest>, Self::Error>;

    /// Sets or removes that.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_past_request(
        &mut self,
        owner: Uid,
        other: Uid,
        past: Option<PastRequest>,
    ) -> Result<(), Self::Error>;

    /// Notes that something ends by itself at a time, in Unix milliseconds.
    fn put_end(&mut self, at_ms: u64, end: PairEnd);

    /// Takes that note away: it has ended, or ends at another time.
    fn remove_end(&mut self, at_ms: u64, end: PairEnd);

    /// Returns since when whoever waits to follow a user is to be let, if that is noted.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn unlocking(&mut self, uid: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Notes since when whoever waits to follow a user is to be let, or takes that note away.
    fn put_unlocking(&mut self, uid: Uid, since: Option<Stamp>);

    /// Raises the place of the newest request to a user that it has seen.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn raise_requests_seen(&mut self, uid: Uid, seen: Stamp) -> Result<(), Self::Error>;

    /// Removes that place, if there is one.
    fn remove_requests_seen(&mut self, uid: Uid);
}

/// Posts, and what goes with them.
pub trait PostRows: EventRows {
    /// Mints the id of a post that is written now: above every one before.
    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId;

    /// Takes the wanted id of a post if that is free, else the first free one of a post that was written at a given time;
    /// `None` if the last one is taken: then the millisecond is full.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn take_post(
        &mut self,
        author: Uid,
        at_ms: u64,
        wanted: Option<PostId>,
    ) -> Result<Option<PostId>, Self::Error>;

    /// Returns a post.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn post(&mut self, id: PostId) -> Result<Option<&Post>, Self::Error>;

    /// Adds a post to its author's outbox; it is put as well.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn add_to_outbox(&mut self, author: Uid, id: PostId) -> Result<(), Self::Error>;

    /// Adds or changes a post, which an event did.
    fn put_post(&mut self, post: Post, changed: EventAt);

    /// Forgets that likes of a purged post are to be taken back, which no event did.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn end_purge(&mut self, id: PostId) -> Result<(), Self::Error>;

    /// Keeps what a post was.
    fn put_revision(&mut self, id: PostId, revision: &Revision);

    /// Removes what a post was.
    fn remove_revision(&mut self, id: PostId, revision: u32);

    /// Removes the name that an imported post came with; `false` if it came with none.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_source(&mut self, author: Uid, id: PostId) -> Result<bool, Self::Error>;

    /// Returns what is kept of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn author(&mut self, author: Uid) -> Result<AuthorRow, Self::Error>;

    /// Changes what is kept of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_author(&mut self, author: Uid, row: AuthorRow) -> Result<(), Self::Error>;

    /// Returns the counters of a post, to change them.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn stats(&mut self, id: PostId) -> Result<&mut PostStats, Self::Error>;

    /// Returns since when a user likes a post.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn like(&mut self, id: PostId, uid: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Adds a like.
    fn put_like(&mut self, id: PostId, like: Edge);

    /// Removes a like.
    fn remove_like(&mut self, id: PostId, like: Edge);

    /// Returns a user's plain reposts of an original that stand, oldest first.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn reposts(&mut self, user: Uid, original: PostId) -> Result<&[PostId], Self::Error>;

    /// Adds a repost or quote to the list of those of its original, or takes it out of that.
    fn list_repost(&mut self, original: PostId, repost: PostId, stands: bool);

    /// Changes which plain reposts of an original stand, oldest first.
    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>);

    /// Returns the post that was imported under a source's name for it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn source(&mut self, author: Uid, key: &str) -> Result<Option<PostId>, Self::Error>;

    /// Keeps a source's name for an imported post. A new post is exported under it; what stood before keeps its name.
    fn put_source(&mut self, author: Uid, key: String, id: PostId, is_new: bool);

    /// Removes all names that sources have for posts of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_sources(&mut self, author: Uid) -> Result<(), Self::Error>;
}

/// Accounts, profiles, passwords and contacts.
pub trait UserRows: EventRows {
    /// Returns what is kept of a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn user(&mut self, uid: Uid) -> Result<Option<User>, Self::Error>;

    /// Returns whether a user is there, and what others may know of it, as far as the acting user's shard knows.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn standing(&mut self, uid: Uid) -> Result<Standing, Self::Error> {
        Ok(self.user(uid)?.as_ref().map(User::standing).unwrap_or_default())
    }

    /// Returns whether a uid has an account, edges, posts, groups or an external id.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn is_used(&mut self, uid: Uid) -> Result<bool, Self::Error>;

    /// Changes what is kept of a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_user(&mut self, user: User) -> Result<(), Self::Error>;

    /// Returns whose a login name is.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn login_name(&mut self, name: &LoginName) -> Result<Option<Uid>, Self::Error>;

    /// Gives a login name to a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_login_name(&mut self, name: &LoginName, uid: Uid) -> Result<(), Self::Error>;

    /// Returns a user's password.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn password(&mut self, uid: Uid) -> Result<Option<PasswordHash>, Self::Error>;

    /// Sets a user's password.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_password(&mut self, uid: Uid, password: &PasswordHash) -> Result<(), Self::Error>;

    /// Takes a login name away from its user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_login_name(&mut self, name: &LoginName) -> Result<(), Self::Error>;

    /// Removes a user's password, if it has one.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_password(&mut self, uid: Uid) -> Result<(), Self::Error>;

    /// Returns when a user signed out everywhere, in Unix milliseconds, if that is still known.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn signed_out(&mut self, uid: Uid) -> Result<Option<u64>, Self::Error>;

    /// Keeps when a user signed out everywhere.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_signed_out(&mut self, uid: Uid, at_ms: u64) -> Result<(), Self::Error>;

    /// Returns who has claimed a contact.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn claim(&mut self, contact: &Contact) -> Result<Option<ContactClaim>, Self::Error>;

    /// Mints the version of a user's reservation of a contact: above every one before in the shard of the contact, which need
    /// not be the user's.
    fn claim_version(&mut self, uid: Uid, now_ms: u64) -> Stamp {
        self.stamp(uid, now_ms)
    }

    /// Sets or removes the claim of a contact.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_claim(&mut self, contact: &Contact, claim: Option<ContactClaim>) -> Result<(), Self::Error>;
}

/// Sessions of end users, in the shards of their users.
pub trait SessionRows: EventRows {
    /// Returns the session of an id in a shard, expired or not.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn session(&mut self, gene: Gene, id: [u8; 32]) -> Result<Option<Session>, Self::Error>;

    /// Returns the sessions of a user, expired ones too, in any order.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn sessions(&mut self, uid: Uid) -> Result<Vec<Session>, Self::Error>;

    /// Adds a session, or changes the one of its id.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_session(&mut self, session: Session) -> Result<(), Self::Error>;

    /// Removes a session that stands.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_session(&mut self, session: &Session) -> Result<(), Self::Error>;
}

/// What readers and operators note of feeds.
pub trait FeedRows: EventRows {
    /// Raises a user's read marker.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> Result<(), Self::Error>;

    /// Removes a user's read marker.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_seen(&mut self, uid: Uid) -> Result<(), Self::Error>;

    /// Sets how home timelines are pushed.
    fn put_policy(&mut self, policy: &FanoutPolicy);
}

/// Whom users do not want suggested, and with whom they have most to do.
pub trait SuggestionRows: EventRows {
    /// Returns whom a user has dismissed, each since when, in any order; at most
    /// [`DISMISSED_MAX`](crate::limits::DISMISSED_MAX).
    ///
    /// # Errors
    /// When a row cannot be read.
    fn dismissed(&mut self, viewer: Uid) -> Result<Vec<Edge>, Self::Error>;

    /// Adds, changes or removes a dismissal.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> Result<(), Self::Error>;

    /// Returns the scores of a user, in any order.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn affinities(&mut self, actor: Uid) -> Result<Affinities, Self::Error>;

    /// Sets all scores of a user; without any, its half-life is forgotten, too.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_affinities(&mut self, actor: Uid, affinities: Affinities) -> Result<(), Self::Error>;
}

/// The rows that a batch needs, with the batch's own changes on top: what is put is what is read from then on.
///
/// It says nothing of where rows are. A backend of many shards plans for the shard of the user who acts: there `said` by
/// another user is what that shard mirrors, and what is put for another user's rows is left to the shard that derives
/// them from the event.
///
/// Each domain has a part of it.
pub trait State:
    RequestRows
    + RelationRows
    + PostRows
    + UserRows
    + SessionRows
    + CredentialRows
    + AuditRows
    + ExternalRows
    + FeedRows
    + WaitingRows
    + SuggestionRows
    + GroupRows
{
}

impl<S> State for S where
    S: RequestRows
        + RelationRows
        + PostRows
        + UserRows
        + SessionRows
        + CredentialRows
        + AuditRows
        + ExternalRows
        + FeedRows
        + WaitingRows
        + SuggestionRows
        + GroupRows
{
}

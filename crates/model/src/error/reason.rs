//! Every reason, once: what else is said of a reason follows from its row.
//!
//! A row is `Variant { fields } = Code, stored byte, "NAME", "text";`. Name and stored byte are frozen: programs match
//! on the one, and answers that are remembered on disk hold the other. A new reason takes the next byte.

use super::Code;
use super::table::reasons;

reasons! {
    /// A uid is zero or above 2^63 - 1.
    UidOutOfRange = InvalidArgument, 0x20, "UID_OUT_OF_RANGE",
        "a uid must be between 1 and 9223372036854775807";
    /// A post id is zero or above 2^63 - 1.
    PostIdOutOfRange = InvalidArgument, 0x21, "POST_ID_OUT_OF_RANGE",
        "a post id must be between 1 and 9223372036854775807";
    /// Somebody would follow, block or mute themselves.
    SelfRelation = InvalidArgument, 0x22, "SELF",
        "subject and object are the same user";
    /// A required field is missing.
    MissingField {
        /// The field's name in the API.
        field: &'static str,
    } = InvalidArgument, 0x23, "MISSING_FIELD",
        "the field `{field}` is required";
    /// A field holds something that cannot be used.
    InvalidField {
        /// The field's name in the API.
        field: &'static str,
    } = InvalidArgument, 0x24, "INVALID_FIELD",
        "the value of the field `{field}` is not allowed";
    /// More items in one request than allowed.
    BatchTooLarge {
        /// The most items allowed.
        limit: u32,
    } = InvalidArgument, 0x25, "BATCH_TOO_LARGE",
        "at most {limit} items per request; send several requests";
    /// A page size above the most allowed.
    PageTooLarge {
        /// The largest page allowed.
        limit: u32,
    } = InvalidArgument, 0x26, "PAGE_TOO_LARGE",
        "page_size must be between 0 and {limit}; 0 means the default";
    /// A string, such as a request id, is longer than allowed.
    TooLong {
        /// The field's name in the API.
        field: &'static str,
        /// The most bytes allowed.
        limit: u32,
    } = InvalidArgument, 0x27, "TOO_LONG",
        "the field `{field}` may hold at most {limit} bytes";
    /// A text has more characters than allowed.
    TextTooLong {
        /// The most characters allowed.
        limit: u32,
    } = InvalidArgument, 0x28, "TEXT_TOO_LONG",
        "a text may hold at most {limit} characters";
    /// A given time is too far ahead of the clock, or, of a post, before 2000.
    TimeOutOfRange = InvalidArgument, 0x29, "TIME_OUT_OF_RANGE",
        "a time must be at most 5 minutes ahead of the server's clock, and the time of a post after 1999";
    /// A page token is damaged, of another version, or of another list.
    StaleCursor = InvalidArgument, 0x2a, "STALE_CURSOR",
        "the page token does not belong to this list; start from the first page";
    /// A consistency token is not one of ours.
    InvalidToken = InvalidArgument, 0x2b, "INVALID_TOKEN",
        "the token cannot be read; send tokens exactly as received";
    /// A consistency token is from another history, for example from before a restore.
    TokenFromOtherHistory = FailedPrecondition, 0x2c, "TOKEN_FROM_OTHER_HISTORY",
        "the token is from another history, for example from before a restore; drop it";
    /// A consistency token is ahead of this store, and stayed so until the deadline.
    TokenAhead = Unavailable, 0x2d, "TOKEN_AHEAD",
        "the store has not reached the token's position; try again";
    /// The log no longer holds what a position needs.
    Trimmed = OutOfRange, 0x2e, "TRIMMED",
        "the log no longer holds this position; build your data anew from the lists, then watch from now";
    /// The subject already follows, blocks or mutes as many as allowed, or has as many groups, or the group as many members.
    LimitReached {
        /// The limit that holds for this user.
        limit: u32,
    } = FailedPrecondition, 0x2f, "LIMIT_REACHED",
        "the limit of {limit} is reached";
    /// One side blocks the other. Shown to the blocker and to services only.
    Blocked = FailedPrecondition, 0x30, "BLOCKED",
        "one of the two users blocks the other";
    /// The same as [`Reason::Blocked`], as shown to an end user who is blocked.
    NotAllowed = PermissionDenied, 0x31, "NOT_ALLOWED",
        "this is not allowed";
    /// A `request_id` was used before with other parameters.
    IdempotencyMismatch = FailedPrecondition, 0x32, "IDEMPOTENCY_MISMATCH",
        "this request_id was used with other parameters; use a new one for a new request";
    /// No or unknown credentials.
    Unauthenticated = Unauthenticated, 0x33, "UNAUTHENTICATED",
        "send a valid token as `authorization: Bearer TOKEN`";
    /// The token of the credentials is refused.
    TokenRefused {
        /// What is wrong with it.
        problem: &'static str,
    } = Unauthenticated, 0x48, "TOKEN_REFUSED",
        "the token is refused: {problem}";
    /// The caller's scopes do not cover this call.
    PermissionDenied = PermissionDenied, 0x34, "PERMISSION_DENIED",
        "the credentials do not allow this call";
    /// The named thing (a token, an import job) does not exist.
    NotFound = NotFound, 0x35, "NOT_FOUND",
        "not found";
    /// There is no such post.
    PostNotFound = NotFound, 0x36, "POST_NOT_FOUND",
        "there is no such post";
    /// The post is deleted; its author can restore it.
    PostDeleted = NotFound, 0x37, "POST_DELETED",
        "the post is deleted";
    /// An operator has taken the post down. Shown to its author and to services that act for it; to others it is deleted.
    PostTakenDown = FailedPrecondition, 0x71, "POST_TAKEN_DOWN",
        "this post is taken down: its author can only delete it";
    /// The caller may not see the post, or it is somebody else's.
    PostForbidden = PermissionDenied, 0x38, "POST_FORBIDDEN",
        "the caller may not see or change this post";
    /// The post, user or group was changed since.
    RevisionMismatch {
        /// The revision that it has now.
        revision: u32,
    } = Aborted, 0x39, "REVISION_MISMATCH",
        "the present revision is {revision}; read the object again and repeat the change";
    /// The owner has no such group.
    GroupNotFound = NotFound, 0x6c, "GROUP_NOT_FOUND",
        "there is no such group";
    /// There is no account of this user.
    UserNotFound = NotFound, 0x50, "USER_NOT_FOUND",
        "there is no such user";
    /// The user is deactivated.
    UserDeactivated = FailedPrecondition, 0x54, "USER_DEACTIVATED",
        "this user is deactivated: until it is reactivated, it can do nothing new, and no user can begin to follow it";
    /// The user is deleted, and does not come back.
    UserDeleted = FailedPrecondition, 0x56, "USER_DELETED",
        "this user is deleted for good: new writes by it or about it are refused";
    /// An operator has taken the user down. A caller that logs in as the user or reactivates it is told why. To others
    /// the user is deactivated.
    UserTakenDown {
        /// Why, in the operator's words.
        reason: String,
    } = FailedPrecondition, 0x72, "USER_TAKEN_DOWN",
        "an operator has taken this user down; it can do nothing until it is reinstated: {reason}";
    /// The user allows no new followers. The answer is of a request id from before users could ask to follow a locked
    /// user, and is remembered since.
    UserLocked = FailedPrecondition, 0x55, "USER_LOCKED",
        "this user is locked: no user can begin to follow it until it is unlocked";
    /// The other user rejected such a request not long ago.
    RequestRejected {
        /// When it can be asked again, in Unix milliseconds.
        until_ms: u64,
    } = FailedPrecondition, 0x64, "REQUEST_REJECTED",
        "this user has rejected your request; you can ask again after {until_ms} (Unix milliseconds)";
    /// No user of this name has this password.
    LoginFailed = Unauthenticated, 0x53, "LOGIN_FAILED",
        "the name or the password is wrong";
    /// Somebody else has this login name.
    LoginNameTaken = FailedPrecondition, 0x51, "LOGIN_NAME_TAKEN",
        "this login name is taken; choose another";
    /// The uid has an account, edges, posts or an external id already.
    UidInUse = FailedPrecondition, 0x52, "UID_IN_USE",
        "this uid has an account, edges, posts or an external id already";
    /// An external id in a request is of no user.
    ExternalIdUnknown {
        /// The field that holds it.
        field: &'static str,
    } = NotFound, 0x60, "EXTERNAL_ID_UNKNOWN",
        "the field `{field}` holds an external id that no user has; a service can make a uid for it with ResolveIds and `create`";
    /// A thing of this name exists already.
    AlreadyExists = FailedPrecondition, 0x3a, "ALREADY_EXISTS",
        "this name is taken; choose another";
    /// An import continues from a position that is not the one stored.
    ImportPositionMismatch {
        /// The stored position, to continue from.
        position: u64,
    } = Aborted, 0x3b, "IMPORT_POSITION_MISMATCH",
        "the stored position of the import is {position}; continue from there";
    /// The server's queue is full.
    Overloaded {
        /// When to try again, in milliseconds.
        retry_after_ms: u32,
    } = ResourceExhausted, 0x3c, "OVERLOADED",
        "the server is overloaded; try again in {retry_after_ms} ms";
    /// The caller has as many calls in flight as one caller may have.
    TooManyCalls {
        /// How many that is.
        limit: u32,
    } = ResourceExhausted, 0x45, "TOO_MANY_CALLS",
        "this caller has {limit} calls in flight, which is the limit; wait for their answers";
    /// There are as many streams as there may be, of this caller or of all.
    TooManyStreams {
        /// How many that is.
        limit: u32,
    } = ResourceExhausted, 0x46, "TOO_MANY_STREAMS",
        "{limit} streams are open, which is the limit; close one, or poll instead";
    /// The disk has less free space than the reserve; writes are refused until there is room.
    DiskFull {
        /// The free space that writes need, in bytes.
        reserve: u64,
    } = ResourceExhausted, 0x3d, "DISK_FULL",
        "the disk is almost full: writes need {reserve} free bytes, so make room; reads still work";
    /// The store is closing.
    ShuttingDown = Unavailable, 0x3e, "SHUTTING_DOWN",
        "the server is shutting down; try again";
    /// The store stopped after a failed write to disk; restart it once the cause is mended.
    Stopped = Unavailable, 0x3f, "STOPPED",
        "the store stopped after a failed disk write; see the log, then restart";
    /// The caller has spent what it may ask for in a time.
    RateLimited {
        /// When it has enough again for the same call, in milliseconds.
        retry_after_ms: u32,
    } = ResourceExhausted, 0x47, "RATE_LIMITED",
        "the caller is over its rate limit; try again in {retry_after_ms} ms";
    /// A new password has too few characters.
    PasswordTooShort {
        /// The fewest characters allowed.
        limit: u32,
    } = InvalidArgument, 0x58, "PASSWORD_TOO_SHORT",
        "a password must have at least {limit} characters";
    /// A new password is one that everybody tries first.
    PasswordTooCommon = InvalidArgument, 0x59, "PASSWORD_TOO_COMMON",
        "this password is easy to guess: a common one, a run of characters, or the login name; choose another";
    /// A password hash that came from elsewhere is of no known kind, or costs more than is run here.
    PasswordHashUnusable = InvalidArgument, 0x5a, "PASSWORD_HASH_UNUSABLE",
        "a password hash must be a PHC string of argon2 (128 MiB, 16 passes, 16 lanes, 1 GiB in all passes at most) or \
         bcrypt (cost 4 to 14)";
    /// A refresh token was given that had been changed for a new one before, so two have it.
    RefreshReused = Unauthenticated, 0x5b, "REFRESH_REUSED",
        "this refresh token was used before, so another party may have it: the session has ended; log in again";
    /// Somebody else has this phone number or mail address, or is about to.
    ContactTaken = FailedPrecondition, 0x5c, "CONTACT_TAKEN",
        "another user has this phone number or mail address, or is binding it now";
    /// A uid of the range in which uids are minted here, which was not minted here.
    UidNotMinted = InvalidArgument, 0x5e, "UID_NOT_MINTED",
        "a uid is in the range in which this server makes uids (setting `uids`), and this server did not make it: use a uid \
         from Register or ResolveIds, or one outside of that range";
    /// A uid would be minted where all are foreign.
    UidsAreForeign = FailedPrecondition, 0x61, "UIDS_ARE_FOREIGN",
        "this server makes no uids (`uids = foreign`): give a uid of your own, or change that setting";
    /// Of several fields that say who is meant not exactly one was given.
    OneNameNeeded = InvalidArgument, 0x5d, "ONE_NAME_NEEDED",
        "give exactly one of `login_name`, `phone` and `email`";
    /// Whether the write took place is not known: the way to the store broke before it answered.
    OutcomeUnknown = Unavailable, 0x43, "OUTCOME_UNKNOWN",
        "the server does not know whether the write was committed; repeat it with the same request_id";
    /// The server at the other end does not answer this call: it is another listener, of another version, or none of ours.
    NotServed = FailedPrecondition, 0x44, "NOT_SERVED",
        "the server does not answer this call; check its address, listener and version";
    /// The database that has the data cannot be asked now.
    ShardUnavailable {
        /// What is known of the write, one of [`WRITE_OPEN`](crate::error::WRITE_OPEN) and
        /// [`WRITE_COMMITTED`](crate::error::WRITE_COMMITTED). Of a read it is open.
        write: &'static str,
    } = Unavailable, 0x6d, "SHARD_UNAVAILABLE",
        "a database that this call needs does not answer now; a write is {write}: a committed one completes by itself, \
         an open one may be repeated with the same request_id";
    /// The database that has the data lost writes that were acknowledged, and is shut until an operator has put that right.
    DatabaseLostWrites = Unavailable, 0x73, "DATABASE_LOST_WRITES",
        "the database with this data lost its newest writes, and is closed until an operator has put that right";
    /// The clock of the process is wrong, so that it mints no times.
    ClockWrong = Unavailable, 0x74, "CLOCK_WRONG",
        "the clock of this server is wrong, so it refuses writes until that is right; try again, at another server if there is one";
    /// The deadline passed.
    DeadlineExceeded = DeadlineExceeded, 0x40, "DEADLINE_EXCEEDED",
        "the deadline passed before the answer was ready";
    /// Stored data failed a check.
    Damaged = DataLoss, 0x41, "DAMAGED",
        "stored data failed a check; run `guanxi verify`, or restore a backup";
    /// A defect of the server.
    Internal = Internal, 0x42, "INTERNAL",
        "internal error; see the server's log";
    /// The search index has not taken in an event of a token before the call's time was over.
    SearchBehind {
        /// When to come back, in milliseconds.
        retry_after_ms: u32,
    } = Unavailable, 0x6e, "SEARCH_BEHIND",
        "the search index has not reached the position of the token; try again in {retry_after_ms} ms";
    /// There is no search index that can be asked: it is being built, or its disk failed.
    SearchUnavailable {
        /// Why, one of [`FIELDS`](super::FIELDS): `off`, `building`, `damaged`, `newer_format`, `no_room`, `no_replica`, `busy` or
        /// `failed`.
        cause: &'static str,
    } = Unavailable, 0x6f, "SEARCH_UNAVAILABLE",
        "the search index does not answer now: `{cause}`; try again later";
    /// A search query says nothing that can be searched for.
    BadQuery {
        /// The first character of what is wrong, in code points from 0 on.
        position: u32,
        /// What was expected, one of [`FIELDS`](super::FIELDS).
        expected: &'static str,
    } = InvalidArgument, 0x70, "BAD_QUERY",
        "the search query is wrong at character {position}: expected `{expected}`";
}

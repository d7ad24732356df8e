//! The one closed set of errors that users can meet.

use std::fmt;

/// What class of failure it is: decides the status code on every transport, in one place (the `api` crate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is wrong by itself; repeating it cannot help.
    InvalidArgument,
    /// What was named does not exist.
    NotFound,
    /// The request is right but the state forbids it.
    FailedPrecondition,
    /// Somebody else's change came between.
    Aborted,
    /// A position is older than what is kept.
    OutOfRange,
    /// The caller is not known.
    Unauthenticated,
    /// The caller is known and may not.
    PermissionDenied,
    /// Too much, too often, or too large; `retry_after` may say when to come back.
    ResourceExhausted,
    /// The store cannot answer now; the same request may succeed later.
    Unavailable,
    /// The caller's or the server's deadline passed.
    DeadlineExceeded,
    /// Stored data is damaged.
    DataLoss,
    /// A defect of the server.
    Internal,
}

/// Why: machine-readable, with the numbers a caller needs to act on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A uid is zero or above 2^63 - 1.
    UidOutOfRange,
    /// A post id is zero or above 2^63 - 1.
    PostIdOutOfRange,
    /// Somebody would follow, block or mute themselves.
    SelfRelation,
    /// A required field is missing.
    MissingField {
        /// The field's name in the API.
        field: &'static str,
    },
    /// A field holds something that cannot be used.
    InvalidField {
        /// The field's name in the API.
        field: &'static str,
    },
    /// More items in one request than allowed.
    BatchTooLarge {
        /// The most items allowed.
        limit: u32,
    },
    /// A page size above the most allowed.
    PageTooLarge {
        /// The largest page allowed.
        limit: u32,
    },
    /// A string, such as a request id, is longer than allowed.
    TooLong {
        /// The field's name in the API.
        field: &'static str,
        /// The most bytes allowed.
        limit: u32,
    },
    /// A text has more characters than allowed.
    TextTooLong {
        /// The most characters allowed.
        limit: u32,
    },
    /// A given time is before 2000 or in the future.
    TimeOutOfRange,
    /// A page token is damaged, of another version, or of another list.
    StaleCursor,
    /// A consistency token is not one of ours.
    InvalidToken,
    /// A consistency token is from another history, for example from before a restore.
    TokenFromOtherHistory,
    /// A consistency token is ahead of this store, and stayed so until the deadline.
    TokenAhead,
    /// The log no longer holds what a position needs.
    Trimmed,
    /// The subject already follows, blocks or mutes as many as allowed.
    LimitReached {
        /// The limit that holds for this user.
        limit: u32,
    },
    /// One side blocks the other. Shown to the blocker and to services only.
    Blocked,
    /// The same as [`Reason::Blocked`], as shown to an end user who is blocked.
    NotAllowed,
    /// A `request_id` was used before with other parameters.
    IdempotencyMismatch,
    /// No or unknown credentials.
    Unauthenticated,
    /// The caller's scopes do not cover this call.
    PermissionDenied,
    /// The named thing (a token, an import job) does not exist.
    NotFound,
    /// There is no such post.
    PostNotFound,
    /// The post is deleted; its author can restore it.
    PostDeleted,
    /// The caller may not see the post, or it is somebody else's.
    PostForbidden,
    /// The post was changed since.
    RevisionMismatch {
        /// The revision that the post has now.
        revision: u32,
    },
    /// A thing of this name exists already.
    AlreadyExists,
    /// An import continues from a position that is not the one stored.
    ImportPositionMismatch {
        /// The stored position, to continue from.
        position: u64,
    },
    /// The server's queue is full.
    Overloaded {
        /// When to try again, in milliseconds.
        retry_after_ms: u32,
    },
    /// The disk has less free space than the reserve; writes are refused until there is room.
    DiskFull {
        /// The free space that writes need, in bytes.
        reserve: u64,
    },
    /// The store is closing.
    ShuttingDown,
    /// The store stopped after a failed write to disk; restart it once the cause is mended.
    Stopped,
    /// The deadline passed.
    DeadlineExceeded,
    /// Stored data failed a check.
    Damaged,
    /// A defect of the server.
    Internal,
}

impl Reason {
    /// The class it belongs to.
    pub const fn code(&self) -> Code {
        match self {
            Self::UidOutOfRange
            | Self::PostIdOutOfRange
            | Self::TextTooLong { .. }
            | Self::TimeOutOfRange
            | Self::SelfRelation
            | Self::MissingField { .. }
            | Self::InvalidField { .. }
            | Self::BatchTooLarge { .. }
            | Self::PageTooLarge { .. }
            | Self::TooLong { .. }
            | Self::StaleCursor
            | Self::InvalidToken => Code::InvalidArgument,
            Self::TokenFromOtherHistory
            | Self::LimitReached { .. }
            | Self::Blocked
            | Self::AlreadyExists
            | Self::IdempotencyMismatch => Code::FailedPrecondition,
            Self::Trimmed => Code::OutOfRange,
            Self::Unauthenticated => Code::Unauthenticated,
            Self::PermissionDenied | Self::NotAllowed | Self::PostForbidden => Code::PermissionDenied,
            Self::NotFound | Self::PostNotFound | Self::PostDeleted => Code::NotFound,
            Self::ImportPositionMismatch { .. } | Self::RevisionMismatch { .. } => Code::Aborted,
            Self::Overloaded { .. } | Self::DiskFull { .. } => Code::ResourceExhausted,
            Self::ShuttingDown | Self::Stopped | Self::TokenAhead => Code::Unavailable,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::Damaged => Code::DataLoss,
            Self::Internal => Code::Internal,
        }
    }

    /// The name that programs match on; never changes.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UidOutOfRange => "UID_OUT_OF_RANGE",
            Self::PostIdOutOfRange => "POST_ID_OUT_OF_RANGE",
            Self::TextTooLong { .. } => "TEXT_TOO_LONG",
            Self::TimeOutOfRange => "TIME_OUT_OF_RANGE",
            Self::PostNotFound => "POST_NOT_FOUND",
            Self::PostDeleted => "POST_DELETED",
            Self::PostForbidden => "POST_FORBIDDEN",
            Self::RevisionMismatch { .. } => "REVISION_MISMATCH",
            Self::SelfRelation => "SELF",
            Self::MissingField { .. } => "MISSING_FIELD",
            Self::InvalidField { .. } => "INVALID_FIELD",
            Self::BatchTooLarge { .. } => "BATCH_TOO_LARGE",
            Self::PageTooLarge { .. } => "PAGE_TOO_LARGE",
            Self::TooLong { .. } => "TOO_LONG",
            Self::StaleCursor => "STALE_CURSOR",
            Self::InvalidToken => "INVALID_TOKEN",
            Self::TokenFromOtherHistory => "TOKEN_FROM_OTHER_HISTORY",
            Self::TokenAhead => "TOKEN_AHEAD",
            Self::Trimmed => "TRIMMED",
            Self::LimitReached { .. } => "LIMIT_REACHED",
            Self::Blocked => "BLOCKED",
            Self::NotAllowed => "NOT_ALLOWED",
            Self::IdempotencyMismatch => "IDEMPOTENCY_MISMATCH",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::ImportPositionMismatch { .. } => "IMPORT_POSITION_MISMATCH",
            Self::Overloaded { .. } => "OVERLOADED",
            Self::DiskFull { .. } => "DISK_FULL",
            Self::ShuttingDown => "SHUTTING_DOWN",
            Self::Stopped => "STOPPED",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::Damaged => "DAMAGED",
            Self::Internal => "INTERNAL",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UidOutOfRange => f.write_str("a uid must be between 1 and 9223372036854775807"),
            Self::PostIdOutOfRange => f.write_str("a post id must be between 1 and 9223372036854775807"),
            Self::TextTooLong { limit } => write!(f, "a text may hold at most {limit} characters"),
            Self::TimeOutOfRange => f.write_str("the time must be after 1999 and not in the future"),
            Self::PostNotFound => f.write_str("there is no such post"),
            Self::PostDeleted => f.write_str("the post is deleted"),
            Self::PostForbidden => f.write_str("this post is not yours to see or change"),
            Self::RevisionMismatch { revision } => {
                write!(f, "the post is at revision {revision} now; read it again and repeat the change")
            }
            Self::SelfRelation => f.write_str("subject and object are the same user"),
            Self::MissingField { field } => write!(f, "the field `{field}` is required"),
            Self::InvalidField { field } => {
                write!(f, "the field `{field}` holds a value that cannot be used")
            }
            Self::BatchTooLarge { limit } => {
                write!(f, "at most {limit} items per request; send several requests")
            }
            Self::PageTooLarge { limit } => {
                write!(f, "page_size must be between 0 and {limit}; 0 means the default")
            }
            Self::TooLong { field, limit } => write!(f, "the field `{field}` may hold at most {limit} bytes"),
            Self::StaleCursor => {
                f.write_str("the page token does not belong to this list; start from the first page")
            }
            Self::InvalidToken => {
                f.write_str("the token was not issued by this product; send one exactly as received")
            }
            Self::TokenFromOtherHistory => {
                f.write_str("the token is from another history, for example from before a restore; drop it")
            }
            Self::TokenAhead => f.write_str("the store has not reached the token's position; try again"),
            Self::Trimmed => f.write_str(
                "the log no longer holds this position; rebuild from the lists, then follow from now",
            ),
            Self::LimitReached { limit } => write!(f, "the limit of {limit} is reached"),
            Self::Blocked => f.write_str("one of the two users blocks the other"),
            Self::NotAllowed => f.write_str("this is not allowed"),
            Self::IdempotencyMismatch => {
                f.write_str("this request_id was used with other parameters; use a new one for a new request")
            }
            Self::Unauthenticated => f.write_str("send a valid token as `authorization: Bearer TOKEN`"),
            Self::PermissionDenied => f.write_str("the credentials do not allow this call"),
            Self::NotFound => f.write_str("not found"),
            Self::AlreadyExists => f.write_str("this name is taken; choose another"),
            Self::ImportPositionMismatch { position } => {
                write!(f, "the import stands at position {position}; continue from there")
            }
            Self::Overloaded { retry_after_ms } => {
                write!(f, "the server is overloaded; try again in {retry_after_ms} ms")
            }
            Self::DiskFull { reserve } => {
                write!(f, "the disk is almost full: writes need {reserve} free bytes; make room, reads go on")
            }
            Self::ShuttingDown => f.write_str("the server is shutting down; try again"),
            Self::Stopped => {
                f.write_str("the store stopped after a failed disk write; see the log, then restart")
            }
            Self::DeadlineExceeded => f.write_str("the deadline passed before the answer was ready"),
            Self::Damaged => {
                f.write_str("stored data failed a check; run `guanxi verify`, or restore a backup")
            }
            Self::Internal => f.write_str("internal error; see the server's log"),
        }
    }
}

/// An error of the product: a reason for programs, and a detail for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The machine-readable reason.
    pub reason: Reason,
    /// What the reason alone does not say, such as a file's name. Shown to operators, never to callers.
    pub detail: Option<Box<str>>,
}

impl Error {
    /// An error that its reason explains fully.
    pub const fn new(reason: Reason) -> Self {
        Self { reason, detail: None }
    }

    /// An error with a detail for the operator.
    pub fn with_detail(reason: Reason, detail: impl fmt::Display) -> Self {
        Self { reason, detail: Some(detail.to_string().into_boxed_str()) }
    }

    /// The class of its reason.
    pub const fn code(&self) -> Code {
        self.reason.code()
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Self::new(reason)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}

impl std::error::Error for Error {}

/// The result of everything that can fail for a user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

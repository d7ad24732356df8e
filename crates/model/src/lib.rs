//! The words of guanxi: ids, stamps, the pair state machine, relations, events, pages, limits and errors.
//!
//! Everything here is pure. **Invariant:** this crate does no I/O, is not async, and reads no clock; time comes
//! in through [`Clock`].

mod admitted;
pub mod affinity;
pub mod audit;
pub mod bytes;
mod causes;
pub mod clock;
pub mod command;
pub mod counts;
pub mod credential;
mod digest;
pub mod error;
pub mod event;
pub mod feed;
#[cfg(test)]
mod fuzz;
pub mod group;
pub mod id;
pub mod limits;
pub mod log;
pub mod page;
pub mod pair;
pub mod plan;
pub mod position;
pub mod post;
pub mod random;
pub mod relation;
pub mod scope;
pub mod session;
pub mod stamp;
pub mod stored;
pub mod suggestion;
pub mod user;

pub use audit::{AuditCommand, AuditEntry, AuditId, AuditOutcome, AuditTarget};
pub use causes::with_causes;
pub use clock::{Clock, DAY_MS, ManualClock};
pub use command::{
    Command, FriendRequest, ImportCursor, ImportEdge, ImportRequest, MuteCommand, Outcome, PairCommand,
    PairOutcome, RequestKey, RestrictionKind, Write, check_request_id,
};
pub use counts::Counts;
pub use credential::{Credential, CredentialCommand, Principal};
pub use digest::DigestParts;
pub use error::{Code, Error, Reason, Result};
pub use event::{Change, Event};
pub use feed::{FanoutMode, FanoutPolicy, PostCursor, PostPage};
pub use group::{GroupChange, GroupCommand, GroupId, GroupOutcome, UserGroup};
pub use id::{Gene, Uid};
pub use log::{EventAt, LogId, Logs};
pub use page::{Cursor, Edge, EdgePage, List, Page, PageStart};
pub use pair::{
    Direction, GuardedCount, MuteScope, MuteTerms, Op, PairEnd, PairEndKind, PairInputs, PairState,
    PastRequest, RelationRequest, RequestDirection, RequestKind,
};
pub use position::{HistoryId, LogMark, Position};
pub use post::{Post, PostHeader, PostId, Visibility};
pub use relation::{Relation, RelationState};
pub use scope::{Scope, Scopes};
pub use session::{
    Login, NewSession, Refresh, Refreshed, ReplacedSecrets, Rotation, Session, SessionCommand, SessionCursor,
    SessionKey, SessionOutcome, SessionPage, SessionSecrets,
};
pub use stamp::{Hlc, Stamp};
pub use user::{ExternalId, LoginName, User};

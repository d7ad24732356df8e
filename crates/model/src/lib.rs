//! The words of guanxi: ids, stamps, the pair state machine, relations, events, pages, limits and errors.
//!
//! Everything here is pure. **Invariant:** this crate does no I/O, is not async, and reads no clock; time comes
//! in through [`Clock`].
//!
//! # What it is not
//!
//! - It is no store. `guanxi-embedded` keeps rows on one machine, `guanxi-cluster` in PostgreSQL.
//! - It is no layout of rows. `guanxi-rows` has their keys and values.
//! - It normalises no text. Names and contacts are here in their stored form, which `guanxi-texts` makes.
//! - It puts no page together. `guanxi-centers` does, over the traits of `guanxi-ports`.
//!
//! # Main types
//!
//! - [`Uid`] and [`PostId`] are checked when they are made. The [`Gene`] of a user is the low 8 bits of its id.
//! - A [`Write`] has one or several [`Command`]s, and each of them has an [`Outcome`].
//! - An [`Op`] is what one user does to another. [`pair::RULES`] says what it changes in their [`PairState`].
//! - A [`plan::Planner`] decides a write over the rows of a [`plan::State`].
//! - An [`Event`] is an entry of a log. A [`Position`] says for each log up to which event it is known.
//! - An [`Error`] has a [`Reason`] from one closed list. [`limits`] has every bound.
//!
//! # Example
//!
//! A follow changes one thing between two strangers. It is refused while either of them blocks the other.
//!
//! ```
//! use guanxi_model::pair::{Effect, decide};
//! use guanxi_model::{Direction, Op, PairInputs, PairState, Reason};
//!
//! let strangers = PairState::default();
//! let decision = decide(strangers, Op::Follow, &PairInputs::default());
//! assert_eq!(decision.result, Ok(true));
//! assert_eq!(decision.effects, [Effect::Follow]);
//! assert!(decision.state.forward.follows);
//!
//! let blocks = Direction { blocks: true, ..Direction::default() };
//! let blocked = PairState { backward: blocks, ..strangers };
//! let decision = decide(blocked, Op::Follow, &PairInputs::default());
//! assert_eq!(decision.result, Err(Reason::Blocked));
//! ```
//!
//! # Where to begin
//!
//! - `pair/table.rs`: what does an operation on another user change, and when is it refused?
//! - `plan/mod.rs`: how does a write become changes of rows?
//! - `position/mod.rs`: when does one position include another?
//! - `limits.rs`: how much of each thing may there be, and why?

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
mod kinds;
pub mod limits;
pub mod log;
pub mod page;
pub mod pair;
pub mod plan;
pub mod position;
pub mod post;
pub mod random;
pub mod relation;
mod request_key;
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
    PairOutcome, RestrictionKind, Write,
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
pub use request_key::{RequestId, RequestKey, check_request_id};
pub use scope::{Scope, Scopes};
pub use session::{
    Login, NewSession, Refresh, Refreshed, ReplacedSecrets, Rotation, Session, SessionCommand, SessionCursor,
    SessionKey, SessionOutcome, SessionPage, SessionSecrets,
};
pub use stamp::{Hlc, Stamp};
pub use user::{ExternalId, LoginName, User};

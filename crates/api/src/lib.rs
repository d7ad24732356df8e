//! The API: proto to model, who may call what, limits, and one mapping of errors.
//!
//! [`main_router`] and [`admin_router`] make what the two listeners serve, [`pages_router`] the pages of the second one
//! without calls, [`serve`] runs one of them until it is told to stop. **Invariant:** only this crate knows proto and JSON.
//!
//! # The way of a call
//!
//! 1. `server.rs` accepts the connection, over TLS (`tls/`) if the listener has a certificate.
//! 2. `router/` resolves the caller from the head of the request (`auth.rs`), before a slot is taken (`load/`) and before the body is
//!    read. A protocol error that no handler sees gets its reason in `transport.rs`.
//! 3. `guard.rs` checks the rule of the call (`rules/`) and replaces external ids by uids (`external_ids/`).
//! 4. A handler parses, calls a center and converts the answer (`relation/`, `post/`, `feed/`, `user/`, `search/`, `admin/`).
//!
//! `events/` makes server-sent events of streams, and `ticket.rs` opens them to browsers. `revocations.rs` and `ending.rs` end
//! streams with their credentials. `index/` lets the processes of a cluster ask each other's search indexes. `admin_client/` calls
//! a running server for the verbs of operators.
//!
//! # Security
//!
//! - **Principals** are end users, services with named scopes, and the admin, who is accepted on the admin listener only.
//! - **Tokens** are opaque, have 256 bits, and are stored as SHA-256 only. A token of an end user is a secret of a session; tokens of
//!   services and operators are credentials.
//! - **Secrets of sessions.** A session that an operator made has one permanent secret: `gxs_`, the gene of its user in two hex digits,
//!   43 characters of base64url. A login has an access secret (`gxs_`) and a refresh secret (`gxr_`). Each has the gene, then 22
//!   characters that all secrets of the login share, then 43 that differ. The hash of the shared part is the session's id.
//! - **A refresh** replaces both secrets in one commit. The new ones follow, by HMAC, from the refresh secret that was given and a nonce
//!   that is stored. So a repeat within 30 seconds returns them again, and the store alone, or an old secret alone, is not enough.
//!   A refresh secret that comes later is in two hands, and ends the session.
//! - **A JWT** of a configured issuer is a session that the issuer keeps (`jwt/`). Its signature is verified before a claim is read, each
//!   key is for one algorithm, and the store is not asked. Signing out everywhere, a new password, deactivation and a takedown end the
//!   JWTs that were issued before; the backend has these times in memory (`EndedUsers`). A time is forgotten once no token issued
//!   before it is alive. The last forgotten time holds for all users, so a longer life, set later, revives no token.
//! - **Listeners.** On an address that is not loopback, `--no-auth` is refused, and so is a listener without TLS unless
//!   `behind_proxy` says that a proxy speaks TLS. A changed certificate holds for new connections.
//! - Secrets appear in no log and no metric. A block is never visible to the other side (`viewer.rs` of the centers).

#![allow(
    refining_impl_trait,
    reason = "handlers name the message they answer; the trait says `impl Encodable`"
)]

mod admin;
pub mod admin_client;
mod admission;
mod answer;
mod asked_body;
mod auth;
mod begun;
mod caller;
mod calls;
pub mod client_side;
mod convert;
mod cors;
mod der;
mod ending;

mod error;
mod events;
mod external_ids;
mod feed;
mod files;
mod guard;
#[cfg(test)]
mod hostile_tokens;
mod idle;
mod index;
mod jwt;
mod let_in;
pub mod limits;
mod load;
mod meters;
mod numbers;
mod page_token;
mod pages;
mod peer;
mod post;
mod rates;
mod refusal;
mod relation;
mod request;
mod revocations;
mod router;
pub mod rules;
mod search;
mod server;
mod ticket;
mod timed_body;
mod timed_write;
mod tls;
mod transport;
mod unreadable;
mod user;

pub use asked_body::AskedBody;
pub use auth::{Authenticator, StoredTokens, hash_token, mint_token};
pub use calls::{
    CallEnd, CallOptions, CallSpan, SlowCalls, TaggedBody, TraceContext, TraceId, Tracer, pass_on,
};
pub use cors::Origins;
// What the command line calls servers with, which knows no proto.
pub use guanxi_proto::{Client, ClientOptions, ClientTls, JsonAnswers, JsonError, TlsProblem, Transport};
pub use index::{IndexParts, IndexSeal, ReplicaSearch, serve_index};
pub use jwt::{
    ExternalSubjects, JwksUrl, Jwt, JwtError, JwtRules, JwtSources, Subject, SubjectUids, Subjects,
};
pub use load::{Load, LoadBounds};
pub use page_token::PageTokens;
pub use pages::{Ready, RenderMetrics};
pub use peer::{CallerAddress, TrustedProxies};
pub use rates::{Budgets, RATE_MAX, RateLimits};
pub use revocations::Revocations;
pub use router::{Answering, Options, Router, admin_router, main_router, pages_router};
pub use rules::Registrants;
pub use server::{ConnectionBounds, ListenerOptions, Served, serve};
pub use ticket::Tickets;
pub use tls::{Tls, TlsError, TlsFiles};
pub use transport::{Addresses, Endpoint};
pub use user::export::ExportLine;

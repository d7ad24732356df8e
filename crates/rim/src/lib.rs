//! The rim: from bytes to calls. It accepts connections, over TLS or not, and reads requests within bounds of time and size.
//! It authenticates the caller, lets a call in or refuses it, and hands it to the services that it is given.
//!
//! A [`Router`] is what a listener serves: [`ListenerCalls`] are its services behind a table of [`rules`], and [`serve`] runs it
//! until it is told to stop. Which services there are, and what the rules say, is of the crate above.
//! **Invariant:** only this crate and the API know proto and JSON.
//!
//! # What it is not
//!
//! - It is not the API. Which calls there are, who may call them, and what they do, is in `guanxi-api`.
//! - It decides nothing about users and posts. `guanxi-centers` does.
//! - It opens no store and reads no configuration. `guanxi-server` does, and makes the [`RouterOptions`].
//!
//! # Main types
//!
//! - A [`Router`] is what a listener serves, as [`RouterOptions`] say. [`serve`] runs it.
//! - A [`rules::CallTable`] has a [`rules::Rule`] for each call: which [`rules::Access`] it asks for, and which budget
//!   pays it.
//! - An [`Authenticator`] makes a [`Caller`] of a bearer token. [`Jwt`] verifies the tokens of other issuers.
//! - [`Load`] bounds calls and streams, [`Budgets`] what a caller may ask for in a time.
//! - [`in_process`] is a client of services without a listener, for operators.
//!
//! # Example
//!
//! A table of rules, and a token of which only the hash is stored.
//!
//! ```
//! use guanxi_model::{Principal, Scope};
//! use guanxi_rim::rules::{Access, Budget, CallTable, Methods, PasswordUse, Rule};
//! use guanxi_rim::{hash_token, mint_token};
//!
//! const READ: Rule = Rule {
//!     path: "example.v1.NoteService/Read",
//!     access: Access::User(Scope::PostRead),
//!     own: Some("viewer"),
//!     budget: Budget::Reads,
//!     password: PasswordUse::No,
//! };
//! const RULES: &[Rule] = &[
//!     READ,
//!     Rule { path: "example.v1.AdminService/Purge", access: Access::Admin, own: None, ..READ },
//! ];
//!
//! let methods = Methods::new(&CallTable { rules: RULES, events: &[] });
//! assert_eq!(methods.find(READ.path).map(|method| method.rule.access), Some(READ.access));
//! // A call without a rule is refused.
//! assert!(methods.find("example.v1.NoteService/Write").is_none());
//!
//! let token = mint_token(&Principal::Admin, [7; 32]);
//! assert!(token.text.starts_with("gx_"));
//! assert_eq!(token.hash, hash_token(&token.text));
//! ```
//!
//! # Where to begin
//!
//! - `rules.rs`: what does a rule say?
//! - `router/enter.rs` and `router/guard.rs`: in which order is a call let in?
//! - `server.rs`: what bounds a connection?
//! - `errors/mod.rs`: how does an error look on the wire?
//!
//! # The way of a call
//!
//! 1. `server.rs` accepts the connection, over TLS (`tls/`) if the listener has a certificate.
//! 2. `router/` resolves the caller from the head of the request (`auth.rs`), before a slot is taken (`load/`) and before the body is
//!    read. A protocol error that no handler sees gets its reason in `errors/transport.rs`.
//! 3. `router/guard.rs` checks the rule of the call, from the table that the API hands over.
//! 4. The API replaces external ids by uids, and a handler parses, calls a center and converts the answer.
//!
//! `events/` makes server-sent events of streams, and `ticket.rs` opens them to browsers. `revocations.rs` and `ending.rs` end
//! streams with their credentials.
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

mod admission;
mod answer;
mod asked_body;
mod auth;
mod begun;
mod caller;
mod calls;
mod cors;
mod der;
mod desk;
mod ending;
pub mod errors;
mod events;
mod files;
#[cfg(test)]
mod hostile_tokens;
mod hosts;
mod idle;
mod in_process;
mod jwt;
pub mod limits;
mod listener;
mod load;
mod meters;
mod pages;
mod peer;
mod rates;
mod revocations;
mod router;
pub mod rules;
mod server;
mod ticket;
mod timed_body;
mod timed_write;
mod tls;
mod unreadable;

pub use asked_body::AskedBody;
pub use auth::{Authenticator, StoredTokens, hash_token, mint_token};
pub use caller::{Caller, Proof, optional, required};
pub use calls::{
    CallEnd, CallOptions, CallSpan, SlowCalls, TaggedBody, TraceContext, TraceId, Tracer, pass_on,
};
pub use cors::Origins;
pub use desk::{Codes, Desk, Operator, OperatorCalls};
pub use events::IDS_HEADER;
pub use hosts::Hosts;
pub use in_process::in_process;
pub use jwt::{
    ExternalSubjects, JwksUrl, Jwt, JwtError, JwtProof, JwtRules, JwtSources, Subject, SubjectUids, Subjects,
};
pub use listener::{Addresses, Endpoint, Listener};
pub use load::{Load, LoadBounds};
pub use pages::{Readiness, Ready, RenderMetrics};
pub use peer::{CallerAddress, TrustedProxies};
pub use rates::{Budgets, RATE_MAX, ROWS_PER_CALL, RateLimits, neighbours};
pub use revocations::Revocations;
pub use router::{Answering, ListenerCalls, Router, RouterOptions, caller, rule};
pub use server::{ConnectionBounds, ListenerOptions, Served, serve};
pub use ticket::Tickets;
pub use tls::{Tls, TlsError, TlsFiles};

//! The API: proto to model, who may call what, limits, and one mapping of errors.
//!
//! [`main_router`] and [`admin_router`] make what the two listeners serve, [`pages_router`] what is left of the second
//! without calls, [`serve`] runs one of them until it is told to stop. **Invariant:** only this crate knows proto and JSON.

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
mod errors;
mod events;
mod external_ids;
mod feed;
mod files;
mod guard;
#[cfg(test)]
mod hostile_tokens;
mod idle;
mod index;
mod item_errors;
mod jwt;
mod let_in;
pub mod limits;
mod listener;
mod load;
mod meters;
mod numbers;
mod page_token;
mod pages;
mod peer;
mod post;
mod rates;
mod relation;
mod request;
mod revocations;
mod router;
mod rule;
pub mod rules;
mod search;
mod server;
mod services;
mod ticket;
mod timed_body;
mod timed_write;
mod tls;
mod translate;
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
pub use listener::{Addresses, Endpoint};
pub use load::{Load, LoadBounds};
pub use page_token::PageTokens;
pub use pages::{Ready, RenderMetrics};
pub use peer::{CallerAddress, TrustedProxies};
pub use rates::{Budgets, RATE_MAX, RateLimits};
pub use revocations::Revocations;
pub use router::{Answering, Router};
pub use rule::Registrants;
pub use server::{ConnectionBounds, ListenerOptions, Served, serve};
pub use services::{Options, admin_router, main_router, pages_router};
pub use ticket::Tickets;
pub use tls::{Tls, TlsError, TlsFiles};
pub use user::export::ExportLine;

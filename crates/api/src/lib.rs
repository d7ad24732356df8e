//! The API: from calls to the centers and back, who may call what, and the ids that callers use.
//!
//! [`main_router`] and [`admin_router`] make what the two listeners serve, [`pages_router`] what is left of the second
//! without calls, [`serve`] runs one of them until it is told to stop. From bytes to calls is `guanxi-rim`.
//! **Invariant:** only that crate and this one know proto and JSON.

#![allow(
    refining_impl_trait,
    reason = "handlers name the message they answer; the trait says `impl Encodable`"
)]

mod admin;
pub mod admin_client;
pub mod client_side;
mod convert;
mod external_ids;
mod feed;
mod index;
mod item_errors;
pub mod limits;
mod numbers;
mod page_token;
mod post;
mod relation;
mod request;
pub mod rules;
mod search;
mod services;
mod translate;
mod user;

// What the command line calls servers with, which knows no proto.
pub use guanxi_proto::{Client, ClientOptions, ClientTls, JsonAnswers, JsonError, TlsProblem, Transport};
// What the wiring makes listeners of.
pub use guanxi_rim::{
    Addresses, Answering, AskedBody, Authenticator, Budgets, CallEnd, CallOptions, CallSpan, CallerAddress,
    ConnectionBounds, Endpoint, ExternalSubjects, JwksUrl, Jwt, JwtError, JwtRules, JwtSources,
    ListenerOptions, Load, LoadBounds, Origins, RATE_MAX, RateLimits, Ready, RenderMetrics, Revocations,
    Router, RouterOptions, Served, SlowCalls, StoredTokens, Subject, SubjectUids, Subjects, TaggedBody,
    Tickets, Tls, TlsError, TlsFiles, TraceContext, TraceId, Tracer, TrustedProxies, hash_token, mint_token,
    pass_on, serve,
};
pub use index::{IndexParts, IndexSeal, ReplicaSearch, serve_index};
pub use page_token::PageTokens;
pub use rules::Registrants;
pub use services::{Options, admin_router, main_router, pages_router};
pub use user::export::ExportLine;

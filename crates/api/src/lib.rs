//! The API: from calls to the centers and back, who may call what, and the ids that callers use.
//!
//! [`main_router`] and [`admin_router`] make what the two listeners serve, [`pages_router`] what is left of the second
//! without calls, [`serve`] runs one of them until it is told to stop. From bytes to calls is `guanxi-rim`.
//! **Invariant:** only that crate and this one know proto and JSON.
//!
//! # What it is not
//!
//! - It accepts no connections and reads no tokens. `guanxi-rim` does.
//! - It has no rules of the product. `guanxi-centers` has; a handler parses, calls one center and converts its answer.
//! - It does not define the messages. The folder `proto/` does, and `guanxi-proto` has their code.
//! - It is no program. `guanxi-server` gives it a store, settings and ports.
//!
//! # Main types
//!
//! - [`rules::RULES`] is the table of all calls, and [`rules::Access`] says who may make one.
//! - [`main_router`] serves `RelationService`, `PostService`, `FeedService`, `UserService` and `SearchService`;
//!   [`admin_router`] `AdminService`.
//! - [`Options`] are of both. [`PageTokens`] seals the places in lists that callers get.
//! - [`admin_client`] calls AdminService in the words of the model, at the admin listener or in this process. [`client_side`] has the
//!   parts of such clients.
//!
//! # Example
//!
//! Who may call Follow?
//!
//! ```
//! use guanxi_api::rules::{Access, Budget, RULES};
//! use guanxi_model::Scope;
//!
//! let follow = RULES.iter().find(|rule| rule.path == "guanxi.v1.RelationService/Follow");
//! let follow = follow.expect("every call has a rule");
//! // An end user, or a service with this scope.
//! assert_eq!(follow.access, Access::User(Scope::RelationWrite));
//! // An end user may give only itself in this field.
//! assert_eq!(follow.own, Some("subject"));
//! assert_eq!(follow.budget, Budget::Follows);
//! ```
//!
//! # Where to begin
//!
//! - `rules/mod.rs`: who may call what?
//! - `relation/write.rs`: what does a handler do?
//! - `services.rs`: what does each listener serve?
//! - `translate.rs`: how do ids of another product become uids?

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
pub mod overview;
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
    Codes, ConnectionBounds, Desk, Endpoint, ExternalSubjects, Hosts, JwksUrl, Jwt, JwtError, JwtRules,
    JwtSources, ListenerOptions, Load, LoadBounds, Origins, RATE_MAX, RateLimits, Readiness, Ready,
    RenderMetrics, Revocations, Router, RouterOptions, Served, SlowCalls, StoredTokens, Subject, SubjectUids,
    Subjects, TaggedBody, Tickets, Tls, TlsError, TlsFiles, TraceContext, TraceId, Tracer, TrustedProxies,
    hash_token, mint_token, pass_on, serve,
};
pub use index::{IndexParts, IndexSeal, ReplicaSearch, serve_index};
pub use page_token::PageTokens;
pub use rules::Registrants;
pub use services::{AdminPages, Options, admin_router, main_router, pages_router};
pub use user::export::ExportLine;

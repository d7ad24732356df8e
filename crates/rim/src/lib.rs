//! The rim: from bytes to calls. It accepts connections, over TLS or not, reads requests within bounds of time and size,
//! asks who calls, lets a call in or refuses it, and hands it to the services that it is given.
//!
//! A [`Router`] is what a listener serves: [`ListenerCalls`] are its services behind a table of [`rules`], and [`serve`] runs it
//! until it is told to stop. Which services there are, and what the rules say, is of the crate above.
//! **Invariant:** only this crate and the API know proto and JSON.

mod admission;
mod answer;
mod asked_body;
mod auth;
mod begun;
mod caller;
mod calls;
mod cors;
mod der;
mod ending;
pub mod errors;
mod events;
mod files;
#[cfg(test)]
mod hostile_tokens;
mod idle;
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
pub use events::IDS_HEADER;
pub use jwt::{
    ExternalSubjects, JwksUrl, Jwt, JwtError, JwtProof, JwtRules, JwtSources, Subject, SubjectUids, Subjects,
};
pub use listener::{Addresses, Endpoint, Listener};
pub use load::{Load, LoadBounds};
pub use pages::{Ready, RenderMetrics};
pub use peer::{CallerAddress, TrustedProxies};
pub use rates::{Budgets, RATE_MAX, ROWS_PER_CALL, RateLimits, neighbours};
pub use revocations::Revocations;
pub use router::{Answering, ListenerCalls, Router, RouterOptions, caller, rule};
pub use server::{ConnectionBounds, ListenerOptions, Served, serve};
pub use ticket::Tickets;
pub use tls::{Tls, TlsError, TlsFiles};

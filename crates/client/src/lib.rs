//! A client of the guanxi API that does what every program that calls it would have to do.
//!
//! - Calls are typed: [`ApiClient::call`] takes a request and returns its answer.
//! - A call that the server had no time for is repeated after a pause, with a `request_id` for writes, so that none
//!   happens twice.
//! - Reads see the client's own writes: the tokens of answers are carried along, and can be handed to another client.
//! - A login is refreshed before it ends, once for all calls at the same time.
//! - Streams go on where they were after a break.
//! - Ids of another product are changed for uids in batches, and kept: [`ApiClient::uids_of`].
//!
//! Time and randomness are given to it, in [`Surroundings`].
//!
//! # What it is not
//!
//! - It is not the generated code. `guanxi-proto` has that, and a plain client.
//! - It is not for operators. The command line calls the admin API by the `admin_client` of `guanxi-api`.
//! - Clients in other languages are in the folder `clients/`.
//!
//! # Main types
//!
//! - [`ApiClient`] is made with [`ApiOptions`]; its clones share what they have seen.
//! - An [`ApiCall`] is a request that it can send. [`StreamCall`] and [`Resumed`] are streams that go on after a break.
//! - A [`RetryPolicy`] says when a call is repeated, a [`CallError`] why it failed.
//! - [`SessionTokens`] are the secrets of a login.
//!
//! # Example
//!
//! This program is `examples/rust/main.rs`, and a test of this crate runs it.
//!
#![doc = "```no_run,standalone_crate"]
#![doc = include_str!("../examples/main.rs")]
#![doc = "```"]
//!
//! # Where to begin
//!
//! - `api_client.rs`: what can a client do?
//! - `retry.rs`: which calls are repeated, and after which pause?
//! - `positions.rs`: how does a client see its own writes?
//! - `session.rs`: when is a login refreshed?

mod api_client;
mod call;
mod dictionary;
mod error;
mod external_ids;
mod positions;
mod retry;
mod session;
mod stream;

pub use api_client::{ApiClient, ApiOptions};
pub use call::{ApiCall, CallKind};
pub use dictionary::EXTERNAL_IDS_KEPT;
pub use error::CallError;
pub use guanxi_proto::{ClientTls, Wire, v1};
pub use positions::POSITIONS_MAX;
pub use retry::{RetryPolicy, Surroundings};
pub use session::SessionTokens;
pub use stream::{Resumed, StreamCall};

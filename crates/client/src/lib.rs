//! A client of the guanxi API that does what every program that calls it would have to do.
//!
//! - Calls are typed: [`ApiClient::call`] takes a request and returns its answer.
//! - What the server had no time for is repeated after a pause, with a `request_id` for writes, so that none happens twice.
//! - Reads see the client's own writes: the tokens of answers are carried along, and can be handed to another client.
//! - A login is refreshed before it ends, once for all calls at the same time.
//! - Streams go on where they were after a break.
//! - Ids of another product are changed for uids in batches, and kept: [`ApiClient::uids_of`].
//!
//! Time and randomness are given to it, in [`Surroundings`].

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

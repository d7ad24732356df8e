//! The ports over the API: a backend that is somewhere else.
//!
//! It lets the conformance suite run through the whole of the wire. [`Remote::cannot`] names what the API cannot express.
//!
//! # What it is not
//!
//! - It is no backend for a product, and no client for other programs. `guanxi-client` is that client.
//! - It is not the suite. `guanxi-spec` has it; the tests of `guanxi-api` and of the binary run it over a [`Remote`].
//! - It starts no server. Each test does.
//!
//! # Main types
//!
//! - [`Remote`] implements the traits of `guanxi-ports` by calls of the main and the admin listener.
//! - [`PAGE_KEY`] is the key of page tokens that the server under test must have.
//!
//! # Example
//!
//! ```no_run,standalone_crate
//! use guanxi_model::Uid;
//! use guanxi_ports::Store as _;
//! use guanxi_proto::{Client, ClientOptions};
//! use guanxi_remote::Remote;
//! use std::error::Error;
//!
//! async fn followers(uid: Uid) -> Result<u64, Box<dyn Error>> {
//!     let client = |port: u16| Client::new(&ClientOptions::new(format!("http://127.0.0.1:{port}")));
//!     let remote = Remote::connect(client(7420)?, client(7421)?).await.map_err(|_| "no server answers")?;
//!     // It looks like any store, and every question is a call.
//!     let view = remote.view(None).await?;
//!     Ok(view.counts(&[uid]).await?[0].followers)
//! }
//! ```
//!
//! # Where to begin
//!
//! - [`Remote::cannot`]: what can the API not express, and why?
//! - `facts.rs`: which call is a write?
//! - `questions/mod.rs`: which call is a question?
//! - `places.rs`: how does a test make a page token?

mod admin;
mod external_ids;
mod facts;
mod followed;
mod graph;
mod groups;
mod log;
mod places;
mod post_view;
mod posts;
mod questions;
mod requests;
mod suggestions;
mod users;
mod view;

use std::sync::{Arc, Mutex, PoisonError};

use guanxi_api::admin_client::{NotConnected, OperatorClient};
use guanxi_api::client_side::{broken, call};
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::BoxFuture;
use guanxi_proto::Client;
use guanxi_spec::conformance::{Backend, Need};
use tokio::runtime::Handle;

pub use places::PAGE_KEY;

/// A running server, through its two doors.
pub struct Remote {
    main: Client,
    admin: OperatorClient,
    /// The last position that was answered: what is known of the log's head.
    head: Mutex<Position>,
    /// For the operator's tasks, whose ports block.
    runtime: Handle,
}

impl Remote {
    /// Connects to both listeners of a server.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the token.
    pub async fn connect(main: Client, admin: Client) -> Result<Self, NotConnected> {
        let admin = OperatorClient::connect(admin).await?;
        let head = Mutex::new(graph::position_at(&main, String::new()).await.map_err(NotConnected::Call)?);
        Ok(Self { main, admin, head, runtime: Handle::current() })
    }

    /// Connects to both listeners of a server, as the backend of the conformance suite.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the token.
    pub async fn backend(main: Client, admin: Client) -> Result<Backend, NotConnected> {
        let remote = Arc::new(Self::connect(main, admin).await?);
        Ok(Backend { cannot: Self::cannot(), ..Backend::without_sessions(remote) })
    }

    /// Returns what the API does not tell, or not as the ports ask it, with the reasons.
    fn cannot() -> Vec<(Need, &'static str)> {
        vec![
            (Need::PinnedViews, "each read of the API stands by itself, at least as new as its token"),
            (Need::MixedBatches, "a batch of the API is of one operation of one user"),
            (Need::OffsetsEverywhere, "only ListFollowing and ListFriends take an offset"),
            (Need::Credentials, "the server makes the secrets of its tokens itself"),
            (Need::Audit, "the server writes what operators do by itself"),
            (Need::Sessions, "sessions are made by logging in, and the API shows no hashes"),
            (Need::Accounts, "accounts are made with passwords, which the server alone hashes"),
            (Need::EndUsers, "the suite asks as a service, which is told of every edge"),
            (Need::ContactSteps, "the API binds a contact in one call"),
            (Need::Outboxes, "the API shows posts to readers: neither outboxes nor what a deleted post was"),
            (Need::Affinity, "the API takes interactions, and makes scores of them by itself"),
            (Need::Traces, "the API has no pages of what only an erasure asks"),
            (Need::Ends, "the server ends by itself what has an end"),
        ]
    }

    /// Notes the position of an answer.
    fn saw(&self, token: &str) -> Result<Position> {
        Ok(self.saw_position(Position::from_token(token)?))
    }

    fn saw_position(&self, position: Position) -> Position {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).join(&position);
        position
    }

    /// The last position that was answered.
    fn known_head(&self) -> Position {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns what the API does not tell.
pub(crate) fn untold<T>(what: &str) -> BoxFuture<'static, Result<T>>
where
    T: Send + 'static,
{
    Box::pin(std::future::ready(Err(Error::with_detail(
        Reason::Internal,
        format_args!("the API does not tell {what}"),
    ))))
}

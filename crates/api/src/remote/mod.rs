//! The ports over the API: a backend that is somewhere else.
//!
//! It lets the conformance suite run through the whole of the wire.
//! What the API cannot express: a view that stands still while writes go on (each read is at least as new as the
//! view's position), batches of mixed operations, offsets into unbounded lists, finding a credential by its hash, what
//! a deleted post was, and what only home timelines are made of (viewer's relations, outboxes, seen marks).

mod admin;
mod external_ids;
mod facts;
mod followed;
mod graph;
mod groups;
mod log;
mod post_view;
mod posts;
mod requests;
mod settings;
mod suggestions;
mod users;
mod view;

use std::sync::{Mutex, PoisonError};

use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::BoxFuture;
use guanxi_proto::Client;
use tokio::runtime::Handle;

use crate::admin_client::{NotConnected, OperatorClient};
use crate::client_side::{broken, call};

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

/// What the API does not tell.
pub(super) fn untold<T>(what: &str) -> BoxFuture<'static, Result<T>>
where
    T: Send + 'static,
{
    Box::pin(std::future::ready(Err(Error::with_detail(
        Reason::Internal,
        format_args!("the API does not tell {what}"),
    ))))
}

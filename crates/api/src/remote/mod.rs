//! The ports over the API: a backend that is somewhere else.
//!
//! It lets the conformance suite run through the whole of the wire, and operators' verbs work on a running server.
//! What the API cannot express: a view that stands still while writes go on (each read is at least as new as the
//! view's position), batches of mixed operations, offsets into unbounded lists, finding a credential by its hash, what
//! a deleted post was, and what only home timelines are made of (viewer's relations, outboxes, seen marks).

mod admin;
mod export;
mod external_ids;
mod facts;
mod feed;
mod followed;
mod graph;
mod groups;
mod log;
mod methods;
mod post_view;
mod posts;
mod requests;
mod settings;
mod suggestions;
mod users;
mod view;

pub use guanxi_proto::{
    Client, ClientOptions, ClientTls, JsonAnswers, JsonError, TlsProblem, Transport, Wire,
};
pub use methods::{ApiMethod, methods};

use std::sync::{Mutex, PoisonError};

use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::BoxFuture;
use guanxi_proto::{ConnectError, v1};
use tokio::runtime::Handle;

use crate::error::{from_wire, is_tls_required};

/// A running server, through its two doors.
pub struct Remote {
    main: Option<Client>,
    admin: Option<Client>,
    /// The last position that was answered: what is known of the log's head.
    head: Mutex<Position>,
    /// For the operator's tasks, whose ports block.
    runtime: Handle,
}

impl Remote {
    /// Connects to a server. Either listener may be missing; calls that need it are then refused.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the token.
    pub async fn connect(main: Option<Client>, admin: Option<Client>) -> Result<Self, NotConnected> {
        let token = match (&main, &admin) {
            (_, Some(admin)) => first(admin.admin().stats(v1::StatsRequest::default()).await)?.token,
            (Some(main), None) => {
                let request = v1::GetCountsRequest { uid: 1, ..Default::default() };
                first(main.relation().get_counts(request).await)?.token
            }
            (None, None) => {
                return Err(Error::with_detail(Reason::Internal, "no address was given").into());
            }
        };
        let head = Mutex::new(Position::from_token(&token)?);
        Ok(Self { main, admin, head, runtime: Handle::current() })
    }

    fn main(&self) -> Result<&Client> {
        self.main
            .as_ref()
            .ok_or_else(|| Error::with_detail(Reason::Internal, "this needs the main listener's address"))
    }

    fn operator(&self) -> Result<&Client> {
        self.admin
            .as_ref()
            .ok_or_else(|| Error::with_detail(Reason::Internal, "this needs the admin listener's address"))
    }

    /// Notes the position of an answer.
    fn saw(&self, token: &str) -> Result<Position> {
        let position = Position::from_token(token)?;
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        head.join(&position);
        Ok(position)
    }

    /// The last position that was answered.
    fn known_head(&self) -> Position {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Why there is no server to call.
#[derive(Debug, thiserror::Error)]
pub enum NotConnected {
    /// Client and server did not come to speak.
    #[error("{0}")]
    Tls(TlsProblem),
    /// The first call failed.
    #[error("{0}")]
    Call(Error),
}

impl From<Error> for NotConnected {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

/// The answer of the first call to a server.
fn first<V>(
    result: Result<connectrpc::UnaryResponse<buffa::OwnedView<V>>, ConnectError>,
) -> Result<V::Owned, NotConnected>
where
    V: buffa::view::MessageView<'static> + buffa::view::ViewReborrow + Send + Sync,
{
    if let Err(error) = &result {
        let problem = is_tls_required(error).then_some(TlsProblem::ServerIsTls);
        if let Some(problem) = problem.or_else(|| TlsProblem::of(error)) {
            return Err(NotConnected::Tls(problem));
        }
    }
    Ok(call(result)?)
}

/// The answer of a call, or its error as the model has it.
fn call<V>(result: Result<connectrpc::UnaryResponse<buffa::OwnedView<V>>, ConnectError>) -> Result<V::Owned>
where
    V: buffa::view::MessageView<'static> + buffa::view::ViewReborrow + Send + Sync,
{
    match result {
        Ok(response) => Ok(response.into_owned()),
        Err(error) => Err(from_wire(&error)),
    }
}

/// An answer that is not as the API promises.
fn broken(what: &str) -> Error {
    Error::with_detail(Reason::Internal, format_args!("the server's answer has {what}"))
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

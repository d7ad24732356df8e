//! AdminService in the words of the model: what operators' verbs ask of a running server, or of a store that their own process
//! has opened.

mod audit;
mod exports;
mod external_ids;
mod feed;
mod imports;
mod settings;
mod takedowns;
mod tokens;
mod upkeep;

pub use guanxi_centers::operator::AuditFilter;

use std::sync::Arc;

use guanxi_centers::operator::OperatorCenter;
use guanxi_model::{Error, Position, Principal};
use guanxi_proto::{Client, ConnectError, TlsProblem, v1};
use guanxi_rim::Caller;
use guanxi_rim::errors::{from_wire, is_tls_required};

use crate::admin::AdminApi;
use crate::rules::METHODS;

/// The operator's calls: of a running server, through its admin listener, or of this process.
#[derive(Clone)]
pub struct OperatorClient(Client);

impl OperatorClient {
    /// Connects to the admin listener of a server.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the token.
    pub async fn connect(client: Client) -> Result<Self, NotConnected> {
        match client.admin().stats(v1::StatsRequest::default()).await {
            Ok(_) => Ok(Self(client)),
            Err(error) => Err(NotConnected::of(&error)),
        }
    }

    /// The calls of a store that this process has opened. They leave no entry in the audit log.
    pub fn in_process(operator: OperatorCenter) -> Self {
        let services = v1::AdminServiceServer::new(AdminApi::in_process(operator));
        Self(guanxi_rim::in_process(&METHODS, Arc::new(services), Caller::anybody(Principal::Admin)))
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

impl NotConnected {
    fn of(error: &ConnectError) -> Self {
        let problem = is_tls_required(error).then_some(TlsProblem::ServerIsTls);
        match problem.or_else(|| TlsProblem::of(error)) {
            Some(problem) => Self::Tls(problem),
            None => Self::Call(from_wire(error)),
        }
    }
}

/// The token of a position that answers must include.
fn token(at_least: Option<&Position>) -> String {
    at_least.map_or_else(String::new, Position::to_token)
}

//! Taking posts and users down, and reinstating them.

use super::Target;
use guanxi_model::{PostId, Result, Uid};
use guanxi_ports::Revised;

impl Target {
    /// Takes a post down.
    pub(in crate::cli) async fn take_down_post(&self, id: PostId, reason: String) -> Result<Revised<PostId>> {
        match self {
            Self::Data(operator) => operator.take_down_post(id, reason).await,
            Self::Server(server) => server.take_down_post(id, reason).await,
        }
    }

    /// Ends that a post is taken down.
    pub(in crate::cli) async fn reinstate_post(&self, id: PostId) -> Result<Revised<PostId>> {
        match self {
            Self::Data(operator) => operator.reinstate_post(id).await,
            Self::Server(server) => server.reinstate_post(id).await,
        }
    }

    /// Takes a user down, and ends its sessions.
    pub(in crate::cli) async fn take_down_user(&self, uid: Uid, reason: String) -> Result<Revised<Uid>> {
        match self {
            Self::Data(operator) => operator.take_down_user(uid, reason).await,
            Self::Server(server) => server.take_down_user(uid, reason).await,
        }
    }

    /// Ends that a user is taken down.
    pub(in crate::cli) async fn reinstate_user(&self, uid: Uid) -> Result<Revised<Uid>> {
        match self {
            Self::Data(operator) => operator.reinstate_user(uid).await,
            Self::Server(server) => server.reinstate_user(uid).await,
        }
    }
}

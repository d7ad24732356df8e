//! Taking posts and users down, and reinstating them.

use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_ports::Revised;
use guanxi_proto::v1;

use super::OperatorClient;
use crate::client_side::{call, of_write};

impl OperatorClient {
    /// Takes a post down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn take_down_post(&self, id: PostId, reason: String) -> Result<Revised<PostId>> {
        let request = v1::TakeDownPostRequest { post_id: id.get(), reason };
        let answer = call(self.0.admin().take_down_post(request).await).map_err(of_write)?;
        revised(id, answer.changed, answer.revision, &answer.token)
    }

    /// Ends that a post is taken down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn reinstate_post(&self, id: PostId) -> Result<Revised<PostId>> {
        let request = v1::ReinstatePostRequest { post_id: id.get() };
        let answer = call(self.0.admin().reinstate_post(request).await).map_err(of_write)?;
        revised(id, answer.changed, answer.revision, &answer.token)
    }

    /// Takes a user down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn take_down_user(&self, uid: Uid, reason: String) -> Result<Revised<Uid>> {
        let request = v1::TakeDownUserRequest { uid: uid.get(), reason };
        let answer = call(self.0.admin().take_down_user(request).await).map_err(of_write)?;
        revised(uid, answer.changed, answer.revision, &answer.token)
    }

    /// Ends that a user is taken down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn reinstate_user(&self, uid: Uid) -> Result<Revised<Uid>> {
        let request = v1::ReinstateUserRequest { uid: uid.get() };
        let answer = call(self.0.admin().reinstate_user(request).await).map_err(of_write)?;
        revised(uid, answer.changed, answer.revision, &answer.token)
    }
}

fn revised<I>(id: I, changed: Option<bool>, revision: u32, token: &str) -> Result<Revised<I>> {
    let position = Position::from_token(token)?;
    Ok(Revised { id, changed: changed.unwrap_or_default(), revision, position })
}

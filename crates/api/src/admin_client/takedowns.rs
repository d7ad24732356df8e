//! Taking posts and users down, and reinstating them.

use guanxi_centers::operator::TakedownWritten;
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_proto::v1;

use super::OperatorClient;
use crate::client_side::{call, of_write};

impl OperatorClient {
    /// Takes a post down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn take_down_post(&self, id: PostId, reason: String) -> Result<TakedownWritten> {
        let request = v1::TakeDownPostRequest { post_id: id.get(), reason };
        let answer = call(self.0.admin().take_down_post(request).await).map_err(of_write)?;
        written(answer.changed, answer.revision, &answer.token)
    }

    /// Ends that a post is taken down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn reinstate_post(&self, id: PostId) -> Result<TakedownWritten> {
        let request = v1::ReinstatePostRequest { post_id: id.get() };
        let answer = call(self.0.admin().reinstate_post(request).await).map_err(of_write)?;
        written(answer.changed, answer.revision, &answer.token)
    }

    /// Takes a user down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn take_down_user(&self, uid: Uid, reason: String) -> Result<TakedownWritten> {
        let request = v1::TakeDownUserRequest { uid: uid.get(), reason };
        let answer = call(self.0.admin().take_down_user(request).await).map_err(of_write)?;
        written(answer.changed, answer.revision, &answer.token)
    }

    /// Ends that a user is taken down.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn reinstate_user(&self, uid: Uid) -> Result<TakedownWritten> {
        let request = v1::ReinstateUserRequest { uid: uid.get() };
        let answer = call(self.0.admin().reinstate_user(request).await).map_err(of_write)?;
        written(answer.changed, answer.revision, &answer.token)
    }
}

fn written(changed: Option<bool>, revision: u32, token: &str) -> Result<TakedownWritten> {
    let position = Position::from_token(token)?;
    Ok(TakedownWritten { changed: changed.unwrap_or_default(), revision, position })
}

//! Writes of the user center.

use super::UserCenter;
use crate::relation::check_request;
use guanxi_model::user::{PrivacyPatch, ProfilePatch, UserCommand, UserOutcome};
use guanxi_model::{Error, Position, RequestKey, Result, Uid, Write};
use guanxi_ports::Facts;

/// The answer to a write of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserWritten {
    /// The user.
    pub uid: Uid,
    /// Whether state changed.
    pub changed: bool,
    /// The user's revision afterwards.
    pub revision: u32,
    /// A read at this position sees the write.
    pub position: Position,
}

impl UserCenter {
    /// Changes what a user says of itself.
    ///
    /// # Errors
    /// `TOO_LONG`, `INVALID_FIELD`, `BATCH_TOO_LARGE`, `MISSING_FIELD` for what cannot be kept;
    /// `REVISION_MISMATCH {revision}`.
    pub async fn update(
        &self,
        uid: Uid,
        patch: ProfilePatch,
        expected_revision: Option<u32>,
        request: Option<RequestKey>,
    ) -> Result<UserWritten> {
        self.command(UserCommand::Update { uid, patch, expected_revision }, request).await
    }

    /// Sets what others may know of a user.
    ///
    /// # Errors
    /// Whole-request errors of the store.
    pub async fn set_privacy(
        &self,
        uid: Uid,
        patch: PrivacyPatch,
        request: Option<RequestKey>,
    ) -> Result<UserWritten> {
        self.command(UserCommand::SetPrivacy { uid, patch }, request).await
    }

    pub(super) async fn command(
        &self,
        command: UserCommand,
        request: Option<RequestKey>,
    ) -> Result<UserWritten> {
        written(&*self.graph, command, request).await
    }
}

/// Does one operation on a user.
pub(super) async fn written(
    facts: &dyn Facts,
    command: UserCommand,
    request: Option<RequestKey>,
) -> Result<UserWritten> {
    check_request(request.as_ref())?;
    let answer = facts.apply(Write::of(command).under(request)).await?;
    let position = answer.position.clone();
    let UserOutcome { result, uid, revision } = answer.user()?;
    Ok(UserWritten { uid, changed: result.map_err(Error::new)?, revision, position })
}

//! Writes of the user center.

use super::UserCenter;
use crate::relation::check_request;
use guanxi_model::user::{PrivacyPatch, ProfilePatch, UserCommand};
use guanxi_model::{RequestKey, Result, Uid, Write};
use guanxi_ports::{Facts, Revised};

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
    ) -> Result<Revised<Uid>> {
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
    ) -> Result<Revised<Uid>> {
        self.command(UserCommand::SetPrivacy { uid, patch }, request).await
    }

    pub(super) async fn command(
        &self,
        command: UserCommand,
        request: Option<RequestKey>,
    ) -> Result<Revised<Uid>> {
        written(&*self.store, command, request).await
    }
}

/// Does one operation on a user.
pub(super) async fn written(
    facts: &dyn Facts,
    command: UserCommand,
    request: Option<RequestKey>,
) -> Result<Revised<Uid>> {
    check_request(request.as_ref())?;
    facts.apply(Write::of(command).under(request)).await?.revised()
}

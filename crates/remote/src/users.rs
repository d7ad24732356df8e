//! Users: writes of profiles, and reads. Accounts are made with passwords, which the server alone hashes.

use guanxi_api::client_side::update_shown;
use guanxi_model::user::{PrivacyPatch, UserCommand, UserOutcome, UserStatus};
use guanxi_model::{Error, Outcome, Reason, Result, SessionCommand, SessionOutcome, Uid};
use guanxi_ports::{Applied, Revised, UserView};
use guanxi_proto::v1;

use super::{Remote, call, untold};

impl Remote {
    /// One operation. A refusal is an error on the wire, which tells no revision; here it is an outcome.
    pub(crate) async fn user_command(&self, command: UserCommand, request_id: String) -> Result<Applied> {
        let uid = command.uid();
        let (result, revision, position) = match self.send_of_user(command, request_id).await {
            Ok(answer) => (Ok(answer.changed.unwrap_or_default()), answer.revision, self.saw(&answer.token)?),
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                let position = self.position_at(String::new()).await?;
                let view = self.view_at(position.clone());
                let user = view.users(&[uid]).await?.pop().flatten();
                (Err(reason), user.map_or(0, |user| user.revision), position)
            }
            Err(error) => return Err(error),
        };
        Ok(Applied { position, outcomes: vec![Outcome::User(UserOutcome { result, uid, revision })] })
    }

    /// A sign-out. The API tells whether sessions have ended, and not which.
    pub(crate) async fn session_command(&self, command: SessionCommand) -> Result<Applied> {
        let SessionCommand::SignOut { uid } = command else { return untold("the secrets of sessions").await };
        let request = v1::RevokeSessionRequest { uid: uid.get(), everywhere: true, ..Default::default() };
        let (result, position) = match call(self.main.user().revoke_session(request).await) {
            Ok(told) => (Ok(true), self.saw(&told.token)?),
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                (Err(reason), self.position_at(String::new()).await?)
            }
            Err(error) => return Err(error),
        };
        let outcome = SessionOutcome { result, ended: Vec::new(), refreshed: None };
        Ok(Applied { position, outcomes: vec![Outcome::Session(outcome)] })
    }

    async fn send_of_user(&self, command: UserCommand, request_id: String) -> Result<v1::WriteUserResponse> {
        let client = self.main.user();
        match command {
            UserCommand::Update { uid, patch, expected_revision } => {
                let request = update_shown(uid, patch, expected_revision, request_id);
                call(client.update_user(request).await)
            }
            UserCommand::SetPrivacy { uid, patch } => {
                let PrivacyPatch { discoverable, locked, hides_following, hides_followers } = patch;
                let uid = uid.get();
                let request = v1::SetPrivacyRequest {
                    uid,
                    discoverable,
                    request_id,
                    locked,
                    hides_following,
                    hides_followers,
                };
                call(client.set_privacy(request).await)
            }
            UserCommand::SetStatus { uid, status: UserStatus::Deactivated } => {
                call(client.deactivate(v1::DeactivateRequest { uid: uid.get(), request_id }).await)
            }
            UserCommand::SetStatus { uid, status: UserStatus::Active } => {
                call(client.reactivate(v1::ReactivateRequest { uid: uid.get(), request_id }).await)
            }
            UserCommand::SetStatus { .. } => {
                Err(Error::with_detail(Reason::Internal, "the server says when a user is erased"))
            }
            UserCommand::TakeDown { uid, reason } => {
                Ok(of_takedown(self.admin.take_down_user(uid, reason).await?))
            }
            UserCommand::Reinstate { uid } => Ok(of_takedown(self.admin.reinstate_user(uid).await?)),
            UserCommand::AssignExternalId { .. } => {
                Err(Error::with_detail(Reason::Internal, "external ids are assigned in writes of their own"))
            }
            UserCommand::Register(_) | UserCommand::Import { .. } | UserCommand::SetPassword { .. } => {
                Err(Error::with_detail(Reason::Internal, "the API takes passwords, and no hashes of them"))
            }
            UserCommand::Contact(_) => {
                Err(Error::with_detail(Reason::Internal, "the API binds a contact in one call"))
            }
        }
    }
}

fn of_takedown(written: Revised<Uid>) -> v1::WriteUserResponse {
    let Revised { changed, revision, position, .. } = written;
    v1::WriteUserResponse { changed: Some(changed), revision, token: position.to_token() }
}

/// Reasons that concern the operation, and not the request that carries it.
const fn is_refusal(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::RevisionMismatch { .. }
            | Reason::UserNotFound
            | Reason::UserDeleted
            | Reason::UserTakenDown { .. }
            | Reason::TooLong { .. }
            | Reason::InvalidField { .. }
            | Reason::MissingField { .. }
            | Reason::BatchTooLarge { .. }
    )
}

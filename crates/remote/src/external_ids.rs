//! The dictionary of external ids.

use guanxi_model::user::{UserCommand, UserOutcome};
use guanxi_model::{Command, ExternalId, Outcome, Reason, Result, Uid};
use guanxi_ports::Applied;
use guanxi_proto::v1;

use super::view::RemoteView;
use super::{Remote, broken, call};

impl Remote {
    /// Gives uids to external ids. The server proposes them itself: those of the commands are not asked for.
    pub(crate) async fn assign_external_ids(&self, ids: Vec<NamedId>) -> Result<Applied> {
        let external_ids = ids.iter().map(|(id, ..)| id.as_str().to_owned()).collect();
        let listed = ids.iter().any(|(.., listed)| *listed);
        let request = v1::ResolveIdsRequest { external_ids, create: true, listed, ..Default::default() };
        let answer = call(self.main.user().resolve_ids(request).await)?;
        let outcome = |(found, (_, proposed, _)): (&v1::ResolvedId, &NamedId)| {
            let (result, uid) = if found.erased {
                (Err(Reason::UserDeleted), *proposed)
            } else {
                (Ok(found.created), Uid::new(found.uid)?)
            };
            Ok(Outcome::User(UserOutcome { result, uid, revision: 0 }))
        };
        let outcomes = answer.by_external_id.iter().zip(&ids).map(outcome).collect::<Result<Vec<_>>>()?;
        if outcomes.len() != ids.len() {
            return Err(broken("another number of ids"));
        }
        Ok(Applied { position: self.saw(&answer.token)?, outcomes })
    }
}

/// An id with the uid that is proposed for it, and whether a list names it.
type NamedId = (ExternalId, Uid, bool);

/// The ids of a write that does nothing but give uids to them.
pub(crate) fn only_external_ids(commands: &[Command]) -> Option<Vec<NamedId>> {
    let id = |command: &Command| match command {
        Command::User(UserCommand::AssignExternalId { uid, external_id, listed }) => {
            Some((external_id.clone(), *uid, *listed))
        }
        _ => None,
    };
    commands.iter().map(id).collect::<Option<Vec<_>>>().filter(|ids| !ids.is_empty())
}

impl RemoteView {
    pub(super) async fn resolve(
        &self,
        external_ids: Vec<String>,
        uids: Vec<u64>,
    ) -> Result<v1::ResolveIdsResponse> {
        let request = v1::ResolveIdsRequest { external_ids, uids, token: self.token(), ..Default::default() };
        call(self.main.user().resolve_ids(request).await)
    }
}

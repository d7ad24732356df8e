//! What users note of suggestions.

use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Error, Outcome, Reason, Result};
use guanxi_ports::Applied;
use guanxi_proto::v1;

use super::{Remote, call};

impl Remote {
    /// A dismissal, or its end. A refusal is an error on the wire; here it is an outcome.
    pub(crate) async fn dismiss(&self, command: DismissCommand, request_id: String) -> Result<Applied> {
        let client = self.main.relation();
        let (viewer, target) = (command.viewer.get(), command.uid.get());
        let answered = if command.dismissed {
            let request = v1::DismissSuggestionRequest { viewer, target, request_id };
            call(client.dismiss_suggestion(request).await)
                .map(|answer| (answer.changed, answer.token.clone()))
        } else {
            let request = v1::UndoDismissalRequest { viewer, target, request_id };
            call(client.undo_dismissal(request).await).map(|answer| (answer.changed, answer.token.clone()))
        };
        match answered {
            Ok((changed, token)) => {
                let outcomes = vec![Outcome::Plain(Ok(changed.unwrap_or_default()))];
                Ok(Applied { position: self.saw(&token)?, outcomes })
            }
            Err(Error { reason: reason @ (Reason::SelfRelation | Reason::UserDeleted), .. }) => {
                let position = self.position_at(String::new()).await?;
                Ok(Applied { position, outcomes: vec![Outcome::Plain(Err(reason))] })
            }
            Err(error) => Err(error),
        }
    }
}

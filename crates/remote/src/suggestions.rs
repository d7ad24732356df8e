//! What users note of suggestions.

use guanxi_api::client_side::stamp;
use guanxi_model::affinity::Affinities;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Edge, Error, Outcome, Reason, Result, Uid};
use guanxi_ports::{Applied, BoxFuture, SuggestionView};
use guanxi_proto::v1;

use super::view::RemoteView;
use super::{Remote, broken, call, untold};

impl SuggestionView for RemoteView {
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        Box::pin(async move {
            let request = v1::ListDismissedRequest { viewer: viewer.get(), token: self.token() };
            let answer = call(self.main.relation().list_dismissed(request).await)?;
            let edge = |user: &v1::DismissedUser| {
                Some(Edge {
                    at: user.dismiss_time.as_option().and_then(stamp)?,
                    uid: Uid::new(user.uid).ok()?,
                })
            };
            let edges: Option<Vec<Edge>> = answer.users.iter().map(edge).collect();
            edges.ok_or_else(|| broken("a dismissed user without a time"))
        })
    }

    fn dismissed_by(&self, _: Uid, _: Option<Uid>, _: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has dismissed whom")
    }

    fn affinities(&self, _: Uid) -> BoxFuture<'_, Result<Affinities>> {
        untold("scores as they are stored")
    }

    fn scored_by(&self, _: Uid, _: Option<Uid>, _: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has a score with whom")
    }
}

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

//! Writes: what the API has one call for.

use guanxi_api::client_side::of_write;
use guanxi_model::{Command, Error, Outcome, PairCommand, Position, Reason, Result, Write};
use guanxi_ports::{Applied, BoxFuture, Facts};

use super::external_ids::only_external_ids;
use super::{Remote, untold};

impl Facts for Remote {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move { self.apply_now(write).await.map_err(of_write) })
    }
}

impl Remote {
    async fn apply_now(&self, write: Write) -> Result<Applied> {
        // The server looks external ids up by itself.
        let Write { mut commands, request, cursor, unknown_at: _ } = write;
        let request_id = request.map(|key| key.id.text).unwrap_or_default();
        if let Some(ids) = only_external_ids(&commands) {
            return self.assign_external_ids(ids).await;
        }
        if commands.len() != 1 {
            return self.pairs(&only_pairs(&commands)?, request_id).await;
        }
        match commands.remove(0) {
            Command::Pair(command) => self.pairs(&[command], request_id).await,
            Command::ImportEdges { edges, revive } => {
                Ok(self.wrote(self.admin.import_edges(None, &edges, revive, cursor).await?))
            }
            Command::ImportRestrictions { kind, restrictions } => {
                Ok(self.wrote(self.admin.import_edges(Some(kind), &restrictions, false, cursor).await?))
            }
            Command::FollowLimit { uid, limit } => {
                let answered = self.admin.set_follow_limit(uid, limit).await;
                self.done(answered.map(|position| position.to_token())).await
            }
            Command::DropTombstones { .. } => untold("what it forgets of removed follows").await,
            command @ (Command::SendFriendRequest(_) | Command::Mute(_)) => {
                self.on_terms(&command, request_id).await
            }
            Command::MarkRequestsSeen { uid, seen } => self.mark_requests_seen(uid, seen).await,
            Command::ForgetRejection { .. } | Command::EndUnlock { .. } => {
                untold("what the server does by itself").await
            }
            Command::User(command) => self.user_command(command, request_id).await,
            Command::Post(command) => self.post_command(command, request_id).await,
            Command::ImportPosts(posts) => Ok(self.wrote(self.admin.import_posts(&posts, cursor).await?)),
            Command::ImportLikes(likes) => Ok(self.wrote(self.admin.import_likes(likes, cursor).await?)),
            Command::MarkSeen { uid, seen } => self.mark_seen(uid, &seen).await,
            Command::Affinity(_) => untold("scores as they are stored").await,
            Command::Dismiss(command) => self.dismiss(command, request_id).await,
            Command::FanoutPolicy(policy) => Ok(self.set(self.admin.set_fanout_policy(&policy).await?)),
            Command::Group(command) => self.group_command(command, request_id).await,
            Command::Audit(_) => untold("what a server notes by itself of operators").await,
            Command::Credential(command) => self.credential_command(command).await,
            Command::Session(command) => self.session_command(command).await,
        }
    }

    /// Returns what the admin client has written.
    fn wrote(&self, applied: Applied) -> Applied {
        self.saw_position(applied.position.clone());
        applied
    }

    /// Returns what a write of one command answers that has no answer but where it stands: its token, or why it was
    /// refused.
    pub(crate) async fn done(&self, answered: Result<String>) -> Result<Applied> {
        let (position, outcome) = match answered {
            Ok(token) => (self.saw(&token)?, Outcome::Done),
            Err(Error { reason: reason @ Reason::UserDeleted, .. }) => {
                (self.position_at(String::new()).await?, Outcome::Plain(Err(reason)))
            }
            Err(error) => return Err(error),
        };
        Ok(Applied { position, outcomes: vec![outcome] })
    }

    /// Returns what a setting answers.
    fn set(&self, position: Position) -> Applied {
        self.wrote(Applied { position, outcomes: vec![Outcome::Done] })
    }
}

/// The operations of a batch, if it has no others: the API has no other batches.
fn only_pairs(commands: &[Command]) -> Result<Vec<PairCommand>> {
    let pair = |command: &Command| match command {
        Command::Pair(command) => Ok(*command),
        _ => Err(Error::with_detail(Reason::Internal, "the API has no batches of several domains")),
    };
    commands.iter().map(pair).collect()
}

//! Writes: what the API has one call for.

use guanxi_model::{Command, Error, PairCommand, Reason, Result, Write};
use guanxi_ports::{Applied, BoxFuture, Facts};

use super::external_ids::only_external_ids;
use super::{Remote, untold};

impl Facts for Remote {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move { self.apply_now(write).await.map_err(told) })
    }
}

impl Remote {
    async fn apply_now(&self, write: Write) -> Result<Applied> {
        // The server looks external ids up by itself.
        let Write { mut commands, request, cursor, unknown_at: _ } = write;
        let request_id = request.map(|key| key.id).unwrap_or_default();
        if let Some(ids) = only_external_ids(&commands) {
            return self.assign_external_ids(ids).await;
        }
        if commands.len() != 1 {
            return self.pairs(&only_pairs(&commands)?, request_id).await;
        }
        match commands.remove(0) {
            Command::Pair(command) => self.pairs(&[command], request_id).await,
            Command::ImportEdges { edges, revive } => self.import_edges(None, &edges, revive, cursor).await,
            Command::ImportRestrictions { kind, restrictions } => {
                self.import_edges(Some(kind), &restrictions, false, cursor).await
            }
            Command::FollowLimit { uid, limit } => self.set_follow_limit(uid, limit).await,
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
            Command::ImportPosts(posts) => self.import_posts(&posts, cursor).await,
            Command::ImportLikes(likes) => self.import_likes(likes, cursor).await,
            Command::MarkSeen { uid, seen } => self.mark_seen(uid, &seen).await,
            Command::Affinity(_) => untold("scores as they are stored").await,
            Command::Dismiss(command) => self.dismiss(command, request_id).await,
            Command::FanoutPolicy(policy) => self.set_fanout_policy(policy).await,
            Command::Group(command) => self.group_command(command, request_id).await,
        }
    }
}

/// What a failed call means for a write: when the way to the server broke, and the server said nothing itself, the write
/// may have taken place.
fn told(error: Error) -> Error {
    match error.reason {
        Reason::ShuttingDown | Reason::DeadlineExceeded if error.detail.is_some() => {
            Error { reason: Reason::OutcomeUnknown, ..error }
        }
        _ => error,
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

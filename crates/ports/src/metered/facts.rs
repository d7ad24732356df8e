//! Writes: each is counted under what it does, beside the calls of its domain.

use super::{Meter, Metered, Meters, graph, groups, posts, users};
use crate::{Applied, BoxFuture, Facts};
use guanxi_model::post::PostCommand;
use guanxi_model::{Command, Op, Result, Write};

impl Meters {
    /// The meter of a write: that of its only command, or of a batch.
    fn of_write(&self, write: &Write) -> &Meter {
        let [command] = &write.commands[..] else { return &self.graph[graph::Call::Batch as usize] };
        match command {
            Command::Pair(pair) => &self.graph[usize::from(pair.op.code())],
            Command::ImportEdges { .. } | Command::ImportRestrictions { .. } => {
                &self.graph[graph::Call::Import as usize]
            }
            Command::FollowLimit { .. } => &self.graph[graph::Call::SetFollowLimit as usize],
            Command::DropTombstones { .. } => &self.graph[graph::Call::DropTombstones as usize],
            Command::SendFriendRequest(_) => &self.graph[usize::from(Op::SendFriendRequest.code())],
            Command::Mute(_) => &self.graph[usize::from(Op::Mute.code())],
            Command::ForgetRejection { .. } => &self.graph[graph::Call::ForgetRejection as usize],
            Command::EndUnlock { .. } => &self.graph[graph::Call::EndUnlock as usize],
            Command::MarkRequestsSeen { .. } => &self.graph[graph::Call::MarkRequestsSeen as usize],
            Command::User(command) => &self.users[users::of_command(command) as usize],
            Command::Post(command) => &self.posts[of_post(command) as usize],
            Command::ImportPosts(_) => &self.posts[posts::Call::Import as usize],
            Command::ImportLikes(_) => &self.posts[posts::Call::ImportLikes as usize],
            Command::MarkSeen { .. } => &self.posts[posts::Call::MarkSeen as usize],
            Command::Affinity(_) => &self.graph[graph::Call::AddAffinity as usize],
            Command::Dismiss(_) => &self.graph[graph::Call::Dismiss as usize],
            Command::FanoutPolicy(_) => &self.posts[posts::Call::SetFanoutPolicy as usize],
            Command::Session(command) => &self.users[users::of_session(command) as usize],
            Command::Credential(command) => &self.users[users::of_credential(command) as usize],
            Command::Audit(_) => &self.users[users::Call::WriteAudit as usize],
            Command::Group(command) => &self.groups[groups::of_command(command) as usize],
        }
    }
}

const fn of_post(command: &PostCommand) -> posts::Call {
    match command {
        PostCommand::Create(_) => posts::Call::Create,
        PostCommand::Update { .. } => posts::Call::Update,
        PostCommand::Delete { .. } => posts::Call::Delete,
        PostCommand::Restore { .. } => posts::Call::Restore,
        PostCommand::Like { .. } => posts::Call::Like,
        PostCommand::Unlike { .. } => posts::Call::Unlike,
        PostCommand::UndoRepost { .. } => posts::Call::UndoRepost,
        PostCommand::Purge { .. } => posts::Call::Purge,
        PostCommand::EndPurge { .. } => posts::Call::EndPurge,
        PostCommand::TakeDown { .. } => posts::Call::TakeDown,
        PostCommand::Reinstate { .. } => posts::Call::Reinstate,
    }
}

impl<F: Facts> Facts for Metered<F> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        let meter = self.meters.of_write(&write);
        Box::pin(meter.time(self.inner.apply(write)))
    }
}

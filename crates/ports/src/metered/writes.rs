//! Counts and times writes, each under what it does.

use super::{Metered, Meters};
use crate::meter::{CallMeter, meters};
use crate::{Applied, BoxFuture, Facts};
use guanxi_model::post::PostCommand;
use guanxi_model::user::{ContactCommand, UserCommand};
use guanxi_model::{Command, CredentialCommand, GroupCommand, Op, Result, SessionCommand, Write};

/// Meters of operations on a pair, by their codes.
pub(crate) struct PairMeters([CallMeter; Op::ALL.len()]);

impl PairMeters {
    pub(super) fn register() -> Self {
        Self(Op::ALL.map(|op| CallMeter::graph(op.name())))
    }

    pub(super) fn labels() -> impl Iterator<Item = &'static str> {
        Op::ALL.into_iter().map(Op::name)
    }

    fn of(&self, op: Op) -> &CallMeter {
        &self.0[usize::from(op.code())]
    }
}

meters! {
    /// Writes that are no operation on a pair.
    pub(crate) struct WriteMeters {
        graph {
            batch, import, set_follow_limit, drop_tombstones, forget_rejection, end_unlock, mark_requests_seen, dismiss,
            add_affinity
        }
        post {
            create_post as "create", update_post as "update", delete_post as "delete", restore_post as "restore", like, unlike,
            undo_repost, purge, end_purge, take_down, reinstate, import_posts as "import", import_likes, mark_seen,
            set_fanout_policy
        }
        user {
            register_user as "register", import_user, update_user as "update", set_privacy, set_status, set_password,
            take_down_user, reinstate_user, begin_session, refresh_session, end_session, sign_out, add_credential,
            revoke_credential, reserve_contact, bind_contact, confirm_contact, unbind_contact, release_contact,
            assign_external_id, write_audit
        }
        group {
            create_group as "create", update_group as "update", delete_group as "delete", set_members, add_members,
            remove_members
        }
    }
}

impl Meters {
    /// The meter of a write: that of its only command, or of a batch.
    fn of_write(&self, write: &Write) -> &CallMeter {
        let meters = &self.writes;
        let [command] = &write.commands[..] else { return &meters.batch };
        match command {
            Command::Pair(pair) => self.pairs.of(pair.op),
            Command::SendFriendRequest(_) => self.pairs.of(Op::SendFriendRequest),
            Command::Mute(_) => self.pairs.of(Op::Mute),
            Command::ImportEdges { .. } | Command::ImportRestrictions { .. } => &meters.import,
            Command::FollowLimit { .. } => &meters.set_follow_limit,
            Command::DropTombstones { .. } => &meters.drop_tombstones,
            Command::ForgetRejection { .. } => &meters.forget_rejection,
            Command::EndUnlock { .. } => &meters.end_unlock,
            Command::MarkRequestsSeen { .. } => &meters.mark_requests_seen,
            Command::Dismiss(_) => &meters.dismiss,
            Command::Affinity(_) => &meters.add_affinity,
            Command::ImportPosts(_) => &meters.import_posts,
            Command::ImportLikes(_) => &meters.import_likes,
            Command::MarkSeen { .. } => &meters.mark_seen,
            Command::FanoutPolicy(_) => &meters.set_fanout_policy,
            Command::Audit(_) => &meters.write_audit,
            Command::Post(command) => meters.of_post(command),
            Command::User(command) => meters.of_user(command),
            Command::Session(command) => meters.of_session(command),
            Command::Credential(CredentialCommand::Add(_)) => &meters.add_credential,
            Command::Credential(CredentialCommand::Revoke { .. }) => &meters.revoke_credential,
            Command::Group(command) => meters.of_group(command),
        }
    }
}

impl WriteMeters {
    const fn of_post(&self, command: &PostCommand) -> &CallMeter {
        match command {
            PostCommand::Create(_) => &self.create_post,
            PostCommand::Update { .. } => &self.update_post,
            PostCommand::Delete { .. } => &self.delete_post,
            PostCommand::Restore { .. } => &self.restore_post,
            PostCommand::Like { .. } => &self.like,
            PostCommand::Unlike { .. } => &self.unlike,
            PostCommand::UndoRepost { .. } => &self.undo_repost,
            PostCommand::Purge { .. } => &self.purge,
            PostCommand::EndPurge { .. } => &self.end_purge,
            PostCommand::TakeDown { .. } => &self.take_down,
            PostCommand::Reinstate { .. } => &self.reinstate,
        }
    }

    const fn of_user(&self, command: &UserCommand) -> &CallMeter {
        match command {
            UserCommand::Register(_) => &self.register_user,
            UserCommand::Import { .. } => &self.import_user,
            UserCommand::Update { .. } => &self.update_user,
            UserCommand::SetPrivacy { .. } => &self.set_privacy,
            UserCommand::SetStatus { .. } => &self.set_status,
            UserCommand::SetPassword { .. } => &self.set_password,
            UserCommand::TakeDown { .. } => &self.take_down_user,
            UserCommand::Reinstate { .. } => &self.reinstate_user,
            UserCommand::Contact(ContactCommand::Reserve { .. }) => &self.reserve_contact,
            UserCommand::Contact(ContactCommand::Bind { .. }) => &self.bind_contact,
            UserCommand::Contact(ContactCommand::Confirm { .. }) => &self.confirm_contact,
            UserCommand::Contact(ContactCommand::Unbind { .. }) => &self.unbind_contact,
            UserCommand::Contact(ContactCommand::Release { .. }) => &self.release_contact,
            UserCommand::AssignExternalId { .. } => &self.assign_external_id,
        }
    }

    const fn of_session(&self, command: &SessionCommand) -> &CallMeter {
        match command {
            SessionCommand::Begin(_) => &self.begin_session,
            SessionCommand::Refresh(_) => &self.refresh_session,
            SessionCommand::End { .. } => &self.end_session,
            SessionCommand::SignOut { .. } => &self.sign_out,
        }
    }

    const fn of_group(&self, command: &GroupCommand) -> &CallMeter {
        match command {
            GroupCommand::Create { .. } => &self.create_group,
            GroupCommand::Update { .. } => &self.update_group,
            GroupCommand::Delete { .. } => &self.delete_group,
            GroupCommand::SetMembers { .. } => &self.set_members,
            GroupCommand::AddMembers { .. } => &self.add_members,
            GroupCommand::RemoveMembers { .. } => &self.remove_members,
        }
    }
}

impl<F: Facts> Facts for Metered<F> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        let meter = self.meters.of_write(&write);
        Box::pin(meter.time(self.inner.apply(write)))
    }
}

//! Groups over the API.

use guanxi_api::client_side::{members_scope, stamp};
use guanxi_model::{
    Edge, EdgePage, Error, GroupCommand, GroupId, GroupOutcome, Outcome, Page, PageStart, Reason, Result,
    Uid, UserGroup,
};
use guanxi_ports::{Applied, RelationView};
use guanxi_proto::v1;

use super::places::page_tokens;
use super::view::RemoteView;
use super::{Remote, broken, call};

impl Remote {
    /// One operation. A refusal is an error on the wire, which tells no revision; here it is an outcome.
    pub(crate) async fn group_command(&self, command: GroupCommand, request_id: String) -> Result<Applied> {
        let (owner, id) = place_of(&command);
        let (outcome, position) = match self.send_of_group(command, request_id).await {
            Ok(answer) => {
                let id = Some(GroupId::new(answer.group_id)?);
                let result = Ok(answer.changed.unwrap_or_default());
                let outcome = GroupOutcome { result, id, revision: answer.revision };
                (outcome, self.saw(&answer.token)?)
            }
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                let position = self.position_at(String::new()).await?;
                let view = self.view_at(position.clone());
                let group = match id {
                    Some(id) => view.group(owner, id).await?,
                    None => None,
                };
                let revision = group.map_or(0, |group| group.revision);
                (GroupOutcome { result: Err(reason), id, revision }, position)
            }
            Err(error) => return Err(error),
        };
        Ok(Applied { position, outcomes: vec![Outcome::Group(outcome)] })
    }

    async fn send_of_group(
        &self,
        command: GroupCommand,
        request_id: String,
    ) -> Result<v1::WriteGroupResponse> {
        let client = self.main.relation();
        let raw = |members: Vec<Uid>| members.into_iter().map(Uid::get).collect();
        let subject = command.owner().get();
        match command {
            GroupCommand::Create { name, .. } => {
                call(client.create_group(v1::CreateGroupRequest { subject, name, request_id }).await)
            }
            GroupCommand::Update { id, name, expected_revision, .. } => {
                let group_id = id.get();
                let request =
                    v1::UpdateGroupRequest { subject, group_id, name, expected_revision, request_id };
                call(client.update_group(request).await)
            }
            GroupCommand::Delete { id, .. } => {
                let request = v1::DeleteGroupRequest { subject, group_id: id.get(), request_id };
                call(client.delete_group(request).await)
            }
            GroupCommand::SetMembers { id, members, expected_revision, .. } => {
                let (group_id, objects) = (id.get(), raw(members));
                let request =
                    v1::SetGroupMembersRequest { subject, group_id, objects, expected_revision, request_id };
                call(client.set_group_members(request).await)
            }
            GroupCommand::AddMembers { id, members, .. } => {
                let (group_id, objects) = (id.get(), raw(members));
                let request = v1::AddGroupMembersRequest { subject, group_id, objects, request_id };
                call(client.add_group_members(request).await)
            }
            GroupCommand::RemoveMembers { id, members, .. } => {
                let (group_id, objects) = (id.get(), raw(members));
                let request = v1::RemoveGroupMembersRequest { subject, group_id, objects, request_id };
                call(client.remove_group_members(request).await)
            }
        }
    }
}

/// Returns whose group a command is about, and which if that is known before.
const fn place_of(command: &GroupCommand) -> (Uid, Option<GroupId>) {
    match command {
        GroupCommand::Create { owner, .. } => (*owner, None),
        GroupCommand::Update { owner, id, .. }
        | GroupCommand::Delete { owner, id }
        | GroupCommand::SetMembers { owner, id, .. }
        | GroupCommand::AddMembers { owner, id, .. }
        | GroupCommand::RemoveMembers { owner, id, .. } => (*owner, Some(*id)),
    }
}

/// Reasons that concern the operation, and not the request that carries it.
const fn is_refusal(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::GroupNotFound
            | Reason::RevisionMismatch { .. }
            | Reason::LimitReached { .. }
            | Reason::SelfRelation
            | Reason::Blocked
            | Reason::UserDeleted
    )
}

/// A group as the model has it.
pub(super) fn group_back(group: &v1::Group) -> Result<UserGroup> {
    let created = group.create_time.as_option().and_then(stamp);
    Ok(UserGroup {
        owner: Uid::new(group.uid)?,
        id: GroupId::new(group.group_id)?,
        name: group.name.clone(),
        created: created.ok_or_else(|| broken("a group without a time"))?,
        revision: group.revision,
        members: group.member_count,
        audience: group.audience,
    })
}

fn member_back(member: &v1::GroupMember) -> Result<Edge> {
    let at = member.create_time.as_option().and_then(stamp);
    Ok(Edge { at: at.ok_or_else(|| broken("a member without a time"))?, uid: Uid::new(member.uid)? })
}

impl RemoteView {
    pub(super) async fn members_of(&self, owner: Uid, id: GroupId, page: Page) -> Result<EdgePage> {
        let scope = members_scope(owner, id);
        let (page_token, offset) = match page.start() {
            PageStart::Newest => (String::new(), 0),
            PageStart::After(cursor) => (page_tokens(scope).after(Some(cursor)), 0),
            PageStart::Offset(offset) => (String::new(), offset),
        };
        let request = v1::ListGroupMembersRequest {
            subject: owner.get(),
            group_id: id.get(),
            page_size: i32::try_from(page.size()).unwrap_or(i32::MAX),
            page_token,
            offset,
            token: self.token(),
        };
        let answer = match call(self.main.relation().list_group_members(request).await) {
            Err(error) if error.reason == Reason::GroupNotFound => return Ok(EdgePage::default()),
            answer => answer?,
        };
        let items = answer.members.iter().map(member_back).collect::<Result<Vec<_>>>()?;
        let next = &answer.next_page_token;
        let next = if next.is_empty() { None } else { Some(page_tokens(scope).cursor(next)?) };
        Ok(EdgePage { items, next })
    }
}

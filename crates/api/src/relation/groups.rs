//! Groups: one function per method.

use buffa::MessageField;
use guanxi_centers::group::GroupCenter;
use guanxi_centers::relation::ListedEdge;
use guanxi_model::limits::{BATCH_MAX, GROUP_MEMBERS_MAX};
use guanxi_model::{Error, GroupCommand, GroupId, Reason, Result, Uid, UserGroup};
use guanxi_ports::Revised;
use guanxi_proto::v1;
use guanxi_rim::Caller;
use guanxi_texts::group_name;

use crate::convert::{at_least, edge_page, required_list, time};
use crate::page_token::ListScope;
use crate::request::{Fingerprint, ListReader, request_key};

/// The kind of list that seals page tokens of members, with the owner and the group.
const LIST_KIND: u8 = 0x47;

/// The hash that seals page tokens of a group's members.
pub fn members_scope(owner: Uid, id: GroupId) -> ListScope {
    ListScope::new(LIST_KIND, owner.get(), id.get().into())
}

/// A group as the wire has it.
pub(crate) fn shown(group: &UserGroup) -> v1::Group {
    v1::Group {
        uid: group.owner.get(),
        group_id: group.id.get(),
        name: group.name.clone(),
        create_time: MessageField::some(time(group.created)),
        revision: group.revision,
        member_count: group.members,
        audience: group.audience,
    }
}

fn written(written: &Revised<GroupId>) -> v1::WriteGroupResponse {
    v1::WriteGroupResponse {
        changed: Some(written.changed),
        group_id: written.id.get(),
        revision: written.revision,
        token: written.position.to_token(),
    }
}

/// Does one operation under its idempotency key.
async fn act(
    center: &GroupCenter,
    caller: &Caller,
    request_id: &str,
    command: GroupCommand,
) -> Result<v1::WriteGroupResponse> {
    let key = request_key(caller, command.owner(), request_id, |hash| fingerprint(&command, hash))?;
    center.act(caller.viewer(), command, key).await.map(|found| written(&found))
}

/// Hashes the parts of an operation that its idempotency key covers. They are frozen, as [`Fingerprint`] says.
fn fingerprint(command: &GroupCommand, hash: &mut Fingerprint) {
    let revision = |expected: Option<u32>| expected.map_or(0, |revision| 1 + u64::from(revision));
    let (method, id) = match command {
        GroupCommand::Create { .. } => ("create_group", None),
        GroupCommand::Update { id, .. } => ("update_group", Some(id)),
        GroupCommand::Delete { id, .. } => ("delete_group", Some(id)),
        GroupCommand::SetMembers { id, .. } => ("set_group_members", Some(id)),
        GroupCommand::AddMembers { id, .. } => ("add_group_members", Some(id)),
        GroupCommand::RemoveMembers { id, .. } => ("remove_group_members", Some(id)),
    };
    hash.name(method).number(command.owner().get()).number(id.map_or(0, |id| id.get().into()));
    match command {
        GroupCommand::Create { name, .. } => {
            hash.text(name);
        }
        GroupCommand::Update { name, expected_revision, .. } => {
            hash.number(u64::from(name.is_some()))
                .text(name.as_deref().unwrap_or_default())
                .number(revision(*expected_revision));
        }
        GroupCommand::SetMembers { expected_revision, .. } => {
            hash.number(revision(*expected_revision));
        }
        GroupCommand::Delete { .. }
        | GroupCommand::AddMembers { .. }
        | GroupCommand::RemoveMembers { .. } => {}
    }
    for member in command.members() {
        hash.number(member.get());
    }
}

pub(super) async fn create_group(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::CreateGroupRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let command = GroupCommand::Create { owner, name: group_name(request.name)? };
    act(center, caller, request.request_id, command).await
}

pub(super) async fn update_group(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::UpdateGroupRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let (id, name) = (GroupId::new(request.group_id)?, request.name.map(group_name).transpose()?);
    let command = GroupCommand::Update { owner, id, name, expected_revision: request.expected_revision };
    act(center, caller, request.request_id, command).await
}

pub(super) async fn delete_group(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::DeleteGroupRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let command = GroupCommand::Delete { owner, id: GroupId::new(request.group_id)? };
    act(center, caller, request.request_id, command).await
}

pub(super) async fn set_group_members(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::SetGroupMembersRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let id = GroupId::new(request.group_id)?;
    let members = match request.objects.len() {
        0 => Vec::new(),
        _ => required_list(&request.objects, "objects", GROUP_MEMBERS_MAX)?,
    };
    caller.pay_for_batch(members.len())?;
    let expected_revision = request.expected_revision;
    let command = GroupCommand::SetMembers { owner, id, members, expected_revision };
    act(center, caller, request.request_id, command).await
}

pub(super) async fn add_group_members(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::AddGroupMembersRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let id = GroupId::new(request.group_id)?;
    let members = required_list(&request.objects, "objects", GROUP_MEMBERS_MAX)?;
    caller.pay_for_batch(members.len())?;
    act(center, caller, request.request_id, GroupCommand::AddMembers { owner, id, members }).await
}

pub(super) async fn remove_group_members(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::RemoveGroupMembersRequestView<'_>,
) -> Result<v1::WriteGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let id = GroupId::new(request.group_id)?;
    let members = required_list(&request.objects, "objects", GROUP_MEMBERS_MAX)?;
    act(center, caller, request.request_id, GroupCommand::RemoveMembers { owner, id, members }).await
}

pub(super) async fn get_group(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::GetGroupRequestView<'_>,
) -> Result<v1::GetGroupResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let id = GroupId::new(request.group_id)?;
    let (group, position) = center.get(owner, id, at_least(request.token)?).await?;
    Ok(v1::GetGroupResponse { group: MessageField::some(shown(&group)), token: position.to_token() })
}

pub(super) async fn list_groups(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::ListGroupsRequestView<'_>,
) -> Result<v1::ListGroupsResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let (groups, position) = center.list(owner, at_least(request.token)?).await?;
    Ok(v1::ListGroupsResponse { groups: groups.iter().map(shown).collect(), token: position.to_token() })
}

pub(super) async fn list_group_members(
    center: &GroupCenter,
    caller: &ListReader<'_>,
    request: &v1::ListGroupMembersRequestView<'_>,
) -> Result<v1::ListGroupMembersResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let id = GroupId::new(request.group_id)?;
    let tokens = caller.page_tokens(members_scope(owner, id));
    let page = edge_page(request.page_size, request.page_token, request.offset, &tokens)?;
    let (group, listed) = center.members(owner, id, page, at_least(request.token)?).await?;
    let member = |ListedEdge { edge, deactivated, .. }: &ListedEdge| v1::GroupMember {
        uid: edge.uid.get(),
        create_time: MessageField::some(time(edge.at)),
        deactivated: *deactivated,
    };
    Ok(v1::ListGroupMembersResponse {
        members: listed.items.iter().map(member).collect(),
        next_page_token: tokens.after(listed.next),
        revision: group.revision,
        token: listed.position.to_token(),
    })
}

pub(super) async fn list_groups_with_member(
    center: &GroupCenter,
    caller: &Caller,
    request: &v1::ListGroupsWithMemberRequestView<'_>,
) -> Result<v1::ListGroupsWithMemberResponse> {
    let owner = caller.uid(request.subject, "subject")?;
    let members = required_list(&request.objects, "objects", BATCH_MAX)?;
    caller.pay_for_batch(members.len())?;
    let (groups, position) = center.with(owner, &members, at_least(request.token)?).await?;
    if groups.len() != members.len() {
        return Err(Error::with_detail(Reason::Internal, "a user without its groups"));
    }
    let users = members.iter().zip(groups).map(|(member, groups)| v1::GroupsWithMember {
        uid: member.get(),
        group_ids: groups.into_iter().map(GroupId::get).collect(),
    });
    Ok(v1::ListGroupsWithMemberResponse { users: users.collect(), token: position.to_token() })
}

//! Reading groups from the tables at a snapshot.

use super::{decoded, record};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    GROUP_MEMBER, GROUP_NUMBER, MEMBER_OF, USER_GROUP, decode_group, decode_group_number, decode_stamp,
    group_key, group_member_key, member_of_key, member_of_owner_key, parse_group_key, parse_group_member_key,
    parse_member_of_key, user_key,
};
use guanxi_model::{Edge, GroupId, Stamp, Uid, UserGroup};

/// All groups of an owner, in the order of their numbers.
pub(crate) fn groups(snapshot: &Snapshot, owner: Uid) -> EngineResult<Vec<UserGroup>> {
    let rows = snapshot.prefix(Table::Records, &user_key(USER_GROUP, owner));
    let group = |key: &[u8], value: &[u8]| {
        let (owner, id) = parse_group_key(key)?;
        decode_group(owner, id, value)
    };
    decoded(rows, group, || format!("a group of user {owner}")).collect()
}

/// A group.
pub(crate) fn group(snapshot: &Snapshot, owner: Uid, id: GroupId) -> EngineResult<Option<UserGroup>> {
    let decode = |bytes: &[u8]| decode_group(owner, id, bytes);
    record(snapshot, &group_key(USER_GROUP, owner, id), decode, format_args!("group {id} of user {owner}"))
}

/// The last number that an owner has given.
pub(crate) fn last_number(snapshot: &Snapshot, owner: Uid) -> EngineResult<Option<GroupId>> {
    let key = user_key(GROUP_NUMBER, owner);
    record(snapshot, &key, decode_group_number, format_args!("the last group number of user {owner}"))
}

/// The members of a group, by uid.
pub(crate) fn members(snapshot: &Snapshot, owner: Uid, id: GroupId) -> EngineResult<Vec<Edge>> {
    let rows = snapshot.prefix(Table::Records, &group_key(GROUP_MEMBER, owner, id));
    let member = |key: &[u8], value: &[u8]| {
        Some(Edge { at: decode_stamp(value)?, uid: parse_group_member_key(key)?.2 })
    };
    decoded(rows, member, || format!("a member of group {id} of user {owner}")).collect()
}

/// Returns since when a user is a member of a group, if it is.
pub(crate) fn member_since(
    snapshot: &Snapshot,
    owner: Uid,
    id: GroupId,
    member: Uid,
) -> EngineResult<Option<Stamp>> {
    let key = group_member_key(owner, id, member);
    record(snapshot, &key, decode_stamp, format_args!("a member of group {id} of user {owner}"))
}

/// An owner's groups that contain a user, in the order of their numbers.
pub(crate) fn groups_with(snapshot: &Snapshot, owner: Uid, member: Uid) -> EngineResult<Vec<GroupId>> {
    let rows = snapshot.prefix(Table::Records, &member_of_owner_key(member, owner));
    let id = |key: &[u8], _: &[u8]| Some(parse_member_of_key(key)?.2);
    decoded(rows, id, || format!("a group that user {member} is in")).collect()
}

/// Returns whose groups contain a user, and which, after one; at most `max`.
pub(crate) fn memberships(
    snapshot: &Snapshot,
    member: Uid,
    after: Option<(Uid, GroupId)>,
    max: usize,
) -> EngineResult<Vec<(Uid, GroupId)>> {
    let after = after.map(|(owner, id)| member_of_key(member, owner, id));
    let rows = snapshot.prefix_after(Table::Records, &user_key(MEMBER_OF, member), after).take(max);
    let group = |key: &[u8], _: &[u8]| parse_member_of_key(key).map(|(_, owner, id)| (owner, id));
    decoded(rows, group, || format!("a group that user {member} is in")).collect()
}

/// Returns whether anybody is in a group.
pub(crate) fn any_members(snapshot: &Snapshot) -> EngineResult<bool> {
    snapshot.prefix(Table::Records, &[MEMBER_OF]).next().transpose().map(|row| row.is_some())
}

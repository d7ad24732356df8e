//! Reading groups from the tables at a snapshot.

use super::{damaged, record};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    GROUP_MEMBER, GROUP_NUMBER, MEMBER_OF, USER_GROUP, decode_group, decode_group_number, decode_stamp,
    group_key, group_member_key, member_of_key, member_of_owner_key, parse_group_key, parse_group_member_key,
    parse_member_of_key, user_key,
};
use guanxi_model::{Edge, GroupId, Stamp, Uid, UserGroup};
use std::ops::Bound;

/// All groups of an owner, in the order of their numbers.
pub(crate) fn groups(snapshot: &Snapshot, owner: Uid) -> Result<Vec<UserGroup>, EngineError> {
    let rows = snapshot.prefix(Table::Records, &user_key(USER_GROUP, owner)).map(|row| {
        let (key, value) = row?;
        let group = parse_group_key(&key).and_then(|(owner, id)| decode_group(owner, id, &value));
        group.ok_or_else(|| damaged(format_args!("a group of user {owner}")))
    });
    rows.collect()
}

/// A group.
pub(crate) fn group(snapshot: &Snapshot, owner: Uid, id: GroupId) -> Result<Option<UserGroup>, EngineError> {
    let decode = |bytes: &[u8]| decode_group(owner, id, bytes);
    record(snapshot, &group_key(USER_GROUP, owner, id), decode, format_args!("group {id} of user {owner}"))
}

/// The last number that an owner has given.
pub(crate) fn last_number(snapshot: &Snapshot, owner: Uid) -> Result<Option<GroupId>, EngineError> {
    let key = user_key(GROUP_NUMBER, owner);
    record(snapshot, &key, decode_group_number, format_args!("the last group number of user {owner}"))
}

/// The members of a group, by uid.
pub(crate) fn members(snapshot: &Snapshot, owner: Uid, id: GroupId) -> Result<Vec<Edge>, EngineError> {
    let rows = snapshot.prefix(Table::Records, &group_key(GROUP_MEMBER, owner, id)).map(|row| {
        let (key, value) = row?;
        let parsed = parse_group_member_key(&key).zip(decode_stamp(&value));
        let damaged = || damaged(format_args!("a member of group {id} of user {owner}"));
        let ((_, _, uid), at) = parsed.ok_or_else(damaged)?;
        Ok(Edge { at, uid })
    });
    rows.collect()
}

/// Returns since when a user is a member of a group, if it is.
pub(crate) fn member_since(
    snapshot: &Snapshot,
    owner: Uid,
    id: GroupId,
    member: Uid,
) -> Result<Option<Stamp>, EngineError> {
    let key = group_member_key(owner, id, member);
    record(snapshot, &key, decode_stamp, format_args!("a member of group {id} of user {owner}"))
}

/// An owner's groups that contain a user, in the order of their numbers.
pub(crate) fn groups_with(snapshot: &Snapshot, owner: Uid, member: Uid) -> Result<Vec<GroupId>, EngineError> {
    let rows = snapshot.prefix(Table::Records, &member_of_owner_key(member, owner)).map(|row| {
        let parsed = parse_member_of_key(&row?.0).map(|(_, _, id)| id);
        parsed.ok_or_else(|| damaged(format_args!("a group that user {member} is in")))
    });
    rows.collect()
}

/// Returns whose groups contain a user, and which, after one; at most `max`.
pub(crate) fn memberships(
    snapshot: &Snapshot,
    member: Uid,
    after: Option<(Uid, GroupId)>,
    max: usize,
) -> Result<Vec<(Uid, GroupId)>, EngineError> {
    let first = user_key(MEMBER_OF, member);
    let mut last = [0xff; 21];
    last[..9].copy_from_slice(&first);
    let after = after.map(|(owner, id)| member_of_key(member, owner, id));
    let from = after.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    let rows = snapshot.range(Table::Records, from, Bound::Included(&last)).take(max).map(|row| {
        let parsed = parse_member_of_key(&row?.0).map(|(_, owner, id)| (owner, id));
        parsed.ok_or_else(|| damaged(format_args!("a group that user {member} is in")))
    });
    rows.collect()
}

/// Returns whether anybody is in a group.
pub(crate) fn any_members(snapshot: &Snapshot) -> Result<bool, EngineError> {
    snapshot.prefix(Table::Records, &[MEMBER_OF]).next().transpose().map(|row| row.is_some())
}

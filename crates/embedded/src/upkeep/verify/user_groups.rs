//! Groups: each has as many members as it says and a number that was given, each member is in a group that is there, is
//! found from the member, and no block parts it from the owner.

use super::findings::{Readable, Unmatched};
use crate::engine::{Snapshot, Table};
use crate::layout::{
    BLOCK, GROUP_MEMBER, GROUP_NUMBER, MEMBER_OF, USER_GROUP, decode_group, decode_group_number,
    decode_stamp, group_key, group_member_key, member_of_key, pair_key, parse_group_key,
    parse_group_member_key, parse_member_of_key, parse_user_key,
};
use crate::rows;

/// Returns what a record of groups is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    Some(match key.first() {
        Some(&USER_GROUP) => {
            ("group", parse_group_key(key).and_then(|(owner, id)| decode_group(owner, id, value)).is_some())
        }
        Some(&GROUP_NUMBER) => {
            ("last number of groups", parse_user_key(key).zip(decode_group_number(value)).is_some())
        }
        Some(&GROUP_MEMBER) => ("member", parse_group_member_key(key).zip(decode_stamp(value)).is_some()),
        Some(&MEMBER_OF) => ("group of a member", parse_member_of_key(key).is_some() && value.is_empty()),
        _ => return None,
    })
}

/// Returns what is wrong with a readable record of groups, if others do not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    let has = |key: &[u8]| snapshot.contains(Table::Records, key);
    if key.first() == Some(&USER_GROUP)
        && let Some(group) = parse_group_key(key).and_then(|(owner, id)| decode_group(owner, id, value))
    {
        let members = rows::user_groups::members(snapshot, group.owner, group.id)?.len();
        let last = rows::user_groups::last_number(snapshot, group.owner)?;
        return Ok(if members != group.members as usize {
            Some("group that counts other members than it has")
        } else if last.is_none_or(|last| last < group.id) {
            Some("group whose number its owner has not given")
        } else {
            None
        });
    }
    if key.first() == Some(&GROUP_MEMBER)
        && let Some((owner, id, member)) = parse_group_member_key(key)
    {
        return Ok(if !has(&group_key(USER_GROUP, owner, id))? {
            Some("member of a group that is not there")
        } else if !has(&member_of_key(member, owner, id))? {
            Some("member who is not found from its side")
        } else if has(&pair_key(BLOCK, owner, member))? || has(&pair_key(BLOCK, member, owner))? {
            Some("member whom a block parts from the owner")
        } else {
            None
        });
    }
    if key.first() == Some(&MEMBER_OF)
        && let Some((member, owner, id)) = parse_member_of_key(key)
    {
        let is_member = has(&group_member_key(owner, id, member))?;
        return Ok((!is_member).then_some("group of a user who is no member"));
    }
    Ok(None)
}

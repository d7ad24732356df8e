//! Rows of groups: what they are called, who is in them, and the way back from members.

use super::keys::parse_uid;
use super::parts::keys;
use guanxi_model::bytes::Reader;
use guanxi_model::limits::GROUP_NAME_LEN_MAX;
use guanxi_model::stored::{get_varint, put_varint};
use guanxi_model::{GroupId, Stamp, Uid, UserGroup};

/// Prefix of groups.
pub const USER_GROUP: u8 = b'G';
/// Prefix of the last numbers that owners have given.
pub const GROUP_NUMBER: u8 = b'O';
/// Prefix of members.
pub const GROUP_MEMBER: u8 = b'v';
/// Prefix of the same members, by who they are.
pub const MEMBER_OF: u8 = b'0';

/// Posts were made for the group.
const AUDIENCE: u8 = 1;

/// `owner group`, the key of a group, and the start of its members'.
pub fn group_key(prefix: u8, owner: Uid, id: GroupId) -> [u8; 13] {
    let mut key = [prefix; 13];
    key[1..9].copy_from_slice(&owner.get().to_be_bytes());
    key[9..].copy_from_slice(&id.get().to_be_bytes());
    key
}

/// Reads the key of a group, without its prefix.
pub fn parse_group_key(key: &[u8]) -> Option<(Uid, GroupId)> {
    let (owner, id) = key.get(1..)?.split_at_checked(8)?;
    Some((parse_uid(owner)?, decode_group_number(id)?))
}

keys! {
    /// `owner group member`, the key of a member.
    group_member_key, parse_group_member_key = [GROUP_MEMBER] (owner: Uid, id: GroupId, member: Uid);
    /// `member owner group`, the key of a member by who it is: the member, and whose group it is in.
    member_of_key, parse_member_of_key = [MEMBER_OF] (member: Uid, owner: Uid, id: GroupId);
}

/// `member owner`, the start of the rows that say in which of an owner's groups a user is.
pub fn member_of_owner_key(member: Uid, owner: Uid) -> [u8; 17] {
    super::pair_key(MEMBER_OF, member, owner)
}

/// The stored form of the last number that an owner has given.
pub const fn encode_group_number(id: GroupId) -> [u8; 4] {
    id.get().to_be_bytes()
}

/// Reads the last number that an owner has given.
pub fn decode_group_number(bytes: &[u8]) -> Option<GroupId> {
    GroupId::new(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
}

/// The stored form of a group; owner and number are in the key.
pub fn encode_group(group: &UserGroup) -> Vec<u8> {
    let UserGroup { name, created, revision, members, audience, .. } = group;
    let mut out = vec![if *audience { AUDIENCE } else { 0 }];
    out.extend(created.raw().to_be_bytes());
    put_varint(&mut out, (*revision).into());
    put_varint(&mut out, (*members).into());
    out.extend(name.as_bytes());
    out
}

/// Reads a group.
pub fn decode_group(owner: Uid, id: GroupId, bytes: &[u8]) -> Option<UserGroup> {
    let mut reader = Reader::new(bytes);
    let (flags, created) = (reader.u8()?, Stamp::from_raw(reader.u64()?));
    let revision = u32::try_from(get_varint(&mut reader)?).ok()?;
    let members = u32::try_from(get_varint(&mut reader)?).ok()?;
    let name = std::str::from_utf8(reader.rest()).ok()?;
    let is_name = !name.is_empty() && name.len() <= GROUP_NAME_LEN_MAX as usize;
    (flags & !AUDIENCE == 0 && is_name).then(|| UserGroup {
        owner,
        id,
        name: name.to_owned(),
        created,
        revision,
        members,
        audience: flags & AUDIENCE != 0,
    })
}

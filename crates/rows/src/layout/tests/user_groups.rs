//! Rows of groups.

use super::super::*;
use super::{hex, uid};
use guanxi_model::limits::GROUP_NAME_LEN_MAX;
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::{Change, Event, GroupChange, GroupId, GroupOutcome, Outcome, Reason, Stamp, UserGroup};

fn id(n: u32) -> GroupId {
    GroupId::new(n).unwrap()
}

fn stamp() -> Stamp {
    Stamp::from_raw(0x0123_4567_89ab_cdef)
}

fn group(name: &str) -> UserGroup {
    let (owner, name, created) = (uid(1), name.to_owned(), stamp());
    UserGroup { owner, id: id(3), name, created, revision: 300, members: 7, audience: false }
}

fn event(kind: GroupChange) -> Event {
    let change = Change::Group { id: id(3), kind };
    Event { at: event_at(9), version: stamp(), subject: uid(1), change, echo: None }
}

fn answer() -> AnswerValue {
    let made = GroupOutcome { result: Ok(true), id: Some(id(3)), revision: 1 };
    let full = GroupOutcome { result: Err(Reason::LimitReached { limit: 100 }), id: None, revision: 0 };
    let gone = GroupOutcome { result: Err(Reason::GroupNotFound), id: Some(id(300)), revision: 0 };
    let outcomes = [made, full, gone].map(Outcome::Group).into_iter().chain([Outcome::Done]).collect();
    AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes }
}

#[test]
fn the_bytes_of_groups_never_change() {
    let events = GroupChange::ALL.map(|kind| ("event", encode_event(&event(kind))));
    let rows = [
        ("group key", group_key(USER_GROUP, uid(1), id(3)).to_vec()),
        ("group", encode_group(&group("家人"))),
        ("number key", user_key(GROUP_NUMBER, uid(1)).to_vec()),
        ("number", encode_group_number(id(3)).to_vec()),
        ("member key", group_member_key(uid(1), id(3), uid(2)).to_vec()),
        ("member", encode_stamp(stamp()).to_vec()),
        ("key by member", member_of_key(uid(2), uid(1), id(3)).to_vec()),
        ("answer", answer().encode()),
    ];
    let of_audience = UserGroup { audience: true, ..group("家人") };
    let rows = rows.into_iter().chain(events).chain([("group with posts", encode_group(&of_audience))]);
    let golden: String = rows.map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).collect();
    super::check_golden("groups", &golden);
}

#[test]
fn rows_of_groups_are_read_back_and_nothing_else_is() {
    for name in ["a", "家人", &"x".repeat(GROUP_NAME_LEN_MAX as usize)] {
        let group = UserGroup { audience: name.len() > 1, ..group(name) };
        assert_eq!(decode_group(group.owner, group.id, &encode_group(&group)), Some(group));
    }
    for name in ["", &"x".repeat(GROUP_NAME_LEN_MAX as usize + 1)] {
        assert_eq!(decode_group(uid(1), id(3), &encode_group(&group(name))), None, "{name:?}");
    }
    let mut flagged = encode_group(&group("a"));
    flagged[0] = 2;
    assert_eq!(decode_group(uid(1), id(3), &flagged), None);
    let (owner, member, all) = (uid(1), uid(2), (uid(1), id(3), uid(2)));
    assert_eq!(parse_group_key(&group_key(USER_GROUP, owner, id(3))), Some((owner, id(3))));
    assert_eq!(parse_group_member_key(&group_member_key(owner, id(3), member)), Some(all));
    assert_eq!(parse_member_of_key(&member_of_key(member, owner, id(3))), Some((member, owner, id(3))));
    assert_eq!(decode_group_number(&[0; 4]), None);
    assert_eq!(AnswerValue::decode(&answer().encode()), Some(answer()));
    for kind in GroupChange::ALL {
        assert_eq!(decode_event(event_at(9), &encode_event(&event(kind))), Some(event(kind)));
    }
}

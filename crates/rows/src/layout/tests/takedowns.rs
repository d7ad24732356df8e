//! Rows of posts and users that an operator has taken down.

use super::super::*;
use super::{lines, uid};
use guanxi_model::event::{PostChange, UserChange};
use guanxi_model::post::{Body, Kind, PostOutcome};
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::user::{Standing, UserOutcome, UserStatus};
use guanxi_model::{Change, Event, Outcome, Post, PostHeader, PostId, Reason, Stamp, User, Visibility};

fn id() -> PostId {
    PostId::new(0x0123_4567_89ab_cd01).unwrap()
}

fn post(kind: Kind, deleted_ms: Option<u64>, create_ms: u64) -> PostValue {
    let header = PostHeader {
        id: id(),
        author: uid(1),
        kind,
        visibility: Visibility::Friends,
        deleted: true,
        taken_down: deleted_ms.is_none(),
        event: Some(event_at(300)),
    };
    let body = Body { text: "你好 ok".into(), attachments: Vec::new() };
    let (update_ms, takedown) = (1_700_000_000_000, Some("spam".to_owned()));
    PostValue {
        post: Post { header, body, revision: 2, update_ms, create_ms, deleted_ms, takedown },
        changed: 301,
    }
}

fn posts() -> [(&'static str, PostValue); 3] {
    let (of, author) = (PostId::MIN, uid(9));
    [
        ("post", post(Kind::Post, None, id().ms())),
        ("quote", post(Kind::Quote { of, author }, None, id().ms())),
        ("deleted post with a time", post(Kind::Post, Some(1_700_000_000_001), 1_699_999_999_999)),
    ]
}

fn users() -> [(&'static str, User); 2] {
    let taken =
        |status| User { status, takedown: Some("abuse".into()), revision: 3, ..User::unknown(uid(7)) };
    [("active user", taken(UserStatus::Active)), ("deactivated user", taken(UserStatus::Deactivated))]
}

fn events() -> [(&'static str, Event); 4] {
    let event = |change| Event {
        at: event_at(9),
        version: Stamp::from_raw(0x0102),
        subject: uid(7),
        change,
        echo: None,
    };
    let of_post = |kind| event(Change::Post { id: id(), kind });
    let of_user = |change| event(Change::User(change));
    [
        ("post taken down", of_post(PostChange::TakenDown)),
        ("post reinstated", of_post(PostChange::Reinstated)),
        ("user taken down", of_user(UserChange::TakenDown)),
        ("user reinstated", of_user(UserChange::Reinstated)),
    ]
}

fn answer() -> AnswerValue {
    let why = Reason::UserTakenDown { reason: "abuse".into() };
    let of_user = Outcome::User(UserOutcome { result: Err(why), uid: uid(7), revision: 3 });
    let of_post =
        Outcome::Post(PostOutcome { result: Err(Reason::PostTakenDown), id: Some(id()), revision: 2 });
    AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes: vec![of_user, of_post] }
}

#[test]
fn rows_of_takedowns_have_golden_bytes() {
    let mut rows: Vec<(&str, Vec<u8>)> = posts().map(|(name, value)| (name, value.encode())).into();
    rows.extend(users().iter().map(|(name, user)| (*name, encode_user(user))));
    let standing = |user: &User| encode_standing(user.standing()).unwrap();
    rows.extend(
        users()
            .iter()
            .zip(["standing", "standing of a deactivated one"])
            .map(|((_, user), name)| (name, standing(user))),
    );
    rows.extend(events().map(|(name, event)| (name, encode_event(&event))));
    rows.push(("answer", answer().encode()));
    super::check_golden("takedowns", &lines(rows));
}

#[test]
fn rows_of_takedowns_are_read_back_and_nothing_else_is() {
    for (name, value) in posts() {
        let bytes = value.encode();
        assert_eq!(decode_header(id(), &bytes), Some((value.post.header, value.changed)), "{name}");
        assert_eq!(PostValue::decode(id(), &bytes), Some(value), "{name}");
        for cut in 0..bytes.len() {
            assert_eq!(PostValue::decode(id(), &bytes[..cut]), None, "{name} cut at {cut}");
        }
        // A row that is taken down is gone.
        let stands = [&[bytes[0] & !0b1_0000], &bytes[1..]].concat();
        assert_eq!((PostValue::decode(id(), &stands), decode_header(id(), &stands)), (None, None), "{name}");
    }
    for (name, user) in users() {
        let bytes = encode_user(&user);
        for cut in 0..bytes.len() {
            assert_eq!(decode_user(uid(7), &bytes[..cut]), None, "{name} cut at {cut}");
        }
        let standing = user.standing();
        assert_eq!(decode_standing(&encode_standing(standing).unwrap()), Some(standing), "{name}");
        assert_eq!(decode_user(uid(7), &bytes), Some(user), "{name}");
    }
    for (name, event) in events() {
        assert_eq!(decode_event(event_at(9), &encode_event(&event)), Some(event), "{name}");
    }
    assert_eq!(AnswerValue::decode(&answer().encode()), Some(answer()));
    let gone = Standing { status: UserStatus::Erased { at_ms: 5 }, taken_down: true, ..Standing::default() };
    assert_eq!(
        decode_standing(&encode_standing(gone).unwrap()),
        None,
        "whoever is deleted is not taken down"
    );
}

//! Rows of posts.

use super::super::*;
use super::{hex, uid};
use guanxi_model::event::PostChange;
use guanxi_model::post::{
    Attachment, AttachmentKind, AuthorRow, Body, Kind, PostOutcome, PostStats, Revision,
};
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::{
    Change, Edge, Event, FanoutMode, FanoutPolicy, GroupId, Outcome, Post, PostHeader, PostId, Reason, Stamp,
    Visibility,
};
use guanxi_ports::AuthorHead;

fn id() -> PostId {
    PostId::new(0x0123_4567_89ab_cd01).unwrap()
}

fn body() -> Body {
    let attachment = |kind, reference: &str| Attachment { kind, reference: reference.into() };
    let attachments = vec![attachment(AttachmentKind::Image, "a.png"), attachment(AttachmentKind::File, "b")];
    Body { text: "你好 ok".into(), attachments }
}

fn post(kind: Kind, visibility: Visibility, deleted: bool, body: Body) -> PostValue {
    let header = PostHeader {
        id: id(),
        author: uid(1),
        kind,
        visibility,
        deleted,
        taken_down: false,
        event: Some(event_at(300)),
    };
    let (update_ms, create_ms) = (1_700_000_000_000, id().ms());
    PostValue {
        post: Post { header, body, revision: 2, update_ms, create_ms, deleted_ms: None, takedown: None },
        changed: 301,
    }
}

fn posts() -> [(&'static str, PostValue); 3] {
    let (to, author) = (PostId::MIN, uid(9));
    let repost = Kind::Repost { of: to, author };
    [
        ("post", post(Kind::Post, Visibility::Public, false, body())),
        ("reply", post(Kind::Reply { to, author }, Visibility::Followers, false, body())),
        ("deleted repost", post(repost, Visibility::Friends, true, Body::default())),
    ]
}

/// Posts with a time of their own, and quotes, told from reposts.
fn later_posts() -> [(&'static str, PostValue); 4] {
    let (of, author) = (PostId::MIN, uid(9));
    let (repost, quote) = (Kind::Repost { of, author }, Kind::Quote { of, author });
    let timed = |mut value: PostValue| {
        value.post.create_ms = 1_699_999_999_999;
        value
    };
    let silent = Body { text: String::new(), ..body() };
    [
        ("post with a time", timed(post(Kind::Post, Visibility::Public, false, body()))),
        ("repost with a time", timed(post(repost, Visibility::Public, false, Body::default()))),
        ("quote", post(quote, Visibility::Public, false, body())),
        ("quote without text", timed(post(quote, Visibility::Public, true, silent))),
    ]
}

/// Posts that say since when they are deleted.
fn dated_posts() -> [(&'static str, PostValue); 2] {
    let deleted = |mut value: PostValue| {
        value.post.deleted_ms = Some(1_700_000_000_001);
        value
    };
    let mut timed = post(Kind::Post, Visibility::Friends, true, Body::default());
    timed.post.create_ms = 1_699_999_999_999;
    [
        ("deleted post", deleted(post(Kind::Post, Visibility::Public, true, body()))),
        ("deleted post with a time", deleted(timed)),
    ]
}

/// Posts for a group.
fn posts_for_groups() -> [(&'static str, PostValue); 3] {
    let (of, author) = (PostId::MIN, uid(9));
    let group = |raw| Visibility::Group(GroupId::new(raw).unwrap());
    let mut dated = post(Kind::Post, group(u32::MAX), true, body());
    (dated.post.create_ms, dated.post.deleted_ms) = (1_699_999_999_999, Some(1_700_000_000_001));
    [
        ("post for a group", post(Kind::Post, group(1), false, body())),
        ("quote for a group", post(Kind::Quote { of, author }, group(300), false, body())),
        ("deleted post for a group with a time", dated),
    ]
}

fn revision_for_a_group() -> Revision {
    let visibility = Visibility::Group(GroupId::new(300).unwrap());
    Revision { revision: 1, update_ms: 300, visibility, body: body() }
}

#[test]
fn a_post_for_a_group_names_one() {
    let [(_, value), ..] = posts_for_groups();
    // Behind the flags and the author.
    let mut bytes = value.encode();
    bytes[9] = 0;
    assert_eq!((PostValue::decode(id(), &bytes), decode_header(id(), &bytes)), (None, None));
    assert_eq!(decode_revision(1, &encode_revision(&revision_for_a_group())), Some(revision_for_a_group()));
}

#[test]
fn only_what_is_deleted_says_since_when() {
    let [(_, value), _] = dated_posts();
    let mut bytes = value.encode();
    bytes[0] &= !0b1_0000;
    assert_eq!((PostValue::decode(id(), &bytes), decode_header(id(), &bytes)), (None, None));
}

fn head(last_id: Option<PostId>) -> AuthorHead {
    AuthorHead { last_id, last: event_at(5), changed: event_at(4) }
}

/// One line per row form of what posts may have beside the usual, and of the rows beside them.
fn later_golden() -> String {
    let author = |created_from| encode_author(&AuthorRow { head: head(Some(id())), created_from });
    let mut rows: Vec<(&str, Vec<u8>)> = vec![
        ("author", author(Some(id()))),
        ("author of imported posts", author(None)),
        ("reposted key", reposted_key(uid(2), id()).to_vec()),
        ("reposts", encode_reposts(&[PostId::MIN, id()])),
    ];
    rows.extend(later_posts().map(|(name, value)| (name, value.encode())));
    let imported_like = later_like();
    rows.extend([("name key", of_post_key(NAME, id()).to_vec()), ("liked at", encode_event(&imported_like))]);
    rows.push(("other name key", other_name_key(id(), "n")));
    assert_eq!(parse_other_name_key(&other_name_key(id(), "n")), Some((id(), "n")));
    assert_eq!(parse_other_name_key(&of_post_key(NAME, id())), None, "that has a row of its own");
    rows.push(("deleted post key", deleted_post_key(1_700_000_000_001, id()).to_vec()));
    rows.extend(
        dated_posts().into_iter().chain(posts_for_groups()).map(|(name, value)| (name, value.encode())),
    );
    rows.push(("repost of key", repost_of_key(PostId::MIN, id()).to_vec()));
    rows.push(("earlier revision for a group", encode_revision(&revision_for_a_group())));
    super::lines(rows)
}

#[test]
fn the_bytes_of_posts_never_change() {
    super::check_golden("posts", &(golden() + &later_golden()));
}

fn outcomes() -> Vec<PostOutcome> {
    let results = [
        Ok(false),
        Ok(true),
        Err(Reason::PostNotFound),
        Err(Reason::PostDeleted),
        Err(Reason::PostForbidden),
        Err(Reason::RevisionMismatch { revision: 7 }),
        Err(Reason::LimitReached { limit: 1_000 }),
        Err(Reason::TextTooLong { limit: 5_000 }),
        Err(Reason::BatchTooLarge { limit: 16 }),
        Err(Reason::TooLong { field: "attachments.reference", limit: 2_048 }),
        Err(Reason::MissingField { field: "attachments.reference" }),
        Err(Reason::MissingField { field: "text" }),
        Err(Reason::InvalidField { field: "repost_of" }),
        Err(Reason::Internal),
    ];
    let outcome = |(n, result)| PostOutcome { result, id: (n % 2 == 0).then_some(id()), revision: n };
    (0..).zip(results).map(outcome).collect()
}

fn answer() -> AnswerValue {
    AnswerValue {
        fingerprint: 1,
        ms: 2,
        seq: 3,
        outcomes: outcomes().into_iter().map(Outcome::Post).collect(),
    }
}

/// A like that was imported.
fn later_like() -> Event {
    let version = Stamp::from_raw(0x0123_4567_89ab_cdef);
    let change = Change::Liked { id: id(), author: uid(2), at: Stamp::from_raw(version.raw() - 1) };
    Event { at: event_at(9), version, subject: uid(1), change, echo: None }
}

fn events() -> Vec<(String, Event)> {
    let version = Stamp::from_raw(0x0123_4567_89ab_cdef);
    let event = |change| Event { at: event_at(9), version, subject: uid(1), change, echo: None };
    // The last one stands with users.
    let posts = PostChange::ALL[..7]
        .iter()
        .map(|&kind| (format!("{kind:?}").to_lowercase(), event(Change::Post { id: id(), kind })));
    let liked = ("liked".into(), event(Change::Liked { id: id(), author: uid(2), at: version }));
    let unliked = ("unliked".into(), event(Change::Unliked { id: id(), author: uid(2) }));
    posts.chain([liked, unliked]).collect()
}

/// One line per row form.
fn golden() -> String {
    let like = Edge { at: Stamp::from_raw(0x0123_4567_89ab_cdef), uid: uid(2) };
    let stats = PostStats { likes: 300, replies: 0, reposts: 1 };
    let policy = FanoutPolicy { mode: FanoutMode::Hybrid, ..FanoutPolicy::default() };
    let earlier =
        Revision { revision: 1, update_ms: 300, visibility: Visibility::Friends, body: Body::default() };
    let mut rows: Vec<(String, Vec<u8>)> = [
        ("post key", post_key(id()).to_vec()),
        ("outbox key", outbox_key(uid(1), id()).to_vec()),
        ("head key", user_key(AUTHOR, uid(1)).to_vec()),
        ("stats key", of_post_key(POST_STATS, id()).to_vec()),
        ("like key", like_key(id(), uid(2)).to_vec()),
        ("like time key", like_time_key(id(), like).to_vec()),
        ("revision key", revision_key(id(), 1).to_vec()),
        ("source key", source_key(uid(1), "n:1")),
        ("seen key", user_key(SEEN, uid(1)).to_vec()),
        ("policy key", POLICY_KEY.to_vec()),
        ("ids key", IDS_KEY.to_vec()),
        ("number", encode_number(9).to_vec()),
        ("stats", encode_stats(&stats)),
        ("revision", encode_revision(&earlier)),
        ("policy", encode_policy(&policy)),
        ("answer", answer().encode()),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .to_vec();
    rows.extend(posts().map(|(name, value)| (name.to_owned(), value.encode())));
    rows.extend(events().iter().map(|(name, event)| (name.clone(), encode_event(event))));
    rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(bytes))).collect()
}

#[test]
fn posts_and_what_goes_with_them_round_trip() {
    for (name, value) in
        posts().into_iter().chain(later_posts()).chain(dated_posts()).chain(posts_for_groups())
    {
        let bytes = value.encode();
        assert_eq!(decode_header(id(), &bytes), Some((value.post.header, value.changed)), "{name}");
        assert_eq!(PostValue::decode(id(), &bytes), Some(value), "{name}");
        assert_eq!(PostValue::decode(id(), &bytes[..bytes.len() - 1]), None, "{name}");
    }
    let earlier = Revision { revision: 3, update_ms: 0, visibility: Visibility::Followers, body: body() };
    assert_eq!(decode_revision(3, &encode_revision(&earlier)), Some(earlier));
    for created_from in [None, Some(id())] {
        for last_id in [None, Some(id())] {
            let author = AuthorRow { head: head(last_id), created_from };
            assert_eq!(decode_author(&encode_author(&author)), Some(author));
        }
    }
    for ids in [&[id()][..], &[PostId::MIN, id()]] {
        assert_eq!(decode_reposts(&encode_reposts(ids)).as_deref(), Some(ids));
    }
    for wrong in [&[][..], &[id(), id()], &[id(), PostId::MIN]] {
        assert_eq!(decode_reposts(&encode_reposts(wrong)), None);
    }
    let stats = PostStats { likes: 300, replies: 2, reposts: u64::MAX };
    assert_eq!(decode_stats(&encode_stats(&stats)), Some(stats));
    for mode in [FanoutMode::Pull, FanoutMode::Push, FanoutMode::Hybrid] {
        let policy = FanoutPolicy { mode, inbox_cap: 7, ..FanoutPolicy::default() };
        assert_eq!(decode_policy(&encode_policy(&policy)), Some(policy));
    }
    assert_eq!(AnswerValue::decode(&answer().encode()), Some(answer()));
    for (_, event) in events() {
        assert_eq!(decode_event(event_at(9), &encode_event(&event)), Some(event));
    }
}

#[test]
fn keys_of_posts_round_trip_and_order_newest_first() {
    let like = |ms| Edge { at: Stamp::from_ms(ms), uid: uid(2) };
    assert_eq!(parse_post_key(&post_key(id())), Some(id()));
    assert_eq!(parse_outbox_key(&outbox_key(uid(1), id())), Some((uid(1), id())));
    assert_eq!(parse_of_post_key(&of_post_key(POST_STATS, id())), Some(id()));
    assert_eq!(parse_like_key(&like_key(id(), uid(2))), Some((id(), uid(2))));
    assert_eq!(parse_like_time_key(&like_time_key(id(), like(5))), Some((id(), like(5))));
    assert_eq!(parse_revision_key(&revision_key(id(), 7)), Some((id(), 7)));
    assert_eq!(parse_source_key(&source_key(uid(1), "n:1")), Some((uid(1), "n:1")));
    assert_eq!(parse_source_key(&source_key(uid(1), "")), None);
    assert_eq!(parse_reposted_key(&reposted_key(uid(2), id())), Some((uid(2), id())));
    assert_eq!(parse_repost_of_key(&repost_of_key(PostId::MIN, id())), Some((PostId::MIN, id())));
    assert_eq!(parse_deleted_post_key(&deleted_post_key(5, id())), Some((5, id())));
    assert!(deleted_post_key(5, PostId::MAX) < deleted_post_key(6, PostId::MIN));
    assert!(repost_of_key(PostId::MIN, PostId::MAX) < repost_of_key(PostId::MIN, PostId::MIN));
    assert!(outbox_key(uid(1), PostId::MAX) < outbox_key(uid(1), PostId::MIN));
    assert!(outbox_key(uid(1), PostId::MIN) < outbox_key(uid(2), PostId::MAX));
    assert!(like_time_key(id(), like(6)) < like_time_key(id(), like(5)));
    assert!(revision_key(id(), 300) < revision_key(id(), 2));
}

/// Decodes bytes as each kind of row, for whether that panics.
pub(super) fn decode_all(bytes: &[u8]) {
    let _ = (PostValue::decode(id(), bytes), decode_header(id(), bytes), decode_revision(1, bytes));
    let _ = (decode_author(bytes), decode_stats(bytes), decode_policy(bytes), decode_number(bytes));
    let _ = (parse_post_key(bytes), parse_outbox_key(bytes), parse_of_post_key(bytes), parse_like_key(bytes));
    let _ = (parse_like_time_key(bytes), parse_revision_key(bytes), parse_source_key(bytes));
    let _ = (parse_reposted_key(bytes), decode_reposts(bytes), parse_repost_of_key(bytes));
}

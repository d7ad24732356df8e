//! Headers in memory, when readers and commits overtake each other.

use super::*;
use crate::cut::At;
use guanxi_model::post::Kind;
use guanxi_model::{EventAt, GroupId, LogId, Uid, Visibility};
use proptest::prelude::*;

/// The log of all events here.
const LOG: LogId = LogId(0);

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn id(n: u64) -> PostId {
    PostId::new(n).unwrap()
}

fn header(n: u64) -> PostHeader {
    PostHeader {
        id: id(n),
        author: uid(7),
        kind: Kind::Post,
        visibility: Visibility::Public,
        deleted: false,
        taken_down: false,
        event: (n > 0).then(|| EventAt::new(LOG, n)),
    }
}

fn any_header() -> impl Strategy<Value = PostHeader> {
    let ids = 1..=PostId::MAX.get();
    let kinds = (0..4_u8, ids.clone(), 1..=Uid::MAX.get()).prop_map(|(kind, other, author)| match kind {
        0 => Kind::Post,
        1 => Kind::Reply { to: id(other), author: uid(author) },
        2 => Kind::Repost { of: id(other), author: uid(author) },
        _ => Kind::Quote { of: id(other), author: uid(author) },
    });
    let visibilities = prop_oneof![
        Just(Visibility::Public),
        Just(Visibility::Followers),
        Just(Visibility::Friends),
        (1..=u32::MAX).prop_map(|group| Visibility::Group(GroupId::new(group).unwrap())),
    ];
    (ids, 1..=Uid::MAX.get(), kinds, visibilities, 0..3_u8, 0..1_u64 << 56).prop_map(
        |(n, author, kind, visibility, gone, seq)| PostHeader {
            id: id(n),
            author: uid(author),
            kind,
            visibility,
            deleted: gone > 0,
            taken_down: gone > 1,
            event: (seq > 0).then(|| EventAt::new(LOG, seq)),
        },
    )
}

proptest! {
    #[test]
    fn a_packed_header_says_what_was_packed(header in any_header(), as_of in 0..1_u64 << 60) {
        let for_group = header.visibility.group().is_some();
        let Some(packed) = PackedHeader::new(&header, as_of) else {
            prop_assert!(for_group && header.kind != Kind::Post);
            return Ok(());
        };
        packed.touch();
        prop_assert_eq!(packed.clone().unpack(header.id, LOG), Some(header));
        prop_assert_eq!(packed.as_of(), as_of);
    }
}

#[test]
fn a_slot_takes_forty_eight_bytes() {
    assert_eq!(size_of::<(u64, PackedHeader)>(), 48);
}

#[test]
fn a_fill_that_a_commit_overtook_is_not_kept() {
    let headers = HeaderCache::new(1 << 20);
    let deleted = PostHeader { deleted: true, ..header(5) };
    let ids = [id(5), id(6)];
    let fills = headers.begin_fills(&ids);
    headers.apply(9, &[deleted]);
    fills.keep(&ids.map(|id| Some((header(id.get()), 1))));
    assert_eq!(headers.at(&ids, &At(9, 100)).headers, [Some(deleted), Some(header(6))]);
}

#[test]
fn a_fill_that_failed_keeps_nothing_and_stops_nothing() {
    let headers = HeaderCache::new(1 << 20);
    drop(headers.begin_fills(&[id(5)]));
    assert_eq!(headers.at(&[id(5)], &At(9, 9)).unknown, [0]);
    assert_eq!(headers.size().1, 0);
}

#[test]
fn an_older_cut_is_not_answered_with_what_came_later() {
    let headers = HeaderCache::new(1 << 20);
    headers.apply(6, &[header(6)]);
    headers.apply(7, &[header(7)]);
    let known = headers.at(&[id(6), id(7), id(8)], &At(6, 6));
    assert_eq!(
        (&known.headers[..], known.newer, known.unknown),
        (&[Some(header(6)), None, None][..], vec![], vec![])
    );
    headers.apply(8, &[PostHeader { deleted: true, ..header(6) }]);
    let known = headers.at(&[id(6), id(7), id(8)], &At(7, 8));
    assert_eq!(
        (&known.headers[..], known.newer, known.unknown),
        (&[None, Some(header(7)), None][..], vec![0], vec![2])
    );
}

#[test]
fn imported_posts_take_no_room_unless_they_are_read() {
    let headers = HeaderCache::new(1 << 20);
    headers.apply(3, &[PostHeader { event: None, ..header(5) }, header(6)]);
    assert_eq!(headers.size().1, 1);
    headers.apply(4, &[PostHeader { event: None, deleted: true, ..header(5) }]);
    assert_eq!(headers.size().1, 1);
}

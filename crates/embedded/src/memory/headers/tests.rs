//! Headers in memory, when readers and the writer overtake each other.

use super::*;
use crate::engine::EngineError;
use crate::layout::event_at;
use crate::options::Options;
use crate::store::EmbeddedStore;
use guanxi_model::post::{Body, Draft, Kind, PostCommand};
use guanxi_model::{GroupId, HistoryId, ManualClock, Uid, Visibility, Write};
use guanxi_ports::Facts as _;
use proptest::prelude::*;
use std::sync::Arc;

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
        event: (n > 0).then(|| event_at(n)),
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
            event: (seq > 0).then(|| event_at(seq)),
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
        prop_assert_eq!(packed.clone().unpack(header.id), Some(header));
        prop_assert_eq!(packed.as_of(), as_of);
    }
}

#[test]
fn a_slot_takes_forty_eight_bytes() {
    assert_eq!(size_of::<(u64, PackedHeader)>(), 48);
}

struct Opened {
    store: EmbeddedStore,
    _dir: tempfile::TempDir,
}

fn open() -> Opened {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { new_history: HistoryId(1), free_space_reserve: 0, ..Options::default() };
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    Opened { store: EmbeddedStore::open(dir.path(), options, clock).unwrap(), _dir: dir }
}

async fn command(opened: &Opened, command: PostCommand) -> PostId {
    let write = Write::of(command);
    let answer = opened.store.apply(write).await.unwrap();
    assert_eq!(answer.clone().post().unwrap().result, Ok(true));
    answer.post().unwrap().id.unwrap()
}

async fn post(opened: &Opened) -> PostId {
    let body = Body { text: "said".into(), ..Body::default() };
    let (visibility, reply_to, repost_of) = (Visibility::Public, None, None);
    command(opened, PostCommand::Create(Draft { author: uid(7), body, visibility, reply_to, repost_of }))
        .await
}

#[tokio::test]
async fn a_fill_that_a_commit_overtook_is_not_kept() {
    let opened = open();
    let shared = opened.store.shared();
    let headers = HeaderCache::new(1 << 20);
    let deleted = PostHeader { deleted: true, ..header(5) };
    let filled = headers.fill(&[id(5), id(6)], &shared.engine, |_, id| {
        headers.apply(9, &[deleted]);
        Ok(Some((header(id.get()), 1)))
    });
    assert_eq!(filled.unwrap().len(), 2);
    let view = View { seq: 9, ids_high: 100, ..fresh(&opened) };
    let at = headers.at(&[id(5), id(6)], &view, &shared.engine).unwrap();
    assert_eq!(at, [Some(deleted), Some(header(6))]);
}

#[tokio::test]
async fn a_fill_that_failed_keeps_nothing_and_stops_nothing() {
    let opened = open();
    let shared = opened.store.shared();
    let headers = HeaderCache::new(1 << 20);
    let failed = headers.fill(&[id(5)], &shared.engine, |_, _| Err(EngineError::Stopped));
    assert!(failed.is_err());
    let view = fresh(&opened);
    assert_eq!(headers.at(&[id(5)], &View { ids_high: 9, ..view }, &shared.engine).unwrap(), [None]);
    assert_eq!(headers.size().1, 0);
}

#[tokio::test]
async fn an_older_view_reads_what_was_there() {
    let opened = open();
    let shared = opened.store.shared();
    let first = post(&opened).await;
    let before = shared.published.pin();
    let second = post(&opened).await;
    command(&opened, PostCommand::Delete { author: uid(7), id: first }).await;
    let now = shared.published.pin();
    let ids = [first, second];
    let deleted = |view: &View| -> Vec<Option<bool>> {
        let headers = shared.headers.at(&ids, view, &shared.engine).unwrap();
        headers.iter().map(|header| header.map(|header| header.deleted)).collect()
    };
    assert_eq!(deleted(&before), [Some(false), None]);
    assert_eq!(deleted(&now), [Some(true), Some(false)]);
    assert_eq!(shared.headers.size().1, 2, "a new post is held from the first");
    // The same from a memory that has to be filled.
    let headers = HeaderCache::new(1 << 20);
    for view in [&before, &now, &before] {
        let held: Vec<_> = headers.at(&ids, view, &shared.engine).unwrap();
        assert_eq!(
            held.iter().map(|header| header.map(|header| header.deleted)).collect::<Vec<_>>(),
            deleted(view)
        );
    }
}

#[test]
fn imported_posts_take_no_room_unless_they_are_read() {
    let headers = HeaderCache::new(1 << 20);
    headers.apply(3, &[PostHeader { event: None, ..header(5) }, header(6)]);
    assert_eq!(headers.size().1, 1);
    headers.apply(4, &[PostHeader { event: None, deleted: true, ..header(5) }]);
    assert_eq!(headers.size().1, 1);
}

/// A view of now.
fn fresh(opened: &Opened) -> View {
    let shared = opened.store.shared();
    let view = shared.published.pin();
    let View { seq, commit, group_changes, first_seq, ids_high, .. } = *view;
    View {
        seq,
        commit,
        group_changes,
        first_seq,
        ids_high,
        standings: crate::standings::Standings::default(),
        snapshot: shared.engine.snapshot(),
    }
}

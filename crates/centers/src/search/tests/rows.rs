//! Rows of users and posts over the indexes that the product has, held against the specification's look at everything: histories
//! as for searches, in which counters are late until they are written.

use super::indexed::{Indexed, REFRESH_MS, refresh};
use super::world::{QUERIES, World};
use crate::log_readers::Follower as _;
use guanxi_model::post::PostCommand;
use guanxi_model::user::{ProfilePatch, UserCommand, UserStatus};
use guanxi_model::{Clock as _, Login, NewSession, Reason, Result, Session, SessionCommand};
use guanxi_ports::search::{
    FoundRows, PostColumn, PostTable as _, RowAsk, RowColumn, RowOrder, RowSum, RowSummed, UserColumn,
    UserTable as _, UserTexts, Within,
};
use guanxi_ports::{BoxFuture, Log as _, Store as _};
use guanxi_search::{PostIndexStore, UserIndexStore};
use guanxi_spec::conformance::{draft, u};
use guanxi_text::{NameQuery, Query};
use std::fmt::Debug;

type Found<'a, C> = BoxFuture<'a, Result<FoundRows<C>>>;

/// A question at random, about some columns.
fn ask<C: RowColumn, T>(world: &mut World, columns: &[C], texts: T) -> RowAsk<C, T> {
    let number = |world: &mut World| match world.below(4) {
        0 => world.below(3_000),
        1 => 1_750_000_000_000 + world.below(60_000),
        _ => world.below(4),
    };
    let mut filters = Vec::new();
    for _ in 0..world.below(3) {
        let (one, other) = (number(world), number(world));
        let within = if world.below(2) == 0 {
            Within::Between(one.min(other), one.max(other))
        } else {
            Within::OneOf(vec![one.min(other), one.max(other)])
        };
        filters.push((*world.pick(columns), within));
    }
    let by = (world.below(4) > 0).then(|| *world.pick(columns));
    let sums = (0..world.below(4)).map(|_| {
        let column = *world.pick(columns);
        match world.below(3) {
            0 => RowSum::Steps { column, width: 1 + world.below(5_000) },
            1 => RowSum::Top { column, max: 1 + world.below(3) as usize },
            _ => RowSum::Percentiles { column },
        }
    });
    let sums = sums.collect();
    let order = RowOrder { by, falling: world.below(2) == 0 };
    RowAsk { texts, filters, order, after: None, max: 1 + world.below(4) as usize, total: None, sums }
}

/// Asks for so many rows from the first, in no order.
const fn rows<C: RowColumn, T>(max: usize, texts: T, filters: Vec<(C, Within)>) -> RowAsk<C, T> {
    let order = RowOrder { by: None, falling: false };
    RowAsk { texts, filters, order, after: None, max, total: None, sums: Vec::new() }
}

/// Walks over both, page by page, and compares all but `late` columns.
async fn compare<C: RowColumn, T: Clone + Debug>(
    mut ask: RowAsk<C, T>,
    late: &[C],
    index: impl Fn(Option<u64>, RowAsk<C, T>) -> Found<'static, C>,
    spec: impl Fn(Option<u64>, RowAsk<C, T>) -> Found<'static, C>,
) {
    let mut walks = (None, None);
    loop {
        let (mut found, mut wanted) =
            (index(walks.0, ask.clone()).await.unwrap(), spec(walks.1, ask.clone()).await.unwrap());
        walks = (Some(found.walk), Some(wanted.walk));
        for rows in [&mut found.rows, &mut wanted.rows] {
            for column in late {
                rows.iter_mut().for_each(|(_, row)| row.set(*column, None));
            }
        }
        assert_eq!(
            (found.total, &found.rows, found.next),
            (wanted.total, &wanted.rows, wanted.next),
            "{ask:?}"
        );
        for (found, wanted) in found.sums.iter().zip(&wanted.sums) {
            match (found, wanted) {
                (RowSummed::Percentiles(Some(found)), RowSummed::Percentiles(Some(wanted))) => {
                    for ((low, high), (exact, _)) in found.iter().zip(wanted) {
                        assert!((low..=high).contains(&exact) && (high - low) * 64 <= *low, "{ask:?}");
                    }
                }
                _ => assert_eq!(found, wanted, "{ask:?}"),
            }
        }
        // As page tokens do: what is counted is not counted again, and sums come with the first page, or again.
        (ask.after, ask.total) = (found.next, Some(wanted.total));
        if wanted.total % 2 == 0 {
            ask.sums.clear();
        }
        if found.next.is_none() {
            return;
        }
    }
}

/// Somebody likes a post.
pub(super) async fn like(world: &mut World) {
    if let Some(id) = world.posts.last().copied() {
        let uid = u(1 + world.below(5));
        let command =
            if world.below(3) == 0 { PostCommand::Unlike { uid, id } } else { PostCommand::Like { uid, id } };
        world.write(command).await;
    }
}

/// Somebody logs in, if it can, on any of some days.
pub(super) async fn log_in(world: &mut World) {
    let (uid, day) = (world.somebody().await, 20_000 + world.below(9) as u32);
    let view = world.store.view(None).await.unwrap();
    let Some(stored) = view.password(uid).await.unwrap() else { return };
    let secret: [u8; 32] = std::array::from_fn(|_| world.below(256) as u8);
    let session = Session::lone(uid, secret, world.clock.now_ms());
    let login = Some(Login { stored, renewed: None, day });
    world.write(SessionCommand::Begin(Box::new(NewSession { session, login }))).await;
}

const LATE_OF_USERS: [UserColumn; 5] = [
    UserColumn::LastLogin,
    UserColumn::Followers,
    UserColumn::Following,
    UserColumn::Friends,
    UserColumn::Posts,
];
const LATE_OF_POSTS: [PostColumn; 3] = [PostColumn::Likes, PostColumn::Replies, PostColumn::Reposts];

fn but<C: RowColumn>(late: &[C]) -> Vec<C> {
    C::ALL.iter().copied().filter(|column| !late.contains(column)).collect()
}

async fn compare_users(world: &mut World, indexed: &Indexed<UserIndexStore>, late: &[UserColumn]) {
    for _ in 0..6 {
        let typed: &str =
            world.pick::<&str>(&["a", "ann", "smith", "王", "zw", "ann.smith", "alexanderplatz 12"]);
        let name = (world.below(2) == 0).then(|| (NameQuery::parse(typed).unwrap(), typed.to_owned()));
        let attributes =
            if world.below(4) == 0 { vec![("team".to_owned(), "red".to_owned())] } else { vec![] };
        let ask = ask(world, &but(late), UserTexts { name, attributes });
        let (index, store) = (indexed.index(), world.store.clone());
        let found = move |walk, ask| -> Found<'static, _> {
            let index = index.clone();
            Box::pin(async move { index.user_rows(walk, ask).await })
        };
        let wanted = move |walk, ask| -> Found<'static, _> {
            let store = store.clone();
            Box::pin(async move { store.user_rows(walk, ask).await })
        };
        compare(ask, late, found, wanted).await;
    }
}

async fn compare_posts(world: &mut World, indexed: &Indexed<PostIndexStore>, late: &[PostColumn]) {
    for _ in 0..6 {
        let query = Query::parse(world.pick::<&str>(&QUERIES)).unwrap();
        let texts = (world.below(2) == 0).then_some(query);
        let ask = ask(world, &but(late), texts);
        let (index, store) = (indexed.index(), world.store.clone());
        let found = move |walk, ask| -> Found<'static, _> {
            let index = index.clone();
            Box::pin(async move { index.post_rows(walk, ask).await })
        };
        let wanted = move |walk, ask| -> Found<'static, _> {
            let store = store.clone();
            Box::pin(async move { store.post_rows(walk, ask).await })
        };
        compare(ask, late, found, wanted).await;
    }
}

async fn play(seed: u64) {
    let mut world = World::new(seed);
    for _ in 0..world.below(30) {
        world.act_people().await;
        world.act().await;
    }
    let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
    let mut posts: Indexed<PostIndexStore> = Indexed::new(&world).await;
    for _ in 0..24 {
        for _ in 0..world.below(6) {
            world.act_people().await;
            world.act().await;
            like(&mut world).await;
            log_in(&mut world).await;
        }
        let step = world.below(13);
        users.step(&mut world, step).await;
        posts.step(&mut world, step).await;
        if world.below(4) == 0 {
            world.clock.advance(REFRESH_MS);
            // What is due alone: the rest would wait for a commit.
            if users.indexer.due_in_ms() == Some(0) {
                users.indexer.work().await.unwrap();
            }
            if posts.indexer.due_in_ms() == Some(0) {
                posts.indexer.work().await.unwrap();
            }
        }
    }
    users.keep(&world).await;
    compare_users(&mut world, &users, &LATE_OF_USERS).await;
    posts.keep(&world).await;
    compare_posts(&mut world, &posts, &LATE_OF_POSTS).await;
    refresh(&world, &mut users).await;
    let head = world.store.head().await.unwrap();
    let found = users.index().user_rows(None, ask(&mut world, UserColumn::ALL, UserTexts::default())).await;
    assert_eq!(found.unwrap().counters_as_of, head);
    compare_users(&mut world, &users, &[]).await;
    refresh(&world, &mut posts).await;
    compare_posts(&mut world, &posts, &[]).await;
}

#[tokio::test]
async fn rows_of_an_index_are_those_of_the_facts() {
    for seed in (0..12).step_by(4) {
        tokio::join!(play(seed), play(seed + 1), play(seed + 2), play(seed + 3));
    }
}

/// A counter is written late, and after a crash what is owed is known.
#[tokio::test]
async fn counters_are_owed_until_they_are_written_also_over_a_crash() {
    let mut world = World::new(2);
    for _ in 0..20 {
        world.act_people().await;
    }
    let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
    users.keep(&world).await;
    let before = world.store.head().await.unwrap();
    let any = || rows(1, UserTexts::default(), Vec::new());
    let owed = |found: FoundRows<UserColumn>| (found.counters_as_of, found.as_of);
    assert_eq!(owed(users.index().user_rows(None, any()).await.unwrap()), (before.clone(), before.clone()));
    let mut done = false;
    while !done {
        let (subject, object) = (u(1 + world.below(5)), u(1 + world.below(5)));
        let op = guanxi_model::Op::Follow;
        done = world.write(guanxi_model::PairCommand { op, subject, object }).await;
        done &= world.store.head().await.unwrap() != before;
    }
    users.keep(&world).await;
    let after = world.store.head().await.unwrap();
    for crashes in [false, true] {
        if crashes {
            users.crash(&world).await;
            users.catch_up(&world).await;
        }
        let (counters, as_of) = owed(users.index().user_rows(None, any()).await.unwrap());
        // A crash goes back to a commit, from which on what is owed is found again.
        let is_known = if crashes { before.covers(&counters) } else { before == counters };
        assert!(is_known && as_of == after, "{counters:?}, crashes: {crashes}");
    }
    world.clock.advance(REFRESH_MS - 1);
    assert_eq!(users.indexer.due_in_ms(), Some(1));
    refresh(&world, &mut users).await;
    let after = world.store.head().await.unwrap();
    assert_eq!(owed(users.index().user_rows(None, any()).await.unwrap()), (after.clone(), after));
}

/// A walk is of its moment, ends when somebody is erased, and after eight younger ones.
#[tokio::test]
async fn walks_are_of_one_moment_and_end() {
    let mut world = World::new(2);
    for _ in 0..30 {
        world.act_people().await;
    }
    let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
    users.keep(&world).await;
    let index = users.index();
    let ask = || rows(100, UserTexts::default(), Vec::new());
    let first = index.user_rows(None, ask()).await.unwrap();
    let rename = |uid, nickname: &str| UserCommand::Update {
        uid,
        patch: ProfilePatch { nickname: Some(nickname.to_owned()), ..ProfilePatch::default() },
        expected_revision: None,
    };
    for n in 1..=9 {
        world.write(rename(u(n), "another name")).await;
    }
    users.keep(&world).await;
    let again = index.user_rows(Some(first.walk), ask()).await.unwrap();
    assert_eq!((again.total, &again.rows, &again.as_of), (first.total, &first.rows, &first.as_of));
    let now = index.user_rows(None, ask()).await.unwrap();
    assert_ne!((now.total, &now.as_of), (first.total, &first.as_of), "the renaming came later");
    let uid = u(9);
    for status in [UserStatus::Deleted { erase_at_ms: 1 }, UserStatus::Erased { at_ms: 2 }] {
        assert!(world.write(UserCommand::SetStatus { uid, status }).await);
    }
    users.keep(&world).await;
    for walk in [first.walk, now.walk] {
        let gone = index.user_rows(Some(walk), ask()).await.unwrap_err();
        assert_eq!(gone.reason, Reason::StaleCursor, "a walk would show who is erased");
    }
    let walk = index.user_rows(None, ask()).await.unwrap().walk;
    for _ in 0..guanxi_ports::search::WALKS_MAX {
        index.user_rows(None, ask()).await.unwrap();
    }
    let gone = index.user_rows(Some(walk), ask()).await.unwrap_err();
    assert_eq!(gone.reason, Reason::StaleCursor);
}

/// Who has no account and no profile is no document: its follows are no erasure, which would end all walks.
#[tokio::test]
async fn walks_go_on_while_users_without_accounts_follow() {
    let world = World::new(2);
    let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
    users.keep(&world).await;
    let index = users.index();
    let ask = || rows(100, UserTexts::default(), Vec::new());
    let walk = index.user_rows(None, ask()).await.unwrap().walk;
    let op = guanxi_model::Op::Follow;
    let is_new = world.write(guanxi_model::PairCommand { op, subject: u(901), object: u(902) }).await;
    assert!(is_new);
    users.keep(&world).await;
    world.clock.advance(REFRESH_MS);
    refresh(&world, &mut users).await;
    assert_eq!(index.user_rows(Some(walk), ask()).await.map(|found| found.walk), Ok(walk));
}

/// Of a purged post nothing is kept but that it was, which is no row; and that ends walks, which may show it.
#[tokio::test]
async fn a_purged_post_is_no_row_and_ends_walks() {
    let world = World::new(2);
    let mut posts: Indexed<PostIndexStore> = Indexed::new(&world).await;
    for text in ["tea", "coffee"] {
        assert!(world.write(PostCommand::Create(draft(77, text))).await);
    }
    posts.keep(&world).await;
    let index = posts.index();
    let ask = || rows(100, None, vec![(PostColumn::Author, Within::OneOf(vec![77]))]);
    let found = index.post_rows(None, ask()).await.unwrap();
    let (id, author) = (found.rows[0].0, u(77));
    let id = guanxi_model::PostId::new(id).unwrap();
    for command in
        [PostCommand::Purge { author, id, deleted_until: None }, PostCommand::EndPurge { author, id }]
    {
        world.write(command).await;
    }
    posts.keep(&world).await;
    let gone = index.post_rows(Some(found.walk), ask()).await.unwrap_err();
    assert_eq!(gone.reason, Reason::StaleCursor);
    let left = index.post_rows(None, ask()).await.unwrap();
    assert!(left.total > 0 && left.rows.iter().all(|(left, _)| *left != id.get()), "{left:?}");
}

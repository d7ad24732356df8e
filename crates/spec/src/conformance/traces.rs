//! What leads from a user to what it has left in the rows of others, and what forgets it.

use super::posts_world::{draft, old_post, repost};
use super::racing::PLAIN;
use super::{Need, Rng, World, u};
use guanxi_model::event::PairChange;
use guanxi_model::limits::TOMBSTONES_MAX;
use guanxi_model::post::{Body, ImportPost, PostCommand};
use guanxi_model::{
    Change, Command, Edge, Event, ImportEdge, Op, Outcome, PairCommand, PostId, Reason, RestrictionKind,
    Stamp, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{MarkKind, StoreView, UserLike};
use std::collections::BTreeMap;

const USERS: u64 = 8;

/// What the log says of marks and likes.
#[derive(Debug, Default)]
struct Traces {
    marks: BTreeMap<(MarkKind, Uid, Uid), Stamp>,
    likes: BTreeMap<(Uid, PostId), Stamp>,
}

impl Traces {
    fn of(events: &[Event]) -> Self {
        let mut traces = Self::default();
        events.iter().for_each(|event| traces.apply(event));
        traces
    }

    fn apply(&mut self, Event { version, subject, change, .. }: &Event) {
        match *change {
            Change::Pair { object, kind, .. } => {
                let (mark, since) = match kind {
                    PairChange::Followed { .. } => (MarkKind::RemovedFollow, None),
                    PairChange::Unfollowed => (MarkKind::RemovedFollow, Some(*version)),
                    PairChange::Blocked { at } => (MarkKind::Block, Some(at)),
                    PairChange::Unblocked => (MarkKind::Block, None),
                    PairChange::Muted { at, .. } => (MarkKind::Mute, Some(at)),
                    PairChange::Unmuted => (MarkKind::Mute, None),
                    PairChange::Requested { .. } | PairChange::RequestEnded { .. } => return,
                };
                match since {
                    Some(at) => drop(self.marks.insert((mark, *subject, object), at)),
                    None => drop(self.marks.remove(&(mark, *subject, object))),
                }
            }
            Change::Liked { id, at, .. } => drop(self.likes.insert((*subject, id), at)),
            Change::Unliked { id, .. } => drop(self.likes.remove(&(*subject, id))),
            _ => {}
        }
    }

    fn likes_by(&self, uid: Uid) -> Vec<UserLike> {
        let of_user = self.likes.range((uid, PostId::MIN)..=(uid, PostId::MAX));
        of_user.map(|((_, id), at)| UserLike { id: *id, at: *at }).collect()
    }

    fn marked_by(&self, object: Uid, kind: MarkKind) -> Vec<Uid> {
        let marks = self.marks.keys().filter(|(known, _, about)| (*known, *about) == (kind, object));
        marks.map(|(_, subject, _)| *subject).collect()
    }

    fn removed_follows(&self, uid: Uid) -> Vec<Edge> {
        let all = (MarkKind::RemovedFollow, uid, Uid::MIN)..=(MarkKind::RemovedFollow, uid, Uid::MAX);
        self.marks.range(all).map(|((_, _, uid), at)| Edge { at: *at, uid: *uid }).collect()
    }

    /// Checks all that a view says of some users, in pages of a size.
    async fn check(&self, view: &dyn StoreView, max: usize) {
        for uid in (1..=USERS).map(u) {
            let likes = paged(max, |after: Option<UserLike>| {
                view.likes_by(uid, Walk::new(after.map(|like| like.id), max))
            });
            assert_eq!(likes.await, self.likes_by(uid), "likes of {uid} in pages of {max}");
            let left = paged(max, |after: Option<Edge>| {
                view.removed_follows(uid, Walk::new(after.map(|edge| edge.uid), max))
            });
            assert_eq!(left.await, self.removed_follows(uid), "whom {uid} has left, in pages of {max}");
            for kind in MarkKind::ALL {
                let marked =
                    paged(max, |after: Option<Uid>| view.marked_by(uid, kind, Walk::new(after, max)));
                assert_eq!(marked.await, self.marked_by(uid, kind), "{kind:?} of {uid} in pages of {max}");
            }
        }
    }
}

/// Everything of a list, a page after the other.
async fn paged<'a, T: Copy>(
    max: usize,
    page: impl Fn(Option<T>) -> guanxi_ports::BoxFuture<'a, guanxi_model::Result<Vec<T>>>,
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    loop {
        let some = page(all.last().copied()).await.unwrap();
        assert!(some.len() <= max);
        all.extend(&some);
        if some.len() < max {
            return all;
        }
    }
}

fn pair(rng: &mut Rng) -> (u64, u64) {
    (1 + rng.below(USERS), 1 + rng.below(USERS))
}

/// One random write of marks or likes; a refusal is as good as any.
async fn act(world: &World, rng: &mut Rng, posts: &[PostId]) {
    let (a, b) = pair(rng);
    let (subject, object, at) = (u(a), u(b), Some(Stamp::from_ms(1_000 + rng.below(9_000))));
    match rng.below(12) {
        0..=2 if !posts.is_empty() => {
            let _ = world.like(a, *rng.pick(posts)).await;
        }
        3 if !posts.is_empty() => {
            let _ = world.unlike(a, *rng.pick(posts)).await;
        }
        4 => {
            let revive = rng.below(2) == 0;
            world.write(Write::edges(vec![ImportEdge::new(subject, object, at)], revive)).await;
        }
        5 => {
            let kind = *rng.pick(&[RestrictionKind::Block, RestrictionKind::Mute]);
            let restrictions = vec![ImportEdge::new(subject, object, at)];
            world.write(Write::of(Command::ImportRestrictions { kind, restrictions })).await;
        }
        _ => {
            let op = if rng.below(3) == 0 { Op::Follow } else { *rng.pick(&PLAIN) };
            world.act(op, a, b).await;
        }
    }
}

/// For facts that come and go in any order: from a user lead its likes and the users whom it has left, and to it the
/// users that have blocked, muted or left it.
pub async fn what_users_left_is_found_from_both_sides(world: &World) {
    if world.lacks(Need::Traces) {
        return;
    }
    let mut posts = Vec::new();
    if !world.lacks_posts() {
        for author in [1, 2, 2, 3] {
            posts.push(world.post(draft(author, "text")).await);
        }
    }
    for seed in 0..3 {
        let mut rng = Rng::new(seed);
        for _ in 0..90 {
            world.clock().advance(rng.below(3));
            act(world, &mut rng, &posts).await;
        }
        let traces = Traces::of(&world.events_since(&world.origin).await);
        assert!(traces.marks.len() > 12, "there is something to be found: {traces:?}");
        let view = world.view().await;
        for max in [1, 3, 1_000] {
            traces.check(&*view, max).await;
        }
    }
}

/// A like has the time at which it was given, an imported one too; what is taken back is gone, and an earlier view stands.
pub async fn likes_of_a_user_have_their_times(world: &World) {
    if world.lacks(Need::Traces) || world.lacks_posts() {
        return;
    }
    let (first, second) = (world.post(draft(1, "a")).await, world.post(draft(2, "b")).await);
    assert_eq!(world.like(3, second).await, Ok(true));
    let at = world.last_change().await.version;
    world.import_likes(&[(3, 1, &first.to_string(), 7_000)]).await;
    let before = world.view().await;
    let likes = [UserLike { id: first, at: Stamp::from_ms(7_000) }, UserLike { id: second, at }];
    assert_eq!(before.likes_by(u(3), Walk::new(None, 9)).await.unwrap(), likes);
    assert_eq!(world.delete(1, first).await, Ok(true), "a like stays with its post");
    assert_eq!(world.unlike(3, second).await, Ok(true));
    assert_eq!(world.view().await.likes_by(u(3), Walk::new(None, 9)).await.unwrap(), likes[..1]);
    if !world.lacks(Need::PinnedViews) {
        assert_eq!(before.likes_by(u(3), Walk::new(None, 9)).await.unwrap(), likes);
    }
    assert_eq!(world.view().await.likes_by(u(3), Walk::new(Some(first), 9)).await.unwrap(), []);
    assert_eq!(world.view().await.likes_by(u(4), Walk::new(None, 9)).await.unwrap(), []);
}

/// Names under which posts were imported lead from their author to the posts, also those of a repost that stood already;
/// a purged post has none.
pub async fn names_of_imported_posts_are_found_by_author(world: &World) {
    if world.lacks(Need::Traces) || world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "text")).await;
    let standing = world.post(repost(2, original)).await;
    let of = Some((u(1), original.to_string()));
    let again =
        ImportPost { body: Body::default(), repost_of: of, ..old_post(2, "again", 1_000_000_005_000) };
    let posts = [
        old_post(2, "b", 1_000_000_006_000),
        old_post(2, "a", 1_000_000_007_000),
        old_post(2, "名", 1_000_000_008_000),
        again,
        old_post(3, "c", 1_000_000_009_000),
    ];
    let outcomes = world.import_posts(&posts).await;
    let ids: Vec<PostId> = outcomes.iter().map(|outcome| outcome.id.unwrap()).collect();
    assert_eq!(ids[3], standing);
    let named = |name: &str, id| (name.to_owned(), id);
    let all = [named("a", ids[1]), named("again", standing), named("b", ids[0]), named("名", ids[2])];
    let view = world.view().await;
    assert_eq!(view.imported_names(u(2), Walk::new(None, 9)).await.unwrap(), all);
    assert_eq!(view.imported_names(u(2), Walk::new(Some("a"), 2)).await.unwrap(), all[1..3]);
    assert_eq!(view.imported_names(u(2), Walk::new(Some("名"), 2)).await.unwrap(), []);
    assert_eq!(view.imported_names(u(1), Walk::new(None, 9)).await.unwrap(), []);
    world.post_act(PostCommand::Purge { author: u(2), id: ids[1], deleted_until: None }).await;
    assert_eq!(world.view().await.imported_names(u(2), Walk::new(None, 1)).await.unwrap(), all[1..2]);
}

/// A post that stood when it was imported, under however many names, has none of them once it is purged.
pub async fn a_purge_takes_every_name_of_a_post(world: &World) {
    if world.lacks(Need::Traces) || world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "text")).await;
    let again = |user, name: &str| ImportPost {
        body: Body::default(),
        repost_of: Some((u(1), original.to_string())),
        ..old_post(user, name, 1_000_000_005_000)
    };
    let written = world.post(repost(2, original)).await;
    let posts = [again(3, "a"), again(3, "b"), again(2, "a"), again(2, "c"), again(3, "c")];
    let ids: Vec<PostId> =
        world.import_posts(&posts).await.iter().map(|outcome| outcome.id.unwrap()).collect();
    assert_eq!(ids, [ids[0], ids[0], written, written, ids[0]]);
    world.verify().await;
    for (user, id, names) in [(2, written, 2), (3, ids[0], 3)] {
        let found = async || world.view().await.imported_names(u(user), Walk::new(None, 9)).await.unwrap();
        assert_eq!(found().await.len(), names);
        let purge = PostCommand::Purge { author: u(user), id, deleted_until: None };
        assert_eq!(world.post_act(purge).await.result, Ok(true));
        assert_eq!(found().await, []);
    }
    world.verify().await;
    // A post of which no trace is left comes anew, under any name.
    let anew = world.import_posts(&posts[1..2]).await;
    assert_eq!(anew[0].result, Ok(true));
    assert_ne!(anew[0].id, Some(ids[0]));
}

/// Forgets removed follows, which is one command and never refused by itself.
async fn forget(world: &World, pairs: &[(u64, u64)]) {
    let pairs = pairs.iter().map(|(a, b)| (u(*a), u(*b))).collect();
    let answer = world.write(Write::of(Command::DropTombstones { pairs, until: None })).await;
    assert_eq!(answer.outcomes, [Outcome::Done]);
}

async fn import(world: &World, subject: u64, object: u64) -> Result<bool, Reason> {
    let edge = ImportEdge::new(u(subject), u(object), None);
    world.write(Write::edges(vec![edge], false)).await.pairs().remove(0).result
}

/// What is forgotten of a removed follow leaves no trace: an import of it is new. There is no event of it.
pub async fn forgotten_follows_are_new_again(world: &World) {
    if world.lacks(Need::Traces) {
        return;
    }
    world.build("1->2 1->3 4->2 1-/2 1-/3 4-/2").await;
    assert_eq!(import(world, 1, 2).await, Ok(false));
    let before = world.last();
    forget(world, &[(1, 2), (5, 2)]).await;
    forget(world, &[]).await;
    assert_eq!(world.events_since(&before).await, []);
    let view = world.view().await;
    let left = view.removed_follows(u(1), Walk::new(None, 9)).await.unwrap();
    assert_eq!(left.iter().map(|edge| edge.uid).collect::<Vec<_>>(), [u(3)]);
    assert_eq!(view.marked_by(u(2), MarkKind::RemovedFollow, Walk::new(None, 9)).await.unwrap(), [u(4)]);
    assert_eq!(import(world, 1, 3).await, Ok(false), "the others stay");
    assert_eq!(import(world, 1, 2).await, Ok(true));
    world.build("1-/2").await;
    assert_eq!(import(world, 1, 2).await, Ok(false), "removed again");
    let most = vec![(u(1), u(2)); TOMBSTONES_MAX as usize + 1];
    let most = Command::DropTombstones { pairs: most, until: None };
    let refused = world.try_write(Write::of(most)).await.map(drop);
    assert_eq!(refused, Err(Reason::BatchTooLarge { limit: TOMBSTONES_MAX }));
}

/// A follow that stands is left alone, whether it ever was removed or not; what a write has just removed is forgotten.
pub async fn a_follow_that_stands_is_not_forgotten(world: &World) {
    if world.lacks(Need::Traces) {
        return;
    }
    world.build("1->2 1-/2 1->2 3->2 2->1").await;
    let relations = async || [world.relation(1, 2).await, world.relation(3, 2).await];
    let (before, counts) = (relations().await, world.counts(2).await);
    forget(world, &[(1, 2), (3, 2), (2, 3)]).await;
    assert_eq!((relations().await, world.counts(2).await), (before, counts));
    world.build("1-/2 3-/2").await;
    assert_eq!([import(world, 1, 2).await, import(world, 3, 2).await], [Ok(false), Ok(false)]);
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let follow = |op| Command::Pair(PairCommand { op, subject: u(4), object: u(2) });
    let edges = || Command::ImportEdges { edges: vec![ImportEdge::new(u(4), u(2), None)], revive: false };
    let forget = || Command::DropTombstones { pairs: vec![(u(4), u(2))], until: None };
    let commands = [
        follow(Op::Follow),
        follow(Op::Unfollow),
        edges(),
        forget(),
        edges(),
        forget(),
        follow(Op::Unfollow),
        edges(),
    ];
    let answer = world.write(Write::all(commands)).await;
    let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
    let [yes, no] = [Ok(true), Ok(false)];
    assert_eq!(
        results,
        [yes.clone(), yes.clone(), no.clone(), yes.clone(), yes.clone(), yes.clone(), yes, no]
    );
    assert_eq!(
        world.view().await.marked_by(u(2), MarkKind::RemovedFollow, Walk::new(Some(u(3)), 9)).await.unwrap(),
        [u(4)]
    );
}

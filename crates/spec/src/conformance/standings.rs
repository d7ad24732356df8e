//! How users stand: which are not active, which are locked, and whose lists are hidden.

use super::posts_world::{draft, reply, repost, text};
use super::{Need, Rng, World, u};
use guanxi_model::RequestKind;
use guanxi_model::user::{PrivacyPatch, Standing, UserCommand, UserStatus, hides_edge};
use guanxi_model::{Edge, List, Op, Page, PageStart, Reason, Uid};
use guanxi_ports::KnownFollowers;

impl World {
    pub(super) async fn set_status(&self, uid: u64, status: UserStatus) {
        let outcome = self.user(UserCommand::SetStatus { uid: u(uid), status }).await;
        assert_eq!(outcome.result, Ok(true));
        let again = self.user(UserCommand::SetStatus { uid: u(uid), status }).await;
        assert_eq!((again.result, again.revision), (Ok(false), outcome.revision));
    }

    /// Locks a user, or unlocks it.
    pub(super) async fn lock(&self, uid: u64, locked: bool) {
        let patch = PrivacyPatch { locked: Some(locked), ..PrivacyPatch::default() };
        self.user(UserCommand::SetPrivacy { uid: u(uid), patch }).await.result.unwrap();
    }
}

/// An inactive user does nothing new, and no user begins to follow it; its edges stay, and an operation that undoes is
/// not refused.
pub async fn who_is_gone_does_nothing_new(world: &World) {
    world.build("1->2 2->1 3->1").await;
    world.set_status(1, UserStatus::Deactivated).await;
    let view = world.view().await;
    let gone = Standing { status: UserStatus::Deactivated, ..Standing::default() };
    assert_eq!(view.standings(&[u(2), u(1)]).await.unwrap(), [Standing::default(), gone]);
    assert_eq!(world.result(Op::Follow, 1, 4).await, Err(Reason::UserDeactivated));
    assert_eq!(world.result(Op::Follow, 4, 1).await, Err(Reason::UserDeactivated));
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(false), "what is there already is no news");
    assert_eq!(world.result(Op::Block, 4, 1).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 4, 1).await, Err(Reason::Blocked), "a block is named first");
    let counts = world.counts(1).await;
    assert_eq!((counts.following, counts.followers, counts.friends), (1, 2, 1));
    assert_eq!(world.uids(2, List::Followers).await, [1]);
    world.import([(5, 1, 1_000)]).await;
    assert_eq!(world.result(Op::Unfollow, 3, 1).await, Ok(true));
    assert_eq!(world.result(Op::Unfollow, 1, 2).await, Ok(true));
    world.set_status(1, UserStatus::Active).await;
    assert_eq!(world.result(Op::Follow, 1, 2).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(true));
    assert_eq!(world.view().await.standings(&[u(1)]).await.unwrap(), [Standing::default()]);
}

/// No follow comes to stand and no request begins to wait while either user is not active, whichever operation brings it
/// about. What waits meanwhile stays, and is answered once both are there again.
pub async fn nothing_joins_who_is_gone(world: &World) {
    let ways: [(&[(Op, bool)], Op); 6] = [
        (&[], Op::Follow),
        (&[], Op::SendFriendRequest),
        (&[(Op::SendFriendRequest, false)], Op::SendFriendRequest),
        (&[(Op::SendFriendRequest, false)], Op::AcceptFriendRequest),
        (&[(Op::Follow, false)], Op::ApproveFollow),
        (&[(Op::Follow, true)], Op::SendFriendRequest),
    ];
    let mut next = 10;
    for (before, op) in ways {
        for subject_goes in [true, false] {
            let (subject, object) = (next, next + 1);
            next += 2;
            if op == Op::ApproveFollow {
                world.lock(subject, true).await;
            }
            if op == Op::SendFriendRequest {
                world.lock(object, true).await;
            }
            for (asked, by_subject) in before {
                let (from, to) = if *by_subject { (subject, object) } else { (object, subject) };
                assert_eq!(world.result(*asked, from, to).await, Ok(true));
            }
            let stands = [world.relation(subject, object).await, world.relation(object, subject).await];
            let gone = if subject_goes { subject } else { object };
            world.set_status(gone, UserStatus::Deactivated).await;
            let refused = Err(Reason::UserDeactivated);
            assert_eq!(
                world.result(op, subject, object).await,
                refused,
                "{op:?} after {before:?}, {gone} is gone"
            );
            let after = [world.relation(subject, object).await, world.relation(object, subject).await];
            assert_eq!(after, stands, "{op:?} after {before:?}, {gone} is gone");
            world.set_status(gone, UserStatus::Active).await;
            assert_eq!(world.result(op, subject, object).await, Ok(true), "{op:?} after {before:?}");
        }
    }
}

/// The posts of an inactive user are as good as deleted for users who would answer, share or like them.
pub async fn posts_go_and_come_with_their_author(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let post = world.post(draft(1, "mine")).await;
    let other = world.post(draft(2, "theirs")).await;
    let shared = world.post(repost(2, post)).await;
    assert_eq!(world.like(3, post).await, Ok(true));
    world.set_status(1, UserStatus::Deactivated).await;
    assert_eq!(world.like(4, post).await, Err(Reason::PostDeleted));
    assert_eq!(world.like(4, shared).await, Err(Reason::PostDeleted), "with its original");
    assert_eq!(world.try_post(reply(4, post)).await, Err(Reason::PostDeleted));
    assert_eq!(world.try_post(repost(4, post)).await, Err(Reason::PostDeleted));
    for refused in [
        world.try_post(draft(1, "more")).await.map(|_| true),
        world.like(1, other).await,
        world.edit(1, post, text("other")).await,
    ] {
        assert_eq!(refused, Err(Reason::UserDeactivated));
    }
    assert_eq!(world.unlike(3, post).await, Ok(true), "what undoes is not refused");
    assert_eq!(world.delete(1, post).await, Ok(true));
    assert_eq!(world.restore(1, post).await, Err(Reason::UserDeactivated));
    world.set_status(1, UserStatus::Active).await;
    assert_eq!(world.restore(1, post).await, Ok(true));
    assert_eq!(world.like(4, shared).await, Ok(true));
}

/// An author's head tells that all its posts went or came; an author that wrote nothing has none.
pub async fn a_head_tells_of_its_author(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let post = world.post(draft(1, "mine")).await;
    for status in [UserStatus::Deactivated, UserStatus::Active] {
        let next = world.next(1).of(u(1));
        world.set_status(1, status).await;
        let head = world.view().await.heads(&[u(1)]).await.unwrap().remove(0);
        assert_eq!((head.last_id, head.last, head.changed), (Some(post), next, next), "{status:?}");
    }
    let before = world.view().await.heads(&[u(2)]).await.unwrap();
    world.set_status(2, UserStatus::Deactivated).await;
    assert_eq!(world.view().await.heads(&[u(2)]).await.unwrap(), before);
}

/// No user begins to follow a locked user without its approval; a follower goes on, and imports are not asked.
pub async fn nobody_begins_to_follow_who_is_locked(world: &World) {
    world.build("2->1").await;
    world.lock(1, true).await;
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(true));
    assert_eq!(world.relation(3, 1).await.requested, Some(RequestKind::Follow));
    assert_eq!(world.result(Op::Follow, 2, 1).await, Ok(false));
    assert_eq!(world.result(Op::Follow, 1, 3).await, Ok(true));
    world.import([(4, 1, 1_000), (3, 1, 1_000)]).await;
    world.settle([1]).await;
    assert_eq!(world.counts(1).await.followers, 3);
    assert_eq!(world.relation(3, 1).await.requested, None, "what it asked for is there");
    assert_eq!(world.result(Op::Unfollow, 2, 1).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 2, 1).await, Ok(true));
    assert_eq!(world.relation(2, 1).await.following_since, None);
    world.lock(1, false).await;
    assert_eq!(world.relation(2, 1).await.requested, Some(RequestKind::Follow));
    assert_eq!(world.result(Op::Follow, 2, 1).await, Ok(true));
    let relation = world.relation(2, 1).await;
    assert!(relation.following_since.is_some() && relation.requested.is_none());
}

/// Counted lists of edges between others leave out and do not count edges that are hidden from an end user, by either
/// user.
pub async fn hidden_edges_are_not_told(world: &World) {
    const USERS: u64 = 9;
    if world.lacks(Need::EndUsers) {
        return;
    }
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        let (a, b) = (rng.below(USERS) + 1, rng.below(USERS) + 1);
        if a != b {
            world.act(Op::Follow, a, b).await;
        }
    }
    world.settle(1..=USERS).await;
    for round in 0..4 {
        let uid = rng.below(USERS) + 1;
        let hides = |rng: &mut Rng| Some(rng.below(2) == 0);
        let (hides_following, hides_followers) = (hides(&mut rng), Some(round % 2 == 0));
        let patch = PrivacyPatch { hides_following, hides_followers, ..PrivacyPatch::default() };
        world.user(UserCommand::SetPrivacy { uid: u(uid), patch }).await;
        for (a, b) in (1..=USERS).flat_map(|a| (1..=USERS).map(move |b| (a, b))) {
            for told in [None, Some(a), Some(b), Some(rng.below(USERS) + 1)] {
                check_told(world, a, b, told.map(u)).await;
            }
        }
    }
}

async fn check_told(world: &World, a: u64, b: u64, told: Option<Uid>) {
    let view = world.view().await;
    let everybody: Vec<Uid> = (1..=9).map(u).collect();
    let standings = view.standings(&everybody).await.unwrap();
    let of = |uid: Uid| standings[uid.get() as usize - 1];
    let tells = |(a, b): (Uid, Uid)| told.is_none_or(|told| !hides_edge(told, (a, of(a)), (b, of(b))));
    let following = world.walk(a, List::Following, 100).await;
    let (followers, others) = (world.uids(b, List::Followers).await, world.uids(b, List::Following).await);
    let known: Vec<Edge> = following
        .iter()
        .copied()
        .filter(|edge| followers.contains(&edge.uid.get()))
        .filter(|edge| tells((u(a), edge.uid)) && tells((edge.uid, u(b))))
        .collect();
    let mutual: Vec<Edge> = following
        .iter()
        .copied()
        .filter(|edge| others.contains(&edge.uid.get()))
        .filter(|edge| tells((u(a), edge.uid)) && tells((u(b), edge.uid)))
        .collect();
    let page = Page::new(PageStart::Newest, 100).unwrap();
    let answer = |list: Vec<Edge>| KnownFollowers {
        count: list.len() as u32,
        page: guanxi_model::EdgePage { items: list, next: None },
    };
    let context = format!("{a}, {b}, told {told:?}");
    assert_eq!(view.known_followers(u(a), u(b), page, told).await.unwrap(), answer(known), "{context}");
    assert_eq!(view.mutual_following(u(a), u(b), page, told).await.unwrap(), answer(mutual), "{context}");
}

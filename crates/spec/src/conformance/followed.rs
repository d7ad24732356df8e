//! The users whom many users follow, counted, and their followers among these: suggestions are made of that.

use super::{Need, Rng, World, u};
use guanxi_model::{List, Op, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk, RelationView};
use std::collections::BTreeMap;

/// The users whom each user follows, newest first, as the case itself keeps them.
type Lists = BTreeMap<u64, Vec<u64>>;

/// The answer, by going through lists.
fn expected(lists: &Lists, ask: FollowsAsk<'_>, follows_max: usize) -> (BTreeMap<Uid, u32>, usize) {
    let mut counts = BTreeMap::new();
    let mut left = follows_max;
    for (place, subject) in ask.subjects.iter().enumerate() {
        let list = lists.get(&subject.get()).map_or(&[][..], Vec::as_slice);
        let list = &list[..list.len().min(ask.newest)];
        if list.len() > left {
            return (counts, place);
        }
        left -= list.len();
        list.iter().for_each(|uid| *counts.entry(u(*uid)).or_default() += 1);
    }
    (counts, ask.subjects.len())
}

async fn check(
    view: &dyn RelationView,
    lists: &Lists,
    ask: FollowsAsk<'_>,
    follows_max: usize,
    objects: &[Uid],
) {
    let FollowedCounts { users, subjects } = view.count_followed(ask, follows_max).await.unwrap();
    let len = users.len();
    let counts: BTreeMap<Uid, u32> = users.into_iter().collect();
    assert_eq!(counts.len(), len, "each user once");
    assert_eq!((counts, subjects), expected(lists, ask, follows_max), "{ask:?}, at most {follows_max}");
    let places = |object: &Uid| -> Vec<u32> {
        let follows = |subject: &Uid| {
            let list = lists.get(&subject.get());
            list.is_some_and(|list| list.iter().take(ask.newest).any(|uid| *uid == object.get()))
        };
        (0..).zip(ask.subjects).filter(|(_, subject)| follows(subject)).map(|(place, _)| place).collect()
    };
    let wanted: Vec<Vec<u32>> = objects.iter().map(places).collect();
    assert_eq!(view.who_follows(ask, objects).await.unwrap(), wanted, "{ask:?} of {objects:?}");
}

/// In a random world that changes, every count and every place is what the lists say: of few and of many subjects, of users
/// who follow no user, and of the newest follows alone.
pub async fn follows_are_counted_as_lists_say(world: &World) {
    // More subjects than a store may look at in one piece, and more objects than a table of counts may begin with.
    const USERS: u64 = 200;
    const OBJECTS: u64 = 700;
    let mut rng = Rng::new(17);
    let mut edges = Vec::new();
    for a in 1..=USERS {
        let density = 20 + rng.below(20);
        // Ids of every width.
        let far = |b: u64| if b.is_multiple_of(7) { b << 40 } else { b };
        edges.extend((1..=OBJECTS).filter(|b| a != *b && rng.below(density) == 0).map(|b| (a, far(b))));
    }
    rng.shuffle(&mut edges);
    let mut lists = Lists::new();
    for (a, b) in &edges {
        lists.entry(*a).or_default().insert(0, *b);
    }
    world.import(edges.iter().copied().zip(1_000..).map(|((a, b), ms)| (a, b, ms))).await;
    world.settle(1..=USERS).await;
    for round in 0..30 {
        if round % 10 == 9 {
            let (a, b) = *rng.pick(&edges);
            if world.result(Op::Unfollow, a, b).await == Ok(true) {
                lists.get_mut(&a).unwrap().retain(|uid| *uid != b);
            }
            let kept = world.uids(a, List::Following).await;
            assert_eq!(&kept, &lists[&a], "the case keeps the lists that the store has");
        }
        let mut everybody: Vec<Uid> = (1..=USERS + 2).map(u).collect();
        rng.shuffle(&mut everybody);
        let subjects = &everybody[..rng.below(USERS + 3) as usize];
        let objects: Vec<Uid> = (0..rng.below(30)).map(|_| u(rng.pick(&edges).1)).chain([u(999)]).collect();
        let newest = if round % 3 == 0 { usize::MAX } else { rng.below(12) as usize };
        let view = world.view().await;
        check(&*view, &lists, FollowsAsk { subjects, newest }, usize::MAX, &objects).await;
        check(&*view, &lists, FollowsAsk { subjects, newest }, rng.below(200) as usize, &[]).await;
    }
}

/// The bound counts follows that are looked at, and each user's follows count whole or not at all.
pub async fn a_count_that_may_look_at_no_more_ends_between_two_users(world: &World) {
    world.build("1->10 1->11 1->12 2->10 2->11 3->10 4->10").await;
    let view = world.view().await;
    let subjects = [1, 2, 3, 4].map(u);
    let ask = FollowsAsk { subjects: &subjects, newest: usize::MAX };
    for (max, subjects, of_10) in
        [(0, 0, 0), (2, 0, 0), (3, 1, 1), (4, 1, 1), (5, 2, 2), (6, 3, 3), (7, 4, 4)]
    {
        let counted = view.count_followed(ask, max).await.unwrap();
        let count = counted.users.iter().find(|(uid, _)| *uid == u(10)).map_or(0, |(_, count)| *count);
        assert_eq!((counted.subjects, count), (subjects, of_10), "at most {max}");
    }
    if world.lacks(Need::PinnedViews) {
        return;
    }
    world.build("2-/10").await;
    let counted = view.count_followed(ask, 7).await.unwrap();
    assert_eq!(counted.users.iter().find(|(uid, _)| *uid == u(10)), Some(&(u(10), 4)), "a view stands still");
}

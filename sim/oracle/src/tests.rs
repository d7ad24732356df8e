//! The definition by example, one sentence each.

use super::*;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn p(n: u64) -> PostId {
    PostId::new(n).unwrap()
}

/// User 1 follows 2 and 3; there are no other follows.
fn world() -> Oracle {
    let mut oracle = Oracle::default();
    act(&mut oracle, Op::Follow, 1, 2);
    act(&mut oracle, Op::Follow, 1, 3);
    oracle
}

fn act(oracle: &mut Oracle, op: Op, a: u64, b: u64) -> bool {
    oracle.happened(&Happened::Pair { op, subject: u(a), object: u(b) })
}

/// Post `n` is also event `n`.
fn write(oracle: &mut Oracle, n: u64, author: u64, kind: Kind, visibility: Visibility) {
    oracle.happened(&Happened::Wrote { id: p(n), author: u(author), kind, visibility, seq: n });
}

fn post(oracle: &mut Oracle, n: u64, author: u64) {
    write(oracle, n, author, Kind::Post, Visibility::Public);
}

fn home(oracle: &Oracle, viewer: u64) -> Vec<u64> {
    oracle.home(u(viewer)).into_iter().map(PostId::get).collect()
}

#[test]
fn home_is_everything_of_the_followed_and_of_oneself_newest_first() {
    let mut oracle = world();
    for (n, author) in [(1, 2), (2, 1), (3, 4), (4, 3)] {
        post(&mut oracle, n, author);
    }
    assert_eq!(home(&oracle, 1), [4, 2, 1]);
    assert_eq!(home(&oracle, 4), [3]);
    act(&mut oracle, Op::Unfollow, 1, 2);
    assert_eq!(home(&oracle, 1), [4, 2]);
}

/// What a viewer sees whose answer has, of some users' shards, everything, and of the others what was there before the
/// last thing that happened.
fn home_of_parts(past: &[Happened], viewer: u64, after: &[u64]) -> Vec<u64> {
    let last = past.len() - 1;
    let parts = past
        .iter()
        .enumerate()
        .map(|(index, what)| (what, move |uid: Uid| index < last || after.contains(&uid.get())));
    home(&Oracle::of_parts(Some(u(viewer)), &parts.collect::<Vec<_>>()), viewer)
}

fn pair(op: Op, a: u64, b: u64) -> Happened {
    Happened::Pair { op, subject: u(a), object: u(b) }
}

fn wrote(n: u64, author: u64, kind: Kind, visibility: Visibility) -> Happened {
    Happened::Wrote { id: p(n), author: u(author), kind, visibility, seq: n }
}

#[test]
fn each_part_says_what_its_shard_knows() {
    let begin = [
        pair(Op::Follow, 1, 2),
        wrote(1, 2, Kind::Post, Visibility::Friends),
        wrote(2, 2, Kind::Post, Visibility::Public),
        wrote(3, 1, Kind::Reply(p(2)), Visibility::Public),
    ];
    let then = |last: Happened| begin.iter().copied().chain([last]).collect::<Vec<_>>();
    let followed_back = then(pair(Op::Follow, 2, 1));
    assert_eq!(home_of_parts(&followed_back, 1, &[1]), [3, 2], "who is a friend the author's shard says");
    assert_eq!(home_of_parts(&followed_back, 1, &[2]), [3, 2, 1]);
    let blocked = then(pair(Op::Block, 2, 1));
    assert_eq!(home_of_parts(&blocked, 1, &[1]), [0; 0], "a block stands in the viewer's shard");
    assert_eq!(home_of_parts(&blocked, 1, &[2]), [3, 2], "of before it, which nobody is answered");
    assert_eq!(home_of_parts(&blocked, 2, &[2]), [2, 1], "to the blocker its own fact");
    let removed = then(pair(Op::RemoveFollower, 2, 1));
    assert_eq!((home_of_parts(&removed, 1, &[1]), home_of_parts(&removed, 1, &[2])), (vec![], vec![3, 2]));
    let posted = then(wrote(4, 2, Kind::Post, Visibility::Public));
    assert_eq!(
        (home_of_parts(&posted, 1, &[1]), home_of_parts(&posted, 1, &[2])),
        (vec![3, 2], vec![4, 3, 2])
    );
    let deleted = then(Happened::Deleted(p(2)));
    assert_eq!((home_of_parts(&deleted, 1, &[1]), home_of_parts(&deleted, 1, &[2])), (vec![3, 2], vec![3]));
}

#[test]
fn with_every_part_in_it_is_the_same_definition() {
    let past = [
        pair(Op::Follow, 1, 2),
        pair(Op::Follow, 2, 1),
        pair(Op::Mute, 1, 3),
        wrote(1, 2, Kind::Post, Visibility::Friends),
        pair(Op::Block, 1, 3),
        pair(Op::Unblock, 1, 3),
        pair(Op::Unmute, 1, 3),
        wrote(2, 3, Kind::Post, Visibility::Public),
        wrote(3, 2, Kind::Repost(p(2)), Visibility::Public),
        pair(Op::Unfollow, 2, 1),
    ];
    for len in 0..=past.len() {
        let mut oracle = Oracle::default();
        past[..len].iter().for_each(|what| assert!(oracle.happened(what), "{what:?}"));
        for viewer in 1..=3 {
            let parts: Vec<_> = past[..len].iter().map(|what| (what, |_| true)).collect();
            let of_parts = Oracle::of_parts(Some(u(viewer)), &parts);
            assert_eq!(home(&of_parts, viewer), home(&oracle, viewer), "{viewer} after {len}");
        }
    }
}

#[test]
fn deleted_and_muted_and_narrow_posts_are_away_until_they_are_back() {
    let mut oracle = world();
    post(&mut oracle, 1, 2);
    write(&mut oracle, 2, 2, Kind::Post, Visibility::Friends);
    write(&mut oracle, 3, 3, Kind::Post, Visibility::Followers);
    assert_eq!(home(&oracle, 1), [3, 1]);
    assert!(act(&mut oracle, Op::Follow, 2, 1));
    assert_eq!(home(&oracle, 1), [3, 2, 1]);
    assert!(oracle.happened(&Happened::Deleted(p(1))) && !oracle.happened(&Happened::Deleted(p(1))));
    act(&mut oracle, Op::Mute, 1, 3);
    assert_eq!(home(&oracle, 1), [2]);
    assert!(oracle.happened(&Happened::Restored(p(1))));
    act(&mut oracle, Op::Unmute, 1, 3);
    assert_eq!(home(&oracle, 1), [3, 2, 1]);
    oracle.happened(&Happened::Showed { id: p(1), visibility: Visibility::Friends });
    act(&mut oracle, Op::RemoveFollower, 1, 2);
    assert_eq!(home(&oracle, 1), [3]);
}

#[test]
fn a_block_ends_follows_and_hides_on_both_sides() {
    let mut oracle = world();
    act(&mut oracle, Op::Follow, 2, 1);
    post(&mut oracle, 1, 2);
    post(&mut oracle, 2, 1);
    assert!(act(&mut oracle, Op::Block, 2, 1) && !act(&mut oracle, Op::Follow, 1, 2));
    assert_eq!((home(&oracle, 1), home(&oracle, 2)), (vec![2], vec![1]));
    assert!(!oracle.may_see(Some(u(1)), p(1)) && oracle.may_see(None, p(1)));
    assert!(act(&mut oracle, Op::Unblock, 2, 1));
    assert_eq!(home(&oracle, 1), [2], "nothing is restored");
}

#[test]
fn a_repost_is_an_item_of_the_reposter_while_its_original_is_seen() {
    let mut oracle = world();
    post(&mut oracle, 1, 4);
    write(&mut oracle, 2, 2, Kind::Repost(p(1)), Visibility::Public);
    write(&mut oracle, 3, 3, Kind::Repost(p(2)), Visibility::Public);
    assert_eq!(home(&oracle, 1), [3, 2], "each is an item, the original is not");
    assert_eq!(oracle.original_seen(Some(u(1)), p(3)), Some(p(1)));
    assert_eq!((oracle.reposted(u(2), p(1)), oracle.reposted(u(1), p(1))), (Some(p(2)), None));
    act(&mut oracle, Op::Mute, 1, 4);
    assert!(home(&oracle, 1).is_empty());
    act(&mut oracle, Op::Unmute, 1, 4);
    act(&mut oracle, Op::Block, 4, 1);
    assert!(home(&oracle, 1).is_empty());
    act(&mut oracle, Op::Unblock, 4, 1);
    oracle.happened(&Happened::Showed { id: p(1), visibility: Visibility::Followers });
    assert!(home(&oracle, 1).is_empty() && !oracle.may_repost(u(2), p(1)) && oracle.may_repost(u(4), p(1)));
    oracle.happened(&Happened::Showed { id: p(1), visibility: Visibility::Public });
    oracle.happened(&Happened::Deleted(p(1)));
    assert!(home(&oracle, 1).is_empty());
    assert_eq!(home(&oracle, 2), Vec::<u64>::new());
}

#[test]
fn a_quote_is_a_post_of_its_own() {
    let mut oracle = world();
    post(&mut oracle, 1, 4);
    write(&mut oracle, 2, 2, Kind::Quote(p(1)), Visibility::Public);
    write(&mut oracle, 3, 3, Kind::Repost(p(2)), Visibility::Public);
    assert_eq!(home(&oracle, 1), [3, 2]);
    assert_eq!(oracle.original_seen(Some(u(1)), p(3)), Some(p(2)), "the quote, not what it quotes");
    assert_eq!(oracle.original_seen(Some(u(1)), p(2)), Some(p(1)));
    oracle.happened(&Happened::Deleted(p(1)));
    act(&mut oracle, Op::Mute, 1, 4);
    assert_eq!(home(&oracle, 1), [3, 2]);
    assert_eq!(oracle.original_seen(Some(u(1)), p(2)), None);
    oracle.happened(&Happened::Deleted(p(3)));
    assert_eq!((oracle.reposted(u(3), p(2)), oracle.stands_instead(p(3))), (None, None));
    write(&mut oracle, 4, 3, Kind::Repost(p(2)), Visibility::Public);
    assert_eq!(oracle.stands_instead(p(3)), Some(p(4)));
}

#[test]
fn a_reply_is_shown_to_those_who_know_whom_it_answers() {
    let mut oracle = world();
    post(&mut oracle, 1, 4);
    post(&mut oracle, 2, 3);
    post(&mut oracle, 3, 1);
    for (n, to) in [(4, 1), (5, 2), (6, 3)] {
        write(&mut oracle, n, 2, Kind::Reply(p(to)), Visibility::Public);
    }
    assert_eq!(home(&oracle, 1), [6, 5, 3, 2]);
    assert_eq!(home(&oracle, 2), [1_u64; 0], "one's own replies to strangers are not in home, either");
    act(&mut oracle, Op::Follow, 1, 4);
    assert_eq!(home(&oracle, 1), [6, 5, 4, 3, 2, 1]);
    let list = |filter| oracle.author_list(Some(u(5)), u(2), filter).len();
    assert_eq!((list(AuthorFilter::Posts), list(AuthorFilter::Replies), list(AuthorFilter::All)), (0, 3, 3));
}

#[test]
fn new_is_what_came_after_an_event_and_never_what_was_imported() {
    let mut oracle = world();
    for n in 1..=4 {
        post(&mut oracle, n, 2);
    }
    let wrote =
        Happened::Wrote { id: p(9), author: u(2), kind: Kind::Post, visibility: Visibility::Public, seq: 0 };
    oracle.happened(&wrote);
    assert_eq!(oracle.new_since(u(1), |_| 2), [p(4), p(3)]);
    assert_eq!(oracle.unread(u(1), |_| 0, 9), (4, false));
    assert_eq!(oracle.unread(u(1), |_| 0, 4), (4, false));
    assert_eq!(oracle.unread(u(1), |_| 0, 3), (3, true));
    post(&mut oracle, 10, 1);
    assert_eq!(
        (oracle.new_since(u(1), |_| 2), oracle.unread(u(1), |_| 0, 9)),
        (vec![p(4), p(3)], (4, false))
    );
    assert_eq!(oracle.home(u(1))[0], p(10), "one's own is in home, and known");
}

#[test]
fn a_group_shows_its_members_followed_or_not_and_nothing_of_its_owner() {
    let mut oracle = world();
    let group =
        |oracle: &Oracle| -> Vec<u64> { oracle.group_timeline(u(1)).into_iter().map(PostId::get).collect() };
    oracle.happened(&Happened::GroupMade(u(1)));
    for member in [2, 4] {
        assert!(oracle.happened(&Happened::Grouped(u(1), u(member))));
    }
    for (n, author) in [(1, 1), (2, 2), (3, 3), (4, 4)] {
        post(&mut oracle, n, author);
    }
    assert_eq!(group(&oracle), [4, 2]);
    write(&mut oracle, 5, 4, Kind::Post, Visibility::Followers);
    write(&mut oracle, 6, 2, Kind::Post, Visibility::Followers);
    write(&mut oracle, 7, 4, Kind::Reply(p(3)), Visibility::Public);
    write(&mut oracle, 8, 2, Kind::Reply(p(4)), Visibility::Public);
    write(&mut oracle, 9, 2, Kind::Reply(p(1)), Visibility::Public);
    assert_eq!(
        group(&oracle),
        [9, 8, 6, 4, 2],
        "a reply to who is followed, and no member, is to a stranger"
    );
    act(&mut oracle, Op::Mute, 1, 2);
    assert_eq!(group(&oracle), [4]);
    act(&mut oracle, Op::Block, 4, 1);
    act(&mut oracle, Op::Unblock, 4, 1);
    assert_eq!(group(&oracle), [] as [u64; 0], "a block's end brings nobody back");
}

fn asked(oracle: &mut Oracle, sender: u64, receiver: u64, ttl_ms: u64) -> bool {
    oracle.happened(&Happened::Asked { sender: u(sender), receiver: u(receiver), ttl_ms: Some(ttl_ms) })
}

#[test]
fn what_ends_by_itself_ends_when_somebody_looks_and_its_time_is_over() {
    let mut oracle = world();
    let muted =
        Happened::Muted { subject: u(1), object: u(2), reposts_only: false, duration_ms: Some(1_000) };
    assert!(oracle.happened(&muted) && asked(&mut oracle, 1, 4, 1_000));
    post(&mut oracle, 1, 2);
    assert!(!act(&mut oracle, Op::ExpireMute, 1, 2) && !act(&mut oracle, Op::ExpireRequest, 4, 1));
    oracle.set_now(1_000);
    assert!(home(&oracle, 1).is_empty() && oracle.asks(u(1), u(4)).is_some(), "nobody has looked");
    assert_eq!(oracle.ends().len(), 2);
    assert_eq!(
        oracle.in_plain_words(&pair(Op::ExpireMute, 1, 2)),
        [pair(Op::Unmute, 1, 2)],
        "readers see that it ends"
    );
    assert!(act(&mut oracle, Op::ExpireMute, 1, 2) && act(&mut oracle, Op::ExpireRequest, 4, 1));
    assert!(!act(&mut oracle, Op::AcceptFriendRequest, 4, 1), "it came too late");
    assert!(oracle.ends().is_empty());
    assert_eq!(home(&oracle, 1), [1]);
}

#[test]
fn a_request_holds_a_place_from_its_beginning_to_its_end() {
    let mut oracle = world();
    assert_eq!(oracle.places(u(1)), 2);
    assert!(oracle.happened(&Happened::Limited(u(1), Some(3))));
    assert!(asked(&mut oracle, 1, 4, 1_000) && !act(&mut oracle, Op::Follow, 1, 5));
    assert!(asked(&mut oracle, 1, 2, 1_000), "who is followed has a place");
    assert_eq!(oracle.places(u(1)), 3);
    oracle.set_now(1_000);
    assert!(act(&mut oracle, Op::ExpireRequest, 4, 1) && act(&mut oracle, Op::Follow, 1, 5));
    assert!(asked(&mut oracle, 6, 1, 1_000) && !act(&mut oracle, Op::AcceptFriendRequest, 1, 6));
    assert!(oracle.asks(u(6), u(1)).is_some(), "a refusal ends nothing");
    assert!(act(&mut oracle, Op::Unfollow, 1, 5) && act(&mut oracle, Op::AcceptFriendRequest, 1, 6));
}

#[test]
fn who_was_rejected_waits_and_who_has_rejected_does_not() {
    let mut oracle = Oracle::default();
    assert!(asked(&mut oracle, 1, 2, 1_000) && act(&mut oracle, Op::RejectFriendRequest, 2, 1));
    assert!(!asked(&mut oracle, 1, 2, 1_000));
    assert!(asked(&mut oracle, 2, 1, 1_000) && asked(&mut oracle, 1, 2, 1_000), "that accepts");
    assert!(oracle.follows(u(1), u(2)) && oracle.follows(u(2), u(1)) && oracle.asks(u(2), u(1)).is_none());
    assert!(act(&mut oracle, Op::RemoveFriend, 1, 2));
    assert!(asked(&mut oracle, 1, 2, 1_000), "the rejection was over when the rejected came to follow");
    assert!(act(&mut oracle, Op::RejectFriendRequest, 2, 1) && !asked(&mut oracle, 1, 2, 1_000));
    let forgotten = Happened::RejectionForgotten(u(2), u(1));
    assert!(!oracle.happened(&forgotten));
    oracle.set_now(7 * 24 * 3_600_000);
    assert!(oracle.happened(&forgotten) && oracle.ends().is_empty() && asked(&mut oracle, 1, 2, 1_000));
}

#[test]
fn who_waits_for_an_account_that_is_open_waits_in_vain() {
    let mut oracle = Oracle::default();
    let locked = |locked| Happened::Locked(u(1), locked);
    assert!(oracle.happened(&locked(true)) && act(&mut oracle, Op::Follow, 2, 1));
    assert!(!oracle.follows(u(2), u(1)) && oracle.waits_in_vain().is_empty());
    assert!(oracle.happened(&locked(false)));
    assert_eq!(oracle.waits_in_vain(), [(u(2), u(1))]);
    assert!(act(&mut oracle, Op::ApproveUnlocked, 1, 2) && oracle.follows(u(2), u(1)));
    assert!(oracle.waits_in_vain().is_empty());
}

//! What events tell of users is what the tables say of them: users who were filled once and followed by the log since, beside a
//! store that is written to.

use super::{Opened, open, uid};
use crate::rows;
use guanxi_memory::apply::relations::UserCommit;
use guanxi_memory::relations::{RelationsCache, RelationsEntry};
use guanxi_model::{
    Change, Command, Event, FriendRequest, ImportEdge, MuteCommand, MuteTerms, Op, PairCommand, Stamp, Uid,
    Write,
};
use guanxi_ports::Facts as _;
use std::collections::BTreeSet;

/// Users who have to do with each other.
const USERS: u64 = 5;

/// Writes of a history.
const WRITES: usize = 1_500;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn user(&mut self) -> Uid {
        uid(1 + self.below(USERS))
    }

    /// Something that a user does to another one.
    fn command(&mut self) -> Command {
        let (subject, object) = (self.user(), self.user());
        let pair = |op| Command::Pair(PairCommand { op, subject, object });
        match self.below(16) {
            0..4 => pair(Op::Follow),
            4 => pair(Op::Unfollow),
            5 => pair(Op::Block),
            6 => pair(Op::Unblock),
            7 => {
                let reposts_only = self.below(2) == 0;
                Command::Mute(MuteCommand { subject, object, reposts_only, duration_ms: None })
            }
            8 => pair(Op::Unmute),
            9 => {
                let (message, ttl_ms) = (String::new(), None);
                Command::SendFriendRequest(FriendRequest {
                    sender: subject,
                    receiver: object,
                    message,
                    ttl_ms,
                })
            }
            10 => pair(Op::AcceptFriendRequest),
            11 => pair([Op::RejectFriendRequest, Op::CancelFriendRequest][self.below(2) as usize]),
            12 => pair(Op::RemoveFriend),
            13 => pair(Op::RemoveFollower),
            14 => {
                let at = Some(Stamp::from_ms(1_600_000_000_000 + self.below(1_000)));
                let edge = ImportEdge { subject, object, at, terms: MuteTerms::default() };
                Command::ImportEdges { edges: vec![edge], revive: true }
            }
            _ => Command::FollowLimit { uid: subject, limit: Some(1 + self.below(9) as u32) },
        }
    }
}

/// A user as the tables have it now, with the version that is written down.
fn stored(opened: &Opened, uid: Uid, as_of: u64) -> RelationsEntry {
    let snapshot = opened.store.shared().engine.snapshot();
    let Some(user) = rows::relations::user(&snapshot, uid).unwrap() else { return RelationsEntry::default() };
    RelationsEntry::new(as_of, user.changed, (user.followers, user.asked), &user.relations)
}

/// What a commit tells of each user whom it names.
fn told(opened: &Opened, events: &[Event], seq: u64) -> Vec<UserCommit> {
    let named: BTreeSet<Uid> =
        events.iter().flat_map(|event| [Some(event.subject), event.object()]).flatten().collect();
    let commit = |user: Uid| {
        let now = stored(opened, user, seq);
        let events = events.iter().filter(|event| event.tells_of(user)).copied().collect();
        UserCommit { user, events, followers: now.followers(), asked: now.asked() }
    };
    named.into_iter().map(commit).collect()
}

#[tokio::test]
async fn users_who_follow_the_log_are_what_the_tables_say() {
    let opened = open(0);
    let users = RelationsCache::new(1 << 20);
    let mut dice = Dice(7);
    let mut fill = None;
    let (mut seq, mut held, mut friends) = (0, 0, 0);
    for _ in 0..WRITES {
        match (dice.below(4), fill.take()) {
            (0, None) => {
                let uid = dice.user();
                fill = Some((users.begin_fill(uid), stored(&opened, uid, seq)));
            }
            (1, Some((fill, read))) => fill.keep([Some(read)]),
            (_, waits) => fill = waits,
        }
        let write =
            Write { commands: (0..=dice.below(3)).map(|_| dice.command()).collect(), ..Write::default() };
        opened.store.apply(write).await.unwrap();
        let shared = opened.store.shared();
        let last = shared.published.pin().seq;
        if last > seq {
            let events = shared.recent_events.read(seq, last).unwrap();
            assert!(events.iter().all(|event| !matches!(event.change, Change::Post { .. })));
            users.follow(last, &told(&opened, &events, last));
            seq = last;
        }
        let view = shared.published.pin();
        for user in (1..=USERS).map(uid) {
            let reading = users.read(&*view);
            let Some(entry) = reading.get(user) else { continue };
            let now = stored(&opened, user, seq);
            assert_eq!(entry.packed().unpack(), now.packed().unpack(), "{user} at {seq}");
            assert_eq!((entry.followers(), entry.asked()), (now.followers(), now.asked()), "{user} at {seq}");
            assert_eq!(entry.version(), now.version(), "{user} at {seq}");
            held += 1;
            friends += now.packed().counts().friends;
        }
    }
    assert!(held > WRITES && friends > 100, "held {held} times, with {friends} friends");
}

//! What two users of different shards come to who act at once, through two processes and on two databases.

use crate::world::{World, databases, laid_out};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{
    Clock, Command, Direction, FriendRequest, Op, Outcome, PairCommand, PairState, Reason, RequestKey,
    RequestKind, Uid, Write,
};
use guanxi_ports::Facts as _;
use guanxi_spec::conformance::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Few, so that they meet; of different genes, and in both databases.
const PAIRS: [(u64, u64); 5] = [(1, 2), (3, 4), (1, 4), (5, 6), (2, 5)];

/// Blocks are few, and soon over: they forbid everything else.
const OPS: [Op; 14] = [
    Op::Follow,
    Op::Unfollow,
    Op::RemoveFollower,
    Op::Block,
    Op::Unblock,
    Op::Unblock,
    Op::Unblock,
    Op::AcceptFriendRequest,
    Op::AcceptFriendRequest,
    Op::RejectFriendRequest,
    Op::CancelFriendRequest,
    Op::RemoveFriend,
    Op::ApproveFollow,
    Op::RejectFollow,
];

/// Places of user 1.
const PLACES: u32 = 1;

/// The time of the system.
#[derive(Debug)]
struct WallClock;

impl Clock for WallClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        u64::try_from(since.as_millis()).unwrap()
    }
}

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A random command of one of a pair about the other, now and then about its own account.
fn random_command(rng: &mut Rng) -> Command {
    let (a, b) = *rng.pick(&PAIRS);
    let (subject, object) = if rng.below(2) == 0 { (u(a), u(b)) } else { (u(b), u(a)) };
    match rng.below(12) {
        0..5 => {
            let message = format!("{subject} asks {object}");
            let ttl_ms = None;
            Command::SendFriendRequest(FriendRequest { sender: subject, receiver: object, message, ttl_ms })
        }
        5 => {
            let patch = PrivacyPatch { locked: Some(rng.below(2) == 0), ..PrivacyPatch::default() };
            UserCommand::SetPrivacy { uid: subject, patch }.into()
        }
        6 => Command::Pair(PairCommand { op: Op::Follow, subject, object }),
        7 => Command::Pair(PairCommand { op: Op::Unblock, subject, object }),
        _ => Command::Pair(PairCommand { op: *rng.pick(&OPS), subject, object }),
    }
}

fn actor(command: &Command) -> Uid {
    match command {
        Command::Pair(command) => command.subject,
        Command::SendFriendRequest(request) => request.sender,
        Command::User(command) => command.uid(),
        _ => panic!("{command:?}"),
    }
}

/// A command alone, or an answer to a request together with the same answer to all others of the pairs.
fn written(command: &Command) -> Write {
    let &Command::Pair(PairCommand { op: op @ (Op::ApproveFollow | Op::RejectFollow), subject, object }) =
        command
    else {
        return Write::of(command.clone());
    };
    let others = PAIRS.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    let others = others.filter(|(a, b)| u(*a) == subject && u(*b) != object).map(|(_, b)| u(b));
    let objects = std::iter::once(object).chain(others);
    Write::all(objects.map(|object| PairCommand { op, subject, object }))
}

/// A client that acts at random through two processes, now and then once more under the same request id.
async fn play(stores: [Arc<ClusterStore>; 2], client: u64, seed: u64) -> u32 {
    let mut rng = Rng::new(seed * 100 + client);
    let mut done = 0;
    for step in 0..30 {
        let command = random_command(&mut rng);
        let id = format!("{client}-{step}");
        let request = RequestKey { actor: actor(&command), id: id.into(), fingerprint: step };
        let request = (rng.below(2) == 0).then_some(request);
        let write = written(&command).under(request.clone());
        let mut answers = Vec::new();
        for _ in 0..if request.is_some() { 2 } else { 1 } {
            match rng.pick(&stores).apply(write.clone()).await {
                Ok(applied) => answers.push(applied.outcomes.iter().map(Outcome::result).collect::<Vec<_>>()),
                Err(error) => assert!(
                    matches!(error.reason, Reason::ShardUnavailable { .. } | Reason::OutcomeUnknown),
                    "{command:?}: {error:?}"
                ),
            }
        }
        assert!(answers.windows(2).all(|two| two[0] == two[1]), "{command:?} came to {answers:?}");
        done += u32::try_from(answers.len()).unwrap();
    }
    done
}

/// What all databases have in a table of two users, with more columns as text.
async fn table(world: &World, names: &[&str], sql: &str) -> BTreeMap<(Uid, Uid), Vec<Option<String>>> {
    let mut found = BTreeMap::new();
    for name in names {
        for row in world.client(name).await.query(sql, &[]).await.unwrap() {
            let uid = |index: usize| u(row.get::<_, i64>(index).cast_unsigned());
            let more = (2..row.len()).map(|index| row.get::<_, Option<String>>(index)).collect();
            found.insert((uid(0), uid(1)), more);
        }
    }
    found
}

const FOLLOWS: &str = "select subject, object, at::text, friend_at::text from gx.follow where active";
const FANS: &str = "select subject, object, at::text from gx.fan where active";
const BLOCKS: &str = "select subject, object from gx.block where active";
const BLOCKED_BY: &str = "select subject, object from gx.blocked_by where active";
const REQUESTS: &str = "select sender, receiver, kind, at::text, mark::text, expires_ms::text, message, 'true' \
    from gx.request where kind is not null";
const SENT: &str = "select sender, receiver, kind, at::text, mark::text, expires_ms::text, message, waits::text \
    from gx.sent where kind is not null";
const REJECTED: &str = "select sender, receiver, cooling_ms::text from gx.request \
    where cooling_ms is not null and first_at is null";
const REJECTED_BY: &str =
    "select sender, receiver, cooling_ms::text from gx.sent where cooling_ms is not null";
const COUNTS: &str = "select uid, uid, following::text, followers::text, friends::text, blocks::text, sent::text, asking::text \
    from gx.user_state";

/// Both shards say the same of each pair, no pair is in an impossible state, and counters are those of the rows.
async fn check(world: &World, names: &[&str], seed: u64) {
    let follows = table(world, names, FOLLOWS).await;
    let fans = table(world, names, FANS).await;
    let at = |rows: &BTreeMap<(Uid, Uid), Vec<Option<String>>>| -> BTreeMap<(Uid, Uid), Option<String>> {
        rows.iter().map(|(pair, more)| (*pair, more[0].clone())).collect()
    };
    assert_eq!(at(&follows), at(&fans), "seed {seed}: follows and fans");
    let (blocks, blocked_by) = (table(world, names, BLOCKS).await, table(world, names, BLOCKED_BY).await);
    assert_eq!(blocks, blocked_by, "seed {seed}: blocks");
    let (requests, sent) = (table(world, names, REQUESTS).await, table(world, names, SENT).await);
    assert_eq!(requests, sent, "seed {seed}: requests");
    let (rejected, known) = (table(world, names, REJECTED).await, table(world, names, REJECTED_BY).await);
    assert_eq!(rejected, known, "seed {seed}: rejections");
    for ((a, b), more) in &follows {
        let back = follows.get(&(*b, *a)).map(|more| more[1].clone());
        assert_eq!(more[1].is_some(), back.is_some(), "seed {seed}: friends {a} {b}");
        assert_eq!(more[1].clone(), back.flatten(), "seed {seed}: friends since {a} {b}");
    }
    let direction = |a: Uid, b: Uid| Direction {
        follows: follows.contains_key(&(a, b)),
        blocks: blocks.contains_key(&(a, b)),
        mutes: false,
        asks: requests.get(&(a, b)).map(|more| match more[0].as_deref() {
            Some("follow") => RequestKind::Follow,
            _ => RequestKind::Friend,
        }),
    };
    for (a, b) in PAIRS {
        let state = PairState { forward: direction(u(a), u(b)), backward: direction(u(b), u(a)) };
        assert!(state.reachable(), "seed {seed}: {a} {b} {state:?}");
    }
    let counts = table(world, names, COUNTS).await;
    let users: BTreeSet<u64> = PAIRS.iter().flat_map(|(a, b)| [*a, *b]).collect();
    for n in users {
        let of = |pairs: Vec<(Uid, Uid)>| pairs.into_iter().filter(|(a, _)| *a == u(n)).count();
        let following = of(follows.keys().copied().collect());
        let followers = of(fans.keys().map(|(a, b)| (*b, *a)).collect());
        let friends = follows.iter().filter(|(pair, more)| pair.0 == u(n) && more[1].is_some()).count();
        let asking = of(sent.keys().filter(|pair| !follows.contains_key(pair)).copied().collect());
        let all = [
            following,
            followers,
            friends,
            of(blocks.keys().copied().collect()),
            of(sent.keys().copied().collect()),
            asking,
        ];
        let all = all.map(|count| Some(count.to_string())).to_vec();
        let known = counts.get(&(u(n), u(n))).cloned().unwrap_or_else(|| vec![Some("0".to_owned()); 6]);
        assert_eq!(known, all, "seed {seed}: counters of {n}");
        assert!(n != 1 || following + asking <= PLACES as usize, "seed {seed}: places of {n}");
    }
}

async fn run(seeds: std::ops::Range<u64>, carrying: CarryMode, apply_every: Option<Duration>) {
    let world = World::new();
    for seed in seeds {
        let names = [format!("left{seed}"), format!("right{seed}")];
        let names = [names[0].as_str(), names[1].as_str()];
        let lines = world.make(&names).await;
        laid_out(&lines).await;
        let options = ClusterOptions { carrying, apply_every, ..ClusterOptions::default() };
        let open = async || {
            Arc::new(ClusterStore::open(&databases(&lines), options, Arc::new(WallClock)).await.unwrap())
        };
        let stores = [open().await, open().await];
        let limit = Write::of(Command::FollowLimit { uid: u(1), limit: Some(PLACES) });
        stores[0].apply(limit).await.unwrap();
        let clients: Vec<_> = (0..6).map(|client| tokio::spawn(play(stores.clone(), client, seed))).collect();
        let mut done = 0;
        for client in clients {
            done += client.await.unwrap();
        }
        assert!(done > 100, "{done} writes were done");
        for _ in 0..6 {
            stores[0].settle().await.unwrap();
        }
        check(&world, &names, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_who_meet_at_once_come_to_one_state() {
    run(1..4, CarryMode::Log, Some(Duration::from_millis(20))).await;
}

/// A write itself carries everything that it needs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_need_carry_what_two_agree_on() {
    run(10..12, CarryMode::Log, None).await;
}

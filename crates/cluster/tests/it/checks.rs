//! What each check finds of damages that are done by hand, and what it mends; and that it finds nothing beside running writers.

use crate::world::{HISTORY, World, databases};
use guanxi_cluster::{
    CarryMode, ClusterOptions, ClusterStore, InitTerms, RepairCheck, RepairReport, RepairTerms, init,
};
use guanxi_model::{ManualClock, Op, PairCommand, Uid, Write};
use guanxi_ports::DifferenceKind::{self, *};
use guanxi_ports::{Facts, Upkeep};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Client;

/// Damages of each kind.
pub(crate) const N: u64 = 50;

/// The time of the tests.
const NOW_MS: u64 = 1_750_000_000_000;

/// Two databases, and a process that follows their logs.
pub(crate) struct Cluster {
    _world: World,
    pub lines: Vec<String>,
    pub clients: Vec<Client>,
    pub store: Arc<ClusterStore>,
}

pub(crate) fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

impl Cluster {
    pub(crate) async fn new() -> Self {
        Self::carrying(Some(Duration::from_millis(20))).await
    }

    /// One whose process looks at the logs so often, or never.
    pub(crate) async fn carrying(apply_every: Option<Duration>) -> Self {
        let world = World::new();
        let lines = world.make(&["d1", "d2"]).await;
        let terms = InitTerms { history: HISTORY };
        init(&databases(&lines), terms, &mut |_| Ok(())).await.unwrap();
        let clients = vec![world.client("d1").await, world.client("d2").await];
        let store = store(&lines, apply_every).await;
        Self { _world: world, lines, clients, store }
    }

    /// Does the same in the database of a user.
    async fn damage(&self, of: u64, sql: &str) {
        let changed = self.clients[(of % 2) as usize].execute(sql, &[]).await.unwrap();
        assert_eq!(changed, 1, "{sql}");
    }

    async fn check(&self, check: RepairCheck, mends: bool) -> RepairReport {
        self.store.settle().await.unwrap();
        run(&self.store, check, mends).await
    }

    /// What a full check finds.
    async fn kinds(&self) -> BTreeMap<DifferenceKind, u64> {
        kinds(&self.check(RepairCheck::Full, false).await)
    }
}

async fn run(store: &ClusterStore, check: RepairCheck, mends: bool) -> RepairReport {
    let terms = RepairTerms { mends, page_rows: 64, ..RepairTerms::default() };
    store.repair(check, terms, &mut |progress| assert!(progress.done <= progress.total)).await.unwrap()
}

pub(crate) async fn store(lines: &[String], apply_every: Option<Duration>) -> Arc<ClusterStore> {
    // Marks are raised above the ends of logs by hand.
    let losses_every = Duration::from_hours(1);
    let options =
        ClusterOptions { carrying: CarryMode::Log, apply_every, losses_every, ..ClusterOptions::default() };
    let clock = Arc::new(ManualClock::new(NOW_MS));
    Arc::new(ClusterStore::open(&databases(lines), options, clock).await.unwrap())
}

pub(crate) async fn act(store: &ClusterStore, op: Op, pairs: impl IntoIterator<Item = (u64, u64)>) {
    let acts = pairs.into_iter().map(|(a, b)| {
        let command = PairCommand { op, subject: uid(a), object: uid(b) };
        store.apply(Write::of(command))
    });
    for applied in futures_util::future::join_all(acts).await {
        drop(applied.unwrap());
    }
}

pub(crate) fn kinds(report: &RepairReport) -> BTreeMap<DifferenceKind, u64> {
    let mut kinds = BTreeMap::new();
    report.differences.iter().for_each(|difference| *kinds.entry(difference.kind).or_default() += 1);
    assert_eq!(report.unsettled, 0);
    kinds
}

/// Each damage is done to `N` pairs of their own: the first user of the nth of the so-manyth damage, and the second.
pub(crate) fn pairs(damage: u64) -> impl Iterator<Item = (u64, u64)> + Clone {
    (0..N).map(move |n| (1_000 + damage * 1_000 + n, 1_000 + damage * 1_000 + 500 + n * 3))
}

/// A damage: what is so before, what is done to a pair, in whose database, and what a full check finds in each.
struct Damage {
    name: &'static str,
    before: &'static [Op],
    is_mutual: bool,
    sql: &'static str,
    is_at_second: bool,
    found: &'static [(DifferenceKind, u64)],
}

const DAMAGES: &[Damage] = &[
    Damage {
        name: "what follows is missing",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "delete from gx.fan where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(ReverseMissing, 1), (FollowersCount, 1)],
    },
    Damage {
        name: "what follows is there without a fact",
        before: &[],
        is_mutual: false,
        sql: "insert into gx.fan (gene, object, subject, at, version, active) values ({b} & 255, {b}, {a}, 5, 7, true)",
        is_at_second: true,
        found: &[(ForwardMissing, 1), (FollowersCount, 1)],
    },
    Damage {
        name: "what follows is there although the fact ended",
        before: &[Op::Follow, Op::Unfollow],
        is_mutual: false,
        sql: "update gx.fan set active = true, version = version - 1 where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(ForwardMissing, 1), (FollowersCount, 1)],
    },
    Damage {
        name: "what follows has ended although the fact stands",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "update gx.fan set active = false where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(ReverseMissing, 1), (FollowersCount, 1)],
    },
    Damage {
        name: "what follows is of another time",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "update gx.fan set at = at - 9 where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(TimeDiffers, 1)],
    },
    Damage {
        name: "what follows is older",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "update gx.fan set version = version - 9 where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(TimeDiffers, 1)],
    },
    Damage {
        name: "what follows is newer than the fact",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "update gx.fan set version = version + (9::bigint << 40) where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(TimeDiffers, 1)],
    },
    Damage {
        name: "what follows is newer than a fact that ended",
        before: &[Op::Follow, Op::Unfollow],
        is_mutual: false,
        sql: "update gx.fan set version = version + (9::bigint << 40) where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(TimeDiffers, 1)],
    },
    Damage {
        name: "friends without a mark",
        before: &[Op::Follow],
        is_mutual: true,
        sql: "update gx.follow set friend_at = null where subject = {a} and object = {b}",
        is_at_second: false,
        found: &[(MutualMarkMissing, 1), (FriendsCount, 1)],
    },
    Damage {
        name: "friends with a mark of another time",
        before: &[Op::Follow],
        is_mutual: true,
        sql: "update gx.follow set friend_at = friend_at - 1 where subject = {a} and object = {b}",
        is_at_second: false,
        found: &[(MutualMarkMissing, 1)],
    },
    Damage {
        name: "a mark without friends",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "update gx.follow set friend_at = at where subject = {a} and object = {b}",
        is_at_second: false,
        found: &[(MutualMarkWrong, 1), (FriendsCount, 1)],
    },
    Damage {
        name: "a block that the other does not know of",
        before: &[Op::Block],
        is_mutual: false,
        sql: "delete from gx.blocked_by where object = {b} and subject = {a}",
        is_at_second: true,
        found: &[(MarkIndex, 1)],
    },
    Damage {
        name: "a block that nobody has",
        before: &[],
        is_mutual: false,
        sql: "insert into gx.blocked_by (gene, object, subject, version, active) values ({b} & 255, {b}, {a}, 7, true)",
        is_at_second: true,
        found: &[(MarkIndex, 1)],
    },
    Damage {
        name: "a follow across one's own block",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "with made as (insert into gx.block (gene, subject, object, at, version, active) \
            values ({a} & 255, {a}, {b}, 5, 7, true)) \
            update gx.user_state set blocks = 1 where uid = {a}",
        is_at_second: false,
        found: &[(MarkIndex, 1), (FollowDespiteBlock, 1)],
    },
    Damage {
        name: "a follow across a block by the other",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "with made as (insert into gx.block (gene, subject, object, at, version, active) \
            values ({b} & 255, {b}, {a}, 5, 7, true)) \
            update gx.user_state set blocks = 1 where uid = {b}",
        is_at_second: true,
        found: &[(MarkIndex, 1)],
    },
    Damage {
        name: "wrong counters",
        before: &[Op::Follow, Op::Mute],
        is_mutual: false,
        sql: "update gx.user_state set following = following + 3, mutes = 0, friends = 2 where uid = {a}",
        is_at_second: false,
        found: &[(FollowingCount, 1), (MutesCount, 1), (FriendsCount, 1)],
    },
    Damage {
        name: "no counters",
        before: &[Op::Follow],
        is_mutual: false,
        sql: "delete from gx.user_state where uid = {a}",
        is_at_second: false,
        found: &[(FollowingCount, 1)],
    },
];

impl Damage {
    fn expected(&self) -> BTreeMap<DifferenceKind, u64> {
        self.found.iter().map(|(kind, each)| (*kind, each * N)).collect()
    }
}

/// Each damage is found by the full check, and mended by it; once more it finds nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_full_check_finds_and_mends_every_damage() {
    let cluster = Cluster::new().await;
    for (number, damage) in (0..).zip(DAMAGES) {
        for op in damage.before {
            act(&cluster.store, *op, pairs(number)).await;
            cluster.store.settle().await.unwrap();
        }
        if damage.is_mutual {
            act(&cluster.store, Op::Follow, pairs(number).map(|(a, b)| (b, a))).await;
        }
    }
    assert_eq!(cluster.kinds().await, BTreeMap::new());
    let facts_before = cluster.facts().await;
    let numbered: Vec<(u64, &Damage)> = (0..).zip(DAMAGES).collect();
    // A report names a thousand differences at most.
    for some in numbered.chunks(9) {
        for (number, damage) in some {
            for (a, b) in pairs(*number) {
                let sql = damage.sql.replace("{a}", &a.to_string()).replace("{b}", &b.to_string());
                cluster.damage(if damage.is_at_second { b } else { a }, &sql).await;
            }
        }
        let found = cluster.check(RepairCheck::Full, false).await;
        for (number, damage) in some {
            let mut found = found.clone();
            found.differences.retain(|difference| difference.subject.unwrap().get() / 1_000 == number + 1);
            println!("{}: {:?}", damage.name, kinds(&found));
            assert_eq!(kinds(&found), damage.expected(), "{}", damage.name);
        }
        let mended = cluster.check(RepairCheck::Full, true).await;
        println!("found {}, mended {}", mended.differences_total, mended.mended);
        assert!(mended.mended >= N * some.len() as u64, "{}", mended.mended);
        assert_eq!(cluster.kinds().await, BTreeMap::new());
    }
    // No follow has changed but those across a block.
    let ended = 2 * N;
    assert_eq!(cluster.facts().await, facts_before - ended);
}

impl Cluster {
    /// Follows that stand.
    async fn facts(&self) -> u64 {
        self.store.settle().await.unwrap();
        let mut count = 0;
        for client in &self.clients {
            let row = client.query_one("select count(*) from gx.follow where active", &[]).await.unwrap();
            count += row.get::<_, i64>(0).cast_unsigned();
        }
        count
    }
}

/// Events that were lost below the mark are found by the check of events, of all ages and of old ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_events_are_found_and_applied() {
    let cluster = Cluster::new().await;
    let checks = [RepairCheck::Incremental, RepairCheck::Pairs, RepairCheck::Digests, RepairCheck::Full];
    for (number, check) in (0..).zip(checks) {
        drop(cluster.check(check, true).await);
        let before = cluster.facts().await;
        lose(&cluster, pairs(number)).await;
        // What concerns one shard is not carried.
        let lost = pairs(number).filter(|(a, b)| a % 256 != b % 256).count() as u64;
        if check == RepairCheck::Pairs {
            assert_eq!(run(&cluster.store, check, false).await.differences_total, 0, "too young");
            cluster.age_events().await;
        }
        let found = cluster.check(check, false).await;
        assert_eq!(kinds(&found), BTreeMap::from([(ReverseMissing, lost)]), "{check:?}");
        let mended = cluster.check(check, true).await;
        assert_eq!((mended.differences_total, mended.mended), (lost, lost), "{check:?}");
        println!("lost events, {}: found {lost}, mended {}", check.name(), mended.mended);
        assert_eq!(cluster.check(check, true).await.differences_total, 0);
        assert_eq!(cluster.kinds().await, BTreeMap::new());
        assert_eq!(cluster.facts().await, before + N);
    }
}

/// A digest that is wrong itself is counted anew; what a mend of damaged rows makes of one, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn digests_are_counted_anew() {
    let cluster = Cluster::new().await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    let back = pairs(0).map(|(a, b)| (b, a)).take(20);
    act(&cluster.store, Op::Follow, back.clone()).await;
    act(&cluster.store, Op::Unfollow, back.take(10)).await;
    let sound = cluster.check(RepairCheck::Digests, false).await;
    assert_eq!((sound.cells_differed, sound.differences_total), (0, 0));
    assert!(sound.compared >= N, "{}", sound.compared);
    // The same edges are summed to the same numbers by hand of the check.
    for (side, column) in [
        (0, "count = count + 1"),
        (1, "sum = mod(sum + 5, 340282366920938463463374607431768211456)"),
        (0, "sum = 0"),
    ] {
        let mut changed = 0;
        for client in &cluster.clients {
            let sql = format!("update gx.digest set {column} where side = {side} and other % 5 = 3");
            changed += client.execute(&sql, &[]).await.unwrap();
        }
        let found = cluster.check(RepairCheck::Digests, false).await;
        assert!(changed > 0 && (1..=changed).contains(&found.cells_differed), "{found:?}");
        assert_eq!(found.differences, []);
        let mended = cluster.check(RepairCheck::Digests, true).await;
        assert_eq!(
            (mended.cells_differed, mended.cells_mended),
            (found.cells_differed, found.cells_differed)
        );
        assert_eq!(cluster.check(RepairCheck::Digests, false).await.cells_differed, 0, "{column}");
        println!("digests with {column}: found {}, mended {}", found.cells_differed, mended.cells_mended);
    }
    // What is done to rows by hand is found, for the digests have it still; what its mend makes of these is counted anew.
    for (check, already) in [(RepairCheck::Digests, 20), (RepairCheck::Full, 30)] {
        for (a, b) in pairs(0).skip(already).take(10) {
            cluster.damage(b, &format!("delete from gx.fan where object = {b} and subject = {a}")).await;
        }
        let mended = cluster.check(check, true).await;
        assert_eq!((mended.cells_differed, mended.cells_mended), (10, 10), "{check:?}");
        assert_eq!((mended.differences_total, mended.mended), (20, 20), "{check:?}");
    }
    assert_eq!(cluster.check(RepairCheck::Digests, true).await.cells_differed, 0);
    assert_eq!(cluster.kinds().await, BTreeMap::new());
}

/// Follows whose events are applied by no process.
async fn lose(cluster: &Cluster, pairs: impl Iterator<Item = (u64, u64)>) {
    cluster.raise_marks().await;
    act(&cluster.store, Op::Follow, pairs).await;
    cluster.lower_marks().await;
}

impl Cluster {
    /// Applies everything, however long the server is busy with other cases.
    async fn settle(&self) {
        for _ in 1..20 {
            if self.store.settle().await.is_ok() {
                return;
            }
        }
        self.store.settle().await.unwrap();
    }

    /// Has no process of the cluster apply what is written from now on: the marks are raised above it by hand.
    pub(crate) async fn raise_marks(&self) {
        self.settle().await;
        for client in &self.clients {
            client.batch_execute("update gx.applied set seq = seq + 1000000").await.unwrap();
        }
    }

    /// Says that everything is applied that was written since then.
    pub(crate) async fn lower_marks(&self) {
        self.settle().await;
        let mut heads: (Vec<i16>, Vec<i64>) = Default::default();
        for client in &self.clients {
            for row in client.query("select gene, seq from gx.shard", &[]).await.unwrap() {
                heads.0.push(row.get(0));
                heads.1.push(row.get(1));
            }
        }
        let set = "update gx.applied a set seq = v.seq, version = null from unnest($1::smallint[], $2::bigint[]) as v(source, seq) \
            where a.source = v.source";
        for client in &self.clients {
            client.execute(set, &[&heads.0, &heads.1]).await.unwrap();
        }
    }

    /// Has all events be older than their echoes may be.
    pub(crate) async fn age_events(&self) {
        for client in &self.clients {
            client
                .batch_execute("update gx.log set written_at = written_at - interval '10 s'")
                .await
                .unwrap();
        }
    }
}

/// What an operator asks for is the full check.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_verification_names_what_is_wrong() {
    let cluster = Cluster::new().await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    cluster.store.settle().await.unwrap();
    let (a, b) = pairs(0).next().unwrap();
    cluster.damage(b, &format!("update gx.fan set at = 1 where object = {b} and subject = {a}")).await;
    let store = cluster.store.clone();
    let verified = tokio::task::spawn_blocking(move || store.verify(&mut |_| ())).await.unwrap().unwrap();
    assert_eq!((verified.forward, verified.reverse, verified.counters), (N, N, 2 * N));
    let difference = verified.differences.first().unwrap();
    assert_eq!(
        (difference.kind, difference.subject, difference.object),
        (TimeDiffers, Some(uid(a)), Some(uid(b)))
    );
    // The digest of these two genes is another difference.
    let kinds: Vec<_> = verified.differences.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [TimeDiffers, Digest]);
    assert_eq!(verified.differences_total, 2);
    assert!(!verified.clean());
    drop(cluster.lines);
}

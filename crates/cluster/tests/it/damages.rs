//! Damages of each kind against each check: what it finds, and mends, and what is not its to find.
//!
//! `GUANXI_DAMAGES` says how many of each kind, and `GUANXI_DAMAGES_THIRD` which third of the kinds, 0 to 2; the table with figures is
//! printed.

use crate::checks::{Cluster, uid};
use futures_util::future::join_all;
use guanxi_cluster::{RepairCheck, RepairReport, RepairTerms};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::{Op, PairCommand, PostId, Reason, Visibility, Write};
use guanxi_ports::DifferenceKind::{self, *};
use guanxi_ports::{Applied, Facts};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// Acts at once.
const ACTS_MAX: usize = 64;

/// How often an act is tried that found no connection free: a server may be busy with other cases.
const TRIED_MAX: usize = 20;

/// In the order of a table's columns.
const CHECKS: [RepairCheck; 4] =
    [RepairCheck::Incremental, RepairCheck::Pairs, RepairCheck::Digests, RepairCheck::Full];

/// What a check finds of each damage: how many differences of a kind, or digests that are wrong.
#[derive(Clone, Copy)]
enum Found {
    /// Nothing: it is not this check's to find.
    Nothing,
    /// Differences.
    Each(DifferenceKind, u64),
    /// Digests.
    Cell,
}
use Found::{Cell, Each, Nothing};

/// How a damage is done.
enum Way {
    /// To the rows of pairs `p (a, b, id)`, in whichever database has them.
    Sql(&'static str),
    /// An event that no process applies.
    Lost(Act),
}
use Way::{Lost, Sql};

/// What the first user of a pair does.
#[derive(Clone, Copy)]
enum Act {
    /// To the second.
    Pair(Op),
    /// Likes the post of the second.
    Like,
    /// Answers the post of the second.
    Reply,
}

struct Damage {
    name: &'static str,
    /// What is so before. Where something is done to posts, the second user has one.
    before: &'static [Act],
    way: Way,
    /// By check.
    found: [Found; 4],
    is_mended: bool,
}

const FOLLOW: &[Act] = &[Act::Pair(Op::Follow)];

/// Done to rows.
const fn of_rows(
    name: &'static str,
    before: &'static [Act],
    sql: &'static str,
    digests: Found,
    full: Found,
) -> Damage {
    Damage { name, before, way: Sql(sql), found: [Nothing, Nothing, digests, full], is_mended: true }
}

/// Done to rows that digests are of.
const fn of_pairs(
    name: &'static str,
    before: &'static [Act],
    sql: &'static str,
    kind: DifferenceKind,
) -> Damage {
    of_rows(name, before, sql, Each(kind, 1), Each(kind, 1))
}

/// Returns an event that no process applies.
const fn lost(name: &'static str, act: Act, found: [Found; 4]) -> Damage {
    Damage { name, before: &[], way: Lost(act), found, is_mended: true }
}

const DAMAGES: &[Damage] = &[
    of_pairs(
        "mirror missing",
        FOLLOW,
        "delete from gx.fan t using p where t.object = p.b and t.subject = p.a",
        ReverseMissing,
    ),
    of_pairs(
        "mirror surplus",
        &[],
        "insert into gx.fan (gene, object, subject, at, version, active) select p.b & 255, p.b, p.a, 5, 7, true \
             from p join gx.shard s on s.gene = p.b & 255",
        ForwardMissing,
    ),
    of_pairs(
        "mirror stale",
        FOLLOW,
        "update gx.fan t set at = t.at - 9, version = t.version - 9 from p where t.object = p.b and t.subject = p.a",
        TimeDiffers,
    ),
    of_pairs(
        "mirror of an older version",
        FOLLOW,
        "update gx.fan t set version = t.version - 9 from p where t.object = p.b and t.subject = p.a",
        TimeDiffers,
    ),
    of_pairs(
        "mirror of a block missing",
        &[Act::Pair(Op::Block)],
        "delete from gx.blocked_by t using p where t.object = p.b and t.subject = p.a",
        MarkIndex,
    ),
    of_pairs(
        "follow across a block",
        FOLLOW,
        "insert into gx.block (gene, subject, object, at, version, active) select p.a & 255, p.a, p.b, 5, 7, true \
             from p join gx.shard s on s.gene = p.a & 255",
        FollowDespiteBlock,
    ),
    of_rows(
        "digest cell",
        FOLLOW,
        "update gx.digest t set count = t.count + 1 from p \
             where t.kind = 1 and t.side = 1 and t.gene = p.b & 255 and t.other = p.a & 255",
        Cell,
        Cell,
    ),
    of_rows(
        "counter of a user",
        FOLLOW,
        "update gx.user_state t set following = t.following + 3 from p where t.uid = p.a",
        Nothing,
        Each(FollowingCount, 1),
    ),
    of_rows(
        "friends without a mark",
        &[Act::Pair(Op::SendFriendRequest), Act::Pair(Op::AcceptFriendRequest)],
        "update gx.follow t set friend_at = null from p where t.subject = p.a and t.object = p.b",
        Nothing,
        Each(MutualMarkMissing, 1),
    ),
    of_rows(
        "request unknown to its sender",
        &[Act::Pair(Op::SendFriendRequest)],
        "delete from gx.sent t using p where t.sender = p.a and t.receiver = p.b",
        Nothing,
        // The counter of the sender, too: twice, for it also holds a place.
        Each(RequestsCount, 3),
    ),
    of_rows(
        "like not listed",
        &[Act::Like],
        "delete from gx.liker t using p where t.post = p.id and t.uid = p.a",
        Nothing,
        Each(LikeUnlisted, 1),
    ),
    of_rows(
        "reply not listed",
        &[Act::Reply],
        "delete from gx.post_ref t using p where t.original = p.id",
        Nothing,
        // And the counter.
        Each(RepliesCount, 2),
    ),
    of_rows(
        "counter of a post",
        &[Act::Like],
        "update gx.post_stats t set likes = t.likes + 2 from p where t.id = p.id",
        Nothing,
        Each(LikesCount, 1),
    ),
    of_rows(
        "head of an outbox behind",
        &[Act::Like],
        "update gx.author t set last_post = null from p where t.uid = p.b",
        Nothing,
        Each(HeadBehind, 1),
    ),
    of_rows(
        "head of an outbox ahead",
        &[Act::Like],
        "update gx.author t set last_post = t.last_post + 256, changed_seq = t.changed_seq + 1000000 from p where t.uid = p.b",
        Nothing,
        Each(HeadBehind, 1),
    ),
    of_rows(
        "reply of a version to come",
        &[Act::Reply],
        "update gx.post_ref t set version = 9000000000000000000 from p where t.original = p.id",
        Nothing,
        Each(RepliesCount, 1),
    ),
    lost("lost event: follow", Act::Pair(Op::Follow), [Each(ReverseMissing, 1); 4]),
    lost("lost event: block", Act::Pair(Op::Block), [Each(MarkIndex, 1); 4]),
    lost(
        "lost event: like",
        Act::Like,
        [Each(LikeUnlisted, 1), Each(LikeUnlisted, 1), Nothing, Each(LikeUnlisted, 1)],
    ),
    lost(
        "lost event: reply",
        Act::Reply,
        [Each(RepliesCount, 1), Each(RepliesCount, 1), Nothing, Each(RepliesCount, 1)],
    ),
    Damage {
        name: "row that cannot be read",
        before: &[],
        way: Sql(
            "insert into gx.fan (gene, object, subject, at, version, active) select p.b & 255, p.b, 0, 5, 7, true \
                 from p join gx.shard s on s.gene = p.b & 255",
        ),
        found: [Nothing, Nothing, Nothing, Each(Undecodable, 1)],
        is_mended: false,
    },
];

/// The pairs of the so-manyth round of a damage: of other genes, and of other pairs of genes each.
fn pairs(damage: usize, round: usize, many: usize) -> Vec<(u64, u64)> {
    let first = 1_000_000 + (damage * 4 + round) as u64 * 10_000;
    (0..many as u64).map(|n| (first + n, first + 5_001 + 3 * n + n / 256)).collect()
}

/// A cluster with users of every round, and their posts.
struct Damaged {
    cluster: Cluster,
    many: usize,
    posts: BTreeMap<u64, PostId>,
    follows: BTreeSet<(u64, u64)>,
    blocks: BTreeSet<(u64, u64)>,
}

impl Damaged {
    async fn new(many: usize) -> Self {
        let cluster = Cluster::new().await;
        let (posts, follows, blocks) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        let mut damaged = Self { cluster, many, posts, follows, blocks };
        for (number, damage) in DAMAGES.iter().enumerate() {
            for round in 0..rounds(damage) {
                let pairs = pairs(number, round, many);
                let lost = if let Lost(act) = damage.way { Some(act) } else { None };
                if damage.before.iter().copied().chain(lost).any(|act| matches!(act, Act::Like | Act::Reply))
                {
                    damaged.create(&pairs).await;
                }
                for act in damage.before {
                    damaged.act(*act, &pairs).await;
                }
            }
        }
        damaged
    }

    /// Has the second users write posts.
    async fn create(&mut self, pairs: &[(u64, u64)]) {
        for some in pairs.chunks(ACTS_MAX) {
            let created = some.iter().map(|(_, b)| self.apply(Write::of(draft(*b, None))));
            for ((_, b), created) in some.iter().zip(join_all(created).await) {
                self.posts.insert(*b, created.post().unwrap().id.unwrap());
            }
        }
    }

    async fn apply(&self, write: Write) -> Applied {
        for _ in 1..TRIED_MAX {
            match self.cluster.store.apply(write.clone()).await {
                Err(error) if matches!(error.reason, Reason::ShardUnavailable { .. }) => {}
                applied => return applied.unwrap(),
            }
        }
        self.cluster.store.apply(write).await.unwrap()
    }

    /// Has the first users of pairs act; who accepts is the second.
    async fn act(&mut self, act_of: Act, pairs: &[(u64, u64)]) {
        for some in pairs.chunks(ACTS_MAX) {
            let acts = some.iter().map(|(a, b)| {
                let (subject, object) = (uid(*a), uid(*b));
                self.apply(match act_of {
                    Act::Pair(op @ Op::AcceptFriendRequest) => {
                        Write::of(PairCommand { op, subject: object, object: subject })
                    }
                    Act::Pair(op) => Write::of(PairCommand { op, subject, object }),
                    Act::Like => Write::of(PostCommand::Like { uid: subject, id: self.posts[b] }),
                    Act::Reply => Write::of(draft(*a, Some(self.posts[b]))),
                })
            });
            drop(join_all(acts).await);
        }
        match act_of {
            Act::Pair(Op::Follow) => self.follows.extend(pairs),
            Act::Pair(Op::Block) => self.blocks.extend(pairs),
            Act::Pair(Op::AcceptFriendRequest) => {
                self.follows.extend(pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]));
            }
            _ => {}
        }
    }

    async fn inflict(&mut self, damage: &Damage, pairs: &[(u64, u64)]) {
        match damage.way {
            Lost(act) => {
                self.cluster.raise_marks().await;
                self.act(act, pairs).await;
                self.cluster.lower_marks().await;
            }
            Sql(sql) => {
                let ids: Vec<i64> = pairs
                    .iter()
                    .map(|(_, b)| self.posts.get(b).map_or(0, |id| id.get().cast_signed()))
                    .collect();
                let (a, b): (Vec<i64>, Vec<i64>) =
                    pairs.iter().map(|(a, b)| (a.cast_signed(), b.cast_signed())).unzip();
                let sql = format!(
                    "with p as (select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as p(a, b, id)) {sql}"
                );
                let mut changed = 0;
                for client in &self.cluster.clients {
                    changed += client.execute(&sql, &[&a, &b, &ids]).await.unwrap();
                }
                assert_eq!(changed, self.many as u64, "{}", damage.name);
            }
        }
        if damage.name == "follow across a block" {
            self.follows.retain(|pair| !pairs.contains(pair));
            self.blocks.extend(pairs);
        }
    }

    async fn check(&self, check: RepairCheck, mends: bool) -> (RepairReport, Duration) {
        let began = Instant::now();
        let terms = RepairTerms { mends, page_rows: 1_024, ..RepairTerms::default() };
        let report = self.cluster.store.repair(check, terms, &mut |_| ()).await.unwrap();
        assert_eq!(report.unsettled, 0);
        (report, began.elapsed())
    }

    /// What both sides say is what was done.
    async fn agrees_with_model(&self) {
        self.cluster.store.settle().await.unwrap();
        for (sql, model) in [
            ("select subject, object from gx.follow where active", &self.follows),
            ("select subject, object from gx.fan where active and subject > 0", &self.follows),
            ("select subject, object from gx.block where active", &self.blocks),
            ("select subject, object from gx.blocked_by where active", &self.blocks),
        ] {
            let mut there = BTreeSet::new();
            for client in &self.cluster.clients {
                for row in client.query(sql, &[]).await.unwrap() {
                    there
                        .insert((row.get::<_, i64>(0).cast_unsigned(), row.get::<_, i64>(1).cast_unsigned()));
                }
            }
            assert!(there == *model, "{sql}: {} rows, {} expected", there.len(), model.len());
        }
    }
}

fn draft(author: u64, reply_to: Option<PostId>) -> PostCommand {
    let body = Body { text: "as it is".to_owned(), attachments: Vec::new() };
    PostCommand::Create(Draft {
        author: uid(author),
        body,
        visibility: Visibility::Public,
        reply_to,
        repost_of: None,
    })
}

/// How many checks find a damage: each has pairs of its own.
fn rounds(damage: &Damage) -> usize {
    damage.found.iter().filter(|found| !matches!(found, Nothing)).count()
}

/// Of one shard, so that no event is carried.
fn carried(pairs: &[(u64, u64)], damage: &Damage) -> u64 {
    let is_carried = |(a, b): &&(u64, u64)| matches!(damage.way, Sql(_)) || a % 256 != b % 256;
    pairs.iter().filter(is_carried).count() as u64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_check_finds_what_is_its_to_find() {
    let many = std::env::var("GUANXI_DAMAGES").map_or(20, |many| many.parse().unwrap());
    let mut damaged = Damaged::new(many).await;
    for check in CHECKS {
        let (report, _) = damaged.check(check, true).await;
        assert_eq!((report.differences, report.cells_differed), (vec![], 0), "{check:?}");
    }
    println!("| {many} damages | incremental | pairs | digests | full |\n|---|---|---|---|---|");
    let third = std::env::var("GUANXI_DAMAGES_THIRD").ok().map(|third| third.parse::<usize>().unwrap());
    for (number, damage) in DAMAGES.iter().enumerate() {
        if third.is_some_and(|third| number % 3 != third) {
            continue;
        }
        let (mut round, mut line) = (0, Vec::new());
        damaged.inflict(damage, &pairs(number, round, many)).await;
        for (check, expected) in CHECKS.into_iter().zip(damage.found) {
            damaged.cluster.age_events().await;
            let (report, took) = damaged.check(check, true).await;
            if matches!(expected, Nothing) {
                let found = (report.differences, report.cells_differed);
                assert_eq!(found, (vec![], 0), "{} {check:?}", damage.name);
                line.push("not its to find".to_owned());
                continue;
            }
            let (found, mended) = as_expected(damage, check, expected, &report, &pairs(number, round, many));
            line.push(format!("{found} found, {mended} mended, {:.2} s", took.as_secs_f64()));
            round += 1;
            if round < rounds(damage) {
                damaged.inflict(damage, &pairs(number, round, many)).await;
            }
        }
        println!("| {} | {} |", damage.name, line.join(" | "));
    }
    // A row that no check can read is mended by none.
    for client in &damaged.cluster.clients {
        client.batch_execute("delete from gx.fan where subject = 0").await.unwrap();
    }
    for check in CHECKS {
        let (report, _) = damaged.check(check, false).await;
        assert_eq!((report.differences, report.cells_differed), (vec![], 0), "{check:?}, once more");
    }
    damaged.agrees_with_model().await;
}

/// What a check has found and mended, which has to be what is said of it.
fn as_expected(
    damage: &Damage,
    check: RepairCheck,
    expected: Found,
    report: &RepairReport,
    pairs: &[(u64, u64)],
) -> (u64, u64) {
    let all = carried(pairs, damage);
    let (found, mended) = match expected {
        Each(kind, each) => {
            let kinds = &report.kinds;
            assert_eq!(kinds.get(&kind), Some(&(all * each)), "{} {check:?} {kinds:?}", damage.name);
            (all, report.mended)
        }
        _ => (report.cells_differed, report.cells_mended),
    };
    assert_eq!(found, all, "{} {check:?}", damage.name);
    assert!(if damage.is_mended { mended >= all } else { mended == 0 }, "{} {mended}", damage.name);
    (found, mended.min(all))
}

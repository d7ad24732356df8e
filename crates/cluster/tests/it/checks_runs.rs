//! How checks run: where they go on, what share of time they take, and what they do with what cannot be read.

use crate::checks::{Cluster, N, act, kinds, pairs, store, uid};
use guanxi_cluster::{ClusterStore, RepairCheck, RepairReport, RepairTerms};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::user::{Contact, ContactKind};
use guanxi_model::{Op, Visibility, Write};
use guanxi_ports::DifferenceKind::{
    AccountCopy, Digest, FollowersCount, FollowingCount, RepliesCount, ReverseMissing, ShardMisplaced,
    Undecodable,
};
use guanxi_ports::{Facts as _, Store, Upkeep as _};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

async fn run(store: &ClusterStore, check: RepairCheck, terms: RepairTerms) -> RepairReport {
    store.repair(check, terms, &mut |_| ()).await.unwrap()
}

const MENDS: RepairTerms = RepairTerms { mends: true, share: 1.0, resumes: false, page_rows: 1_024 };

/// A check that is cut off, as by a process that dies, goes on where it was, in another process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_is_cut_off_goes_on() {
    let cluster = Cluster::new().await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    cluster.store.settle().await.unwrap();
    for (check, cuts) in [(RepairCheck::Full, [3, 20, 70]), (RepairCheck::Digests, [3, 9, 15])] {
        let terms = RepairTerms { page_rows: 4, ..MENDS };
        let whole = run(&cluster.store, check, terms).await;
        let terms = RepairTerms { resumes: true, ..terms };
        for pages in cuts {
            // Damage where the check was already is not found any more, which says that it goes on.
            let store = store(&cluster.lines, None).await;
            let mut left = pages;
            let (stop, stopped) = tokio::sync::oneshot::channel();
            let mut stop = Some(stop);
            let mut progress = |_| {
                left -= 1;
                if left == 0 {
                    stop.take().unwrap().send(()).unwrap();
                }
            };
            tokio::select! {
                biased;
                _ = stopped => {}
                report = store.repair(check, terms, &mut progress) => panic!("{report:?}"),
            }
        }
        let mut pages = 0;
        let report = cluster.store.repair(check, terms, &mut |_| pages += 1).await.unwrap();
        assert_eq!(report.compared, whole.compared, "{check:?}");
        assert!(pages > 1);
        let done = "select compared, differed, done_at is not null from gx.check_run where kind = $1";
        let row = cluster.clients[0].query_one(done, &[&check.name()]).await.unwrap();
        assert_eq!((row.get(0), row.get(1), row.get(2)), (report.compared.cast_signed(), 0_i64, true));
    }
}

/// A check works for its share of time, and rests for the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_takes_its_share_of_time() {
    let cluster = Cluster::new().await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    for (check, share) in
        [(RepairCheck::Digests, 0.25), (RepairCheck::Incremental, 0.2), (RepairCheck::Full, 0.3)]
    {
        let began = Instant::now();
        let report = run(&cluster.store, check, RepairTerms { share, ..RepairTerms::default() }).await;
        let took = began.elapsed();
        assert!(report.busy > Duration::ZERO && report.compared > 0);
        // Rests follow after work, so that of the whole time no more than the share is work; connecting is none of it.
        assert!(
            report.busy.as_secs_f64() <= took.as_secs_f64() * share * 1.05,
            "{check:?}: {:?} of {took:?}",
            report.busy
        );
    }
}

/// Events that cannot be read hold up no other event: the rows of the users whom they name are compared, and mended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_cannot_be_read_are_findings() {
    let cluster = Cluster::new().await;
    cluster.raise_marks().await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    // This process knows the marks from now on: else it would apply what it read before the damage.
    cluster.store.settle().await.unwrap();
    let (first, last) = (pairs(0).next().unwrap().0.cast_signed(), pairs(0).last().unwrap().0.cast_signed());
    let mut damaged = 0;
    for client in &cluster.clients {
        let sql = "update gx.log set detail = '\\xff' where subject between $1 and $2 and peer is not null";
        damaged += client.execute(sql, &[&first, &last]).await.unwrap();
        client.batch_execute("update gx.applied set seq = seq - 1000000").await.unwrap();
    }
    let carried = pairs(0).filter(|(a, b)| a % 256 != b % 256).count() as u64;
    assert_eq!(damaged, carried);
    // Another process, which has not seen the marks.
    let other = store(&cluster.lines, None).await;
    act(&other, Op::Follow, pairs(0).map(|(a, b)| (b, a))).await;
    other.settle().await.unwrap();
    let followed: Vec<_> = pairs(0).map(|(a, _)| uid(a)).collect();
    let counts = other.view(None).await.unwrap().counts(&followed).await.unwrap();
    assert!(counts.iter().all(|counts| counts.followers == 1), "{counts:?}");
    let found = run(&other, RepairCheck::Incremental, MENDS).await;
    let found = kinds(&found);
    assert_eq!(
        (found.get(&Undecodable), found.get(&ReverseMissing)),
        (Some(&carried), Some(&carried)),
        "{found:?}"
    );
    // They stay in the log, and nothing else is wrong.
    let full = run(&other, RepairCheck::Full, RepairTerms::default()).await;
    assert_eq!(kinds(&full), BTreeMap::from([(Undecodable, carried)]));
    assert_eq!(found.get(&FollowersCount), None);
    assert_eq!(carried, N - 1);
}

/// A contact without a claim is claimed again; how a user stands who has no account is repeated nowhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contacts_and_standings_of_nobody_are_mended() {
    let cluster = Cluster::new().await;
    let phone = Contact::stored(ContactKind::Phone, "+8613800000000".into());
    let user = 7_i64;
    let account = "insert into gx.account (gene, uid, nickname, sex, bio, avatar, attribute_names, attribute_values, \
        revision, status, discoverable, locked, hides_following, hides_followers, phone) \
        select s.gene, $1::bigint, '', 'other', '', '', '{}', '{}', 1, 'active', true, false, false, false, $2 \
        from gx.shard s where s.gene = $1::bigint & 255";
    let standing = "insert into gx.standing (uid, revision, status, discoverable, locked, hides_following, hides_followers) \
        values (9, 3, 'deactivated', true, true, false, false)";
    let mut made = 0;
    for client in &cluster.clients {
        made += client.execute(account, &[&user, &phone.expose()]).await.unwrap();
    }
    cluster.clients[0].batch_execute(standing).await.unwrap();
    assert_eq!(made, 1);
    let found = run(&cluster.store, RepairCheck::Full, RepairTerms::default()).await;
    assert_eq!(kinds(&found), BTreeMap::from([(AccountCopy, 2)]), "{:?}", found.differences);
    assert_eq!(run(&cluster.store, RepairCheck::Full, MENDS).await.mended, 2);
    assert_eq!(run(&cluster.store, RepairCheck::Full, MENDS).await.differences, []);
    let mut claims = Vec::new();
    for client in &cluster.clients {
        for row in client.query("select uid, contact from gx.contact_claim", &[]).await.unwrap() {
            claims.push((row.get::<_, i64>(0), row.get::<_, String>(1)));
        }
    }
    assert_eq!(claims, [(user, phone.expose().to_owned())]);
}

/// Each gap of a log is told once, and a digest that is wrong is named.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_gap_and_each_digest_is_named() {
    let cluster = Cluster::new().await;
    act(&cluster.store, Op::Follow, [(0x105, 0x206), (0x205, 0x206), (0x106, 0x205), (0x206, 0x305)]).await;
    cluster.store.settle().await.unwrap();
    for client in &cluster.clients {
        client.batch_execute("delete from gx.log where gene in (5, 6) and seq = 2").await.unwrap();
    }
    let found = run(&cluster.store, RepairCheck::Full, RepairTerms::default()).await;
    let details: Vec<&str> = found.differences.iter().map(|difference| difference.detail.as_str()).collect();
    assert_eq!(details, ["events are missing below 3 of log 06", "events are missing below 3 of log 05"]);
    assert_eq!((found.differences_total, found.cells.len()), (2, 0));
    let sql = "update gx.digest set count = count + 1 where gene = 6 and other = 5 and side = 1";
    assert_eq!(cluster.clients[0].execute(sql, &[]).await.unwrap(), 1);
    let found = run(&cluster.store, RepairCheck::Digests, RepairTerms::default()).await;
    let details: Vec<&str> = found.cells.iter().map(|difference| difference.detail.as_str()).collect();
    assert_eq!(
        details,
        ["the digests of follows of users of gene 05 to those of gene 06 are not as their rows"]
    );
    let store = cluster.store.clone();
    let verified = tokio::task::spawn_blocking(move || store.verify(&mut |_| ())).await.unwrap().unwrap();
    assert_eq!(verified.differences.iter().filter(|difference| difference.kind == Digest).count(), 1);
    assert_eq!(verified.differences_total, 3);
}

/// A check goes on where a shard is not as the map says, and names it: an epoch, and a row that is not there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn misplaced_shards_are_findings() {
    let cluster = Cluster::carrying(None).await;
    act(&cluster.store, Op::Follow, pairs(0)).await;
    cluster.store.settle().await.unwrap();
    let (first, other) = (pairs(0).next().unwrap(), pairs(0).nth(1).unwrap());
    act(&cluster.store, Op::Follow, [(first.1, first.0), (other.1, other.0)]).await;
    let gene = first.0 % 256;
    let damage = format!("update gx.shard set epoch = epoch + 4 where gene = {gene}");
    cluster.clients[(first.0 % 2) as usize].batch_execute(&damage).await.unwrap();
    for client in &cluster.clients {
        client.batch_execute("delete from gx.shard where gene = 0").await.unwrap();
    }
    // Something to mend, behind and before.
    let wrong = "update gx.user_state set following = following + 1 where uid % 7 = 3";
    let mut damaged = 0;
    for client in &cluster.clients {
        damaged += client.execute(wrong, &[]).await.unwrap();
    }
    assert!(damaged > 5);
    for check in [RepairCheck::Digests, RepairCheck::Full] {
        let found = run(&cluster.store, check, RepairTerms::default()).await;
        let details: Vec<String> = found
            .differences
            .iter()
            .filter(|difference| difference.kind == ShardMisplaced)
            .map(|difference| difference.detail.clone())
            .collect();
        let epoch = format!("gx.shard has epoch 5 for gene {gene:02x}, and the map has 1");
        assert_eq!(
            BTreeSet::from_iter(details),
            BTreeSet::from([epoch, "gx.shard has no row of gene 00".to_owned()])
        );
        drop(run(&cluster.store, check, MENDS).await);
    }
    let left = run(&cluster.store, RepairCheck::Full, RepairTerms::default()).await;
    let counters: BTreeSet<u64> = left
        .differences
        .iter()
        .filter(|difference| difference.kind == FollowingCount)
        .map(|difference| difference.subject.unwrap().get() % 256)
        .collect();
    assert!(counters.is_subset(&BTreeSet::from([0, gene])), "{counters:?}");
}

/// A reference whose version was to come follows its post again, once it is mended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mended_reference_follows_its_post() {
    let cluster = Cluster::new().await;
    let store = &cluster.store;
    let body = || Body { text: "as it is".to_owned(), attachments: Vec::new() };
    let create = async |author: u64, reply_to| {
        let (author, visibility) = (uid(author), Visibility::Public);
        let draft = Draft { author, body: body(), visibility, reply_to, repost_of: None };
        store.apply(Write::of(PostCommand::Create(draft))).await.unwrap().post().unwrap().id.unwrap()
    };
    let original = create(1, None).await;
    let reply = create(2, Some(original)).await;
    let replies = async || {
        store.settle().await.unwrap();
        store.view(None).await.unwrap().stats(&[original]).await.unwrap()[0].replies
    };
    for deleted in [true, false] {
        assert_eq!(replies().await, u64::from(deleted));
        for client in &cluster.clients {
            client.batch_execute("update gx.post_ref set version = 9000000000000000000").await.unwrap();
        }
        let found = run(store, RepairCheck::Full, MENDS).await;
        assert_eq!((kinds(&found), found.mended), (BTreeMap::from([(RepliesCount, 1)]), 1));
        assert_eq!(run(store, RepairCheck::Full, MENDS).await.differences, []);
        let (author, id) = (uid(2), reply);
        let command =
            if deleted { PostCommand::Delete { author, id } } else { PostCommand::Restore { author, id } };
        assert_eq!(store.apply(Write::of(command)).await.unwrap().post().unwrap().result, Ok(true));
        assert_eq!(replies().await, u64::from(!deleted));
    }
}

//! A cluster behind a pooler of transactions, which gives each transaction another connection.

use crate::pair::PATIENCE;
use crate::world::{World, databases, laid_out};
use guanxi_cluster::{ClusterOptions, ClusterStore, check};
use guanxi_model::{ManualClock, Op, PairCommand, Reason, Result, Uid, Write};
use guanxi_ports::{Facts as _, Store as _};
use guanxi_servers::PgBouncer;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn clock() -> Arc<ManualClock> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    Arc::new(ManualClock::new(now.try_into().unwrap()))
}

/// Reads until the answer is no refusal: on a busy machine the answers of many reads are late, and then more are refused.
async fn tried<T>(read: impl AsyncFn() -> Result<T>) -> T {
    let began = Instant::now();
    loop {
        match read().await {
            Ok(answer) => return answer,
            Err(error) => {
                let is_refused =
                    matches!(error.reason, Reason::ShardUnavailable { .. } | Reason::Overloaded { .. });
                assert!(is_refused && began.elapsed() < PATIENCE, "{error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Follows of a cycle of users, written by one process and read by another as soon as they are answered.
pub(crate) async fn serve(lines: &[String], users: u64) {
    let open =
        async || ClusterStore::open(&databases(lines), ClusterOptions::default(), clock()).await.unwrap();
    let (writes, reads) = (open().await, open().await);
    let follow = async |n: u64| {
        let (subject, object) = (uid(n), uid(n % users + 1));
        let write = Write::of(PairCommand { op: Op::Follow, subject, object });
        let answered = writes.apply(write).await.unwrap();
        let counts =
            tried(async || reads.view(Some(&answered.position)).await?.counts(&[subject, object]).await);
        let counts = counts.await;
        assert_eq!((counts[0].following, counts[1].followers), (1, 1), "of {n}");
    };
    // Several at once, so that a connection serves one transaction of one and the next of another.
    let all: Vec<u64> = (1..=users).collect();
    for some in all.chunks(16) {
        futures_util::future::join_all(some.iter().map(|n| follow(*n))).await;
    }
}

/// Two databases behind a pooler with so few connections that all share them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_laid_out_checked_and_served_behind_a_pooler() {
    let world = World::new();
    world.make(&["a", "b"]).await;
    let dir = tempfile::tempdir().unwrap();
    let pooler = PgBouncer::start(dir.path(), world.server.address, 12).unwrap();
    let lines = ["a", "b"].map(|name| format!("{name}={}?pooler=transaction", pooler.url(name)));
    laid_out(&lines).await;
    laid_out(&lines).await;
    let report = check(&databases(&lines), &*clock()).await;
    assert!(report.is_sound(), "{report:?}");
    serve(&lines, 300).await;
    // Nothing that a transaction was told is left to the next one, whosever it is.
    for name in ["a", "b"] {
        let (client, connection) =
            tokio_postgres::connect(&pooler.url(name), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let told = "select current_setting('statement_timeout') || current_setting('lock_timeout') \
            || current_setting('idle_in_transaction_session_timeout')";
        for _ in 0..24 {
            let answers = client.simple_query(told).await.unwrap();
            let row = answers.iter().find_map(|answer| match answer {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            });
            assert_eq!(row.as_deref(), Some("000"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_does_not_say_that_a_pooler_is_there_is_told_so() {
    let world = World::new();
    world.make(&["a"]).await;
    let dir = tempfile::tempdir().unwrap();
    let pooler = PgBouncer::start(dir.path(), world.server.address, 4).unwrap();
    let lines = [format!("a={}", pooler.url("a"))];
    laid_out(&lines).await;
    let mut said = Vec::new();
    for _ in 0..3 {
        let opened = ClusterStore::open(&databases(&lines), ClusterOptions::default(), clock()).await;
        match opened {
            Ok(store) => {
                // So many at once that a transaction meets a connection on which another prepared its statements.
                let count = async |n: u64| {
                    let view = store.view(None).await?;
                    view.counts(&[uid(n)]).await
                };
                let asked = futures_util::future::join_all((1..=64).map(count)).await;
                said.extend(asked.into_iter().filter_map(Result::err).map(|error| format!("{error:?}")));
            }
            Err(error) => said.push(error.to_string()),
        }
    }
    assert!(said.iter().any(|error| error.contains("say `pooler=transaction`")), "{said:?}");
}

//! Connections: how many a process opens is known, and whether a server has room for them; a refused one is no silence.

use crate::pair::{WallClock, act, eventually, open, options, serving, u};
use crate::world::{SETTINGS, World, databases, laid_out};
use futures_util::future::join_all;
use guanxi_cluster::{CarryMode, ClusterOptions, ConnectionBudget, check};
use guanxi_model::{List, Op, Page, Reason};
use guanxi_ports::Store as _;
use tokio_postgres::NoTls;

fn served() -> ClusterOptions {
    ClusterOptions { serving: Some(serving("api,worker")), ..options(CarryMode::Log, true) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_too_little_room_is_told_of_and_refuses_at_once() {
    let world = World::with(&[SETTINGS, &[("max_connections", "30")]].concat());
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = open(&lines, served()).await;
    act(&store, Op::Follow, 2, 3).await.unwrap();
    let report = check(&databases(&lines), &WallClock).await;
    let needed = report.budget.total() + 3;
    let said = format!("set max_connections to {needed} at least (it is 30, 3 of them reserved)");
    assert!(report.is_sound() && report.databases[0].warnings.concat().contains(&said), "{report:?}");
    let own = ConnectionBudget::of(&served(), 1).total();
    let told = &report.processes[0];
    assert_eq!(
        (told.connections, told.host.as_str(), told.pid),
        (i64::try_from(own).unwrap(), "here", 7),
        "{told:?}"
    );

    // Others take every connection that is left.
    let mut others = Vec::new();
    while let Ok((client, connection)) = tokio_postgres::connect(&world.server.url("d1"), NoTls).await {
        tokio::spawn(connection);
        others.push(client);
    }
    let mut views = Vec::new();
    let refused = loop {
        assert!(views.len() < 16, "a view that finds no connection is refused");
        let view = store.view(None).await.unwrap();
        match view.list(u(2), List::Following, Page::first()).await {
            Ok(_) => views.push(view),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused.reason, Reason::Overloaded { .. }), "{refused:?}");
    assert_eq!(store.problems(), [""; 0], "the database is there");
    drop((views, others));
    eventually(async || act(&store, Op::Follow, 2, 4).await.is_ok()).await;
}

/// A busy process opens no more than it says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_opens_no_more_than_it_says() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = open(&lines, served()).await;
    let busy = (0..32).map(async |n| {
        act(&store, Op::Follow, 2 + n, 3 + n).await.unwrap();
        let view = store.view(None).await.unwrap();
        view.list(u(2 + n), List::Following, Page::first()).await.unwrap();
    });
    join_all(busy).await;
    let opened = "select count(*) from pg_stat_activity where application_name = 'guanxi' and datname = 'd1'";
    let opened: i64 = world.client("d1").await.query_one(opened, &[]).await.unwrap().get(0);
    let budget = ConnectionBudget::of(&served(), 1);
    assert!(opened > 10 && opened <= i64::try_from(budget.total()).unwrap(), "{opened} of {budget}");
    let report = check(&databases(&lines), &WallClock).await;
    assert!(report.is_sound() && report.databases[0].warnings.is_empty(), "{report:?}");
}

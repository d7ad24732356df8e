//! Everything that is measured in process runs on any backend, and finds wrong pages.

use crate::answer::Reader;
use crate::in_process::pages::{What, asks, measure};
use crate::in_process::{Plan, run};
use crate::{Class, Ports, World, fill};
use guanxi_model::post::PostCommand;
use guanxi_model::{Logs, ManualClock, Stamp, Write};
use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};
use std::sync::Arc;
use std::time::Duration;

fn world() -> World {
    World {
        users: 160,
        followees: 8,
        classes: [75, 80].map(|followees| Class { readers: 3, followees }).to_vec(),
        celebrity: true,
        fans: 40,
        posts: 900,
        rules: true,
        seed: 5,
    }
}

fn plan() -> Plan {
    Plan { time: Duration::from_millis(50), check_every: 1, inbox_cap: 64, backlog: 40 }
}

/// A memory backend that holds a world; the clock stands in 2026.
async fn backend(world: &World) -> Ports {
    let clock = Arc::new(ManualClock::new(1_790_000_000_000));
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let backend = Ports {
        store: store.clone(),
        inbox: Arc::new(MemoryInbox::new(Options::default().history, Logs::One)),
        log: store,
        clock,
    };
    let edges: Vec<_> = world
        .edges()
        .map(|(subject, object, at): (_, _, Stamp)| guanxi_model::ImportEdge::new(subject, object, Some(at)))
        .collect();
    backend.store.apply(Write::edges(edges, false)).await.unwrap();
    fill::fill(&backend, world).await.unwrap();
    backend
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_has_its_figures_and_streams_miss_nothing() {
    let world = Arc::new(world());
    let backend = backend(&world).await;
    let findings = run::run(&backend, &world, &plan(), &|_| ()).await.unwrap();
    let value = |what: &str| {
        let rows = findings.iter().flat_map(|finding| &finding.rows);
        rows.into_iter().find(|row| row.what == what).unwrap_or_else(|| panic!("no {what}")).value
    };
    assert!((value("resident inboxes") - 160.0).abs() < 0.5);
    assert!(value("deliveries by the fan-out's worker") > 0.0);
    let deliveries = value("deliveries");
    // The sample's visits make more followers resident than there were before.
    assert!(deliveries > 159.5, "each active follower's inbox takes the post: {deliveries}");
    assert!((value("75 followees, push: from an inbox") - 100.0).abs() < 0.1);
    assert!(value("159 members: pages of a core") > 0.0);
    assert!(value("posts that an open stream missed").abs() < 0.5);
    assert!(value("160 open streams: a post of a stranger, CPU") > 0.0);
    assert!(findings.iter().flat_map(|finding| &finding.rows).all(|row| row.value.is_finite()));
}

#[tokio::test]
async fn a_page_that_is_not_the_worlds_ends_the_run() {
    let world = world();
    let backend = backend(&world).await;
    let feed = backend.feed().await.unwrap();
    let asks = asks(&world, world.readers(0), What::First);
    measure(&feed, &asks, What::First, &plan()).await.unwrap();
    let newest = Reader::new(&world, world.readers(0).start).page(None, 1)[0];
    let post = (0..world.posts).map(|number| world.post(number)).find(|post| world.post_id(post) == newest);
    let command = PostCommand::Delete { author: world.uid(post.unwrap().author), id: newest };
    backend.store.apply(Write::of(command)).await.unwrap();
    let error = measure(&feed, &asks, What::First, &plan()).await.unwrap_err();
    assert!(format!("{error:?}").contains("the page of"), "{error:?}");
}

//! What an operator asks for: export, proof, dump.

use super::{Need, World, u};
use guanxi_model::Position;
use guanxi_ports::{HeatCell, Walk};

/// The export holds every follow once, in the order of (subject, object), from any place on.
pub async fn the_export_is_ordered_and_resumable(world: &World) {
    world.build("3->1 1->3 1->2 2->9 1-x4 5-m6 7->8 7-/8 255->256 256->255").await;
    let all = world.export().await;
    let pairs: Vec<_> = all.iter().map(|edge| (edge.subject.get(), edge.object.get())).collect();
    assert_eq!(pairs, [(1, 2), (1, 3), (2, 9), (3, 1), (255, 256), (256, 255)]);
    let view = world.view().await;
    for max in 1..=all.len() + 1 {
        assert_eq!(view.edges(Walk::new(None, max)).await.unwrap(), all[..max.min(all.len())]);
        for (n, edge) in all.iter().enumerate() {
            let rest = view.edges(Walk::new(Some((edge.subject, edge.object)), max)).await.unwrap();
            assert_eq!(rest, all[n + 1..].iter().take(max).copied().collect::<Vec<_>>());
        }
    }
    // A place between edges, and one whose edge is gone.
    assert_eq!(view.edges(Walk::new(Some((u(7), u(8))), 1)).await.unwrap(), all[4..5]);
    assert_eq!(view.edges(Walk::new(Some((u(1), u(1))), 1)).await.unwrap(), all[..1]);
    assert_eq!(view.edges(Walk::new(Some((u(300), u(1))), 1)).await.unwrap(), []);
    for edge in all {
        let relation = world.relation(edge.subject.get(), edge.object.get()).await;
        assert_eq!(relation.following_since, Some(edge.at));
    }
}

/// A verification says how much it compared, and reports its progress up to the end.
pub async fn verification_counts_what_it_compares(world: &World) {
    world.build("1<->2 3->1 1->4 1-x5 6-m1 7->8 7-/8").await;
    let upkeep = world.backend.upkeep.clone();
    let verify = tokio::task::spawn_blocking(move || {
        let mut last = None;
        let report = upkeep.verify(&mut |progress| last = Some(progress)).unwrap();
        (report, last)
    });
    let (report, progress) = verify.await.unwrap();
    assert!(report.clean());
    assert_eq!((report.forward, report.reverse, report.mutual, report.marks), (4, 4, 2, 2));
    assert!(report.counters >= 6, "users 1 to 6 have counters: {}", report.counters);
    let cell = HeatCell { subjects: 0, objects: 0, forward: 4, reverse: 4, agrees: true };
    assert_eq!(report.heat, [cell], "all of them are of one group of genes");
    stands_at(&report.position, world);
    if let Some(progress) = progress {
        assert!(progress.done <= progress.total);
    }
}

/// A mend of a store in which nothing differs changes nothing.
pub async fn a_mend_changes_nothing_that_is_right(world: &World) {
    world.build("1<->2 3->1 1->4 1-x5 6-m1 7->8 7-/8").await;
    let (before, position) = (world.export().await, world.last());
    let upkeep = world.backend.upkeep.clone();
    let report = tokio::task::spawn_blocking(move || upkeep.mend(&mut |_| ())).await.unwrap().unwrap();
    assert!(report.left.clean(), "{:?}", report.left.differences);
    assert_eq!((report.found, report.mended, report.remedies().len()), (0, 0, 0));
    assert_eq!(world.export().await, before);
    assert!(report.left.position.covers(&position));
}

/// A dump is written whole and says where it stands; it grows with the store.
pub async fn a_dump_says_where_it_stands(world: &World) {
    if world.lacks(Need::Dump) {
        return;
    }
    let dump = async || {
        let upkeep = world.backend.upkeep.clone();
        let dump = tokio::task::spawn_blocking(move || {
            let mut sink = Vec::new();
            let position = upkeep.dump(&mut sink, &mut |_| ()).unwrap();
            (sink, position)
        });
        dump.await.unwrap()
    };
    let (empty, origin) = dump().await;
    assert_eq!(origin, world.origin);
    world.import((1..500).map(|n| (n, n + 1, n))).await;
    let (full, position) = dump().await;
    stands_at(&position, world);
    assert!(full.len() > empty.len() + 500, "{} bytes for 499 edges", full.len() - empty.len());
}

/// A report stands where the store does: after the last write, and with one log exactly there. Logs of users who did
/// nothing may have gone on, by what others did to them.
fn stands_at(position: &Position, world: &World) {
    assert!(position.covers(&world.last()));
    assert!(world.lacks(Need::OneOrder) || world.last().covers(position));
}

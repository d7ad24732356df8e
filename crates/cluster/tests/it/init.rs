//! Laying out a cluster.

use crate::world::{HISTORY, World, databases, laid_out, lay_out};
use guanxi_cluster::{DatabaseError, InitTerms, init, shard_map};
use guanxi_model::HistoryId;

const NAMES: [&str; 4] = ["d1", "d2", "d3", "d4"];

/// The versions of the tables that are made in each database.
const VERSIONS: u64 = 4;

/// Each gene is in one database: genes go around over them.
#[tokio::test]
async fn each_gene_has_one_place() {
    let world = World::new();
    for count in [1, 4] {
        let names: Vec<String> = (0..count).map(|n| format!("of{count}_{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let lines = world.make(&names).await;
        let report = laid_out(&lines).await;
        assert_eq!(report.made, count * VERSIONS);
        let map = shard_map(&databases(&lines)).await.unwrap();
        assert_eq!(map, report.map);
        assert!(map.is_done);
        assert_eq!((map.history, map.databases.len()), (HISTORY, names.len()));
        let genes: Vec<u8> = map.places.iter().map(|place| place.gene).collect();
        assert_eq!(genes, (0..=255).collect::<Vec<u8>>());
        for place in &map.places {
            assert_eq!(place.database, names[usize::from(place.gene) % names.len()]);
            assert_eq!((place.epoch, &*place.state), (1, "open"));
        }
        for (number, name) in names.iter().enumerate() {
            let client = world.client(name).await;
            let own = |gene: &i16| usize::from(gene.cast_unsigned()) % names.len() == number;
            let shards = client.query("select gene from gx.shard where writable order by 1", &[]).await;
            let shards: Vec<i16> = shards.unwrap().iter().map(|row| row.get(0)).collect();
            assert_eq!(shards, (0..256).filter(own).collect::<Vec<i16>>());
        }
    }
}

/// Wherever it is cut off, the same command comes to the same end; and once more it finds nothing to do.
#[tokio::test]
async fn a_cut_goes_on_where_it_was() {
    let world = World::new();
    let whole = world.make(&["whole1", "whole2"]).await;
    laid_out(&renamed(&whole)).await;
    let mut wanted = world.picture("whole1").await;
    wanted.extend(world.picture("whole2").await);
    assert!(wanted.len() > 500, "{}", wanted.len());
    let all = 2 * VERSIONS;
    for steps in 0..=all {
        let names = [format!("cut{steps}_1"), format!("cut{steps}_2")];
        let lines = renamed(&world.make(&[&names[0], &names[1]]).await);
        let cut = lay_out(&lines, HISTORY, usize::try_from(steps).unwrap()).await;
        assert!(matches!(cut, Err(DatabaseError::Stopped)), "{cut:?}");
        assert!(!shard_map(&databases(&lines)).await.unwrap().is_done);
        // Who goes on may have drawn another number meanwhile: the first one stands.
        let made = lay_out(&lines, HistoryId(1), usize::MAX).await.unwrap();
        assert_eq!((made.map.history, made.made), (HISTORY, all - steps), "{steps}");
        assert_eq!(laid_out(&lines).await.made, 0);
        let mut found = world.picture(&names[0]).await;
        found.extend(world.picture(&names[1]).await);
        assert_eq!(found, wanted, "cut after {steps}");
    }
}

/// The lines with the names `a` and `b`.
fn renamed(lines: &[String]) -> Vec<String> {
    let url = |line: &String| line.split_once('=').unwrap().1.to_owned();
    lines.iter().zip(["a", "b"]).map(|(line, name)| format!("{name}={}", url(line))).collect()
}

/// What belongs to somebody else, or is named in another way than before, is refused and left alone.
#[tokio::test]
async fn a_database_is_of_one_cluster() {
    let world = World::new();
    let lines = world.make(&NAMES).await;
    laid_out(&lines[..2]).await;
    let other = world.line("d2", "d3");
    world.client("d4").await.batch_execute("create schema gx; create table gx.theirs (x int)").await.unwrap();
    world.make(&["d5"]).await;
    world.client("d5").await.batch_execute("create schema meta").await.unwrap();
    let before = pictures(&world).await;
    for (lines, said) in [
        (vec![lines[1].clone()], "it is `d2` of cluster feed000000000007"),
        (vec![lines[1].clone(), lines[0].clone()], "it is the first of cluster feed000000000007"),
        (vec![lines[2].clone(), lines[1].clone()], "database `d2`: it is `d2` of cluster feed000000000007"),
        (vec![lines[0].clone()], "a cluster on d1, d2"),
        (vec![lines[0].clone(), lines[1].clone(), lines[2].clone()], "a cluster on d1, d2"),
        (vec![world.line("x", "d1"), lines[1].clone()], "a cluster on d1, d2"),
        (vec![lines[2].clone(), lines[0].clone()], "it is the first of cluster feed000000000007 on d1, d2"),
        (vec![lines[3].clone()], "a schema `gx` that is not ours"),
        (vec![lines[2].clone(), lines[3].clone()], "a schema `gx` that is not ours"),
        (vec![world.line("d5", "d5")], "a schema `meta` that is not ours"),
        (vec![world.line("d9", "d9")], "database \"d9\" does not exist"),
    ] {
        let error = lay_out(&lines, HistoryId(9), usize::MAX).await.unwrap_err().to_string();
        assert!(error.contains(said), "{lines:?}: {error}");
    }
    assert_eq!(before, pictures(&world).await);
    // An empty database in the place of one that has gone is not taken for it.
    let error = lay_out(&[lines[0].clone(), other], HISTORY, usize::MAX).await.unwrap_err().to_string();
    assert!(error.contains("what was `d2` is lost"), "{error}");
    let twice = [world.line("x", "d6"), world.line("y", "d6")];
    world.make(&["d6"]).await;
    let error = lay_out(&twice, HISTORY, usize::MAX).await.unwrap_err().to_string();
    assert!(error.contains("database `y`: another `guanxi cluster init`"), "{error}");
    assert_eq!(world.picture("d6").await, [""; 0]);
    let unsaid = InitTerms { history: HISTORY };
    assert_eq!(init(&databases(&lines[..1]), unsaid, &mut |_| Ok(())).await.ok(), None, "one is missing");
    let lines = &lines[..2];
    assert_eq!(init(&databases(lines), unsaid, &mut |_| Ok(())).await.unwrap().made, 0);
}

/// Returns all that is there of any cluster.
async fn pictures(world: &World) -> Vec<Vec<String>> {
    let mut pictures = Vec::new();
    for name in NAMES.into_iter().chain(["d5"]) {
        pictures.push(world.picture(name).await);
    }
    pictures
}

/// A map that is all that there is of a cluster is not overlooked when an operator names its databases in another
/// order.
#[tokio::test]
async fn a_map_alone_is_a_claim() {
    let world = World::new();
    let lines = world.make(&NAMES).await;
    let cut = lay_out(&lines[..2], HISTORY, 0).await;
    assert!(matches!(cut, Err(DatabaseError::Stopped)), "{cut:?}");
    for lines in [[lines[1].clone(), lines[0].clone()], [lines[2].clone(), world.line("q", "d1")]] {
        let error = lay_out(&lines, HistoryId(9), usize::MAX).await.unwrap_err().to_string();
        assert!(error.contains("it is the first of cluster feed000000000007 on d1, d2"), "{error}");
    }
    assert_eq!(laid_out(&lines[..2]).await.map.history, HISTORY);
}

/// Two operators who lay out the same cluster at once come to one.
#[tokio::test]
async fn two_at_once_make_one_cluster() {
    let world = World::new();
    let lines = world.make(&["one", "two"]).await;
    let (a, b) =
        tokio::join!(lay_out(&lines, HISTORY, usize::MAX), lay_out(&lines, HistoryId(5), usize::MAX));
    let again = laid_out(&lines).await;
    assert_eq!(again.made, 0, "{a:?} {b:?}");
    assert!(again.map.history == HISTORY || again.map.history == HistoryId(5));
    let histories: Vec<i64> = {
        let client = world.client("two").await;
        let rows = client.query("select history from gx.database", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(histories, [again.map.history.0.cast_signed()]);
}

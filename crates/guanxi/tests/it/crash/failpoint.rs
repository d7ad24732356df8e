//! Every failpoint of the embedded backend is reached, and what was acknowledged before is there afterwards.

use super::import;
use super::server::{FAILPOINT, Place, guanxi, is_abort, pause};
use super::world::World;
use super::{say, seed};
use guanxi_embedded::failpoints;
use std::time::Duration;

/// How long a failpoint may take to be reached.
const REACHED_TIMEOUT: Duration = Duration::from_secs(30);

/// A failpoint that lies on the way of every write is passed up to this often before it kills.
const PASSINGS_MAX: u64 = 200;

/// As [`PASSINGS_MAX`], for what only the items of celebrities pass.
const RARE_PASSINGS_MAX: u64 = 10;

/// How long clients write before a shutdown.
const LIFE: Duration = Duration::from_millis(100);

/// Where a failpoint lies.
enum Way {
    /// On the way of writes to a server.
    Writes,
    /// On the way of a clean shutdown.
    Shutdown,
    /// On the way of a bulk import into an empty directory.
    Bulk,
}

impl Way {
    fn of(failpoint: &str) -> Self {
        match failpoint {
            failpoints::BEFORE_FLUSH => Self::Shutdown,
            name if name.starts_with("bulk-") => Self::Bulk,
            _ => Self::Writes,
        }
    }
}

#[test]
fn every_failpoint_is_reached_and_survived() {
    let mut world = World::with_short_log(seed());
    for failpoint in failpoints::ALL {
        match Way::of(failpoint) {
            Way::Writes => die_in_writes(&mut world, failpoint),
            Way::Shutdown => die_in_shutdown(&mut world, failpoint),
            Way::Bulk => die_in_bulk_import(failpoint),
        }
        say(format_args!("{failpoint}: reached and survived"));
    }
    let mut server = world.restart();
    assert!(server.stop(&world.place).success(), "{}", world.place.log_tail());
    world.place.verify();
    world.place.verify_feed();
}

fn die_in_writes(world: &mut World, failpoint: &str) {
    // Checked by a server without a failpoint, since a check writes too. All posts are pushed from here on.
    let server = world.restart();
    world.set_mode(&server, "PUSH");
    drop(server);
    let rare = [failpoints::FANOUT_SKIPPED, failpoints::FANOUT_UNSKIPPED].contains(&failpoint);
    let count = world.random.u64(1..=if rare { RARE_PASSINGS_MAX } else { PASSINGS_MAX });
    let mut server = world.start_busy(Some(&format!("{failpoint}:{count}")));
    // What a start writes passes failpoints, too: one that kills early may do so before the server is ready.
    let ended = if server.ready(&world.place) {
        world.write_until(&mut server, |server| {
            let ended = server.ends_within(REACHED_TIMEOUT);
            server.kill();
            ended
        })
    } else {
        server.ends_within(REACHED_TIMEOUT)
    };
    let log = world.place.log_tail();
    assert!(ended.is_some_and(is_abort), "{failpoint} was not reached {count} times: {ended:?}\n{log}");
    drop(world.restart());
}

fn die_in_shutdown(world: &mut World, failpoint: &str) {
    drop(world.restart());
    let mut server = world.start_busy(Some(&format!("{failpoint}:1")));
    assert!(server.ready(&world.place), "{}", world.place.log_tail());
    let ended = world.write_until(&mut server, |server| {
        pause(LIFE);
        server.terminate();
        let ended = server.ends_within(REACHED_TIMEOUT);
        server.kill();
        ended
    });
    assert!(ended.is_some_and(is_abort), "{failpoint} was not reached: {ended:?}");
    drop(world.restart());
}

fn die_in_bulk_import(failpoint: &str) {
    let place = Place::new();
    let edges = import::Edges::write(&place, 2_000);
    let mut command = guanxi();
    command.args(edges.arguments(&place)).env(FAILPOINT, format!("{failpoint}:1"));
    let ended = place.spawn(&mut command).wait().expect("the child is ours");
    assert!(is_abort(ended), "{failpoint} was not reached: {ended}\n{}", place.log_tail());
    edges.finish(&place);
}

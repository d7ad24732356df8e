//! Crash tests: the real binary is killed at random moments and at every failpoint while clients write. After each
//! restart every acknowledged write must be there, and the directory must agree with itself.
//!
//! A run is decided by its seed, but for the timing of processes: a failing seed makes the same writes again.

mod accounts;
mod cluster_accounts;
mod failpoint;
mod follower;
mod import;
mod journal;
mod posts;
mod rpc;
mod server;
mod world;
mod writer;

use rpc::Rpc;
use serde_json::json;
use server::{Place, Server, pause};
use std::io;
use std::path::Path;
use std::time::Duration;
use world::{World, good};

/// Kills of one run, unless `GUANXI_TEST_KILLS` says otherwise.
const KILLS: u64 = 50;

/// Longest time that writers have between two kills.
const LIFE_MAX_MS: u64 = 500;

/// Latest moment of a kill during the start.
const START_MAX_MS: u64 = 80;

/// A number from the environment.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Returns whether a case of a long list is played. All are; with `GUANXI_CRASH_THIRD`, 0 to 2, each third one from there on.
fn is_played(number: usize) -> bool {
    setting("GUANXI_CRASH_THIRD").is_none_or(|third| number as u64 % 3 == third)
}

/// The seed of a run; shown with every failure, since the output of a failed test is.
fn seed() -> u64 {
    let seed = setting("GUANXI_TEST_SEED").unwrap_or_else(|| fastrand::u64(..));
    say(format_args!("replay with GUANXI_TEST_SEED={seed}"));
    seed
}

#[expect(clippy::print_stdout, reason = "the output of a test is its report")]
fn say(text: std::fmt::Arguments<'_>) {
    println!("{text}");
}

#[test]
fn every_acknowledged_write_survives_kills() {
    let kills = setting("GUANXI_TEST_KILLS").unwrap_or(KILLS);
    let mut world = World::new(seed());
    let mut during_start = 0;
    for kill in 1..=kills {
        if world.random.u32(0..6) == 0 {
            let mut server = world.start(None);
            pause(Duration::from_millis(world.random.u64(..START_MAX_MS)));
            server.kill();
            during_start += 1;
        } else {
            let mut server = world.restart();
            let life = Duration::from_millis(world.random.u64(5..LIFE_MAX_MS));
            world.write_until(&mut server, |server| {
                pause(life);
                server.kill();
            });
        }
        if kill % 100 == 0 {
            say(format_args!("{kill} kills, {} writes acknowledged, none lost", world.acknowledged()));
        }
    }
    let mut server = world.restart();
    world.check_follower(&server);
    assert!(server.stop(&world.place).success(), "{}", world.place.log_tail());
    world.place.verify();
    world.place.verify_feed();
    let (acknowledged, pages) = (world.acknowledged(), world.pages());
    say(format_args!(
        "{kills} kills ({during_start} during the start), {acknowledged} acknowledged, none lost; {pages} pages exact"
    ));
    assert!(pages > kills, "the readers hardly read");
    assert!(acknowledged > kills, "the writers hardly wrote");
}

#[test]
fn a_first_start_can_be_cut_off_anywhere() {
    let mut random = fastrand::Rng::with_seed(seed());
    for _ in 0..5 {
        let place = Place::new();
        for _ in 0..2 {
            let mut server = Server::start(&place, None, &[]);
            pause(Duration::from_millis(random.u64(..START_MAX_MS)));
            server.kill();
        }
        let mut server = Server::start(&place, None, &[]);
        assert!(server.ready(&place), "{}", place.log_tail());
        assert!(server.stop(&place).success(), "{}", place.log_tail());
        place.verify();
    }
}

#[test]
fn a_token_from_before_the_first_write_holds_after_a_restart() {
    let place = Place::new();
    let mut request = json!({ "uid": "1" });
    for _ in 0..3 {
        let mut server = Server::start(&place, None, &[]);
        assert!(server.ready(&place), "{}", place.log_tail());
        let mut rpc = Rpc::connect(server.address()).expect("the server is ready");
        request["token"] = good(rpc.call("GetCounts", &request))["token"].clone();
        server.kill();
    }
}

/// The test of the tests: what an old copy of the directory lacks is noticed.
#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_lost_write_is_noticed() {
    let mut world = World::new(1);
    let (data, copy) = (world.place.beside("data"), world.place.beside("copy"));
    copy_directory(&data, &copy).expect("the directory is readable");
    let mut server = world.restart();
    world.write_until(&mut server, |server| {
        pause(Duration::from_millis(LIFE_MAX_MS));
        server.kill();
    });
    std::fs::remove_dir_all(&data).expect("nobody has it open");
    std::fs::rename(&copy, &data).expect("both are on one disk");
    // Without positions to demand, the comparison of relations alone must notice.
    world.forget_positions();
    world.restart();
}

fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

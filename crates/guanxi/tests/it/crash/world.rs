//! One data directory with its clients, over many lives of its server.

use super::follower::Follower;
use super::journal::Relations;
use super::posts::{Poster, fans};
use super::rpc::{Answer, Rpc};
use super::server::{END_TIMEOUT, Place, Server, pause};
use super::writer::{CROWD, Writer};
use guanxi_model::Position;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Clients that write at the same time.
const WRITERS: u64 = 8;

/// Clients that write posts and read homes at the same time.
const POSTERS: u64 = 3;

/// How home timelines can be pushed. Push comes first: it is what a new directory is set to.
const MODES: [&str; 3] = ["PUSH", "HYBRID", "PULL"];

/// Followers from which the first user of a circle is a celebrity under the mode HYBRID.
const CELEBRITY_FOLLOWERS: u64 = 1_000;

/// Events that a busy server keeps: more than one life writes, less than a run does. So the log is trimmed, but not under its
/// followers.
const LOG_EVENTS: u64 = 10_000;

/// So few that every moment trims some.
const SHORT_LOG_EVENTS: u64 = 300;

/// How long clients write to the first server of a directory.
const FIRST_LIFE: Duration = Duration::from_millis(100);

/// A directory, its clients, and the dice of the run.
pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) random: fastrand::Rng,
    writers: Vec<Writer>,
    posters: Vec<Poster>,
    /// How home timelines are pushed, as acknowledged.
    mode: &'static str,
    /// Follows the log from its beginning, unless the log is too short for that.
    follower: Option<Follower>,
    /// Events that busy servers keep.
    log_events: u64,
}

impl World {
    /// A directory that was served once while clients wrote, and was ended cleanly under them. Somebody follows its
    /// log.
    pub(crate) fn new(seed: u64) -> Self {
        let writers = (0..WRITERS).map(|number| Writer::new(number, seed)).collect();
        let posters = (0..POSTERS).map(|number| Poster::new(number, seed)).collect();
        let (place, random) = (Place::new(), fastrand::Rng::with_seed(seed));
        import_fans(&place);
        let mut world =
            Self { place, random, writers, posters, mode: MODES[0], follower: None, log_events: LOG_EVENTS };
        let mut server = world.start(None);
        assert!(server.ready(&world.place), "the server ended:\n{}", world.place.log_tail());
        world.set_mode(&server, MODES[0]);
        world.follower = Some(Follower::from(&position(server.address())));
        let ended = world.write_until(&mut server, |server| {
            pause(FIRST_LIFE);
            server.terminate();
            server.ends_within(END_TIMEOUT)
        });
        assert!(ended.is_some_and(|ended| ended.success()), "{ended:?}\n{}", world.place.log_tail());
        world
    }

    /// As [`World::new`], but busy servers keep so short a log that no reader can follow it through a kill.
    pub(crate) fn with_short_log(seed: u64) -> Self {
        Self { follower: None, log_events: SHORT_LOG_EVENTS, ..Self::new(seed) }
    }

    /// Starts a server without waiting. Half of them are busy.
    pub(crate) fn start(&mut self, failpoint: Option<&str>) -> Server {
        if self.random.bool() {
            self.start_busy(failpoint)
        } else {
            Server::start(&self.place, failpoint, &[])
        }
    }

    /// Starts a server with a small journal and a short log, so that it flushes and trims while it is killed.
    pub(crate) fn start_busy(&self, failpoint: Option<&str>) -> Server {
        let log_events = self.log_events.to_string();
        let busy = ["--journal-mib", "1", "--memtable-mib", "1", "--log-events-max", &log_events];
        Server::start(&self.place, failpoint, &busy)
    }

    /// Starts a server and compares what it knows with what the clients know; sometimes the directory is verified
    /// before, so that recovery happens there.
    pub(crate) fn restart(&mut self) -> Server {
        if self.random.bool() {
            self.place.verify();
        }
        let mut server = self.start(None);
        assert!(server.ready(&self.place), "the server ended:\n{}", self.place.log_tail());
        self.check(&server);
        self.check_mode(&server);
        server
    }

    /// The policy of the fan-out is the one that was acknowledged; sometimes it becomes another.
    fn check_mode(&mut self, server: &Server) {
        let answer = good(operator(server).call("AdminService/GetFanoutPolicy", &json!({})));
        assert_eq!(answer["policy"]["mode"], self.mode, "{answer}");
        if self.random.u32(0..3) == 0 {
            let mode = MODES[self.random.usize(..MODES.len())];
            self.set_mode(server, mode);
        }
    }

    /// Sets how home timelines are pushed.
    pub(crate) fn set_mode(&mut self, server: &Server, mode: &'static str) {
        let policy = json!({ "mode": mode, "celebrityFollowers": CELEBRITY_FOLLOWERS.to_string() });
        good(operator(server).call("AdminService/PutFanoutPolicy", &json!({ "policy": policy })));
        self.mode = mode;
    }

    fn check(&mut self, server: &Server) {
        let seen = self.writers.iter().map(|writer| writer.seen.clone());
        let seen = seen.chain(self.posters.iter().map(|poster| poster.seen.clone()));
        let newest = seen.flatten().max_by_key(Position::event_count);
        let address = server.address();
        std::thread::scope(|scope| {
            for writer in &mut self.writers {
                // Each now demands what any of them has seen: positions of before the kill are not lost.
                writer.seen.clone_from(&newest);
                scope.spawn(move || writer.check(address));
            }
            for poster in &mut self.posters {
                poster.seen.clone_from(&newest);
                scope.spawn(move || poster.check(address));
            }
        });
        self.check_crowd(&mut Rpc::connect(address).expect("the server is ready"));
    }

    /// The derived side: the followers of shared users are exactly the users who were told that they follow.
    fn check_crowd(&mut self, rpc: &mut Rpc) {
        let uids: Vec<String> = (1..=CROWD).map(|uid| uid.to_string()).collect();
        let answer = good(rpc.call("BatchGetCounts", &json!({ "uids": uids })));
        for (uid, counts) in (1..=CROWD).zip(items(&answer["counts"])) {
            let found = counts["followers"].as_u64().map(|count| count as usize);
            assert_eq!(found, Some(self.followers_of(uid).len()), "followers of {uid}: {counts}");
        }
        let uid = self.random.u64(1..=CROWD);
        let answer = good(rpc.call("ListFollowers", &json!({ "uid": uid.to_string(), "pageSize": 1000 })));
        let found: BTreeSet<u64> = items(&answer["followers"]).iter().map(uid_of).collect();
        assert_eq!(found, self.followers_of(uid), "followers of {uid}");
    }

    fn followers_of(&self, uid: u64) -> BTreeSet<u64> {
        self.writers.iter().flat_map(|writer| writer.followers_of(uid)).collect()
    }

    /// Lets all clients write until `end` has ended the server.
    pub(crate) fn write_until<T>(&mut self, server: &mut Server, end: impl FnOnce(&mut Server) -> T) -> T {
        let address = server.address();
        std::thread::scope(|scope| {
            for writer in &mut self.writers {
                scope.spawn(move || writer.write_until_cut(address));
            }
            for poster in &mut self.posters {
                scope.spawn(move || poster.write_until_cut(address));
            }
            if let Some(follower) = &mut self.follower {
                scope.spawn(move || follower.follow_until_cut(address));
            }
            end(server)
        })
    }

    /// The log, followed through all kills, adds up to what the clients know.
    pub(crate) fn check_follower(&mut self, server: &Server) {
        let last = position(server.address()).event_count();
        let follower = self.follower.as_mut().expect("somebody follows the log");
        follower.catch_up(server.address(), last);
        let all = |rows: fn(&Relations) -> Vec<(u64, u64)>| -> BTreeSet<(u64, u64)> {
            self.writers.iter().flat_map(|writer| rows(writer.relations())).collect()
        };
        let posters = self.posters.iter().map(Poster::model);
        let (follows, mutes): (Vec<_>, Vec<_>) =
            posters.map(|model| (model.follows.clone(), model.mutes.clone())).unzip();
        let with = |rows: BTreeSet<(u64, u64)>, more: Vec<BTreeSet<(u64, u64)>>| {
            rows.into_iter().chain(more.into_iter().flatten()).collect::<BTreeSet<_>>()
        };
        assert_eq!(follower.follows, with(all(Relations::follows), follows), "the log's follows");
        assert_eq!(follower.blocks, all(|known| known.blocks.iter().copied().collect()), "the log's blocks");
        let known = all(|known| known.mutes.iter().copied().collect());
        assert_eq!(follower.mutes, with(known, mutes), "the log's mutes");
    }

    /// Makes all clients forget how far they have seen the log.
    pub(crate) fn forget_positions(&mut self) {
        self.writers.iter_mut().for_each(|writer| writer.seen = None);
        self.posters.iter_mut().for_each(|poster| poster.seen = None);
    }

    /// Writes acknowledged to all clients so far.
    pub(crate) fn acknowledged(&self) -> u64 {
        let posts: u64 = self.posters.iter().map(|poster| poster.acknowledged).sum();
        posts + self.writers.iter().map(|writer| writer.acknowledged).sum::<u64>()
    }

    /// Pages of home that were compared while the server lived.
    pub(crate) fn pages(&self) -> u64 {
        self.posters.iter().map(|poster| poster.pages).sum()
    }
}

/// Gives each poster's first user so many followers that the fan-out takes several chunks.
fn import_fans(place: &Place) {
    let file = place.beside("fans");
    std::fs::write(&file, fans(POSTERS)).expect("the temporary directory is writable");
    let (status, _) = place.json(&["import", "edges", &file.to_string_lossy(), "--data", &place.data()]);
    assert!(status.success(), "{}", place.log_tail());
}

/// The operator's door of a server.
fn operator(server: &Server) -> Rpc {
    Rpc::connect(server.admin_address()).expect("the server is ready")
}

/// Where a server's log ends.
fn position(address: SocketAddr) -> Position {
    let mut rpc = Rpc::connect(address).expect("the server is ready");
    let answer = good(rpc.call("GetCounts", &json!({ "uid": "1" })));
    let token = answer["token"].as_str().expect("every answer carries a token");
    Position::from_token(token).expect("the token is one of ours")
}

/// The body of an answer that must have come.
pub(crate) fn good(answer: io::Result<Answer>) -> Value {
    match answer {
        Ok(Answer::Good(body)) => body,
        other => panic!("{other:?}"),
    }
}

/// The items of a list; an empty list may be absent.
pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[][..], Vec::as_slice)
}

/// The uid of an item.
pub(crate) fn uid_of(item: &Value) -> u64 {
    item["uid"].as_str().and_then(|uid| uid.parse().ok()).expect("every item has a uid")
}

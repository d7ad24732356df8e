//! The same on a cluster, whose process is killed while a call waits for the locks of its shard, and while the database commits
//! what it has written.

use super::accounts::{BEFORE, CASES, Case, made, said};
use super::is_played;
use super::rpc::Rpc;
use super::server::{Place, Server, guanxi, pause};
use guanxi_servers::Postgres;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a call may take to come to where its process is killed.
const REACHED_TIMEOUT: Duration = Duration::from_secs(20);

/// How often a call is tried until it is the one that is under way when its process is killed.
const TRIES_MAX: u32 = 5;

/// Where a process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillPoint {
    /// The call waits for the lock of its shard: nothing is planned yet.
    Lock,
    /// The database commits the writes of the call, and no client gets its answer.
    Commit,
}

/// Holds all shards until it is ended.
const HOLD: &str = "begin; select from gx.shard order by gene for update; select pg_sleep(300)";
/// Ends it.
const LET_GO: &str = "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(300)' and pid <> pg_backend_pid()";
/// Every commit of a batch takes a moment.
const SLOW: &str = "create or replace function slow() returns trigger as \
    'begin perform pg_sleep(1); return null; end' language plpgsql; \
    create constraint trigger slow after update on gx.shard deferrable initially deferred \
    for each row execute function slow()";
const FAST: &str = "drop trigger slow on gx.shard";
/// Who waits for a lock, and whose commit or hold takes its moment.
const WAITING: &str = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
const SLEEPING: &str = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'";

/// A cluster of one database.
struct Cluster {
    place: Place,
    config: String,
    postgres: Postgres,
    _data: tempfile::TempDir,
}

impl Cluster {
    fn new() -> Self {
        let (place, data) = (Place::new(), tempfile::tempdir().unwrap());
        let settings: &[_] = &[("max_connections", "200")];
        let postgres = Postgres::start(data.path(), settings, false).unwrap();
        let config = place.beside("cluster.toml");
        std::fs::write(&config, format!("databases = ['d1={}']\n", postgres.url("postgres"))).unwrap();
        let config = config.to_string_lossy().into_owned();
        let init = guanxi().args(["--config", &config, "cluster", "init"]).status();
        assert!(init.unwrap().success());
        Self { place, config, postgres, _data: data }
    }

    fn serve(&self) -> Server {
        let mut server = Server::start(&self.place, None, &["--config", &self.config]);
        assert!(server.ready(&self.place), "{}", self.place.log_tail());
        server
    }

    fn psql(&self) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["-qXAt", "-v", "ON_ERROR_STOP=1"]).arg(self.postgres.url("postgres"));
        psql
    }

    /// Runs a statement, as somebody would by hand.
    fn by_hand(&self, statement: &str) -> String {
        let output = self.psql().args(["-c", statement]).output().expect("psql is installed with the server");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn wait_until(&self, question: &str, is_so: impl Fn(u32) -> bool) {
        let start = Instant::now();
        while !is_so(self.by_hand(question).parse().unwrap()) {
            assert!(start.elapsed() < REACHED_TIMEOUT, "{question}: {}", self.place.log_tail());
            pause(Duration::from_millis(5));
        }
    }

    /// Has calls of a server come to a point, and stay there; what is returned ends with that.
    fn hold_at(&self, point: KillPoint) -> Option<Child> {
        match point {
            KillPoint::Lock => {
                let holder =
                    self.psql().args(["-c", HOLD]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
                self.wait_until(SLEEPING, |many| many > 0);
                Some(holder.unwrap())
            }
            KillPoint::Commit => {
                self.by_hand(SLOW);
                None
            }
        }
    }

    /// Lets the database go on, to the end of what is under way.
    fn let_go(&self, point: KillPoint, holder: Option<Child>) {
        match point {
            KillPoint::Lock => drop(self.by_hand(LET_GO)),
            KillPoint::Commit => {
                self.wait_until(SLEEPING, |many| many == 0);
                self.by_hand(FAST);
            }
        }
        holder.into_iter().for_each(|mut holder| drop(holder.wait()));
    }

    /// Does a call whose process is killed at a point, and tells whether the call was what came to it. It is done whole or not
    /// at all.
    fn died_of(&self, point: KillPoint, case: Case, name: &str) -> bool {
        let (method, request, after) = case;
        let mut server = self.serve();
        let mut rpc = Rpc::connect(server.address()).unwrap();
        let account = made(&mut rpc, name);
        let holder = self.hold_at(point);
        let request = request(&account);
        let call = std::thread::spawn(move || rpc.call(method, &request));
        match point {
            KillPoint::Lock => self.wait_until(WAITING, |many| many > 0),
            KillPoint::Commit => self.wait_until(SLEEPING, |many| many > 0),
        }
        server.kill();
        let answer = call.join().unwrap();
        self.let_go(point, holder);
        assert!(answer.is_err(), "{method} at {point:?} was answered: {answer:?}");
        let server = self.serve();
        let seen = said(&mut Rpc::connect(server.address()).unwrap(), &account);
        if point == KillPoint::Lock {
            assert_eq!(seen, BEFORE, "{method} at {point:?}");
            return true;
        }
        assert!(seen == BEFORE || seen == after, "{method} at {point:?}: {seen:?}");
        seen == after
    }
}

#[test]
fn access_begins_and_ends_in_one_commit_of_a_cluster() {
    let cluster = Cluster::new();
    let mut number = 0;
    for (nth, point) in [KillPoint::Lock, KillPoint::Commit].into_iter().enumerate() {
        for (_, case) in (nth..).zip(CASES).filter(|(case, _)| is_played(*case)) {
            let died = (0..TRIES_MAX).any(|_| {
                number += 1;
                cluster.died_of(point, case, &format!("user{number}"))
            });
            assert!(died, "{} never was what a process died of at {point:?}", case.0);
        }
    }
}

//! Imports that are killed anywhere and run again: the result is that of one undisturbed run.

use super::seed;
use super::server::{Place, Server, guanxi, pause};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Edges of a file that is imported into an empty directory.
const BULK_EDGES: u64 = 60_000;

/// Edges of a file that is imported as ordinary writes.
const BATCH_EDGES: u64 = 20_000;

/// Edges that make a directory a used one.
const FIRST_EDGES: u64 = 500;

/// Users of a generated graph.
const USERS: u64 = 3_000;

/// Times that an import is killed before it may end.
const KILLS: u32 = 6;

/// How often to try to kill an import before its end.
const TRIES_MAX: u32 = 5;

/// The longest that an import into a server lives.
const LIFE_MAX: Duration = Duration::from_millis(800);

/// The time of the first edge, in unix seconds; each later edge is a second younger.
const FIRST_TIME: u64 = 1_600_000_000;

/// An edge list and what must be in the graph after it.
pub(crate) struct Edges {
    file: String,
    /// The time of each edge.
    expected: BTreeMap<(u64, u64), u64>,
}

impl Edges {
    /// Writes a list of about `count` edges, with repeats and with lines that must be refused.
    pub(crate) fn write(place: &Place, count: u64) -> Self {
        // One seed for all: a shorter list is the beginning of a longer one.
        let mut random = fastrand::Rng::with_seed(1);
        let (mut text, mut expected) = (String::new(), BTreeMap::new());
        for n in 0..count {
            let (subject, object) = (random.u64(1..=USERS), random.u64(1..=USERS));
            let time = FIRST_TIME + n;
            writeln!(text, "{subject}\t{object}\t{time}").expect("a string grows");
            if subject != object {
                expected.entry((subject, object)).or_insert(time);
            }
            if n % 1_000 == 0 {
                text.push_str("# a comment\n0 1\nnonsense\n");
            }
        }
        let file = place.beside(&format!("edges-{count}"));
        std::fs::write(&file, text).expect("the temporary directory is writable");
        Self { file: file.to_string_lossy().into_owned(), expected }
    }

    /// The arguments that import the list into the directory of `place`.
    pub(crate) fn arguments(&self, place: &Place) -> Vec<String> {
        ["import", "edges", &self.file, "--json", "--data", &place.data()].map(str::to_owned).into()
    }

    /// Imports to the end.
    pub(crate) fn finish_once(&self, place: &Place) -> Value {
        let arguments = self.arguments(place);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (status, report) = place.json(&arguments);
        assert!(status.success(), "{status}\n{}", place.log_tail());
        report
    }

    /// Imports to the end, compares what is there with what must be, and sees that a repeat adds nothing.
    pub(crate) fn finish(&self, place: &Place) {
        self.finish_once(place);
        self.check(place);
        let repeated = self.finish_once(place);
        assert_eq!(repeated["accepted"], 0, "a repeat added edges: {repeated}");
        self.check(place);
    }

    fn check(&self, place: &Place) {
        let found = exported(place);
        let missing = self.expected.iter().find(|(edge, _)| !found.contains_key(edge));
        assert_eq!(missing, None, "an edge is missing, of {} there are {}", self.expected.len(), found.len());
        let wrong = found.iter().find(|(edge, time)| self.expected.get(edge) != Some(time));
        assert_eq!(wrong, None, "an edge is foreign or has another time than {FIRST_TIME} and its line");
        place.verify();
    }
}

/// Everything that is in the graph of a directory, with times in unix seconds.
fn exported(place: &Place) -> BTreeMap<(u64, u64), u64> {
    let file = place.beside("exported");
    let args = ["export", "edges", &file.to_string_lossy(), "--force", "--data", &place.data()];
    let (status, _) = place.json(&args);
    assert!(status.success(), "{}", place.log_tail());
    let text = std::fs::read_to_string(&file).expect("the export wrote a file");
    text.lines().filter(|line| !line.starts_with('#')).map(edge).collect()
}

fn edge(line: &str) -> ((u64, u64), u64) {
    let numbers: Vec<u64> = line.split('\t').map(|field| field.parse().expect("a number")).collect();
    ((numbers[0], numbers[1]), numbers[2])
}

/// Imports again and again, killing each run within `longest`, until it was killed `KILLS` times or came to its
/// end. Answers how often it was killed.
fn kill_repeatedly(place: &Place, edges: &Edges, longest: Duration, random: &mut fastrand::Rng) -> u32 {
    for killed in 0..KILLS {
        let mut child = place.spawn(guanxi().args(edges.arguments(place)));
        pause(longest.mul_f64(random.f64()));
        // An error means that it has ended; the status tells.
        let _ = child.kill();
        if child.wait().expect("the child is ours").success() {
            return killed;
        }
    }
    KILLS
}

/// Imports `count` edges into a directory that `prepare` made, killed and run again, and compares.
fn import_despite_kills(count: u64, prepare: impl Fn(&Place)) {
    let mut random = fastrand::Rng::with_seed(seed());
    let undisturbed = Place::new();
    prepare(&undisturbed);
    let edges = Edges::write(&undisturbed, count);
    let start = Instant::now();
    edges.finish_once(&undisturbed);
    let longest = start.elapsed();
    for _ in 0..TRIES_MAX {
        let place = Place::new();
        prepare(&place);
        let edges = Edges::write(&place, count);
        let killed = kill_repeatedly(&place, &edges, longest, &mut random);
        edges.finish(&place);
        if killed > 0 {
            return;
        }
    }
    panic!("no run was killed before its end");
}

#[test]
fn a_bulk_import_is_killed_and_run_again() {
    import_despite_kills(BULK_EDGES, |_| ());
}

#[test]
fn an_import_into_a_used_directory_is_killed_and_run_again() {
    import_despite_kills(BATCH_EDGES, |place| {
        // A graph that is not empty takes imports as ordinary writes; what is added here is in the list too.
        Edges::write(place, FIRST_EDGES).finish_once(place);
    });
}

#[test]
fn an_import_into_a_server_survives_kills_of_both() {
    let mut random = fastrand::Rng::with_seed(seed());
    let place = Place::new();
    let edges = Edges::write(&place, BATCH_EDGES);
    for _ in 0..KILLS {
        let mut server = Server::start(&place, None, &[]);
        assert!(server.ready(&place), "{}", place.log_tail());
        let url = server.admin_url();
        let mut child =
            place.spawn(guanxi().args(["import", "edges", &edges.file, "--json", "--server", &url]));
        pause(LIFE_MAX.mul_f64(random.f64()));
        if random.bool() {
            server.kill();
        }
        // An error means that it has ended already.
        let _ = child.kill();
        child.wait().expect("the child is ours");
    }
    let mut server = Server::start(&place, None, &[]);
    assert!(server.ready(&place), "{}", place.log_tail());
    let (status, _) =
        place.json(&["import", "edges", &edges.file, "--json", "--server", &server.admin_url()]);
    assert!(status.success(), "{}", place.log_tail());
    assert!(server.stop(&place).success(), "{}", place.log_tail());
    edges.finish(&place);
}

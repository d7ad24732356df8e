//! The measurement of logins, in short.

use super::overload::FIRST_CORE;
use super::run::{Scratch, Server, run};
use serde_json::Value;
use std::fs;
use std::sync::PoisonError;

/// Measurements that are made until one shows what is asserted: what other tests take of the machine shows in some.
const MEASUREMENTS_MAX: usize = 4;

/// A machine that does other things meanwhile shows other times, so the times are the command's own to judge; what holds
/// on any machine that is left alone for one measurement is asserted here. A login that should fail and does not, or an
/// answer that is not meant, fails the command.
#[test]
fn a_flood_of_logins_is_refused_with_a_reason_and_pages_are_read_meanwhile() {
    let _alone = FIRST_CORE.lock().unwrap_or_else(PoisonError::into_inner);
    let short = ["--timings", "20", "--turns", "1", "--duration", "2", "--pages", "100", "--json"];
    let mut seen = Vec::new();
    for _ in 0..MEASUREMENTS_MAX {
        let found = run(&[&["bench", "logins"][..], &short].concat()).json();
        let missed = missed(&found);
        if missed.is_empty() {
            return;
        }
        seen.push(format!("{missed:?}: {found:#}"));
    }
    panic!("no measurement shows it: {}", seen.join("\n"));
}

/// Returns what a measurement does not show.
fn missed(found: &Value) -> Vec<&'static str> {
    let of = |table: usize, what: &str| {
        let row = found[table]["rows"].as_array().unwrap().iter().find(|row| row["what"] == what);
        row.and_then(|row: &Value| row["value"].as_f64()).unwrap_or_else(|| panic!("{what}: {found:#}"))
    };
    let logins = |what: &str| of(1, &format!("logins {what}"));
    // Both run one hash, which is most of their time, so that even a few tell whether one of them runs none.
    let (unknown, wrong) = (of(0, "unknown name, median"), of(0, "wrong password, median"));
    let shown = [
        ("unknown names are hashed", unknown > wrong / 3.0),
        ("wrong passwords are hashed", wrong > unknown / 3.0),
        ("a full queue refuses", logins("refused, the queue of passwords was full") > 0.0),
        ("some are let in", logins("let in") > 0.0),
        ("some fail", logins("LOGIN_FAILED") > 0.0),
        ("pages are read meanwhile", of(1, "page, with logins: p50") > 0.0),
        ("pages are hardly refused", of(1, "pages refused, with logins") < 50.0),
    ];
    shown.into_iter().filter(|(_, holds)| !holds).map(|(what, _)| what).collect()
}

/// A hash takes milliseconds of a core, and calls that come meanwhile are not to wait for it.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_hash_passwords_give_way_to_those_that_answer_calls() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &[]);
    let threads = fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap();
    let stat =
        |thread: std::io::Result<fs::DirEntry>| fs::read_to_string(thread.unwrap().path().join("stat"));
    let stats: Vec<String> = threads.map(|thread| stat(thread).unwrap()).collect();
    // The name is in parentheses; niceness is the seventeenth field behind it.
    let niceness = |stat: &String| -> i32 {
        stat.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().parse().unwrap()
    };
    let of =
        |name: &str| -> Vec<i32> { stats.iter().filter(|stat| stat.contains(name)).map(niceness).collect() };
    // The test itself may have been told to give way.
    let answering = of("(tokio-rt-worker)");
    assert!(!answering.is_empty() && answering.iter().all(|nice| *nice == answering[0]), "{stats:?}");
    assert_eq!(of("(guanxi-password"), [answering[0].max(10)], "{stats:?}");
    assert_eq!(of("(guanxi-pw-flood"), [answering[0].max(19)], "{stats:?}");
}

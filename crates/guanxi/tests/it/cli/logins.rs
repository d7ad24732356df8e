//! The measurement of logins, in short.

use super::overload::FIRST_CORE;
use super::run::run;
use serde_json::Value;
use std::sync::PoisonError;

/// A machine that does other things meanwhile shows other times, so the times are the command's own to judge; what holds
/// on any machine is asserted here. A login that should fail and does not, or an answer that is not meant, fails the
/// command.
#[test]
fn a_flood_of_logins_is_refused_with_a_reason_and_pages_are_read_meanwhile() {
    let _alone = FIRST_CORE.lock().unwrap_or_else(PoisonError::into_inner);
    let short = ["--timings", "20", "--turns", "1", "--duration", "2", "--pages", "100", "--json"];
    let found = run(&[&["bench", "logins"][..], &short].concat()).json();
    let value = |table: usize, what: &str| {
        let row = found[table]["rows"].as_array().unwrap().iter().find(|row| row["what"] == what);
        row.and_then(|row: &Value| row["value"].as_f64()).unwrap_or_else(|| panic!("{what}: {found:#}"))
    };
    // Both run one hash, which is most of their time, so that even a few tell whether one of them runs none.
    let (unknown, wrong) = (value(0, "unknown name, median"), value(0, "wrong password, median"));
    assert!(unknown > wrong / 3.0 && wrong > unknown / 3.0, "{found:#}");
    let logins = |what: &str| value(1, &format!("logins {what}"));
    assert!(logins("refused, the queue of passwords was full") > 300.0, "{found:#}");
    assert!(logins("let in") > 0.0 && logins("LOGIN_FAILED") > 0.0, "{found:#}");
    assert!(value(1, "page, with logins: p50") > 0.0, "{found:#}");
    assert!(value(1, "pages refused, with logins") < 50.0, "{found:#}");
}

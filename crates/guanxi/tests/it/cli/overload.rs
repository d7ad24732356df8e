//! More calls than the server can answer.

use super::run::run;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// Held by a test that gives a server the first core, and fills it.
pub(super) static FIRST_CORE: Mutex<()> = Mutex::new(());

/// A machine that does other things meanwhile shows other times, so the times are the command's own to judge; what holds
/// on any machine is asserted here.
#[test]
fn a_server_with_too_much_to_do_still_works_and_refuses_the_rest_with_a_reason() {
    let _alone = FIRST_CORE.lock().unwrap_or_else(PoisonError::into_inner);
    // A reply that is neither good nor OVERLOADED fails the command.
    let found = run(&["bench", "overload", "--duration", "1.3", "--connections", "512", "--json"]).json();
    let table = &found[1]["rows"];
    let value = |what: &str| {
        let row = table.as_array().unwrap().iter().find(|row| row["what"] == what);
        row.and_then(|row: &Value| row["value"].as_f64()).unwrap_or_else(|| panic!("{what}: {found:#}"))
    };
    assert!(value("5x: refused") > 0.0, "{found:#}");
    assert!(value("5x: answered, beside the peak") > 0.25, "{found:#}");
    assert!(value("5x: resident memory beside 1x") < 1.5, "{found:#}");
}

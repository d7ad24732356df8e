//! An operator finds injected damage, mends it, and finds none any more.

use super::driver::Browser;
use super::pages::quiet;
use crate::cli::run::{Scratch, Server, pause, wait_for};
use guanxi_embedded::damage::{Damage, inject};
use guanxi_model::Uid;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;

fn uid(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

/// A directory in which user 2 has lost a follower and has a wrong counter.
fn damaged(scratch: &Scratch) -> String {
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    for (subject, object) in [("1", "2"), ("2", "1"), ("3", "2"), ("241", "2")] {
        let pair = json!({ "subject": subject, "object": object });
        assert_eq!(server.call("Follow", &pair)["changed"], true);
    }
    server.stop();
    let damage = [
        Damage::ReverseLost { subject: uid(241), object: uid(2) },
        Damage::Followers { uid: uid(2), count: 77 },
    ];
    inject(Path::new(&dir), &damage).expect("no server has it open");
    dir
}

#[test]
fn a_check_on_injected_damage_is_watched_being_mended() {
    let scratch = Scratch::new();
    let dir = damaged(&scratch);
    let server = Server::start(&dir, &[]);
    let token = fs::read_to_string(format!("{dir}/admin-token")).expect("the first start writes it");
    let browser = Browser::open(&server.admin);
    browser.go("/sign-in");
    browser.fill("#token", token.trim());
    browser.click("main button");
    wait_for(|| browser.path() == "/");

    browser.go("/consistency");
    browser.await_text("main", "No backup is known");
    browser.click("main button");
    browser.await_text("[data-live] .wrong", "2 differences");
    let found = browser.text("[data-live] ol");
    assert!(found.contains("REVERSE_MISSING") && found.contains("FOLLOWERS_COUNT"), "{found}");
    let title = browser.texts("[data-live] svg g title").join("; ");
    assert!(title.contains("f to 0: the two sides disagree, 1 follows and 0"), "{title}");
    let crossed = browser.run("return document.querySelectorAll('svg path.differs').length", &json!([]));
    assert_eq!(crossed, json!(1));
    quiet(&browser);

    browser.click("[data-live] button.danger");
    browser.await_text("main form", "Mend derived rows?");
    browser.fill("#reason", "a follower is missing");
    browser.click("main button.danger");
    browser.await_text("#mend .fine", "2 differences found, 2 rows mended, 0 differences left.");
    quiet(&browser);
    browser.click("#mend form button");
    browser.await_text("[data-live] .fine", "no difference");
    assert!(browser.texts("svg path.differs").is_empty());
    browser.go("/audit?action=Repair");
    browser.await_text("main td", "a follower is missing");
    quiet(&browser);
}

#[test]
fn a_check_does_not_begin_again_when_its_tab_is_shown_again() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let browser = Browser::open(&server.admin);
    browser.go("/consistency?check=facts");
    browser.await_text("[data-live] .fine", "no difference");
    // What the region shows stays, however often its tab is hidden and shown.
    let script = "document.querySelector('[data-once]').firstElementChild.id = 'before'; \
        document.dispatchEvent(new Event('visibilitychange'))";
    browser.run(script, &json!([]));
    pause(Duration::from_secs(1));
    assert_eq!(browser.texts("#before").len(), 1, "the region was drawn again");
    quiet(&browser);
}

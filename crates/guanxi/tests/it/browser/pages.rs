//! An operator walks through the pages.

use super::driver::Browser;
use super::world::{World, paths};
use crate::cli::run::wait_for;
use guanxi_server::console::PAGES;
use serde_json::json;

/// Asserts that the browser has complained of nothing.
#[track_caller]
pub(super) fn quiet(browser: &Browser) {
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{}: {complaints:#?}", browser.path());
}

#[test]
fn an_operator_signs_in_by_a_token_and_by_no_other() {
    let world = World::new();
    let browser = world.browser();
    let page = format!("/user/{}", world.uid);
    browser.go(&page);
    assert!(browser.path().starts_with("/sign-in?next="), "{}", browser.path());
    browser.fill("#token", "gx_nonsense");
    browser.click("main button");
    browser.await_text("[role=alert]", "not valid");
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|text| text.contains("401")), "{complaints:#?}");
    browser.fill("#token", &world.token);
    browser.click("main button");
    browser.await_text("h1", "Mira Castell");
    assert_eq!(browser.path(), page, "the page that was asked for");
    assert!(browser.texts("header a").contains(&"Audit log".to_owned()));
    assert!(!browser.run("return document.cookie", &json!([])).to_string().contains("guanxi_console"));
    browser.click("footer form[action='/sign-out'] button");
    browser.await_text("h1", "Sign in");
    browser.go(&page);
    assert!(browser.path().starts_with("/sign-in"), "{}", browser.path());
    quiet(&browser);
}

#[test]
fn each_page_shows_what_there_is_and_the_browser_complains_of_none() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    overview(&world, &browser);
    users(&world, &browser);
    lists(&world, &browser);
    homes(&world, &browser);
    looks(&browser);
    checked(&browser);
    for path in world.paths() {
        browser.go(&path);
        assert_ne!(browser.text("h1"), "", "{path}");
        quiet(&browser);
    }
}

/// The overview is drawn anew as calls come.
fn overview(world: &World, browser: &Browser) {
    let shown = browser.text("[data-live]");
    assert!(shown.contains("Nothing is known to be wrong") && shown.contains("Events"), "{shown}");
    browser.run("document.querySelector('[data-live]').firstElementChild.id = 'before'", &json!([]));
    for n in 0..3 {
        world.post(&json!({ "author": world.others[20], "text": format!("number {n}") }));
    }
    wait_for(|| browser.texts("#before").is_empty());
    assert!(browser.text("[data-live]").contains("Events"));
    quiet(browser);
}

/// A user is found by what it is called, and its page leads on.
fn users(world: &World, browser: &Browser) {
    browser.fill("#find", "mira");
    browser.click("header form button");
    browser.await_text("h1", "Mira Castell");
    assert_eq!(browser.path(), format!("/user/{}", world.uid));
    let profile = browser.text("main");
    for shown in ["Gardens, trains and long books.", "Lisbon", "active", "locked", &world.uid] {
        assert!(profile.contains(shown), "{shown} is not in {profile}");
    }
    browser.fill("#find", "Tanaka");
    browser.click("header form button");
    browser.await_text("main", "Ada Tanaka");
    quiet(browser);
    browser.go(&format!("/user/{}", world.uid));
    browser.fill("#to", &world.others[0]);
    browser.click("form[action$='/relation'] button");
    browser.await_text("main p", "friends");
    browser.follow("Surroundings");
    browser.await_text("main svg.wide text", "Ada Moreau");
    let faces = browser.run("return document.querySelectorAll('svg.wide a').length", &json!([]));
    assert_eq!(faces, json!(60));
    browser.follow("Suggestions");
    browser.await_text("main li", "followed by");
    browser.follow("Sessions");
    browser.await_text("main td", "phone");
    quiet(browser);
}

/// Each list has its rows, and a long one several pages.
fn lists(world: &World, browser: &Browser) {
    browser.follow("Following");
    assert_eq!(browser.texts("main tbody tr").len(), 50);
    browser.follow("Next page");
    browser.await_text("main", "First page");
    assert_eq!(browser.texts("main tbody tr").len(), 10);
    browser.follow("First page");
    wait_for(|| browser.texts("main tbody tr").len() == 50);
    for (list, rows, shows) in [
        ("Followers", 20, "Ada Moreau"),
        ("Friends", 20, "Ada Moreau"),
        ("Blocks", 1, "9001"),
        ("Mutes", 1, "9002"),
    ] {
        browser.follow(list);
        browser.await_text("[aria-current]", list);
        assert_eq!(browser.texts("main tbody tr").len(), rows, "{list}");
        assert!(browser.text("main tbody").contains(shows), "{list}");
    }
    browser.follow("Requests");
    browser.await_text("main li", "We met at the choir.");
    assert!(browser.text("main").contains("9003"));
    browser.follow("Profile");
    assert_eq!(browser.path(), format!("/user/{}", world.uid));
    quiet(browser);
}

/// Home, and why a post is in it; a new post comes by itself.
fn homes(world: &World, browser: &Browser) {
    browser.go(&format!("/user/{}/home", world.uid));
    assert_eq!(browser.texts("main .post").len(), 20);
    assert!(browser.text("main .post .foot").contains("followed since"), "{}", browser.text("main"));
    world.post(&json!({ "author": world.others[1], "text": "This came meanwhile." }));
    browser.await_text("[data-live] .post", "This came meanwhile.");
    browser.follow("Next page");
    browser.await_text("main", "First page");
    assert!(browser.texts("main .post").len() < 20);
    browser.fill("#post", &world.posts[0]);
    browser.click("form[action$='/explain'] button");
    browser.await_text("main .fine", "The post is shown.");
    browser.go(&format!("/user/9007/explain?post={}", world.posts[0]));
    browser.await_text("main .problem", "does not follow the author");
    quiet(browser);
}

/// Language and theme are changed in the footer, and stay.
fn looks(browser: &Browser) {
    browser.go("/audit");
    let choose = |name: &str, value: &str| {
        let script = "document.querySelector(arguments[0]).value = arguments[1]";
        browser.run(script, &json!([format!("footer select[name={name}]"), value]));
    };
    choose("lang", "zh");
    choose("theme", "dark");
    browser.click("footer form[action='/look'] button");
    browser.await_text("h1", "审计日志");
    assert_eq!(browser.path(), "/audit");
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let dark = browser.run(ground, &json!([]));
    browser.follow("用户");
    assert_eq!(browser.run(ground, &json!([])), dark);
    browser.run("document.cookie = 'guanxi_look=en.system; Path=/; SameSite=Strict'", &json!([]));
    browser.go("/users");
    assert_ne!(browser.run(ground, &json!([])), dark);
    browser.system("dark");
    assert_eq!(browser.run(ground, &json!([])), dark, "the theme of the system");
    browser.system("light");
    quiet(browser);
}

/// A check goes on to its end while one looks.
fn checked(browser: &Browser) {
    browser.go("/consistency");
    browser.click("main button");
    browser.await_text("[data-live] .fine", "no difference");
    quiet(browser);
}

#[test]
fn a_post_is_taken_down_and_reinstated_and_the_audit_log_has_both() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    let post = world.posts.last().expect("they wrote");
    let page = format!("/post/{post}");
    browser.go(&page);
    let shown = browser.text("main");
    assert!(shown.contains("A heron on the canal!") && shown.contains("quite unmoved"), "{shown}");
    assert_eq!(browser.texts("main > ul li").len(), 5, "those who like it");
    browser.click("main button.danger");
    browser.await_text("main", "Take post");
    browser.fill("#reason", "spam, says a test");
    browser.click("main button.danger");
    wait_for(|| browser.path() == page);
    let seen = || {
        let ask = json!({ "viewer": world.uid, "postIds": [post] });
        world.call("PostService/BatchGetPosts", &ask)["posts"][0]["status"].clone()
    };
    assert_eq!(seen(), "DELETED");
    browser.await_text("main", "spam, says a test");
    browser.follow("Audit log");
    browser.await_text("main tbody tr", "spam, says a test");
    assert!(browser.text("main tbody").contains("TakeDownPost"));
    browser.go(&page);
    browser.click("main button.danger");
    browser.await_text("main", "Reinstate post");
    browser.click("main button.danger");
    wait_for(|| browser.path() == page);
    assert_ne!(seen(), "DELETED");
    browser.go(&format!("/audit?target=post:{post}"));
    for action in ["ReinstatePost", "TakeDownPost", "GetPost"] {
        assert!(browser.text("main tbody").contains(action), "{action}");
    }
    quiet(&browser);
}

/// A page that no test of this folder opens is one that nobody has looked at.
#[test]
fn every_page_of_the_console_is_opened() {
    let paths = paths("7", "9", "8");
    let is_opened = |pattern: &str| {
        paths.iter().any(|path| {
            let path = path.split('?').next().unwrap_or_default();
            let (wanted, given): (Vec<&str>, Vec<&str>) =
                (pattern.split('/').collect(), path.split('/').collect());
            let fits = |(wanted, given): (&&str, &&str)| wanted.starts_with('{') || wanted == given;
            wanted.len() == given.len() && wanted.iter().zip(&given).all(fits)
        })
    };
    let missing: Vec<&str> = PAGES
        .iter()
        .filter(|(path, verbs)| verbs.contains(&"get") && !is_opened(path))
        .map(|(path, _)| *path)
        // Streams, files, and the page of the demo, which has tests of its own.
        .filter(|path| !path.contains("live") && !path.ends_with("/file") && !path.starts_with("/demo"))
        .collect();
    assert_eq!(missing, [""; 0], "pages that no test opens");
}

//! The console for operators without a mouse, without a wide window, and without script.

use super::driver::{Browser, ENTER, TAB};
use super::pages::quiet;
use super::world::World;
use serde_json::json;

/// What has the focus, as its text.
fn focused(browser: &Browser) -> String {
    let text = browser.run("return document.activeElement.textContent", &json!([]));
    text.as_str().unwrap_or_default().trim().to_owned()
}

#[test]
fn pages_are_used_by_keys_alone_on_a_phone_and_without_script() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    by_keys(&browser);
    on_a_phone(&world, &browser);
    without_script(&world, &browser);
}

/// The first key leads past the menu, or into it.
fn by_keys(browser: &Browser) {
    browser.go("/users");
    browser.press(TAB);
    assert_eq!(focused(browser), "Skip to the content");
    let is_seen = "return document.activeElement.getBoundingClientRect().left >= 0";
    assert_eq!(browser.run(is_seen, &json!([])), json!(true), "the link is seen once it has the focus");
    browser.press(ENTER);
    assert_eq!(browser.run("return document.activeElement.id", &json!([])), json!("content"));
    browser.press(TAB);
    assert_eq!(browser.run("return document.activeElement.id", &json!([])), json!("q"), "past the menu");
    browser.go("/users");
    // The link past the menu, the brand, and three pages.
    for _ in 0..5 {
        browser.press(TAB);
    }
    assert_eq!(focused(browser), "Posts");
    let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle", &json!([]));
    assert_eq!(outline, json!("solid"), "what has the focus is marked");
    browser.press(ENTER);
    browser.await_text("h1", "Posts");
    quiet(browser);
}

/// No page is wider than a phone; what is, scrolls at its place.
fn on_a_phone(world: &World, browser: &Browser) {
    browser.narrow();
    for path in world.paths() {
        browser.go(&path);
        let fits = "const page = document.documentElement; return page.scrollWidth <= page.clientWidth";
        assert_eq!(browser.run(fits, &json!([])), json!(true), "{path}: {}", widest(browser));
    }
    browser.wide();
    quiet(browser);
}

/// The elements that stand out to the right, for the message of a failure.
fn widest(browser: &Browser) -> String {
    let script = "return [...document.querySelectorAll('body *')]
        .filter((found) => found.getBoundingClientRect().right > document.documentElement.clientWidth && !found.closest('.scroll, pre'))
        .map((found) => found.outerHTML.slice(0, 100)).slice(0, 5).join('\\n')";
    browser.run(script, &json!([])).as_str().unwrap_or_default().to_owned()
}

/// Pages are whole: their forms and links work, and times are in UTC.
fn without_script(world: &World, browser: &Browser) {
    browser.scripts(false);
    for path in world.paths() {
        browser.go(&path);
        assert_ne!(browser.text("h1"), "", "{path}");
    }
    browser.go("/users");
    browser.fill("#q", "mira");
    browser.click("main form button");
    browser.await_text("h1", "Mira Castell");
    browser.follow("Home");
    assert_eq!(browser.texts("main .post").len(), 20);
    browser.go("/");
    assert!(browser.text("main").contains("Nothing is known to be wrong"));
    browser.go("/consistency");
    browser.click("main button");
    browser.follow("Check now");
    browser.await_text("main .fine", "no difference");
    let post = &world.posts[0];
    browser.go(&format!("/post/{post}"));
    browser.click("main button.danger");
    browser.fill("#reason", "without script");
    browser.click("main button.danger");
    browser.await_text("main", "without script");
    browser.scripts(true);
}

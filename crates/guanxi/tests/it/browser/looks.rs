//! Every page in every look: language, theme and width. A page breaks no rule of axe, is no wider than its window, and the browser
//! complains of nothing.

use super::axe::Axe;
use super::driver::Browser;
use super::pages::quiet;
use super::world::World;
use crate::cli::demo::Running;
use serde_json::json;

/// Opens all pages in a look, such as `en.light`.
fn every_page(look: &str, is_narrow: bool) {
    let (world, axe) = (World::new(), Axe::new());
    let browser = world.browser();
    if is_narrow {
        browser.narrow();
    }
    browser.go("/sign-in");
    let cookie = format!("guanxi_look={look}; Path=/; SameSite=Strict");
    browser.run("document.cookie = arguments[0]", &json!([cookie]));
    browser.go("/sign-in");
    axe.check(&browser, "/sign-in");
    quiet(&browser);
    browser.fill("#token", "gx_nonsense");
    browser.click("main button");
    browser.await_text("[role=alert]", "");
    axe.check(&browser, "a refused sign-in");
    drop(browser.complaints());
    world.sign_in(&browser);
    for path in world.paths() {
        browser.go(&path);
        shown_well(&axe, &browser, &path);
    }
    // What is refused is said on a page, and its status is noted by the browser.
    for path in [
        "/no/such/page",
        "/user/nobody",
        "/user/7/list/nonsense",
        "/posts?likes-min=x",
        "/do/take-down-post/x",
    ] {
        browser.go(path);
        axe.check(&browser, path);
    }
}

/// Asserts that a page breaks no rule, is no wider than its window, and that the browser complains of nothing.
fn shown_well(axe: &Axe, browser: &Browser, page: &str) {
    axe.check(browser, page);
    let fits = "const page = document.documentElement; return page.scrollWidth <= page.clientWidth";
    assert_eq!(browser.run(fits, &json!([])), json!(true), "{page} is wider than its window");
    quiet(browser);
}

/// The page of the demo is of the demo alone.
#[test]
fn the_demo_in_every_look() {
    let (demo, axe) = (Running::start(&["--rate", "5"]), Axe::new());
    let site = demo.told_url("Open in a browser: ");
    let site = site.strip_suffix("/demo").expect("it is the page of the demo");
    let browser = Browser::open(site);
    browser.go("/demo");
    for look in ["en.light", "en.dark", "zh.light", "zh.dark"] {
        let cookie = format!("guanxi_look={look}; Path=/; SameSite=Strict");
        browser.run("document.cookie = arguments[0]", &json!([cookie]));
        browser.wide();
        browser.go("/demo");
        shown_well(&axe, &browser, "/demo");
        browser.narrow();
        browser.go("/demo?did=policy");
        shown_well(&axe, &browser, "/demo?did=policy");
    }
}

macro_rules! looks {
    ($($name:ident: $look:literal, $is_narrow:literal;)*) => {
        $(
            #[test]
            fn $name() {
                every_page($look, $is_narrow);
            }
        )*
    };
}

looks! {
    english_light_wide: "en.light", false;
    english_light_narrow: "en.light", true;
    english_dark_wide: "en.dark", false;
    english_dark_narrow: "en.dark", true;
    chinese_light_wide: "zh.light", false;
    chinese_light_narrow: "zh.light", true;
    chinese_dark_wide: "zh.dark", false;
    chinese_dark_narrow: "zh.dark", true;
}

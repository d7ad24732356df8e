//! Every page in every look: language, theme and width. A page breaks no rule of axe, is no wider than its window, and the browser
//! complains of nothing.

use super::axe::Axe;
use super::pages::quiet;
use super::world::World;
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
    world.sign_in(&browser);
    for path in world.paths() {
        browser.go(&path);
        axe.check(&browser, &path);
        let fits = "const page = document.documentElement; return page.scrollWidth <= page.clientWidth";
        assert_eq!(browser.run(fits, &json!([])), json!(true), "{path} is wider than its window");
        quiet(&browser);
    }
    browser.go("/no/such/page");
    axe.check(&browser, "a page that is not there");
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

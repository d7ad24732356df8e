//! The pictures of the documents: `cargo xtask screenshots` writes them.

use super::world::World;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// Bytes of a picture: the repository keeps each version of it.
const BYTES_MAX: usize = 150_000;

/// Languages and themes, and the pages that have a picture in them.
const LOOKS: &[(&str, &str, &[&str])] = &[
    ("en", "light", &["overview", "user", "home"]),
    ("en", "dark", &["overview", "user", "home"]),
    ("zh", "light", &["overview"]),
    ("zh", "dark", &["home"]),
];

#[test]
fn pictures_of_the_documents_are_taken() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    let written = std::env::var_os("GUANXI_PICTURES").map(PathBuf::from);
    if let Some(folder) = &written {
        fs::create_dir_all(folder).expect("the folder can be made");
    }
    let (uid, home) = (format!("/user/{}", world.uid), format!("/user/{}/home", world.uid));
    let page = |name| match name {
        "overview" => "/",
        "user" => uid.as_str(),
        _ => home.as_str(),
    };
    for (lang, theme, names) in LOOKS {
        let cookie = format!("guanxi_look={lang}.{theme}.z0; Path=/; SameSite=Strict");
        browser.run("document.cookie = arguments[0]", &json!([cookie]));
        for name in *names {
            browser.go(page(name));
            let picture = browser.picture();
            assert!(picture.starts_with(b"\x89PNG"), "{name} in {lang} {theme} is no PNG");
            assert!(picture.len() <= BYTES_MAX, "{name} in {lang} {theme} has {} bytes", picture.len());
            if let Some(folder) = &written {
                let mark = if *lang == "en" { "" } else { "-zh" };
                let file = folder.join(format!("console-{name}-{theme}{mark}.png"));
                fs::write(file, picture).expect("there is room");
            }
        }
    }
}

//! The pictures of the documents: `cargo xtask screenshots` writes them.

use super::world::World;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// Bytes of a picture: the repository keeps each version of it.
const BYTES_MAX: usize = 150_000;

#[test]
fn pictures_of_the_documents_are_taken() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    let written = std::env::var_os("GUANXI_PICTURES").map(PathBuf::from);
    if let Some(folder) = &written {
        fs::create_dir_all(folder).expect("the folder can be made");
    }
    for theme in ["light", "dark"] {
        let cookie = format!("guanxi_look=en.{theme}.z0; Path=/; SameSite=Strict");
        browser.run("document.cookie = arguments[0]", &json!([cookie]));
        let (uid, home) = (format!("/user/{}", world.uid), format!("/user/{}/home", world.uid));
        for (name, path) in [("overview", "/"), ("user", uid.as_str()), ("home", home.as_str())] {
            browser.go(path);
            let picture = browser.picture();
            assert!(picture.starts_with(b"\x89PNG"), "{name} in {theme} is no PNG");
            assert!(picture.len() <= BYTES_MAX, "{name} in {theme} has {} bytes", picture.len());
            if let Some(folder) = &written {
                let file = folder.join(format!("console-{name}-{theme}.png"));
                fs::write(file, picture).expect("there is room");
            }
        }
    }
}

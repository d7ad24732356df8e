//! The three files of pages: style, script and icon. All of them are ours, and lie in the binary.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use crate::answer::{Answer, Trouble};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/console.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// A mark of what the files hold, in their addresses: a browser keeps them until they change.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let hash = Sha256::digest([STYLE, SCRIPT, ICON].concat());
    hash[..6].iter().map(|byte| format!("{byte:02x}")).collect()
});

pub(crate) fn style_path() -> String {
    format!("/assets/{}/style.css", *MARK)
}

pub(crate) fn script_path() -> String {
    format!("/assets/{}/console.js", *MARK)
}

pub(crate) fn icon_path() -> String {
    format!("/assets/{}/icon.svg", *MARK)
}

/// Returns a file by its name. They hold no data, so the sign-in page has them, too.
pub(crate) fn file(name: &str) -> Result<Answer, Trouble> {
    match name {
        "style.css" => Ok(Answer::file("text/css; charset=utf-8", STYLE)),
        "console.js" => Ok(Answer::file("text/javascript; charset=utf-8", SCRIPT)),
        "icon.svg" => Ok(Answer::file("image/svg+xml", ICON)),
        _ => Err(Trouble::NotFound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_short_and_asks_nobody_else() {
        assert!(SCRIPT.lines().count() <= 500);
        for text in [STYLE, SCRIPT, ICON] {
            let elsewhere = text.lines().filter(|line| line.contains("//") && line.contains("http"));
            assert!(
                elsewhere.clone().all(|line| line.contains("http://www.w3.org/2000/svg")),
                "{:?}",
                elsewhere.collect::<Vec<_>>()
            );
            assert!(!text.contains("@import") && !text.contains("url("), "nothing is loaded from elsewhere");
        }
        assert!(!SCRIPT.contains("eval(") && !SCRIPT.contains("Function("));
    }
}

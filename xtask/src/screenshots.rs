//! `cargo xtask screenshots` and `cargo xtask demo-picture`: the pictures of the documents.

use std::process::Command;

use crate::long::test_of_guanxi;
use crate::setup::{Tool, ensure};
use crate::steps::{cargo, root, spawn};

/// Where the pictures of the console are.
const FOLDER: &str = "docs/pictures";

/// Where the picture of the demo in a terminal is.
const DEMO: &str = "docs/demo.svg";

/// Without a font that has Chinese, Chromium draws a box for each character. Tests need none: the boxes are as large.
const FONT: Tool =
    Tool::new("fc-list", "fontconfig fonts-noto-cjk", "the pictures of the console in Chinese")
        .checked(&["--quiet", ":lang=zh-cn"]);

/// Runs the test that takes the pictures of the console, and has it write them.
///
/// # Errors
/// When a page cannot be shown, or a picture is too large for the repository.
pub(crate) fn run() -> Result<(), String> {
    ensure(&[FONT])?;
    let test = "browser::pictures::pictures_of_the_documents_are_taken";
    spawn(test_of_guanxi(test).env("GUANXI_PICTURES", root().join(FOLDER)))?;
    println!("the pictures are in {FOLDER}");
    Ok(())
}

/// Draws the picture of the demo from what it writes to a terminal. It shows how long reads take, so the machine should be quiet.
///
/// # Errors
/// When the demo cannot be built, or ends by itself.
pub(crate) fn demo_picture() -> Result<(), String> {
    spawn(&mut cargo(&["build", "--release", "--package", "guanxi"]))?;
    let program = root().join("target/release/guanxi");
    spawn(Command::new("python3").arg("xtask/demo_picture.py").arg(program).arg(DEMO).current_dir(root()))?;
    println!("the picture is {DEMO}");
    Ok(())
}

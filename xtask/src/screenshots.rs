//! `cargo xtask screenshots`: takes the pictures of the console that the documents show.

use crate::long::test_of_guanxi;
use crate::steps::{root, spawn};

/// Where the pictures are.
const FOLDER: &str = "docs/pictures";

/// Runs the test that takes them, and has it write them.
///
/// # Errors
/// When a page cannot be shown, or a picture is too large for the repository.
pub(crate) fn run() -> Result<(), String> {
    let test = "browser::pictures::pictures_of_the_documents_are_taken";
    spawn(test_of_guanxi(test).env("GUANXI_PICTURES", root().join(FOLDER)))?;
    println!("the pictures are in {FOLDER}");
    Ok(())
}

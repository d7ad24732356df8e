//! An error in words, with what is behind it.

use std::error::Error;

/// Returns an error and its causes, `: ` between them. A cause that the text before it repeats is left out.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

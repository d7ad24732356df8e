//! The facts that no list carries, and `guanxi backup` does; docs/operations.md has the same words.

use std::fmt;

const NOT_CARRIED: &[&str] = &[
    "since when requests wait, requests of users who are deactivated, and rejections",
    "ids of your own of users of whom nothing else is kept",
    "when users were seen last, and how often they were changed",
    "groups and who is in them",
    "dismissed suggestions and affinities",
    "earlier revisions of posts and when they were edited",
    "the text of deleted posts",
    "takedowns",
    "follow limits",
    "removed follows",
    "read marks",
    "tokens and sessions",
    "import positions and remembered request ids",
    "the change stream with its position tokens",
    "the order of likes and follows within a millisecond",
];

/// Says what no list carries, in a sentence.
#[derive(Clone, Copy, Debug)]
pub struct NotCarried;

impl fmt::Display for NotCarried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no list carries {}", NOT_CARRIED.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_say_what_no_list_carries() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
        let text = std::fs::read_to_string(path).unwrap();
        let missing: Vec<_> =
            NOT_CARRIED.iter().filter(|what| !text.contains(&format!("- {what}"))).collect();
        assert!(missing.is_empty(), "not in docs/operations.md: {missing:?}");
    }
}

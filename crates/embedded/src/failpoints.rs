//! Named places at which a test can make the process die.
//!
//! `GUANXI_FAILPOINT=name:count` aborts the process at the `count`-th passing of the named place, and
//! `GUANXI_FAILPOINT=name:count:file` at the `count`-th one while a file exists, which a test makes when the start of the server
//! is over. Without the variable a passing costs one load.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A group is planned; nothing is written yet.
pub const BEFORE_COMMIT: &str = "before-commit";
/// A group is durable; memory does not know it yet.
pub const AFTER_COMMIT: &str = "after-commit";
/// A group is durable and published; its callers have no answer yet.
pub const BEFORE_ANSWER: &str = "before-answer";
/// The log was trimmed in a commit.
pub const AFTER_TRIM: &str = "after-trim";
/// The memtables are being flushed at a clean shutdown or for a bounded journal.
pub const BEFORE_FLUSH: &str = "before-flush";
/// A bulk load has marked the directory.
pub const BULK_MARKED: &str = "bulk-marked";
/// A bulk load has written the forward edges, not the others.
pub const BULK_FORWARD: &str = "bulk-forward";
/// A bulk load has written everything but its last commit.
pub const BULK_BEFORE_COMMIT: &str = "bulk-before-commit";
/// A bulk load has committed; its mark is still there.
pub const BULK_AFTER_COMMIT: &str = "bulk-after-commit";
/// The fan-out has offered a post to one chunk of readers. The process that holds the inboxes passes this one and the
/// following.
pub const FANOUT_OFFERED: &str = "fanout-offered";
/// Everything up to an event was offered or skipped; readers are not told yet.
pub const FANOUT_ADVANCING: &str = "fanout-advancing";
/// Readers are told how far the fan-out is.
pub const FANOUT_ADVANCED: &str = "fanout-advanced";
/// Readers are told to pull an author.
pub const FANOUT_SKIPPED: &str = "fanout-skipped";
/// A post that was skipped while it ran was offered to everybody.
pub const FANOUT_UNSKIPPED: &str = "fanout-unskipped";

/// Every failpoint; the crash tests reach each of them.
pub const ALL: &[&str] = &[
    BEFORE_COMMIT,
    AFTER_COMMIT,
    BEFORE_ANSWER,
    AFTER_TRIM,
    BEFORE_FLUSH,
    BULK_MARKED,
    BULK_FORWARD,
    BULK_BEFORE_COMMIT,
    BULK_AFTER_COMMIT,
    FANOUT_OFFERED,
    FANOUT_ADVANCING,
    FANOUT_ADVANCED,
    FANOUT_SKIPPED,
    FANOUT_UNSKIPPED,
];

struct Armed {
    name: String,
    left: AtomicU64,
    /// Passings count while it exists.
    file: Option<PathBuf>,
}

static ARMED: OnceLock<Option<Armed>> = OnceLock::new();

/// Passes a failpoint: the process aborts if this passing is the armed one.
pub fn pass(name: &'static str) {
    let armed = ARMED.get_or_init(|| std::env::var("GUANXI_FAILPOINT").ok().and_then(|value| parse(&value)));
    if let Some(armed) = armed
        && armed.name == name
        && armed.file.as_ref().is_none_or(|file| file.exists())
        && armed.left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        std::process::abort();
    }
}

fn parse(value: &str) -> Option<Armed> {
    let (name, rest) = value.split_once(':')?;
    let (count, file) = match rest.split_once(':') {
        Some((count, file)) => (count, Some(PathBuf::from(file))),
        None => (rest, None),
    };
    let count = count.parse().ok().filter(|&n| n > 0)?;
    Some(Armed { name: name.to_owned(), left: AtomicU64::new(count), file })
}

//! The log of the engine: its warnings and errors go to our log. The error that ended one of its threads is kept, since
//! the engine reports it nowhere else.

use log::{Level, LevelFilter, Log, Metadata, Record};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Crates whose log this is.
const CRATES: [&str; 3] = ["fjall", "lsm_tree", "tantivy"];
/// Where the engine's threads say what ended them.
const THREADS: &str = "fjall::worker_pool";

struct EngineLog {
    /// What ended a thread, in the engine's words; the last one of the process.
    failure: Mutex<Option<String>>,
}

static ENGINE_LOG: EngineLog = EngineLog { failure: Mutex::new(None) };

/// Sees to it that the engine's log is heard, unless the program has a logger of its own.
pub(super) fn install() {
    if log::set_logger(&ENGINE_LOG).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}

/// Returns what ended a thread of the engine.
pub(super) fn last_failure() -> Option<io::Error> {
    let failure = ENGINE_LOG.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    Some(errno(&failure).map_or_else(|| io::Error::other(failure.as_str()), io::Error::from_raw_os_error))
}

/// The number of the system's error in a text of the engine, which prints errors as Rust does for debugging.
fn errno(text: &str) -> Option<i32> {
    let (_, after) = text.split_once("Os { code: ")?;
    after.split(',').next()?.parse().ok()
}

impl Log for EngineLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target().split("::").next().unwrap_or_default();
        metadata.level() <= Level::Warn && CRATES.contains(&target)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let (source, text) = (record.target(), record.args());
        if record.level() == Level::Error {
            tracing::error!(source, "the engine: {text}");
            if source == THREADS {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(text.to_string());
            }
        } else {
            tracing::warn!(source, "the engine: {text}");
        }
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_error_is_found_in_the_engines_words() {
        let error = fjall::Error::Io(io::Error::from_raw_os_error(28));
        assert_eq!(errno(&format!("Worker #0 crashed: {error:?}")), Some(28));
        assert_eq!(errno("Worker #0 crashed: Poisoned"), None);
    }
}

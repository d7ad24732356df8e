//! Messages to a supervisor such as systemd: that the server is ready, that it lives, and that it ends.
//!
//! Without a supervisor (`NOTIFY_SOCKET` is not set) no message is sent.

use sd_notify::NotifyState;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the supervisor hears of a living server while it waits for one word: twice, so that one may be late.
const WORDS_PER_WAIT: u32 = 2;

/// Says that both listeners accept.
pub(super) fn ready(status: &str) {
    say(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// Says that the end has begun.
pub(super) fn stopping() {
    say(&[NotifyState::Stopping, NotifyState::Status("answering what is in flight")]);
}

/// Says that the server lives as long as its store runs, as often as the supervisor wants to hear it. It is said from
/// the threads that answer calls: when none of them gets to it, none gets to a call either.
pub(super) async fn keep_alive(running: &AtomicBool) {
    let Some(wait) = sd_notify::watchdog_enabled().filter(|wait| !wait.is_zero()) else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval((wait / WORDS_PER_WAIT).max(Duration::from_millis(1)));
    loop {
        ticks.tick().await;
        if running.load(Ordering::Relaxed) {
            say(&[NotifyState::Watchdog]);
        }
    }
}

fn say(words: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(words) {
        tracing::warn!(%error, "the supervisor was not told");
    }
}

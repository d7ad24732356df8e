//! The end of a server, and the signals that begin it.

use super::supervisor;
use std::io;
use std::process;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The exit code after a second signal.
const EXIT_IMPATIENT: i32 = 1;

/// The end of a server: the first word to stop begins it.
#[derive(Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Begins the end; answers whether it had begun before.
    pub fn begin(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Completes when the end has begun.
    pub async fn stopped(self) {
        let mut stopping = self.0.subscribe();
        // The sender is held here, so that only a word ends the wait.
        let _ = stopping.wait_for(|stop| *stop).await;
    }
}

/// The first interrupt or termination signal begins the end, the second ends at once.
pub(super) fn stop_on_signals(stop: Stop) -> io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if stop.begin() {
                tracing::warn!("a second signal: ending at once");
                process::exit(EXIT_IMPATIENT);
            }
            tracing::info!("ending: answering what is in flight");
            supervisor::stopping();
        }
    });
    Ok(())
}

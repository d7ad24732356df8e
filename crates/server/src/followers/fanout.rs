//! The fan-out of a served directory: the worker on a thread of its own, and the sweep of cold inboxes.

use crate::failure::{Context, Outcome};
use crate::interrupted;
use guanxi_centers::feed::{FANOUT_REST, FeedCenter};
use guanxi_model::Clock;
use guanxi_ports::Inbox;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// How often inboxes that went cold are looked for, and the metrics of inboxes are brought up to date.
const SWEEP_EVERY: Duration = Duration::from_secs(5);

/// A running fan-out.
pub(super) struct FanoutTask {
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl FanoutTask {
    /// Takes up the stored policy and starts to push. On a thread of its own, so that a celebrity's post takes turns
    /// with the calls of the API by the operating system's measure, not by ours.
    pub(super) async fn start(
        feed: FeedCenter,
        inbox: Arc<dyn Inbox>,
        clock: Arc<dyn Clock>,
    ) -> Outcome<Self> {
        feed.start().await.context("cannot read the fan-out's policy")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = watch::channel(false);
        let work = move || runtime.block_on(run(feed, inbox, clock, stopped));
        let thread = std::thread::Builder::new().name("guanxi-fanout".into()).spawn(work)?;
        Ok(Self { stop, thread })
    }

    /// Ends after the chunk at hand, and returns when nothing runs any more.
    pub(super) async fn end(self) -> Outcome {
        self.stop.send_replace(true);
        let joined = tokio::task::spawn_blocking(move || self.thread.join()).await?;
        joined.map_err(|_| io::Error::other("the fan-out panicked").into())
    }
}

/// Pushes and sweeps until it is told to stop, or the store closes.
async fn run(
    feed: FeedCenter,
    inbox: Arc<dyn Inbox>,
    clock: Arc<dyn Clock>,
    mut stopped: watch::Receiver<bool>,
) {
    let sweeping = async {
        let mut ticks = tokio::time::interval(SWEEP_EVERY);
        loop {
            ticks.tick().await;
            match inbox.sweep(clock.now_ms()).await {
                Ok(0) => {}
                Ok(swept) => tracing::debug!(swept, "dropped cold inboxes"),
                Err(error) => {
                    tracing::warn!(%error, "cold inboxes were not swept; the next sweep tries again");
                }
            }
        }
    };
    let stop = async {
        // A sender that is gone counts as a word to stop, too.
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    // The thread is the fan-out's own, so that no other task waits while it sleeps.
    let rest = || std::thread::park_timeout(FANOUT_REST);
    let failed = interrupted("the fan-out was interrupted; readers pull until it goes on");
    tokio::select! {
        () = sweeping => {}
        () = feed.push(stop, rest, failed) => {}
    }
}

//! The reader of the logs for all open streams, on a task of its own: none of them waits for another one to be polled.

use crate::failure::Outcome;
use crate::interrupted;
use guanxi_centers::log_readers::Hub;
use std::io;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A hub that is being read for.
pub(super) struct StreamTask {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl StreamTask {
    /// Starts to read, as long as streams are open.
    pub(super) fn start(hub: Hub) -> Self {
        let (stop, mut stopped) = watch::channel(false);
        let task = tokio::spawn(async move {
            let stop = async {
                // A sender that is gone counts as a word to stop, too.
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            hub.run(stop, interrupted("open streams were interrupted; those that stay go on")).await;
        });
        Self { stop, task }
    }

    /// Ends, and returns when nothing is read any more.
    pub(super) async fn end(self) -> Outcome {
        self.stop.send_replace(true);
        self.task.await.map_err(|_| io::Error::other("the reader for open streams panicked").into())
    }
}

//! Looks after the engine, whose threads flush and compact on their own: an error of theirs shows at the next write alone,
//! and there may be none for long, or the writer may be held by it. From the error on the store has stopped.
//! And what memory the engine needs no more is given back here.

use crate::engine::{self, Memtables};
use crate::shared::Shared;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the engine is looked at: a lock and a flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A thread that looks at the engine until this is dropped.
pub(super) struct EngineWatch {
    /// Present until dropped.
    end: Option<Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl EngineWatch {
    /// Starts the thread.
    pub(super) fn start(shared: Arc<Shared>) -> io::Result<Self> {
        let (end, ended) = channel();
        let thread = std::thread::Builder::new().name("guanxi-watch".into());
        let thread = engine::stand_back(|| thread.spawn(move || watch(&shared, &ended)))?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for EngineWatch {
    fn drop(&mut self) {
        drop(self.end.take());
        // A panic in it has been reported by its thread.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn watch(shared: &Shared, ended: &Receiver<Infallible>) {
    let mut memtables = Memtables::default();
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        if let Err(error) = shared.engine.check() {
            shared.stop(&error);
            return;
        }
        memtables.look(&shared.engine);
    }
}

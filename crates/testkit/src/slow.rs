//! A store whose writes take their time, and fail or panic when they are asked to.

use guanxi_model::{
    Command, Credential, Error, EventAt, LogId, Logs, Position, Reason, Result, Session, SessionCursor,
    SessionKey, SessionPage, Uid, Write,
};
use guanxi_ports::shards::ShardReport;
use guanxi_ports::{
    Applied, BoxFuture, Credentials, EndHearer, EndedUsers, EventBatch, Facts, Log, MendProgress, MendReport,
    Progress, Sessions, Shards, Store, StoreView, Upkeep, VerifyReport,
};
use guanxi_server::WholeStore;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The object whose write panics on a slow store.
pub const PANICS: u64 = 666;

/// The object whose write fails on a slow store.
pub const FAILS: u64 = 667;

/// A store whose writes take their time before they begin.
pub struct Slow<S> {
    store: Arc<S>,
    delay: Duration,
}

impl<S: WholeStore> Slow<S> {
    /// The same store, with a delay before each write.
    pub const fn new(store: Arc<S>, delay: Duration) -> Self {
        Self { store, delay }
    }
}

impl<S: WholeStore> Facts for Slow<S> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            let asks =
                |object| matches!(write.commands[0], Command::Pair(pair) if pair.object.get() == object);
            assert!(!asks(PANICS), "this write was asked to panic");
            if asks(FAILS) {
                return Err(Error::with_detail(Reason::Damaged, "the secret path /var/lib/x"));
            }
            self.store.apply(write).await
        })
    }
}

impl<S: WholeStore> Store for Slow<S> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.store.view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.store.is_applied(uid, at)
    }
}

impl<S: WholeStore> Log for Slow<S> {
    fn logs(&self) -> Logs {
        self.store.logs()
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        self.store.head()
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        self.store.read(log, after, max)
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        self.store.wait(after)
    }
}

impl<S: WholeStore> Credentials for Slow<S> {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        Credentials::find(&*self.store, hash)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Credentials::list(&*self.store)
    }
}

impl<S: WholeStore> Sessions for Slow<S> {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Sessions::find(&*self.store, key)
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        Sessions::list(&*self.store, uid, after, max)
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        self.store.note_use(key, at_ms)
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        self.store.sweep(max)
    }
}

impl<S: WholeStore> EndedUsers for Slow<S> {
    fn is_gone(&self, uid: Uid) -> bool {
        self.store.is_gone(uid)
    }

    fn not_before_ms(&self, uid: Uid) -> u64 {
        self.store.not_before_ms(uid)
    }

    fn is_known(&self, uid: Uid) -> bool {
        self.store.is_known(uid)
    }

    fn ends(&self) -> u64 {
        self.store.ends()
    }

    fn last_end(&self, uid: Uid) -> u64 {
        self.store.last_end(uid)
    }

    fn hear_ends(&self, hearer: EndHearer) {
        self.store.hear_ends(hearer);
    }
}

impl<S: WholeStore> Shards for Slow<S> {
    fn shards(&self) -> BoxFuture<'_, Result<ShardReport>> {
        self.store.shards()
    }
}

impl<S: WholeStore> Upkeep for Slow<S> {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        self.store.verify(progress)
    }

    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        self.store.mend(progress)
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        self.store.dump(sink, progress)
    }
}

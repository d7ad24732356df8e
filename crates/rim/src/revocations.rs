//! Telling open streams that a credential may have gone: wrappers of the ports through which credentials go.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use guanxi_model::{
    Command, Credential, CredentialCommand, Outcome, Result, Session, SessionCursor, SessionKey, SessionPage,
    Uid, Write,
};
use guanxi_ports::{Applied, BoxFuture, Credentials, EndOfAccess, EndedUsers, Facts, Sessions};
use tokio::sync::watch;

use crate::caller::Holder;

/// The holders whose credentials are watched, and how their watchers are woken.
type Watched = Mutex<HashMap<Holder, watch::Sender<()>>>;

/// Wakes the tasks that wait for the end of a credential, when this process revokes one. Cheap to clone.
///
/// Every revocation must go through the ports that [`Self::sessions`] and [`Self::credentials`] return. One by another process is
/// [heard of](Self::hear); what is missed nevertheless is found by asking again (see
/// [`limits::CREDENTIAL_RECHECK`](crate::limits::CREDENTIAL_RECHECK)).
#[derive(Clone, Default)]
pub struct Revocations(Arc<Watched>);

impl Revocations {
    /// Sessions that tell of their ends.
    pub fn sessions(&self, inner: Arc<dyn Sessions>) -> Arc<dyn Sessions> {
        Arc::new(Telling { inner, revocations: self.clone() })
    }

    /// Credentials that tell of their ends.
    pub fn credentials(&self, inner: Arc<dyn Credentials>) -> Arc<dyn Credentials> {
        Arc::new(Telling { inner, revocations: self.clone() })
    }

    /// Wakes tasks by what a store tells of other processes, too.
    pub fn hear(&self, ended: &dyn EndedUsers) {
        let revocations = self.clone();
        ended.hear_ends(Arc::new(move |end| match end {
            EndOfAccess::OfUser(uid) => revocations.tell(&Holder::EndUser(*uid)),
            EndOfAccess::OfName(name) => revocations.tell(&Holder::Named(name.as_str().into())),
            EndOfAccess::OfAny => revocations.tell_all(),
        }));
    }

    /// Waits for revocations of one holder's credentials.
    pub(crate) fn watch(&self, holder: &Holder) -> RevocationWatch {
        let receiver = self.lock().entry(holder.clone()).or_default().subscribe();
        RevocationWatch { receiver: Some(receiver), holder: holder.clone(), revocations: self.clone() }
    }

    fn tell(&self, holder: &Holder) {
        if let Some(sender) = self.lock().get(holder) {
            sender.send_replace(());
        }
    }

    fn tell_all(&self) {
        self.lock().values().for_each(|sender| sender.send_replace(()));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, watch::Sender<()>>> {
        self.0.lock().expect("nobody panics while holding the map")
    }
}

/// Waits for revocations of one holder's credentials, until it is dropped.
pub(crate) struct RevocationWatch {
    /// There until the drop.
    receiver: Option<watch::Receiver<()>>,
    holder: Holder,
    revocations: Revocations,
}

impl RevocationWatch {
    /// Completes when one was revoked since the last call, or since the watch began.
    pub(crate) async fn revoked(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            // The sender stays in the map as long as this watch.
            let _ = receiver.changed().await;
        }
    }
}

impl Drop for RevocationWatch {
    fn drop(&mut self) {
        let mut watched = self.revocations.lock();
        self.receiver = None;
        if watched.get(&self.holder).is_some_and(|sender| sender.receiver_count() == 0) {
            watched.remove(&self.holder);
        }
    }
}

/// A port that tells of what goes.
struct Telling<P: ?Sized> {
    inner: Arc<P>,
    revocations: Revocations,
}

impl Facts for Telling<dyn Sessions> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        let of_session = |command: &Command| match command {
            Command::Session(command) => command.uid(),
            _ => None,
        };
        let mut users: BTreeSet<Uid> = write.commands.iter().filter_map(Command::ends_sessions_of).collect();
        let named: BTreeSet<Uid> = write.commands.iter().filter_map(of_session).collect();
        Box::pin(async move {
            let applied = self.inner.apply(write).await;
            match &applied {
                Ok(applied) => {
                    for outcome in &applied.outcomes {
                        if let Outcome::Session(outcome) = outcome {
                            users.extend(outcome.ended.iter().map(|session| session.uid));
                        }
                    }
                }
                // It may hide that it was done: a holder that is woken asks again.
                Err(_) => users.extend(named),
            }
            users.into_iter().for_each(|uid| self.revocations.tell(&Holder::EndUser(uid)));
            applied
        })
    }
}

impl Sessions for Telling<dyn Sessions> {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        self.inner.find(key)
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        self.inner.list(uid, after, max)
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        self.inner.note_use(key, at_ms)
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        self.inner.sweep(max)
    }
}

impl Facts for Telling<dyn Credentials> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        let revoked = |command: &Command| match command {
            Command::Credential(CredentialCommand::Revoke { name }) => {
                Some(Holder::Named(name.as_str().into()))
            }
            _ => None,
        };
        let revoked: Vec<Holder> = write.commands.iter().filter_map(revoked).collect();
        Box::pin(async move {
            let applied = self.inner.apply(write).await;
            // Also after an error, which may hide that it was done.
            revoked.iter().for_each(|holder| self.revocations.tell(holder));
            applied
        })
    }
}

impl Credentials for Telling<dyn Credentials> {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        self.inner.find(hash)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        self.inner.list()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_ports::EndHearer;

    #[tokio::test]
    async fn a_watch_is_woken_by_its_own_holder_alone_and_leaves_nothing_behind() {
        let revocations = Revocations::default();
        let holder = |uid| Holder::EndUser(Uid::new(uid).unwrap());
        let (mut first, second) = (revocations.watch(&holder(1)), revocations.watch(&holder(1)));
        revocations.tell(&holder(2));
        assert!(futures::FutureExt::now_or_never(first.revoked()).is_none());
        revocations.tell(&holder(1));
        first.revoked().await;
        drop(second);
        revocations.tell(&holder(1));
        first.revoked().await;
        drop(first);
        assert!(revocations.lock().is_empty());
    }

    /// A store that tells of ends when the test says so.
    #[derive(Default)]
    struct Store(Mutex<Vec<EndHearer>>);

    impl EndedUsers for Store {
        fn is_gone(&self, _: Uid) -> bool {
            false
        }

        fn not_before_ms(&self, _: Uid) -> u64 {
            0
        }

        fn hear_ends(&self, hearer: EndHearer) {
            self.0.lock().unwrap().push(hearer);
        }
    }

    #[tokio::test]
    async fn ends_that_others_bring_about_wake_those_whom_they_may_concern() {
        let (revocations, store) = (Revocations::default(), Store::default());
        revocations.hear(&store);
        let (uid, name) = (Uid::new(1).unwrap(), "a service".to_owned());
        let holders = [Holder::EndUser(uid), Holder::Named(name.as_str().into())];
        let ends = [
            (EndOfAccess::OfUser(uid), [true, false]),
            (EndOfAccess::OfName(name), [false, true]),
            (EndOfAccess::OfAny, [true, true]),
        ];
        for (end, wakes) in ends {
            let mut watches = holders.each_ref().map(|holder| revocations.watch(holder));
            store.0.lock().unwrap().iter().for_each(|hearer| hearer(&end));
            let woken =
                watches.each_mut().map(|watch| futures::FutureExt::now_or_never(watch.revoked()).is_some());
            assert_eq!(woken, wakes, "{end:?}");
        }
    }
}

//! Users whose tokens are not valid any more, although they say so themselves: known in memory, since a token is verified
//! without a question to the store.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use guanxi_model::{Error, Reason, Result, Uid};
use guanxi_ports::GoneUsers;

use crate::jwt::EndedUsers;
use crate::limits::ENDED_USERS_MAX;
use crate::revocations::Revocations;

/// Ended users in memory, at about 50 bytes each.
///
/// A time is kept for as long as a token from before it can live. Who is not there is asked of the store, which has it in
/// memory.
pub struct EndedInMemory {
    revocations: Revocations,
    /// Who is not there.
    gone: Arc<dyn GoneUsers>,
    /// How long a token lives at most, with leeway.
    life_max_ms: u64,
    max: usize,
    ended: Mutex<Ended>,
}

#[derive(Default)]
struct Ended {
    /// By user: from when on tokens must have been issued.
    not_before: HashMap<Uid, u64>,
    /// The same by time: which can be forgotten first.
    by_time: BTreeSet<(u64, Uid)>,
}

impl Ended {
    fn put(&mut self, uid: Uid, at_ms: u64) {
        if let Some(before) = self.not_before.insert(uid, at_ms) {
            self.by_time.remove(&(before, uid));
        }
        self.by_time.insert((at_ms, uid));
    }

    fn forget_before(&mut self, at_ms: u64) {
        while let Some(&(time, uid)) = self.by_time.first().filter(|(time, _)| *time < at_ms) {
            self.by_time.remove(&(time, uid));
            self.not_before.remove(&uid);
        }
    }
}

impl EndedInMemory {
    /// Nobody is ended yet but who is not there. Open streams of those who will be are ended through `revocations`.
    pub fn new(revocations: Revocations, gone: Arc<dyn GoneUsers>, life_max_ms: u64) -> Self {
        Self { revocations, gone, life_max_ms, max: ENDED_USERS_MAX, ended: Mutex::default() }
    }

    /// Ends all tokens of a user that were issued before a time, and the streams that they opened.
    ///
    /// # Errors
    /// `OVERLOADED` when as many users as can be kept are ended; then nothing has changed.
    pub fn sign_out(&self, uid: Uid, at_ms: u64, now_ms: u64) -> Result<()> {
        let mut ended = self.lock();
        ended.forget_before(now_ms.saturating_sub(self.life_max_ms));
        let before = ended.not_before.get(&uid).copied();
        if before.is_some_and(|before| before >= at_ms) {
            return Ok(());
        }
        if before.is_none() && ended.not_before.len() >= self.max {
            let detail = format_args!("{} users are signed out or gone, as many as are kept", self.max);
            return Err(Error::with_detail(Reason::Overloaded { retry_after_ms: 1_000 }, detail));
        }
        ended.put(uid, at_ms);
        drop(ended);
        self.revocations.tell_user(uid);
        Ok(())
    }

    /// How many users are kept.
    pub fn kept(&self) -> usize {
        self.lock().not_before.len()
    }

    fn lock(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndedUsers for EndedInMemory {
    fn not_before_ms(&self, uid: Uid) -> u64 {
        if self.gone.is_gone(uid) {
            return u64::MAX;
        }
        self.lock().not_before.get(&uid).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    /// One user is not there.
    struct Gone(u64);

    impl GoneUsers for Gone {
        fn is_gone(&self, uid: Uid) -> bool {
            uid.get() == self.0
        }
    }

    #[tokio::test]
    async fn a_time_is_kept_while_tokens_from_before_it_can_live_and_who_is_gone_has_none() {
        let revocations = Revocations::default();
        let ended = EndedInMemory::new(revocations.clone(), Arc::new(Gone(9)), 1_000);
        let ended = EndedInMemory { max: 3, ..ended };
        assert_eq!(ended.not_before_ms(uid(9)), u64::MAX);
        let mut watch = revocations.watch(&crate::caller::Holder::EndUser(uid(1)));
        ended.sign_out(uid(1), 500, 500).unwrap();
        assert!(futures::FutureExt::now_or_never(watch.revoked()).is_some(), "its streams end");
        assert_eq!((ended.not_before_ms(uid(1)), ended.not_before_ms(uid(2))), (500, 0));
        ended.sign_out(uid(1), 400, 501).unwrap();
        assert_eq!(ended.not_before_ms(uid(1)), 500, "it never goes back");
        ended.sign_out(uid(2), 1_600, 600).unwrap();
        ended.sign_out(uid(3), 700, 700).unwrap();
        assert!(ended.sign_out(uid(4), 700, 700).is_err(), "no more than the bound");
        ended.sign_out(uid(3), 800, 800).unwrap();
        ended.sign_out(uid(4), 1_501, 1_501).unwrap();
        assert_eq!(ended.not_before_ms(uid(1)), 0, "no token of before lives any more");
        assert_eq!((ended.kept(), ended.not_before_ms(uid(3))), (3, 800));
        ended.sign_out(uid(5), 9_000, 9_000).unwrap();
        assert_eq!((ended.kept(), ended.lock().by_time.len()), (1, 1));
    }
}

//! Users whose tokens are not valid any more, although they say so themselves: known in memory, since a token is verified
//! without a question to the store.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use guanxi_model::{Error, Reason, Result, Uid};

use crate::jwt::EndedUsers;
use crate::limits::ENDED_USERS_MAX;
use crate::revocations::Revocations;

/// Ended users in memory, at about 50 bytes each.
///
/// Whoever keeps the facts of users fills it: at the start, and with every change. A time is kept for as long as a token
/// from before it can live, and users who are gone for as long as they are.
pub struct EndedInMemory {
    revocations: Revocations,
    /// How long a token lives at most, with leeway.
    life_max_ms: u64,
    max: usize,
    ended: Mutex<Ended>,
}

#[derive(Default)]
struct Ended {
    /// By user: from when on tokens must have been issued.
    not_before: HashMap<Uid, u64>,
    /// The same by time, but for those who are gone: which can be forgotten first.
    by_time: BTreeSet<(u64, Uid)>,
}

impl Ended {
    fn put(&mut self, uid: Uid, at_ms: u64) {
        if let Some(before) = self.not_before.insert(uid, at_ms) {
            self.by_time.remove(&(before, uid));
        }
        if at_ms != u64::MAX {
            self.by_time.insert((at_ms, uid));
        }
    }

    fn forget_before(&mut self, at_ms: u64) {
        while let Some(&(time, uid)) = self.by_time.first().filter(|(time, _)| *time < at_ms) {
            self.by_time.remove(&(time, uid));
            self.not_before.remove(&uid);
        }
    }
}

impl EndedInMemory {
    /// Nobody is ended yet. Open streams of those who will be are ended through `revocations`.
    pub fn new(revocations: Revocations, life_max_ms: u64) -> Self {
        Self { revocations, life_max_ms, max: ENDED_USERS_MAX, ended: Mutex::default() }
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

    /// Ends all tokens of a user, those of the future, too: it is deactivated, or erased.
    ///
    /// # Errors
    /// As [`Self::sign_out`].
    pub fn end(&self, uid: Uid, now_ms: u64) -> Result<()> {
        self.sign_out(uid, u64::MAX, now_ms)
    }

    /// Lets a user in again with tokens that are issued from a time on: it is reactivated.
    pub fn readmit(&self, uid: Uid, at_ms: u64) {
        let mut ended = self.lock();
        if ended.not_before.get(&uid) == Some(&u64::MAX) {
            ended.put(uid, at_ms);
        }
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
        self.lock().not_before.get(&uid).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[tokio::test]
    async fn a_time_is_kept_while_tokens_from_before_it_can_live_and_the_gone_for_ever() {
        let revocations = Revocations::default();
        let ended = EndedInMemory { max: 3, ..EndedInMemory::new(revocations.clone(), 1_000) };
        let mut watch = revocations.watch(&crate::caller::Holder::EndUser(uid(1)));
        ended.sign_out(uid(1), 500, 500).unwrap();
        assert!(futures::FutureExt::now_or_never(watch.revoked()).is_some(), "its streams end");
        assert_eq!((ended.not_before_ms(uid(1)), ended.not_before_ms(uid(2))), (500, 0));
        ended.sign_out(uid(1), 400, 501).unwrap();
        assert_eq!(ended.not_before_ms(uid(1)), 500, "it never goes back");
        ended.end(uid(2), 501).unwrap();
        ended.sign_out(uid(2), 600, 600).unwrap();
        assert_eq!(ended.not_before_ms(uid(2)), u64::MAX);
        ended.sign_out(uid(3), 700, 700).unwrap();
        assert!(ended.sign_out(uid(4), 700, 700).is_err(), "no more than the bound");
        ended.sign_out(uid(3), 800, 800).unwrap();
        ended.sign_out(uid(4), 1_501, 1_501).unwrap();
        assert_eq!(ended.not_before_ms(uid(1)), 0, "no token of before lives any more");
        assert_eq!((ended.kept(), ended.not_before_ms(uid(3))), (3, 800));
        ended.readmit(uid(2), 2_000);
        ended.readmit(uid(3), 9_000);
        assert_eq!((ended.not_before_ms(uid(2)), ended.not_before_ms(uid(3))), (2_000, 800));
        ended.sign_out(uid(5), 9_000, 9_000).unwrap();
        assert_eq!((ended.kept(), ended.lock().by_time.len()), (1, 1));
    }
}

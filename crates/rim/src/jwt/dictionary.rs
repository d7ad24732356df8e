//! `sub` is an external id: the dictionary says whose it is.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use guanxi_centers::user::ExternalIdCenter;
use guanxi_model::{ExternalId, Result, Uid};
use guanxi_ports::{BoxFuture, EndedUsers};

use super::subject::{Subject, Subjects};

/// Subjects that are kept, in two halves: those of as many users as sessions are kept, at about 200 bytes each.
const SUBJECTS_KEPT_MAX: usize = 1 << 16;

/// `sub` is an external id that the dictionary knows. A token never makes a user: a service does that, with ResolveIds.
///
/// An answer of the dictionary holds until its user is erased, so it is kept in memory. It is asked for anew when the user is
/// gone: the id may be another user's then. That an id is unknown is not kept: the dictionary is asked each time.
pub struct ExternalSubjects {
    center: ExternalIdCenter,
    ended: Arc<dyn EndedUsers>,
    known: Mutex<Known>,
}

/// Two generations: when the young one is full it becomes the old one, and what the old one held is gone but for what was
/// asked for meanwhile.
#[derive(Default)]
struct Known {
    young: HashMap<ExternalId, Uid>,
    old: HashMap<ExternalId, Uid>,
}

impl fmt::Debug for ExternalSubjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExternalSubjects")
    }
}

impl ExternalSubjects {
    /// Subjects of a dictionary, of whom some may be gone.
    pub fn new(center: ExternalIdCenter, ended: Arc<dyn EndedUsers>) -> Self {
        Self { center, ended, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, subject: &str) -> Result<Subject> {
        let Ok(id) = ExternalId::new(subject, "external_id") else { return Ok(Subject::Malformed) };
        let known = self.known().get(&id);
        if let Some(uid) = known.filter(|uid| !self.ended.is_gone(*uid)) {
            return Ok(Subject::User(uid));
        }
        let found = self.center.resolve(std::slice::from_ref(&id), &[], None).await?;
        let Some(uid) = found.uids.first().and_then(|found| found.uid) else { return Ok(Subject::Unknown) };
        self.known().put(id, uid, SUBJECTS_KEPT_MAX / 2);
        Ok(Subject::User(uid))
    }
}

impl Subjects for ExternalSubjects {
    fn subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Subject>> {
        Box::pin(self.ask(subject))
    }
}

impl Known {
    fn get(&mut self, id: &ExternalId) -> Option<Uid> {
        if let Some(uid) = self.young.get(id) {
            return Some(*uid);
        }
        let (id, uid) = self.old.remove_entry(id)?;
        self.put(id, uid, SUBJECTS_KEPT_MAX / 2);
        Some(uid)
    }

    fn put(&mut self, id: ExternalId, uid: Uid, half: usize) {
        if self.young.len() >= half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(id, uid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::user::{UserCommand, UserStatus};
    use guanxi_model::{Clock, ManualClock, Write};
    use guanxi_ports::Facts as _;
    use guanxi_spec::memory::{MemoryStore, Options};
    use std::sync::atomic::{AtomicU64, Ordering};

    fn id(given: &str) -> ExternalId {
        ExternalId::new(given, "external_id").unwrap()
    }

    #[tokio::test]
    async fn a_subject_is_asked_once_until_its_user_is_gone() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let salt = AtomicU64::new(0);
        let random = Arc::new(move || [salt.fetch_add(1, Ordering::Relaxed) as u8; 32]);
        let center = ExternalIdCenter::new(store.clone(), clock.clone(), random);
        let subjects = ExternalSubjects::new(center.clone(), store.clone());
        assert_eq!(subjects.subject("a").await, Ok(Subject::Unknown));
        let made = center.resolve_or_create(&[id("a")], &[], None).await.unwrap().uids[0].uid.unwrap();
        assert_eq!(subjects.subject("a").await, Ok(Subject::User(made)), "unknown ones are not kept");
        let kept = |subjects: &ExternalSubjects| subjects.known().young.len();
        assert_eq!(kept(&subjects), 1);
        assert_eq!(subjects.subject("A").await, Ok(Subject::Unknown), "byte by byte");
        for malformed in ["", "a\n", &"x".repeat(129)] {
            assert_eq!(subjects.subject(malformed).await, Ok(Subject::Malformed));
        }
        let deleted = UserStatus::Deleted { erase_at_ms: 1 };
        for status in [deleted, UserStatus::Erased { at_ms: 2 }] {
            store.apply(Write::of(UserCommand::SetStatus { uid: made, status })).await.unwrap();
            let other = center.resolve(&[id("a")], &[], None).await.unwrap().uids[0].uid;
            let told = other.map_or(Subject::Unknown, Subject::User);
            assert_eq!(subjects.subject("a").await, Ok(told), "{status:?}");
        }
        let other = center.resolve_or_create(&[id("a")], &[], None).await.unwrap().uids[0].uid.unwrap();
        assert_ne!(other, made);
        assert_eq!(subjects.subject("a").await, Ok(Subject::User(other)), "the id is somebody else's now");
        assert_eq!(
            store.not_before_ms(other),
            clock.now_ms() + 1,
            "tokens of the one before are not its own"
        );
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_used_stays() {
        let mut known = Known::default();
        for n in 1..=1_000_u64 {
            known.put(id(&n.to_string()), Uid::new(n).unwrap(), 10);
            assert!(known.young.len() + known.old.len() <= 20);
            assert_eq!(known.get(&id(&n.to_string())), Uid::new(n).ok());
        }
        assert_eq!(known.get(&id("1")), None);
        assert_eq!(known.get(&id("999")), Uid::new(999).ok());
    }
}

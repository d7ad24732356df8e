//! External ids and uids that were told, within bounds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pairs of ids that a client keeps unless it is told otherwise: some 10 MB of UUIDs.
pub const EXTERNAL_IDS_KEPT: usize = 1 << 16;

/// Pairs that clients over the same connections know. All of it is public to every caller of the server.
pub(crate) struct Dictionary {
    /// Pairs of one generation; 0 keeps none.
    half: usize,
    kept: Mutex<Kept>,
}

impl Dictionary {
    /// A dictionary of at most so many pairs.
    pub(crate) fn new(pairs: usize) -> Self {
        Self { half: pairs / 2, kept: Mutex::default() }
    }

    /// Forgets everything: the server has begun another history, in which ids may have other uids.
    pub(crate) fn clear(&self) {
        *self.kept() = Kept::default();
    }

    /// Keeps what was told.
    pub(crate) fn keep(&self, pairs: impl Iterator<Item = (Arc<str>, u64)>) {
        let mut kept = self.kept();
        for (id, uid) in pairs {
            kept.put(id, uid, self.half);
        }
    }

    /// Forgets one user.
    pub(crate) fn forget(&self, uid: u64) {
        self.kept().forget(uid);
    }

    /// Returns what is kept, for a few questions.
    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two generations: when the young one is full it becomes the old one, and what the old one held is gone but for what was
/// asked for meanwhile.
#[derive(Default)]
pub(crate) struct Kept {
    young: Pairs,
    old: Pairs,
}

/// Pairs, found from both sides.
#[derive(Default)]
struct Pairs {
    uids: HashMap<Arc<str>, u64>,
    ids: HashMap<u64, Arc<str>>,
}

impl Pairs {
    fn put(&mut self, id: Arc<str>, uid: u64) {
        self.ids.insert(uid, id.clone());
        self.uids.insert(id, uid);
    }
}

impl Kept {
    /// Returns the uid of an id.
    pub(crate) fn uid(&mut self, id: &str) -> Option<u64> {
        if let Some(uid) = self.young.uids.get(id) {
            return Some(*uid);
        }
        let (id, uid) = self.old.uids.remove_entry(id)?;
        self.old.ids.remove(&uid);
        self.young.put(id, uid);
        Some(uid)
    }

    /// Returns the id of a uid.
    pub(crate) fn external_id(&mut self, uid: u64) -> Option<Arc<str>> {
        if let Some(id) = self.young.ids.get(&uid) {
            return Some(id.clone());
        }
        let id = self.old.ids.remove(&uid)?;
        self.old.uids.remove(&id);
        self.young.put(id.clone(), uid);
        Some(id)
    }

    fn put(&mut self, id: Arc<str>, uid: u64, half: usize) {
        if self.young.uids.len() >= half {
            self.old = std::mem::take(&mut self.young);
        }
        if half > 0 {
            self.young.put(id, uid);
        }
    }

    fn forget(&mut self, uid: u64) {
        for pairs in [&mut self.young, &mut self.old] {
            if let Some(id) = pairs.ids.remove(&uid) {
                pairs.uids.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> Arc<str> {
        n.to_string().into()
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_used_from_either_side_stays() {
        let mut kept = Kept::default();
        for n in 1..=1_000 {
            kept.put(id(n), n, 10);
            assert_eq!((kept.uid("1"), kept.external_id(2)), (Some(1), (n > 1).then(|| id(2))), "{n}");
            for of in [&kept.young, &kept.old] {
                assert_eq!(of.uids.len(), of.ids.len());
            }
            assert!(kept.young.uids.len() + kept.old.uids.len() <= 24);
        }
        assert_eq!((kept.uid("500"), kept.external_id(500)), (None, None));
        assert_eq!((kept.uid("1000"), kept.external_id(1_000)), (Some(1_000), Some(id(1_000))));
        kept.forget(1_000);
        assert_eq!((kept.uid("1000"), kept.external_id(1_000)), (None, None));
        kept.put(id(5), 5, 0);
        assert_eq!(kept.uid("5"), None, "nothing is kept");
    }
}

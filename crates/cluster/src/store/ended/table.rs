//! What is known of ends of access, and the functions that are told.

use guanxi_model::Uid;
use guanxi_ports::{ENDS_REMEMBERED_MS, EndHearer, EndOfAccess};
use guanxi_shard::cells::EndedChanges;
use std::collections::{BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// For how long the number of an end is remembered at least; it is forgotten within twice that time.
const REMEMBERED: Duration = Duration::from_millis(ENDS_REMEMBERED_MS);

/// Users whose last ends are remembered. Beyond that all users count as concerned.
const REMEMBERED_MAX: usize = 1 << 16;

/// The users whose credentials have ended.
#[derive(Default)]
pub(crate) struct EndedTable {
    users: RwLock<EndedUserMap>,
    hearers: RwLock<Vec<EndHearer>>,
}

#[derive(Debug, Default)]
struct EndedUserMap {
    /// Users that are not active, and users that came back since the process began, with the revision that said it.
    users: HashMap<Uid, (u32, bool)>,
    signed_out: HashMap<Uid, u64>,
    /// The last time of a sign-out that was forgotten.
    forgotten: Option<u64>,
    /// Databases that were away when their sign-outs were to be read.
    unread: BTreeSet<usize>,
    ends: Ends,
}

/// The ends of access that were heard of lately, numbered.
#[derive(Debug, Default)]
struct Ends {
    count: u64,
    /// The number of the last one of a user, of this generation and of the one before.
    young: HashMap<Uid, u64>,
    old: HashMap<Uid, u64>,
    /// When the younger generation began.
    began: Option<Instant>,
    /// The number of the last one that may concern any user.
    of_any: u64,
}

impl Ends {
    fn note(&mut self, uid: Uid, now: Instant) {
        if self.began.is_none_or(|began| now.duration_since(began) >= REMEMBERED) {
            self.old = std::mem::take(&mut self.young);
            self.began = Some(now);
        }
        self.count += 1;
        self.young.insert(uid, self.count);
        if self.young.len() > REMEMBERED_MAX {
            self.note_any();
        }
    }

    fn note_any(&mut self) {
        self.count += 1;
        self.of_any = self.count;
        self.young.clear();
        self.old.clear();
    }

    fn last_of(&self, uid: Uid) -> u64 {
        let known = self.young.get(&uid).or_else(|| self.old.get(&uid));
        known.copied().unwrap_or_default().max(self.of_any)
    }
}

impl EndedTable {
    /// Takes changes in, which may come in any order: the higher revision wins, and the later sign-out.
    pub(crate) fn note(&self, changes: EndedChanges) {
        let EndedChanges { users, signed_out } = changes;
        if users.is_empty() && signed_out.is_empty() {
            return;
        }
        let mut ended = self.write();
        for (uid, revision, is_gone) in users {
            match ended.users.get_mut(&uid) {
                Some(known) if known.0 < revision => *known = (revision, is_gone),
                None if is_gone => drop(ended.users.insert(uid, (revision, true))),
                _ => {}
            }
        }
        for (uid, at_ms) in signed_out {
            let known = ended.signed_out.entry(uid).or_default();
            *known = at_ms.max(*known);
        }
    }

    /// Notes that access of some users may have ended, what [`Self::note`] says of them being taken in, and tells the hearers.
    pub(super) fn note_ends(&self, users: &BTreeSet<Uid>) {
        let now = Instant::now();
        {
            let mut ended = self.write();
            users.iter().for_each(|uid| ended.ends.note(*uid, now));
        }
        users.iter().for_each(|uid| self.tell(&EndOfAccess::OfUser(*uid)));
    }

    /// Notes that some ends may have been missed.
    pub(super) fn note_missed(&self) {
        self.write().ends.note_any();
        self.tell(&EndOfAccess::OfAny);
    }

    /// Tells the hearers of an end.
    pub(crate) fn tell(&self, end: &EndOfAccess) {
        self.hearers.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(|hearer| hearer(end));
    }

    /// Adds a hearer.
    pub(crate) fn hear(&self, hearer: EndHearer) {
        self.hearers.write().unwrap_or_else(PoisonError::into_inner).push(hearer);
    }

    /// Returns how many ends were heard of.
    pub(crate) fn ends(&self) -> u64 {
        self.read().ends.count
    }

    /// Returns the number of the last one that may concern a user.
    pub(crate) fn last_end(&self, uid: Uid) -> u64 {
        self.read().ends.last_of(uid)
    }

    /// Returns whether a user is not there.
    pub(crate) fn is_gone(&self, uid: Uid) -> bool {
        self.read().users.get(&uid).is_some_and(|(_, is_gone)| *is_gone)
    }

    /// Returns from when on what others issue to a user must have been issued.
    pub(crate) fn not_before_ms(&self, uid: Uid) -> u64 {
        let ended = self.read();
        if ended.users.get(&uid).is_some_and(|(_, is_gone)| *is_gone) {
            return u64::MAX;
        }
        let at_ms = ended.signed_out.get(&uid).copied().max(ended.forgotten);
        at_ms.map_or(0, |at_ms| at_ms.saturating_add(1))
    }

    /// Returns whether it is known which users of a database signed out.
    pub(crate) fn is_read(&self, database: usize) -> bool {
        !self.read().unread.contains(&database)
    }

    pub(super) fn note_read(&self, database: usize, is_read: bool) {
        let mut ended = self.write();
        if is_read {
            ended.unread.remove(&database);
        } else {
            ended.unread.insert(database);
        }
    }

    /// Forgets sign-outs up to a time; nothing that was issued up to then is good.
    pub(super) fn forget(&self, upto_ms: u64) {
        let mut ended = self.write();
        if ended.forgotten < Some(upto_ms) {
            ended.forgotten = Some(upto_ms);
            ended.signed_out.retain(|_, at_ms| *at_ms > upto_ms);
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, EndedUserMap> {
        self.users.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, EndedUserMap> {
        self.users.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn an_end_is_remembered_for_its_time_and_not_for_ever() {
        let (mut ends, start) = (Ends::default(), Instant::now());
        ends.note(uid(1), start);
        assert_eq!((ends.last_of(uid(1)), ends.last_of(uid(2)), ends.count), (1, 0, 1));
        ends.note(uid(2), start + REMEMBERED);
        assert_eq!((ends.last_of(uid(1)), ends.last_of(uid(2))), (1, 2));
        ends.note(uid(2), start + REMEMBERED * 2);
        assert_eq!((ends.last_of(uid(1)), ends.last_of(uid(2))), (0, 3));
    }

    #[test]
    fn too_many_ends_concern_all_users() {
        let (mut ends, now) = (Ends::default(), Instant::now());
        (1..=REMEMBERED_MAX as u64 + 1).for_each(|raw| ends.note(uid(raw), now));
        assert!(ends.young.is_empty());
        assert_eq!(ends.last_of(uid(u64::from(u32::MAX))), ends.count);
        ends.note(uid(7), now);
        assert_eq!((ends.last_of(uid(7)), ends.last_of(uid(8))), (ends.count, ends.count - 1));
    }

    #[test]
    fn hearers_are_told_when_the_table_knows() {
        let (table, told) = (Arc::new(EndedTable::default()), Arc::new(Mutex::new(Vec::new())));
        let (known, heard) = (table.clone(), told.clone());
        table.hear(Arc::new(move |end| heard.lock().unwrap().push((end.clone(), known.ends()))));
        table.note_ends(&BTreeSet::from([uid(1)]));
        table.note_missed();
        assert_eq!(*told.lock().unwrap(), [(EndOfAccess::OfUser(uid(1)), 1), (EndOfAccess::OfAny, 2)]);
    }
}

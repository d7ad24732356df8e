//! How users stand who do not stand as the default says: all of them, in memory.
//!
//! Readers ask it of each user whom they show, so it costs a probe and no lock: a view holds the table as of its own
//! commit. A commit that changes somebody copies one of [`BUCKETS`] small sorted lists, and shares the others.

use guanxi_model::Uid;
use guanxi_model::random::mix;
use guanxi_model::user::Standing;
use std::sync::Arc;

/// Lists of the table: with a million entries each has 250, 10 kB to copy for a change.
const BUCKETS: usize = 4_096;

/// Standings by user, as of one commit. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Standings {
    len: usize,
    /// No bucket at all while the table is empty.
    buckets: Arc<[Bucket]>,
}

/// Some users, in ascending order; 40 bytes each.
type Bucket = Arc<[(Uid, Standing)]>;

impl Standings {
    /// A table of users who do not stand as the default says.
    pub(crate) fn new(standings: impl Iterator<Item = (Uid, Standing)>) -> Self {
        let mut lists: Vec<Vec<(Uid, Standing)>> = vec![Vec::new(); BUCKETS];
        standings.for_each(|(uid, standing)| lists[bucket_of(uid)].push((uid, standing)));
        let len = lists.iter().map(Vec::len).sum();
        if len == 0 {
            return Self::default();
        }
        let sorted = lists.into_iter().map(|mut list| {
            list.sort_unstable_by_key(|(uid, _)| *uid);
            Arc::from(list)
        });
        Self { len, buckets: sorted.collect() }
    }

    /// Returns how many do not stand as the default says.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns how a user stands.
    pub(crate) fn of(&self, uid: Uid) -> Standing {
        if self.len == 0 { Standing::default() } else { found(&self.buckets, uid) }
    }

    /// Notes how some users stand now.
    pub(crate) fn apply(&mut self, changes: impl Iterator<Item = (Uid, Standing)>) {
        let mut buckets_now: Option<Vec<Bucket>> = None;
        for (uid, standing) in changes {
            if found(buckets_now.as_deref().unwrap_or(&self.buckets), uid) == standing {
                continue;
            }
            let empty = || vec![Bucket::from([]); BUCKETS];
            let all = || if self.buckets.is_empty() { empty() } else { self.buckets.to_vec() };
            let bucket = &mut buckets_now.get_or_insert_with(all)[bucket_of(uid)];
            let mut list = bucket.to_vec();
            match (list.binary_search_by_key(&uid, |(uid, _)| *uid), standing == Standing::default()) {
                (Ok(at), true) => drop(list.remove(at)),
                (Ok(at), false) => list[at].1 = standing,
                (Err(at), _) => list.insert(at, (uid, standing)),
            }
            (self.len, *bucket) = (self.len + list.len() - bucket.len(), list.into());
        }
        if let Some(buckets_now) = buckets_now {
            self.buckets = buckets_now.into();
        }
    }
}

/// Returns how a user stands by some buckets, which may be none.
fn found(buckets: &[Bucket], uid: Uid) -> Standing {
    let Some(bucket) = buckets.get(bucket_of(uid)) else { return Standing::default() };
    bucket.binary_search_by_key(&uid, |(uid, _)| *uid).map_or_else(|_| Standing::default(), |at| bucket[at].1)
}

fn bucket_of(uid: Uid) -> usize {
    mix(uid.get()) as usize % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::user::UserStatus;
    use std::collections::BTreeMap;

    #[test]
    fn a_table_is_as_a_map_and_what_was_cloned_stays() {
        let uid = |raw| Uid::new(raw).unwrap();
        let gone = Standing { status: UserStatus::Deactivated, ..Standing::default() };
        let mut locked = Standing::default();
        locked.privacy.locked = true;
        let (mut table, mut model) = (Standings::default(), BTreeMap::new());
        let mut seed = 1;
        for _ in 0..2_000 {
            let before = (table.clone(), model.clone());
            let changes: Vec<(Uid, Standing)> = (0..3)
                .map(|_| {
                    seed = mix(seed);
                    (uid(seed % 300 + 1), [Standing::default(), gone, locked][seed as usize / 300 % 3])
                })
                .collect();
            table.apply(changes.iter().copied());
            for (uid, standing) in changes {
                model.insert(uid, standing);
                model.retain(|_, standing| *standing != Standing::default());
            }
            for (table, model) in [(&table, &model), (&before.0, &before.1)] {
                assert_eq!(table.len(), model.len());
                let of = |raw| model.get(&uid(raw)).copied().unwrap_or_default();
                assert!((1..=300).all(|raw| table.of(uid(raw)) == of(raw)));
            }
        }
        assert!(table.len() > 50);
        let again = Standings::new(model.iter().map(|(uid, standing)| (*uid, *standing)));
        assert!(
            again.len() == model.len() && model.iter().all(|(uid, standing)| again.of(*uid) == *standing)
        );
    }
}

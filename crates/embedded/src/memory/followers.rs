//! First pages of followers lists in memory, under the rules of [`cache`](crate::memory::cache).
//!
//! A follower that comes and goes leaves a deletion mark at the top of the list on disk until the engine
//! compacts it, so a much-followed user's first page would get slower with churn. In memory it does not.

use crate::engine::EngineError;
use crate::memory::cache::{Cache, Entry};
use guanxi_model::{Edge, EdgePage, PageStart, Uid};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Followers that a fill reads: a page of the default size, and as many again before churn empties it.
pub(crate) const FILL_LEN: usize = 100;

/// Followers held at most; what grows beyond is cut back to [`FILL_LEN`].
const LEN_MAX: usize = 200;

/// The newest followers of a user.
#[derive(Clone, Default)]
struct FollowersEntry(Option<Arc<NewestFollowers>>);

struct NewestFollowers {
    as_of: u64,
    /// Newest first.
    edges: Vec<Edge>,
    /// Whether these are all followers.
    complete: bool,
    referenced: AtomicBool,
}

impl Entry for FollowersEntry {
    fn heap_bytes(&self) -> usize {
        let bytes = |newest: &Arc<NewestFollowers>| {
            size_of::<NewestFollowers>() + newest.edges.capacity() * size_of::<Edge>() + 32
        };
        self.0.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.0.as_ref().is_some_and(|newest| newest.referenced.swap(false, Ordering::Relaxed))
    }
}

/// What a commit did to a followers list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FollowerChange {
    /// A follower came.
    Added(Edge),
    /// A follower went.
    Removed(Edge),
}

/// The first pages in memory.
pub(crate) struct FollowersCache {
    cache: Cache<FollowersEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl FollowersCache {
    /// An empty cache with a byte budget.
    pub(crate) fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_first_page_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// A page as of a view, if memory holds all of it.
    pub(crate) fn page(&self, of: Uid, seq: u64, start: PageStart, size: usize) -> Option<EdgePage> {
        let newest = self.cache.read().get(of)?.0.clone().filter(|newest| newest.as_of <= seq)?;
        let skip = match start {
            PageStart::Newest => 0,
            PageStart::After(cursor) => newest.edges.partition_point(|edge| *edge >= cursor.0),
            PageStart::Offset(_) => return None,
        };
        let rest = &newest.edges[skip..];
        let page =
            (newest.complete || rest.len() > size).then(|| EdgePage::cut(rest.iter().copied(), size))?;
        newest.referenced.store(true, Ordering::Relaxed);
        self.hits.increment(1);
        Some(page)
    }

    /// Reads the newest followers and keeps them. `read` takes a fresh snapshot and returns up to [`FILL_LEN`] + 1
    /// followers and the seq of the latest commit that may be among them.
    pub(crate) fn fill(
        &self,
        of: Uid,
        read: impl FnOnce() -> Result<(Vec<Edge>, u64), EngineError>,
    ) -> Result<(), EngineError> {
        self.misses.increment(1);
        let fill = self.cache.begin_fill(of);
        let loaded = read();
        let entry = loaded.as_ref().ok().map(|(edges, as_of)| {
            let complete = edges.len() <= FILL_LEN;
            let edges = edges[..edges.len().min(FILL_LEN)].to_vec();
            FollowersEntry(Some(Arc::new(NewestFollowers {
                as_of: *as_of,
                edges,
                complete,
                referenced: AtomicBool::new(false),
            })))
        });
        self.cache.end_fill(fill, entry);
        loaded.map(drop)
    }

    /// Applies what the commit `seq` did, before it is published.
    pub(crate) fn apply(&self, seq: u64, changes: &[(Uid, FollowerChange)]) {
        let mut held = self.cache.write();
        for (of, change) in changes {
            match held
                .get(*of)
                .and_then(|entry| entry.0.as_ref())
                .and_then(|newest| newest.after(seq, *change))
            {
                Some(newest) => held.replace(*of, FollowersEntry(Some(Arc::new(newest)))),
                None => held.forget(*of),
            }
        }
    }
}

impl NewestFollowers {
    /// The newest followers after a change; `None` if too few are known to be of use.
    fn after(&self, seq: u64, change: FollowerChange) -> Option<Self> {
        let mut edges = self.edges.clone();
        let mut complete = self.complete;
        match change {
            FollowerChange::Added(edge) => {
                let at = edges.partition_point(|other| *other > edge);
                // A fill between the commit and this call has it already. Below the oldest one held there may be others
                // that are not held.
                if edges.get(at) != Some(&edge) && (complete || at < edges.len()) {
                    edges.insert(at, edge);
                }
                if edges.len() > LEN_MAX {
                    edges.truncate(FILL_LEN);
                    complete = false;
                }
            }
            FollowerChange::Removed(edge) => edges.retain(|other| *other != edge),
        }
        let referenced = AtomicBool::new(self.referenced.load(Ordering::Relaxed));
        (complete || !edges.is_empty()).then_some(Self { as_of: seq, edges, complete, referenced })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{Cursor, Stamp};

    fn uid(n: u64) -> Uid {
        Uid::new(n).expect("a test uid is in range")
    }

    fn edge(at: u64) -> Edge {
        Edge { at: Stamp::from_ms(at), uid: uid(at) }
    }

    fn filled(len: u64) -> FollowersCache {
        let pages = FollowersCache::new(1 << 20);
        let edges = (1..=len).rev().map(edge).take(FILL_LEN + 1).collect();
        pages.fill(uid(1), || Ok((edges, 5))).expect("nothing is read");
        pages
    }

    #[test]
    fn a_page_is_served_only_if_all_of_it_is_known() {
        let pages = filled(1_000);
        let page = pages.page(uid(1), 5, PageStart::Newest, 50).expect("held");
        assert_eq!(page.items.len(), 50);
        let second = pages.page(uid(1), 5, PageStart::After(page.next.expect("more")), 49).expect("held");
        assert_eq!(second.items[0], edge(950));
        assert!(pages.page(uid(1), 5, PageStart::After(second.next.expect("more")), 50).is_none());
        assert!(
            pages.page(uid(1), 4, PageStart::Newest, 50).is_none(),
            "an older view reads its own snapshot"
        );
        assert!(pages.page(uid(1), 5, PageStart::Newest, 100).is_none());
    }

    #[test]
    fn a_whole_list_knows_its_end() {
        let pages = filled(3);
        let page = pages.page(uid(1), 5, PageStart::Newest, 50).expect("held");
        assert_eq!((page.items.len(), page.next), (3, None));
        let after = pages.page(uid(1), 5, PageStart::After(Cursor(edge(2))), 50).expect("held");
        assert_eq!(after.items, [edge(1)]);
    }

    #[test]
    fn changes_keep_it_true() {
        let pages = filled(1_000);
        let changes = [
            FollowerChange::Added(edge(2_000)),
            FollowerChange::Removed(edge(999)),
            FollowerChange::Added(edge(3)),
        ];
        pages.apply(6, &changes.map(|change| (uid(1), change)));
        let page = pages.page(uid(1), 6, PageStart::Newest, 3).expect("held");
        assert_eq!(page.items, [edge(2_000), edge(1_000), edge(998)]);
        assert!(pages.page(uid(1), 5, PageStart::Newest, 3).is_none());
        let all: Vec<_> = (900..=1_000).map(|at| (uid(1), FollowerChange::Removed(edge(at)))).collect();
        pages.apply(7, &all);
        let page = pages.page(uid(1), 7, PageStart::Newest, 3);
        assert!(page.is_none(), "one is left, and whether others follow is not known: {page:?}");
    }

    #[test]
    fn a_fill_that_saw_a_commit_before_it_was_applied_has_its_follower_once() {
        for len in [3, 1_000] {
            let pages = filled(len);
            pages.apply(6, &[(uid(1), FollowerChange::Added(edge(len)))]);
            let page = pages.page(uid(1), 6, PageStart::Newest, 2).expect("held");
            assert_eq!(page.items, [edge(len), edge(len - 1)]);
        }
    }

    #[test]
    fn a_fill_that_a_commit_overtook_is_not_kept() {
        let pages = FollowersCache::new(1 << 20);
        let overtaken = pages.fill(uid(1), || {
            pages.apply(6, &[(uid(1), FollowerChange::Added(edge(9)))]);
            Ok((vec![edge(1)], 5))
        });
        assert!(overtaken.is_ok());
        assert!(pages.page(uid(1), 6, PageStart::Newest, 3).is_none());
    }
}

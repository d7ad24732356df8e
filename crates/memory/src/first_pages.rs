//! First pages of long lists in memory, under the rules of [`cache`](crate::cache).
//!
//! An entry that comes and goes leaves a mark of deletion at the top of its list on disk until the engine compacts it,
//! so the first page of a list would get slower with all that was taken back. In memory it does not. A page also knows
//! where its list ends: below the oldest entry lie the marks of those that were older, and a walk that reached the end
//! once need not pass them again.

use crate::cache::{Cache, CacheKey, Entry, Fills};
use crate::cut::Cut;
use guanxi_model::{Edge, LogId, Logs, PostId};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Entries that a fill reads: a page of the default size, and as many again before churn empties it.
pub const FILL_LEN: usize = 100;

/// Entries held at most of a list; what grows beyond is cut back to [`FILL_LEN`].
const LEN_MAX: usize = 200;

/// The place of an entry in its list. A greater one is newer and stands first.
pub trait ListPlace: Copy + Ord {
    /// Whether two places are of one entry, which a list has once.
    fn is_of_same(self, other: Self) -> bool;
}

impl ListPlace for Edge {
    fn is_of_same(self, other: Self) -> bool {
        self.uid == other.uid
    }
}

impl ListPlace for PostId {
    fn is_of_same(self, other: Self) -> bool {
        self == other
    }
}

/// What memory holds of a list, if anything.
struct FirstPage<P>(Option<Arc<NewestEntries<P>>>);

impl<P> Clone for FirstPage<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Default for FirstPage<P> {
    fn default() -> Self {
        Self(None)
    }
}

struct NewestEntries<P> {
    as_of: u64,
    /// Newest first.
    places: Vec<P>,
    /// Whether these are all entries.
    complete: bool,
    /// No entry stands below this one, if that is known.
    floor: Option<P>,
    referenced: AtomicBool,
}

impl<P: ListPlace> FirstPage<P> {
    /// Returns whether a cut at an event of the list's log knows more of where the list ends.
    fn learns(&self, seq: u64, floor: P) -> bool {
        let newest = self.0.as_ref().filter(|newest| newest.as_of <= seq);
        newest.is_some_and(|newest| newest.floor.is_none_or(|old| old < floor))
    }

    /// The same page with a floor.
    fn with_floor(&self, floor: P) -> Self {
        Self(self.0.as_ref().map(|newest| Arc::new(newest.with_floor(floor))))
    }
}

impl<P> Entry for FirstPage<P> {
    type Change = Infallible;

    fn heap_bytes(&self) -> usize {
        let bytes = |newest: &Arc<NewestEntries<P>>| {
            size_of::<NewestEntries<P>>() + newest.places.capacity() * size_of::<P>() + 32
        };
        self.0.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.0.as_ref().is_some_and(|newest| newest.referenced.swap(false, Ordering::Relaxed))
    }

    fn as_of(&self) -> u64 {
        self.0.as_ref().map_or(0, |newest| newest.as_of)
    }

    /// Commits put it whole, or have it forgotten.
    fn after(&self, _seq: u64, change: &Infallible) -> Option<Self> {
        match *change {}
    }
}

/// What a commit did to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListChange<P> {
    /// An entry came.
    Added(P),
    /// An entry went.
    Removed(P),
    /// An entry went, wherever it stood: of the place only the entry counts.
    Gone(P),
    /// The list changed, and the commit does not say how.
    Untold,
}

/// What memory tells of a page.
#[derive(Debug, PartialEq, Eq)]
pub enum Held<P> {
    /// The page, and one entry more if the list goes on.
    All(Vec<P>),
    /// Not enough. No entry stands below the place, if there is one: a scan ends there.
    Floor(Option<P>),
}

/// A registered fill of a list. It is given up when it is dropped without an end.
#[must_use]
pub struct FirstPageFill<'c, P: ListPlace>(Fills<'c, FirstPage<P>>);

impl<P: ListPlace> FirstPageFill<'_, P> {
    /// Ends the fill, and keeps up to [`FILL_LEN`] + 1 newest entries that were read, with the seq of the latest commit that may
    /// be among them.
    pub fn keep(self, places: Vec<P>, as_of: u64) {
        let complete = places.len() <= FILL_LEN;
        self.keep_part(places, complete, as_of);
    }

    /// Ends the fill, and keeps the newest entries that were read, at most [`FILL_LEN`]; `complete` says that the list has no
    /// others.
    pub fn keep_part(self, mut places: Vec<P>, complete: bool, as_of: u64) {
        let complete = complete && places.len() <= FILL_LEN;
        places.truncate(FILL_LEN);
        places.shrink_to_fit();
        let referenced = AtomicBool::new(false);
        let newest = NewestEntries { as_of, places, complete, floor: None, referenced };
        self.0.keep([Some(FirstPage(Some(Arc::new(newest))))]);
    }
}

/// The first pages of one kind of list, by whom or what the list is of.
pub struct FirstPages<K, P> {
    cache: Cache<FirstPage<P>>,
    hits: metrics::Counter,
    misses: metrics::Counter,
    of: PhantomData<fn(K)>,
}

impl<K: CacheKey, P: ListPlace> FirstPages<K, P> {
    /// An empty cache with a byte budget. `list` is the kind of list in metrics.
    pub fn new(list: &'static str, bytes: u64) -> Self {
        let outcome = |outcome: &'static str| metrics::counter!("guanxi_first_page_total", "list" => list, "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss"), of: PhantomData }
    }

    /// Returns up to `max` entries after one, as of a cut.
    pub fn page(&self, of: K, cut: &impl Cut, after: Option<P>, max: usize) -> Held<P> {
        let newest = self.cache.read().get(of).and_then(|entry| entry.0.clone());
        let Some(newest) = newest.filter(|newest| newest.as_of <= cut.seq_of(of)) else {
            return Held::Floor(None);
        };
        let skip = after.map_or(0, |after| newest.places.partition_point(|place| *place >= after));
        let rest = &newest.places[skip..];
        if !newest.complete && rest.len() < max {
            return Held::Floor(newest.floor);
        }
        newest.referenced.store(true, Ordering::Relaxed);
        self.hits.increment(1);
        Held::All(rest[..rest.len().min(max)].to_vec())
    }

    /// Registers a fill of a list that memory does not have; its snapshot comes after.
    pub fn begin_fill(&self, of: K) -> FirstPageFill<'_, P> {
        self.misses.increment(1);
        FirstPageFill(self.cache.begin_fills([of]))
    }

    /// Notes that a cut has nothing below a place. Forgotten where no page of the list is held, and where a commit
    /// that the cut does not have changed the list.
    pub fn note_floor(&self, of: K, cut: &impl Cut, floor: P) {
        let seq = cut.seq_of(of);
        let learns = |page: &FirstPage<P>| page.learns(seq, floor);
        // Every walk to the end of a list comes here, and most have nothing to note: those take no write lock.
        if !self.cache.read().get(of).is_some_and(learns) {
            return;
        }
        let mut held = self.cache.write();
        let page = held.get(of).filter(|page| learns(page)).map(|page| page.with_floor(floor));
        if let Some(page) = page {
            held.replace(of, page);
        }
    }

    /// Applies what the commit `seq` did, before it is published.
    pub fn apply(&self, seq: u64, changes: &[(K, ListChange<P>)]) {
        self.follow(changes.iter().map(|(of, change)| (seq, *of, *change)));
    }

    /// Applies what commits did, each with its seq, before they are published. An entry that is as of a later commit has it already.
    pub fn follow(&self, changes: impl IntoIterator<Item = (u64, K, ListChange<P>)>) {
        let mut changes = changes.into_iter().peekable();
        if changes.peek().is_none() {
            return;
        }
        let mut held = self.cache.write();
        for (seq, of, change) in changes {
            let newest = held.get(of).and_then(|entry| entry.0.as_ref());
            if newest.is_some_and(|newest| newest.as_of > seq) {
                continue;
            }
            match newest.and_then(|newest| newest.after(seq, change)) {
                Some(newest) => held.replace(of, FirstPage(Some(Arc::new(newest)))),
                None => held.forget(of),
            }
        }
    }

    /// Forgets all lists of some logs. It looks at all lists that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<K>(logs, gone);
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.cache.read().bytes()
    }
}

impl<P: ListPlace> NewestEntries<P> {
    /// The newest entries after a change; `None` if too few are known to be of use.
    fn after(&self, seq: u64, change: ListChange<P>) -> Option<Self> {
        let mut places = self.places.clone();
        let (mut complete, mut floor) = (self.complete, self.floor);
        match change {
            ListChange::Added(place) => {
                places.retain(|other| *other == place || !other.is_of_same(place));
                let at = places.partition_point(|other| *other > place);
                // A fill between the commit and this call has it already. Below the oldest one held there may be others
                // that are not held.
                if places.get(at) != Some(&place) && (complete || at < places.len()) {
                    places.insert(at, place);
                }
                if places.len() > LEN_MAX {
                    places.truncate(FILL_LEN);
                    complete = false;
                }
                floor = floor.map(|floor| floor.min(place));
            }
            ListChange::Removed(place) => places.retain(|other| *other != place),
            ListChange::Gone(place) => places.retain(|other| !other.is_of_same(place)),
            ListChange::Untold => return None,
        }
        let referenced = AtomicBool::new(self.referenced.load(Ordering::Relaxed));
        (complete || !places.is_empty()).then_some(Self { as_of: seq, places, complete, floor, referenced })
    }

    fn with_floor(&self, floor: P) -> Self {
        let referenced = AtomicBool::new(self.referenced.load(Ordering::Relaxed));
        let Self { as_of, places, complete, .. } = self;
        Self { as_of: *as_of, places: places.clone(), complete: *complete, floor: Some(floor), referenced }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::At;
    use guanxi_model::{Edge, Stamp, Uid};

    fn uid(n: u64) -> Uid {
        Uid::new(n).expect("a test uid is in range")
    }

    fn edge(at: u64) -> Edge {
        Edge { at: Stamp::from_ms(at), uid: uid(at) }
    }

    type Pages = FirstPages<Uid, Edge>;

    fn empty() -> Pages {
        FirstPages::new("tests", 1 << 20)
    }

    fn filled(len: u64) -> Pages {
        let pages = empty();
        let edges = (1..=len).rev().map(edge).take(FILL_LEN + 1).collect();
        pages.begin_fill(uid(1)).keep(edges, 5);
        pages
    }

    /// The entries by their times, if memory holds all of them.
    fn page(pages: &Pages, seq: u64, after: Option<u64>, max: usize) -> Option<Vec<u64>> {
        match pages.page(uid(1), &At(seq, 0), after.map(edge), max) {
            Held::All(found) => Some(found.iter().map(|edge| edge.uid.get()).collect()),
            Held::Floor(_) => None,
        }
    }

    fn floor(pages: &Pages, seq: u64) -> Option<u64> {
        match pages.page(uid(1), &At(seq, 0), Some(edge(1)), usize::MAX) {
            Held::Floor(floor) => floor.map(|edge| edge.uid.get()),
            Held::All(found) => panic!("the list is held to its end: {found:?}"),
        }
    }

    #[test]
    fn a_page_is_served_only_if_all_of_it_is_known() {
        let pages = filled(1_000);
        assert_eq!(page(&pages, 5, None, 51), Some((950..=1_000).rev().collect()));
        assert_eq!(page(&pages, 5, Some(951), 49).expect("held")[0], 950);
        assert_eq!(page(&pages, 5, Some(902), 50), None);
        assert_eq!(page(&pages, 4, None, 50), None, "an older view reads its own snapshot");
        assert_eq!(page(&pages, 5, None, 101), None);
    }

    #[test]
    fn a_whole_list_knows_its_end() {
        let pages = filled(3);
        assert_eq!(page(&pages, 5, None, 51), Some(vec![3, 2, 1]));
        assert_eq!(page(&pages, 5, Some(2), 51), Some(vec![1]));
    }

    #[test]
    fn changes_keep_it_true() {
        let pages = filled(1_000);
        let changes =
            [ListChange::Added(edge(2_000)), ListChange::Removed(edge(999)), ListChange::Added(edge(3))];
        pages.apply(6, &changes.map(|change| (uid(1), change)));
        assert_eq!(page(&pages, 6, None, 3), Some(vec![2_000, 1_000, 998]));
        assert_eq!(page(&pages, 5, None, 3), None);
        let all: Vec<_> = (900..=1_000).map(|at| (uid(1), ListChange::Removed(edge(at)))).collect();
        pages.apply(7, &all);
        assert_eq!(page(&pages, 7, None, 3), None, "one is left, and whether others follow is not known");
    }

    #[test]
    fn an_entry_goes_wherever_it_stood_and_stands_once() {
        let pages = filled(3);
        let moved = Edge { at: Stamp::from_ms(9), uid: uid(2) };
        pages.apply(6, &[(uid(1), ListChange::Added(moved))]);
        assert_eq!(page(&pages, 6, None, 9), Some(vec![2, 3, 1]));
        let gone = Edge { at: Stamp::from_ms(0), uid: uid(3) };
        pages.apply(7, &[(uid(1), ListChange::Gone(gone))]);
        assert_eq!(page(&pages, 7, None, 9), Some(vec![2, 1]));
        pages.follow([(6, uid(1), ListChange::Untold)]);
        assert_eq!(page(&pages, 7, None, 9), Some(vec![2, 1]), "it has commit 6 already");
        pages.follow([(8, uid(1), ListChange::Untold)]);
        assert_eq!(page(&pages, 8, None, 9), None);
    }

    #[test]
    fn a_part_of_a_list_does_not_know_its_end() {
        let pages = empty();
        pages.begin_fill(uid(1)).keep_part(vec![edge(5), edge(4), edge(3)], false, 5);
        assert_eq!(page(&pages, 5, None, 3), Some(vec![5, 4, 3]));
        assert_eq!(page(&pages, 5, None, 4), None);
        pages.apply(6, &[(uid(1), ListChange::Added(edge(2)))]);
        assert_eq!(page(&pages, 6, None, 4), None, "others may stand between");
    }

    #[test]
    fn a_floor_holds_until_an_older_entry_comes() {
        let pages = filled(1_000);
        pages.note_floor(uid(1), &At(5, 0), edge(40));
        assert_eq!(floor(&pages, 5), Some(40));
        pages.apply(6, &[(uid(1), ListChange::Removed(edge(40)))]);
        pages.note_floor(uid(1), &At(5, 0), edge(60));
        assert_eq!(floor(&pages, 6), Some(40), "the view is from before the last change");
        pages.note_floor(uid(1), &At(6, 0), edge(50));
        assert_eq!(floor(&pages, 6), Some(50));
        pages.apply(7, &[(uid(1), ListChange::Added(edge(30)))]);
        assert_eq!(floor(&pages, 7), Some(30));
    }

    #[test]
    fn a_fill_that_saw_a_commit_before_it_was_applied_has_its_entry_once() {
        for len in [3, 1_000] {
            let pages = filled(len);
            pages.apply(6, &[(uid(1), ListChange::Added(edge(len)))]);
            assert_eq!(page(&pages, 6, None, 2), Some(vec![len, len - 1]));
        }
    }

    #[test]
    fn a_fill_that_a_commit_overtook_is_not_kept() {
        let pages = empty();
        let overtaken = pages.begin_fill(uid(1));
        pages.apply(6, &[(uid(1), ListChange::Added(edge(9)))]);
        overtaken.keep(vec![edge(1)], 5);
        assert_eq!(page(&pages, 6, None, 3), None);
    }
}

//! Lists, pages and cursors.

use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::stamp::Stamp;

crate::kinds! {
    /// A list of a user's edges, newest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum List {
        /// The users whom the user follows, by the time of the follow.
        Following,
        /// The followers of the user, by the time of the follow. The only list without a bound.
        Followers,
        /// Mutual follows, by when they became mutual.
        Friends,
        /// The users whom the user blocks, by the time of the block.
        Blocks,
        /// The users whom the user mutes, by the time of the mute.
        Mutes,
    }
}

impl List {
    /// Bounded lists accept an offset; followers, which have no bound, only a cursor.
    pub const fn is_bounded(self) -> bool {
        !matches!(self, Self::Followers)
    }
}

/// One item of a list. Lists are ordered by `(at, uid)`, both descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// When the item entered the list.
    pub at: Stamp,
    /// The other user.
    pub uid: Uid,
}

/// A place in a list: after this edge. It names an order key and an id, never a count, so it stays valid when
/// its row is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(pub Edge);

/// Where a page starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PageStart {
    /// At the newest.
    #[default]
    Newest,
    /// After a cursor.
    After(Cursor),
    /// After skipping so many; for bounded lists only.
    Offset(u32),
}

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    start: PageStart,
    size: u32,
}

impl Page {
    /// Checks a request's page.
    ///
    /// # Errors
    /// [`Reason::PageTooLarge`] when `size` is negative or above [`PAGE_SIZE_MAX`]; 0 means the default.
    pub fn new(start: PageStart, size: i32) -> Result<Self> {
        match u32::try_from(size) {
            Ok(0) => Ok(Self { start, size: PAGE_SIZE_DEFAULT }),
            Ok(size) if size <= PAGE_SIZE_MAX => Ok(Self { start, size }),
            _ => Err(Error::new(Reason::PageTooLarge { limit: PAGE_SIZE_MAX })),
        }
    }

    /// The first page of the default size.
    pub const fn first() -> Self {
        Self { start: PageStart::Newest, size: PAGE_SIZE_DEFAULT }
    }

    /// Returns where it starts.
    pub const fn start(&self) -> PageStart {
        self.start
    }

    /// Returns how many items at most; 1 ..= [`PAGE_SIZE_MAX`].
    pub const fn size(&self) -> usize {
        self.size as usize
    }
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgePage {
    /// The items, newest first.
    pub items: Vec<Edge>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<Cursor>,
}

impl EdgePage {
    /// Cuts a page out of `rest`, which holds the edges from the page's start on, newest first. It looks one
    /// item beyond the page, so that `next` is absent exactly when the list ended.
    pub fn cut(rest: impl IntoIterator<Item = Edge>, size: usize) -> Self {
        let mut rest = rest.into_iter();
        let items: Vec<Edge> = rest.by_ref().take(size).collect();
        let next = if items.len() == size && rest.next().is_some() {
            items.last().copied().map(Cursor)
        } else {
            None
        };
        Self { items, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(at: u64, uid: u64) -> Edge {
        Edge { at: Stamp::from_ms(at), uid: Uid::new(uid).unwrap() }
    }

    #[test]
    fn next_is_absent_exactly_when_the_list_ended() {
        let edges = [edge(3, 1), edge(2, 1), edge(1, 1)];
        assert_eq!(EdgePage::cut(edges, 2).next, Some(Cursor(edges[1])));
        assert_eq!(EdgePage::cut(edges, 3).next, None);
        assert_eq!(EdgePage::cut(edges, 4).next, None);
        assert_eq!(EdgePage::cut([], 1), EdgePage::default());
    }

    #[test]
    fn page_sizes_are_checked_not_coerced() {
        let page = |size| Page::new(PageStart::Newest, size).map(|p| p.size());
        assert_eq!(page(0), Ok(50));
        assert_eq!(page(1_000), Ok(1_000));
        assert!(page(1_001).is_err() && page(-1).is_err());
    }
}

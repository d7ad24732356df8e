//! Asking an index of posts.

use super::PostDocs;
use super::query::Queries;
use super::walk::{Match, Matches};
use crate::engine::Pinned;
use crate::engine::failed::failed;
use crate::engine::index::DocIndex;
use crate::engine::kind::id_of;
use crate::engine::open::Moment;
use crate::{Best, Expr, LOOKED_MAX, PAGE_MAX, SearchError};
use guanxi_ports::{FoundPosts, PostAsk};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use tantivy::query::{EnableScoring, Query};

impl DocIndex<PostDocs> {
    /// The newest posts that fit, below the ask's cursor.
    ///
    /// The cost is that of the documents with the words that it looks at, which are about as many as it answers unless
    /// filters refuse many; there are at most [`LOOKED_MAX`].
    ///
    /// # Errors
    /// [`SearchError::BadQuery`] and [`SearchError::PrefixTooWide`] for what is not answered; else what failed.
    pub fn search(&self, ask: &PostAsk<'_, Expr>) -> Result<FoundPosts, SearchError> {
        self.search_within(ask, LOOKED_MAX)
    }

    pub(in crate::engine) fn search_within(
        &self,
        ask: &PostAsk<'_, Expr>,
        looked_max: usize,
    ) -> Result<FoundPosts, SearchError> {
        let moment = self.moment();
        let max = ask.max.clamp(1, PAGE_MAX);
        let mut matches = self.matches(&moment, ask, false)?;
        let mut ids = Vec::with_capacity(max.min(64));
        let mut looked = 0;
        let next = loop {
            match matches.look(false)? {
                None => break None,
                // One more than a page says that there is more.
                Some(Ok(_)) if ids.len() == max => break ids.last().copied(),
                Some(Ok(hit)) => ids.push(id_of::<PostDocs>(hit.id)?),
                Some(Err(_)) if looked < looked_max => {}
                Some(Err(refused)) => break Some(id_of::<PostDocs>(refused)?),
            }
            looked += 1;
        };
        Ok(FoundPosts { ids, next, looked: looked as u64, as_of: moment.as_of.clone() })
    }

    /// The posts that fit best, at most `max` and at most [`PAGE_MAX`], of the newest [`LOOKED_MAX`] with the words.
    /// The ask's own `max` says nothing here.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn search_best(&self, ask: &PostAsk<'_, Expr>, max: usize) -> Result<Best, SearchError> {
        let moment = self.moment();
        let max = max.clamp(1, PAGE_MAX);
        let mut matches = self.matches(&moment, ask, true)?;
        let mut best = BinaryHeap::new();
        let mut looked = 0;
        let whole = loop {
            match matches.look(true)? {
                None => break true,
                Some(_) if looked == LOOKED_MAX => break false,
                Some(Ok(hit)) => best.push(Reverse(Scored::of(&hit))),
                Some(Err(_)) => {}
            }
            if best.len() > max {
                best.pop();
            }
            looked += 1;
        };
        let hits = best.into_sorted_vec().into_iter();
        let hits = hits
            .map(|Reverse(hit)| Ok((hit.score, id_of::<PostDocs>(hit.id)?)))
            .collect::<Result<_, SearchError>>()?;
        Ok(Best { hits, whole, looked: looked as u64, as_of: moment.as_of.clone() })
    }

    /// Returns what posts must say, as a query over the documents of a moment.
    ///
    /// # Errors
    /// [`SearchError::BadQuery`] and [`SearchError::PrefixTooWide`]; else what failed.
    pub(crate) fn row_query(&self, pinned: &Pinned, query: &Expr) -> Result<Box<dyn Query>, SearchError> {
        Queries { fields: self.fields.own, moment: &pinned.0 }.of_words(query)
    }

    fn matches<'a>(
        &self,
        moment: &'a Moment,
        ask: &PostAsk<'a, Expr>,
        scored: bool,
    ) -> Result<Matches<'a>, SearchError> {
        let searcher = &moment.searcher;
        let query = Queries { fields: self.fields.own, moment }.of(ask)?;
        let scoring = if scored {
            EnableScoring::enabled_from_searcher(searcher)
        } else {
            EnableScoring::disabled_from_searcher(searcher)
        };
        Matches::new(moment, query.weight(scoring).map_err(failed)?, ask)
    }
}

/// A hit in the order of scores; of equal ones the older comes first.
struct Scored {
    score: f32,
    id: u64,
}

impl Scored {
    fn of(hit: &Match) -> Self {
        Self { score: hit.score.unwrap_or_default(), id: hit.id }
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

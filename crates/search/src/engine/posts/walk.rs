//! The matches of all segments, newest first.

use crate::engine::columns::Values;
use crate::engine::failed::failed;
use crate::engine::kind::ID;
use crate::engine::open::Moment;
use crate::{Expr, SearchError};
use guanxi_model::Uid;
use guanxi_ports::search::{Audience, PostColumn, PostForm, PostState, RowColumn as _};
use guanxi_ports::{Circle, PostAsk};
use std::collections::BinaryHeap;
use tantivy::query::{Scorer, Weight};
use tantivy::{DocSet as _, SegmentReader, TERMINATED};

/// The matches of a query in all segments, merged by their ids.
///
/// A segment is a bound until its turn comes: the largest id that it may have. Only then is its list of matches begun,
/// so that old segments cost nothing while newer ones fill the page.
pub(super) struct Matches<'a> {
    moment: &'a Moment,
    weight: Box<dyn Weight>,
    filter: Filter<'a>,
    /// The list of each segment, once it is begun.
    lists: Vec<Option<Matched>>,
    /// The next match of each segment, or the bound of one that is not begun; the largest id is on top.
    next: BinaryHeap<(u64, usize)>,
}

/// The matches of one segment.
struct Matched {
    scorer: Box<dyn Scorer>,
    ids: Values,
    looks: Looks,
}

/// A match.
pub(super) struct Match {
    pub(super) id: u64,
    /// How well it fits; only if it was asked for.
    pub(super) score: Option<f32>,
}

impl<'a> Matches<'a> {
    pub(super) fn new(
        moment: &'a Moment,
        weight: Box<dyn Weight>,
        ask: &PostAsk<'a, Expr>,
    ) -> Result<Self, SearchError> {
        let below = ask.below.map_or(u64::MAX, guanxi_model::PostId::get);
        let from = ask.from.map_or(0, guanxi_model::PostId::get);
        let mut next = BinaryHeap::new();
        for (segment, reader) in moment.searcher.segment_readers().iter().enumerate() {
            let ids = moment.columns.full(reader, ID)?;
            let bound = ids.max_value().min(below);
            if ids.num_vals() > 0 && bound >= from {
                next.push((bound, segment));
            }
        }
        let lists = moment.searcher.segment_readers().iter().map(|_| None).collect();
        let filter = Filter { replies: ask.replies, circle: ask.circle };
        Ok(Self { moment, weight, filter, lists, next })
    }

    /// Looks at the next document with the words. The inner `None` is one that the filter refuses, with its id.
    pub(super) fn look(&mut self, scored: bool) -> Result<Option<Result<Match, u64>>, SearchError> {
        while let Some((id, segment)) = self.next.pop() {
            let reader = self.moment.searcher.segment_reader(segment as u32);
            let Some(list) = &mut self.lists[segment] else {
                let list = self.begin(reader)?;
                self.push(segment, &list);
                self.lists[segment] = Some(list);
                continue;
            };
            let doc = list.scorer.doc();
            let is_alive = reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc));
            let fits = is_alive && self.filter.lets(&list.looks, doc);
            let score = if fits && scored { Some(list.scorer.score()) } else { None };
            if list.scorer.advance() != TERMINATED {
                self.next.push((list.ids.get_val(list.scorer.doc()), segment));
            }
            return Ok(Some(if fits { Ok(Match { id, score }) } else { Err(id) }));
        }
        Ok(None)
    }

    fn begin(&self, reader: &SegmentReader) -> Result<Matched, SearchError> {
        let columns = &self.moment.columns;
        Ok(Matched {
            scorer: self.weight.scorer(reader, 1.0).map_err(failed)?,
            ids: columns.full(reader, ID)?,
            looks: Looks {
                state: columns.full(reader, PostColumn::State.name())?,
                author: columns.full(reader, PostColumn::Author.name())?,
                form: columns.full(reader, PostColumn::Form.name())?,
                audience: columns.full(reader, PostColumn::Audience.name())?,
            },
        })
    }

    fn push(&mut self, segment: usize, list: &Matched) {
        if list.scorer.doc() != TERMINATED {
            self.next.push((list.ids.get_val(list.scorer.doc()), segment));
        }
    }
}

/// The columns that a filter looks into.
struct Looks {
    state: Values,
    author: Values,
    form: Values,
    audience: Values,
}

/// What is asked of a document beside its words.
struct Filter<'a> {
    replies: Option<bool>,
    circle: Circle<'a>,
}

impl Filter<'_> {
    fn lets(&self, looks: &Looks, doc: u32) -> bool {
        let is_reply = || looks.form.get_val(doc) == PostForm::Reply as u64;
        let state = looks.state.get_val(doc);
        if state == PostState::Deleted as u64 || self.replies.is_some_and(|replies| replies != is_reply()) {
            return false;
        }
        // What is taken down is for its author alone.
        let is_live = state == PostState::Live as u64;
        let is_public = || is_live && looks.audience.get_val(doc) == Audience::Public as u64;
        match self.circle {
            Circle::All => true,
            Circle::Public => is_public(),
            Circle::Of(authors) => {
                is_public()
                    || Uid::new(looks.author.get_val(doc))
                        .is_ok_and(|uid| authors.binary_search(&uid).is_ok())
            }
        }
    }
}

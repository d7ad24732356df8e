//! Asking an index of users.

use super::UserDocs;
use super::query::{counted, has, several, stages};
use crate::engine::RowTexts;
use crate::engine::columns::{Values, passed};
use crate::engine::failed::failed;
use crate::engine::index::DocIndex;
use crate::engine::kind::{ID, id_of};
use crate::engine::open::Moment;
use crate::names::attribute_term;
use crate::{PAGE_MAX, SearchError};
use guanxi_model::Uid;
use guanxi_ports::search::{RowColumn as _, UserColumn, UserState, UserTexts};
use guanxi_ports::{FoundUsers, NameAsker, UserAsk};
use std::collections::HashSet;
use tantivy::query::{EnableScoring, Occur, Scorer, Weight};
use tantivy::{DocId, DocSet as _, SegmentReader, TERMINATED};

impl DocIndex<UserDocs> {
    /// The users who fit, the best kind of match first, and of one kind by rising uids; at most [`PAGE_MAX`].
    ///
    /// A kind costs what is answered of it, in each segment. The dictionary of words is looked through for words that are
    /// nearly so, which is done only if the better kinds have not filled the answer.
    ///
    /// # Errors
    /// What failed.
    pub fn search(&self, ask: &UserAsk<'_>) -> Result<FoundUsers, SearchError> {
        let moment = self.moment();
        let searcher = &moment.searcher;
        let mut found = Found { ask, max: ask.max.clamp(1, PAGE_MAX), ids: Vec::new(), seen: HashSet::new() };
        for query in stages(self.fields.own, ask) {
            if found.ids.len() == found.max {
                break;
            }
            let weight = query.weight(EnableScoring::disabled_from_searcher(searcher)).map_err(failed)?;
            found.stage(&moment, &*weight)?;
        }
        let uids = found.ids.into_iter().map(id_of::<UserDocs>).collect::<Result<_, SearchError>>()?;
        Ok(FoundUsers { uids, as_of: moment.as_of.clone() })
    }
}

impl DocIndex<UserDocs> {
    /// Returns what the texts of users must say, as a query; none where nothing is asked.
    pub(crate) fn row_query(&self, texts: &UserTexts) -> RowTexts {
        let name = texts.name.as_ref().map(|(query, typed)| counted(self.fields.own, query, typed));
        let attributes = texts
            .attributes
            .iter()
            .map(|(name, value)| has(self.fields.own.attributes, &attribute_term(name, value)));
        let parts: Vec<_> = name.into_iter().chain(attributes).collect();
        (!parts.is_empty()).then(|| several(Occur::Must, parts))
    }
}

/// Users who are found, and what is asked for.
struct Found<'a> {
    ask: &'a UserAsk<'a>,
    max: usize,
    ids: Vec<u64>,
    seen: HashSet<u64>,
}

impl Found<'_> {
    /// Adds who fits in one kind and in no better one.
    fn stage(&mut self, moment: &Moment, weight: &dyn Weight) -> Result<(), SearchError> {
        let mut some = Vec::new();
        for reader in moment.searcher.segment_readers() {
            let scorer = weight.scorer(reader, 1.0).map_err(failed)?;
            let docs = Docs {
                reader,
                ids: moment.columns.full(reader, ID)?,
                state: moment.columns.full(reader, UserColumn::State.name())?,
                scorer,
            };
            self.segment(docs, &mut some);
        }
        some.sort_unstable();
        some.truncate(self.max - self.ids.len());
        self.seen.extend(&some);
        self.ids.extend(some);
        Ok(())
    }

    /// Adds the first ones of a segment.
    fn segment(&self, mut docs: Docs<'_>, some: &mut Vec<u64>) {
        let last = some.len() + self.max - self.ids.len();
        let mut among = self.ask.among;
        let mut doc = docs.scorer.doc();
        while doc != TERMINATED && some.len() < last {
            let id = docs.ids.get_val(doc);
            if let Some(uids) = &mut among {
                *uids = &uids[uids.partition_point(|uid| uid.get() < id)..];
                let Some(next) = uids.first() else { return };
                if next.get() > id {
                    doc = docs.seek(*next);
                    continue;
                }
            }
            if docs.fits(doc, self.ask.asks) && !self.seen.contains(&id) {
                some.push(id);
            }
            doc = docs.scorer.advance();
        }
    }
}

/// The matches of a segment, by rising ids.
struct Docs<'a> {
    reader: &'a SegmentReader,
    ids: Values,
    state: Values,
    scorer: Box<dyn Scorer>,
}

impl Docs<'_> {
    fn fits(&self, doc: DocId, asks: NameAsker) -> bool {
        let is_alive = self.reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc));
        is_alive
            && match asks {
                NameAsker::Service => self.state.get_val(doc) != UserState::Deleted as u64,
                NameAsker::EndUser => self.state.get_val(doc) == UserState::Active as u64,
            }
    }

    /// Goes to the next match of a user, or of a later one.
    fn seek(&mut self, uid: Uid) -> DocId {
        let (from, all) = (self.scorer.doc() + 1, self.ids.num_vals());
        let doc = from + passed(all.saturating_sub(from), |doc| self.ids.get_val(from + doc) < uid.get());
        if doc >= all { TERMINATED } else { self.scorer.seek(doc) }
    }
}

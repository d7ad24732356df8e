//! A question as a query of the library.

use super::fields::PostFields;
use super::range::IdRange;
use super::without::Without;
use crate::engine::failed::{damaged, failed, io_failed};
use crate::engine::open::Moment;
use crate::{Expr, PREFIX_TERMS_MAX, SearchError};
use guanxi_ports::PostAsk;
use std::collections::BTreeSet;
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::IndexRecordOption;

type Parts = Vec<(Occur, Box<dyn Query>)>;

/// Makes queries over the documents of a moment, which says what words there are.
#[derive(Clone, Copy)]
pub(super) struct Queries<'a> {
    pub(super) fields: PostFields,
    pub(super) moment: &'a Moment,
}

impl Queries<'_> {
    /// Returns what an ask asks for: the words, the author and the stretch of ids. The rest is looked up for each
    /// document.
    pub(super) fn of(self, ask: &PostAsk<'_, Expr>) -> Result<Box<dyn Query>, SearchError> {
        ask.query.check()?;
        let mut parts: Parts = Vec::new();
        if ask.from.is_some() || ask.below.is_some() {
            let range = IdRange {
                columns: self.moment.columns.clone(),
                from: ask.from.map_or(0, guanxi_model::PostId::get),
                below: ask.below.map_or(u64::MAX, guanxi_model::PostId::get),
            };
            parts.push((Occur::Must, Box::new(range)));
        }
        if let Some(author) = ask.author {
            let posts = TermQuery::new(self.fields.author_term(author.get()), IndexRecordOption::Basic);
            parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(posts), 0.0))));
        }
        match &ask.query {
            Expr::All(exprs) => exprs.iter().try_for_each(|expr| self.push(&mut parts, expr))?,
            other => self.push(&mut parts, other)?,
        }
        Ok(all(parts))
    }

    /// Returns what words ask for.
    pub(super) fn of_words(self, words: &Expr) -> Result<Box<dyn Query>, SearchError> {
        words.check()?;
        self.expr(words)
    }

    fn push(self, parts: &mut Parts, expr: &Expr) -> Result<(), SearchError> {
        parts.push(match expr {
            Expr::Not(not) => (Occur::MustNot, Box::new(Without(self.expr(not)?))),
            other => (Occur::Must, self.expr(other)?),
        });
        Ok(())
    }

    fn expr(self, expr: &Expr) -> Result<Box<dyn Query>, SearchError> {
        Ok(match expr {
            Expr::All(exprs) => {
                let mut parts = Vec::new();
                exprs.iter().try_for_each(|expr| self.push(&mut parts, expr))?;
                all(parts)
            }
            Expr::Not(_) => {
                let mut parts = Vec::new();
                self.push(&mut parts, expr)?;
                all(parts)
            }
            Expr::Word(word) => self.word(word),
            Expr::Phrase(words) => match words.as_slice() {
                [(_, word)] => self.word(word),
                words => {
                    let term =
                        |(offset, word): &(u32, String)| (*offset as usize, self.fields.word_term(word));
                    Box::new(PhraseQuery::new_with_offset(words.iter().map(term).collect()))
                }
            },
            Expr::Prefix(prefix) => self.prefix(prefix)?,
        })
    }

    fn word(self, word: &str) -> Box<dyn Query> {
        word_query(self.fields.word_term(word))
    }

    /// Any of the words that begin so.
    fn prefix(self, prefix: &str) -> Result<Box<dyn Query>, SearchError> {
        let mut words: BTreeSet<Vec<u8>> = BTreeSet::new();
        for segment in self.moment.searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.text).map_err(failed)?;
            let mut stream = index.terms().range().ge(prefix).into_stream().map_err(io_failed)?;
            while let Some((word, _)) = stream.next() {
                if !word.starts_with(prefix.as_bytes()) {
                    break;
                }
                if !words.contains(word) {
                    words.insert(word.to_vec());
                }
                if words.len() > PREFIX_TERMS_MAX {
                    return Err(SearchError::PrefixTooWide(prefix.to_owned()));
                }
            }
        }
        let mut any: Parts = Vec::with_capacity(words.len());
        for word in words {
            let word = String::from_utf8(word).map_err(|_| damaged("a word is no text".to_owned()))?;
            any.push((Occur::Should, self.word(&word)));
        }
        Ok(if any.is_empty() { Box::new(EmptyQuery) } else { Box::new(BooleanQuery::new(any)) })
    }
}

fn word_query(term: Term) -> Box<dyn Query> {
    // The counts are read for scores alone.
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

/// All of these, where what must not match takes away from all documents if nothing else must match.
fn all(mut parts: Parts) -> Box<dyn Query> {
    if parts.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))));
    }
    if parts.len() == 1 {
        return parts.remove(0).1;
    }
    Box::new(BooleanQuery::new(parts))
}

//! A question for users as queries of the library, the best kind of match first.

use super::fields::{NameFields, UserFields};
use crate::names::Mark;
use guanxi_model::LoginName;
use guanxi_ports::search::ROW_NAME_CHARS_MAX;
use guanxi_ports::{NameAsker, UserAsk};
use guanxi_text::{NameQuery, NearWord};
use tantivy::Term;
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// The queries of a question, one for each kind of match that may be. A user that matches in a better kind may match in a
/// later one as well.
pub(super) fn stages(fields: UserFields, ask: &UserAsk<'_>) -> Vec<Box<dyn Query>> {
    let mut stages = vec![exact(fields, ask), begun(fields, ask)];
    if let Some(letters) = ask.query.letters() {
        stages.push(read(fields, ask, letters));
    }
    if let Some(words) = ask.query.near_words() {
        stages.push(any(names(fields, ask.asks).iter().map(|name| near(name.words, &words)).collect()));
    }
    stages
}

/// The names that are asked.
fn names(fields: UserFields, asks: NameAsker) -> Vec<NameFields> {
    match asks {
        NameAsker::EndUser => vec![fields.nickname],
        NameAsker::Service => vec![fields.nickname, fields.login_name],
    }
}

/// Documents with a marked term in any name.
fn marked(fields: UserFields, asks: NameAsker, mark: Mark, text: &str) -> Vec<Box<dyn Query>> {
    let term = mark.term(text);
    names(fields, asks).iter().map(|name| has(name.keys, &term)).collect()
}

/// Whole names, and login names as they are typed.
fn exact(fields: UserFields, ask: &UserAsk<'_>) -> Box<dyn Query> {
    let mut exact = marked(fields, ask.asks, Mark::Whole, ask.query.whole());
    for text in [ask.typed.trim(), &LoginName::key_typed(ask.typed)] {
        exact.push(has(fields.login_name.keys, &Mark::Typed.term(text)));
    }
    any(exact)
}

/// Names that begin so, or go on so from a word on.
fn begun(fields: UserFields, ask: &UserAsk<'_>) -> Box<dyn Query> {
    any(marked(fields, ask.asks, Mark::Start, ask.query.whole()))
}

/// Names that are read so.
fn read(fields: UserFields, ask: &UserAsk<'_>, letters: &str) -> Box<dyn Query> {
    any(marked(fields, ask.asks, Mark::Read, letters))
}

/// The query of a name whose matches can be counted: whole names, and, of a name of at most [`ROW_NAME_CHARS_MAX`] characters, also
/// what begins so or is read so.
pub(super) fn counted(fields: UserFields, query: &NameQuery, typed: &str) -> Box<dyn Query> {
    let ask = UserAsk { query, typed, asks: NameAsker::Service, among: None, max: 1 };
    let is_short = query.whole().chars().count() <= ROW_NAME_CHARS_MAX;
    let mut parts = vec![exact(fields, &ask)];
    if is_short {
        parts.push(begun(fields, &ask));
        parts.extend(query.letters().map(|letters| read(fields, &ask, letters)));
    }
    any(parts)
}

/// Documents with a term.
pub(super) fn has(field: Field, term: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, term), IndexRecordOption::Basic))
}

/// Documents with a word near each of some.
fn near(field: Field, words: &[NearWord<'_>]) -> Box<dyn Query> {
    let near = |near: &NearWord<'_>| -> Box<dyn Query> {
        match near.mistakes {
            0 => has(field, near.word),
            mistakes => {
                Box::new(FuzzyTermQuery::new(Term::from_field_text(field, near.word), mistakes, true))
            }
        }
    };
    several(Occur::Must, words.iter().map(near).collect())
}

/// Documents that any of some queries finds.
pub(super) fn any(queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    several(Occur::Should, queries)
}

pub(super) fn several(occur: Occur, mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    if queries.len() == 1 {
        return queries.remove(0);
    }
    Box::new(BooleanQuery::new(queries.into_iter().map(|query| (occur, query)).collect()))
}

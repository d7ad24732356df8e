//! A question for users as queries of the library, the best kind of match first.

use super::fields::{NameFields, UserFields};
use crate::names::Mark;
use guanxi_model::LoginName;
use guanxi_ports::{NameAsker, UserAsk};
use guanxi_text::NearWord;
use tantivy::Term;
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// The queries of a question, one for each kind of match that may be. Who matches in a better kind may match in a later one
/// as well.
pub(super) fn stages(fields: UserFields, ask: &UserAsk<'_>) -> Vec<Box<dyn Query>> {
    let names: &[NameFields] = match ask.asks {
        NameAsker::EndUser => &[fields.nickname],
        NameAsker::Service => &[fields.nickname, fields.login_name],
    };
    let marked = |mark: Mark, text: &str| {
        let term = mark.term(text);
        let queries = names.iter().map(|name| has(name.keys, &term));
        queries.collect::<Vec<_>>()
    };
    let whole = ask.query.whole();
    let mut exact = marked(Mark::Whole, whole);
    for text in [ask.typed.trim(), &LoginName::key_typed(ask.typed)] {
        exact.push(has(fields.login_name.keys, &Mark::Typed.term(text)));
    }
    let mut stages = vec![any(exact), any(marked(Mark::Start, whole))];
    if let Some(letters) = ask.query.letters() {
        stages.push(any(marked(Mark::Read, letters)));
    }
    if let Some(words) = ask.query.near_words() {
        stages.push(any(names.iter().map(|name| near(name.words, &words)).collect()));
    }
    stages
}

/// Documents with a term.
fn has(field: Field, term: &str) -> Box<dyn Query> {
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
fn any(queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    several(Occur::Should, queries)
}

fn several(occur: Occur, mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    if queries.len() == 1 {
        return queries.remove(0);
    }
    Box::new(BooleanQuery::new(queries.into_iter().map(|query| (occur, query)).collect()))
}

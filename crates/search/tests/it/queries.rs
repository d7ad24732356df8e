//! What is asked for: circles, prefixes, phrases, scores, and what is refused.

use crate::world::{Model, ask, at, doc, options, phrase, post, uid, walk, word};
use guanxi_model::Uid;
use guanxi_ports::search::Audience;
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
use guanxi_search::{
    DocTokens, Expr, LEAVES_MAX, MOVES_MAX, PREFIX_TERMS_MAX, PostIndexWriter, SearchError, TOKEN_LEN_MAX,
};
use tempfile::TempDir;

fn index_of(docs: impl IntoIterator<Item = PostDoc<DocTokens>>) -> (TempDir, PostIndexWriter) {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    writer.apply(docs.into_iter().map(IndexChange::Put)).unwrap();
    writer.commit(at(1)).unwrap();
    (dir, writer)
}

#[test]
fn restricted_posts_are_proposed_to_the_circle_of_their_authors() {
    let restricted = |id: u64| PostDoc {
        author: uid(id),
        audience: if id.is_multiple_of(3) { Audience::Public } else { Audience::Friends },
        ..doc(id, "tea")
    };
    let docs: Vec<PostDoc<DocTokens>> = (1..=300).map(restricted).collect();
    let mut model = Model::default();
    docs.iter().cloned().for_each(|doc| model.apply(IndexChange::Put(doc)));
    let (_dir, writer) = index_of(docs);
    let large: Vec<Uid> = (100..5_101).map(uid).collect();
    for circle in [Circle::Public, Circle::All, Circle::Of(&[]), Circle::Of(&[uid(7)]), Circle::Of(&large)] {
        let ask = PostAsk { circle, max: 7, ..ask(word("tea")) };
        assert_eq!(walk(&writer.index(), &ask), model.found(&ask), "{:?}", ask.circle);
    }
}

#[test]
fn a_phrase_asks_for_places_and_not_for_words_alone() {
    let mut gap = doc(4, "green");
    gap.text.push(guanxi_search::DocToken { word: "tea".to_owned(), position: 2 });
    let (_dir, writer) =
        index_of([doc(1, "green tea"), doc(2, "tea green"), doc(3, "a very green tea house"), gap]);
    let found = |query| walk(&writer.index(), &ask(query));
    assert_eq!(found(phrase("green tea")), [3, 1]);
    assert_eq!(found(Expr::All(vec![word("green"), word("tea")])), [4, 3, 2, 1]);
    assert_eq!(found(phrase("green tea house")), [3]);
    assert_eq!(found(phrase("tea")), [4, 3, 2, 1]);
}

#[test]
fn a_prefix_of_too_many_words_is_refused_and_a_longer_one_answered() {
    let words = PREFIX_TERMS_MAX as u64 + 1;
    let (_dir, mut writer) = index_of((1..words).map(|id| doc(id, &format!("w{id:04}"))));
    let all = |writer: &PostIndexWriter| {
        writer.index().search(&ask(Expr::Prefix("w".to_owned()))).map(|found| found.ids.len())
    };
    assert_eq!(all(&writer).unwrap(), PREFIX_TERMS_MAX);
    writer.apply([IndexChange::Put(doc(words, "west"))]).unwrap();
    writer.commit(at(2)).unwrap();
    assert!(matches!(all(&writer), Err(SearchError::PrefixTooWide(prefix)) if prefix == "w"));
    assert_eq!(walk(&writer.index(), &ask(Expr::Prefix("w000".to_owned()))), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn the_best_hits_have_the_word_more_often_and_less_beside_it() {
    let long = "tea and many other words that say nothing of it";
    let (_dir, writer) =
        index_of([doc(1, "tea tea"), doc(2, long), doc(3, "tea house"), doc(4, "tea house")]);
    let best = writer.index().search_best(&ask(word("tea")), 3).unwrap();
    let ids: Vec<u64> = best.hits.iter().map(|(_, id)| id.get()).collect();
    assert_eq!((ids, best.whole), (vec![1, 4, 3], true), "of equal ones the newer is first");
}

#[test]
fn what_breaks_a_limit_is_refused() {
    let (_dir, mut writer) = index_of([doc(1, "tea")]);
    let nested = (0..9).fold(word("tea"), |expr, _| Expr::Not(Box::new(expr)));
    let bad = [
        Expr::Phrase(Vec::new()),
        Expr::Prefix(String::new()),
        Expr::All(vec![word("tea"); LEAVES_MAX + 1]),
        Expr::Phrase(vec![(0, "tea".to_owned()); LEAVES_MAX + 1]),
        nested,
    ];
    for query in bad {
        let refused = writer.index().search(&ask(query.clone()));
        assert!(matches!(refused, Err(SearchError::BadQuery(_))), "{query:?}");
    }
    writer.index().search(&ask(Expr::All(vec![word("tea"); LEAVES_MAX]))).unwrap();

    let large = doc(2, &"x".repeat(TOKEN_LEN_MAX + 1));
    let fitting = doc(3, &"x".repeat(TOKEN_LEN_MAX));
    let refused = writer.apply([IndexChange::Put(large)]);
    assert!(matches!(refused, Err(SearchError::DocTooLarge(2))));
    writer.apply([IndexChange::Put(fitting)]).unwrap();
    writer.commit(at(2)).unwrap();
    assert_eq!(walk(&writer.index(), &ask(Expr::Prefix("x".to_owned()))), [3], "the writer goes on");
}

#[test]
fn moves_are_kept_in_memory_until_there_are_many() {
    let (_dir, mut writer) = index_of([doc(1, "tea")]);
    for seq in 2..2 + u64::from(MOVES_MAX) {
        writer.move_to(at(seq)).unwrap();
    }
    let last = 1 + u64::from(MOVES_MAX);
    assert_eq!(writer.index().as_of(), at(last));
    writer.reopen().unwrap();
    assert_eq!(writer.index().as_of(), at(1), "none of them was committed");
    for seq in 2..=2 + u64::from(MOVES_MAX) {
        writer.move_to(at(seq)).unwrap();
    }
    writer.reopen().unwrap();
    assert_eq!(writer.index().as_of(), at(last + 1), "the last one was");

    writer.apply([IndexChange::Put(doc(2, "tea"))]).unwrap();
    writer.move_to(at(last + 2)).unwrap();
    let found = writer.index().search(&ask(word("tea"))).unwrap();
    assert_eq!((found.ids, found.as_of), (vec![post(1)], at(last + 1)), "no answer says more than it has");
}

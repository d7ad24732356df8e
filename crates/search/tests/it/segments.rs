//! However the documents lie in segments, the answers are the same.

use crate::world::{Model, ask, at, doc, options, post, segments, walk, word};
use guanxi_ports::search::DocDiffers;
use guanxi_ports::{IndexChange, PostAsk, PostDoc};
use guanxi_search::{DocToken, DocTokens, Expr, IndexOptions, PostIndex, PostIndexWriter};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Posts that come out of order, are edited and deleted; more of them than one segment's list has in a block.
fn changes() -> Vec<IndexChange<PostDoc<DocTokens>>> {
    let id = |n: u64| 1 + (n * 37) % 300;
    let text = |n: u64| ["tea", "green tea", "tea house", "house"][n as usize % 4];
    let puts = (0..300).map(|n| IndexChange::Put(doc(id(n), text(n))));
    let edits = (0..20).map(|n| IndexChange::Put(doc(id(n * 9), text(n + 1))));
    let removals = (0..20).map(|n| IndexChange::Remove(post(id(n * 11))));
    puts.chain(edits).chain(removals).collect()
}

fn roomless() -> IndexOptions {
    // Room for commits, and none for merges.
    IndexOptions { reserve_bytes: 100, free_bytes: Arc::new(|| Ok(100)), ..options() }
}

/// Applies the changes with a commit after every few.
fn fill(dir: &Path, options: IndexOptions, every: usize) -> PostIndexWriter {
    let mut writer = PostIndexWriter::create(dir, options, at(0)).unwrap();
    for (batch, seq) in changes().chunks(every).zip(1..) {
        writer.apply(batch.to_vec()).unwrap();
        writer.commit(at(seq)).unwrap();
    }
    writer
}

fn walks(index: &PostIndex) -> Vec<Vec<u64>> {
    let queries = [word("tea"), word("green"), Expr::Prefix("h".to_owned()), Expr::All(Vec::new())];
    let asks =
        queries.into_iter().flat_map(|query| [1, 7, 1_000].map(|max| PostAsk { max, ..ask(query.clone()) }));
    asks.map(|ask| walk(index, &ask)).collect()
}

#[test]
fn one_segment_many_and_merged_ones_answer_the_same() {
    let mut model = Model::default();
    changes().into_iter().for_each(|change| model.apply(change));
    let dirs = [(); 3].map(|()| tempfile::tempdir().unwrap());

    let one = fill(dirs[0].path(), options(), 1_000);
    let expected = walks(&one.index());
    assert_eq!(expected[11], model.found(&ask(Expr::All(Vec::new()))));
    assert_eq!(expected[0], model.found(&ask(word("tea"))));

    let many = fill(dirs[1].path(), roomless(), 34);
    assert!(segments(dirs[1].path()) == 10, "without room for merges there are none");
    assert_eq!(walks(&many.index()), expected);
    assert_eq!(many.index().compare((None, None), model.docs()).unwrap().differing, []);

    let mut merged = fill(dirs[2].path(), options(), 34);
    merged.commit(at(1_000)).unwrap();
    let index = merged.index();
    merged.close().unwrap();
    assert!(segments(dirs[2].path()) < 5, "of ten");
    assert_eq!(walks(&index), expected, "what was opened before a merge goes on");
    let merged = PostIndexWriter::open(dirs[2].path(), options(), crate::world::HISTORY).unwrap();
    assert_eq!(merged.index().as_of(), at(1_000), "merges keep the position");
    assert_eq!(walks(&merged.index()), expected);
    assert_eq!(merged.index().compare((None, None), model.docs()).unwrap().differing, []);
}

/// Lists of postings that have many blocks, and unions that have many windows (of 4,096 documents).
#[test]
fn long_lists_are_entered_in_their_middle() {
    const DOCS: u64 = 10_000;
    let dir = tempfile::tempdir().unwrap();
    let text = |id: u64| {
        let words = [(2, "even"), (3, "third"), (7, "seven"), (101, "seventy"), (4_999, "sevens")];
        let words = words.into_iter().filter(|(of, _)| id.is_multiple_of(*of)).map(|(_, word)| word);
        words.collect::<Vec<_>>().join(" ")
    };
    let docs: Vec<IndexChange<PostDoc<DocTokens>>> =
        (1..=DOCS).map(|id| IndexChange::Put(doc(id, &text(id)))).collect();
    let mut model = Model::default();
    docs.iter().cloned().for_each(|change| model.apply(change));
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    writer.apply(docs).unwrap();
    writer.commit(at(1)).unwrap();
    let not = |expr: Expr| Expr::Not(Box::new(expr));
    let prefix = || Expr::Prefix("seven".to_owned());
    let queries = [
        prefix(),
        Expr::All(vec![prefix(), word("third")]),
        Expr::All(vec![word("even"), not(prefix())]),
        Expr::All(vec![word("even"), not(crate::world::phrase("even third"))]),
        Expr::All(vec![crate::world::phrase("third seven"), word("even")]),
        Expr::All(vec![word("sevens"), prefix()]),
        Expr::All(vec![prefix(), not(Expr::All(vec![prefix(), word("even")]))]),
    ];
    for query in queries {
        for (max, from, below) in [(333, None, None), (9, Some(5_000), Some(6_000)), (50, Some(9_990), None)]
        {
            let ask = PostAsk { max, from: from.map(post), below: below.map(post), ..ask(query.clone()) };
            assert_eq!(walk(&writer.index(), &ask), model.found(&ask), "{ask:?}");
        }
    }
}

#[test]
fn a_post_that_is_put_again_stands_once_by_any_writer() {
    let dir = tempfile::tempdir().unwrap();
    let put = |text: &str| [IndexChange::Put(doc(9, text))];
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    let check = |writer: &mut PostIndexWriter, text: &str| {
        writer.apply(put(text)).unwrap();
        writer.commit(at(1)).unwrap();
        assert_eq!(walk(&writer.index(), &ask(Expr::All(Vec::new()))), [9], "{text}");
        assert_eq!(walk(&writer.index(), &ask(word(text))), [9], "{text}");
    };
    check(&mut writer, "first");
    writer.reopen().unwrap();
    check(&mut writer, "reopened");
    drop(writer);
    let mut writer = PostIndexWriter::open(dir.path(), options(), crate::world::HISTORY).unwrap();
    check(&mut writer, "opened");
    writer.apply([IndexChange::Remove(post(9))]).unwrap();
    writer.commit(at(2)).unwrap();
    assert_eq!(writer.index().docs(), 0);
}

#[test]
fn below_the_reserve_nothing_is_written_and_above_it_all_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let free = Arc::new(AtomicU64::new(1_000));
    let asked = Arc::clone(&free);
    let free_bytes = Arc::new(move || Ok(asked.load(Ordering::Relaxed)));
    let options = IndexOptions { reserve_bytes: 1_000, free_bytes, ..options() };
    let mut writer = PostIndexWriter::create(dir.path(), options, at(0)).unwrap();
    writer.apply([IndexChange::Put(doc(1, "tea"))]).unwrap();

    free.store(999, Ordering::Relaxed);
    let refused = [writer.apply([IndexChange::Put(doc(2, "tea"))]), writer.commit(at(1))];
    for refused in refused {
        let error = refused.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the disk of the search index has 999 bytes left, and 1000 are kept free"
        );
    }
    assert_eq!(writer.index().docs(), 0);

    free.store(1_000, Ordering::Relaxed);
    writer.commit(at(1)).unwrap();
    assert_eq!(walk(&writer.index(), &ask(word("tea"))), [1]);
}

/// A comparison finds each field that a document lacks, has too much or says otherwise, in any segment.
#[test]
fn a_comparison_finds_every_kind_of_difference() {
    let mut model = Model::default();
    changes().into_iter().for_each(|change| model.apply(change));
    let dir = tempfile::tempdir().unwrap();
    let writer = fill(dir.path(), roomless(), 34);
    let (index, right) = (writer.index(), model.docs());
    let found = |wanted: Vec<PostDoc<DocTokens>>| index.compare((None, None), wanted).unwrap().differing;
    assert_eq!(found(right.clone()), []);
    for at in [0, right.len() / 2, right.len() - 1] {
        let id = right[at].id;
        let with = |change: &dyn Fn(&mut PostDoc<DocTokens>)| {
            let mut wanted = right.clone();
            change(&mut wanted[at]);
            found(wanted)
        };
        let field = |name: &str| vec![(id, DocDiffers::Field(name.to_owned()))];
        assert_eq!(with(&|doc| doc.revision += 1), field("revision"));
        assert_eq!(with(&|doc| doc.digest ^= 1), field("digest"));
        assert_eq!(with(&|doc| doc.created_ms += 1), field("created"));
        assert_eq!(with(&|doc| doc.stats.likes += 1), field("likes"), "none is owed");
        let word = |position| DocToken { word: "otherwise".to_owned(), position };
        assert_eq!(with(&|doc| doc.text.push(word(900))), field("text"));
        assert_eq!(with(&|doc| doc.text.iter_mut().for_each(|token| token.position += 1)), field("text"));
        let mut without = right.clone();
        without.remove(at);
        assert_eq!(found(without), [(id, DocDiffers::Surplus)]);
    }
    let (last, mut more) = (right[right.len() - 1].clone(), right.clone());
    let id = post(last.id.get() + 1);
    more.push(PostDoc { id, ..last });
    assert_eq!(found(more), [(id, DocDiffers::Missing)]);
    let (from, to) = (right[3].id, right[right.len() - 4].id);
    let inner = right.iter().filter(|doc| from < doc.id && doc.id <= to).cloned().collect();
    assert_eq!(index.compare((Some(from), Some(to)), inner).unwrap().differing, []);
}

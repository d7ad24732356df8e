//! Random histories against the model.

use crate::world::{HISTORY, Model, ask, at, options, phrase, post, uid, walk, word};
use guanxi_model::Uid;
use guanxi_model::post::PostStats;
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
use guanxi_search::{DocToken, DocTokens, Expr, PostIndex, PostIndexWriter};
use proptest::collection::vec;
use proptest::prelude::*;

const WORDS: [&str; 6] = ["a", "ab", "abc", "b", "bé", "c"];

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<IndexChange<PostDoc<DocTokens>>>),
    /// The last batch once more.
    Again,
    Commit,
    /// An event without documents.
    Move,
    /// Back to the last commit.
    Reopen,
    /// The process dies, and another one opens the directory.
    Crash,
}

fn doc() -> impl Strategy<Value = PostDoc<DocTokens>> {
    let tokens = vec((0..WORDS.len(), 0_u32..6), 0..6);
    (1_u64..24, 1_u64..5, any::<bool>(), any::<bool>(), 0_u32..3, tokens).prop_map(
        |(id, author, is_reply, is_public, revision, tokens)| PostDoc {
            id: post(id),
            author: uid(author),
            form: if is_reply { PostForm::Reply } else { PostForm::Quote },
            audience: if is_public { Audience::Public } else { Audience::Group },
            state: [PostState::Live, PostState::TakenDown, PostState::Deleted][revision as usize],
            created_ms: id,
            stats: PostStats { likes: revision.into(), ..PostStats::default() },
            revision,
            digest: id.wrapping_mul(u64::MAX / 7).wrapping_add(revision.into()),
            text: tokens
                .into_iter()
                .map(|(word, position)| DocToken { word: WORDS[word].to_owned(), position })
                .collect(),
        },
    )
}

fn change() -> impl Strategy<Value = IndexChange<PostDoc<DocTokens>>> {
    prop_oneof![
        3 => doc().prop_map(IndexChange::Put),
        1 => (1_u64..24).prop_map(|id| IndexChange::Remove(post(id))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec(change(), 1..8).prop_map(Step::Apply),
        1 => Just(Step::Again),
        5 => Just(Step::Commit),
        1 => Just(Step::Move),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

fn asks() -> Vec<PostAsk<'static, Expr>> {
    const CIRCLE: &[Uid] = &[];
    let all = |exprs: &[Expr]| Expr::All(exprs.to_vec());
    let not = |expr: Expr| Expr::Not(Box::new(expr));
    let prefix = |prefix: &str| Expr::Prefix(prefix.to_owned());
    let anything = || all(&[]);
    let queries = [
        anything(),
        word("a"),
        word("zzz"),
        all(&[word("a"), word("b")]),
        all(&[word("a"), not(word("b")), not(phrase("c a"))]),
        not(word("c")),
        not(not(prefix("ab"))),
        phrase("a ab"),
        phrase("b"),
        phrase("a a a"),
        prefix("a"),
        prefix("b"),
        prefix("zz"),
        all(&[prefix("a"), all(&[not(word("a")), prefix("b")])]),
    ];
    let plain = queries.into_iter().map(|query| PostAsk { max: 3, ..ask(query) });
    let narrowed = [
        PostAsk { author: Some(uid(2)), max: 2, ..ask(word("a")) },
        PostAsk { author: Some(uid(2)), max: 1, ..ask(anything()) },
        PostAsk { replies: Some(true), max: 2, ..ask(prefix("a")) },
        PostAsk { replies: Some(false), circle: Circle::Public, max: 2, ..ask(anything()) },
        PostAsk { circle: Circle::Of(CIRCLE), max: 4, ..ask(word("b")) },
        PostAsk { from: Some(post(5)), below: Some(post(20)), max: 2, ..ask(anything()) },
        PostAsk { from: Some(post(9)), below: Some(post(9)), ..ask(word("a")) },
        PostAsk { from: Some(post(7)), max: 1, ..ask(all(&[word("a"), not(word("c"))])) },
        PostAsk { below: Some(post(12)), ..ask(phrase("a b")) },
    ];
    plain.chain(narrowed).collect()
}

fn compare(index: &PostIndex, model: &Model, seq: u64) {
    assert_eq!(index.as_of(), at(seq));
    assert_eq!(index.docs(), model.0.len() as u64);
    let circle = [uid(1), uid(3)];
    let asks = asks().into_iter();
    for ask in asks.chain([PostAsk { circle: Circle::Of(&circle), max: 2, ..ask(Expr::All(Vec::new())) }]) {
        let expected = model.found(&ask);
        assert_eq!(walk(index, &ask), expected, "{ask:?}");
        let best = index.search_best(&ask, 1_000).unwrap();
        assert!(best.whole && best.as_of == at(seq));
        assert!(best.hits.is_sorted_by(|one, next| (one.0, one.1) >= (next.0, next.1)), "{:?}", best.hits);
        let mut ids: Vec<u64> = best.hits.iter().map(|(_, id)| id.get()).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(ids, expected, "the best of {ask:?}");
    }
    let proved = index.compare((None, None), model.docs()).unwrap();
    assert_eq!((proved.differing, proved.reached, proved.as_of), (Vec::new(), None, at(seq)));
}

/// Plays a history; what is found is compared whenever it may have changed.
fn play(steps: Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    let (mut kept, mut kept_seq) = (Model::default(), 0);
    let (mut model, mut seq, mut last) = (Model::default(), 0, Vec::new());
    for step in steps {
        seq += 1;
        if let Step::Apply(changes) = &step {
            last.clone_from(changes);
        }
        match step {
            Step::Apply(_) | Step::Again => {
                writer.apply(last.clone()).unwrap();
                last.iter().cloned().for_each(|change| model.apply(change));
                continue;
            }
            Step::Move => {
                writer.move_to(at(seq)).unwrap();
                assert_eq!(writer.position(), &at(seq));
                if !writer.has_changes() {
                    compare(&writer.index(), &kept, seq);
                }
                continue;
            }
            Step::Commit => {
                writer.commit(at(seq)).unwrap();
                (kept, kept_seq) = (model.clone(), seq);
            }
            Step::Reopen => writer.reopen().unwrap(),
            Step::Crash => {
                drop(writer);
                writer = PostIndexWriter::open(dir.path(), options(), HISTORY).unwrap();
            }
        }
        // After a commit nothing is behind it; else what was is gone.
        (model, seq) = (kept.clone(), kept_seq);
        assert_eq!((writer.position(), writer.has_changes()), (&at(kept_seq), false));
        compare(&writer.index(), &kept, kept_seq);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_finds_what_the_model_finds(steps in vec(step(), 4..16)) {
        play(steps);
    }
}

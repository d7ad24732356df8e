//! How fast the index is, on request: `cargo test --release -p guanxi-search --test it -- --ignored --nocapture`.

#![allow(
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "figures are for people, and drawn from a unit"
)]

use crate::world::{HISTORY, ask, at, options, post, segments, uid, word};
use guanxi_model::post::PostStats;
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
use guanxi_search::{DocToken, DocTokens, Expr, IndexOptions, PostIndex, PostIndexWriter};
use std::path::Path;
use std::time::Instant;

const DOCS: u64 = 1_000_000;
const TOKENS: u32 = 12;
const AUTHORS: u64 = 50_000;
const WORDS: f64 = 200_000.0;

/// A plain generator of numbers (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn put(n: u64, dice: &mut Dice) -> IndexChange<PostDoc<DocTokens>> {
    // A word of rank r is about as likely as 1/r; three words beside have a known frequency.
    let mut words: Vec<String> =
        (0..TOKENS).map(|_| format!("w{}", WORDS.powf(dice.unit()) as u64)).collect();
    for (slot, (word, one_of)) in [("often", 10), ("some", 100), ("rare", 10_000)].into_iter().enumerate() {
        if dice.next().is_multiple_of(one_of) {
            word.clone_into(&mut words[slot]);
        }
    }
    // A post every 40 ms; few authors write most of them.
    let author = 1 + (AUTHORS as f64 * dice.unit().powi(2)) as u64;
    IndexChange::Put(PostDoc {
        id: post(((n + 1) * 40) << 22 | (author & 0xff)),
        author: uid(author),
        form: if dice.next().is_multiple_of(3) { PostForm::Reply } else { PostForm::Post },
        audience: if dice.next().is_multiple_of(4) { Audience::Followers } else { Audience::Public },
        state: PostState::Live,
        created_ms: (n + 1) * 40,
        stats: PostStats::default(),
        revision: 0,
        digest: dice.next(),
        text: words.into_iter().zip(0..).map(|(word, position)| DocToken { word, position }).collect(),
    })
}

fn bytes(dir: &Path) -> u64 {
    std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

/// Bytes by the kind of file.
fn bytes_by_kind(dir: &Path) -> Vec<(String, u64)> {
    let mut kinds = std::collections::BTreeMap::new();
    for file in std::fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        let kind = path.extension().unwrap_or_default().to_str().unwrap().to_owned();
        *kinds.entry(kind).or_insert(0) += std::fs::metadata(&path).unwrap().len();
    }
    kinds.into_iter().collect()
}

fn time(index: &PostIndex, name: &str, ask: &PostAsk<'_, Expr>) {
    let mut micros: Vec<f64> = (0..1_000)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(index.search(ask).unwrap());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    let found = index.search(ask).unwrap().ids.len();
    println!("{name}: {found} ids, p50 {:.0} µs, p99 {:.0} µs", micros[500], micros[990]);
}

fn fill(dir: &Path, batch: usize) -> PostIndexWriter {
    let options = IndexOptions { memory_bytes: 64_000_000, ..options() };
    let mut writer = PostIndexWriter::create(dir, options, at(0)).unwrap();
    let mut dice = Dice(1);
    for start in (0..DOCS).step_by(batch) {
        let changes: Vec<IndexChange<PostDoc<DocTokens>>> =
            (start..start + batch as u64).map(|n| put(n, &mut dice)).collect();
        writer.apply(changes).unwrap();
        writer.commit(at(start + 1)).unwrap();
    }
    writer
}

#[test]
#[ignore = "measures; wants a release build and a quiet machine"]
fn rates() {
    let mut dice = Dice(1);
    let start = Instant::now();
    (0..DOCS).for_each(|n| drop(std::hint::black_box(put(n, &mut dice))));
    let making = start.elapsed().as_secs_f64();
    for batch in [100_000, 10_000] {
        let dir = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let writer = fill(dir.path(), batch);
        let applied = start.elapsed().as_secs_f64();
        writer.close().unwrap();
        let merged = start.elapsed().as_secs_f64();
        println!(
            "commits of {batch}: {:.0} docs/s ({:.0} without making them), {:.0} docs/s with merges, {} segments, {:.1} bytes/doc",
            DOCS as f64 / applied,
            DOCS as f64 / (applied - making),
            DOCS as f64 / (merged - making),
            segments(dir.path()),
            bytes(dir.path()) as f64 / DOCS as f64,
        );
        println!("{:?}", bytes_by_kind(dir.path()));
        let mut writer = PostIndexWriter::open(dir.path(), options(), HISTORY).unwrap();
        asks(&writer.index());
        edits(&mut writer);
    }
}

fn asks(index: &PostIndex) {
    let deep = post((DOCS / 10 * 40) << 22);
    let page = |query: Expr| PostAsk { max: 50, circle: Circle::Public, ..ask(query) };
    let followed: Vec<guanxi_model::Uid> = (1..=5_001).map(|n| uid(n * 7)).collect();
    for name in ["rare", "some", "often"] {
        time(index, &format!("{name}, first page"), &page(word(name)));
        time(index, &format!("{name}, deep page"), &PostAsk { below: Some(deep), ..page(word(name)) });
        let circle = PostAsk { circle: Circle::Of(&followed), ..page(word(name)) };
        time(index, &format!("{name}, circle of 5,001"), &circle);
    }
    let both = page(Expr::All(vec![word("often"), word("some")]));
    time(index, "often and some, first page", &both);
    time(index, "often and some, deep page", &PostAsk { below: Some(deep), ..both });
    time(index, "often by one author", &PostAsk { author: Some(uid(10)), ..page(word("often")) });
    time(index, "prefix w1234, first page", &page(Expr::Prefix("w1234".to_owned())));
    time(index, "phrase w1 w2, first page", &page(crate::world::phrase("w1 w2")));
    for name in ["rare", "some", "often"] {
        let start = Instant::now();
        let best = index.search_best(&page(word(name)), 1_000).unwrap();
        println!("best of {name}: {} hits in {:?}", best.hits.len(), start.elapsed());
    }
}

/// Documents that stand already are put again, anywhere in the archive.
fn edits(writer: &mut PostIndexWriter) {
    let mut dice = Dice(2);
    let changes: Vec<IndexChange<PostDoc<DocTokens>>> =
        (0..10_000).map(|_| put(dice.next() % DOCS, &mut dice)).collect();
    let start = Instant::now();
    writer.apply(changes).unwrap();
    writer.commit(at(DOCS + 9)).unwrap();
    println!("10,000 edits and a commit: {:?}", start.elapsed());
}

//! A page by time of an often word, in an index alone: what it costs among so many documents, and among a tenth of them.

use super::Options;
use super::fill::index_options;
use super::words::{Planted, spelled_by_zipf};
use crate::report::{Finding, Row};
use crate::run::Place;
use guanxi_load::{Latencies, Quantiles};
use guanxi_model::post::PostStats;
use guanxi_model::random::Rng;
use guanxi_model::{HistoryId, Position, PostId, Uid};
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
use guanxi_search::{DocToken, DocTokens, Expr, PostIndex, PostIndexWriter, SearchError};
use std::path::Path;
use std::time::Instant;

/// Words of a document.
const WORDS: u32 = 12;
/// Authors, the first ones of whom write far more.
const AUTHORS: f64 = 50_000.0;
/// Documents of one commit.
const BATCH: u64 = 50_000;
/// Memory for documents that are not on the disk yet.
const MEMORY_BYTES: usize = 64_000_000;
/// Pages that are asked for in a round, and before the first.
const PAGES: u32 = 1_000;
/// A document came every so many milliseconds.
const EVERY_MS: u64 = 40;

/// Measures it.
///
/// # Errors
/// When an index cannot be written or asked.
pub(super) fn measure(docs: u64, options: &Options, place: &Place) -> Result<Finding, String> {
    let docs = docs.max(10);
    let said = |error: SearchError| error.to_string();
    let mut indexes = Vec::new();
    for (name, docs) in [("tenth", docs / 10), ("whole", docs)] {
        eprintln!("indexing {docs} documents");
        let dir = place.sub(name)?;
        let start = Instant::now();
        fill(&dir, docs, options.rounds.seed).map_err(said)?;
        eprintln!("{:.0} documents/s", docs as f64 / start.elapsed().as_secs_f64());
        let writer = PostIndexWriter::open(&dir, index_options(MEMORY_BYTES), HISTORY).map_err(said)?;
        indexes.push((docs, writer.index(), writer));
    }
    let mut rounds = vec![Vec::new(); indexes.len()];
    let mut rng = Rng::new(options.rounds.seed);
    for round in 0..=options.rounds.rounds {
        for ((docs, index, _), rounds) in indexes.iter().zip(&mut rounds) {
            let quantiles = pages(index, *docs, &mut rng).map_err(said)?;
            // The first one reads the files for the first time.
            rounds.extend((round > 0).then_some(quantiles));
        }
    }
    let mut rows = Vec::new();
    let mut medians = Vec::new();
    for ((docs, ..), rounds) in indexes.iter().zip(&rounds) {
        let middle = |figure: fn(&Quantiles) -> f64| {
            guanxi_load::quantiles::median(rounds.iter().map(figure)).unwrap_or_default()
        };
        let [p50, p99] = [middle(|round| round.p50_us), middle(|round| round.p99_us)];
        rows.push(Row::new(&format!("a page among {docs} documents: p50"), p50, "us"));
        rows.push(Row::new(&format!("a page among {docs} documents: p99"), p99, "us"));
        medians.push([p50, p99]);
    }
    if let [tenth, whole] = &*medians {
        for (name, at) in [("p50", 0), ("p99", 1)] {
            let what = format!("{name} among {docs} documents beside a tenth of them");
            rows.push(Row::new(&what, whole[at] / tenth[at], "x"));
        }
    }
    let how = format!(
        "The index alone, on one core: {PAGES} pages of 50 posts with a word in 10 % of the documents, each below a moment at \
         random, in turns over both indexes; medians of {} rounds.",
        options.rounds.rounds
    );
    Ok(Finding { title: "A page of a search by time".to_owned(), how, rows })
}

const HISTORY: HistoryId = HistoryId(1);

fn fill(dir: &Path, docs: u64, seed: u64) -> Result<(), SearchError> {
    let mut writer = PostIndexWriter::create(dir, index_options(MEMORY_BYTES), Position::one(HISTORY, 0))?;
    let mut rng = Rng::new(seed);
    for first in (0..docs).step_by(BATCH as usize) {
        let some = first..docs.min(first + BATCH);
        writer.apply(some.map(|number| document(number, &mut rng)).collect::<Vec<_>>())?;
        writer.commit(Position::one(HISTORY, first + 1))?;
    }
    writer.close()
}

/// The id of a document, or of the first one after so many.
fn id_of(number: u64) -> PostId {
    PostId::new(((number + 1) * EVERY_MS) << 22).unwrap_or(PostId::MIN)
}

fn document(number: u64, rng: &mut Rng) -> IndexChange<PostDoc<DocTokens>> {
    let often = rng.below(10) == 0;
    let words = (0..WORDS).map(|position| {
        let word = if often && position == 0 { Planted::Often.word(0) } else { spelled_by_zipf(rng) };
        DocToken { word, position }
    });
    let text = words.collect();
    let author = 1 + (AUTHORS * rng.unit().powi(2)) as u64;
    IndexChange::Put(PostDoc {
        id: id_of(number),
        author: Uid::new(author).unwrap_or(Uid::MIN),
        form: PostForm::Post,
        audience: if rng.below(4) == 0 { Audience::Followers } else { Audience::Public },
        state: PostState::Live,
        created_ms: (number + 1) * EVERY_MS,
        stats: PostStats::default(),
        revision: 0,
        digest: number,
        text,
    })
}

/// Asks for pages below moments at random.
fn pages(index: &PostIndex, docs: u64, rng: &mut Rng) -> Result<Quantiles, SearchError> {
    let mut latencies = Latencies::default();
    for _ in 0..PAGES {
        let ask = PostAsk {
            query: Expr::Word(Planted::Often.word(0)),
            author: None,
            replies: None,
            from: None,
            below: Some(id_of(1 + rng.below(docs as usize) as u64)),
            circle: Circle::Public,
            max: super::POSTS_PAGE,
        };
        let start = Instant::now();
        std::hint::black_box(index.search(&ask)?);
        latencies.record(start.elapsed());
    }
    Ok(latencies.quantiles())
}

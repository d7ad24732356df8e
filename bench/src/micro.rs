//! Reads in process, through the embedded backend's ports: what a call costs without RPC, and that a page costs the
//! same wherever it starts.

use crate::calls::{Call, Operation, PAGE, Workload};
use crate::machine::runtime;
use crate::peers::guanxi::Installation;
use crate::peers::write_lines;
use crate::report::{Aim, Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::Rounds;
use guanxi_embedded::{EmbeddedStore, Options as StoreOptions};
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::quantiles::median;
use guanxi_model::random::mix;
use guanxi_model::{Cursor, Edge, List, ManualClock, Op, Page, PageStart, PairCommand, Stamp, Uid, Write};
use guanxi_ports::{Facts as _, Store as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Items of the pages whose depth is compared.
const DEPTH_PAGE: u64 = 20;
/// The pages that are compared.
const SHALLOW: u64 = 2;
/// See [`SHALLOW`].
const DEEP: u64 = 100_000;
/// The followed user.
const CELEBRITY: u64 = 1;
/// When the first follower came, in Unix seconds; one more each second.
const FIRST_S: u64 = 1_700_000_000;
/// Pages read between two measured ones, so that neither finds its blocks in a cache.
const PAGES_BETWEEN: u64 = 64;

/// Writes in flight of the grouped writes.
const WRITERS: usize = 64;

/// How the micro benchmarks run.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("seconds", |seconds| seconds.default_value("3").help("Seconds of each figure of writes")))]
#[command(mut_arg("rounds", |rounds| rounds.default_value("3")), mut_arg("warm_up", |seconds| seconds.hide(true)))]
pub(crate) struct Options {
    /// Followers of the user whose pages are read; at least 2,000,040 for page 100,000
    #[arg(long, default_value_t = 10_000_000)]
    followers: u64,
    /// Users of the graph for the other calls
    #[arg(long, default_value_t = guanxi_load::graph::USERS_DEFAULT)]
    users: u32,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("micro");
    const IS_PINNED: bool = false;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.followers, 50_000)]);
        at_most([(&mut self.users, 5_000)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let (runtime, mut installation) = (runtime()?, Installation::new(place)?);
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        installation.load(&graph)?;
        let mut rows = runtime.block_on(calls(&installation.data, &graph, &self.rounds))?;

        let followers = self.followers;
        eprintln!("a user with {followers} followers");
        let file = place.dir.join("celebrity.tsv");
        let line = |number| format!("{}\t{CELEBRITY}\t{}", follower(number), FIRST_S + number);
        write_lines(&file, (0..followers).map(line))?;
        installation.data = place.dir.join("celebrity");
        installation.import(&file)?;
        rows.extend(runtime.block_on(depth(&installation.data, followers))?);
        let how = format!(
            "Through the embedded backend's ports on one thread, warm, {} users; pages of {DEPTH_PAGE} of a user with \
             {followers} followers uncached: 1 MiB of block cache, and {PAGES_BETWEEN} other pages read between any two.",
            self.users
        );
        Ok(Finding { title: "In process".to_owned(), how, rows }.into())
    }
}

/// The n-th follower of the celebrity: ids without order.
const fn follower(number: u64) -> u64 {
    (mix(number) >> 2) + 2
}

fn open(dir: &Path, change: impl FnOnce(&mut StoreOptions)) -> Result<EmbeddedStore, String> {
    let mut options = StoreOptions::default();
    change(&mut options);
    EmbeddedStore::open(dir, options, Arc::new(ManualClock::new(1_790_000_000_000)))
        .map_err(|error| error.to_string())
}

fn uid(value: u64) -> Result<Uid, String> {
    Uid::new(value).map_err(|error| format!("{value}: {error:?}"))
}

/// Time per call of the reads that the comparison makes over RPC, and durable writes per second.
async fn calls(dir: &Path, graph: &FollowGraph, rounds: &Rounds) -> Result<Vec<Row>, String> {
    let index = Index::of(graph);
    let store = open(dir, |_| ())?;
    let mut rows = Vec::new();
    for operation in [Operation::Check, Operation::Following, Operation::Followers, Operation::Known] {
        let workload = Workload::draw(graph, &index, operation, 1, 10_000.min(graph.edges.len()));
        let mut best = Duration::MAX;
        // The first pass fills the caches; the fastest of the others has the least of other processes in it.
        for pass in 0..=rounds.rounds {
            let start = Instant::now();
            for call in &workload.calls {
                read(&store, call).await?;
            }
            if pass > 0 {
                best = best.min(start.elapsed());
            }
        }
        let us = best.as_secs_f64() * 1e6 / workload.calls.len() as f64;
        rows.push(Row::new(operation.title(), us, "us"));
    }
    for writers in [1, WRITERS] {
        let per_s = writes(&store, graph, &index, writers, rounds.time()).await?;
        rows.push(Row::new(&format!("{}, {writers} in flight", Operation::Write.title()), per_s, "calls/s"));
    }
    store.close().await.map_err(|error| format!("{error:?}"))?;
    Ok(rows)
}

/// Durable writes per second with so many in flight.
async fn writes(
    store: &EmbeddedStore,
    graph: &FollowGraph,
    index: &Index,
    writers: usize,
    time: Duration,
) -> Result<f64, String> {
    let workload = Workload::draw(graph, index, Operation::Write, 1, 10_000.min(graph.edges.len() / 8));
    let end = Instant::now() + time;
    let writer = |number: usize| {
        let units = workload.calls.chunks(2).skip(number).step_by(writers).cycle();
        async move {
            let mut done = 0_u64;
            for unit in units {
                if Instant::now() >= end {
                    break;
                }
                for call in unit {
                    write(store, call).await?;
                    done += 1;
                }
            }
            Ok::<u64, String>(done)
        }
    };
    let done = futures::future::try_join_all((0..writers).map(writer)).await?;
    Ok(done.iter().sum::<u64>() as f64 / time.as_secs_f64())
}

async fn write(store: &EmbeddedStore, call: &Call) -> Result<(), String> {
    let (op, a, b) = match *call {
        Call::Follow { a, b } => (Op::Follow, a, b),
        Call::Unfollow { a, b } => (Op::Unfollow, a, b),
        _ => return Err(format!("{call:?} is not a write")),
    };
    let command = PairCommand { op, subject: uid(a)?, object: uid(b)? };
    let answer = store.apply(Write::of(command)).await;
    match answer.map_err(|error| format!("{call:?}: {error:?}"))?.outcomes.as_slice() {
        [outcome] if outcome.result() == Ok(true) => Ok(()),
        other => Err(format!("{call:?} came to {other:?}")),
    }
}

async fn read(store: &EmbeddedStore, call: &Call) -> Result<usize, String> {
    let failed = |error: guanxi_model::Error| format!("{call:?}: {error:?}");
    let view = store.view(None).await.map_err(failed)?;
    let page = Page::new(PageStart::Newest, PAGE as i32).map_err(failed)?;
    Ok(match call {
        Call::Check { subject, objects } => {
            let objects = objects.iter().map(|&object| uid(object)).collect::<Result<Vec<_>, _>>()?;
            view.relations(uid(*subject)?, &objects).await.map_err(failed)?.len()
        }
        &Call::Following { uid: of, viewer } => {
            let items = view.list(uid(of)?, List::Following, page).await.map_err(failed)?.items;
            let objects: Vec<Uid> = items.iter().map(|item| item.uid).collect();
            view.relations(uid(viewer)?, &objects).await.map_err(failed)?.len()
        }
        &Call::Followers { uid: of } => {
            view.list(uid(of)?, List::Followers, page).await.map_err(failed)?.items.len()
        }
        &Call::Known { viewer, target } => view
            .known_followers(uid(viewer)?, uid(target)?, page, None)
            .await
            .map_err(failed)?
            .page
            .items
            .len(),
        _ => return Err(format!("{call:?} is not a read of the graph")),
    })
}

/// Time of a page near the start and of one far behind it.
async fn depth(dir: &Path, followers: u64) -> Result<Vec<Row>, String> {
    let uncached = |options: &mut StoreOptions| {
        options.block_cache_bytes = 1 << 20;
        options.first_page_cache_bytes = 0;
    };
    let store = open(dir, uncached)?;
    let pages = followers / DEPTH_PAGE;
    let deep = DEEP.min(pages - 1);
    let (mut shallow_times, mut deep_times) = (Vec::new(), Vec::new());
    for round in 0..300 {
        for number in 0..PAGES_BETWEEN {
            follower_page(&store, followers, 1 + mix(round * PAGES_BETWEEN + number) % (pages - 1)).await?;
        }
        // Taking turns in who goes first.
        let order = if round % 2 == 0 { [SHALLOW, deep] } else { [deep, SHALLOW] };
        for page in order {
            let time = follower_page(&store, followers, page).await?;
            if page == deep { deep_times.push(time) } else { shallow_times.push(time) }
        }
    }
    store.close().await.map_err(|error| format!("{error:?}"))?;
    let median_us = |times: Vec<Duration>| {
        median(times.iter().map(|time| time.as_secs_f64() * 1e6)).ok_or("no page was read")
    };
    let (shallow, deep_us) = (median_us(shallow_times)?, median_us(deep_times)?);
    Ok(vec![
        Row::new(&format!("page {SHALLOW} of the followers"), shallow, "us"),
        Row::new(&format!("page {deep} of the followers"), deep_us, "us"),
        Row::new("the second against the first", deep_us / shallow, "x").aim(Aim::AtMost(1.2)),
    ])
}

/// Reads page `number` (from 1) of the celebrity's followers and checks that it is that page.
async fn follower_page(store: &EmbeddedStore, followers: u64, number: u64) -> Result<Duration, String> {
    let failed = |error: guanxi_model::Error| format!("page {number}: {error:?}");
    // The newest follower has the highest number.
    let first = followers - 1 - (number - 1) * DEPTH_PAGE;
    let start = if number == 1 {
        PageStart::Newest
    } else {
        let at = Stamp::from_ms((FIRST_S + first + 1) * 1_000);
        PageStart::After(Cursor(Edge { at, uid: uid(follower(first + 1))? }))
    };
    let page = Page::new(start, DEPTH_PAGE as i32).map_err(failed)?;
    let begin = Instant::now();
    let view = store.view(None).await.map_err(failed)?;
    let page = view.list(uid(CELEBRITY)?, List::Followers, page).await.map_err(failed)?;
    let time = begin.elapsed();
    if page.items.first().map(|item| item.uid.get()) == Some(follower(first)) {
        Ok(time)
    } else {
        Err(format!("page {number} begins with {:?}", page.items.first()))
    }
}

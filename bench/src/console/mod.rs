//! What the console costs: how soon each page begins to come and how large it is, what it takes of a server that nobody looks at, and
//! what one operator takes who has the overview open.

mod browser;

use crate::peers::guanxi::{Installation, Running};
use crate::report::{Aim, Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use browser::{Browser, Shown, connect, exchange};
use guanxi_load::Latencies;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::http1;
use guanxi_load::quantiles::median;
use guanxi_load::usage::{ran, resident_bytes};
use guanxi_server::console::PAGES;
use guanxi_servers::pause;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a page may take to begin, and its size.
const FIRST_BYTE_MS: f64 = 50.0;
const PAGE_KB: f64 = 300.0;

/// What the console may take of a server that nobody looks at, and one looker: percent of a core, and megabytes.
const IDLE_PERCENT: f64 = 1.0;
const IDLE_MB: f64 = 1.0;

/// How long a server settles after its start.
const SETTLING: Duration = Duration::from_secs(5);

/// Authors whom the reader of the pages follows and who write, and posts of each.
const AUTHORS: usize = 100;
const POSTS: usize = 5;

/// Requests of a page before those that count.
const WARM_UP: usize = 5;

/// The lists of a user.
const LISTS: [&str; 6] = ["following", "followers", "friends", "blocks", "mutes", "requests"];

/// How the console is measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the world, about 3.2 follows each
    #[arg(long, default_value_t = 1_000_000)]
    users: u32,
    /// Requests of each page
    #[arg(long, default_value_t = 500)]
    samples: usize,
    /// Seconds for which an idle server is watched, each time
    #[arg(long, default_value_t = 30)]
    idle: u64,
    /// Seconds for which one operator has the overview open
    #[arg(long, default_value_t = 60)]
    look: u64,
    /// Idle servers, with the console and without it in turns; medians are reported
    #[arg(long, default_value_t = 3, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    rounds: usize,
    /// Seed of the world
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("console");
    const IS_PINNED: bool = false;

    fn shrink(&mut self) {
        at_most([(&mut self.users, 2_000)]);
        at_most([(&mut self.samples, 20), (&mut self.rounds, 1)]);
        at_most([(&mut self.idle, 2), (&mut self.look, 5)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        eprintln!("drawing a graph of {} users", self.users);
        let graph = FollowGraph::generate(self.users, self.seed);
        let installation = Installation::new(place)?;
        installation.load(&graph)?;
        let reader = Reader::of(&graph);
        drop(graph);
        let running = installation.serve(&[])?;
        let post = reader.fill(&running)?;
        let mut rows = self.pages(&running, &reader.paths(&post))?;
        rows.extend(self.looker(&running)?);
        end(running)?;
        rows.extend(self.idle(&installation)?);
        let how = format!(
            "A server with {} users and their follows on one disk. Each page was asked for {} times over one kept connection on the \
             loopback, for a user who follows {} others; first byte from the request on. An idle server was watched for {} s, with \
             the console and without it in turns, {} times. One operator had the overview open for {} s. Both cores.",
            self.users, self.samples, reader.follows, self.idle, self.rounds, self.look
        );
        Ok(Finding { title: "Console".to_owned(), how, rows }.into())
    }
}

/// The user whose pages are asked for, and some of those it follows.
struct Reader {
    uid: u64,
    follows: usize,
    authors: Vec<u64>,
}

impl Reader {
    /// The user that follows most.
    fn of(graph: &FollowGraph) -> Self {
        let index = Index::of(graph);
        let user = (0..graph.users).max_by_key(|user| index.following(*user).len()).unwrap_or(0);
        let following = index.following(user);
        let authors = following.iter().take(AUTHORS).map(|author| graph.uid(*author)).collect();
        Self { uid: graph.uid(user), follows: following.len(), authors }
    }

    /// Writes posts into the home of the user, and returns the last one.
    fn fill(&self, running: &Running) -> Result<String, String> {
        let mut stream = connect(running.server.address)?;
        let mut last = String::new();
        for n in 0..POSTS {
            for author in &self.authors {
                let text = format!("Post {n} of {author}: the leeks do not mind the frost. \u{5173}\u{7cfb}");
                let body = json!({ "author": author.to_string(), "text": text }).to_string();
                let request = http1::post_json("/guanxi.v1.PostService/CreatePost", &body);
                let (_, answer) = exchange(&mut stream, &request)?;
                let answer: Value =
                    serde_json::from_slice(&http1::body(&answer)?).map_err(|error| error.to_string())?;
                let post = answer.get("postId").and_then(Value::as_str);
                post.ok_or_else(|| format!("a post is refused: {answer}"))?.clone_into(&mut last);
            }
        }
        if last.is_empty() { Err("the reader follows nobody".to_owned()) } else { Ok(last) }
    }

    /// The addresses of all pages of the console that show something by themselves. Streams, files, questions before changes, and the
    /// pages of test users and of the demo are none of them.
    fn paths(&self, post: &str) -> Vec<String> {
        let is_page = |path: &str| {
            !["live", "/file", "/check", "{deed}", "/demo", "/try", "/start"]
                .iter()
                .any(|part| path.contains(part))
        };
        let pages = PAGES.iter().filter(|(path, verbs)| verbs.contains(&"get") && is_page(path));
        let other = self.authors.first().copied().unwrap_or(1);
        let filled = |path: &str| -> Vec<String> {
            let path = path.replace("{uid}", &self.uid.to_string()).replace("{post}", post);
            match path.rsplit('/').next() {
                Some("{list}") => LISTS.map(|list| path.replace("{list}", list)).to_vec(),
                Some("relation") => vec![format!("{path}?to={other}")],
                Some("explain") => vec![format!("{path}?post={post}")],
                Some("users") if path == "/users" => vec![path, "/users?q=frost".to_owned()],
                Some("posts") if path == "/posts" => vec![path, "/posts?words=frost&chart=author".to_owned()],
                _ => vec![path],
            }
        };
        pages.flat_map(|(path, _)| filled(path)).collect()
    }
}

impl Options {
    /// Asks for each page again and again.
    fn pages(&self, running: &Running, paths: &[String]) -> Result<Vec<Row>, String> {
        let mut browser = Browser::open(running.admin)?;
        let mut rows = Vec::new();
        for path in paths {
            let (mut first_bytes, mut largest) = (Latencies::default(), 0);
            for n in 0..WARM_UP + self.samples {
                let Shown { first_byte, bytes } = browser.page(path)?;
                largest = largest.max(bytes);
                if n >= WARM_UP {
                    first_bytes.record(first_byte);
                }
            }
            let quantiles = first_bytes.quantiles();
            let row = |what: &str, value, unit| Row::new(&format!("{path}: {what}"), value, unit);
            rows.extend([
                row("first byte p50", quantiles.p50_us / 1_000.0, "ms"),
                row("first byte p99", quantiles.p99_us / 1_000.0, "ms").aim(Aim::AtMost(FIRST_BYTE_MS)),
                row("size", largest as f64 / 1_000.0, "kB").aim(Aim::AtMost(PAGE_KB)),
            ]);
            eprintln!("{path}: p99 {:.1} ms, {largest} bytes", quantiles.p99_us / 1_000.0);
        }
        Ok(rows)
    }

    /// Watches a server while one operator has the overview open, and while nobody has.
    fn looker(&self, running: &Running) -> Result<Vec<Row>, String> {
        let (pid, time) = (running.server.process.pid(), Duration::from_secs(self.look));
        let browser = Browser::open(running.admin)?;
        pause(SETTLING);
        let alone = percent(pid, || pause(time));
        let mut events = Ok(0);
        let watched = percent(pid, || events = browser.listen("/live/overview", time));
        let events = events?;
        if events == 0 {
            return Err("the overview is not drawn".to_owned());
        }
        Ok(vec![
            Row::new("CPU of a server with posts that nobody looks at", alone, "% of a core"),
            Row::new("CPU of one looker at the overview", watched - alone, "% of a core")
                .aim(Aim::AtMost(IDLE_PERCENT)),
            Row::new("the overview was drawn", events as f64, "times"),
        ])
    }

    /// Watches idle servers, with the console and without it in turns.
    fn idle(&self, installation: &Installation) -> Result<Vec<Row>, String> {
        let (mut cpu, mut memory) = ([vec![], vec![]], [vec![], vec![]]);
        for _ in 0..self.rounds {
            for (place, flag) in ["--console=true", "--console=false"].into_iter().enumerate() {
                let running = installation.serve(&[flag])?;
                let pid = running.server.process.pid();
                pause(SETTLING);
                cpu[place].push(percent(pid, || pause(Duration::from_secs(self.idle))));
                memory[place].push(resident_bytes(pid) as f64 / 1e6);
                end(running)?;
            }
        }
        let middle = |values: [Vec<f64>; 2]| values.map(|values| median(values).unwrap_or(0.0));
        let ([cpu_on, cpu_off], [memory_on, memory_off]) = (middle(cpu), middle(memory));
        Ok(vec![
            Row::new("idle, CPU with the console", cpu_on, "% of a core"),
            Row::new("idle, CPU without it", cpu_off, "% of a core"),
            Row::new("idle, CPU of the console", cpu_on - cpu_off, "% of a core")
                .aim(Aim::AtMost(IDLE_PERCENT)),
            Row::new("idle, memory with the console", memory_on, "MB"),
            Row::new("idle, memory without it", memory_off, "MB"),
            Row::new("idle, memory of the console", memory_on - memory_off, "MB").aim(Aim::AtMost(IDLE_MB)),
        ])
    }
}

/// What a process takes of a core while something is done.
fn percent(pid: u32, work: impl FnOnce()) -> f64 {
    let (begun, before) = (Instant::now(), ran(pid));
    work();
    ran(pid).saturating_sub(before).as_secs_f64() / begun.elapsed().as_secs_f64() * 100.0
}

fn end(mut running: Running) -> Result<(), String> {
    running.server.process.end().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_an_address_without_gaps() {
        let reader = Reader { uid: 7, follows: 1, authors: vec![8] };
        let paths = reader.paths("9");
        assert!(paths.iter().all(|path| !path.contains('{')), "{paths:?}");
        for page in
            ["/", "/user/7/home", "/user/7/list/requests", "/post/9", "/rows/users", "/audit", "/cluster"]
        {
            assert!(paths.iter().any(|path| path == page), "{page} is not in {paths:?}");
        }
    }
}

//! All measurements in process, one after the other, as tables.

use super::fanout::{LivePost, Residence};
use super::pages::{What, asks, group_asks, measure};
use super::{Plan, Scene, celebrity, fanout, first_page, streams};
use crate::answer::Reader;
use crate::broken;
use crate::finding::{Aim, Finding, Row};
use crate::quantiles::Quantiles;
use crate::tasks::joined;
use crate::twitter::{self, Callers, Phase, PostMix, Probe, Stage, Twitter};
use crate::world::World;
use guanxi_centers::feed::{FANOUT_REST, FeedCenter};
use guanxi_centers::{Centers, Ports};
use guanxi_model::limits::GROUP_MEMBERS_MAX;
use guanxi_model::{FanoutMode, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Readers of each class whose pages are read: more than the processor's caches hold.
const READERS: usize = 1_000;
/// Readers whose deep pages are read: the right answer looks at every post of the world.
const DEEP_READERS: usize = 50;
/// Members of a group: as many as one may have.
const GROUP_SIZE: u32 = GROUP_MEMBERS_MAX;
/// A deep page lies below so many items: below every inbox.
const DEEP: usize = 400;
/// Posts of the celebrity, of which the median is reported.
const CELEBRITY_POSTS: u32 = 3;
/// Callers that post: they share commits.
const POSTERS: usize = 64;
/// Callers that read: one per core of a small machine.
const READING: usize = 2;
/// Open streams.
const STREAMS: u32 = 32;
/// What an inbox may take beside its entries.
const HEADER_BYTES: f64 = 100.0;
/// Offers without a log and a graph around them.
const BARE_OFFERS: u32 = 40_000;

/// Runs everything on a backend that holds the world. `say` is told what comes next.
///
/// # Errors
/// The first failed call or wrong page.
pub async fn run(
    backend: &Ports,
    world: &Arc<World>,
    plan: &Plan,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Finding>> {
    let feed = &backend.feed().await?;
    let scene = Scene { backend, feed, world, plan, say };
    let mut findings = vec![home_pages(scene).await?];
    let groups = group_pages(scene).await?;
    say("making inboxes resident");
    let residence = fanout::reside(scene).await?;
    let (deliveries, mut live) = deliveries(scene, &residence).await?;
    findings.push(deliveries);
    if world.celebrity {
        say("a post of the celebrity");
        findings.push(celebrity_posts(scene, &mut live).await?);
    }
    say("open streams");
    findings.push(streams::open_streams(scene).await?);
    let stage = Stage {
        // The feed center at hand, whose worker pushes.
        service: Centers { feed: feed.clone(), ..Centers::new(backend) },
        world: world.clone(),
        probe: Some(Probe::new(backend, world).await?),
    };
    let callers = Callers { readers: READING, posters: POSTERS, streams: STREAMS, time: plan.time * 2 };
    findings.extend(with_workers(feed, shapes(&stage, callers, "in process", say)).await?);
    say("inserts alone");
    let offers = fanout::offers(scene, BARE_OFFERS.min(plan.backlog)).await?;
    findings[1].rows.push(Row::new(
        "inserts of the inboxes alone, 75 readers an offer",
        offers,
        "deliveries/s",
    ));
    findings.push(groups);
    Ok(findings)
}

/// Pages of groups, which are merged at each read under every policy.
async fn group_pages(scene: Scene<'_>) -> Result<Finding> {
    let Scene { feed, world, plan, say, .. } = scene;
    say("pages of groups");
    let asks = group_asks(scene, world.readers(0).take(DEEP_READERS), GROUP_SIZE).await?;
    let pages = measure(feed, &asks, What::Group, plan).await?;
    let members = GROUP_SIZE.min(world.users.saturating_sub(1));
    let what = |what: &str| format!("{members} members: {what}");
    Ok(Finding {
        title: "Pages of groups in process".to_owned(),
        how: format!(
            "Pages of 20 ids of a group on one thread, all rules on; {} readers in random order, who follow few of the \
             members; one page in {} compared with the right one. Compare them with pages of home under pull.",
            asks.len(),
            plan.check_every
        ),
        rows: vec![
            Row::new(&what("pages of a core"), pages.per_s, "1/s"),
            Row::new(&what("mean"), 1e6 / pages.per_s, "us"),
            Row::new(&what("p50"), pages.latency.p50_us, "us"),
            Row::new(&what("p99"), pages.latency.p99_us, "us"),
        ],
    })
}

/// Runs something while the fan-out's worker pushes, on a thread of its own, and the hub reads for all streams, as in a
/// server.
async fn with_workers<T>(feed: &FeedCenter, run: impl Future<Output = Result<T>>) -> Result<T> {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(broken)?;
    let worker = feed.worker().await?;
    let push = move || {
        let stop = async {
            // A sender that is gone stops it, too.
            let _stopped = stopped.await;
        };
        runtime.block_on(worker.resting(|| std::thread::park_timeout(FANOUT_REST)).run(stop))
    };
    let pushing = std::thread::Builder::new().name("fanout".to_owned()).spawn(push).map_err(broken)?;
    let hub = feed.hub().clone();
    let reading = tokio::spawn(async move {
        hub.run(std::future::pending(), |_, rest| Box::pin(tokio::time::sleep(rest))).await;
    });
    let found = run.await;
    reading.abort();
    let _running = stop.send(());
    let panicked = |_| broken("the fan-out panicked");
    joined(tokio::task::spawn_blocking(move || pushing.join().map_err(panicked)?).await)?;
    found
}

/// The Twitter shape and the post center's mix, as tables.
///
/// # Errors
/// The first failed call.
pub async fn shapes<S: crate::service::Service>(
    stage: &Stage<S>,
    callers: Callers,
    how: &str,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Finding>> {
    say(&format!("the shape of Twitter in 2012, {how}"));
    let shape = twitter::run(stage, callers).await?;
    say(&format!("posts by id and by author, {how}"));
    let mix = twitter::post_mix(stage, callers.readers, callers.time).await?;
    Ok(vec![shape_table(&stage.world, &shape, callers, how), mix_table(&mix, callers, how)])
}

async fn home_pages(scene: Scene<'_>) -> Result<Finding> {
    let Scene { feed, world, plan, say, .. } = scene;
    let mut rows = Vec::new();
    for (mode, under) in [(FanoutMode::Pull, "pull"), (FanoutMode::Hybrid, "push")] {
        scene.settle(mode).await?;
        for (class, of) in world.classes.iter().enumerate() {
            say(&format!("pages of readers of {} under {under}", of.followees));
            let first = asks(world, world.readers(class).take(READERS), What::First);
            let pages = measure(feed, &first, What::First, plan).await?;
            let what = |what: &str| format!("{} followees, {under}: {what}", of.followees);
            let mut rate = Row::new(&what("pages of a core"), pages.per_s, "1/s");
            let mut p99 = Row::new(&what("p99"), pages.latency.p99_us, "us");
            let mut mean = Row::new(&what("mean"), 1e6 / pages.per_s, "us");
            if of.followees == 75 {
                rate = rate.aim(Aim::AtLeast(150_000.0));
                p99 = p99.aim(Aim::AtMost(25.0));
            } else if of.followees == 2_000 {
                mean = mean.aim(Aim::AtMost(40.0));
            }
            rows.extend([rate, mean, Row::new(&what("p50"), pages.latency.p50_us, "us"), p99]);
            if mode != FanoutMode::Pull {
                rows.push(Row::new(&what("from an inbox"), pages.from_inbox * 100.0, "%"));
                rows.push(Row::new(
                    &what("authors pulled beside it, at most"),
                    f64::from(pages.pulled_max),
                    "",
                ));
            }
            for (which, name, readers) in [
                (What::Below(DEEP), "deep page, mean", DEEP_READERS),
                (What::Posts, "page of posts, mean", READERS),
            ] {
                let asks = asks(world, world.readers(class).take(readers), which);
                let pages = measure(feed, &asks, which, plan).await?;
                rows.push(Row::new(&what(name), 1e6 / pages.per_s, "us"));
            }
        }
    }
    Ok(Finding {
        title: "Home pages in process".to_owned(),
        how: format!(
            "Pages of 20 ids on one thread, all rules on, 5 % of the items deleted or by a muted author; {} users, {} \
             posts; up to {READERS} readers of each class in random order, one page in {} compared with the right \
             one. Deep pages lie below {DEEP} items. Under push, pages come from inboxes and nothing is being pushed.",
            world.users, world.posts, plan.check_every
        ),
        rows,
    })
}

async fn deliveries(scene: Scene<'_>, residence: &Residence) -> Result<(Finding, Vec<LivePost>)> {
    let Scene { world, plan, say, .. } = scene;
    say("writing posts");
    let (live, creates_per_s) = fanout::backlog(scene).await?;
    say("pushing them");
    let pushed = fanout::push(scene, &live).await?;
    let Residence { stats, grown_bytes, fill_s } = *residence;
    let entries = stats.entries.max(1) as f64;
    let resident = stats.resident.max(1) as f64;
    let (grown, counted) = (grown_bytes as f64, stats.bytes as f64);
    let beyond = |bytes: f64| (bytes - HEADER_BYTES * resident) / entries;
    let twelve = Aim::AtMost(12.0);
    let rows = vec![
        Row::new("resident inboxes", stats.resident as f64, ""),
        Row::new("of them active", 100.0 * stats.active as f64 / resident, "%"),
        Row::new("items of an inbox, on average", entries / resident, ""),
        Row::new("deliveries by the fan-out's worker", pushed.per_s, "deliveries/s"),
        Row::new("deliveries per post", pushed.delivered as f64 / pushed.posts.max(1) as f64, ""),
        Row::new("pages read meanwhile by another thread, all right", pushed.checked as f64, ""),
        Row::new("durable posts while nothing is pushed", creates_per_s, "posts/s"),
        Row::new("memory per entry, headers included: growth of the process", grown / entries, "B"),
        Row::new("the same by the inboxes' own count", counted / entries, "B"),
        Row::new("per entry beyond a header of 100 B: growth of the process", beyond(grown), "B").aim(twelve),
        Row::new("per entry beyond a header of 100 B: the inboxes' own count", beyond(counted), "B")
            .aim(twelve),
        Row::new("first visits", resident / fill_s, "inboxes/s"),
    ];
    let finding = Finding {
        title: "Deliveries in process".to_owned(),
        how: format!(
            "A delivery is an id inserted into a resident inbox, counted there. {} posts of random authors, average \
             {} followees of {} users, heavy tail; inboxes hold at most {} items; the worker runs on one thread, and \
             another one reads pages and compares each with the right one.",
            pushed.posts, world.followees, world.users, plan.inbox_cap
        ),
        rows,
    };
    Ok((finding, live))
}

async fn celebrity_posts(scene: Scene<'_>, live: &mut Vec<LivePost>) -> Result<Finding> {
    let world = scene.world;
    let mut posts = Vec::new();
    for number in 0..CELEBRITY_POSTS {
        let pushed = celebrity::post(scene, number).await?;
        live.push(pushed.post);
        posts.push(pushed);
    }
    posts.sort_by(|a, b| a.push_s.total_cmp(&b.push_s));
    let middle = posts[posts.len() / 2];
    let followers = f64::from(world.users + world.fans);
    Ok(Finding {
        title: "A post of a celebrity, in process".to_owned(),
        how: format!(
            "{CELEBRITY_POSTS} posts of an author whom all users follow, {} of them with a resident inbox and active; \
             the median. Visible: the home pages of randomly drawn followers, read after the acknowledgement and \
             before anything was pushed.",
            world.users
        ),
        rows: vec![
            Row::new("followers", followers, ""),
            Row::new("followers asked at acknowledgement", middle.seen as f64, ""),
            Row::new("share of them who saw it", 100.0, "%").aim(Aim::AtLeast(100.0)),
            Row::new("deliveries", middle.delivered as f64, ""),
            Row::new("pushed to all active followers in", middle.push_s, "s").aim(Aim::AtMost(1.0)),
        ],
    })
}

fn shape_table(world: &World, shape: &Twitter, callers: Callers, how: &str) -> Finding {
    let mut rows = vec![
        Row::new("scale: share of 300k reads/s and 4.6k posts/s at most", shape.scale, "x"),
        Row::new("home reads at most, posts in proportion", shape.most.reads_per_s, "1/s"),
        Row::new("posts meanwhile, each durable", shape.most.posts_per_s, "1/s"),
    ];
    let phases = [
        ("average", Some(&shape.average)),
        ("celebrity", shape.celebrity.as_ref()),
        ("peak", Some(&shape.peak)),
    ];
    for (name, phase) in phases.into_iter().filter_map(|(name, phase)| Some((name, phase?))) {
        rows.extend(phase_rows(name, phase));
    }
    if let Some(beside) = &shape.celebrity {
        let factor = |during: Quantiles, before: Quantiles| during.p99_us / before.p99_us;
        let (during, before) = (beside.stream_lag, shape.average.stream_lag);
        let within = Aim::AtMost(2.0);
        let lag = |what: &str| format!("p99 lag to {what} while the celebrity posts, against before");
        if shape.average.inbox_lag.count > 0 {
            let inbox = factor(beside.inbox_lag, shape.average.inbox_lag);
            rows.push(Row::new(&lag("an inbox"), inbox, "x").aim(within));
        }
        // A stream may show a post before its writer has the answer: that is no lag at all.
        if before.p99_us > 0.0 {
            rows.push(Row::new(&lag("an open stream"), factor(during, before), "x").aim(within));
        }
    }
    rows.push(Row::new("posts that an open stream missed", shape.missed as f64, "").aim(Aim::AtMost(0.0)));
    Finding {
        title: format!("The shape of Twitter in 2012, {how}"),
        how: format!(
            "{} users who follow {} others on average (heavy tail), {} readers and {} posters calling, {} open \
             streams, {} s a phase. At most: as fast as it goes, one post for 65 reads. Average and peak: 60 % of that \
             in an open loop, 4.6k and 12k posts for 300k reads. Celebrity: average, and an author whom everybody \
             follows posts each second. Lag counts from a post's acknowledgement, and is of other authors' posts.",
            world.users,
            world.followees,
            callers.readers,
            callers.posters,
            callers.streams,
            callers.time.as_secs_f64()
        ),
        rows,
    }
}

fn phase_rows(name: &str, phase: &Phase) -> Vec<Row> {
    let mut rows = vec![
        Row::new(&format!("{name}: home reads"), phase.reads_per_s, "1/s"),
        Row::new(&format!("{name}: posts"), phase.posts_per_s, "1/s"),
    ];
    let parts = [
        ("home read", phase.read),
        ("post", phase.create),
        ("lag to an inbox", phase.inbox_lag),
        ("lag to an open stream", phase.stream_lag),
    ];
    for (what, found) in parts.into_iter().filter(|(_, found)| found.count > 0) {
        for (quantile, us) in [("p50", found.p50_us), ("p99", found.p99_us), ("max", found.max_us)] {
            rows.push(Row::new(&format!("{name}: {what}, {quantile}"), us, "us"));
        }
    }
    rows
}

fn mix_table(mix: &PostMix, callers: Callers, how: &str) -> Finding {
    Finding {
        title: format!("The post center's mix, {how}"),
        how: format!(
            "90 % posts by id, 10 % the newest 20 of an author, {} callers, {} s.",
            callers.readers,
            callers.time.as_secs_f64()
        ),
        rows: vec![
            Row::new("calls", mix.per_s, "1/s"),
            Row::new("by id, p50", mix.get.p50_us, "us"),
            Row::new("by id, p99", mix.get.p99_us, "us"),
            Row::new("by author, p50", mix.list.p50_us, "us"),
            Row::new("by author, p99", mix.list.p99_us, "us"),
        ],
    }
}

/// Home pages as fast as callers get them, as a table.
///
/// # Errors
/// The first failed call.
pub async fn closed_pages<S: crate::service::Service>(
    stage: &Stage<S>,
    connections: &[usize],
    time: Duration,
    how: &str,
) -> Result<Finding> {
    let mut rows = Vec::new();
    for &callers in connections {
        let (per_s, found) = twitter::home_pages(stage, callers, time).await?;
        rows.push(Row::new(&format!("{callers} callers: pages"), per_s, "1/s"));
        for (quantile, us) in [("p50", found.p50_us), ("p99", found.p99_us), ("p99.9", found.p999_us)] {
            rows.push(Row::new(&format!("{callers} callers: {quantile}"), us, "us"));
        }
    }
    Ok(Finding {
        title: format!("Home pages, {how}"),
        how: format!(
            "The newest 20 ids of random users, each caller with one call at a time, {} s.",
            time.as_secs_f64()
        ),
        rows,
    })
}

/// Reads one home of a directory whose opening began at `start`. What was posted meanwhile stands above the world's
/// past, which is compared.
///
/// # Errors
/// When the store cannot be read, or the page is wrong.
pub async fn opening(ports: &Ports, world: &World, start: Instant) -> Result<Finding> {
    let reader = Reader::new(world, world.readers(0).start);
    let feed = ports.feed().await?;
    let opened = start.elapsed();
    let home = feed.home(reader.uid(), first_page(), None).await?;
    let first = start.elapsed().saturating_sub(opened);
    let last_ms = world.post(world.posts - 1).at_ms;
    let past: Vec<_> = home.ids.iter().copied().filter(|id| id.ms() <= last_ms).collect();
    if home.ids.is_empty() || past != reader.page(None, past.len()) {
        return Err(broken(format_args!("the first page after opening is {:?}", home.ids)));
    }
    let total = (opened + first).as_secs_f64();
    Ok(Finding {
        title: "First page after opening, in process".to_owned(),
        how: format!(
            "A directory of {} users, {} posts, closed cleanly and opened again; the page of a reader is compared with \
             the right one.",
            world.users + world.fans,
            world.posts
        ),
        rows: vec![
            Row::new("open", opened.as_secs_f64() * 1e3, "ms"),
            Row::new("first correct page after it", first.as_secs_f64() * 1e3, "ms")
                .aim(Aim::AtMost(1_000.0)),
            Row::new("both", total * 1e3, "ms"),
        ],
    })
}

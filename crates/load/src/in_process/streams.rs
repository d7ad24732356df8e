//! Open home streams: what an event that concerns none of them costs, and what each takes of memory.

use super::Scene;
use super::fanout::draft;
use crate::finding::{Finding, Row};
use crate::usage::{ran, resident_bytes};
use guanxi_centers::Ports;
use guanxi_centers::feed::HomeUpdates;
use guanxi_model::{Result, Uid};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Open streams, of as many users; fewer in a world that has fewer.
const STREAMS: [u32; 2] = [2_000, 10_000];
/// Posts of strangers that are measured, one after the other.
const POSTS: u64 = 200;
/// The first stranger: above all uids of a world.
const FIRST_STRANGER: u64 = 1 << 62;
/// How often it is looked whether everything has come to rest.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// CPU time between two looks that is rest: what a store does of itself.
const REST: Duration = Duration::from_millis(1);
/// Looks without rest after which the measurement goes on all the same.
const LOOKS_MAX: u32 = 600;

/// Opens streams, and measures posts of authors without followers beside those without any stream open.
///
/// # Errors
/// The first failed call.
pub(super) async fn open_streams(Scene { backend, feed, world, .. }: Scene<'_>) -> Result<Finding> {
    let mut strangers = FIRST_STRANGER..;
    // What is read and kept at the first visit is no stream's.
    for viewer in 0..world.users.min(STREAMS[STREAMS.len() - 1]) {
        feed.unread(world.uid(viewer), 1, None).await?;
    }
    post(backend, &mut strangers).await?;
    settle().await;
    let alone = posts(backend, &mut strangers).await?;
    let mut rows = vec![Row::new("a post of a stranger, CPU, without streams", alone, "us")];
    let mut counts = STREAMS.map(|count| count.min(world.users)).to_vec();
    counts.dedup();
    for count in counts {
        let before = resident_bytes(std::process::id());
        let mut tasks: Vec<JoinHandle<Result<HomeUpdates>>> = Vec::new();
        for viewer in 0..count {
            let mut stream = feed.stream(world.uid(viewer), None).await?;
            tasks.push(tokio::spawn(async move { stream.next().await }));
        }
        settle().await;
        post(backend, &mut strangers).await?;
        settle().await;
        let grown = resident_bytes(std::process::id()).saturating_sub(before);
        let beside = posts(backend, &mut strangers).await?;
        for task in tasks {
            task.abort();
            // An aborted task is what is wanted.
            let _aborted = task.await;
        }
        let what = |what: &str| format!("{count} open streams: {what}");
        rows.push(Row::new(&what("a post of a stranger, CPU"), beside, "us"));
        rows.push(Row::new(
            &what("memory of each, by growth of the process"),
            grown as f64 / f64::from(count),
            "B",
        ));
    }
    Ok(Finding {
        title: "Open home streams, in process".to_owned(),
        how: format!(
            "Streams of users who follow {} others on average, each waiting on a task of its own; {POSTS} durable posts, \
             one after the other, of authors whom nobody follows. CPU is of the whole process, from before the first \
             post until everything rests.",
            world.followees
        ),
        rows,
    })
}

/// Microseconds of CPU per post.
async fn posts(backend: &Ports, strangers: &mut impl Iterator<Item = u64>) -> Result<f64> {
    let before = ran(std::process::id());
    for _ in 0..POSTS {
        post(backend, strangers).await?;
    }
    settle().await;
    Ok(ran(std::process::id()).saturating_sub(before).as_secs_f64() * 1e6 / POSTS as f64)
}

async fn post(backend: &Ports, strangers: &mut impl Iterator<Item = u64>) -> Result<()> {
    let author = Uid::new(strangers.next().unwrap_or(FIRST_STRANGER))?;
    backend.post_center().create(draft(author, "a stranger's".to_owned()), None).await?;
    Ok(())
}

/// Waits until the process rests.
async fn settle() {
    let mut last = ran(std::process::id());
    for _ in 0..LOOKS_MAX {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = ran(std::process::id());
        if now.saturating_sub(last) < REST {
            return;
        }
        last = now;
    }
}

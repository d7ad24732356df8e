//! Redis 7 with sorted sets, and with hashes.

use super::{Server, Size};
use crate::machine::disk_bytes;
use crate::run::Place;
use crate::wire::Request;
use crate::wire::connection::Line;
use crate::wire::redis::{Layout, Redis, followers_key, following_key};
use crate::wire::resp::{Reply, command, last};
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_servers::{Process, free_address, output_of, pause};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Settings that differ from the defaults: every write is on disk before it is answered, no snapshots beside that,
/// and no rewrite of the log during a measurement (which favours Redis).
const SETTINGS: [&str; 12] = [
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
    "--auto-aof-rewrite-percentage",
    "0",
    "--bind",
    "127.0.0.1",
    "--protected-mode",
    "yes",
];
/// Items of one command while loading.
const PIPELINE: usize = 1_000;
/// Bytes of commands that are sent in one write while loading.
const LOAD_BYTES: usize = 1 << 20;

/// What the report calls a layout.
pub(crate) const fn name(layout: Layout) -> &'static str {
    match layout {
        Layout::SortedSets => "Redis sorted sets",
        Layout::Hashes => "Redis hashes",
        Layout::Lists => "Redis lists",
    }
}

/// The directory of a layout.
fn dir(place: &Place, layout: Layout) -> Result<PathBuf, String> {
    place.sub(&name(layout).replace(' ', "-"))
}

/// Starts an empty Redis with settings that differ from the defaults.
pub(crate) fn boot(place: &Place, layout: Layout, settings: &[&str]) -> Result<Server, String> {
    let dir = dir(place, layout)?;
    let address = free_address()?;
    let mut redis = Command::new("redis-server");
    redis.args(["--port", &address.port().to_string(), "--dir"]).arg(&dir).args(settings);
    let mut process = Process::start(&redis, place.is_pinned, &dir.with_extension("log"), Signal::TERM)?;
    process.wait_listening(address)?;
    let version = output_of(Command::new("redis-server").arg("--version"), false)?;
    Ok(Server {
        name: name(layout),
        version: version.split(" sha=").next().unwrap_or(&version).trim().to_owned(),
        settings: settings.chunks(2).map(|pair| format!("{}={}", &pair[0][2..], pair[1])).collect(),
        address,
        protocol: Box::new(Redis(layout)),
        process,
        beside: None,
    })
}

/// Starts an empty Redis, loads the graph in one layout, and answers what it takes in memory and on disk.
pub(crate) fn start(
    place: &Place,
    graph: &FollowGraph,
    index: &Index,
    layout: Layout,
) -> Result<(Server, Vec<Size>), String> {
    let server = boot(place, layout, &SETTINGS)?;
    let mut line = server.line()?;
    let edges = graph.edges.len() as u64;
    let size = |what: &str, bytes| Size::new(name(layout), what, bytes, edges);
    let empty = used_memory(&mut line)?;
    // Times are taken from the order of a list, which is newest first: it is all that answers depend on.
    let scored = |list: &[u32]| {
        let times = (1_700_000_001..=1_700_000_000 + list.len() as u64).rev();
        list.iter().map(|user| graph.uid(*user)).zip(times).collect::<Vec<_>>()
    };
    let users = || (0..graph.users).map(|user| (user, graph.uid(user)));
    fill(&mut line, layout, users().map(|(user, uid)| (following_key(uid), scored(index.following(user)))))?;
    let forward = used_memory(&mut line)?;
    fill(&mut line, layout, users().map(|(user, uid)| (followers_key(uid), scored(index.followers(user)))))?;
    let both = used_memory(&mut line)?;
    rewrite_log(&mut line)?;
    let sizes = vec![
        size("memory: following only", forward.saturating_sub(empty)),
        size("memory: following and followers", both.saturating_sub(empty)),
        size("disk: rewritten append-only file", disk_bytes(&dir(place, layout)?)),
    ];
    drop(line);
    Ok((server, sizes))
}

/// Fills keys with ids and times, and answers how many.
pub(crate) fn fill(
    line: &mut Line<'_>,
    layout: Layout,
    keys: impl Iterator<Item = (Vec<u8>, Vec<(u64, u64)>)>,
) -> Result<u64, String> {
    let name: &[u8] = match layout {
        Layout::SortedSets => b"ZADD",
        Layout::Hashes => b"HSET",
        Layout::Lists => b"RPUSH",
    };
    let (mut request, mut entries) = (Request::default(), 0);
    for (key, items) in keys {
        entries += items.len() as u64;
        for items in items.chunks(PIPELINE) {
            let words = items.iter().flat_map(|&(id, at)| match layout {
                Layout::SortedSets => vec![at, id],
                Layout::Hashes => vec![id, at],
                Layout::Lists => vec![id],
            });
            let words: Vec<String> = words.map(|word| word.to_string()).collect();
            let mut parts: Vec<&[u8]> = vec![name, &key];
            parts.extend(words.iter().map(String::as_bytes));
            command(&mut request, &parts);
        }
        if request.bytes.len() > LOAD_BYTES {
            line.exchange(&std::mem::take(&mut request))?;
        }
    }
    line.exchange(&request)?;
    Ok(entries)
}

/// The reply to one command.
pub(crate) fn ask(line: &mut Line<'_>, parts: &[&[u8]]) -> Result<Reply, String> {
    let mut request = Request::default();
    command(&mut request, parts);
    last(&line.exchange(&request)?)
}

/// A number of the INFO command.
fn info(line: &mut Line<'_>, field: &str) -> Result<u64, String> {
    let Reply::Bulk(Some(text)) = ask(line, &[b"INFO"])? else { return Err("INFO says nothing".to_owned()) };
    let text = String::from_utf8_lossy(&text);
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    value.and_then(|value| value.trim().parse().ok()).ok_or_else(|| format!("INFO has no {field}"))
}

/// Bytes that the server has allocated for data.
pub(crate) fn used_memory(line: &mut Line<'_>) -> Result<u64, String> {
    info(line, "used_memory")
}

/// Rewrites the log as a snapshot: the smallest that it gets.
fn rewrite_log(line: &mut Line<'_>) -> Result<(), String> {
    ask(line, &[b"BGREWRITEAOF"])?;
    loop {
        pause(Duration::from_millis(100));
        let busy = info(line, "aof_rewrite_in_progress")? + info(line, "aof_rewrite_scheduled")?;
        if busy == 0 {
            return Ok(());
        }
    }
}

//! Redis 7 with sorted sets, and with hashes.

use super::{Place, Server, Size};
use crate::machine::disk_bytes;
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
/// Commands that are sent in one write while loading.
const PIPELINE: usize = 1_000;

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
    let mut process = Process::start(&redis, place.pinned, &dir.with_extension("log"), Signal::TERM)?;
    process.wait_listening(address)?;
    let version = output_of(Command::new("redis-server").arg("--version"), false)?;
    Ok(Server {
        name: name(layout),
        version: version.split(" sha=").next().unwrap_or(&version).trim().to_owned(),
        settings: settings.chunks(2).map(|pair| format!("{}={}", &pair[0][2..], pair[1])).collect(),
        address,
        protocol: Box::new(Redis(layout)),
        process,
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
    let size =
        |what: &str, bytes| Size { system: name(layout).to_owned(), what: what.to_owned(), bytes, edges };
    let empty = used_memory(&mut line)?;
    load(&mut line, graph, layout, |user| (following_key(graph.uid(user)), index.following(user)))?;
    let forward = used_memory(&mut line)?;
    load(&mut line, graph, layout, |user| (followers_key(graph.uid(user)), index.followers(user)))?;
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

/// Writes one list per user. Times are taken from the order of the list, which is all that answers depend on.
fn load<'a>(
    line: &mut Line<'_>,
    graph: &FollowGraph,
    layout: Layout,
    list: impl Fn(u32) -> (Vec<u8>, &'a [u32]),
) -> Result<(), String> {
    let mut request = Request::default();
    for user in 0..graph.users {
        let (key, items) = list(user);
        for chunk in items.chunks(PIPELINE).enumerate() {
            let words = entries(graph, layout, chunk, items.len());
            let name: &[u8] = if layout == Layout::SortedSets { b"ZADD" } else { b"HSET" };
            let mut parts: Vec<&[u8]> = vec![name, &key];
            parts.extend(words.iter().map(Vec::as_slice));
            command(&mut request, &parts);
        }
        if request.replies as usize >= PIPELINE {
            line.exchange(&std::mem::take(&mut request))?;
        }
    }
    line.exchange(&request).map(|_| ())
}

/// Score and member, or field and value, of each item of a chunk of a list that is newest first.
fn entries(graph: &FollowGraph, layout: Layout, (chunk, items): (usize, &[u32]), len: usize) -> Vec<Vec<u8>> {
    let mut words = Vec::with_capacity(items.len() * 2);
    for (place, &item) in items.iter().enumerate() {
        let uid = graph.uid(item).to_string().into_bytes();
        let at_s = (1_700_000_000 + len - (chunk * PIPELINE + place)).to_string().into_bytes();
        words.extend(if layout == Layout::SortedSets { [at_s, uid] } else { [uid, at_s] });
    }
    words
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

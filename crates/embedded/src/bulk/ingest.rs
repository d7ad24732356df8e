//! Writing the tables from the sorted edges, user by user.

use super::sort::SortedRows;
use crate::engine::{Engine, EngineError, EngineResult, PutRow, Table};
use crate::failpoints;
use crate::layout::{COUNTERS, CountersValue, ForwardValue, forward_key, reverse_key, user_key};
use crate::progress::ProgressMeter;
use guanxi_model::{Counts, Edge, Stamp, Uid};
use std::io;
use std::iter::Peekable;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Reverse edges handed over at a time: a few milliseconds of work.
const BATCH_EDGES: usize = 1 << 15;

/// Batches that may wait for the second thread.
const BATCHES_WAITING: usize = 4;

/// Reverse edges of whole users as `[object, !at, !subject]`, which sorts as the table's keys do.
type EdgeBatch = Vec<[u64; 3]>;

/// The other user of an edge, and its time.
type Other = (u64, u64);

/// Writes forward edges, reverse edges and counters. `clock` is the version of edges whose own time lies ahead.
pub(super) fn ingest(
    engine: &Engine,
    by_subject: SortedRows<3>,
    by_object: SortedRows<3>,
    clock: Stamp,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BATCHES_WAITING);
        let reverse = scope.spawn(move || write_reverse(engine, &receiver));
        let users = Users { follows: by_subject.peekable(), followers: by_object.peekable() };
        let forward = write_forward(engine, users, clock, sender, meter);
        let reverse = reverse.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // When the second thread fails, the first one only notices that its channel is closed.
        reverse.and(forward)
    })
}

/// Both sorted lists, merged by user.
struct Users {
    follows: Peekable<SortedRows<3>>,
    followers: Peekable<SortedRows<3>>,
}

impl Users {
    /// The next user with an edge: fills in whom it follows and who follows it, both by uid.
    fn next(&mut self, follows: &mut Vec<Other>, followers: &mut Vec<Other>) -> io::Result<Option<u64>> {
        let heads = [head(&mut self.follows)?, head(&mut self.followers)?];
        let Some(uid) = heads.into_iter().flatten().min() else { return Ok(None) };
        take(&mut self.follows, uid, follows)?;
        take(&mut self.followers, uid, followers)?;
        Ok(Some(uid))
    }
}

fn head(edges: &mut Peekable<SortedRows<3>>) -> io::Result<Option<u64>> {
    match edges.next_if(Result::is_err) {
        Some(failed) => failed.map(|_| None),
        None => Ok(edges.peek().and_then(|edge| edge.as_ref().ok()).map(|edge| edge[0])),
    }
}

fn take(edges: &mut Peekable<SortedRows<3>>, uid: u64, into: &mut Vec<Other>) -> io::Result<()> {
    into.clear();
    while let Some(edge) = edges.next_if(|edge| edge.as_ref().map_or(true, |edge| edge[0] == uid)) {
        let [_, other, at] = edge?;
        into.push((other, at));
    }
    Ok(())
}

/// Writes forward edges and counters, and hands the reverse edges on.
fn write_forward(
    engine: &Engine,
    mut users: Users,
    clock: Stamp,
    reverse: SyncSender<EdgeBatch>,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<()> {
    engine.ingest(Table::Records, |put_record| {
        engine.ingest(Table::Forward, |put_forward| {
            let (mut follows, mut followers) = (Vec::new(), Vec::new());
            let mut batch = EdgeBatch::with_capacity(BATCH_EDGES);
            while let Some(raw) = users.next(&mut follows, &mut followers)? {
                let uid = uid_of(raw)?;
                let friends = put_follows(uid, &follows, &followers, clock, put_forward)?;
                let counts = Counts {
                    following: follows.len() as u32,
                    followers: followers.len() as u64,
                    friends,
                    ..Counts::default()
                };
                put_record(
                    &user_key(COUNTERS, uid),
                    &CountersValue { counts, ..CountersValue::default() }.encode(),
                )?;
                meter.rows((follows.len() + followers.len()) as u64);
                batch.extend(followers.iter().map(|&(subject, at)| [raw, !at, !subject]));
                if batch.len() >= BATCH_EDGES {
                    hand_over(
                        &reverse,
                        std::mem::replace(&mut batch, EdgeBatch::with_capacity(BATCH_EDGES)),
                    )?;
                }
            }
            hand_over(&reverse, batch)
        })?;
        drop(reverse);
        failpoints::pass(failpoints::BULK_FORWARD);
        Ok(())
    })
}

/// Writes the follows of one user with their mutual marks, and returns how many are mutual.
fn put_follows(
    subject: Uid,
    follows: &[Other],
    followers: &[Other],
    clock: Stamp,
    put: &mut PutRow<'_>,
) -> EngineResult<u32> {
    let mut followers = followers.iter().peekable();
    let mut friends = 0;
    for &(object, at) in follows {
        while followers.next_if(|follower| follower.0 < object).is_some() {}
        let back = followers.next_if(|follower| follower.0 == object);
        friends += u32::from(back.is_some());
        let at = Stamp::from_raw(at);
        let value = ForwardValue {
            at,
            version: at.min(clock),
            friends_since: back.map(|&(_, back)| Stamp::from_raw(back).max(at)),
        };
        put(&forward_key(subject, uid_of(object)?), &value.encode())?;
    }
    Ok(friends)
}

fn hand_over(reverse: &SyncSender<EdgeBatch>, batch: EdgeBatch) -> EngineResult<()> {
    reverse.send(batch).map_err(|_| EngineError::Stopped)
}

/// Writes the reverse edges.
fn write_reverse(engine: &Engine, batches: &Receiver<EdgeBatch>) -> EngineResult<()> {
    engine.ingest(Table::Reverse, |put| {
        for mut batch in batches {
            batch.sort_unstable();
            for [object, at, subject] in batch {
                let edge = Edge { at: Stamp::from_raw(!at), uid: uid_of(!subject)? };
                put(&reverse_key(uid_of(object)?, edge), &[])?;
            }
        }
        Ok(())
    })
}

/// Sorted runs hold what was a uid when it was written.
fn uid_of(raw: u64) -> EngineResult<Uid> {
    Uid::new(raw).map_err(|_| EngineError::Damaged("a sorted run holds a wrong uid".into()))
}

//! The load generator: many connections driven by one thread, in a closed or an open loop.
//!
//! *Closed*: every connection sends its next call when the last is answered; this finds the most that a server can
//! do. *Open*: calls are due at fixed times, however slow the server is, and latency counts from when a call was due.
//! So a server that stalls is charged for every call that had to wait (no coordinated omission).

mod figures;
#[cfg(test)]
mod tests;

use crate::calls::{Answer, Call, Workload};
use crate::machine::{self, runtime};
use crate::peers::Target;
use crate::wire::connection::Connection;
use crate::wire::{Protocol, Request};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

pub(crate) use figures::Figures;
use figures::Recorder;

/// One answer in so many is decoded and compared with the right one.
const CHECK_EVERY: u64 = 64;

/// Calls, encoded for one system.
pub(crate) struct Prepared {
    calls: Vec<Call>,
    requests: Vec<Request>,
    answers: Option<Vec<Answer>>,
    unit: usize,
}

impl Prepared {
    /// Encodes a workload, of which so many calls belong together.
    pub(crate) fn new(protocol: &dyn Protocol, workload: &Workload, unit: usize) -> Self {
        Self {
            requests: workload.calls.iter().map(|call| protocol.request(call)).collect(),
            calls: workload.calls.clone(),
            answers: Some(workload.answers.clone()),
            unit,
        }
    }

    /// Takes the right answers away, for a server that does not know the graph.
    pub(crate) fn without_answers(self) -> Self {
        Self { answers: None, ..self }
    }
}

/// How load is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Connections, opened before the clock starts.
    pub(crate) connections: usize,
    /// Load that is not counted.
    pub(crate) warm_up: Duration,
    /// Load that is counted.
    pub(crate) measure: Duration,
    /// Calls per second of the open loop; `None` is the closed loop.
    pub(crate) rate: Option<f64>,
}

/// Runs a plan against a target.
///
/// # Errors
/// The first failed call or wrong answer ends the run.
pub(crate) fn run(target: &Target<'_>, prepared: &Prepared, plan: Plan) -> Result<Figures, String> {
    let units = prepared.calls.len() / prepared.unit;
    if units < plan.connections {
        return Err(format!("{units} units of calls are too few for {} connections", plan.connections));
    }
    runtime()?.block_on(drive(target, prepared, plan))
}

/// What all connections share. They run on one thread.
struct Shared {
    recorder: RefCell<Recorder>,
    stop: Cell<bool>,
    failure: RefCell<Option<String>>,
    /// When calls of the open loop were due; one permit of `arrived` stands for each.
    due: RefCell<VecDeque<Instant>>,
    arrived: Semaphore,
}

async fn drive(target: &Target<'_>, prepared: &Prepared, plan: Plan) -> Result<Figures, String> {
    let shared = Shared {
        recorder: RefCell::default(),
        stop: Cell::new(false),
        failure: RefCell::new(None),
        due: RefCell::default(),
        arrived: Semaphore::new(0),
    };
    let workers = FuturesUnordered::new();
    for number in 0..plan.connections {
        let connection = Connection::open(target.address, target.protocol).await?;
        let feed = Feed { prepared, next: number * prepared.unit, stride: plan.connections * prepared.unit };
        workers.push(worker(connection, feed, &shared, plan.rate.is_some()));
    }
    let pacer = async {
        if let Some(rate) = plan.rate {
            pace(&shared, rate).await;
        }
    };
    let clock = async {
        tokio::time::sleep(plan.warm_up).await;
        let before = Usage::of(target);
        shared.recorder.borrow_mut().start();
        wait_or_failure(&shared, plan.measure).await;
        shared.recorder.borrow_mut().stop();
        let used = Usage::of(target).since(&before);
        shared.stop.set(true);
        shared.arrived.close();
        used
    };
    let (used, (), ()) = futures::join!(clock, pacer, workers.collect::<()>());
    if let Some(failure) = shared.failure.take() {
        return Err(failure);
    }
    shared.recorder.borrow().figures(used.server, used.client)
}

/// Waits, but not for nothing when a call failed.
async fn wait_or_failure(shared: &Shared, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end && shared.failure.borrow().is_none() {
        let rest = end.saturating_duration_since(Instant::now());
        tokio::time::sleep(rest.min(Duration::from_millis(100))).await;
    }
}

/// Runs one connection until the end; a unit that was begun is finished, so that writes take themselves back.
async fn worker(mut connection: Connection<'_>, mut feed: Feed<'_>, shared: &Shared, open: bool) {
    while !shared.stop.get() || feed.inside_unit() {
        let due = if open && !shared.stop.get() {
            match shared.arrived.acquire().await {
                Ok(permit) => permit.forget(),
                Err(_closed) => continue,
            }
            shared.due.borrow_mut().pop_front().expect("one due time per permit")
        } else {
            Instant::now()
        };
        let (call, request, answer) = feed.next();
        let right = answer.filter(|_| shared.recorder.borrow_mut().tick(CHECK_EVERY));
        let answered = connection.call(call, request, right.is_some()).await;
        match answered.and_then(|answer| compare(answer, right)) {
            Ok(()) => shared.recorder.borrow_mut().record(due.elapsed()),
            Err(error) => {
                let text = format!("{call:?}: {error}");
                shared.failure.borrow_mut().get_or_insert(text);
                shared.stop.set(true);
                shared.arrived.close();
                return;
            }
        }
    }
}

/// Refuses an answer that is not the right one, if both are known.
fn compare(answer: Option<Answer>, right: Option<&Answer>) -> Result<(), String> {
    match answer.zip(right) {
        Some((answer, right)) if answer != *right => Err(format!("answered {answer:?} instead of {right:?}")),
        _ => Ok(()),
    }
}

/// Announces calls at a fixed rate. It spins, since timers of a millisecond are too coarse for it; it has a core to
/// share with the connections only, and yields to them on every turn.
async fn pace(shared: &Shared, rate: f64) {
    let start = Instant::now();
    let mut announced = 0_u64;
    while !shared.stop.get() {
        // The first is due at the start.
        let due_by_now = (start.elapsed().as_secs_f64() * rate) as u64 + 1;
        while announced < due_by_now {
            let due = start + Duration::from_secs_f64(announced as f64 / rate);
            shared.due.borrow_mut().push_back(due);
            shared.arrived.add_permits(1);
            announced += 1;
        }
        tokio::task::yield_now().await;
    }
}

/// The calls of one connection: every n-th unit, so that no two connections ever work on the same pair.
struct Feed<'a> {
    prepared: &'a Prepared,
    next: usize,
    stride: usize,
}

impl<'a> Feed<'a> {
    const fn inside_unit(&self) -> bool {
        !self.next.is_multiple_of(self.prepared.unit)
    }

    fn next(&mut self) -> (&'a Call, &'a Request, Option<&'a Answer>) {
        let at = self.next;
        self.next += 1;
        if !self.inside_unit() {
            let first = self.next - self.prepared.unit;
            let after = first + self.stride;
            // From the end back to this connection's first unit.
            self.next = if after < self.prepared.calls.len() { after } else { first % self.stride };
        }
        let prepared = self.prepared;
        (&prepared.calls[at], &prepared.requests[at], prepared.answers.as_ref().map(|answers| &answers[at]))
    }
}

/// CPU time of both sides.
struct Usage {
    server: Duration,
    client: Duration,
}

impl Usage {
    fn of(target: &Target<'_>) -> Self {
        let servers = [Some(target.pid), target.beside];
        let server = servers.into_iter().flatten().map(machine::cpu_of_tree).sum();
        Self { server, client: machine::cpu_of_self() }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            server: self.server.saturating_sub(before.server),
            client: self.client.saturating_sub(before.client),
        }
    }
}

//! The load generator: many connections driven by one thread, in a closed or an open loop.
//!
//! *Closed*: every connection sends its next call when the last is answered; this finds the most that a server can
//! do. *Open*: calls are due at fixed times, however slow the server is, and latency counts from when a call was due.
//! So a server that stalls is charged for every call that had to wait (no coordinated omission).

mod figures;
#[cfg(test)]
mod tests;

use crate::calls::{Answer, Call, Workload};
use crate::machine::runtime;
use crate::peers::Target;
use crate::wire::connection::Connection;
use crate::wire::{Protocol, Request};
use futures::TryStreamExt;
use futures::stream::FuturesUnordered;
use guanxi_load::open_loop::Arrivals;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use figures::Recorder;
pub(crate) use figures::{Figures, Usage};

/// One answer in so many is decoded and compared with the right one.
pub(crate) const CHECK_EVERY: u64 = 64;

/// Calls, encoded for one system.
pub(crate) struct Prepared {
    calls: Vec<Call>,
    requests: Vec<Request>,
    answers: Option<Vec<Answer>>,
    unit: usize,
}

impl Prepared {
    /// Encodes a workload, of which so many calls belong together. Without right answers none is compared.
    pub(crate) fn new(protocol: &dyn Protocol, workload: &Workload, unit: usize) -> Self {
        Self {
            requests: workload.calls.iter().map(|call| protocol.request(call)).collect(),
            calls: workload.calls.clone(),
            answers: (!workload.answers.is_empty()).then(|| workload.answers.clone()),
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
    /// Calls of the open loop.
    arrivals: Option<Arrivals>,
}

async fn drive(target: &Target<'_>, prepared: &Prepared, plan: Plan) -> Result<Figures, String> {
    let mut connections = Vec::with_capacity(plan.connections);
    for _ in 0..plan.connections {
        connections.push(Connection::open(target.address, target.protocol).await?);
    }
    let arrivals = plan.rate.map(|rate| Arrivals::new(Instant::now(), rate));
    let shared = Shared { recorder: RefCell::default(), stop: Cell::new(false), arrivals };
    let workers = connections.into_iter().enumerate().map(|(number, connection)| {
        let (next, stride) = (number * prepared.unit, plan.connections * prepared.unit);
        worker(connection, Feed { prepared, next, stride }, &shared)
    });
    let workers: FuturesUnordered<_> = workers.collect();
    let pacer = async {
        if let Some(arrivals) = &shared.arrivals {
            arrivals.pace(|| shared.stop.get()).await;
        }
        Ok(())
    };
    let clock = async {
        tokio::time::sleep(plan.warm_up).await;
        let before = Usage::of(target);
        shared.recorder.borrow_mut().start();
        tokio::time::sleep(plan.measure).await;
        shared.recorder.borrow_mut().stop();
        let used = Usage::of(target).since(&before);
        shared.stop.set(true);
        Ok(used)
    };
    let (used, (), ()) = futures::try_join!(clock, pacer, workers.try_collect::<()>())?;
    shared.recorder.borrow().figures(&used)
}

/// Runs one connection until the end; a unit that was begun is finished, so that writes take themselves back.
async fn worker(mut connection: Connection<'_>, mut feed: Feed<'_>, shared: &Shared) -> Result<(), String> {
    while !shared.stop.get() || feed.inside_unit() {
        let due = match &shared.arrivals {
            Some(arrivals) if !shared.stop.get() => match arrivals.next().await {
                Some(due) => due,
                None => continue,
            },
            _ => Instant::now(),
        };
        let (call, request, answer) = feed.next();
        let right = answer.filter(|_| shared.recorder.borrow_mut().tick(CHECK_EVERY));
        let answered = connection.call(call, request, right.is_some()).await;
        let compared = answered.and_then(|answer| compare(answer, right));
        compared.map_err(|error| format!("{call:?}: {error}"))?;
        shared.recorder.borrow_mut().record(due.elapsed());
    }
    Ok(())
}

/// Refuses an answer that is not the right one, if both are known.
fn compare(answer: Option<Answer>, right: Option<&Answer>) -> Result<(), String> {
    match answer.zip(right) {
        Some((answer, right)) if answer != *right => Err(format!("answered {answer:?} instead of {right:?}")),
        _ => Ok(()),
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

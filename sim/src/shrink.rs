//! Makes a failing trace short.

use crate::trace::{Step, Trace};

/// Plays that a shrinking takes at most.
const PLAYS_MAX: usize = 2_000;

/// Takes steps out of a trace for as long as it fails, first many at once and then one by one, and then what happens
/// inside of steps.
pub fn shrink(trace: &Trace, fails: impl Fn(&Trace) -> bool) -> Trace {
    let mut plays = 0;
    let mut best = trace.clone();
    let mut still_fails = |trace: &Trace| {
        plays += 1;
        plays <= PLAYS_MAX && fails(trace)
    };
    let mut chunk = best.steps.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < best.steps.len() {
            let mut shorter = best.clone();
            shorter.steps.drain(at..(at + chunk).min(best.steps.len()));
            if still_fails(&shorter) {
                best = shorter;
            } else {
                at += chunk;
            }
        }
        if chunk == 1 {
            break;
        }
        chunk = chunk.div_ceil(2);
    }
    for at in 0..best.steps.len() {
        for simpler in simpler(&best.steps[at]) {
            let mut trace = best.clone();
            trace.steps[at] = simpler;
            if still_fails(&trace) {
                best = trace;
                break;
            }
        }
    }
    best
}

/// The same step with less in it, simplest first.
fn simpler(step: &Step) -> Vec<Step> {
    match step.clone() {
        Step::Home { viewer, size, older, inside } if !inside.is_empty() => std::iter::once(Vec::new())
            .chain(inside.into_iter().map(|one| vec![one]))
            .map(|inside| Step::Home { viewer, size, older, inside })
            .collect(),
        Step::FanOut { steps, inside } if !inside.is_empty() => std::iter::once(Vec::new())
            .chain(inside.into_iter().map(|one| vec![one]))
            .map(|inside| Step::FanOut { steps, inside })
            .collect(),
        Step::Job { job, steps, inside } if !inside.is_empty() => std::iter::once(Vec::new())
            .chain(inside.into_iter().map(|one| vec![one]))
            .map(|inside| Step::Job { job, steps, inside })
            .collect(),
        Step::Walk { viewer, size, between } if !between.is_empty() => {
            vec![Step::Walk { viewer, size, between: Vec::new() }]
        }
        Step::Import(posts) if posts.len() > 1 => {
            posts.into_iter().map(|post| Step::Import(vec![post])).collect()
        }
        Step::FollowMany(a, objects) if objects.len() > 1 => {
            objects.into_iter().map(|object| Step::FollowMany(a, vec![object])).collect()
        }
        _ => Vec::new(),
    }
}

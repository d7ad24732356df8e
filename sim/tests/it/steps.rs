//! Steps and traces by hand, for histories with a name.

use guanxi_model::{FanoutMode, FanoutPolicy, Op, Visibility};
use guanxi_sim::campaign::Shape;
use guanxi_sim::trace::{CATCH_UP, Draft, Inside, Job, Settings, User};
use guanxi_sim::{Step, Trace, campaign};

pub(crate) const HOUR_MS: i64 = 3_600_000;

/// Inboxes of three items, chunks of one follower, outboxes in parts of two.
pub(crate) fn trace(steps: Vec<Step>) -> Trace {
    let policy = FanoutPolicy {
        mode: FanoutMode::Hybrid,
        celebrity_followers: 2,
        inbox_cap: 3,
        ..FanoutPolicy::default()
    };
    let settings =
        Settings { log_events_max: 1_000, followers_chunk: 1, outbox_part: 2, cache_bytes: 4_096, policy };
    Trace { seed: 0, settings, steps }
}

/// The history goes right, everywhere.
pub(crate) fn holds(steps: &[Step]) {
    for shape in Shape::ALL {
        if let (_, Some(finding)) = campaign::check(&trace(steps.to_vec()), shape, true) {
            panic!("{finding}");
        }
    }
}

pub(crate) fn pair(op: Op, a: User, b: User) -> Step {
    Step::Pair(op, a, b)
}

pub(crate) fn follow(a: User, b: User) -> Step {
    pair(Op::Follow, a, b)
}

pub(crate) fn write(author: User, draft: Draft) -> Step {
    Step::Create { author, draft, visibility: Visibility::Public }
}

pub(crate) fn post(author: User) -> Step {
    write(author, Draft::Post)
}

pub(crate) fn home(viewer: User) -> Step {
    Step::Home { viewer, size: 2, older: false, inside: Vec::new() }
}

pub(crate) fn older(viewer: User) -> Step {
    Step::Home { viewer, size: 2, older: true, inside: Vec::new() }
}

pub(crate) fn walk(viewer: User) -> Step {
    Step::Walk { viewer, size: 2, between: Vec::new() }
}

pub(crate) fn poll(viewer: User) -> Step {
    Step::Poll { viewer, max: 9 }
}

pub(crate) fn push() -> Step {
    Step::FanOut { steps: CATCH_UP, inside: Vec::new() }
}

pub(crate) fn delete(user: User, at_once: bool) -> Step {
    Step::DeleteUser { user, at_once }
}

pub(crate) fn remove(steps: u8) -> Step {
    Step::Remove { steps, inside: Vec::new() }
}

/// Asks to be friends, for an hour.
pub(crate) fn ask(sender: User, receiver: User) -> Step {
    Step::Ask { sender, receiver, ttl_ms: Some(HOUR_MS.unsigned_abs()) }
}

/// Mutes for some hours.
pub(crate) fn mute(subject: User, object: User, hours: u64) -> Step {
    let duration_ms = Some(hours * HOUR_MS.unsigned_abs());
    Step::Mute { subject, object, reposts_only: false, duration_ms }
}

pub(crate) fn job(job: Job) -> Step {
    Step::Job { job, steps: CATCH_UP, inside: Vec::new() }
}

/// A job, and something between what it finds and what it does.
pub(crate) fn job_beside(job: Job, step: Step) -> Step {
    Step::Job { job, steps: CATCH_UP, inside: vec![Inside { after: 1, step }] }
}

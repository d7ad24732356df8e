//! Short histories of which each shows a bug that was put in on purpose: of those that chance meets too seldom, and of those
//! of what waits and ends. So traces may be made otherwise than they are, and nothing goes unnoticed by that.

use crate::steps::*;
use guanxi_model::{GroupId, Op, Visibility};
use guanxi_sim::trace::{Draft, Inside, Job};
use guanxi_sim::{Mutation, Step};

/// Histories of which at least one shows a bug, wherever it does harm; none where chance finds it soon.
pub(crate) fn of(bug: Mutation) -> Vec<Vec<Step>> {
    match bug {
        Mutation::SkipTakenBackWhole => vec![skipped_twice(false), skipped_twice(true)],
        Mutation::AppliedAssumed => vec![late_follow()],
        Mutation::RulesAtFill => vec![restored_after_a_fill(2), restored_after_a_fill(9)],
        Mutation::BegunAtFill => (0..24).map(post_during_activation).collect(),
        Mutation::AppliedAskedLate => (0..144).map(|n| post_during_a_late_follow(n % 24)).collect(),
        Mutation::ConfirmForgotten => (0..24).map(post_after_a_block).collect(),
        Mutation::EchoForgotten => vec![followed_back(true), followed_back(false)],
        Mutation::MuteEndUntold => vec![polled_after_a_mute()],
        Mutation::PlaceKept => vec![place_given_back()],
        Mutation::ExpiryUndoesAccept => vec![accepted_at_the_end()],
        Mutation::RenewedMuteEnded => vec![put_off_at_the_end()],
        Mutation::EndSkipped => vec![several_ends()],
        Mutation::UnlockSkips => vec![several_who_wait()],
        Mutation::CrossingWaits => vec![crossing_requests()],
        Mutation::CooldownForgotten => vec![asked_again_after_a_rejection()],
        Mutation::AudienceUntold => vec![streamed_beside_an_audience()],
        _ => Vec::new(),
    }
}

/// Two posts in a row are skipped, the second one by half; the worker may be replaced in between.
fn skipped_twice(replace: bool) -> Vec<Step> {
    let mut steps = vec![follow(1, 0), follow(2, 0), follow(3, 0), post(0), push(), home(1), home(1)];
    steps.extend([Step::Lossy(1), post(0), push(), Step::Lossy(0)]);
    steps.extend(replace.then_some(Step::NewWorker));
    steps.extend([post(0), push(), home(1), walk(1)]);
    steps
}

/// A follow is late in the followers list that the fan-out reads: no reader brings the token of it before the push.
fn late_follow() -> Vec<Step> {
    vec![follow(2, 3), follow(3, 2), follow(1, 0), post(0), home(1), post(0), push(), home(1), walk(1)]
}

/// What is muted or deleted when an inbox is filled is there when that ends. Where follows come late it takes some visits
/// until the inbox is filled.
fn restored_after_a_fill(visits: usize) -> Vec<Step> {
    let mut steps = vec![follow(1, 0), follow(1, 2), post(0), post(3), write(2, Draft::Repost(1)), post(2)];
    steps.extend([pair(Op::Mute, 1, 0), Step::Delete(1), Step::Delete(3), push()]);
    steps.extend(vec![home(1); visits]);
    steps.extend([Step::Restore(3), Step::Restore(1), push(), home(1), pair(Op::Unmute, 1, 0)]);
    steps.extend([home(1), walk(1)]);
    steps
}

/// A post and the fan-out of it come within the visit that fills an inbox.
fn post_during_activation(after: u8) -> Vec<Step> {
    let inside = vec![Inside { after, step: post(0) }, Inside { after: 0, step: push() }];
    let visit = Step::Home { viewer: 1, size: 2, older: false, inside };
    vec![follow(1, 0), post(0), push(), visit, home(1), post(0), home(1), walk(1)]
}

/// The same within a visit whose reader follows somebody that does not know of it yet.
fn post_during_a_late_follow(after: u8) -> Vec<Step> {
    let inside = vec![Inside { after, step: post(0) }, Inside { after: 0, step: push() }];
    let read = Step::Home { viewer: 1, size: 2, older: false, inside };
    vec![follow(2, 3), follow(3, 2), follow(1, 0), post(0), read, home(1), walk(1)]
}

/// The author blocks the reader within a read, and writes.
fn post_after_a_block(after: u8) -> Vec<Step> {
    let inside = vec![Inside { after, step: pair(Op::Block, 0, 1) }, Inside { after: 0, step: post(0) }];
    vec![follow(1, 0), post(0), Step::Home { viewer: 1, size: 2, older: false, inside }, home(1)]
}

/// What another does makes its posts for friends visible: who waits for news is told, at once or when it has arrived.
fn followed_back(is_asked_for: bool) -> Vec<Step> {
    let post = Step::Create { author: 0, draft: Draft::Post, visibility: Visibility::Friends };
    let mut steps = vec![follow(1, 0), post, home(1), poll(1), follow(0, 1)];
    steps.extend(is_asked_for.then(|| poll(1)));
    steps
}

/// The end of a mute brings posts back: who waits for news is told, by poll and by stream.
fn polled_after_a_mute() -> Vec<Step> {
    let mut steps = vec![follow(1, 0), post(0), mute(1, 0, 1), home(1), poll(1), Step::Stream(1)];
    steps.extend([Step::Clock(HOUR_MS), home(1), poll(1), job(Job::Ends), poll(1), Step::Stream(1), walk(1)]);
    steps
}

/// A member of an audience that follows its home goes and comes back.
fn streamed_beside_an_audience() -> Vec<Step> {
    let group = |members| Step::Group(0, members);
    let visibility = Visibility::Group(GroupId::MIN);
    let secret = Step::Create { author: 0, draft: Draft::Post, visibility };
    let mut steps = vec![follow(1, 0), group(vec![1]), secret, home(1), Step::Stream(1)];
    steps.extend([group(vec![2]), Step::Stream(1), home(1), group(vec![1]), Step::Stream(1), walk(1)]);
    steps
}

/// A user with one place left has it again when its request is over.
fn place_given_back() -> Vec<Step> {
    let mut steps = vec![Step::Spare(0, Some(1)), ask(0, 1), ask(0, 2), follow(0, 3)];
    steps.extend([Step::Clock(HOUR_MS), follow(0, 3), job(Job::Ends), follow(0, 3), Step::Relations(0)]);
    steps
}

/// A request is accepted between that its end is found and that it comes.
fn accepted_at_the_end() -> Vec<Step> {
    let accept = pair(Op::AcceptFriendRequest, 1, 0);
    vec![post(1), ask(0, 1), Step::Clock(HOUR_MS), job_beside(Job::Ends, accept), home(0), Step::Relations(0)]
}

/// A mute is put off between that its end is found and that it comes.
fn put_off_at_the_end() -> Vec<Step> {
    let put_off = job_beside(Job::Ends, mute(0, 1, 2));
    vec![follow(0, 1), post(1), mute(0, 1, 1), Step::Clock(HOUR_MS), put_off, home(0), Step::Relations(0)]
}

/// Several requests and mutes end at once, and a rejection later.
fn several_ends() -> Vec<Step> {
    let mut steps: Vec<Step> = (1..5).flat_map(|other| [ask(0, other), mute(other, 0, 1)]).collect();
    steps.extend([pair(Op::RejectFriendRequest, 4, 0), Step::Clock(HOUR_MS), Step::JobCut(Job::Ends, 1)]);
    steps.extend([
        job(Job::Ends),
        Step::Crash,
        Step::Clock(8 * 24 * HOUR_MS),
        job(Job::Ends),
        Step::Relations(0),
    ]);
    steps
}

/// Several wait for an account to unlock; it is locked again, and unlocked, and the job dies in between.
fn several_who_wait() -> Vec<Step> {
    let mut steps = vec![Step::Lock(0, true), post(0)];
    steps.extend((1..5).map(|fan| follow(fan, 0)));
    steps.extend([Step::Lock(0, false), Step::JobCut(Job::Unlock, 1), Step::Lock(0, true), job(Job::Unlock)]);
    steps.extend([Step::Lock(0, false), Step::Crash, job(Job::Unlock), Step::Relations(0), walk(1), walk(4)]);
    steps
}

/// Two ask each other.
fn crossing_requests() -> Vec<Step> {
    vec![post(0), post(1), ask(0, 1), ask(1, 0), Step::Relations(0), Step::Relations(1), walk(0), walk(1)]
}

/// A user that was rejected asks again: at once, and when the time for that is over.
fn asked_again_after_a_rejection() -> Vec<Step> {
    let rejected = [ask(0, 1), pair(Op::RejectFriendRequest, 1, 0), ask(0, 1)];
    let later = [Step::Clock(7 * 24 * HOUR_MS), ask(0, 1), job(Job::Ends), Step::Relations(0)];
    rejected.into_iter().chain(later).collect()
}

//! The bugs of others, and of ours, as short histories. Each must go right under every policy, and where there is a
//! mutation that makes the bug, the history must show it.

use crate::steps::*;
use guanxi_model::{FanoutMode, Op, Visibility};
use guanxi_sim::trace::{CATCH_UP, Draft, Inside, Job, Old, OldTo};
use guanxi_sim::{Keeper, Mutation, Step, Subject, play};

/// The history shows a bug.
fn shows(mutation: Mutation, steps: &[Step]) {
    let subject = Subject { keeper: Keeper::Memory, mode: Some(FanoutMode::Push), mutation: Some(mutation) };
    assert!(play(&trace(steps.to_vec()), subject).failure.is_some(), "{mutation:?} does not show");
}

/// A follow, a block, a mute and a like that are on their way to other shards are of who is deleted as well.
#[test]
fn what_comes_late_to_a_deleted_user_goes_with_it() {
    let mut steps = vec![post(0), post(3)];
    steps.extend([follow(1, 0), pair(Op::Block, 2, 0), pair(Op::Mute, 3, 0), Step::Like(4, 0)]);
    steps.extend([Step::Like(0, 1), follow(0, 3), delete(0, true), remove(CATCH_UP), walk(1), walk(3)]);
    holds(&steps);
}

/// A reply to who is deleted is shown for as long as its reader follows that user: until the job comes to that row. It dies
/// at each pause on its way.
#[test]
fn homes_are_exact_while_a_deleted_user_is_removed() {
    for pauses in (0..40).step_by(3) {
        let mut steps = vec![post(0), follow(1, 0), follow(1, 2), follow(3, 2), write(2, Draft::Reply(0))];
        steps.extend([push(), home(1), home(3), delete(0, false)]);
        for _ in 0..3 {
            steps.extend([Step::RemoveCut(pauses), home(1), Step::Stream(1), walk(3)]);
        }
        steps.extend([
            remove(CATCH_UP),
            push(),
            walk(1),
            Step::Clock(48 * HOUR_MS),
            remove(CATCH_UP),
            walk(1),
        ]);
        holds(&steps);
    }
}

/// The clock is set back between two deletions, and the job is beyond where the second one comes in.
#[test]
fn who_is_deleted_after_the_clock_was_set_back_goes_like_everybody() {
    let mut steps = vec![follow(2, 0), follow(2, 1), delete(0, false), remove(CATCH_UP)];
    steps.extend([Step::Clock(-1_000), delete(1, false), Step::Clock(2_000), remove(CATCH_UP)]);
    steps.extend([Step::Clock(HOUR_MS), remove(CATCH_UP), walk(2)]);
    holds(&steps);
}

/// A rejection is over when the job finds it, and is not when it comes to forget it.
#[test]
fn a_rejection_is_not_forgotten_when_the_clock_goes_back() {
    let mut steps = vec![ask(0, 1), pair(Op::RejectFriendRequest, 1, 0), Step::Clock(7 * 24 * HOUR_MS)];
    steps.extend([job_beside(Job::Ends, Step::Clock(-HOUR_MS)), ask(0, 1), Step::Clock(HOUR_MS)]);
    steps.extend([ask(0, 1), job(Job::Ends), Step::Relations(0)]);
    holds(&steps);
}

#[test]
fn evicted_cursor_goes_on_where_it_stood() {
    let mut steps = vec![follow(1, 0)];
    steps.extend((0..8).map(|_| post(0)));
    steps.extend([push(), home(1), home(1)]);
    steps.extend((0..6).map(|_| post(0)));
    steps.extend([push(), older(1), Step::Evict(1), older(1), older(1), home(1), walk(1)]);
    holds(&steps);
    shows(Mutation::FloorIgnored, &steps);
}

#[test]
fn own_posts_cap_hides_no_own_post() {
    let mut steps = vec![follow(1, 0), home(1), home(1)];
    steps.extend((0..25).flat_map(|n| [post(1), post(u8::from(n % 3 != 0)), push(), home(1)]));
    steps.push(walk(1));
    holds(&steps);
    shows(Mutation::OwnPostNotOffered, &steps);
}

#[test]
fn mid_cache_gap_is_filled_from_the_author() {
    let steps = vec![
        follow(1, 0),
        follow(1, 2),
        post(0),
        push(),
        home(1),
        home(1),
        Step::Lossy(1),
        post(0),
        push(),
        Step::Lossy(0),
        post(2),
        push(),
        home(1),
        walk(1),
    ];
    holds(&steps);
    shows(Mutation::SkipForgotten, &steps);
}

#[test]
fn depth_mismatch_between_sources_leaves_no_hole() {
    // Of 0 the inbox holds nothing beyond its floor, of 2 it was told nothing: 2 is pulled beside it.
    let mut steps = vec![follow(1, 0), follow(1, 2), post(2), post(0), post(2), push(), home(1), home(1)];
    steps.push(Step::Lossy(1));
    steps.extend([post(2), push(), Step::Lossy(0)]);
    steps.extend((0..4).map(|_| post(0)));
    steps.extend([push(), home(1), walk(1)]);
    holds(&steps);
    shows(Mutation::FloorIgnored, &steps);
}

#[test]
fn future_clock_loses_and_repeats_nothing() {
    let old =
        |key, ago_ms| Old { author: 0, ago_ms, key, visibility: Visibility::Public, to: OldTo::Nothing };
    let steps = vec![
        follow(1, 0),
        post(0),
        push(),
        home(1),
        Step::Poll { viewer: 1, max: 9 },
        Step::Clock(72 * HOUR_MS),
        post(0),
        Step::Import(vec![old(0, -HOUR_MS), old(1, 0), old(2, 0)]),
        Step::Clock(-96 * HOUR_MS),
        post(0),
        post(1),
        Step::Poll { viewer: 1, max: 9 },
        home(1),
        post(0),
        push(),
        Step::Poll { viewer: 1, max: 9 },
        Step::Unread { viewer: 1, cap: 9 },
        Step::Crash,
        post(0),
        home(1),
        walk(1),
    ];
    holds(&steps);
}

#[test]
fn fair_queue_overtakes_a_celebrity_and_hides_nothing() {
    let mut steps: Vec<Step> = (1..9).map(|fan| follow(fan, 0)).collect();
    steps.extend([follow(2, 9), home(2), home(2), home(7), post(0), post(9)]);
    steps.push(Step::FanOut { steps: 3, inside: Vec::new() });
    steps.extend([home(2), home(7), home(1), home(8), push(), home(2), walk(7)]);
    holds(&steps);
    shows(Mutation::SkipForgotten, &steps);
}

#[test]
fn unfollow_keeps_the_repost_of_another() {
    let steps = vec![
        follow(1, 0),
        follow(1, 2),
        post(3),
        post(0),
        write(2, Draft::Repost(1)),
        push(),
        home(1),
        home(1),
        pair(Op::Unfollow, 1, 0),
        home(1),
        Step::Poll { viewer: 1, max: 9 },
        follow(1, 3),
        home(1),
        follow(1, 0),
        walk(1),
    ];
    holds(&steps);
    shows(Mutation::VersionFrozen, &steps);
}

#[test]
fn post_during_promotion_is_pushed_or_pulled_but_there() {
    for after in 0..8 {
        let promoted = Inside { after, step: follow(4, 0) };
        let demoted = Inside { after, step: pair(Op::Unfollow, 4, 0) };
        let steps = vec![
            follow(1, 0),
            follow(2, 0),
            post(0),
            push(),
            home(1),
            home(2),
            post(0),
            Step::FanOut { steps: 1, inside: vec![promoted] },
            home(1),
            post(0),
            home(2),
            home(4),
            Step::FanOut { steps: 1, inside: vec![demoted] },
            home(2),
            push(),
            walk(1),
            walk(2),
            walk(4),
        ];
        holds(&steps);
        shows(Mutation::SkipForgotten, &steps);
    }
}

#[test]
fn block_then_post_shows_nothing_and_unblock_restores_no_follow() {
    let steps = vec![
        follow(1, 0),
        post(0),
        push(),
        home(1),
        home(1),
        pair(Op::Block, 0, 1),
        post(0),
        push(),
        home(1),
        Step::Explain(1, 1),
        pair(Op::Unblock, 0, 1),
        home(1),
        follow(1, 0),
        home(1),
        walk(1),
    ];
    holds(&steps);
    shows(Mutation::VersionFrozen, &steps);
}

//! Cases of checks and dumps that damage the maps of a store: they look at what no other crate sees.

use super::Options;
use super::state::{Commit, Maps};
use super::upkeep::{compare, lines};
use guanxi_model::{Stamp, Uid};
use guanxi_ports::DifferenceKind;

fn uid(n: u64) -> Uid {
    Uid::new(n).expect("a uid of a test is in range")
}

/// 1 <-> 2, 3 -> 1, 4 blocks 1, 4 mutes 2.
fn world() -> Maps {
    let mut state = Maps::default();
    let options = Options::default();
    for (op, a, b) in [
        (guanxi_model::Op::Follow, 1, 2),
        (guanxi_model::Op::Follow, 2, 1),
        (guanxi_model::Op::Follow, 3, 1),
        (guanxi_model::Op::Block, 4, 1),
        (guanxi_model::Op::Mute, 4, 2),
    ] {
        let command = guanxi_model::PairCommand { op, subject: uid(a), object: uid(b) };
        let write = guanxi_model::Write::of(command);
        let (mut events, mut sent) = (Vec::new(), Vec::new());
        let mut commit = Commit { now_ms: 1_000, options: &options, events: &mut events, sent: &mut sent };
        state.apply_write(&write, &mut commit).expect("the write is not refused");
    }
    state
}

fn kinds(state: &Maps) -> Vec<DifferenceKind> {
    let report = compare(state, state.position(&Options::default()));
    assert_eq!(report.differences.len() as u64, report.differences_total);
    report.differences.into_iter().map(|difference| difference.kind).collect()
}

/// Every kind of damage to the maps is named, and nothing else.
///
/// # Panics
/// When one is not.
pub fn every_kind_of_damage_is_named() {
    let damaged = |damage: fn(&mut Maps)| {
        let mut state = world();
        damage(&mut state);
        kinds(&state)
    };
    assert_eq!(damaged(|_| ()), []);
    assert_eq!(
        damaged(|s| {
            s.followers.remove(&(uid(1), uid(3)));
        }),
        [DifferenceKind::ReverseMissing]
    );
    assert_eq!(
        damaged(|s| {
            s.followers.insert((uid(1), uid(9)), Stamp::ZERO);
        }),
        [DifferenceKind::ForwardMissing]
    );
    assert_eq!(
        damaged(|s| {
            s.followers.insert((uid(1), uid(3)), Stamp::ZERO);
        }),
        [DifferenceKind::TimeDiffers]
    );
    assert_eq!(
        damaged(|s| {
            s.blocks.insert((uid(1), uid(3)), Stamp::ZERO);
        }),
        [DifferenceKind::FollowDespiteBlock, DifferenceKind::BlocksCount]
    );
    assert_eq!(
        damaged(|s| {
            s.counts.remove(&uid(3));
        }),
        [DifferenceKind::FollowingCount]
    );
    assert_eq!(
        damaged(|s| {
            s.counts.remove(&uid(2));
        }),
        [DifferenceKind::FollowingCount, DifferenceKind::FollowersCount, DifferenceKind::FriendsCount]
    );
    assert_eq!(damaged(|s| s.mutes.clear()), [DifferenceKind::MutesCount]);
}

/// A dump has a line for each record.
///
/// # Panics
/// When it has not.
pub fn a_dump_has_every_record_once() {
    let lines = lines(&world());
    let words: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["seqs", "follow", "follow", "follow", "block", "mute"]);
}

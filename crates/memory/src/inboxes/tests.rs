//! Inboxes against a plain model of them, and what they cost.

use super::resident::ResidentInbox;
use super::*;
use guanxi_model::{FanoutMode, HistoryId, LogId, Position};
use guanxi_ports::RelationsVersion;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

fn event_at(seq: u64) -> EventAt {
    EventAt::new(LogId(0), seq)
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn id(n: u64) -> PostId {
    PostId::new(n).unwrap()
}

fn policy(mode: FanoutMode, cap: u32) -> FanoutPolicy {
    let (active_bucket_ms, cold_after_ms) = (1_000, 5_000);
    FanoutPolicy { mode, inbox_cap: cap, active_bucket_ms, cold_after_ms, ..FanoutPolicy::default() }
}

fn pushing(bytes: u64, cap: u32) -> Inboxes {
    let inboxes = Inboxes::new(HistoryId(1), bytes);
    inboxes.configure_now(&policy(FanoutMode::Push, cap));
    inboxes
}

fn fill_of(ids: impl DoubleEndedIterator<Item = u64>, floor: Option<u64>) -> InboxFill {
    InboxFill {
        ids: ids.rev().map(id).collect(),
        floor: floor.map(id),
        built: Position::one(HistoryId(1), 3),
        relations_version: RelationsVersion(4),
    }
}

fn resident(inboxes: &Inboxes, viewer: u64, fill: InboxFill, now_ms: u64) {
    let ticket = inboxes.begin_now(uid(viewer), now_ms).unwrap();
    assert!(inboxes.fill_now(&ticket, fill));
}

fn ids_of(inboxes: &Inboxes, viewer: u64) -> Option<(Vec<u64>, Option<u64>)> {
    let slice = inboxes.read_now(uid(viewer), None, usize::MAX, 0).slice?;
    Some((slice.ids.iter().map(|id| id.get()).collect(), slice.floor.map(PostId::get)))
}

/// What a step does: to which reader, and with which id.
type Step = (u8, u64, u64);

proptest! {
    /// An inbox holds exactly what was filled or offered, from its floor on; the floor only rises, and only to bound it.
    #[test]
    fn an_inbox_holds_all_from_its_floor_on(
        steps in proptest::collection::vec((0..12_u8, 1..6_u64, 1..200_u64), 1..300),
        cap in 1..40_u32,
    ) {
        let inboxes = pushing(1 << 20, cap);
        let mut told: HashMap<u64, BTreeSet<u64>> = HashMap::new();
        for (what, reader, n) in steps as Vec<Step> {
            match what {
                0 => {
                    let filled: BTreeSet<u64> = (n..n + 20).step_by(3).collect();
                    resident(&inboxes, reader, fill_of(filled.iter().copied(), Some(n)), 0);
                    told.insert(reader, filled);
                }
                1 => {
                    inboxes.evict_now(uid(reader));
                    told.remove(&reader);
                }
                _ => {
                    let readers = [reader, reader % 5 + 1].map(uid);
                    let offered = inboxes.offer_now(id(n), &readers);
                    let held = readers.iter().filter(|uid| told.contains_key(&uid.get())).count() as u64;
                    prop_assert_eq!(offered.delivered + offered.unchanged, held);
                    for uid in readers {
                        told.entry(uid.get()).and_modify(|ids| { ids.insert(n); });
                    }
                }
            }
            for reader in 1..6 {
                let held = ids_of(&inboxes, reader);
                prop_assert_eq!(held.is_some(), told.contains_key(&reader));
                let Some((ids, floor)) = held else { continue };
                let from_floor = told[&reader].range(floor.unwrap_or(0)..).rev().copied();
                prop_assert_eq!(&ids, &from_floor.collect::<Vec<_>>());
                prop_assert!(!ids.is_empty() && ids.len() <= cap as usize);
            }
        }
    }
}

#[test]
fn what_is_offered_to_a_registered_inbox_is_there_when_it_is_filled() {
    let inboxes = pushing(1 << 20, 100);
    let ticket = inboxes.begin_now(uid(1), 0).unwrap();
    let offered = inboxes.offer_now(id(50), &[uid(1), uid(2)]);
    assert_eq!(offered, Offered::default(), "neither is resident yet");
    assert_eq!(ids_of(&inboxes, 1), None, "it vouches for nothing yet");
    assert!(inboxes.fill_now(&ticket, fill_of([10, 20].into_iter(), None)));
    assert_eq!(ids_of(&inboxes, 1), Some((vec![50, 20, 10], None)));
    assert!(!inboxes.fill_now(&ticket, fill_of([10].into_iter(), None)), "a ticket is good for one fill");
}

#[test]
fn an_overtaken_fill_is_refused() {
    let inboxes = pushing(1 << 20, 100);
    let first = inboxes.begin_now(uid(1), 0).unwrap();
    let second = inboxes.begin_now(uid(1), 0).unwrap();
    assert!(!inboxes.fill_now(&first, fill_of([1].into_iter(), None)));
    inboxes.configure_now(&policy(FanoutMode::Hybrid, 100));
    let third = inboxes.begin_now(uid(1), 0).unwrap();
    assert!(!inboxes.fill_now(&second, fill_of([2].into_iter(), None)), "it was dropped meanwhile");
    assert!(inboxes.fill_now(&third, fill_of([3].into_iter(), None)));
    assert_eq!(ids_of(&inboxes, 1), Some((vec![3], None)));
}

#[test]
fn a_registered_inbox_that_overflows_says_so_when_it_is_filled() {
    let inboxes = pushing(1 << 20, 8);
    let ticket = inboxes.begin_now(uid(1), 0).unwrap();
    (11..=20).for_each(|n| assert_eq!(inboxes.offer_now(id(n), &[uid(1)]), Offered::default()));
    assert!(inboxes.fill_now(&ticket, fill_of(1..=10, None)));
    let (ids, floor) = ids_of(&inboxes, 1).unwrap();
    assert_eq!(ids, (13..=20).rev().collect::<Vec<_>>());
    assert_eq!(floor, Some(13));
}

fn origin() -> Position {
    Position::one(HistoryId(1), 0)
}

#[test]
fn too_many_skips_drop_every_inbox() {
    let inboxes = pushing(1 << 20, 8);
    resident(&inboxes, 1, fill_of(1..=3, None), 0);
    (1..=SKIPS_MAX as u64).for_each(|author| inboxes.skip_now(uid(author), event_at(author)));
    let read = inboxes.read_now(uid(1), None, 9, 0);
    assert_eq!((read.coverage.skipped_since(&origin()).count(), read.slice.is_some()), (SKIPS_MAX, true));
    inboxes.skip_now(uid(9_999), event_at(7));
    let read = inboxes.read_now(uid(1), None, 9, 0);
    assert_eq!((read.coverage.skipped_since(&origin()).count(), read.slice.is_some()), (0, false));
}

/// The last event of user 1 that is skipped.
fn last_skip(inboxes: &Inboxes) -> Option<u64> {
    let coverage = inboxes.read_now(uid(2), None, 1, 0).coverage;
    let is_skipped = |seq: &u64| coverage.skipped_since(&Position::one(HistoryId(1), *seq)).next().is_some();
    (0..100).take_while(is_skipped).last().map(|seq| seq + 1)
}

#[test]
fn a_skip_is_taken_back_only_by_its_own_event() {
    let inboxes = pushing(1 << 20, 8);
    inboxes.skip_now(uid(1), event_at(5));
    inboxes.skip_now(uid(1), event_at(9));
    inboxes.skip_now(uid(1), event_at(7));
    inboxes.unskip_now(uid(1), event_at(7), None);
    assert_eq!(last_skip(&inboxes), Some(9));
    inboxes.unskip_now(uid(1), event_at(9), Some(event_at(5)));
    assert_eq!(last_skip(&inboxes), Some(5));
    inboxes.unskip_now(uid(1), event_at(5), None);
    assert_eq!(last_skip(&inboxes), None);
}

#[test]
fn the_bytes_stay_within_the_budget_and_those_who_come_stay() {
    let budget = 1 << 20;
    let inboxes = pushing(budget, 800);
    for viewer in 1..=2_000 {
        resident(&inboxes, viewer, fill_of(1..=200, None), viewer);
        if viewer > 100 {
            (1..=5).for_each(|often| drop(inboxes.read_now(uid(often), None, 1, viewer)));
        }
        assert!(inboxes.stats_now(viewer).bytes <= budget, "{:?}", inboxes.stats_now(viewer));
    }
    let stats = inboxes.stats_now(2_000);
    assert!((300..2_000).contains(&stats.resident), "{stats:?}");
    assert_eq!(stats.entries, stats.resident * 200);
    let often = (1..=5).filter(|often| ids_of(&inboxes, *often).is_some()).count();
    assert_eq!(often, 5, "whoever comes often stays");
    assert!(ids_of(&inboxes, 2_000).is_some(), "and so does the last one");
}

#[test]
fn what_a_small_budget_leaves_is_right() {
    let budget = 80 << 10;
    let inboxes = pushing(budget, 40);
    let mut told: HashMap<u64, BTreeSet<u64>> = HashMap::new();
    let mut random = 1_u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut evicted = 0;
    for now in 0..20_000 {
        let reader = 1 + below(400);
        if below(3) == 0 {
            let ids: BTreeSet<u64> = (0..below(30)).map(|_| 1 + below(500)).collect();
            let ticket = inboxes.begin_now(uid(reader), now).unwrap();
            told.remove(&reader);
            if inboxes.fill_now(&ticket, fill_of(ids.iter().copied(), None)) {
                told.insert(reader, ids);
            }
        } else {
            let n = 1 + below(500);
            let readers: Vec<Uid> = (0..20).map(|step| uid(1 + (reader + step * 7) % 400)).collect();
            inboxes.offer_now(id(n), &readers);
            for reader in readers {
                told.entry(reader.get()).and_modify(|ids| ids.extend([n]));
            }
        }
        assert!(inboxes.stats_now(now).bytes <= budget);
        let reader = 1 + below(400);
        match (inboxes.read_now(uid(reader), None, 100, now).slice, told.get(&reader)) {
            (Some(slice), Some(ids)) => {
                let ids = ids.range(slice.floor.map_or(0, PostId::get)..).rev();
                assert_eq!(slice.ids, ids.map(|n| id(*n)).collect::<Vec<_>>());
            }
            (Some(slice), None) => panic!("nobody filled {slice:?}"),
            (None, _) => evicted += u64::from(told.remove(&reader).is_some()),
        }
    }
    assert!(evicted > 100, "only {evicted} inboxes went");
}

#[test]
fn no_budget_keeps_nothing() {
    let inboxes = pushing(0, 800);
    let ticket = inboxes.begin_now(uid(1), 0).unwrap();
    assert!(!inboxes.fill_now(&ticket, fill_of(1..=3, None)));
    assert_eq!(inboxes.offer_now(id(9), &[uid(1)]), Offered::default());
}

/// The target: at most 12 bytes per entry and 100 per inbox, with everything that is allocated for them.
#[test]
fn an_entry_takes_ten_bytes_and_a_header_less_than_a_hundred() {
    assert_eq!(size_of::<ResidentInbox>(), 64);
    for viewers in [20_000, 26_000, 40_000] {
        let inboxes = pushing(1 << 30, 800);
        (1..=viewers).for_each(|viewer| resident(&inboxes, viewer, fill_of(1..=20, None), 0));
        let empty = inboxes.stats_now(0);
        let readers: Vec<Uid> = (1..=viewers).map(uid).collect();
        (21..=70).for_each(|n| assert_eq!(inboxes.offer_now(id(n), &readers).delivered, viewers));
        let stats = inboxes.stats_now(0);
        // An allocation of its own for the ids is counted with 16 bytes beside them.
        let headers = empty.bytes - empty.entries * 8 - viewers * 16;
        assert!(headers < viewers * 100, "{} bytes per header", headers / viewers);
        assert!(stats.bytes - headers <= stats.entries * 10 + viewers * 16, "{stats:?}");
    }
}

#[test]
fn hybrid_drops_whoever_was_away_for_two_buckets_and_sweep_whoever_is_cold() {
    let inboxes = pushing(1 << 20, 8);
    inboxes.configure_now(&policy(FanoutMode::Hybrid, 8));
    for viewer in [1, 2, 3] {
        resident(&inboxes, viewer, fill_of(1..=3, None), 1_500);
    }
    assert!(inboxes.read_now(uid(1), None, 9, 2_999).slice.is_some());
    let mut active = Vec::new();
    inboxes.all().for_each(|mut shard| shard.active(3_000, &mut active));
    assert_eq!(active, [uid(1)]);
    assert!(inboxes.read_now(uid(2), None, 9, 3_000).slice.is_none(), "a celebrity may not have reached it");
    assert_eq!((inboxes.stats_now(3_000).resident, inboxes.stats_now(3_000).active), (2, 1));
    assert_eq!(inboxes.sweep_now(6_499), 0);
    assert_eq!(inboxes.sweep_now(6_500), 1);
    assert_eq!(inboxes.stats_now(6_500).resident, 1);
}

#[test]
fn a_clock_that_jumps_back_makes_nobody_active() {
    let inboxes = pushing(1 << 20, 8);
    inboxes.configure_now(&policy(FanoutMode::Hybrid, 8));
    resident(&inboxes, 1, fill_of(1..=3, None), 1_500);
    let mut active = Vec::new();
    inboxes.all().for_each(|mut shard| shard.active(3_000, &mut active));
    assert_eq!(active, [], "a celebrity's post is not offered now");
    assert!(inboxes.read_now(uid(1), None, 9, 1_600).slice.is_none(), "so the inbox cannot be vouched for");
}

/// The example in the documentation of the shard, step by step.
#[test]
fn the_example_of_the_documentation_is_true() {
    let mut shard = InboxShard::new(HistoryId(1), 1 << 20);
    shard.configure(&policy(FanoutMode::Push, 8));
    let (_, seven) = InboxKey::of(uid(7));
    let (_, nine) = InboxKey::of(uid(9));
    let offer = |shard: &mut InboxShard, n| {
        let offered = shard.offer(id(n), &[seven]);
        (offered.delivered, offered.unchanged)
    };
    let held = |shard: &mut InboxShard, key, below: Option<u64>, max| {
        let slice = shard.visit(key, below.map(id), max, 0)?;
        let ids: Vec<u64> = slice.ids.iter().map(|id| id.get()).collect();
        Some((ids, slice.floor.map(PostId::get), slice.built))
    };

    assert_eq!(shard.begin(seven, 0), 1);
    assert_eq!(shard.begin(nine, 0), 2);
    assert_eq!(held(&mut shard, seven, None, 9), None);
    assert_eq!(offer(&mut shard, 50), (0, 0));

    let built = || Position::one(HistoryId(1), 100);
    let fill = || InboxFill { built: built(), ..fill_of([20, 30, 40].into_iter(), Some(20)) };
    assert!(!shard.fill(seven, 2, fill()));
    assert!(shard.fill(seven, 1, fill()));
    assert_eq!(held(&mut shard, seven, None, 9), Some((vec![50, 40, 30, 20], Some(20), built())));

    assert_eq!([60, 30, 10].map(|n| offer(&mut shard, n)), [(1, 0), (0, 1), (0, 1)]);
    assert_eq!([70, 80, 90].map(|n| offer(&mut shard, n)), [(1, 0); 3]);
    assert_eq!(
        held(&mut shard, seven, None, 9).map(|(ids, floor, _)| (ids.len(), floor)),
        Some((8, Some(20)))
    );
    assert_eq!(offer(&mut shard, 100), (1, 0));
    let all = vec![100, 90, 80, 70, 60, 50, 40];
    assert_eq!(held(&mut shard, seven, None, 9), Some((all, Some(40), built())));
    assert_eq!(held(&mut shard, seven, Some(80), 2), Some((vec![70, 60], Some(40), built())));

    shard.evict(seven);
    assert_eq!(held(&mut shard, seven, None, 9), None);
    assert!(shard.fill(nine, 2, fill()), "the inbox that took the free place is found");
}

//! What every implementation of [`Inbox`] must do.
//!
//! ```ignore
//! guanxi_spec::inbox_conformance_suite!(|| MemoryInbox::new(INBOX_HISTORY, Logs::One));
//! ```
//!
//! The argument makes inboxes without content, of the history [`INBOX_HISTORY`] and with one log, under the default
//! policy, and with room for some dozens.

use super::{START_MS, u};
use guanxi_model::{EventAt, FanoutMode, FanoutPolicy, HistoryId, LogId, Position, PostId, Uid};
use guanxi_ports::{
    Coverage, Inbox, InboxFill, InboxRead, InboxSlice, InboxStats, Offer, Offered, RelationsVersion,
    SKIPS_MAX,
};

/// The length of an activity bucket in these cases, and of three of them an inbox is cold.
pub(super) const BUCKET_MS: u64 = 1_000;

/// The history of the stores of these cases.
pub const INBOX_HISTORY: HistoryId = HistoryId(0x1b0);

/// A place in the one log.
pub(super) const fn at(seq: u64) -> EventAt {
    EventAt::new(LogId(0), seq)
}

/// A position in the one log.
pub(super) const fn position(seq: u64) -> Position {
    Position::one(INBOX_HISTORY, seq)
}

/// A post id of small numbers.
pub(super) fn p(n: u64) -> PostId {
    PostId::new(n).unwrap()
}

pub(super) fn ids(numbers: impl IntoIterator<Item = u64>) -> Vec<PostId> {
    numbers.into_iter().map(p).collect()
}

/// A policy with short buckets.
pub(super) fn policy(mode: FanoutMode, inbox_cap: u32) -> FanoutPolicy {
    let (active_bucket_ms, cold_after_ms) = (BUCKET_MS, 3 * BUCKET_MS);
    FanoutPolicy { mode, inbox_cap, active_bucket_ms, cold_after_ms, ..FanoutPolicy::default() }
}

/// The content of an inbox, built at event 10 for version 7.
fn content(numbers: impl IntoIterator<Item = u64>, floor: Option<u64>) -> InboxFill {
    InboxFill {
        ids: ids(numbers),
        floor: floor.map(p),
        built: position(10),
        relations_version: RelationsVersion(7),
    }
}

async fn fill(inbox: &dyn Inbox, viewer: u64, content: InboxFill) {
    let ticket = inbox.begin(u(viewer), START_MS).await.unwrap().unwrap();
    assert_eq!(ticket.viewer, u(viewer));
    assert!(inbox.fill(ticket, content).await.unwrap());
}

async fn read_at(inbox: &dyn Inbox, viewer: u64, now_ms: u64) -> InboxRead {
    inbox.read(u(viewer), None, usize::MAX, now_ms).await.unwrap()
}

/// The ids and the floor of an inbox, if it is resident.
async fn held(inbox: &dyn Inbox, viewer: u64) -> Option<(Vec<u64>, Option<u64>)> {
    let slice = read_at(inbox, viewer, START_MS).await.slice?;
    Some((slice.ids.iter().map(|id| id.get()).collect(), slice.floor.map(PostId::get)))
}

async fn offer(inbox: &dyn Inbox, id: u64, readers: &[u64]) -> (u64, u64) {
    let readers: Vec<Uid> = readers.iter().map(|reader| u(*reader)).collect();
    let offered = inbox.offer(&[Offer { id: p(id), readers: &readers }]).await.unwrap();
    let [Offered { delivered, unchanged }] = offered[..] else {
        panic!("one offer, one answer: {offered:?}")
    };
    (delivered, unchanged)
}

async fn active(inbox: &dyn Inbox, now_ms: u64) -> Vec<u64> {
    let mut active: Vec<u64> = all_active(inbox, now_ms).await.into_iter().map(Uid::get).collect();
    active.sort_unstable();
    active
}

/// Every page of active readers.
pub(super) async fn all_active(inbox: &dyn Inbox, now_ms: u64) -> Vec<Uid> {
    let (mut readers, mut after) = (Vec::new(), None);
    loop {
        let page = inbox.active(u(1), after, now_ms).await.unwrap();
        readers.extend(page.readers);
        after = page.next;
        if after.is_none() {
            return readers;
        }
    }
}

async fn stats(inbox: &dyn Inbox, now_ms: u64) -> InboxStats {
    inbox.stats(now_ms).await.unwrap()
}

/// Without a policy there is no inbox, and nothing else goes wrong.
pub async fn by_default_there_are_no_inboxes(inbox: &dyn Inbox) {
    assert_eq!(inbox.begin(u(1), START_MS).await.unwrap(), None);
    assert_eq!(offer(inbox, 5, &[1, 2]).await, (0, 0));
    assert_eq!(held(inbox, 1).await, None);
    assert_eq!(active(inbox, START_MS).await, [0_u64; 0]);
    assert_eq!(inbox.covered().await.unwrap(), position(0));
    assert_eq!(inbox.sweep(START_MS).await.unwrap(), 0);
    inbox.evict(u(1)).await.unwrap();
    inbox.unskip(u(1), at(1), None).await.unwrap();
    assert_eq!(
        stats(inbox, START_MS).await,
        InboxStats { bytes: stats(inbox, START_MS).await.bytes, ..InboxStats::default() }
    );
}

/// A slice holds what was filled, with the numbers of the fill.
pub async fn a_filled_inbox_is_read_back(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    assert_eq!(held(inbox, 1).await, None);
    fill(inbox, 1, content([9, 7, 4], Some(3))).await;
    let slice = InboxSlice {
        ids: ids([9, 7, 4]),
        floor: Some(p(3)),
        built: position(10),
        relations_version: RelationsVersion(7),
    };
    assert_eq!(read_at(inbox, 1, START_MS).await.slice, Some(slice.clone()));
    for (below, max, wanted) in [
        (None, 2, vec![9, 7]),
        (Some(9), 5, vec![7, 4]),
        (Some(8), 1, vec![7]),
        (Some(4), 5, vec![]),
        (Some(1), 5, vec![]),
        (None, 0, vec![]),
    ] {
        let read = inbox.read(u(1), below.map(p), max, START_MS).await.unwrap();
        assert_eq!(read.slice, Some(InboxSlice { ids: ids(wanted), ..slice.clone() }), "{below:?} {max}");
    }
    fill(inbox, 2, content([], None)).await;
    assert_eq!(held(inbox, 2).await, Some((vec![], None)));
    assert_eq!(held(inbox, 3).await, None);
}

/// An offer comes in its place, once, to the readers who have an inbox.
pub async fn offers_come_in_their_place_and_once(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    fill(inbox, 1, content([9, 5], None)).await;
    fill(inbox, 2, content([9, 5], Some(5))).await;
    assert_eq!(offer(inbox, 12, &[1, 2, 3]).await, (2, 0));
    assert_eq!(offer(inbox, 7, &[2]).await, (1, 0));
    assert_eq!(offer(inbox, 7, &[1, 2]).await, (1, 1));
    assert_eq!(offer(inbox, 3, &[1, 2]).await, (1, 1), "below a floor it is left out");
    assert_eq!(held(inbox, 1).await, Some((vec![12, 9, 7, 5, 3], None)));
    assert_eq!(held(inbox, 2).await, Some((vec![12, 9, 7, 5], Some(5))));
    assert_eq!(offer(inbox, 20, &[]).await, (0, 0));
    let held_stats = stats(inbox, START_MS).await;
    assert_eq!((held_stats.resident, held_stats.entries, held_stats.delivered), (2, 9, 5));
    assert!(held_stats.bytes >= 8 * 9);
}

/// A registered inbox collects offers, which are no deliveries, and keeps those from the floor of the fill on.
pub async fn a_registered_inbox_collects_offers(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    let ticket = inbox.begin(u(1), START_MS).await.unwrap().unwrap();
    for id in [12, 9, 2, 7, 12] {
        assert_eq!(offer(inbox, id, &[1]).await, (0, 0));
    }
    assert_eq!(held(inbox, 1).await, None, "nothing can be read before the fill");
    let held_stats = stats(inbox, START_MS).await;
    assert_eq!(
        (held_stats.resident, held_stats.active, held_stats.entries, held_stats.delivered),
        (0, 0, 0, 0)
    );
    assert!(inbox.fill(ticket.clone(), content([9, 5], Some(4))).await.unwrap());
    assert_eq!(held(inbox, 1).await, Some((vec![12, 9, 7, 5], Some(4))));
    assert_eq!(stats(inbox, START_MS).await.delivered, 0, "a fill delivers nothing");
    assert!(!inbox.fill(ticket, content([1], None)).await.unwrap(), "a ticket fills once");
    assert_eq!(held(inbox, 1).await, Some((vec![12, 9, 7, 5], Some(4))));
}

/// Beyond the cap the oldest go, and the floor says so: after a fill, an offer, and what was collected.
pub async fn beyond_the_cap_the_floor_rises(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 3)).await.unwrap();
    fill(inbox, 1, content([9, 8, 7], None)).await;
    assert_eq!(held(inbox, 1).await, Some((vec![9, 8, 7], None)), "full, and complete");
    assert_eq!(offer(inbox, 5, &[1]).await, (0, 1), "older than all that there is room for");
    assert_eq!(held(inbox, 1).await, Some((vec![9, 8, 7], Some(7))));
    assert_eq!(offer(inbox, 12, &[1]).await, (1, 0));
    assert_eq!(held(inbox, 1).await, Some((vec![12, 9, 8], Some(8))));
    assert_eq!(offer(inbox, 7, &[1]).await, (0, 1));
    fill(inbox, 2, content([9, 8, 7, 6, 5], Some(2))).await;
    assert_eq!(held(inbox, 2).await, Some((vec![9, 8, 7], Some(7))));
    for numbers in [vec![], vec![6, 2]] {
        let ticket = inbox.begin(u(3), START_MS).await.unwrap().unwrap();
        for id in [11, 14, 13, 12, 15] {
            offer(inbox, id, &[3]).await;
        }
        assert!(inbox.fill(ticket, content(numbers, None)).await.unwrap());
        assert_eq!(held(inbox, 3).await, Some((vec![15, 14, 13], Some(13))), "the collected are too many");
    }
    assert_eq!(stats(inbox, START_MS).await.entries, 9);
}

/// However many are dropped at once, an inbox holds the newest, down to its floor.
pub async fn a_long_inbox_keeps_the_newest(inbox: &dyn Inbox) {
    const CAP: u64 = 100;
    inbox.configure(&policy(FanoutMode::Push, CAP as u32)).await.unwrap();
    fill(inbox, 1, content((1_001..1_050).rev(), Some(1_001))).await;
    for id in 1_050..2_000 {
        assert_eq!(offer(inbox, id, &[1]).await, (1, 0));
        let (ids, floor) = held(inbox, 1).await.unwrap();
        let floor = floor.unwrap();
        assert!(floor >= 1_001 && ids.iter().copied().eq((floor..=id).rev()), "{floor} after {id}: {ids:?}");
        assert!((ids.len() as u64) <= CAP && (ids.len() as u64) >= (id - 1_000).min(CAP / 2));
    }
}

/// Registering again, evicting and sweeping strike a registration; its fill is refused.
pub async fn an_overtaken_fill_is_refused(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    let first = inbox.begin(u(1), START_MS).await.unwrap().unwrap();
    offer(inbox, 4, &[1]).await;
    let second = inbox.begin(u(1), START_MS).await.unwrap().unwrap();
    assert!(!inbox.fill(first, content([1], None)).await.unwrap());
    assert!(inbox.fill(second, content([2], None)).await.unwrap());
    assert_eq!(held(inbox, 1).await, Some((vec![2], None)), "the second registration began afresh");
    let third = inbox.begin(u(1), START_MS).await.unwrap().unwrap();
    assert_eq!(held(inbox, 1).await, None, "a registration takes the place of the inbox");
    inbox.evict(u(1)).await.unwrap();
    assert!(!inbox.fill(third, content([3], None)).await.unwrap());
    let fourth = inbox.begin(u(1), START_MS).await.unwrap().unwrap();
    assert_eq!(inbox.sweep(START_MS + 3 * BUCKET_MS).await.unwrap(), 0, "only resident inboxes count");
    assert!(!inbox.fill(fourth.clone(), content([4], None)).await.unwrap());
    let other = guanxi_ports::FillTicket { viewer: u(2), ..fourth };
    assert!(!inbox.fill(other, content([5], None)).await.unwrap());
    assert_eq!(stats(inbox, START_MS).await.resident, 0);
}

/// A change of policy drops everything; the same policy again changes nothing.
pub async fn a_change_of_policy_drops_every_inbox(inbox: &dyn Inbox) {
    let push = policy(FanoutMode::Push, 100);
    let changes = [
        FanoutPolicy { mode: FanoutMode::Hybrid, ..push },
        FanoutPolicy { mode: FanoutMode::Pull, ..push },
        FanoutPolicy { celebrity_followers: 3, ..push },
        FanoutPolicy { active_bucket_ms: 2 * BUCKET_MS, ..push },
        FanoutPolicy { cold_after_ms: 5 * BUCKET_MS, ..push },
        FanoutPolicy { inbox_cap: 101, ..push },
    ];
    for changed in changes {
        inbox.configure(&push).await.unwrap();
        fill(inbox, 1, content([2], None)).await;
        let ticket = inbox.begin(u(2), START_MS).await.unwrap().unwrap();
        inbox.configure(&push).await.unwrap();
        assert_eq!(held(inbox, 1).await, Some((vec![2], None)));
        inbox.configure(&changed).await.unwrap();
        assert_eq!(held(inbox, 1).await, None, "{changed:?}");
        assert!(!inbox.fill(ticket, content([3], None)).await.unwrap(), "{changed:?}");
        assert_eq!(inbox.begin(u(3), START_MS).await.unwrap().is_some(), changed.mode != FanoutMode::Pull);
        assert_eq!(stats(inbox, START_MS).await.resident, 0);
    }
}

/// Only under Hybrid is an inbox dropped whose reader was away for a whole bucket, at its next visit.
pub async fn who_was_away_loses_the_inbox_under_hybrid(inbox: &dyn Inbox) {
    for mode in [FanoutMode::Push, FanoutMode::Hybrid] {
        inbox.configure(&policy(mode, 100)).await.unwrap();
        let now = START_MS + if mode == FanoutMode::Push { 0 } else { 100 * BUCKET_MS };
        for viewer in 1..=3 {
            let ticket = inbox.begin(u(viewer), now).await.unwrap().unwrap();
            assert!(inbox.fill(ticket, content([2], None)).await.unwrap());
        }
        assert!(read_at(inbox, 1, now + BUCKET_MS).await.slice.is_some(), "{mode:?}: the bucket after");
        assert!(read_at(inbox, 1, now + 2 * BUCKET_MS).await.slice.is_some(), "{mode:?}: a visit counts");
        let stays = mode == FanoutMode::Push;
        assert_eq!(stats(inbox, now + 2 * BUCKET_MS).await.active, 1);
        assert_eq!(read_at(inbox, 2, now + 2 * BUCKET_MS).await.slice.is_some(), stays, "{mode:?}");
        assert_eq!(read_at(inbox, 3, now).await.slice.is_some(), stays, "{mode:?}: the clock jumped back");
        assert_eq!(stats(inbox, now).await.resident, if stays { 3 } else { 1 });
    }
}

/// A celebrity's items go to the readers who were here in this bucket or the one before, registered ones included.
pub async fn active_readers_are_those_of_two_buckets(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Hybrid, 100)).await.unwrap();
    let bucket = |n: u64| START_MS + n * BUCKET_MS;
    fill(inbox, 1, content([2], None)).await;
    fill(inbox, 2, content([2], None)).await;
    inbox.begin(u(3), START_MS).await.unwrap().unwrap();
    assert_eq!(active(inbox, bucket(0)).await, [1, 2, 3]);
    assert_eq!(active(inbox, bucket(1) + BUCKET_MS - 1).await, [1, 2, 3]);
    assert!(read_at(inbox, 2, bucket(1)).await.slice.is_some());
    assert_eq!(active(inbox, bucket(2)).await, [2]);
    assert_eq!(active(inbox, bucket(0)).await, [2], "whoever was passed over stays so");
    let ticket = inbox.begin(u(4), bucket(0)).await.unwrap().unwrap();
    assert_eq!(active(inbox, bucket(3)).await, [4], "registering is a visit, and is now");
    assert_eq!(active(inbox, bucket(4)).await, [0_u64; 0]);
    assert!(read_at(inbox, 4, bucket(4)).await.slice.is_none());
    assert!(
        !inbox.fill(ticket, content([1], None)).await.unwrap(),
        "a visit too late strikes a registration"
    );
}

/// What is not visited for long enough is swept.
pub async fn cold_inboxes_are_swept(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    for viewer in 1..=4 {
        fill(inbox, viewer, content([2], None)).await;
    }
    read_at(inbox, 1, START_MS + 2 * BUCKET_MS).await;
    assert_eq!(inbox.sweep(START_MS + 2 * BUCKET_MS).await.unwrap(), 0);
    assert_eq!(inbox.sweep(START_MS + 3 * BUCKET_MS).await.unwrap(), 3);
    assert_eq!(held(inbox, 2).await, None);
    assert_eq!(held(inbox, 1).await, Some((vec![2], None)));
    assert_eq!(offer(inbox, 3, &[1, 2, 3, 4]).await, (1, 0));
    assert_eq!(inbox.sweep(START_MS + 20 * BUCKET_MS).await.unwrap(), 1);
    assert_eq!(stats(inbox, START_MS).await.resident, 0);
}

/// The skips of a coverage, by author.
fn skipped(coverage: &Coverage) -> Vec<(u64, u64)> {
    let (origin, mut skips) = (position(0), Vec::new());
    for author in coverage.skipped_since(&origin) {
        // The last place that the skip is not before.
        let seq = (0..100).find(|seq| !coverage.skipped_since(&position(*seq)).any(|other| other == author));
        skips.push((author.get(), seq.unwrap()));
    }
    skips.sort_unstable();
    skips
}

/// How far the fan-out is never goes back, and every read says it, with the skips, for everybody.
pub async fn reads_say_what_is_covered_and_skipped(inbox: &dyn Inbox) {
    inbox.advance(at(7)).await.unwrap();
    inbox.advance(at(4)).await.unwrap();
    inbox.skip(u(8), at(5)).await.unwrap();
    inbox.skip(u(8), at(3)).await.unwrap();
    inbox.skip(u(9), at(6)).await.unwrap();
    let read = read_at(inbox, 1, START_MS).await;
    assert_eq!((read.coverage.covered(), read.slice), (&position(7), None));
    assert_eq!(inbox.covered().await.unwrap(), position(7));
    assert_eq!(skipped(&read.coverage), [(8, 5), (9, 6)]);
    inbox.unskip(u(8), at(3), None).await.unwrap();
    inbox.unskip(u(9), at(6), None).await.unwrap();
    inbox.unskip(u(10), at(6), Some(at(2))).await.unwrap();
    assert_eq!(skipped(&read_at(inbox, 1, START_MS).await.coverage), [(8, 5)], "only of exactly this event");
    inbox.unskip(u(8), at(5), Some(at(2))).await.unwrap();
    assert_eq!(skipped(&read_at(inbox, 1, START_MS).await.coverage), [(8, 2)], "what still holds");
    assert_eq!(stats(inbox, START_MS).await.skips, 1);
    assert_eq!(skipped(&read.coverage).len(), 2, "what was answered stays as it was");
    inbox.configure(&policy(FanoutMode::Push, 5)).await.unwrap();
    assert_eq!(
        *read_at(inbox, 1, START_MS).await.coverage.covered(),
        position(7),
        "another policy has done no less"
    );
}

/// More skips than are kept drop every inbox, every registration and every skip.
pub async fn too_many_skips_drop_everything(inbox: &dyn Inbox) {
    inbox.configure(&policy(FanoutMode::Push, 100)).await.unwrap();
    fill(inbox, 1, content([2], None)).await;
    let ticket = inbox.begin(u(2), START_MS).await.unwrap().unwrap();
    for author in 1..=SKIPS_MAX as u64 {
        inbox.skip(u(author), at(author)).await.unwrap();
    }
    inbox.skip(u(1), at(9)).await.unwrap();
    assert_eq!(stats(inbox, START_MS).await.skips, SKIPS_MAX as u64);
    assert_eq!(held(inbox, 1).await, Some((vec![2], None)));
    inbox.skip(u(SKIPS_MAX as u64 + 1), at(1)).await.unwrap();
    assert_eq!(held(inbox, 1).await, None);
    assert!(!inbox.fill(ticket, content([3], None)).await.unwrap());
    let held_stats = stats(inbox, START_MS).await;
    assert_eq!((held_stats.resident, held_stats.entries, held_stats.skips), (0, 0, 0));
    fill(inbox, 1, content([5], None)).await;
    assert_eq!(held(inbox, 1).await, Some((vec![5], None)));
}

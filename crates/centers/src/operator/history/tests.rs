//! Histories against a definition: the whole log, read forward, filtered, and turned around.

use super::*;
use crate::Ports;
use crate::operator::tests::{NOW_MS, operator_of, u};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::random::Rng;
use guanxi_model::{
    Change, Command, Logs, ManualClock, MuteCommand, Op, Outcome, PairCommand, Visibility, Write,
};
use guanxi_ports::Facts as _;
use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};
use std::sync::Arc;

/// Users of three logs, where there is a log for each gene: 1 and 257 have one.
const USERS: [u64; 5] = [1, 2, 3, 257, 258];

struct World {
    store: Arc<MemoryStore>,
    operator: OperatorCenter,
    logs: Logs,
}

impl World {
    /// A world after some random acts.
    async fn played(logs: Logs, log_events_max: u64, acts: usize) -> Self {
        let options = Options { logs, log_events_max, ..Options::default() };
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), options.clone()));
        let inbox = Arc::new(MemoryInbox::new(options.history, logs));
        let ports = Ports { store: store.clone(), inbox, log: store.clone(), clock };
        let world = Self { operator: operator_of(&ports, &store).0, store, logs };
        let (mut rng, mut written) = (Rng::new(7), Vec::new());
        for _ in 0..acts {
            let command = act(&mut rng, &written);
            let Ok(applied) = world.store.apply(Write::of(command)).await else { continue };
            let outcome = applied.outcomes.into_iter().next();
            written.extend(outcome.and_then(Outcome::post).and_then(|post| post.id));
        }
        world
    }

    /// What the log of a user says of it, newest first; and the first event that the log still has.
    async fn defined(&self, uid: Uid) -> (Vec<Event>, Option<EventAt>) {
        let (log, head) = (self.logs.of(uid), self.store.head().await.unwrap());
        let (mut position, mut all) = (Position::beginning(head.history(), self.logs), Vec::new());
        while position.in_log(log) != head.in_log(log) {
            match self.store.read(log, &position, 1).await {
                Ok(batch) => {
                    all.extend(batch.events);
                    position = batch.position;
                }
                Err(error) => {
                    assert_eq!(error.reason, Reason::Trimmed);
                    let next = EventAt::new(log, position.in_log(log).seq() + 1);
                    position = position.after(next);
                }
            }
        }
        let first = all.first().map(|event| event.at);
        let is_about = |event: &Event| match event.change {
            Change::Interacted => false,
            _ if event.subject == uid => event.echo.is_none(),
            Change::Pair { object: other, .. }
            | Change::Liked { author: other, .. }
            | Change::Unliked { author: other, .. } => other == uid,
            _ => false,
        };
        (all.into_iter().filter(is_about).rev().collect(), first)
    }
}

fn act(rng: &mut Rng, posts: &[PostId]) -> Command {
    let [subject, object] = [(); 2].map(|()| u(USERS[rng.below(USERS.len())]));
    let id = posts.get(rng.below(posts.len().max(1))).copied();
    let pair = |op| PairCommand { op, subject, object }.into();
    match (rng.below(10), id) {
        (0, _) => pair(Op::Block),
        (1, _) => pair(Op::Unblock),
        (2, _) => Command::Mute(MuteCommand { subject, object, reposts_only: false, duration_ms: None }),
        (3, _) => pair(Op::Unfollow),
        (4, Some(id)) => PostCommand::Like { uid: subject, id }.into(),
        (5, Some(id)) => PostCommand::Unlike { uid: subject, id }.into(),
        (6, Some(id)) => PostCommand::Delete { author: subject, id }.into(),
        (4..=7, _) => PostCommand::Create(post_of(subject)).into(),
        _ => pair(Op::Follow),
    }
}

fn post_of(author: Uid) -> Draft {
    let body = Body { text: "text".into(), attachments: Vec::new() };
    Draft { author, body, visibility: Visibility::Public, reply_to: None, repost_of: None }
}

fn asked(uid: Uid, max: usize, scan_max: u32) -> HistoryAsked {
    HistoryAsked { uid, below: None, max, scan_max }
}

/// Walks through all pages.
async fn walked(world: &World, mut asked: HistoryAsked, is_late: bool) -> (Vec<Event>, Vec<UserHistory>) {
    let (mut events, mut pages) = (Vec::new(), Vec::new());
    loop {
        let page = world.operator.user_history(asked, || is_late).await.unwrap();
        assert!(page.events.len() <= asked.max && page.scanned <= asked.scan_max);
        events.extend(page.events.iter().copied());
        asked.below = page.reached.map(|event| event.at);
        let goes_on = page.end.goes_on();
        pages.push(page);
        if !goes_on {
            return (events, pages);
        }
    }
}

#[tokio::test]
async fn pages_of_any_size_are_the_log_turned_around() {
    for logs in [Logs::One, Logs::PerGene] {
        let world = World::played(logs, u64::MAX, 3_000).await;
        for uid in USERS.map(u) {
            let (defined, _) = world.defined(uid).await;
            assert!(defined.len() > 100, "{uid:?} has a history");
            for (max, scan_max) in
                [(7, 100_000), (1_000_000, 13), (1_000_000, 1_001), (50, 100), (1_000_000, 100_000)]
            {
                let (events, pages) = walked(&world, asked(uid, max, scan_max), false).await;
                assert_eq!(events, defined, "{logs:?} {uid:?} {max} {scan_max}");
                let last = pages.last().unwrap();
                assert_eq!(last.end, HistoryEnd::Beginning);
                let cut = if max < 1_000 { HistoryEnd::Full } else { HistoryEnd::Budget };
                assert!(pages.iter().all(|page| page.end == cut || !page.end.goes_on() || max == 50));
            }
        }
    }
}

#[tokio::test]
async fn a_trimmed_log_is_told_with_the_first_event_that_it_has() {
    for logs in [Logs::One, Logs::PerGene] {
        for kept in [1, 2, 39, 300] {
            let world = World::played(logs, kept, 6_000).await;
            for uid in USERS.map(u) {
                let (defined, first) = world.defined(uid).await;
                for (max, scan_max) in [(usize::MAX, 100_000), (usize::MAX, 3), (2, 100_000), (usize::MAX, 1)]
                {
                    let (events, pages) = walked(&world, asked(uid, max, scan_max), false).await;
                    assert_eq!(events, defined, "{logs:?} {kept} {uid:?}");
                    assert_eq!(pages.last().unwrap().end, HistoryEnd::Trimmed);
                    assert_eq!(pages.iter().map(|page| u64::from(page.scanned)).sum::<u64>(), kept);
                    let reached = pages.iter().rev().find_map(|page| page.reached);
                    assert_eq!(reached.map(|event| event.at), first);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_page_without_time_looks_at_one_window_and_says_so() {
    let world = World::played(Logs::One, u64::MAX, 12_000).await;
    let (events, pages) = walked(&world, asked(u(1), usize::MAX, 100_000), true).await;
    assert_eq!(events, world.defined(u(1)).await.0);
    assert!(pages.len() > 2, "there are several windows");
    let (last, others) = pages.split_last().unwrap();
    assert!(others.iter().all(|page| page.end == HistoryEnd::Time && page.scanned == WINDOW));
    assert_eq!(last.end, HistoryEnd::Beginning);
}

#[tokio::test]
async fn an_empty_log_has_a_history_without_events_and_a_place_of_nowhere_is_refused() {
    let world = World::played(Logs::PerGene, u64::MAX, 0).await;
    let page = world.operator.user_history(asked(u(1), 5, 5), || false).await.unwrap();
    assert_eq!(
        (page.events.len(), page.scanned, page.reached, page.end),
        (0, 0, None, HistoryEnd::Beginning)
    );
    for below in [EventAt::new(Logs::PerGene.of(u(1)), 2), EventAt::new(Logs::PerGene.of(u(2)), 1)] {
        let asked = HistoryAsked { below: Some(below), ..asked(u(1), 5, 5) };
        let refused = world.operator.user_history(asked, || false).await.unwrap_err();
        assert_eq!(refused.reason, Reason::StaleCursor);
    }
}

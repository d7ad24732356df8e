//! Random operations against the model: every answer must be equal.
//!
//! The model is the in-memory backend. In lockstep, each operation goes to both, on one clock, so that even the
//! stamps are equal. For clients that race see [`racing`](super::racing).

use super::{Need, Rng, World, u};
use crate::memory::{MemoryStore, Options};
use guanxi_model::event::PairChange;
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{
    Change, Command, Cursor, Edge, Event, EventAt, FriendRequest, ImportCursor, ImportEdge, List,
    MuteCommand, Op, Outcome, Page, PageStart, PairCommand, Position, Reason, Relation, RelationRequest,
    RequestDirection, RequestKey, RequestKind, Stamp, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, DueEnd, ExportEdge, Facts as _, Log, Store, StoreView};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Users of a random world: few, so that they meet.
const USERS: u64 = 9;
/// Operations of a run in lockstep, each with a read.
const STEPS: usize = 350;
/// The clock never moves further in one run: the store keeps its log for a week.
const CLOCK_MAX_MS: u64 = super::START_MS + 5 * 24 * 3_600_000;

macro_rules! seeds {
    ($($name:ident = $body:ident($seed:literal);)+) => {$(
        #[doc = concat!("[`", stringify!($body), "`] with seed ", stringify!($seed), ".")]
        pub async fn $name(world: &World) {
            $body(world, $seed).await;
        }
    )+};
}

seeds! {
    random_operations_1 = lockstep(1);
    random_operations_2 = lockstep(2);
    random_operations_3 = lockstep(3);
    random_operations_4 = lockstep(4);
}

/// An empty model with the settings and the logs of a world.
pub(super) fn model(world: &World) -> MemoryStore {
    let settings = &world.settings;
    let options = Options { logs: world.origin.logs(), ..settings.memory() };
    MemoryStore::new(settings.clock.clone(), options)
}

/// Random operations of several clients, one at a time, to the backend and to the model: every outcome, position,
/// relation, page, counter, export and event must be equal.
pub async fn lockstep(world: &World, seed: u64) {
    let model = model(world);
    let mut play = Play::new(world, seed);
    for step in 0..STEPS {
        play.move_clock(world);
        let write = play.write();
        let context = format!("seed {seed}, step {step}: {write:?}");
        let (ours, theirs) = (world.try_write(write.clone()).await, model.apply(write).await);
        same_answer(world, &ours, &theirs.map_err(|error| error.reason), &context);
        if let Ok(answer) = ours {
            play.note(&answer);
        }
        let (ours, theirs) = (world.view().await, model.view(Some(&world.last())).await.unwrap());
        if !world.lacks_quietly(Need::OneView) {
            assert_eq!(ours.position(), theirs.position(), "{context}");
        }
        play.compare_read(&*ours, &*theirs, &context).await;
        if play.rng.below(6) == 0 && !world.lacks_quietly(Need::NoLag) {
            play.compare_log(world, &model, &context).await;
        }
    }
    same_logs(world, &model, seed).await;
}

/// Both answered the same, and stand at the same place. What lags may be missing in the relations of an answer, and
/// stands at another place in the log of the other user.
pub(super) fn same_answer(
    world: &World,
    ours: &Result<Applied, Reason>,
    theirs: &Result<Applied, Reason>,
    context: &str,
) {
    if !world.lacks_quietly(Need::NoLag) {
        return assert_eq!(ours, theirs, "{context}");
    }
    let outcomes = |answer: &Result<Applied, Reason>| {
        let mut outcomes = answer.clone().map(|answer| answer.outcomes);
        for outcome in outcomes.iter_mut().flatten() {
            if let Outcome::Pair(pair) = outcome {
                pair.relation = Relation::default();
            }
        }
        outcomes
    };
    assert_eq!(outcomes(ours), outcomes(theirs), "{context}");
}

/// Both logged the same facts.
pub(super) async fn same_logs(world: &World, model: &MemoryStore, seed: u64) {
    let (mut ours, mut theirs) = (world.events_since(&world.origin).await, whole_log(world, model).await);
    if world.lacks_quietly(Need::NoLag) {
        ours.iter_mut().for_each(without_lag);
        theirs.iter_mut().for_each(without_lag);
    }
    assert_eq!(ours, theirs, "seed {seed}");
}

/// An event without what depends on when something came that another user did: its place among echoes, and whether two
/// were friends then.
pub(super) fn without_lag(event: &mut Event) {
    event.at = EventAt::beginning(event.at.log());
    if let Change::Pair { kind: PairChange::Followed { mutual, .. }, .. } = &mut event.change {
        *mutual = false;
    }
}

pub(super) async fn whole_log(world: &World, model: &MemoryStore) -> Vec<Event> {
    let head = model.head().await.unwrap();
    let mut facts = Vec::new();
    for (log, _) in head.marks() {
        let mut after = world.origin.clone();
        while !after.includes(head.in_log(log)) {
            let batch = model.read(log, &after, usize::MAX).await.unwrap();
            facts.extend(batch.events.into_iter().filter(|event| event.echo.is_none()));
            after = batch.position;
        }
    }
    facts.sort_by_key(|event| event.version);
    facts
}

/// The operations that somebody can ask for.
pub(super) fn client_ops() -> Vec<Op> {
    Op::ALL.into_iter().filter(|op| !op.is_of_server()).collect()
}

/// A random run: what was asked and answered before gives the next questions their material.
pub(super) struct Play {
    pub(super) rng: Rng,
    /// What is done.
    pub(super) ops: Vec<Op>,
    ends: bool,
    due: Option<DueEnd>,
    mixed: bool,
    offsets: bool,
    seen: Vec<Edge>,
    requests: Vec<(RequestKey, Vec<PairCommand>)>,
    jobs: BTreeMap<&'static str, u64>,
    pending: Option<ImportCursor>,
}

impl Play {
    pub(super) fn new(world: &World, seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            ops: if world.lacks(Need::Ends) { client_ops() } else { Op::ALL.to_vec() },
            ends: !world.lacks(Need::Ends),
            due: None,
            mixed: !world.lacks(Need::MixedBatches),
            offsets: !world.lacks(Need::OffsetsEverywhere),
            seen: Vec::new(),
            requests: Vec::new(),
            jobs: BTreeMap::new(),
            pending: None,
        }
    }

    fn user(&mut self) -> Uid {
        u(1 + self.rng.below(USERS))
    }

    fn command(&mut self, subject: Uid) -> PairCommand {
        let op = if self.rng.below(3) == 0 { Op::Follow } else { *self.rng.pick(&self.ops) };
        PairCommand { op, subject, object: self.user() }
    }

    /// One command, or a batch as the backend can express it.
    pub(super) fn commands(&mut self) -> Vec<PairCommand> {
        let subject = self.user();
        if self.rng.below(3) > 0 {
            return vec![self.command(subject)];
        }
        let len = 2 + self.rng.below(5);
        if self.mixed {
            return (0..len)
                .map(|_| self.user())
                .collect::<Vec<_>>()
                .into_iter()
                .map(|s| self.command(s))
                .collect();
        }
        (0..len).map(|_| PairCommand { op: Op::Follow, subject, object: self.user() }).collect()
    }

    fn write(&mut self) -> Write {
        match self.rng.below(24) {
            0..12 => Write::all(self.commands()),
            12..15 => self.request(),
            15..18 => self.import(),
            18..22 => {
                let (subject, object, seen) = (self.user(), self.user(), self.seen.last().copied());
                Write::of(random_waiting(&mut self.rng, subject, object, seen))
            }
            _ => {
                let limit = [None, Some(0), Some(3), Some(8)][self.rng.below(4) as usize];
                Write::of(Command::FollowLimit { uid: self.user(), limit })
            }
        }
    }

    /// A new request id, an old one repeated, or an old one with other parameters.
    fn request(&mut self) -> Write {
        let repeat = !self.requests.is_empty() && self.rng.below(2) == 0;
        let (mut key, mut commands) = if repeat {
            self.rng.pick(&self.requests).clone()
        } else {
            let (id, fingerprint) = (format!("r{}", self.rng.bits()), self.rng.bits());
            let commands = self.commands();
            let actor = commands.first().map_or(u(1), |command| command.subject);
            (RequestKey { actor, id: id.into(), fingerprint }, commands)
        };
        if repeat && self.rng.below(4) == 0 {
            key.fingerprint += 1;
            // Other parameters, too, for a backend that takes the fingerprint itself.
            commands = vec![PairCommand {
                op: Op::Follow,
                subject: key.actor,
                object: u(USERS + 1 + key.fingerprint % USERS),
            }];
        } else {
            self.requests.push((key.clone(), commands.clone()));
        }
        Write::all(commands).under(Some(key))
    }

    fn import(&mut self) -> Write {
        let len = self.rng.below(6);
        let edges = (0..len).map(|_| {
            let at = (self.rng.below(4) > 0).then(|| Stamp::from_ms(1_000 + self.rng.below(40)));
            ImportEdge::new(self.user(), self.user(), at)
        });
        let edges: Vec<_> = edges.collect();
        let job = *self.rng.pick(&["a", "b"]);
        let from = self.jobs.get(job).copied().unwrap_or(0) + u64::from(self.rng.below(5) == 0);
        let mark = ImportCursor { job: job.to_owned(), from, to: from + 1 + self.rng.below(9) };
        let mark = (self.rng.below(2) == 0).then_some(mark);
        self.pending.clone_from(&mark);
        Write::edges(edges, self.rng.below(3) == 0).at(mark)
    }

    /// Notes where a job stands now, and edges to make cursors of.
    fn note(&mut self, answer: &Applied) {
        if let Some(mark) = self.pending.take() {
            let job = if mark.job == "a" { "a" } else { "b" };
            self.jobs.insert(job, mark.to);
        }
        let since = answer.clone().pairs().into_iter().filter_map(|outcome| outcome.relation.following_since);
        self.seen.extend(since.map(|at| Edge { at, uid: u(1 + at.raw() % USERS) }));
    }

    fn move_clock(&mut self, world: &World) {
        let now = world.now_ms();
        let next = match self.rng.below(30) {
            0..8 => now + self.rng.below(3),
            8 => now + 3_600_000 * self.rng.below(13),
            9 => now - self.rng.below(10_000),
            _ => now,
        };
        world.clock().set(next.min(CLOCK_MAX_MS));
    }

    fn page(&mut self, offset_allowed: bool) -> Page {
        let start = match self.rng.below(4) {
            0 if !self.seen.is_empty() => PageStart::After(Cursor(*self.rng.pick(&self.seen))),
            1 if offset_allowed => PageStart::Offset(self.rng.below(USERS) as u32),
            _ => PageStart::Newest,
        };
        Page::new(start, 1 + self.rng.below(5) as i32).unwrap()
    }

    /// Asks both views the same random question.
    async fn compare_read(&mut self, ours: &dyn StoreView, theirs: &dyn StoreView, context: &str) {
        let (a, b) = (self.user(), self.user());
        let everybody: Vec<Uid> = (1..=USERS + 1).map(u).collect();
        match self.rng.below(10) {
            8..10 => self.compare_waiting(ours, theirs, a, context).await,
            0 => same(ours.relations(a, &everybody).await, theirs.relations(a, &everybody).await, context),
            1 => {
                let pairs = [(a, b), (b, a), (a, a)];
                same(ours.pairs(&pairs).await, theirs.pairs(&pairs).await, context);
            }
            2 => same(ours.counts(&everybody).await, theirs.counts(&everybody).await, context),
            3 => {
                let page = self.page(self.offsets);
                let asked = (
                    ours.known_followers(a, b, page, None).await,
                    theirs.known_followers(a, b, page, None).await,
                );
                same(asked.0, asked.1, context);
            }
            4 => {
                let page = self.page(self.offsets);
                let asked = (
                    ours.mutual_following(a, b, page, None).await,
                    theirs.mutual_following(a, b, page, None).await,
                );
                same(asked.0, asked.1, context);
            }
            5 => {
                same(ours.follow_limit(a).await, theirs.follow_limit(a).await, context);
                same(ours.import_position("a").await, theirs.import_position("a").await, context);
                let (after, max) = (Some((a, b)), 1 + self.rng.below(30) as usize);
                same::<Vec<ExportEdge>>(
                    ours.edges(Walk::new(after, max)).await,
                    theirs.edges(Walk::new(after, max)).await,
                    context,
                );
            }
            _ => {
                for list in List::ALL {
                    let offset = matches!(list, List::Following | List::Friends) || self.offsets;
                    let page = self.page(offset);
                    let asked = (ours.list(a, list, page).await, theirs.list(a, list, page).await);
                    if let Ok(page) = &asked.0 {
                        self.seen.extend(&page.items);
                    }
                    same(asked.0, asked.1, &format!("{context}, then {list:?} of {a} {page:?}"));
                }
            }
        }
    }

    /// What a user has asked and is asked, on which terms it mutes whom, and what ends when.
    async fn compare_waiting(
        &mut self,
        ours: &dyn StoreView,
        theirs: &dyn StoreView,
        uid: Uid,
        context: &str,
    ) {
        let everybody: Vec<Uid> = (1..=USERS).map(u).collect();
        same(ours.mute_terms(uid, &everybody).await, theirs.mute_terms(uid, &everybody).await, context);
        for kind in RequestKind::ALL {
            let cap = 1 + self.rng.below(4) as u32;
            let unseen = ours.unseen_requests(uid, kind, cap).await;
            same(unseen, theirs.unseen_requests(uid, kind, cap).await, context);
            for direction in [RequestDirection::Incoming, RequestDirection::Outgoing] {
                let page = self.page(false);
                let asked = ours.requests(uid, direction, kind, page).await;
                if let Ok(page) = &asked {
                    let edge = |request: &RelationRequest| Edge { at: request.at, uid: request.sender };
                    self.seen.extend(page.items.iter().map(edge));
                }
                let context = format!("{context}, then {direction:?} {kind:?} of {uid} {page:?}");
                same(asked, theirs.requests(uid, direction, kind, page).await, &context);
            }
        }
        if self.ends {
            let (until, max) =
                (CLOCK_MAX_MS + self.rng.below(40 * 24 * 3_600_000), 1 + self.rng.below(9) as usize);
            let after = self.due;
            let due = ours.due_ends(until, Walk::new(after, max)).await;
            self.due = due.as_ref().ok().and_then(|due| due.first().copied());
            same(due, theirs.due_ends(until, Walk::new(after, max)).await, context);
            same(
                ours.unlocking(Walk::new(Some(uid), max)).await,
                theirs.unlocking(Walk::new(Some(uid), max)).await,
                context,
            );
        }
    }

    async fn compare_log(&mut self, world: &World, model: &MemoryStore, context: &str) {
        let last = world.last().of(u(1));
        let seen = EventAt::new(last.log(), self.rng.below(last.seq() + 1));
        let after = Position::seen(world.settings.history, world.origin.logs(), seen);
        let max = 1 + self.rng.below(20) as usize;
        let ours = world.backend.log.read(last.log(), &after, max).await;
        same(ours, model.read(last.log(), &after, max).await, context);
    }
}

/// A command about what waits: locks, messages, terms, and what was seen.
pub fn random_waiting(rng: &mut Rng, subject: Uid, object: Uid, seen: Option<Edge>) -> Command {
    let ms = |rng: &mut Rng| [None, Some(1), Some(5_000), Some(3_600_000)][rng.below(4) as usize];
    match rng.below(8) {
        0..2 => {
            let locked = Some(rng.below(3) > 0);
            let patch = PrivacyPatch { locked, ..PrivacyPatch::default() };
            UserCommand::SetPrivacy { uid: subject, patch }.into()
        }
        2..5 => {
            let message = ["", "hello", "it is me"][rng.below(3) as usize].to_owned();
            let ttl_ms = ms(rng);
            Command::SendFriendRequest(FriendRequest { sender: subject, receiver: object, message, ttl_ms })
        }
        5..7 => {
            let (reposts_only, duration_ms) = (rng.below(2) == 0, ms(rng));
            Command::Mute(MuteCommand { subject, object, reposts_only, duration_ms })
        }
        _ => Command::MarkRequestsSeen {
            uid: subject,
            seen: seen.map(|edge| edge.at).filter(|_| rng.below(2) == 0),
        },
    }
}

pub(super) fn same<T: PartialEq + Debug>(
    ours: guanxi_model::Result<T>,
    theirs: guanxi_model::Result<T>,
    context: &str,
) {
    assert_eq!(ours.map_err(|error| error.reason), theirs.map_err(|error| error.reason), "{context}");
}

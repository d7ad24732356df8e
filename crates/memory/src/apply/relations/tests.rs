//! Users in memory against a small model of shards. After any history, and in any order in which logs become known, a user that was
//! filled once and followed since is what a fresh read of its rows says.

use super::*;
use crate::cache::COLLECTED_MAX;
use crate::cut::Cut;
use crate::relations::{RelationsCache, RelationsEntry};
use guanxi_model::{EventAt, LogId, Logs, MuteTerms, Op, RequestKind};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const LOGS: Logs = Logs::PerGene;

/// Two of them have one log.
const USERS: [u64; 5] = [0x101, 0x201, 0x102, 0x103, 0x104];

fn user(n: u8) -> Uid {
    Uid::new(USERS[usize::from(n) % USERS.len()]).unwrap()
}

/// What the rows of a user say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rows {
    facts: UserRelations,
    fans: BTreeMap<Uid, Stamp>,
    asked: BTreeSet<Uid>,
    version: u64,
}

/// A commit of a log: its last event, its events, and the rows of all users of the log after it.
struct Commit {
    seq: u64,
    events: Vec<Event>,
    rows: BTreeMap<Uid, Rows>,
}

/// Some shards, whose events reach each other when they are delivered.
#[derive(Default)]
struct World {
    rows: BTreeMap<Uid, Rows>,
    commits: BTreeMap<LogId, Vec<Commit>>,
    /// Facts that other shards have not heard of, by their log.
    sent: BTreeMap<LogId, VecDeque<Event>>,
    /// Commits that memory knows of.
    let_in: BTreeMap<LogId, usize>,
    clock: u64,
    /// The commit under way.
    events: Vec<Event>,
    seq: u64,
}

impl World {
    fn rows(&mut self, uid: Uid) -> &mut Rows {
        self.rows.entry(uid).or_default()
    }

    fn tick(&mut self) -> Stamp {
        self.clock += 1;
        Stamp::from_ms(self.clock)
    }

    /// Makes a commit of what is done to the users of a log.
    fn commit(&mut self, log: LogId, done: impl FnOnce(&mut Self)) {
        self.seq = self.head(log);
        done(self);
        if self.events.is_empty() {
            return;
        }
        let (seq, events) = (self.seq, std::mem::take(&mut self.events));
        let rows: BTreeMap<Uid, Rows> = self
            .rows
            .iter()
            .filter(|(uid, _)| LOGS.of(**uid) == log)
            .map(|(uid, rows)| (*uid, rows.clone()))
            .collect();
        // The version is the commit, whichever of its events changed the facts.
        self.commits.entry(log).or_default().push(Commit { seq, events, rows });
    }

    fn head(&self, log: LogId) -> u64 {
        self.commits.get(&log).and_then(|commits| commits.last()).map_or(0, |commit| commit.seq)
    }

    /// Logs a fact of a user. Another shard hears of it later; in the same one its effects are there at once.
    fn fact(&mut self, a: Uid, change: Change) -> Event {
        self.seq += 1;
        let (at, version) = (EventAt::new(LOGS.of(a), self.seq), self.tick());
        let event = Event { at, version, subject: a, change, echo: None };
        self.events.push(event);
        match event.object() {
            Some(b) if LOGS.of(b) != LOGS.of(a) => self.sent.entry(LOGS.of(a)).or_default().push_back(event),
            Some(b) => self.hear(b, &event),
            None => {}
        }
        event
    }

    fn pair(&mut self, a: Uid, object: Uid, kind: PairChange) -> Event {
        self.fact(a, Change::Pair { object, kind, cause: Op::Follow })
    }

    /// The user's own facts changed by the commit under way. All of its events are counted before it is closed.
    fn newer(&mut self, uid: Uid) {
        self.rows(uid).version = u64::MAX;
    }

    fn follow(&mut self, a: Uid, b: Uid, given: Option<u64>) {
        if self.rows(a).facts.follow(b).is_some() {
            return;
        }
        let at = given.map_or(Stamp::from_ms(self.clock + 1), Stamp::from_ms);
        let friends_since = self.rows(a).fans.get(&b).map(|back| (*back).max(at));
        self.rows(a).facts.set_follow(Follow { uid: b, at, friends_since });
        self.newer(a);
        self.pair(a, b, PairChange::Followed { at, mutual: friends_since.is_some() });
    }

    fn unfollow(&mut self, a: Uid, b: Uid) {
        if self.rows(a).facts.remove_follow(b).is_some() {
            self.newer(a);
            self.pair(a, b, PairChange::Unfollowed);
        }
    }

    /// What somebody of a log does to another one.
    fn act(&mut self, what: u8, (a, b): (Uid, Uid), n: u64) {
        let at = Stamp::from_ms(n);
        let kind = if n.is_multiple_of(2) { RequestKind::Follow } else { RequestKind::Friend };
        match what {
            0 | 1 => self.follow(a, b, None),
            2 => self.follow(a, b, Some(n)),
            3 => self.unfollow(a, b),
            4 => {
                self.unfollow(a, b);
                self.rows(a).facts.blocks.set(Edge { at, uid: b });
                self.newer(a);
                self.pair(a, b, PairChange::Blocked { at });
            }
            5 if self.rows(a).facts.blocks.unset(b).is_some() => {
                self.newer(a);
                self.pair(a, b, PairChange::Unblocked);
            }
            6 => {
                let terms = MuteTerms { reposts_only: n.is_multiple_of(2), until_ms: None };
                self.rows(a).facts.set_mute(b, Some((at, terms.scope())));
                self.newer(a);
                self.pair(a, b, PairChange::Muted { at, terms });
            }
            7 if self.rows(a).facts.mute(b).is_some() => {
                self.rows(a).facts.set_mute(b, None);
                self.newer(a);
                self.pair(a, b, PairChange::Unmuted);
            }
            8 if self.rows(a).asked.insert(b) => {
                self.pair(a, b, PairChange::Requested { kind, expires_ms: n });
            }
            9 if self.rows(a).asked.remove(&b) => {
                self.pair(a, b, PairChange::RequestEnded { kind });
            }
            10 => {
                self.rows(a).facts.limit = Some(n as u32);
                self.newer(a);
                self.fact(a, Change::FollowLimit(Some(n as u32)));
            }
            _ => {}
        }
    }

    /// Takes an act of another one into the rows of a user.
    fn hear(&mut self, b: Uid, event: &Event) {
        let a = event.subject;
        let Change::Pair { kind, .. } = event.change else { return };
        match kind {
            PairChange::Followed { at, .. } => {
                self.rows(b).fans.insert(a, at);
                if let Some(own) = self.rows(b).facts.follow(a).copied() {
                    let friends_since = Some(own.at.max(at));
                    self.rows(b).facts.set_follow(Follow { friends_since, ..own });
                    self.newer(b);
                }
            }
            PairChange::Unfollowed => {
                self.rows(b).fans.remove(&a);
                if let Some(own) =
                    self.rows(b).facts.follow(a).copied().filter(|own| own.friends_since.is_some())
                {
                    self.rows(b).facts.set_follow(Follow { friends_since: None, ..own });
                    self.newer(b);
                }
            }
            PairChange::Blocked { .. } => self.unfollow(b, a),
            PairChange::Requested { kind, expires_ms } => {
                self.rows(b).facts.set_ask(a, Some((Stamp::from_ms(expires_ms), kind)));
            }
            PairChange::RequestEnded { .. } => self.rows(b).facts.set_ask(a, None),
            PairChange::Unblocked | PairChange::Muted { .. } | PairChange::Unmuted => {}
        }
    }

    /// Brings the oldest fact of a log that others have not heard of to the log of the other user, as an echo.
    fn deliver(&mut self, from: LogId) {
        let Some(event) = self.sent.get_mut(&from).and_then(VecDeque::pop_front) else { return };
        let Some(b) = event.object() else { return };
        self.commit(LOGS.of(b), |world| {
            world.seq += 1;
            let at = EventAt::new(LOGS.of(b), world.seq);
            world.events.push(Event { at, echo: Some(event.at), ..event });
            world.hear(b, &event);
        });
        self.close(LOGS.of(b));
    }

    /// Dates the versions of the last commit of a log.
    fn close(&mut self, log: LogId) {
        let head = self.head(log);
        let newest = self.commits.get_mut(&log).and_then(|commits| commits.last_mut());
        let noted = newest.into_iter().flat_map(|commit| commit.rows.values_mut());
        let standing = self.rows.iter_mut().filter(|(uid, _)| LOGS.of(**uid) == log).map(|(_, rows)| rows);
        noted.chain(standing).filter(|rows| rows.version == u64::MAX).for_each(|rows| rows.version = head);
    }

    /// Makes the next commit of a log known to memory.
    fn let_in(&mut self, log: LogId, users: &RelationsCache) {
        let known = self.let_in.entry(log).or_default();
        let Some(commit) = self.commits.get(&log).and_then(|commits| commits.get(*known)) else { return };
        *known += 1;
        let told = commit.rows.iter().filter_map(|(uid, rows)| {
            let events: Vec<Event> =
                commit.events.iter().filter(|event| event.tells_of(*uid)).copied().collect();
            let (followers, asked) = (rows.fans.len() as u64, rows.asked.len() as u64);
            (!events.is_empty()).then_some(UserCommit { user: *uid, events, followers, asked })
        });
        users.follow(commit.seq, &told.collect::<Vec<_>>());
    }

    /// The rows of a user after the last commit of its log up to a seq; none before anybody said anything of it.
    fn rows_at(&self, uid: Uid, seq: u64) -> Option<&Rows> {
        let commits = self.commits.get(&LOGS.of(uid)).into_iter().flatten();
        commits.take_while(|commit| commit.seq <= seq).last()?.rows.get(&uid)
    }

    /// A fresh read of a user, which may have commits that memory does not know yet.
    fn read(&self, uid: Uid) -> RelationsEntry {
        let head = self.head(LOGS.of(uid));
        let Some(rows) = self.rows_at(uid, head) else { return RelationsEntry::default() };
        let numbers = (rows.fans.len() as u64, rows.asked.len() as u64);
        RelationsEntry::new(head, rows.version, numbers, &rows.facts)
    }

    /// Each user that memory holds is what its rows say, at its own event and at all that memory knows beyond.
    fn check(&self, users: &RelationsCache) -> Result<usize, TestCaseError> {
        let mut held = 0;
        for uid in USERS.map(|n| Uid::new(n).unwrap()) {
            let reading = users.read(&Whole);
            let Some(entry) = reading.get(uid) else { continue };
            held += 1;
            let log = LOGS.of(uid);
            let known = self.let_in.get(&log).copied().unwrap_or_default();
            let known = known.checked_sub(1).map_or(0, |last| self.commits[&log][last].seq);
            for seq in [entry.as_of(), known.max(entry.as_of())] {
                let rows = self.rows_at(uid, seq).cloned().unwrap_or_default();
                prop_assert_eq!(&entry.packed().unpack(), &rows.facts, "{} at {}", uid, seq);
                prop_assert_eq!(entry.followers(), rows.fans.len() as u64);
                prop_assert_eq!(entry.asked(), rows.asked.len() as u64);
                prop_assert_eq!(entry.version(), rows.version);
            }
        }
        Ok(held)
    }
}

/// A cut that includes everything.
struct Whole;

impl Cut for Whole {
    const LOGS: Logs = LOGS;

    fn seq(&self, _: LogId) -> u64 {
        u64::MAX
    }

    fn ids_high(&self, _: LogId) -> u64 {
        u64::MAX
    }
}

/// What a step does, by whom, to whom, and a number.
type Step = (u8, u8, u8, u64);

/// Plays a history, and returns how often a user was in memory when it was looked at.
fn play(steps: &[Step]) -> Result<usize, TestCaseError> {
    let users = RelationsCache::new(1 << 20);
    let mut world = World { clock: 1_000, ..World::default() };
    let mut fills = BTreeMap::new();
    let mut held = 0;
    for (what, a, b, n) in steps {
        let (a, b) = (user(*a), user(*b));
        match what {
            0..=10 if a != b => {
                world.commit(LOGS.of(a), |world| world.act(*what, (a, b), *n));
                world.close(LOGS.of(a));
            }
            11..=13 => world.deliver(LOGS.of(a)),
            14..=19 => world.let_in(LOGS.of(a), &users),
            20 | 21 => {
                fills.entry(a).or_insert_with(|| (users.begin_fill(a), None));
            }
            22 => {
                if let Some((_, read)) = fills.get_mut(&a) {
                    *read = Some(world.read(a));
                }
            }
            23 => {
                if let Some((fill, read)) = fills.remove(&a) {
                    fill.keep([read]);
                }
            }
            _ => {}
        }
        held += world.check(&users)?;
    }
    Ok(held)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn who_was_filled_and_followed_is_what_is_read(
        steps in proptest::collection::vec((0..24_u8, 0..5_u8, 0..5_u8, 1..900_u64), 1..250),
    ) {
        play(&steps)?;
    }
}

#[test]
fn histories_keep_users_in_memory() {
    let mut random = 7_u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let steps: Vec<Step> =
        (0..20_000).map(|_| (below(24) as u8, below(5) as u8, below(5) as u8, 1 + below(900))).collect();
    let held = play(&steps).unwrap();
    assert!(held > 5_000, "held {held} times, of {} looks", steps.len() * USERS.len());
}

#[test]
fn a_user_who_changes_all_the_time_is_filled() {
    let (users, mut world) = (RelationsCache::new(1 << 20), World { clock: 1_000, ..World::default() });
    let (a, b) = (user(0), user(2));
    let fill = users.begin_fill(a);
    let step = |world: &mut World, what| {
        world.commit(LOGS.of(a), |world| world.act(what, (a, b), 5));
        world.close(LOGS.of(a));
        world.let_in(LOGS.of(a), &users);
    };
    step(&mut world, 0);
    let read = world.read(a);
    step(&mut world, 6);
    step(&mut world, 3);
    fill.keep([Some(read)]);
    assert_eq!(world.check(&users).unwrap(), 1);
    step(&mut world, 7);
    assert_eq!(world.check(&users).unwrap(), 1);
}

#[test]
fn a_fill_that_missed_too_much_is_not_kept() {
    for (commits, kept) in [(COLLECTED_MAX, 1), (COLLECTED_MAX + 1, 0)] {
        let (users, mut world) = (RelationsCache::new(1 << 20), World { clock: 1_000, ..World::default() });
        let a = user(0);
        let (fill, read) = (users.begin_fill(a), world.read(a));
        for n in 0..commits as u64 {
            world.commit(LOGS.of(a), |world| world.act(10, (a, user(2)), n));
            world.close(LOGS.of(a));
            world.let_in(LOGS.of(a), &users);
        }
        fill.keep([Some(read)]);
        assert_eq!(world.check(&users).unwrap(), kept, "after {commits} commits");
    }
}

#[test]
fn a_log_is_forgotten_with_its_fills_and_others_stay() {
    let users = RelationsCache::new(1 << 20);
    let known = |entry| [Some(RelationsEntry::new(5, 5, (entry, 0), &UserRelations::default()))];
    for n in 0..4 {
        users.begin_fill(user(n)).keep(known(n.into()));
    }
    let fills = [users.begin_fill(user(0)), users.begin_fill(user(4))];
    users.forget_logs(LOGS, &[LOGS.of(user(0))].into());
    fills.into_iter().for_each(|fill| fill.keep(known(9)));
    let held = USERS.map(|n| users.read(&Whole).get(Uid::new(n).unwrap()).map(RelationsEntry::followers));
    assert_eq!(held, [None, None, Some(2), Some(3), Some(9)]);
    users.forget(&[user(4)]);
    assert_eq!(users.size().1, 2);
}

#[test]
fn users_are_forgotten_by_what_changes_their_own_word() {
    let users = RelationsCache::new(1 << 20);
    let follows = |other| {
        let mut facts = UserRelations::default();
        facts.set_follow(Follow { uid: user(other), at: Stamp::from_ms(1), friends_since: None });
        [Some(RelationsEntry::new(5, 5, (0, 0), &facts))]
    };
    let by = |other| RelationsEffect::FollowedBy(Edge { at: Stamp::from_ms(2), uid: user(other) });
    users.begin_fill(user(0)).keep(follows(1));
    users.forget_changed(&[(user(0), by(2))]);
    assert_eq!(users.size().1, 1, "who it does not follow changes nothing of it");
    users.forget_changed(&[(user(0), by(1))]);
    assert_eq!(users.size().1, 0, "they are friends now");
    let fill = users.begin_fill(user(0));
    users.forget_changed(&[(user(0), by(2))]);
    fill.keep(follows(2));
    assert_eq!(users.size().1, 0, "it is not known whether what is being read includes that");
}

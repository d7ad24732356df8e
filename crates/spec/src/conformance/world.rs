//! A small world on a fresh store, with the words that the cases are written in.

use super::groups_world::groups_of;
use super::users_world::portraits;
use super::{Backend, Need, Replay, Settings, UserPortrait};
use guanxi_model::limits::{BATCH_MAX, IMPORT_BATCH_MAX, REQUEST_ID_TTL_MS, SESSION_PAGE_MAX};
use guanxi_model::post::PostCommand;
use guanxi_model::{
    AuditEntry, Clock as _, Command, Counts, Credential, Edge, Error, Event, EventAt, ExternalId, ImportEdge,
    List, ManualClock, Op, Outcome, PageStart, PairCommand, PairOutcome, Position, PostId, Reason, Relation,
    RequestId, RequestKey, Session, Stamp, Uid, UserGroup, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, ExportEdge, Facts as _, FollowLimit, RelationsVersion, StoreView};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// A uid.
pub fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// The command "subject follows object".
pub fn follow(subject: u64, object: u64) -> PairCommand {
    PairCommand { op: Op::Follow, subject: u(subject), object: u(object) }
}

/// A store, and where its last write of this world stands: reads of the world see its writes.
pub struct World {
    /// The store.
    pub backend: Backend,
    /// How it was made.
    pub settings: Settings,
    /// Where it began.
    pub origin: Position,
    name: String,
    noted: Mutex<Noted>,
}

/// What the store must remember of this world's writes.
#[derive(Clone, Debug)]
struct Noted {
    /// Where the last write stands.
    last: Position,
    /// Where each import job stands.
    jobs: BTreeMap<String, u64>,
    /// The first write under each request id of a user, when, and its answer.
    requests: BTreeMap<(Uid, RequestId), (Write, u64, Applied)>,
    /// How often a write was repeated that a shard had not taken.
    repeats: u64,
    /// The highest id of a post that was written, and not imported.
    last_post: Option<PostId>,
    /// Users of whom something was written beside relations and posts.
    users: BTreeSet<Uid>,
    /// Removed follows that were forgotten at some time.
    forgotten: BTreeSet<(Uid, Uid)>,
    /// Users who made groups.
    owners: BTreeSet<Uid>,
}

impl Noted {
    fn note(&mut self, write: &Write, now_ms: u64, answer: &Applied) {
        self.last.join(&answer.position);
        if let Some(cursor) = &write.cursor {
            self.jobs.insert(cursor.job.clone(), cursor.to);
        }
        for (command, outcome) in write.commands.iter().zip(&answer.outcomes) {
            match (command, outcome) {
                (Command::Post(PostCommand::Create(_)), Outcome::Post(outcome)) => {
                    self.last_post = self.last_post.max(outcome.id);
                }
                (Command::User(_), Outcome::User(outcome)) => drop(self.users.insert(outcome.uid)),
                (Command::DropTombstones { pairs, .. }, _) => self.forgotten.extend(pairs),
                (Command::Group(command), _) => drop(self.owners.insert(command.owner())),
                _ => {}
            }
        }
        if let Some(request) = &write.request {
            let key = (request.actor, request.id.clone());
            let known = self.requests.get(&key);
            if known.is_none_or(|(_, ms, _)| now_ms >= ms.saturating_add(REQUEST_ID_TTL_MS)) {
                self.requests.insert(key, (write.clone(), now_ms, answer.clone()));
            }
        }
    }
}

/// Everything that a store says, for comparisons.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Portrait {
    edges: Vec<ExportEdge>,
    users: BTreeMap<Uid, (Counts, FollowLimit, Vec<Vec<Edge>>)>,
}

/// How often a write or a check is repeated that a shard does not take.
const REPEATS_MAX: usize = 4;

impl World {
    /// A world on a fresh backend.
    pub async fn open(name: &str, settings: Settings, backend: Backend) -> Self {
        let origin = backend.log.head().await.unwrap();
        assert_eq!(origin.history(), settings.history, "the store has the history it was made with");
        let noted = Noted {
            last: origin.clone(),
            jobs: BTreeMap::new(),
            requests: BTreeMap::new(),
            repeats: 0,
            last_post: None,
            users: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            owners: BTreeSet::new(),
        };
        Self { backend, settings, origin, name: name.to_owned(), noted: Mutex::new(noted) }
    }

    /// The store's clock.
    pub fn clock(&self) -> &ManualClock {
        &self.settings.clock
    }

    /// What the clock says.
    pub fn now_ms(&self) -> u64 {
        self.settings.clock.now_ms()
    }

    /// Notes a position that another client of this world was answered.
    pub fn saw(&self, position: &Position) {
        let mut noted = self.noted.lock().unwrap();
        noted.last.join(position);
    }

    /// Whether the backend cannot express something. Then the case, or this part of it, is left out and says so.
    pub fn lacks(&self, need: Need) -> bool {
        let lack = self.backend.cannot.iter().find(|(lack, _)| *lack == need);
        if let Some((need, reason)) = lack {
            eprintln!("{}: left out, no {need:?}: {reason}", self.name);
        }
        lack.is_some()
    }

    /// Sends a write; a refusal of the whole request is the reason.
    pub async fn try_write(&self, write: Write) -> Result<Applied, Reason> {
        let mut repeats = 0..REPEATS_MAX;
        let answer = loop {
            let answer = self.backend.store.apply(write.clone()).await;
            if let Err(Error { reason, detail: Some(detail) }) = &answer {
                eprintln!("{}: {reason:?}: {detail}", self.name);
            }
            match answer.map_err(|error| error.reason) {
                // A caller with a request id tries again.
                Err(Reason::OutcomeUnknown) if write.request.is_some() => {}
                // On a busy machine a database ends a transaction whose plan takes too long. A repeat completes the write.
                Err(Reason::ShardUnavailable { .. }) if repeats.next().is_some() => {
                    self.noted.lock().unwrap().repeats += 1;
                }
                answer => break answer?,
            }
        };
        self.noted.lock().unwrap().note(&write, self.now_ms(), &answer);
        Ok(answer)
    }

    /// Sends a write that must be accepted as a whole.
    pub async fn write(&self, write: Write) -> Applied {
        self.try_write(write).await.unwrap()
    }

    /// Sends commands in one commit.
    pub async fn batch(&self, commands: &[PairCommand]) -> Vec<PairOutcome> {
        let answer = self.write(Write::all(commands.to_vec())).await;
        assert_eq!(answer.outcomes.len(), commands.len(), "one outcome per command");
        answer.pairs()
    }

    /// Does one operation.
    pub async fn act(&self, op: Op, subject: u64, object: u64) -> PairOutcome {
        let outcomes = self.batch(&[PairCommand { op, subject: u(subject), object: u(object) }]).await;
        outcomes.into_iter().next().unwrap()
    }

    /// Does one operation, and returns only its result.
    pub async fn result(&self, op: Op, subject: u64, object: u64) -> Result<bool, Reason> {
        self.act(op, subject, object).await.result
    }

    /// Sends commands under a request id, as an api does: the fingerprint is that of the commands.
    pub async fn request(&self, id: &str, commands: &[PairCommand]) -> Result<Applied, Reason> {
        let mut hasher = DefaultHasher::new();
        commands.hash(&mut hasher);
        let actor = commands.first().map_or(Uid::MIN, |command| command.subject);
        let request = Some(RequestKey { actor, id: id.into(), fingerprint: hasher.finish() });
        self.try_write(Write::all(commands.to_vec()).under(request)).await
    }

    /// Builds a small world from a script, every step of which must change something: `1->2` follows, `1<->2`
    /// both follow (1 first), `1-/2` unfollows, `1-x2` blocks, `1-o2` unblocks, `1-m2` mutes, `1-u2` unmutes,
    /// `1-r2` removes the follower 2.
    pub async fn build(&self, script: &str) {
        let commands: Vec<PairCommand> = script.split_whitespace().flat_map(parse_step).collect();
        self.change(&commands).await;
    }

    /// Does commands that must all change something: in batches, or one by one where the backend has none.
    pub async fn change(&self, commands: &[PairCommand]) {
        let size = if self.lacks_quietly(Need::MixedBatches) { 1 } else { BATCH_MAX as usize };
        for batch in commands.chunks(size) {
            for (command, outcome) in batch.iter().zip(self.batch(batch).await) {
                assert_eq!(outcome.result, Ok(true), "{command:?}");
            }
        }
    }

    /// Whether the backend cannot express something, for cases that say it themselves or that take part of it.
    pub(super) fn lacks_quietly(&self, need: Need) -> bool {
        self.backend.cannot.iter().any(|(lack, _)| *lack == need)
    }

    /// Imports follows, which must all be new, given as (subject, object, Unix milliseconds).
    pub async fn import(&self, edges: impl IntoIterator<Item = (u64, u64, u64)>) {
        let edge = |(subject, object, ms)| ImportEdge::new(u(subject), u(object), Some(Stamp::from_ms(ms)));
        let edges: Vec<ImportEdge> = edges.into_iter().map(edge).collect();
        for batch in edges.chunks(IMPORT_BATCH_MAX as usize) {
            let repeats = || self.noted.lock().unwrap().repeats;
            let (before, write) = (repeats(), Write::edges(batch.to_vec(), false));
            let outcomes = self.write(write).await.pairs();
            assert_eq!(outcomes.len(), batch.len());
            // A repeat finds the edges of shards that were written before another shard failed.
            let is_done = |result| result == Ok(true) || (result == Ok(false) && repeats() > before);
            assert!(outcomes.iter().all(|outcome| is_done(outcome.result.clone())), "{outcomes:?}");
        }
    }

    /// Sets a user's own follow limit.
    pub async fn set_limit(&self, uid: u64, limit: Option<u32>) {
        self.write(Write::of(Command::FollowLimit { uid: u(uid), limit })).await;
    }

    /// Where the last write of this world stands.
    pub fn last(&self) -> Position {
        self.noted.lock().unwrap().last.clone()
    }

    /// A view that sees this world's writes.
    pub async fn view(&self) -> Box<dyn StoreView> {
        self.backend.store.view(Some(&self.last())).await.unwrap()
    }

    /// Has the effects of this world's writes stand at some users: a reader with the token of an act finds them there.
    pub async fn settle(&self, users: impl IntoIterator<Item = u64>) {
        let users: Vec<Uid> = users.into_iter().map(u).collect();
        let view = self.view().await;
        for batch in users.chunks(BATCH_MAX as usize) {
            view.counts(batch).await.unwrap();
        }
    }

    /// The position of the next event of a user's log.
    pub fn next(&self, uid: u64) -> Position {
        let last = self.last();
        let at = last.of(u(uid));
        last.after(EventAt::new(at.log(), at.seq() + 1))
    }

    /// The counters of a user.
    pub async fn counts(&self, uid: u64) -> Counts {
        self.view().await.counts(&[u(uid)]).await.unwrap()[0]
    }

    /// Walks a whole list at a page size, each page on a view of its own. Checks what holds of every walk: pages
    /// are full unless the list ends, `next` names the last item, and the order is strict.
    pub async fn walk(&self, of: u64, list: List, size: i32) -> Vec<Edge> {
        let mut walked: Vec<Edge> = Vec::new();
        let mut start = PageStart::Newest;
        loop {
            let page = self.page(of, list, start, size).await;
            walked.extend(&page.items);
            let Some(next) = page.next else { break };
            assert_eq!(page.items.len() as i32, size, "a page with a successor is full");
            assert_eq!(Some(&next.0), page.items.last(), "the next page starts after the last item");
            start = PageStart::After(next);
        }
        assert!(walked.is_sorted_by(|a, b| a > b), "newest first: {walked:?}");
        walked
    }

    /// The uids of a whole list.
    pub async fn uids(&self, of: u64, list: List) -> Vec<u64> {
        self.walk(of, list, 1_000).await.iter().map(|edge| edge.uid.get()).collect()
    }

    /// All facts after a position that the log of every user tells, in the order of their versions; each log is
    /// checked to be gapless.
    pub async fn events_since(&self, start: &Position) -> Vec<Event> {
        drop(self.view().await);
        let end = self.backend.log.head().await.unwrap();
        let mut facts: Vec<Event> = Vec::new();
        for (log, _) in end.marks() {
            let mut after = start.clone();
            let mut seq = start.in_log(log).seq();
            while !after.includes(end.in_log(log)) {
                let batch = self.backend.log.read(log, &after, 1_000).await.unwrap();
                assert!(!batch.events.is_empty(), "events up to a published position can be read");
                for event in &batch.events {
                    seq += 1;
                    assert_eq!(event.at, EventAt::new(log, seq), "the log has no gap");
                }
                facts.extend(batch.events.into_iter().filter(|event| event.echo.is_none()));
                after = batch.position;
            }
        }
        facts.sort_by_key(|event| event.version);
        facts
    }

    /// The whole export, page by page.
    pub async fn export(&self) -> Vec<ExportEdge> {
        const PAGE: usize = 997;
        let view = self.view().await;
        let mut edges: Vec<ExportEdge> = Vec::new();
        loop {
            let after = edges.last().map(|edge| (edge.subject, edge.object));
            let page = view.edges(Walk::new(after, PAGE)).await.unwrap();
            let ended = page.len() < PAGE;
            edges.extend(page);
            if ended {
                return edges;
            }
        }
    }

    /// What every case ends with: the store verifies clean, agrees with its log, and after it was closed and
    /// opened again says the same and remembers what it must.
    pub async fn finish(self) {
        // First, since it waits until what follows from every write stands, also of those that this world did not note.
        self.verify().await;
        let replay = self.replayed().await;
        let posts = self.post_portrait().await;
        let (credentials, sessions) = (self.credentials().await, self.sessions().await);
        let audit = self.audit().await;
        let (kept_users, external_ids) = (self.kept_users().await, self.external_ids().await);
        let not_before = self.not_before();
        let groups = self.groups().await;
        let users = replay.as_ref().map(Replay::users).unwrap_or_default();
        let versions = self.relations_versions(&users).await;
        let Self { mut backend, settings, origin, name, noted } = self;
        let Some(reopen) = backend.reopen.take() else { return };
        let guard = backend.guard.take();
        drop(backend);
        let world = Self { backend: reopen().await, settings, origin, name, noted };
        if !world.backend.keeps_rows_elsewhere {
            world.verify().await;
        }
        let again = world.replayed().await;
        assert_eq!(again, replay, "the log is the same after a reopening");
        assert_eq!(world.post_portrait().await, posts, "posts are the same after a reopening");
        let versions_again = world.relations_versions(&users).await;
        assert_eq!(versions_again, versions, "relations are of the same versions after a reopening");
        assert_eq!(world.credentials().await, credentials, "credentials are the same after a reopening");
        assert_eq!(world.audit().await, audit, "what operators did is the same after a reopening");
        assert_eq!(world.sessions().await, sessions, "sessions are the same after a reopening");
        assert_eq!(world.kept_users().await, kept_users, "users are the same after a reopening");
        assert_eq!(world.not_before(), not_before, "who signed out stays so after a reopening");
        assert_eq!(world.external_ids().await, external_ids, "external ids are the same after a reopening");
        assert_eq!(world.groups().await, groups, "groups are the same after a reopening");
        world.check_memory(replay.unwrap_or_default()).await;
        drop((world, guard));
    }

    /// What tells whether the relations of some users have changed, and since when, of a backend that says it.
    async fn relations_versions(&self, users: &BTreeSet<Uid>) -> Vec<(RelationsVersion, EventAt)> {
        let mut versions = Vec::new();
        if !self.lacks_quietly(Need::Posts) && !self.lacks_quietly(Need::Outboxes) {
            let view = self.backend.store.view(None).await.unwrap();
            for uid in users.iter().take(PORTRAYED_MAX) {
                let said = view.viewer_relations(*uid).await.unwrap();
                versions.push((said.version(), said.changed()));
            }
        }
        versions
    }

    /// What is kept of the users of this world.
    async fn kept_users(&self) -> Vec<UserPortrait> {
        let users: Vec<Uid> = self.noted.lock().unwrap().users.iter().copied().collect();
        if users.is_empty() {
            return Vec::new();
        }
        portraits(&*self.view().await, &users, !self.lacks_quietly(Need::Accounts)).await
    }

    /// From when on credentials of this world's users are good, of a backend that tells.
    fn not_before(&self) -> Vec<u64> {
        let users: Vec<Uid> = self.noted.lock().unwrap().users.iter().copied().collect();
        let ended = self.backend.ended.iter();
        ended.flat_map(|ended| users.iter().map(|uid| ended.not_before_ms(*uid))).collect()
    }

    /// The groups of this world's users, with who is in them.
    async fn groups(&self) -> Vec<(UserGroup, Vec<Edge>)> {
        let owners: Vec<Uid> = self.noted.lock().unwrap().owners.iter().copied().collect();
        if owners.is_empty() { Vec::new() } else { groups_of(&*self.view().await, &owners).await }
    }

    /// The ids that users of this world have elsewhere, each of which leads back to its user.
    async fn external_ids(&self) -> Vec<(Uid, ExternalId)> {
        let users: Vec<Uid> = self.noted.lock().unwrap().users.iter().copied().collect();
        let (view, mut all) = (self.view().await, Vec::new());
        for users in users.chunks(BATCH_MAX as usize) {
            let ids = view.external_ids(users).await.unwrap();
            let found = users.iter().zip(ids).filter_map(|(uid, id)| Some((*uid, id?)));
            let (uids, ids): (Vec<Uid>, Vec<ExternalId>) = found.unzip();
            let back: Vec<Uid> = view.uids_of(&ids).await.unwrap().into_iter().flatten().collect();
            assert_eq!(back, uids, "both ways of the dictionary say the same");
            all.extend(uids.into_iter().zip(ids));
        }
        all
    }

    /// All credentials, of a backend that lists them.
    async fn credentials(&self) -> Vec<Credential> {
        if self.lacks_quietly(Need::Credentials) {
            return Vec::new();
        }
        self.backend.credentials.list().await.unwrap()
    }

    /// What operators did, of a backend that says it.
    async fn audit(&self) -> Vec<AuditEntry> {
        if self.lacks_quietly(Need::Audit) {
            return Vec::new();
        }
        self.view().await.audit_entries(None, usize::MAX).await.unwrap()
    }

    /// The sessions of the users that the cases of sessions speak of.
    async fn sessions(&self) -> Vec<Session> {
        let mut sessions = Vec::new();
        if let Some(port) = &self.backend.sessions {
            for uid in [1, 2, 3, 4, 150, 257, 0x0107, 0x0208] {
                let page = port.list(u(uid), None, SESSION_PAGE_MAX as usize).await;
                sessions.extend(page.unwrap().sessions);
            }
        }
        sessions
    }

    /// What a reopened store must still know: import jobs, answers under their request ids, removed edges.
    async fn check_memory(&self, replay: Replay) {
        let noted = self.noted.lock().unwrap().clone();
        let view = self.view().await;
        for (job, position) in noted.jobs {
            assert_eq!(view.import_position(&job).await.unwrap(), Some(position), "job {job}");
        }
        for (id, (write, ms, answer)) in noted.requests {
            if self.now_ms() < ms.saturating_add(REQUEST_ID_TTL_MS) {
                let again = self.try_write(write).await.unwrap();
                // Through the API a refusal of a single command is an error, which has no relation: that is of now.
                let known = |outcomes: &[Outcome]| -> Vec<Outcome> {
                    let mut outcomes = outcomes.to_vec();
                    for outcome in &mut outcomes {
                        if let Outcome::Pair(PairOutcome { result: Err(_), relation }) = outcome
                            && self.lacks_quietly(Need::MixedBatches)
                        {
                            *relation = Relation::default();
                        }
                    }
                    outcomes
                };
                assert_eq!(known(&again.outcomes), known(&answer.outcomes), "request {id:?} is remembered");
                // Through the API a refusal of a single command is an error, which has no position.
                if answer
                    .outcomes
                    .iter()
                    .all(|outcome| matches!(outcome, Outcome::Pair(pair) if pair.result.is_ok()))
                {
                    let (now, then) = (again.position, answer.position);
                    // A store of other places names more of them, or its own log alone.
                    let may_differ = self.lacks_quietly(Need::SamePlaces);
                    let is_part = may_differ && (now.covers(&then) || then.covers(&now));
                    assert!(
                        is_part || now == then,
                        "request {id:?} is remembered at {now:?}, it was at {then:?}"
                    );
                }
            }
        }
        if noted.last_post.is_some() {
            self.clock().set(self.now_ms() - 60_000);
            let next = self.post(super::posts_world::draft(1, "after a reopening")).await;
            assert!(Some(next) > noted.last_post, "ids rise across a reopening");
        }
        let removed = replay.removed().filter(|pair| !noted.forgotten.contains(pair)).take(20);
        let removed = removed.map(|(subject, object)| ImportEdge::new(subject, object, None));
        let write = Write::edges(removed.collect(), false);
        let outcomes = self.write(write).await.pairs();
        assert!(
            outcomes.iter().all(|outcome| outcome.result == Ok(false)),
            "removed edges stay removed: {outcomes:?}"
        );
    }

    /// Compares everything the store says with its log; `None` if the log is trimmed.
    async fn replayed(&self) -> Option<Replay> {
        if self.last().marks().any(|(_, mark)| self.settings.log_events_max < mark.seen) {
            return None;
        }
        let mut replay = Replay::default();
        replay.apply_all(&self.events_since(&self.origin).await);
        assert_eq!(
            self.portrait(&replay).await,
            self.portrait_of(&replay),
            "the store says what its log says"
        );
        Some(replay)
    }

    pub(super) async fn verify(&self) {
        let mut repeats = 0..REPEATS_MAX;
        let report = loop {
            let upkeep: Arc<_> = self.backend.upkeep.clone();
            match tokio::task::spawn_blocking(move || upkeep.verify(&mut |_| ())).await.unwrap() {
                // On a busy machine a row is held for longer than a check waits. It says that it is to be repeated.
                Err(error)
                    if matches!(error.reason, Reason::ShardUnavailable { .. })
                        && repeats.next().is_some() => {}
                report => break report.unwrap(),
            }
        };
        assert!(report.clean() && report.differences.is_empty(), "{:?}", report.differences);
        assert!(report.position.covers(&self.last()), "the report covers what was acknowledged");
        assert_eq!(report.forward, report.reverse);
    }

    /// Returns what the store says of all users who appear in the log.
    pub(super) async fn portrait(&self, replay: &Replay) -> Portrait {
        let view = self.view().await;
        let uids: Vec<Uid> = replay.users().into_iter().collect();
        let mut counts = Vec::new();
        for batch in uids.chunks(BATCH_MAX as usize) {
            counts.extend(view.counts(batch).await.unwrap());
        }
        // The lists of the first users are enough where a case made thousands.
        let mut users = BTreeMap::new();
        for (uid, counts) in uids.iter().zip(counts) {
            let (mut limit, mut lists) = (default_limit(&self.settings, None), Vec::new());
            if users.len() < PORTRAYED_MAX {
                limit = view.follow_limit(*uid).await.unwrap();
                for list in List::ALL {
                    lists.push(self.walk(uid.get(), list, 1_000).await);
                }
            }
            users.insert(*uid, (counts, limit, lists));
        }
        Portrait { edges: self.export().await, users }
    }

    /// What the log says of them.
    pub(super) fn portrait_of(&self, replay: &Replay) -> Portrait {
        let mut users = BTreeMap::new();
        for (uid, counts) in replay.counts() {
            let (mut limit, mut lists) = (default_limit(&self.settings, None), Vec::new());
            if users.len() < PORTRAYED_MAX {
                limit = default_limit(&self.settings, replay.limit(uid));
                lists = List::ALL.iter().map(|list| replay.list(uid, *list)).collect();
            }
            users.insert(uid, (counts, limit, lists));
        }
        Portrait { edges: replay.edges(), users }
    }
}

/// Users whose lists are compared at the end of a case.
const PORTRAYED_MAX: usize = 60;

fn default_limit(settings: &Settings, own: Option<u32>) -> FollowLimit {
    FollowLimit { effective: own.unwrap_or(settings.follow_limit), own }
}

fn parse_step(step: &str) -> Vec<PairCommand> {
    let words = [
        ("<->", Op::Follow),
        ("->", Op::Follow),
        ("-/", Op::Unfollow),
        ("-x", Op::Block),
        ("-o", Op::Unblock),
        ("-m", Op::Mute),
        ("-u", Op::Unmute),
        ("-r", Op::RemoveFollower),
    ];
    let found = words.iter().find_map(|(word, op)| Some((word, op, step.split_once(word)?)));
    let (word, op, (a, b)) = found.unwrap_or_else(|| panic!("{step} is no step"));
    let (subject, object) = (u(a.parse().unwrap()), u(b.parse().unwrap()));
    let there = PairCommand { op: *op, subject, object };
    if *word == "<->" {
        return vec![there, PairCommand { op: *op, subject: object, object: subject }];
    }
    vec![there]
}

//! The shards of a batch: where their logs, clocks and ids stand, and the events that it adds.

use super::{NotFetched, Rows, Told};
use guanxi_model::event::{PairChange, UserChange};
use guanxi_model::plan::EventRows;
use guanxi_model::post::PostIds;
use guanxi_model::{
    Change, Error, Event, EventAt, Gene, Hlc, LogId, Logs, Position, PostId, Reason, Result, Stamp, Uid,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A locked row of `gx.shard`.
#[derive(Clone, Copy, Debug)]
pub struct ShardRow {
    /// The last event of its log.
    pub seq: u64,
    /// The last version minted in it, or taken in.
    pub stamp: Stamp,
    /// The highest id of a post.
    pub post_high: u64,
}

/// The peer that has to take an event in, beside the shard whose log it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The shard of the other user.
    Shard(Gene),
    /// Every database: how a user stands is asked wherever somebody meets it.
    EveryDatabase,
    /// The memory of every process, and no database: what was issued to a user has ended.
    EveryProcess,
}

impl Peer {
    /// The column of what every database takes in; shards have their genes, which are lower.
    pub const EVERY_DATABASE: i16 = 256;

    /// The column of what every process takes in.
    pub const EVERY_PROCESS: i16 = 257;

    /// Whether it keeps rows that change by the event.
    pub const fn is_stored(self) -> bool {
        matches!(self, Self::Shard(_) | Self::EveryDatabase)
    }

    /// As a column has it.
    pub fn column(self) -> i16 {
        match self {
            Self::Shard(gene) => gene.0.into(),
            Self::EveryDatabase => Self::EVERY_DATABASE,
            Self::EveryProcess => Self::EVERY_PROCESS,
        }
    }
}

/// An event that a batch adds.
#[derive(Clone, Copy, Debug)]
pub struct LoggedEvent {
    /// The event.
    pub event: Event,
    /// The peer that has to take it in.
    pub peer: Option<Peer>,
    /// What it tells beside itself.
    pub told: Told,
}

impl LoggedEvent {
    /// Which post the post of the event answers or shares, as a column has it: 0 if it does neither, and nothing of an event that is
    /// not of a post.
    pub fn original_column(&self) -> Option<u64> {
        let is_of_post = matches!(self.event.change, Change::Post { .. });
        is_of_post.then(|| self.told.original.map_or(0, PostId::get))
    }
}

/// The clock of a process, which all its batches mint from: what happens through one process has rising times, and its posts
/// have rising ids.
#[derive(Debug, Default)]
pub struct ProcessClock {
    stamps: Mutex<Hlc>,
    ids: Mutex<PostIds>,
}

impl ProcessClock {
    /// Moves past a stamp that was seen.
    pub fn observe(&self, seen: Stamp) {
        self.clock().observe(seen);
    }

    /// The last stamp that was seen or minted.
    pub fn last(&self) -> Stamp {
        self.clock().last()
    }

    fn tick(&self, now_ms: u64) -> Stamp {
        self.clock().tick(now_ms)
    }

    /// Moves past the ids of posts of a shard.
    pub fn observe_posts(&self, high: u64) {
        let mut ids = self.ids();
        *ids = PostIds::after(ids.last().max(high));
    }

    fn clock(&self) -> MutexGuard<'_, Hlc> {
        self.stamps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ids(&self) -> MutexGuard<'_, PostIds> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locked shards, with the clock of the process.
#[derive(Debug)]
pub struct Shards {
    rows: BTreeMap<Gene, (ShardRow, bool)>,
    clock: Arc<ProcessClock>,
    events: Vec<LoggedEvent>,
}

impl Shards {
    /// Shards as they were locked.
    pub fn new(rows: impl IntoIterator<Item = (Gene, ShardRow)>, clock: Arc<ProcessClock>) -> Self {
        let rows: BTreeMap<Gene, (ShardRow, bool)> =
            rows.into_iter().map(|(gene, row)| (gene, (row, false))).collect();
        for (row, _) in rows.values() {
            clock.observe(row.stamp);
            clock.observe_posts(row.post_high);
        }
        Self { rows, clock, events: Vec::new() }
    }

    /// The last event of a log, as of this point of the plan.
    pub fn seq(&self, gene: Gene) -> u64 {
        self.rows.get(&gene).map_or(0, |(row, _)| row.seq)
    }

    /// Mints a version, above every one that any of the shards knows.
    pub fn mint(&mut self, gene: Gene, now_ms: u64) -> Stamp {
        let stamp = self.clock.tick(now_ms);
        self.observe(gene, stamp);
        stamp
    }

    /// Mints a version that may be given back. Returns it with the last version before it.
    fn lend(&mut self, now_ms: u64) -> (Stamp, Stamp) {
        let mut clock = self.clock.clock();
        (clock.last(), clock.tick(now_ms))
    }

    /// Returns an unused version, unless another one was minted since.
    fn return_lent(&mut self, (before, lent): (Stamp, Stamp)) {
        let mut clock = self.clock.clock();
        if clock.last() == lent {
            *clock = Hlc::after(before);
        }
    }

    /// Moves the clock of a shard past a version that it takes in.
    pub fn observe(&mut self, gene: Gene, version: Stamp) {
        self.clock.observe(version);
        if let Some((row, is_changed)) = self.rows.get_mut(&gene) {
            row.stamp = row.stamp.max(version);
            *is_changed = true;
        }
    }

    /// Mints the id of a post, above every one that any of the shards knows.
    pub fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId {
        let (id, last) = {
            let mut ids = self.clock.ids();
            (ids.mint(now_ms, author), ids.last())
        };
        self.raise_posts(author.gene(), last);
        id
    }

    /// Moves past the id of a post that was given elsewhere.
    pub fn observe_post(&mut self, id: PostId) {
        let last = {
            let mut ids = self.clock.ids();
            ids.observe(id);
            ids.last()
        };
        self.raise_posts(id.gene(), last);
    }

    fn raise_posts(&mut self, gene: Gene, last: u64) {
        if let Some((row, is_changed)) = self.rows.get_mut(&gene) {
            row.post_high = row.post_high.max(last);
            *is_changed = true;
        }
    }

    /// Has another shard take an event of the batch in.
    pub fn tell(&mut self, at: EventAt, peer: Peer) {
        if let Some(logged) = self.events.iter_mut().rev().find(|logged| logged.event.at == at) {
            logged.peer = Some(peer);
        }
    }

    /// Adds an event to the log of a locked shard.
    pub fn log(&mut self, gene: Gene, event: Event, peer: Option<Peer>) -> EventAt {
        let Some((row, is_changed)) = self.rows.get_mut(&gene) else {
            return EventAt::beginning(Logs::PerGene.of_gene(gene));
        };
        row.seq += 1;
        *is_changed = true;
        let at = EventAt::new(Logs::PerGene.of_gene(gene), row.seq);
        self.events.push(LoggedEvent { event: Event { at, ..event }, peer, told: Told::default() });
        at
    }

    /// The last version that a shard knows.
    pub fn stamp_of(&self, gene: Gene) -> Stamp {
        self.rows.get(&gene).map_or(Stamp::ZERO, |(row, _)| row.stamp)
    }

    /// Adds to what some of the events of the batch tell, from one on, beside themselves.
    pub fn tell_pairs(&mut self, from: usize, tell: impl Fn(Uid, Uid, &mut Told)) {
        for logged in self.events.iter_mut().skip(from).filter(|logged| logged.peer.is_some()) {
            if let Change::Pair { object, .. } = logged.event.change {
                tell(logged.event.subject, object, &mut logged.told);
            }
        }
    }

    /// Says in the event of a rejection until when may not be asked again.
    pub fn tell_cooling(&mut self, owner: Uid, other: Uid, until_ms: Option<u64>) {
        let is_end = |logged: &&mut LoggedEvent| {
            let change = logged.event.change;
            logged.event.subject == owner
                && matches!(change, Change::Pair { object, kind: PairChange::RequestEnded { .. }, .. } if object == other)
        };
        if let Some(logged) = self.events.iter_mut().rev().find(is_end) {
            logged.told.cooling_ms = until_ms;
        }
    }

    /// Says in the last event at which place a request waits, if that is an earlier one.
    pub fn tell_place(&mut self, place: Option<Stamp>) {
        if let Some(logged) = self.events.last_mut() {
            logged.told.place = place;
        }
    }

    /// Says which post the post of an event answers or shares.
    pub fn tell_original(&mut self, at: EventAt, original: PostId) {
        if let Some(logged) = self.events.iter_mut().rev().find(|logged| logged.event.at == at) {
            logged.told.original = Some(original);
        }
    }

    /// Says which request an event is about.
    fn tell_request(&mut self, request: Option<Stamp>) {
        if let Some(logged) = self.events.last_mut() {
            logged.told.request = request;
        }
    }

    /// The shards that changed.
    pub fn changed(&self) -> impl Iterator<Item = (Gene, ShardRow)> {
        self.rows.iter().filter(|(_, (_, is_changed))| *is_changed).map(|(gene, (row, _))| (*gene, *row))
    }

    /// The events that the batch adds, in order.
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// Returns where the log of a shard stands.
    fn head(&self, log: LogId) -> Option<u64> {
        self.rows.get(&Gene(log.0)).map(|(row, _)| row.seq)
    }
}

/// Returns the peer that has to take in the effects of a change, if there is one.
pub fn peer_of(subject: Uid, change: &Change) -> Option<Peer> {
    let other = match change {
        Change::Pair { object, .. } => object.gene(),
        Change::Liked { author, .. } | Change::Unliked { author, .. } => author.gene(),
        Change::User(change) => return peer_of_user(*change),
        _ => return None,
    };
    (other != subject.gene()).then_some(Peer::Shard(other))
}

/// Returns the peer that has to take in a change of a user.
const fn peer_of_user(change: UserChange) -> Option<Peer> {
    match change {
        UserChange::PrivacySet
        | UserChange::Deactivated
        | UserChange::Reactivated
        | UserChange::Deleted
        | UserChange::Erased
        | UserChange::TakenDown
        | UserChange::Reinstated => Some(Peer::EveryDatabase),
        UserChange::SignedOut | UserChange::SessionEnded | UserChange::PasswordSet => {
            Some(Peer::EveryProcess)
        }
        UserChange::Registered
        | UserChange::ProfileUpdated
        | UserChange::PhoneSet
        | UserChange::EmailSet
        | UserChange::LoggedIn
        | UserChange::ExternalIdAssigned => None,
    }
}

impl Rows {
    /// Returns the version that was minted for a change of another shard and was not taken.
    pub(super) fn return_spare(&mut self) {
        if let Some(spare) = self.spare.take() {
            self.shards.return_lent(spare);
        }
    }

    /// Takes the version that was minted for a change of another shard.
    pub(super) fn take_spare(&mut self) {
        if let Some((_, spare)) = self.spare.take() {
            self.shards.observe(self.home, spare);
        }
    }
}

impl EventRows for Rows {
    type Error = NotFetched;

    /// Of what is left to another shard the version is minted there, but for what follows from an event of this plan: that
    /// carries it.
    fn stamp(&mut self, actor: Uid, now_ms: u64) -> Stamp {
        self.return_spare();
        if self.is_home(actor) {
            self.minted = self.shards.mint(self.home, now_ms);
            return self.minted;
        }
        let (before, spare) = self.shards.lend(now_ms);
        self.spare = Some((before, spare));
        spare
    }

    fn next_event(&self, subject: Uid) -> EventAt {
        let gene = subject.gene();
        EventAt::new(Logs::PerGene.of_gene(gene), self.shards.seq(gene) + 1)
    }

    /// The log of a user of another shard tells an event of that user, when it is derived there. It has the version that was
    /// minted for it, if nothing newer is there by then.
    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt {
        let nowhere = EventAt::beginning(Logs::PerGene.of(subject));
        if !self.is_home(subject) {
            self.note_minted(version, subject, &change);
            return nowhere;
        }
        self.note_version(version, subject, change);
        let event = Event { at: nowhere, version, subject, change, echo: None };
        let at = self.shards.log(self.home, event, peer_of(subject, &change));
        if let Some(mark) = self.request_mark.take() {
            self.shards.tell_request(Some(mark));
        }
        at
    }

    fn check_position(&self, position: &Position) -> Result<()> {
        if position.history() != self.terms.history {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        let is_ahead = |(log, seq): (LogId, u64)| self.shards.head(log).is_some_and(|head| seq > head);
        if position.marks().any(|(log, mark)| is_ahead((log, mark.seen))) {
            return Err(Error::new(Reason::TokenAhead));
        }
        Ok(())
    }
}

//! The newest events of the logs of one database, as looks have found them.
//!
//! Of each log it has a part without a gap, which ends where the last look came to. What it does not have is in the table.

use super::by_gene::ByGene;
use crate::cut::CutPlace;
use guanxi_model::{Event, Gene, LogId, Logs, PostId};
use guanxi_ports::UnreadableEvent;
use std::collections::{BTreeMap, VecDeque};

/// An event of a log, as looks bring it.
pub trait RingEntry: Clone {
    /// The version of its row, by which another event at its place is told from it.
    fn version(&self) -> i64;

    /// What it says; if it cannot be read, whom its row names.
    fn said(&self) -> Result<Event, UnreadableEvent>;

    /// The shard that takes it in, as the log names it. None of an event that concerns no other shard.
    fn peer(&self) -> Option<i16>;

    /// Which post the post of the event answers or shares.
    fn original(&self) -> Original;

    /// Its number in its log.
    #[inline]
    fn seq(&self) -> u64 {
        self.said().map_or_else(|unreadable| unreadable.at, |event| event.at).seq()
    }
}

/// Which post the post of an event answers or shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Original {
    /// The log does not say it; nothing of an event that is not of a post.
    Untold,
    /// It does neither.
    None,
    /// This one.
    Post(PostId),
}

impl Original {
    /// It as a column has it: 0 for none, and nothing if the log does not say it.
    pub fn of_column(column: Option<u64>) -> Self {
        match column {
            Some(0) => Self::None,
            Some(id) => PostId::new(id).map_or(Self::Untold, Self::Post),
            None => Self::Untold,
        }
    }

    /// The post, if there is one and the log says which.
    pub const fn post(self) -> Option<PostId> {
        match self {
            Self::Post(id) => Some(id),
            Self::Untold | Self::None => None,
        }
    }
}

/// How the shard of a log was at a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogState {
    /// Which life of the shard it is: a shard that moves begins another.
    pub epoch: i64,
    /// Its last event.
    pub seq: u64,
    /// The first event that it still has.
    pub first: u64,
    /// No post of its users has a higher id, as of its last event.
    pub post_high: u64,
}

/// A look found another event at a place than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewritten(pub u64);

/// How a log goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoesOn<'a, E> {
    /// By these events.
    By(&'a [E]),
    /// It begins anew at its head: it is not known what came before that.
    Anew,
}

/// A part of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingPart<E> {
    /// The events that were asked for.
    pub events: Vec<E>,
    /// The version of the event after which they come; none of the beginning of a log.
    pub before: Option<i64>,
    /// The version of the event up to which they were looked for.
    pub last: i64,
}

/// The newest events of the logs of one database, and when its looks began, by any clock.
#[derive(Debug)]
pub struct Ring<E, T> {
    logs: ByGene<LogRing<E>>,
    /// All events in the order in which they came, and some that are not there any more.
    order: VecDeque<(Gene, u64)>,
    /// How many are there.
    len: usize,
    max: usize,
    /// When the last look began that came to its end.
    looked: Option<T>,
    /// When its answer was there.
    told_by: Option<T>,
}

/// The newest events of a log.
#[derive(Debug)]
struct LogRing<E> {
    state: LogState,
    /// The event before the first that is here, and its version if that is known.
    after: u64,
    version: Option<i64>,
    events: VecDeque<E>,
}

impl<E: RingEntry> LogRing<E> {
    /// A log from its head on.
    const fn new(state: LogState) -> Self {
        Self { state, after: state.seq, version: None, events: VecDeque::new() }
    }

    /// The last event that looks have found.
    fn last(&self) -> u64 {
        self.after + self.events.len() as u64
    }

    /// Its version, if that is known.
    fn last_version(&self) -> Option<i64> {
        self.events.back().map_or(self.version, |event| Some(event.version()))
    }

    /// The version of an event, if that is known.
    fn version_of(&self, seq: u64) -> Option<i64> {
        match usize::try_from(seq.checked_sub(self.after)?).ok()?.checked_sub(1) {
            None => self.version,
            Some(place) => self.events.get(place).map(RingEntry::version),
        }
    }

    /// Forgets its oldest event.
    fn pop(&mut self) -> bool {
        let Some(event) = self.events.pop_front() else { return false };
        (self.after, self.version) = (event.seq(), Some(event.version()));
        true
    }
}

impl<E: RingEntry, T: Copy + Ord> Ring<E, T> {
    /// Nothing, of so many events at most.
    pub fn new(max: usize) -> Self {
        Self { logs: ByGene::default(), order: VecDeque::new(), len: 0, max, looked: None, told_by: None }
    }

    /// Notes when a look began, all of which is taken in, and when its answer was there.
    pub const fn note_looked(&mut self, began: T, told_by: T) {
        self.looked = Some(began);
        self.told_by = Some(told_by);
    }

    /// A time by which the answer of the last look was there. What it tells is of a moment before that.
    pub const fn told_by(&self) -> Option<T> {
        self.told_by
    }

    /// The last event of a log of an epoch that looks have found, if it is known.
    pub fn last(&self, (gene, epoch): (Gene, i64)) -> Option<u64> {
        self.logs.get(gene).filter(|log| log.state.epoch == epoch).map(LogRing::last)
    }

    /// The last event of a log of an epoch, if all that is known of its database is of a look that began no earlier than this.
    pub fn last_since(&self, (gene, epoch): (Gene, i64), since: T) -> Option<u64> {
        let log = self.logs.get(gene).filter(|log| log.state.epoch == epoch)?;
        let is_whole = log.last() == log.state.seq && self.looked.is_some_and(|looked| looked >= since);
        is_whole.then_some(log.state.seq)
    }

    /// Where some logs, each of an epoch, stood at the last look, if that began no earlier than this and all of each is here.
    pub fn places_since(
        &self,
        logs: impl IntoIterator<Item = (Gene, i64)>,
        since: T,
    ) -> Option<Vec<(LogId, CutPlace)>> {
        if self.looked.is_none_or(|looked| looked < since) {
            return None;
        }
        let place = |(gene, epoch)| {
            let log = self.logs.get(gene).filter(|log| log.state.epoch == epoch)?;
            let place = CutPlace { seq: log.state.seq, ids_high: log.state.post_high };
            (log.last() == log.state.seq).then_some((Logs::PerGene.of_gene(gene), place))
        };
        logs.into_iter().map(place).collect()
    }

    /// How a log was at the last look, with the last event that is here in place of its last. None if that is not known.
    pub fn known(&self, log: Gene) -> Option<LogState> {
        self.logs.get(log).map(|log| LogState { seq: log.last(), ..log.state })
    }

    /// Where the logs stood at the last look.
    pub fn heads(&self) -> BTreeMap<Gene, u64> {
        self.logs.iter().map(|(gene, log)| (gene, log.state.seq)).collect()
    }

    /// Whether a log has events that came before the last look and are not here yet.
    pub fn is_behind(&self) -> bool {
        self.logs.iter().any(|(_, log)| log.last() < log.state.seq)
    }

    /// Takes in what a look found of a log: how it is, and its events from the last known one on. Where these do not go on from there
    /// the log begins anew at its head. Returns the new events.
    pub fn take_in<'a>(
        &mut self,
        gene: Gene,
        state: LogState,
        found: &'a [E],
    ) -> Result<GoesOn<'a, E>, Rewritten> {
        let known = self.logs.get_mut(gene);
        let Some(log) = known.filter(|log| log.state.epoch == state.epoch && log.last() <= state.seq) else {
            self.begin(gene, state);
            return Ok(GoesOn::Anew);
        };
        let last = log.last();
        let again = found.first().filter(|event| event.seq() == last);
        if let Some(again) = again {
            if log.last_version().is_some_and(|version| version != again.version()) {
                return Err(Rewritten(last));
            }
            log.version = log.version.or(Some(again.version()).filter(|_| log.events.is_empty()));
        }
        let new = &found[usize::from(again.is_some())..];
        let goes_on = new.iter().zip(last + 1..).all(|(event, seq)| event.seq() == seq);
        if !goes_on || state.seq > last && new.is_empty() {
            self.begin(gene, state);
            return Ok(GoesOn::Anew);
        }
        log.state = state;
        log.events.extend(new.iter().cloned());
        self.order.extend(new.iter().map(|event| (gene, event.seq())));
        self.len += new.len();
        while log.after + 1 < state.first && log.pop() {
            self.len -= 1;
        }
        if log.after + 1 < state.first {
            self.begin(gene, state);
        }
        self.evict();
        Ok(GoesOn::By(new))
    }

    /// Forgets a log.
    pub fn forget(&mut self, gene: Gene) {
        if let Some(log) = self.logs.remove(gene) {
            self.len -= log.events.len();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.max);
    }

    /// The logs that are known.
    pub fn logs(&self) -> Vec<Gene> {
        self.logs.iter().map(|(gene, _)| gene).collect()
    }

    /// The events of a log after one, at most so many. None unless all of these are here up to the given one.
    pub fn read(&self, (gene, epoch): (Gene, i64), (after, upto): (u64, u64), max: usize) -> Option<Vec<E>> {
        let log = self.logs.get(gene).filter(|log| log.state.epoch == epoch)?;
        let from = usize::try_from(after.checked_sub(log.after)?).ok()?;
        let end = log.events.len().min(from.saturating_add(max));
        let is_here = from <= log.events.len() && (end - from == max || upto <= log.last());
        is_here.then(|| log.events.range(from..end).cloned().collect())
    }

    /// The events of a log after one up to another that concern some shards, at most so many. None unless all of these are here, and the
    /// versions of both.
    pub fn part(
        &self,
        (gene, epoch): (Gene, i64),
        (after, upto): (u64, u64),
        peers: &[i16],
        max: usize,
    ) -> Option<RingPart<E>> {
        let log = self.logs.get(gene).filter(|log| log.state.epoch == epoch)?;
        let before = if after == 0 { None } else { Some(log.version_of(after)?) };
        let last = log.version_of(upto)?;
        let from = usize::try_from(after.checked_sub(log.after)?).ok()?;
        let events = log.events.range(from..).take_while(|event| event.seq() <= upto);
        let concerns = |event: &&E| event.peer().is_some_and(|peer| peers.contains(&peer));
        Some(RingPart { events: events.filter(concerns).take(max).cloned().collect(), before, last })
    }

    fn begin(&mut self, gene: Gene, state: LogState) {
        self.forget(gene);
        self.logs.insert(gene, LogRing::new(state));
    }

    /// Forgets the oldest events, of all logs, until there is room.
    fn evict(&mut self) {
        // Places of events that were forgotten with their log take room, too.
        while self.len > self.max || self.order.len() > 2 * self.max {
            let Some((gene, seq)) = self.order.pop_front() else { return };
            if let Some(log) = self.logs.get_mut(gene).filter(|log| log.after + 1 == seq)
                && log.pop()
            {
                self.len -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;

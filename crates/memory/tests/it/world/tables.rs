//! The databases that have the shards, and what a question to one is told.

use super::shard::{LogRow, Shard};
use super::{DATABASES, USERS, uid};
use guanxi_memory::tail::ring::LogState;
use guanxi_model::Gene;
use guanxi_shard::cells::LoggedEvent;
use std::collections::BTreeMap;

/// By how many events a log may have moved between two looks.
const MOVED_MAX: u64 = 8;

/// Events of a log that a look brings, beside the last known one.
const EVENTS_MAX: usize = 3;

/// Where a shard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub database: usize,
    pub epoch: i64,
}

/// A question at a database that cannot be asked, or not about a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Away,
    Moving,
}

/// What a look asks: how the logs were at the last one, and whether it asks for all shards.
#[derive(Debug)]
pub struct LookAsked {
    pub known: BTreeMap<Gene, LogState>,
    pub is_whole: bool,
}

/// All shards, and the databases that have them.
pub struct Tables {
    pub shards: BTreeMap<Gene, Shard>,
    pub places: BTreeMap<Gene, Place>,
    /// The first event that a log still has.
    first: BTreeMap<Gene, u64>,
    /// What shards that have moved have left: the epoch that refuses every process of before, and the last event.
    left: BTreeMap<(usize, Gene), (i64, u64)>,
    pub is_away: [bool; DATABASES],
}

impl Tables {
    pub fn new() -> Self {
        let genes: Vec<Gene> = USERS.iter().map(|user| uid(*user).gene()).collect();
        let place = |gene: Gene| Place {
            database: usize::from(gene.0) * DATABASES / usize::from(super::SHARDS),
            epoch: 1,
        };
        Self {
            shards: genes.iter().map(|gene| (*gene, Shard::new(*gene))).collect(),
            places: genes.iter().map(|gene| (*gene, place(*gene))).collect(),
            first: genes.iter().map(|gene| (*gene, 1)).collect(),
            left: BTreeMap::new(),
            is_away: [false; DATABASES],
        }
    }

    pub fn genes(&self) -> Vec<Gene> {
        self.shards.keys().copied().collect()
    }

    pub fn shard(&self, gene: Gene) -> &Shard {
        &self.shards[&gene]
    }

    pub fn is_away(&self, gene: Gene) -> bool {
        self.is_away[self.places[&gene].database]
    }

    /// Where the shards of a database stand: each with its epoch, and the last event of its log.
    pub fn moment(&self, database: usize) -> Result<BTreeMap<Gene, (i64, u64)>, Refused> {
        if self.is_away[database] {
            return Err(Refused::Away);
        }
        let here = self.places.iter().filter(|(_, place)| place.database == database);
        let here = here.map(|(gene, place)| (*gene, (place.epoch, self.shard(*gene).seq())));
        let left = self.left.iter().filter(|((of, _), _)| *of == database);
        Ok(left.map(|((_, gene), left)| (*gene, *left)).chain(here).collect())
    }

    /// What a look is told.
    pub fn look(
        &self,
        database: usize,
        asked: &LookAsked,
    ) -> Result<BTreeMap<Gene, (LogState, Vec<LogRow>)>, Refused> {
        let mut found = BTreeMap::new();
        for (gene, (epoch, seq)) in self.moment(database)? {
            let shard = self.shard(gene);
            let post_high = shard.commits[shard.commits.partition_point(|commit| commit.seq < seq)].post_high;
            let state = LogState { epoch, seq, first: self.first[&gene], post_high };
            let known = asked.known.get(&gene);
            let is_same = |known: &LogState| {
                (known.epoch, known.seq, known.first) == (state.epoch, state.seq, state.first)
            };
            if !asked.is_whole && known.is_some_and(is_same) {
                continue;
            }
            let from = known
                .map(|known| known.seq)
                .filter(|from| seq.checked_sub(*from).is_some_and(|moved| (1..=MOVED_MAX).contains(&moved)));
            let events = from.map_or_else(Vec::new, |from| {
                let rows = shard.log[..seq as usize].iter();
                let rows = rows.filter(|row| row.event.at.seq() >= from.max(state.first));
                rows.take(EVENTS_MAX + 1).copied().collect()
            });
            found.insert(gene, (state, events));
        }
        Ok(found)
    }

    /// The events of a log that a shard has not taken in yet, at most so many.
    pub fn to_carry(&self, from: Gene, to: Gene, most: usize) -> Vec<LoggedEvent> {
        let target = self.shard(to);
        let mark = target.mark(from, target.seq());
        let events = self.shard(from).rows.shards.events();
        events.get(mark as usize..).unwrap_or_default().iter().take(most).copied().collect()
    }

    /// A shard moves to another database, and leaves the rows that it had.
    pub fn move_shard(&mut self, gene: Gene) {
        let seq = self.shard(gene).seq();
        let place = self.places.get_mut(&gene).unwrap();
        let before = place.database;
        *place = Place { database: (before + 1) % DATABASES, epoch: place.epoch + 1 };
        self.left.insert((before, gene), (place.epoch, seq));
        let now = (place.database, gene);
        self.left.remove(&now);
    }

    /// What shards have left is removed.
    pub fn clear_left(&mut self) {
        self.left.clear();
    }

    /// A log loses its oldest events, but for the last.
    pub fn trim(&mut self, gene: Gene, to: u64) {
        let last = self.shard(gene).seq().max(1);
        let first = self.first.get_mut(&gene).unwrap();
        *first = (*first).max(to.min(last));
    }

    /// A database loses what it has committed after a time.
    pub fn lose(&mut self, database: usize, time: u64) {
        let here = self.places.iter().filter(|(_, place)| place.database == database);
        for gene in here.map(|(gene, _)| *gene).collect::<Vec<_>>() {
            let shard = self.shard(gene).as_of(time);
            let first = self.first.get_mut(&gene).unwrap();
            *first = (*first).min(shard.seq().max(1));
            self.shards.insert(gene, shard);
        }
    }
}

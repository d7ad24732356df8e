//! A process: what its looks bring of each database, and what it holds in memory.

use super::shard::LogRow;
use super::tables::{LookAsked, Place, Refused};
use super::{Break, DATABASES, Shared, delay, pause};
use guanxi_memory::tail::look::LookFound;
use guanxi_memory::tail::memory::{Memory, MemoryBytes};
use guanxi_memory::tail::ring::{GoesOn, LogState, Ring};
use guanxi_model::{Gene, LogId, Logs};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Events that a ring keeps.
const RING_MAX: usize = 24;

/// What takes about all.
const LARGE: u64 = 1 << 16;

/// Room for one entry, or a few.
const SMALL: u64 = 1 << 11;

/// Where a process believes the shards to be.
pub type Map = BTreeMap<Gene, Place>;

/// The looks at one database.
pub struct Tail {
    pub ring: Ring<LogRow, u64>,
    begun: u64,
    pub is_looking: bool,
    /// The last look that came to its end, and what it came to.
    told: Option<(u64, Result<(), Refused>)>,
    /// Whether the database has lost what this process has seen: nothing is asked of it any more.
    pub is_lost: bool,
    /// Events that the ring has and that memory is told of later, in a world that breaks this order.
    late: Vec<(Gene, Vec<LogRow>)>,
}

/// A process.
pub struct Process {
    pub map: Map,
    pub tails: Vec<Tail>,
    pub memory: Rc<Memory>,
    /// Up to where it knows the logs to be.
    pub heads: BTreeMap<Gene, u64>,
    /// How old what it tells may be.
    pub staleness: u64,
}

impl Process {
    pub fn new(map: Map, staleness: u64, is_small: bool) -> Self {
        let tail = || Tail {
            ring: Ring::new(RING_MAX),
            begun: 0,
            is_looking: false,
            told: None,
            is_lost: false,
            late: Vec::new(),
        };
        let bytes = if is_small { SMALL } else { LARGE };
        let bytes = MemoryBytes {
            pairs: bytes,
            viewers: bytes,
            outboxes: bytes,
            headers: bytes,
            posts: bytes,
            counters: bytes,
            marks: bytes,
            standings: bytes,
            lists: bytes,
        };
        let heads = map.keys().map(|gene| (*gene, 0)).collect();
        let tails = (0..DATABASES).map(|_| tail()).collect();
        Self { map, tails, memory: Rc::new(Memory::new(bytes)), heads, staleness }
    }

    pub fn note_head(&mut self, gene: Gene, seq: u64) {
        let head = self.heads.get_mut(&gene).unwrap();
        *head = (*head).max(seq);
    }

    /// The last event of a log that looks have brought, if the log is known where it is.
    pub fn last(&self, (gene, place): (Gene, Place)) -> Option<u64> {
        self.tails[place.database].ring.last((gene, place.epoch))
    }

    /// All events of a log after one up to another, if they are at hand.
    pub fn events(&self, (gene, place): (Gene, Place), (from, upto): (u64, u64)) -> Option<Vec<LogRow>> {
        let count = usize::try_from(upto - from).unwrap();
        let ring = &self.tails[place.database].ring;
        let events = ring.read((gene, place.epoch), (from, upto), count)?;
        (events.len() == count).then_some(events)
    }

    /// Tells memory of the events that only the ring has, in a world that breaks the order of the two.
    fn tell_late(&mut self, database: usize) {
        for (gene, events) in std::mem::take(&mut self.tails[database].late) {
            self.memory.tell(gene, &events);
        }
    }

    /// A database has lost commits, and the looks under way break off. A look tells the loss by the version of the last event that
    /// was found before. It does not where that version is not known, of a log that has begun anew at its head, and where an echo
    /// with the version of its origin comes to the same place again: a process that knows no more than this restarts here.
    pub fn note_loss(&mut self, database: usize, seq: impl Fn(Gene) -> u64) {
        self.tails.iter_mut().for_each(|tail| tail.is_looking = false);
        let tail = &mut self.tails[database];
        let is_untold = |gene: &Gene| {
            let Some(LogState { epoch, seq: last, .. }) = tail.ring.known(*gene) else { return false };
            let log = (*gene, epoch);
            let event = tail
                .ring
                .read(log, (last.saturating_sub(1), last), 1)
                .and_then(|events| events.last().copied());
            seq(*gene) < last && event.is_none_or(|row| row.event.echo.is_some())
        };
        tail.is_lost |= tail.ring.logs().iter().any(is_untold);
    }

    /// What a look asks of a database.
    fn asked(&self, database: usize, is_whole: bool) -> LookAsked {
        let ring = &self.tails[database].ring;
        let known = self.map.keys().filter_map(|gene| Some((*gene, ring.known(*gene)?)));
        LookAsked { known: known.collect(), is_whole }
    }

    /// Takes in what a look found that knew of some events before it asked.
    fn take_in(
        &mut self,
        database: usize,
        (mut found, seen): (LookFound<LogRow, u64>, &BTreeMap<Gene, u64>),
        breaks: Break,
    ) -> Result<(), Refused> {
        self.distort(database, &mut found, breaks);
        let (map, tail) = (&self.map, &mut self.tails[database]);
        let is_here = |gene: Gene, state: &LogState| map[&gene] == Place { database, epoch: state.epoch };
        let taken = match breaks {
            Break::AnewKept | Break::RingFirst => {
                tail.take_in_wrongly(&found, &self.memory, breaks);
                Ok(())
            }
            _ => found.take_in((&mut tail.ring, &self.memory), is_here),
        };
        // A log that ends before what was seen has lost events.
        let heads = tail.ring.heads();
        tail.is_lost |= taken.is_err() || heads.iter().any(|(gene, seq)| seen[gene] > *seq);
        if tail.is_lost {
            return Err(Refused::Away);
        }
        let known = found.logs.keys().filter_map(|gene| heads.get_key_value(gene));
        known.for_each(|(gene, seq)| self.note_head(*gene, *seq));
        Ok(())
    }

    /// Makes what was found look as if a rule of looks held.
    fn distort(&self, database: usize, found: &mut LookFound<LogRow, u64>, breaks: Break) {
        let ring = &self.tails[database].ring;
        for (gene, (state, events)) in &mut found.logs {
            match breaks {
                Break::RewrittenLog => {
                    let Some(known) = ring.known(*gene) else { continue };
                    let part = ring.part((*gene, known.epoch), (known.seq, known.seq), &[], 0);
                    if let (Some(again), Some(part)) = (events.first_mut(), part)
                        && again.event.at.seq() == known.seq
                    {
                        again.version = part.last;
                    }
                }
                Break::StaleEpoch => state.epoch = self.map[gene].epoch,
                _ => {}
            }
        }
    }
}

impl Tail {
    fn take_in_wrongly(&mut self, found: &LookFound<LogRow, u64>, memory: &Memory, breaks: Break) {
        for (gene, (state, events)) in &found.logs {
            match self.ring.take_in(*gene, *state, events) {
                Ok(GoesOn::By(new)) if breaks == Break::RingFirst => self.late.push((*gene, new.to_vec())),
                Ok(GoesOn::By(new)) => drop(memory.tell(*gene, new)),
                Ok(GoesOn::Anew) if breaks == Break::RingFirst => {
                    memory.forget_logs(&BTreeSet::from([log_of(*gene)]));
                }
                Ok(GoesOn::Anew) | Err(_) => {}
            }
        }
        self.ring.note_looked(found.began, found.told_by);
    }
}

pub const fn log_of(gene: Gene) -> LogId {
    Logs::PerGene.of_gene(gene)
}

/// Looks at a database: one caller looks, and all that came before it began are told the same.
pub async fn look(shared: &Shared, process: usize, database: usize) -> Result<(), Refused> {
    let came = shared.borrow().processes[process].tails[database].begun;
    let number = loop {
        {
            let mut world = shared.borrow_mut();
            let tail = &mut world.processes[process].tails[database];
            if tail.is_lost {
                return Err(Refused::Away);
            }
            if let Some((_, told)) = tail.told.filter(|(number, _)| *number > came) {
                return told;
            }
            if !tail.is_looking {
                tail.is_looking = true;
                tail.begun += 1;
                break tail.begun;
            }
        }
        pause().await;
    };
    let (began, asked, seen) = {
        let mut world = shared.borrow_mut();
        world.processes[process].tell_late(database);
        let (now, is_whole) = (world.now, world.random.one_in(4));
        let process = &world.processes[process];
        (now, process.asked(database, is_whole), process.heads.clone())
    };
    delay(shared).await;
    let answer = shared.borrow().tables.look(database, &asked);
    delay(shared).await;
    let mut world = shared.borrow_mut();
    let (breaks, told_by) = (world.breaks, world.now);
    let process = &mut world.processes[process];
    let told = answer.and_then(|logs| {
        let found = LookFound { began, told_by, is_whole: asked.is_whole, logs };
        process.take_in(database, (found, &seen), breaks)
    });
    let tail = &mut process.tails[database];
    (tail.is_looking, tail.told) = (false, Some((number, told)));
    told
}

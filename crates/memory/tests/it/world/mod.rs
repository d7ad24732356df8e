//! A world of shards, databases and processes, in which everything takes time: users act, looks bring events late, and pages ask
//! memory and rows meanwhile.

mod acts;
mod asks;
mod checks;
mod direct;
mod pages;
mod process;
mod random;
mod shard;
mod tables;
mod view;

use acts::{AnsweredBlock, act};
use direct::{direct, listed};
use guanxi_model::{Command, Gene, Op, PairCommand, Uid, Write};
use guanxi_shard::batch::ShardWork;
use pages::page;
use process::{Process, look};
use random::Random;
use std::cell::RefCell;
use std::future::poll_fn;
use std::mem::replace;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use tables::Tables;

/// Users of four shards: two of the first, one of each other.
const USERS: [u64; 5] = [0x100, 0x200, 0x101, 0x102, 0x103];

/// Shards that have users.
const SHARDS: u8 = 4;

const DATABASES: usize = 2;

const PROCESSES: usize = 2;

/// Things that happen in a history.
const STEPS: usize = 140;

/// Turns of tasks between two of them, at most: where there are few, much goes on at once.
const PACES: [usize; 3] = [8, 14, 26];

/// Turns after which what is under way must have come to its end.
const TURNS_MAX: usize = 20_000;

/// How a world breaks the rules of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// It keeps them.
    Nothing,
    /// R1: a log with another last event than the known one goes on.
    RewrittenLog,
    /// R3: what the process has written is not waited for.
    OwnWrites,
    /// R3: a cut may be of any age.
    Staleness,
    /// R3: what follows from the acts of a reader is not waited for.
    ActsNotAwaited,
    /// R4: facts of two moments are not compared.
    PartsApart,
    /// R4: an answer leaves whose viewer has changed.
    ViewerMoved,
    /// R4: a look at the log of the viewer counts that began before the other parts of an answer were told.
    ViewerBefore,
    /// R5: a fill is registered after its rows are read.
    FillLate,
    /// R5: rows are kept that are older than what memory was told.
    FillOlder,
    /// R6: who follows the viewer is asked of the viewer's own shard.
    Mirror,
    /// R7: a body may be of a later revision than its header.
    LaterBody,
    /// R8: a log begins anew, and memory keeps what it had.
    AnewKept,
    /// R9: a mend logs no event.
    SilentMend,
    /// Readers see that a log has come to an event before memory is told of it.
    RingFirst,
    /// A mark passes an event whose effect is not made.
    MarkWithoutEffect,
    /// A block is answered before it stands in the other shard.
    HalfBlock,
    /// An answer leaves although it is not known where the log of its viewer stands, as when the shard has moved.
    HeadUnknown,
    /// A page goes on with another map of shards than it began with.
    MapReplaced,
    /// A process asks what a shard has left, under the epoch that it knows.
    StaleEpoch,
}

impl Break {
    /// All that breaks something.
    pub const ALL: [Self; 19] = [
        Self::ViewerBefore,
        Self::HeadUnknown,
        Self::MapReplaced,
        Self::RewrittenLog,
        Self::OwnWrites,
        Self::Staleness,
        Self::ActsNotAwaited,
        Self::PartsApart,
        Self::ViewerMoved,
        Self::FillLate,
        Self::FillOlder,
        Self::Mirror,
        Self::LaterBody,
        Self::AnewKept,
        Self::SilentMend,
        Self::RingFirst,
        Self::MarkWithoutEffect,
        Self::HalfBlock,
        Self::StaleEpoch,
    ];
}

/// A world, which all its tasks share.
pub type Shared = Rc<RefCell<World>>;

/// The world.
pub struct World {
    breaks: Break,
    random: Random,
    /// The two users whom the history is about.
    focus: [Uid; 2],
    now: u64,
    tables: Tables,
    processes: Vec<Process>,
    blocks: Vec<AnsweredBlock>,
    /// Whether databases may lose commits in this history.
    may_lose: bool,
    /// Whether a database has lost what it had committed: processes that noticed it ask it no more, and others are told of rows that
    /// were never there.
    has_lost: bool,
    /// Whether all that is under way is to break off.
    breaks_off: bool,
    /// What is not as it should be.
    pub found: Vec<String>,
    /// Pages that were answered, those that were given up, and posts that were shown.
    pub pages: (usize, usize, usize),
    /// Answers from memory that were compared with rows.
    pub compared: usize,
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// Lets others go on.
async fn pause() {
    let mut has_paused = false;
    poll_fn(|_| if replace(&mut has_paused, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// The time that a message takes.
async fn delay(shared: &Shared) {
    let turns = shared.borrow_mut().random.below(3);
    for _ in 0..turns {
        pause().await;
    }
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Plays a history to its end.
pub fn play(breaks: Break, seed: u64) -> Shared {
    let shared = Rc::new(RefCell::new(World::new(breaks, seed)));
    let mut tasks: Vec<Task> = Vec::new();
    let pace = shared.borrow_mut().random.pick(&PACES);
    for _ in 0..STEPS {
        tasks.extend(next(&shared));
        if replace(&mut shared.borrow_mut().breaks_off, false) {
            tasks.clear();
        }
        let turns = shared.borrow_mut().random.below(pace);
        (0..turns).for_each(|_| turn(&shared, &mut tasks));
    }
    let mut turns = 0;
    while !tasks.is_empty() {
        turns += 1;
        assert!(turns < TURNS_MAX, "{breaks:?}, seed {seed}: something never comes to its end");
        turn(&shared, &mut tasks);
    }
    end(&shared);
    shared
}

/// Has one of the tasks go on.
fn turn(shared: &Shared, tasks: &mut Vec<Task>) {
    if tasks.is_empty() {
        return;
    }
    let place = {
        let mut world = shared.borrow_mut();
        world.now += 1;
        world.random.below(tasks.len())
    };
    if tasks[place].as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
        drop(tasks.swap_remove(place));
    }
}

/// The next thing that happens, and the task that it begins.
fn next(shared: &Shared) -> Option<Task> {
    let mut world = shared.borrow_mut();
    let (what, process) = (world.random.below(24), world.random.below(PROCESSES));
    match what {
        0..=7 => return Some(Box::pin(act(shared.clone(), process))),
        8..=13 => return Some(Box::pin(page(shared.clone(), process))),
        14 => return Some(Box::pin(direct(shared.clone(), process))),
        15 => return Some(Box::pin(listed(shared.clone(), process))),
        16 => {
            let database = world.random.below(DATABASES);
            let shared = shared.clone();
            return Some(Box::pin(async move {
                let _ = look(&shared, process, database).await;
            }));
        }
        17 | 18 => world.carry_some(),
        19 => world.check_memory(process),
        20 => world.reload(process),
        _ => world.disturb(),
    }
    None
}

/// Everything is there again and has arrived, and memory knows it.
fn end(shared: &Shared) {
    {
        let mut world = shared.borrow_mut();
        world.tables.is_away = [false; DATABASES];
        world.carry_all();
        (0..PROCESSES).for_each(|process| world.reload(process));
    }
    look_at_all(shared);
    if shared.borrow().has_lost {
        // A log that was written on to just where it was known tells of that with its next event.
        shared.borrow_mut().write_everywhere();
        look_at_all(shared);
    }
    let mut world = shared.borrow_mut();
    (0..PROCESSES).for_each(|process| world.check_memory_whole(process));
    let untold = world.tables.shards.values().flat_map(shard::Shard::untold).collect::<Vec<_>>();
    world.found.extend(untold.into_iter().map(|pair| format!("an event should tell of {pair:?}")));
}

/// Has each process look at each database until it is behind nowhere.
fn look_at_all(shared: &Shared) {
    let mut tasks: Vec<Task> = Vec::new();
    for (process, database) in (0..PROCESSES).flat_map(|p| (0..DATABASES).map(move |d| (p, d))) {
        let shared = shared.clone();
        tasks.push(Box::pin(async move {
            for _ in 0..8 {
                let _ = look(&shared, process, database).await;
            }
        }));
    }
    while !tasks.is_empty() {
        turn(shared, &mut tasks);
    }
}

impl World {
    fn new(breaks: Break, seed: u64) -> Self {
        let (mut random, tables) = (Random::new(seed), Tables::new());
        let mut process = |_| {
            let staleness = random.pick(&[0, 4, 20]);
            Process::new(tables.places.clone(), staleness, random.one_in(3))
        };
        let processes = (0..PROCESSES).map(&mut process).collect();
        let mut focus = USERS.map(uid);
        focus.rotate_left(random.below(USERS.len()));
        let mut world = Self {
            breaks,
            focus: [focus[0], focus[1 + random.below(USERS.len() - 1)]],
            random,
            now: 1,
            tables,
            processes,
            blocks: Vec::new(),
            may_lose: seed.is_multiple_of(3),
            has_lost: false,
            breaks_off: false,
            found: Vec::new(),
            pages: (0, 0, 0),
            compared: 0,
        };
        world.begin();
        world
    }

    /// A user, and more often one of the two whom the history is about.
    fn any_user(&mut self) -> Uid {
        let (focus, users) = (self.focus, USERS.map(uid));
        if self.random.one_in(3) { self.random.pick(&users) } else { self.random.pick(&focus) }
    }

    /// Users who follow each other, or not, and posts.
    fn begin(&mut self) {
        for (subject, object) in USERS.into_iter().flat_map(|a| USERS.map(|b| (uid(a), uid(b)))) {
            if subject != object && !self.random.one_in(4) {
                let command = Command::Pair(PairCommand { op: Op::Follow, subject, object });
                let _ = self.work(0, subject.gene(), &ShardWork::Write(Write::of(command)));
            }
        }
        (0..3).for_each(|_| self.write_everywhere());
        self.carry_all();
    }

    fn any_gene(&mut self) -> Gene {
        let genes = self.tables.genes();
        self.random.pick(&genes)
    }

    fn carry_some(&mut self) {
        let (from, to, most) = (self.any_gene(), self.any_gene(), self.random.below(4));
        if from != to {
            self.carry(from, to, most);
        }
    }

    fn carry_all(&mut self) {
        let genes = self.tables.genes();
        for _ in 0..4 {
            for (from, to) in genes.iter().flat_map(|from| genes.iter().map(move |to| (*from, *to))) {
                if from != to {
                    self.carry(from, to, usize::MAX);
                }
            }
        }
    }

    /// A process learns where the shards are.
    fn reload(&mut self, process: usize) {
        self.processes[process].map = self.tables.places.clone();
    }

    /// A database goes or comes back, a shard moves, a log is trimmed, or something worse.
    fn disturb(&mut self) {
        let (database, gene) = (self.random.below(DATABASES), self.any_user().gene());
        let what = self.random.below(10);
        match what {
            0 | 1 => self.tables.is_away[database] = self.random.one_in(2),
            2 => self.tables.is_away = [false; DATABASES],
            3 | 4 if !self.has_lost && !self.tables.is_away(gene) => self.tables.move_shard(gene),
            // What looks know of a log that was written anew is not trimmed so soon.
            5..=7 if !self.has_lost => {
                let back = self.random.below(6) as u64;
                let to = self.tables.shard(gene).seq().saturating_sub(back);
                self.tables.trim(gene, to);
            }
            8 if self.breaks == Break::SilentMend => {
                let others = USERS.map(uid);
                let pair = (self.random.pick(&others), self.random.pick(&others));
                if pair.0 != pair.1 {
                    self.tables.shards.get_mut(&pair.0.gene()).unwrap().mend_silently(pair);
                }
            }
            8 | 9 if self.may_lose => self.lose(database),
            _ => {}
        }
    }

    /// A database loses its newest commits, and is written on by others. No question that was under way is answered.
    fn lose(&mut self, database: usize) {
        let time = self.now.saturating_sub(self.random.below(30) as u64);
        self.tables.clear_left();
        self.tables.lose(database, time);
        (self.has_lost, self.breaks_off) = (true, true);
        for process in &mut self.processes {
            process.note_loss(database, |gene| self.tables.shard(gene).seq());
        }
        for gene in self.tables.genes() {
            for _ in 0..self.random.below(5) {
                self.write_in(gene);
            }
        }
    }
}

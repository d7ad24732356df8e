//! Many traces, each against every subject.

use crate::count::Counts;
use crate::generate;
use crate::play::{Failure, Played, play};
use crate::shrink::shrink;
use crate::trace::Trace;
use crate::world::{Keeper, Subject};
use guanxi_model::FanoutMode;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How the store is shaped that traces are played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One log for all users.
    OneLog,
    /// A log for each gene; what follows from an event stands at once.
    ByGene,
    /// The same, and it comes later.
    Delayed,
    /// The same, and it comes in any order and sometimes twice; some writes have an unknown outcome.
    Disordered,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [Self::OneLog, Self::ByGene, Self::Delayed, Self::Disordered];

    /// Its name, as one types it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneLog => "one-log",
            Self::ByGene => "by-gene",
            Self::Delayed => "delayed",
            Self::Disordered => "disordered",
        }
    }

    /// What every trace is played against: each must give the same answers.
    const fn subjects(self) -> &'static [Subject] {
        match self {
            Self::OneLog => &ONE_LOG,
            Self::ByGene => &BY_GENE,
            Self::Delayed => &DELAYED,
            Self::Disordered => &DISORDERED,
        }
    }
}

/// Returns a keeper under the policies of the trace, and pushing throughout.
const fn pair_of(keeper: Keeper) -> [Subject; 2] {
    [
        Subject { keeper, mode: None, mutation: None },
        Subject { keeper, mode: Some(FanoutMode::Push), mutation: None },
    ]
}

const BY_GENE: [Subject; 2] = pair_of(Keeper::MemoryByGene);
const DELAYED: [Subject; 2] = pair_of(Keeper::MemoryDelayed);
const DISORDERED: [Subject; 2] = pair_of(Keeper::MemoryDisordered);

const ONE_LOG: [Subject; 5] = [
    Subject { keeper: Keeper::Memory, mode: Some(FanoutMode::Pull), mutation: None },
    Subject { keeper: Keeper::Memory, mode: Some(FanoutMode::Push), mutation: None },
    Subject { keeper: Keeper::Memory, mode: Some(FanoutMode::Hybrid), mutation: None },
    Subject { keeper: Keeper::Memory, mode: None, mutation: None },
    Subject { keeper: Keeper::MemoryAndEmbeddedInboxes, mode: None, mutation: None },
];

/// What some traces of one log are played against beside: it works on a disk.
const ON_DISK: Subject = Subject { keeper: Keeper::Embedded, mode: None, mutation: None };

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// On which shape of the store.
    pub shape: Shape,
    /// The first seed.
    pub seed: u64,
    /// How many seeds, one after the other.
    pub traces: u64,
    /// Every n-th trace of one log is played on disk, too; 0 for none.
    pub on_disk_every: u64,
    /// Threads.
    pub threads: usize,
}

/// What a campaign found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Traces played.
    pub traces: u64,
    /// What was looked at.
    pub counts: Counts,
    /// The first trace that failed, if one did.
    pub finding: Option<Finding>,
}

/// A trace that failed, made short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// On which shape of the store.
    pub shape: Shape,
    /// Against what.
    pub subject: Subject,
    /// The short trace. Its seed replays the long one.
    pub trace: Trace,
    /// What was wrong.
    pub failure: Failure,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {} fails against {:?}", self.trace.seed, self.subject)?;
        writeln!(f, "settings: {:?}", self.trace.settings)?;
        for (number, step) in self.trace.steps.iter().enumerate() {
            writeln!(f, "  {number:>3}  {step:?}")?;
        }
        writeln!(f, "step {}: {}", self.failure.step, self.failure.what)?;
        let shape = self.shape.name();
        write!(f, "replay: cargo xtask oracle --shape {shape} --traces 1 --seed {}", self.trace.seed)
    }
}

/// Plays a campaign. It ends at the first finding; `progress` is told of the traces done.
pub fn run(plan: Plan, progress: impl Fn(u64) + Sync) -> Report {
    let (next, done, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let report = Mutex::new(Report::default());
    let work = || {
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            if number >= plan.traces {
                break;
            }
            let trace = generate::trace(plan.seed.wrapping_add(number));
            let on_disk = plan.on_disk_every > 0 && number % plan.on_disk_every == 0;
            let (counts, finding) = check(&trace, plan.shape, on_disk);
            let mut report = report.lock().expect("nobody panics while holding the report");
            report.traces += 1;
            report.counts += counts;
            if finding.is_some() {
                stop.store(true, Relaxed);
                report.finding = report.finding.take().or(finding);
            }
            drop(report);
            progress(done.fetch_add(1, Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(work);
        }
    });
    report.into_inner().expect("nobody panics while holding the report")
}

/// Plays one trace against every subject of a shape, and compares their answers with each other.
pub fn check(trace: &Trace, shape: Shape, on_disk: bool) -> (Counts, Option<Finding>) {
    let on_disk = (on_disk && shape == Shape::OneLog).then_some(ON_DISK);
    let finding = |subject: Subject, fails: &dyn Fn(&Trace) -> Option<Failure>| {
        let short = shrink(trace, |trace| fails(trace).is_some());
        let failure = fails(&short)?;
        Some(Finding { shape, subject, trace: short, failure })
    };
    let mut counts = Counts::default();
    let mut first: Option<Played> = None;
    for subject in shape.subjects().iter().copied().chain(on_disk) {
        let played = play(trace, subject);
        counts += played.counts;
        if played.failure.is_some() {
            return (counts, finding(subject, &|trace| play(trace, subject).failure));
        }
        match &first {
            None => first = Some(played),
            Some(first) => {
                if difference(&first.answers, &played.answers).is_some() {
                    let differs = |trace: &Trace| {
                        let (a, b) = (play(trace, shape.subjects()[0]), play(trace, subject));
                        difference(&a.answers, &b.answers)
                    };
                    return (counts, finding(subject, &differs));
                }
            }
        }
    }
    (counts, None)
}

/// The first answer that is not the same.
fn difference(a: &[crate::Answer], b: &[crate::Answer]) -> Option<Failure> {
    let place = a.iter().zip(b).position(|(a, b)| a != b);
    let (a, b) = match place {
        Some(place) => (a.get(place), b.get(place)),
        None if a.len() == b.len() => return None,
        None => (a.get(b.len()), b.get(a.len())),
    };
    let step = a.or(b).map_or(0, |answer| answer.step);
    Some(Failure { step, what: format!("{b:?} instead of {a:?}, which another subject answers") })
}

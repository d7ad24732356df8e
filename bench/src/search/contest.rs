//! Searches in turns over both systems: first whether they answer the same, then how fast.

use super::ask::{Kind, draw};
use super::options::Options;
use super::world::World;
use crate::calls::{Answer, Workload};
use crate::load::{Figures, Prepared};
use crate::peers::Server;
use crate::report::{Cell, Row};
use crate::turns::{self, Turn};
use crate::wire::connection::Line;
use guanxi_servers::pause;
use std::time::{Duration, Instant};

/// How long guanxi may take until its indexes can be asked.
const READY_WAIT: Duration = Duration::from_mins(5);
/// What is asked in which way.
type Asked = (Kind, Option<u64>);

/// The calls of a kind, with the answers of both, if they must be the same.
pub(super) struct Question {
    kind: Kind,
    workload: Workload,
}

/// Draws all calls and asks both for those about posts: they answer the same ids, in the same order.
///
/// # Errors
/// The first difference.
pub(super) fn compare(
    world: &World,
    options: &Options,
    guanxi: &Server,
    postgres: &Server,
) -> Result<Vec<Question>, String> {
    wait_ready(guanxi)?;
    let viewers = world.viewers();
    let (mut ours, mut theirs) = (guanxi.line()?, postgres.line()?);
    let mut questions = Vec::new();
    for kind in Kind::POSTS.into_iter().chain(Kind::NAMES) {
        let calls = draw(kind, world, &viewers, options.calls, options.seed);
        let (mut answers, mut ids) = (Vec::new(), 0);
        for call in calls.iter().filter(|_| kind.is_of_posts()) {
            let [answer, wanted] = [&mut ours, &mut theirs]
                .map(|line: &mut Line<'_>| line.call(call).map_err(|error| format!("{call:?}: {error}")));
            let (answer, wanted) = (answer?, wanted?);
            if answer != wanted {
                return Err(format!("guanxi and PostgreSQL differ in {call:?}:\n{answer:?}\n{wanted:?}"));
            }
            ids += if let Answer::Ids(ids) = &answer { ids.len() } else { 0 };
            answers.push(answer);
        }
        if kind.is_of_posts() {
            eprintln!("{}: both answer {} calls with the same {ids} ids", kind.title(), answers.len());
        }
        questions.push(Question { kind, workload: Workload { calls, answers } });
    }
    Ok(questions)
}

/// Waits until guanxi's indexes answer.
fn wait_ready(guanxi: &Server) -> Result<(), String> {
    let deadline = Instant::now() + READY_WAIT;
    let calls = [Kind::Phrase, Kind::Prefix].map(|kind| {
        let query = "qgreen".to_owned();
        crate::calls::Call::Search(super::SearchCall { kind, query, viewer: 1 })
    });
    for call in calls {
        while let Err(error) = guanxi.line()?.call(&call) {
            if Instant::now() > deadline {
                return Err(error);
            }
            pause(Duration::from_millis(100));
        }
    }
    Ok(())
}

/// Measures all questions: in closed loops on both, and at a rate on guanxi.
///
/// # Errors
/// A failed call.
pub(super) fn measure(
    questions: &[Question],
    options: &Options,
    guanxi: &Server,
    postgres: &Server,
) -> Result<Vec<Row>, String> {
    let pids = [guanxi.process.pid(), postgres.process.pid()];
    let mut closed = Vec::new();
    for question in questions {
        closed.push(question.turn(guanxi, options, None));
        if question.kind.statement().is_some() {
            closed.push(question.turn(postgres, options, None));
        }
    }
    let what = |(kind, _): &Asked| kind.title().to_owned();
    let closed = turns::measure(what, &closed, options.rounds, &pids)?;
    let open: Vec<Turn<'_, Asked>> =
        questions.iter().map(|question| question.turn(guanxi, options, Some(options.rate))).collect();
    let open = turns::measure(what, &open, options.rounds, &pids)?;
    Ok(questions.iter().flat_map(|question| rows(question.kind, options, [&closed, &open])).collect())
}

impl Question {
    fn turn<'a>(&self, server: &'a Server, options: &Options, rate: Option<f64>) -> Turn<'a, Asked> {
        let target = server.target();
        let mut prepared = Prepared::new(target.protocol, &self.workload, 1);
        if !self.kind.is_of_posts() {
            // Names are found by rules of its own on each system.
            prepared = prepared.without_answers();
        }
        let asked = (self.kind, rate.map(|rate| rate as u64));
        Turn::over_the_wire(asked, target, prepared, options.plan(rate))
    }
}

/// The figures of a kind.
fn rows(kind: Kind, options: &Options, [closed, open]: [&Vec<Cell<Asked>>; 2]) -> Vec<Row> {
    let of = |cells: &[Cell<Asked>], system: &str| -> Option<Figures> {
        let mut of_kind = cells.iter().filter(|cell| cell.asked.0 == kind);
        of_kind.find(|cell| cell.system == system).map(|cell| cell.median)
    };
    let (title, rate) = (kind.title(), options.rate);
    let (ours, theirs) = (crate::peers::guanxi::NAME, crate::peers::postgres::NAME);
    let mut rows = Vec::new();
    if let Some(figures) = of(open, ours) {
        let what = |figure: &str| format!("{title}, {ours} at {rate}/s: {figure}");
        rows.push(Row::new(&what("p50"), figures.latency.p50_us, "us"));
        rows.push(Row::new(&what("p99"), figures.latency.p99_us, "us"));
        // Fewer than were due, if the server or the load cannot do so many.
        rows.push(Row::new(&what("answered"), figures.per_s, "/s"));
    }
    let [guanxi, postgres] = [ours, theirs].map(|system| of(closed, system));
    for (system, figures) in [(ours, &guanxi), (theirs, &postgres)] {
        if let Some(figures) = figures {
            let what = |figure: &str| format!("{title}, {system}: {figure}");
            rows.push(Row::new(&what("calls per second"), figures.per_s, "/s"));
            rows.push(Row::new(&what("p99"), figures.latency.p99_us, "us"));
            rows.push(Row::new(&what("CPU per call"), figures.server_cpu_us, "us"));
        }
    }
    if let Some((guanxi, postgres)) = guanxi.zip(postgres) {
        let what = format!("{title}: guanxi's calls per second beside PostgreSQL's");
        rows.push(Row::new(&what, guanxi.per_s / postgres.per_s, "x"));
    }
    rows
}

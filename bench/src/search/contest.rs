//! Searches in turns over both systems: first whether they answer the same, then how fast.

use super::Options;
use super::ask::{Kind, draw};
use super::world::World;
use crate::calls::{Answer, Workload};
use crate::load::Prepared;
use crate::peers::Server;
use crate::report::Row;
use crate::turns::{self, Turn};
use crate::wire::connection::Line;
use guanxi_servers::pause;
use std::time::{Duration, Instant};

/// How long guanxi may take until its indexes can be asked.
const READY_WAIT: Duration = Duration::from_mins(5);

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
        let calls = draw(kind, world, &viewers, options.calls, options.rounds.seed);
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
    let (pids, rate) = ([guanxi.process.pid(), postgres.process.pid()], options.rate);
    let mut rows = Vec::new();
    for question in questions {
        let title = question.kind.title();
        let measure =
            |turns: &[_]| turns::measure(|()| title.to_owned(), turns, options.rounds.rounds, &pids);
        for cell in measure(&[question.turn(guanxi, options, Some(rate))])? {
            let what = |figure: &str| format!("{title}, {} at {rate}/s: {figure}", cell.system);
            rows.push(Row::new(&what("p50"), cell.median.latency.p50_us, "us"));
            rows.push(Row::new(&what("p99"), cell.median.latency.p99_us, "us"));
            // Fewer than were due, if the server or the load cannot do so many.
            rows.push(Row::new(&what("answered"), cell.median.per_s, "/s"));
        }
        let mut closed = vec![question.turn(guanxi, options, None)];
        closed.extend(question.kind.statement().map(|_| question.turn(postgres, options, None)));
        rows.extend(turns::rows(title, &measure(&closed)?, true));
    }
    Ok(rows)
}

impl Question {
    fn turn<'a>(&self, server: &'a Server, options: &Options, rate: Option<f64>) -> Turn<'a, ()> {
        let target = server.target();
        let mut prepared = Prepared::new(target.protocol, &self.workload, 1);
        if !self.kind.is_of_posts() {
            // Names are found by rules of its own on each system.
            prepared = prepared.without_answers();
        }
        Turn::over_the_wire((), target, prepared, options.plan(rate))
    }
}

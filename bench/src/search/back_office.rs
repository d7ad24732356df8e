//! The cost of a back office for the processes that answer users: calls of the front with and without questions over all
//! rows beside them.

use super::Options;
use super::world::World;
use crate::calls::{Answer, Call, PAGE, UserCall, Workload};
use crate::load::{Prepared, run};
use crate::peers::guanxi::Running;
use crate::report::Row;
use crate::turns::{self, Turn};
use crate::wire::Request;
use buffa::Message;
use guanxi_load::http1;
use guanxi_model::random::Rng;
use guanxi_proto::v1::{
    PostColumn, QueryPostsRequest, QueryUsersRequest, RowSumRequest, UserColumn, row_sum_request,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Measures it.
///
/// # Errors
/// A failed call.
pub(super) fn measure(world: &World, options: &Options, guanxi: &Running) -> Result<Vec<Row>, String> {
    let (server, asked) = (&guanxi.server, AtomicU64::new(0));
    // A question that is refused is seen before anything is measured.
    ask_once(guanxi)?;
    let fronts = [
        ("relation checks of 20", checks(world, options)),
        ("newest home pages", drawn(world, options, |uid, _| Call::Home { uid, with_posts: false })),
    ];
    let fronts = fronts
        .map(|(title, workload)| (title, Prepared::new(&*server.protocol, &workload, 1).without_answers()));
    let plan = options.plan(Some(options.rate));
    let (mut rows, pids, asked) = (Vec::new(), [server.process.pid()], &asked);
    for (title, prepared) in &fronts {
        let load = || run(&server.target(), prepared, plan);
        let turns = [
            Turn::new((), "alone", plan, |_| load()),
            Turn::new((), "with a back office", plan, |_| beside(guanxi, asked, load)),
        ];
        let cells = turns::measure(|()| (*title).to_owned(), &turns, options.rounds.rounds, &pids)?;
        let [one, other] = [0, 1].map(|at| cells[at].median.latency.p99_us);
        let what = |how: &str| format!("{title} at {}/s, {how}: p99", options.rate);
        rows.push(Row::new(&what("alone"), one, "us"));
        rows.push(Row::new(&what("while a back office sums up all rows"), other, "us"));
        rows.push(Row::new(&format!("{title}: p99 with a back office beside p99 alone"), other / one, "x"));
    }
    rows.push(Row::new("questions of the back office meanwhile", asked.load(Ordering::Relaxed) as f64, ""));
    Ok(rows)
}

/// Does something while another thread asks for rows and sums, one question after the other.
fn beside<T: Send>(
    guanxi: &Running,
    asked: &AtomicU64,
    work: impl FnOnce() -> Result<T, String> + Send,
) -> Result<T, String> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let office = scope.spawn(|| -> Result<(), String> {
            let mut line = guanxi.admin_line()?;
            while !stop.load(Ordering::Relaxed) {
                for question in questions() {
                    line.exchange(&question)?;
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        let office = office.join().map_err(|_| "the back office panicked".to_owned())?;
        office.and(done)
    })
}

fn ask_once(guanxi: &Running) -> Result<(), String> {
    let mut line = guanxi.admin_line()?;
    questions().iter().try_for_each(|question| line.exchange(question).map(drop))
}

/// A page of all users and one of all posts, each with sums over all rows.
fn questions() -> [Request; 2] {
    use row_sum_request::{Kind, Step};
    let of_users = |kind: Kind, column: UserColumn| RowSumRequest {
        kind: kind.into(),
        of_users: column.into(),
        max: if kind == Kind::TOP { 10 } else { 0 },
        ..Default::default()
    };
    let users = QueryUsersRequest {
        page_size: 50,
        order_by: UserColumn::USER_FOLLOWERS.into(),
        descending: true,
        sums: vec![
            of_users(Kind::PERCENTILES, UserColumn::USER_FOLLOWERS),
            of_users(Kind::TOP, UserColumn::USER_FOLLOWING),
        ],
        ..Default::default()
    };
    let by_day = RowSumRequest {
        kind: Kind::HISTOGRAM.into(),
        of_posts: PostColumn::POST_CREATED.into(),
        step: Step::MONTH.into(),
        ..Default::default()
    };
    let by_author = RowSumRequest {
        kind: Kind::TOP.into(),
        of_posts: PostColumn::POST_AUTHOR.into(),
        max: 10,
        ..Default::default()
    };
    let posts = QueryPostsRequest { page_size: 50, sums: vec![by_day, by_author], ..Default::default() };
    let post = |method: &str, body: Vec<u8>| {
        Request::one(http1::post(&format!("/guanxi.v1.AdminService/{method}"), &body))
    };
    [post("QueryUsers", users.encode_to_vec()), post("QueryPosts", posts.encode_to_vec())]
}

/// Calls of viewers.
fn drawn(world: &World, options: &Options, call: impl Fn(u64, &mut Rng) -> Call) -> Workload {
    let (viewers, mut rng) = (world.viewers(), Rng::new(options.rounds.seed));
    let calls = (0..options.calls).map(|_| call(viewers[rng.below(viewers.len())].get(), &mut rng));
    let calls: Vec<Call> = calls.collect();
    Workload { answers: vec![Answer::Done; calls.len()], calls }
}

fn checks(world: &World, options: &Options) -> Workload {
    let most = world.names as usize - world.viewers().len() - PAGE;
    drawn(world, options, |subject, rng| {
        let first = rng.below(most) as u64;
        let objects = (first..first + PAGE as u64).map(|number| UserCall::uid_of(number).get()).collect();
        Call::Check { subject, objects }
    })
}

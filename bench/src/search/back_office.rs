//! The cost of a back office for the processes that answer users: calls of the front with and without questions over all
//! rows beside them.

use super::options::Options;
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

/// Front calls, and whether the back office asks meanwhile.
type Asked = (&'static str, bool);

/// Measures it.
///
/// # Errors
/// A failed call.
pub(super) fn measure(world: &World, options: &Options, guanxi: &Running) -> Result<Vec<Row>, String> {
    let (server, asked) = (&guanxi.server, AtomicU64::new(0));
    // A question that is refused is seen before anything is measured.
    ask_once(guanxi)?;
    let fronts =
        [("relation checks of 20", checks(world, options)), ("newest home pages", homes(world, options))];
    let fronts = fronts
        .map(|(title, workload)| (title, Prepared::new(&*server.protocol, &workload, 1).without_answers()));
    let plan = options.plan(Some(options.rate));
    let mut turns = Vec::new();
    for (title, prepared) in &fronts {
        for is_beside in [false, true] {
            let system = if is_beside { "with a back office" } else { "alone" };
            let asked = &asked;
            let take = move || {
                let target = server.target();
                if is_beside {
                    beside(guanxi, asked, || run(&target, prepared, plan))
                } else {
                    run(&target, prepared, plan)
                }
            };
            turns.push(Turn::in_process((*title, is_beside), system, take));
        }
    }
    let pids = [server.process.pid()];
    let what = |(title, _): &Asked| (*title).to_owned();
    let cells = turns::measure(what, &turns, options.rounds, &pids)?;
    let mut rows = Vec::new();
    for (title, _) in &fronts {
        let of =
            |is_beside| cells.iter().find(|cell| cell.asked == (*title, is_beside)).map(|cell| cell.median);
        let Some((alone, beside)) = of(false).zip(of(true)) else { continue };
        let what = |how: &str| format!("{title} at {}/s, {how}: p99", options.rate);
        let [one, other] = [alone.latency.p99_us, beside.latency.p99_us];
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

fn workload(calls: Vec<Call>) -> Workload {
    let answers = calls.iter().map(|_| Answer::Done).collect();
    Workload { calls, answers }
}

fn checks(world: &World, options: &Options) -> Workload {
    let (viewers, mut rng) = (world.viewers(), Rng::new(options.seed));
    let call = |_| {
        let subject = viewers[rng.below(viewers.len())].get();
        let first = rng.below(world.names as usize - viewers.len() - PAGE) as u64;
        let objects = (first..first + PAGE as u64).map(|number| UserCall::uid_of(number).get()).collect();
        Call::Check { subject, objects }
    };
    workload((0..options.calls).map(call).collect())
}

fn homes(world: &World, options: &Options) -> Workload {
    let (viewers, mut rng) = (world.viewers(), Rng::new(options.seed));
    let call = |_| Call::Home { uid: viewers[rng.below(viewers.len())].get() };
    workload((0..options.calls).map(call).collect())
}

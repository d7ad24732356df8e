//! Jobs over the specification, with files in memory and a clock of the test's own.

use super::*;
use crate::operator::tests::{u, world_of};
use crate::operator::{RowQuery, tests::NOW_MS};
use guanxi_model::user::{ProfilePatch, UserCommand};
use guanxi_model::{ManualClock, Write};
use guanxi_ports::SearchUpkeep;
use guanxi_ports::search::{PostTable, RowAsk, RowOrder, RowSum, RowSummed, UserColumn, UserTable};
use guanxi_spec::memory::{MemorySpool, MemoryStore, MemoryWalks};

const HEAD: &[u8] = b"uid\n";
const KEEP_MS: u64 = 3_600_000;

struct Itself(Arc<MemoryStore>);

impl SearchUpkeep for Itself {
    fn rebuild(&self) {}

    fn users(&self) -> Arc<dyn UserTable> {
        self.0.clone()
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        self.0.clone()
    }
}

struct World {
    operator: OperatorCenter,
    jobs: ExportJobs,
    clock: Arc<ManualClock>,
    spool: Arc<MemorySpool>,
    walks: [Arc<MemoryWalks>; 2],
}

impl World {
    /// A world with so many users.
    async fn with(users: u64, bytes_max: u64) -> Self {
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let (operator, _, store) = world_of(clock.clone());
        for uid in 1..=users {
            let patch = ProfilePatch { nickname: Some("Ann".to_owned()), ..ProfilePatch::default() };
            let update = UserCommand::Update { uid: u(uid), patch, expected_revision: None };
            operator.ports.store.apply(Write::of(update)).await.unwrap();
        }
        let spool = Arc::new(MemorySpool::default());
        let walks: [Arc<MemoryWalks>; 2] = std::array::from_fn(|_| Arc::default());
        let jobs = ExportJobs::new(ExportParts {
            spool: spool.clone(),
            walks: [walks[0].clone(), walks[1].clone()],
            terms: SpoolTerms { bytes_max, keep_ms: KEEP_MS },
            clock: clock.clone(),
            pause: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
        });
        let operator = operator.searching(Some(Arc::new(Itself(store)))).exporting(Some(jobs.clone()));
        Self { operator, jobs, clock, spool, walks }
    }

    fn start(&self, request_id: &str, format: ExportFormat) -> Result<ExportStatus> {
        let key = StartKey { request_id: request_id.to_owned(), fingerprint: format as u64 };
        self.operator.start_export(key, plan(format))
    }

    fn status(&self, id: ExportId) -> ExportStatus {
        self.operator.export_status(id).unwrap()
    }

    /// Runs jobs for a time of the test's.
    async fn run_for(&self, time: Duration) {
        let _over = tokio::time::timeout(time, self.jobs.run(&self.operator)).await;
    }

    /// Runs jobs, and meanwhile something else.
    async fn run_beside(&self, beside: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = self.jobs.run(&self.operator) => {}
            () = beside => {}
        }
    }
}

fn plan(format: ExportFormat) -> ExportPlan {
    let order = RowOrder { by: None, falling: false };
    let sums = vec![RowSum::Top { column: UserColumn::State, max: 3 }];
    let ask = RowAsk { texts: (), filters: Vec::new(), order, after: None, max: 1, total: None, sums };
    let query = RowQuery { text: None, attributes: Vec::new(), ask, walk: None };
    let form: RowForm<UserColumn, guanxi_model::User> = Arc::new(|id, _, user, bytes| {
        bytes.extend(format!("{id} {}\n", user.is_some()).into_bytes());
    });
    let rows = ExportRows::Users(query, form);
    ExportPlan { rows, format, with_texts: true, head: HEAD.to_vec(), sums: Arc::new(|sums| sums) }
}

/// The lines of a file.
fn lines(text: &[u8]) -> usize {
    str::from_utf8(text).unwrap().lines().count()
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn an_export_writes_all_rows_of_one_walk_and_is_read_by_ranges() {
    let world = World::with(450, 1 << 20).await;
    let job = world.start("", ExportFormat::Csv).unwrap();
    assert_eq!((job.state, job.total), (ExportState::Queued, None));
    assert_eq!(world.operator.read_export(job.id, 0, 9).await.unwrap_err().reason, Reason::NotFound);
    world
        .run_beside(async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            let status = world.status(job.id);
            assert_eq!((status.state, status.done, status.total), (ExportState::Running, 400, Some(450)));
            assert_eq!(world.walks[0].held(), 1);
            tokio::time::sleep(SECOND).await;
        })
        .await;
    let status = world.status(job.id);
    assert_eq!((status.state, status.done, world.walks[0].held()), (ExportState::Done, 450, 0));
    assert_eq!(status.sums, [RowSummed::Top(vec![(0, 450)], 0)]);
    let (mut text, mut size) = (Vec::new(), 1);
    while (text.len() as u64) < size {
        let part = world.operator.read_export(job.id, text.len() as u64, 100).await.unwrap();
        assert!(part.bytes.len() <= 100 && !part.bytes.is_empty());
        text.extend(part.bytes);
        size = part.size;
    }
    assert_eq!(lines(&text), 451);
    assert!(text.starts_with(b"uid\n1 ") && size == status.bytes);
    let behind = world.operator.read_export(job.id, size + 1, 1).await.unwrap_err();
    assert_eq!(behind.reason, Reason::InvalidField { field: "offset" });
}

#[tokio::test(start_paused = true)]
async fn totals_have_no_file() {
    let world = World::with(3, 0).await;
    let job = world.start("", ExportFormat::Totals).unwrap();
    world.run_for(SECOND).await;
    let status = world.status(job.id);
    assert_eq!((status.state, status.total, status.done), (ExportState::Done, Some(3), 0));
    assert_eq!(status.sums.len(), 1);
    assert!(world.spool.files().is_empty());
    assert_eq!(world.operator.read_export(job.id, 0, 9).await.unwrap_err().reason, Reason::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_start_is_the_same_job_and_a_full_queue_refuses() {
    let world = World::with(1, 1 << 20).await;
    let first = world.start("once", ExportFormat::Csv).unwrap();
    assert_eq!(world.start("once", ExportFormat::Csv).unwrap().id, first.id);
    let other = world.start("once", ExportFormat::JsonLines).unwrap_err();
    assert_eq!(other.reason, Reason::IdempotencyMismatch);
    for _ in 1..EXPORTS_QUEUED_MAX {
        world.start("", ExportFormat::Csv).unwrap();
    }
    let full = world.start("", ExportFormat::Csv).unwrap_err();
    assert!(matches!(full.reason, Reason::Overloaded { .. }));
    assert_eq!(world.start("once", ExportFormat::Csv).unwrap().id, first.id, "it waits already");
    world.run_for(SECOND).await;
    assert_eq!(world.start("once", ExportFormat::Csv).unwrap().state, ExportState::Done);
    assert_eq!(world.operator.export_jobs().unwrap().len(), EXPORTS_QUEUED_MAX);
}

#[tokio::test(start_paused = true)]
async fn jobs_are_cancelled_while_they_wait_and_while_they_run() {
    let world = World::with(900, 1 << 20).await;
    let ids = [(); 3].map(|()| world.start("", ExportFormat::Csv).unwrap().id);
    world
        .run_beside(async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            assert_eq!(ids.map(|id| world.status(id).state.is_open()), [true; 3]);
            assert_eq!(world.status(ids[2]).state, ExportState::Queued, "two run at once");
            for id in [ids[2], ids[0]] {
                let status = world.operator.cancel_export(id).await.unwrap();
                assert_eq!((status.state, status.bytes), (ExportState::Cancelled, 0));
            }
            tokio::time::sleep(SECOND).await;
        })
        .await;
    let states = ids.map(|id| world.status(id).state);
    assert_eq!(states, [ExportState::Cancelled, ExportState::Done, ExportState::Cancelled]);
    assert_eq!((world.spool.files().len(), world.walks[0].held()), (1, 0));
    let gone = world.operator.cancel_export(ids[1]).await.unwrap();
    assert_eq!((gone.state, world.spool.files().len()), (ExportState::Expired, 0));
    let unknown = world.operator.cancel_export(ExportId(1)).await.unwrap_err();
    assert_eq!(unknown.reason, Reason::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_full_spool_and_a_full_disk_fail_a_job_that_leaves_nothing() {
    let world = World::with(450, 3_000).await;
    let job = world.start("", ExportFormat::Csv).unwrap();
    world.run_for(SECOND).await;
    let status = world.status(job.id);
    assert_eq!((status.state, &status.failure), (ExportState::Failed, &Some(ExportFailure::SpoolFull)));
    assert_eq!((status.bytes, world.spool.files().len()), (0, 0));
    world.spool.fill();
    let job = world.start("", ExportFormat::Csv).unwrap();
    world.run_for(SECOND).await;
    let failure = world.status(job.id).failure;
    assert!(matches!(failure, Some(ExportFailure::NotWritten(_))), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_is_there_for_its_time() {
    let world = World::with(1, 1 << 20).await;
    let job = world.start("", ExportFormat::Csv).unwrap();
    world.run_for(SECOND).await;
    world.clock.advance(KEEP_MS - 1);
    assert!(world.operator.read_export(job.id, 0, 9).await.is_ok());
    world.clock.advance(1);
    assert_eq!(world.operator.read_export(job.id, 0, 9).await.unwrap_err().reason, Reason::NotFound);
    assert_eq!(world.status(job.id).state, ExportState::Expired);
    world.run_for(SWEEP_EVERY + SECOND).await;
    assert!(world.spool.files().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_erasure_removes_files_of_its_kind_at_once_and_jobs_begin_anew() {
    let world = World::with(900, 1 << 20).await;
    let done = world.start("", ExportFormat::Csv).unwrap().id;
    world.run_for(SECOND).await;
    world.walks[1].end_all();
    assert_eq!((world.status(done).state, world.spool.files().len()), (ExportState::Done, 1), "of posts");
    let running = world.start("", ExportFormat::Csv).unwrap().id;
    world
        .run_beside(async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            world.walks[0].end_all();
            assert!(world.spool.files().is_empty(), "before the index goes on");
            assert_eq!(world.status(done).state, ExportState::Expired);
            tokio::time::sleep(Duration::from_secs(5)).await;
        })
        .await;
    let status = world.status(running);
    assert_eq!((status.state, status.restarts, status.done), (ExportState::Done, 1, 900));
    let text = world.spool.files().concat();
    assert_eq!(lines(&text), 901, "once, from the beginning");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_ended_again_and_again_fails() {
    let world = World::with(900, 1 << 20).await;
    let job = world.start("", ExportFormat::Csv).unwrap().id;
    world
        .run_beside(async {
            for _ in 0..200 {
                tokio::time::sleep(SECOND / 4).await;
                world.walks[0].end_all();
            }
            tokio::time::sleep(SECOND * 60).await;
        })
        .await;
    let status = world.status(job);
    assert_eq!((status.state, status.restarts), (ExportState::Done, 3), "the last pause is long enough");
    let job = world.start("", ExportFormat::Csv).unwrap().id;
    world
        .run_beside(async {
            for _ in 0..400 {
                tokio::time::sleep(SECOND / 4).await;
                world.walks[0].end_all();
            }
        })
        .await;
    assert_eq!(world.status(job).failure, Some(ExportFailure::Erasures));
    assert!(world.spool.files().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_job_has_an_end() {
    // A page of 200 takes a tenth of a second, so that this would take longer than there is.
    let world = World::with(450, 1 << 20).await;
    let slow = ExportJobs::new(ExportParts {
        spool: world.spool.clone(),
        walks: [world.walks[0].clone(), world.walks[1].clone()],
        terms: SpoolTerms { bytes_max: 1 << 20, keep_ms: KEEP_MS },
        clock: world.clock.clone(),
        pause: Arc::new(|time| Box::pin(tokio::time::sleep(time.max(Duration::from_hours(4))))),
    });
    let operator = world.operator.clone().exporting(Some(slow.clone()));
    let key = StartKey { request_id: String::new(), fingerprint: 0 };
    let job = operator.start_export(key, plan(ExportFormat::Csv)).unwrap();
    let _over = tokio::time::timeout(Duration::from_hours(20), slow.run(&operator)).await;
    assert_eq!(operator.export_status(job.id).unwrap().failure, Some(ExportFailure::TimeOver));
    assert!(world.spool.files().is_empty());
}

#[tokio::test(start_paused = true)]
async fn only_some_jobs_that_have_ended_are_told_of() {
    let world = World::with(1, 1 << 20).await;
    for _ in 0..EXPORTS_KEPT_MAX + 5 {
        world.start("", ExportFormat::Csv).unwrap();
        world.run_for(SECOND).await;
    }
    assert_eq!(world.operator.export_jobs().unwrap().len(), EXPORTS_KEPT_MAX);
    assert_eq!(world.spool.files().len(), EXPORTS_KEPT_MAX);
}

#[test]
fn a_name_of_a_job_is_read_as_it_is_written() {
    let id = ExportId(NOW_MS << 8);
    assert_eq!(ExportId::parse(&id.to_string()), Some(id));
    for wrong in ["", "-1", "+1", "01", "AB", "no"] {
        assert_eq!(ExportId::parse(wrong), None, "{wrong}");
    }
}

//! An import as ordinary writes, in order: each batch carries the position after it.

use super::super::complain;
use crate::progress::{Unit, bar};
use guanxi_api::admin_client::OperatorClient;
use guanxi_lists::batches::{Batch, Batches};
use guanxi_lists::form::Form;
use guanxi_lists::input::Input;
use guanxi_lists::named::{Named, NamedRow};
use guanxi_lists::place::Place;
use guanxi_lists::refusals::Refusals;
use guanxi_lists::report::{Method, Report};
use guanxi_lists::row::Row;
use guanxi_model::post::{ImportLike, ImportPost};
use guanxi_model::user::ImportUser;
use guanxi_model::{
    Error, ExternalId, ImportCursor, ImportEdge, ImportRequest, Reason, RestrictionKind, Result, Uid,
};
use guanxi_server::{Context, Failure, Outcome};
use indicatif::ProgressBar;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Batches that are read ahead of the one being written.
const READ_AHEAD: usize = 4;
/// How often the bar looks how far the file was read.
const BAR_EVERY: Duration = Duration::from_millis(100);

/// Where rows of one kind go.
pub(super) trait Sink<R> {
    /// Writes a batch in one commit, and returns the result of each row: new, there already, or refused.
    async fn write(&self, rows: Vec<R>, mark: Option<ImportCursor>) -> Result<Vec<Result<bool, Reason>>>;
}

/// Follows, blocks or mutes go into the graph.
pub(super) struct EdgeSink {
    /// The calls of the data directory or server that imports.
    pub operator: OperatorClient,
    /// Which restrictions they are; `None` for follows.
    pub kind: Option<RestrictionKind>,
    /// Bring removed follows back.
    pub revive: bool,
}

impl Sink<ImportEdge> for EdgeSink {
    async fn write(
        &self,
        edges: Vec<ImportEdge>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let applied = self.operator.import_edges(self.kind, &edges, self.revive, mark).await?;
        Ok(applied.pairs().into_iter().map(|outcome| outcome.result).collect())
    }
}

/// Posts go to their authors.
impl Sink<ImportPost> for OperatorClient {
    async fn write(
        &self,
        posts: Vec<ImportPost>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let applied = self.import_posts(&posts, mark).await?;
        Ok(applied.posts().into_iter().map(|outcome| outcome.result).collect())
    }
}

/// Likes go to their posts.
impl Sink<ImportLike> for OperatorClient {
    async fn write(
        &self,
        likes: Vec<ImportLike>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let applied = self.import_likes(likes, mark).await?;
        Ok(applied.posts().into_iter().map(|outcome| outcome.result).collect())
    }
}

/// Requests go to their receivers.
impl Sink<ImportRequest> for OperatorClient {
    async fn write(
        &self,
        requests: Vec<ImportRequest>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        self.import_requests(&requests, mark).await
    }
}

/// Users go to their shards.
impl Sink<ImportUser> for OperatorClient {
    async fn write(
        &self,
        users: Vec<ImportUser>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        self.import_users(&users, mark).await
    }
}

/// Rows whose users have ids of their own go where rows with uids go.
pub(super) struct NamedSink<S> {
    /// Where uids are made.
    operator: OperatorClient,
    /// Where the rows go.
    sink: S,
    /// The ids that were resolved before: the same users are in many rows.
    known: Mutex<HashMap<ExternalId, Option<Uid>>>,
}

/// Ids that are kept as resolved, at about 150 bytes each.
const KNOWN_MAX: usize = 1 << 18;

impl<S> NamedSink<S> {
    /// Rows for another sink.
    pub(super) fn new(operator: OperatorClient, sink: S) -> Self {
        Self { operator, sink, known: Mutex::default() }
    }

    /// The uids of the ids of a batch, made where there are none; ids of users who are erased have none.
    async fn resolve<R: NamedRow>(&self, rows: &[Named<R>]) -> Result<HashMap<ExternalId, Option<Uid>>> {
        let (mut uids, mut unknown) = (HashMap::new(), Vec::new());
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let ids: HashSet<&ExternalId> = rows.iter().flat_map(Named::names).collect();
            for id in ids {
                match known.get(id) {
                    Some(uid) => drop(uids.insert(id.clone(), *uid)),
                    None => unknown.push(id.clone()),
                }
            }
        }
        let made = self.operator.uids_of_list(&unknown).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + made.len() > KNOWN_MAX {
            known.clear();
        }
        for (id, uid) in unknown.into_iter().zip(made) {
            known.insert(id.clone(), uid);
            uids.insert(id, uid);
        }
        Ok(uids)
    }
}

impl<R: NamedRow, S: Sink<R>> Sink<Named<R>> for NamedSink<S> {
    async fn write(
        &self,
        rows: Vec<Named<R>>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let uids = self.resolve(&rows).await?;
        let unknown = || Error::with_detail(Reason::Internal, "an id got no uid");
        let erased = |row: &Named<R>| row.names().iter().any(|id| uids.get(id) == Some(&None));
        let refused: Vec<bool> = rows.iter().map(erased).collect();
        let written = rows.into_iter().zip(&refused).filter(|(_, refused)| !**refused);
        let resolved = written.map(|(row, _)| row.resolved(|id| uids.get(id).copied().flatten()));
        let rows = resolved.collect::<Option<Vec<R>>>().ok_or_else(unknown)?;
        let mut results = self.sink.write(rows, mark).await?.into_iter();
        let result = |refused| if refused { Some(Err(Reason::UserDeleted)) } else { results.next() };
        let missing = || Error::with_detail(Reason::Internal, "another number of results than rows");
        refused.into_iter().map(result).collect::<Option<Vec<_>>>().ok_or_else(missing)
    }
}

/// Where an interrupted run of the same job stands.
pub(super) async fn stored_place(operator: &OperatorClient, job: Option<&str>) -> Outcome<Place> {
    let Some(job) = job else { return Ok(Place::default()) };
    let position = operator.import_position(job).await?.unwrap_or(0);
    Place::stored(position).ok_or_else(|| {
        Failure::new(format_args!(
            "job {job} was begun by another program, which counts otherwise; give another --job NAME"
        ))
    })
}

/// How a list is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportRules {
    /// How it is laid out.
    pub form: Form,
    /// Rows that may be refused; with one more the rest is not read.
    pub max_refused: Option<u64>,
    /// The list after which the file of refused rows is named; `None` without one.
    pub refused: Option<PathBuf>,
}

impl ImportRules {
    /// Where refused rows go.
    pub(super) fn refusals(&self) -> Refusals {
        self.refused.as_ref().map_or_else(Refusals::default, Refusals::of)
    }

    /// Returns whether to go on.
    pub(super) fn allows(&self, report: &Report) -> bool {
        self.max_refused.is_none_or(|max| report.refused_total <= max)
    }
}

/// How long a batch is written again that the server refuses for the moment, and after which pause.
const BUSY_MAX: Duration = Duration::from_secs(30);
const BUSY_PAUSE: Duration = Duration::from_millis(200);

/// Returns whether the same write may be accepted a moment later.
const fn passes(reason: &Reason) -> bool {
    matches!(reason, Reason::Overloaded { .. } | Reason::ShardUnavailable { .. })
}

/// Writes a list.
pub(super) struct Importer<S> {
    /// Where to.
    pub sink: S,
    /// How, for the report.
    pub method: Method,
    /// The name under which it goes on when it is interrupted.
    pub job: Option<String>,
    /// How the list is read.
    pub rules: ImportRules,
}

impl<S> Importer<S> {
    /// Writes what comes behind a place.
    pub(super) async fn run<R: Row>(&self, input: Input, done: Place) -> Outcome<Report>
    where
        S: Sink<R>,
    {
        let start = Instant::now();
        let mut report = Report::new::<R>(self.job.clone(), self.method, done.lines, self.rules.refusals());
        let progress = watch_file(&input);
        let mut batches = read_ahead::<R>(input, done, self.rules.form.clone());
        let mut position = done.lines;
        while let Some(batch) = batches.recv().await {
            let batch = batch.context(format_args!("after line {position}"))?;
            if position == done.lines && position > 0 {
                complain(format_args!("went on after line {position}"));
            }
            report.add_parsed(&batch);
            if self.rules.allows(&report) {
                let results = self.write(&batch).await?;
                report.add_results(&batch, results.iter());
            }
            if !self.rules.allows(&report) {
                report.gave_up = true;
                break;
            }
            position = batch.to.lines;
            progress.set_message(format!("{} {}", report.rows, R::NAME));
        }
        progress.finish_and_clear();
        report.finish(start.elapsed());
        Ok(report)
    }

    /// Writes a batch, and once more while the server is busy or a database gives no answer: rows that are there are left as they are.
    async fn write_again<R: Row>(
        &self,
        batch: &Batch<R>,
        mark: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>, Error>
    where
        S: Sink<R>,
    {
        let began = Instant::now();
        loop {
            match self.sink.write(batch.rows.clone(), mark.clone()).await {
                Err(error) if passes(&error.reason) && began.elapsed() < BUSY_MAX => sleep(BUSY_PAUSE).await,
                answer => return answer,
            }
        }
    }

    async fn write<R: Row>(&self, batch: &Batch<R>) -> Outcome<Vec<Result<bool, Reason>>>
    where
        S: Sink<R>,
    {
        let Batch { from, to, .. } = *batch;
        let mark = self.job.clone().map(|job| ImportCursor { job, from: from.position(), to: to.position() });
        let from = from.lines;
        self.write_again(batch, mark).await.map_err(|error| {
            let failure = Failure::from(error);
            if self.job.is_none() {
                return failure
                    .hint(format_args!("{from} lines are done; give a --job NAME to go on after a failure"));
            }
            failure.hint(format_args!("{from} lines are done; run the same command again to go on"))
        })
    }
}

/// Reads and parses on a thread of its own, a few batches ahead.
pub(super) fn read_ahead<R: Row>(
    input: Input,
    done: Place,
    form: Form,
) -> mpsc::Receiver<io::Result<Batch<R>>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    tokio::task::spawn_blocking(move || {
        match Batches::new(input.lines, form).after(done) {
            // A receiver that is gone has failed and said so.
            Ok(mut batches) => drop(batches.all(|batch| sender.blocking_send(batch).is_ok())),
            Err(error) => drop(sender.blocking_send(Err(error))),
        }
    });
    receiver
}

/// A bar that follows how far the input was read, until it is finished.
pub(super) fn watch_file(input: &Input) -> ProgressBar {
    let progress = bar("import", input.size, Unit::Bytes);
    if !progress.is_hidden() {
        tokio::spawn(follow_file(progress.clone(), input.read.clone()));
    }
    progress
}

async fn follow_file(progress: ProgressBar, read: Arc<AtomicU64>) {
    let mut ticks = tokio::time::interval(BAR_EVERY);
    while !progress.is_finished() {
        ticks.tick().await;
        progress.set_position(read.load(Ordering::Relaxed));
    }
}

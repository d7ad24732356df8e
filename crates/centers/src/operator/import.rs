//! Import: which rows of a batch are written, and the result of each row.

use super::OperatorCenter;
use guanxi_model::limits::{IMPORT_BATCH_MAX, IMPORT_LIKES_MAX, IMPORT_POSTS_MAX, JOB_NAME_LEN_MAX};
use guanxi_model::post::{ImportLike, ImportPost, PostOutcome};
use guanxi_model::user::UserOutcome;
use guanxi_model::{
    Command, Error, ImportCursor, ImportEdge, PairOutcome, Position, Reason, Relation, RestrictionKind,
    Result, Uid, Write,
};

/// The result of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported<O> {
    /// One outcome per row, in order.
    pub outcomes: Vec<O>,
    /// Rows that are new.
    pub accepted: u32,
    /// Rows that were there.
    pub already_there: u32,
    /// Rows that were refused, also those that were none to begin with.
    pub refused: u32,
    /// A read at this position sees the batch.
    pub position: Position,
}

/// The outcome of one row in a store.
pub(super) trait RowOutcome: Clone {
    /// Of a row that the store never saw.
    fn refused(reason: Reason) -> Self;

    /// Returns whether the row is new, or why it was refused.
    fn result(&self) -> &Result<bool, Reason>;
}

impl RowOutcome for PairOutcome {
    fn refused(reason: Reason) -> Self {
        Self { result: Err(reason), relation: Relation::default() }
    }

    fn result(&self) -> &Result<bool, Reason> {
        &self.result
    }
}

impl RowOutcome for PostOutcome {
    fn refused(reason: Reason) -> Self {
        Self { result: Err(reason), id: None, revision: 0 }
    }

    fn result(&self) -> &Result<bool, Reason> {
        &self.result
    }
}

impl RowOutcome for UserOutcome {
    /// Whose row it was, the caller knows by its place.
    fn refused(reason: Reason) -> Self {
        Self { result: Err(reason), uid: Uid::MIN, revision: 0 }
    }

    fn result(&self) -> &Result<bool, Reason> {
        &self.result
    }
}

/// A batch with those rows sorted out that no store need see.
pub(super) struct Sorted<R> {
    pub rows: Vec<R>,
    /// Per row of the batch why it is not written.
    pub refusals: Vec<Option<Reason>>,
}

impl<R> Sorted<R> {
    /// # Errors
    /// `BATCH_TOO_LARGE`, before any row is looked at.
    pub(super) fn new(batch: impl ExactSizeIterator<Item = Result<R>>, limit: u32) -> Result<Self> {
        if batch.len() > limit as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit }));
        }
        let mut sorted = Self { rows: Vec::with_capacity(batch.len()), refusals: Vec::new() };
        for row in batch {
            sorted.refusals.push(row.map(|row| sorted.rows.push(row)).err().map(|error| error.reason));
        }
        Ok(sorted)
    }
}

/// Puts what the store said of the written rows back in their places.
pub(super) fn put_back<O: RowOutcome>(
    refusals: Vec<Option<Reason>>,
    written: Vec<O>,
    position: Position,
) -> Result<Imported<O>> {
    let mut written = written.into_iter();
    let missing = || Error::with_detail(Reason::Internal, "an imported row has no outcome");
    let outcome = |refusal: Option<Reason>| match refusal {
        Some(reason) => Ok(O::refused(reason)),
        None => written.next().ok_or_else(missing),
    };
    let outcomes: Vec<O> = refusals.into_iter().map(outcome).collect::<Result<_>>()?;
    let mut all = Imported { outcomes, accepted: 0, already_there: 0, refused: 0, position };
    for outcome in &all.outcomes {
        match outcome.result() {
            Ok(true) => all.accepted += 1,
            Ok(false) => all.already_there += 1,
            Err(_) => all.refused += 1,
        }
    }
    Ok(all)
}

impl OperatorCenter {
    /// Writes follows with given times in one commit. A row that is an error, or whose time lies after the year 2100, is
    /// refused and keeps no other from being written.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; those of the cursor; a whole-request error of the store.
    pub async fn import_edges(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportEdge>>,
        revive: bool,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PairOutcome>> {
        self.import_pairs(batch, |edges| Command::ImportEdges { edges, revive }, cursor).await
    }

    /// Writes blocks or mutes with given times in one commit, as [`Self::import_edges`].
    ///
    /// # Errors
    /// As there.
    pub async fn import_restrictions(
        &self,
        kind: RestrictionKind,
        batch: impl ExactSizeIterator<Item = Result<ImportEdge>>,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PairOutcome>> {
        self.import_pairs(batch, |restrictions| Command::ImportRestrictions { kind, restrictions }, cursor)
            .await
    }

    async fn import_pairs(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportEdge>>,
        command: impl FnOnce(Vec<ImportEdge>) -> Command,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PairOutcome>> {
        let sorted = Sorted::new(batch, IMPORT_BATCH_MAX)?;
        check(cursor.as_ref())?;
        let write = Write::of(command(sorted.rows)).at(cursor);
        let written = self.ports.store.apply(write).await?;
        let position = written.position.clone();
        put_back(sorted.refusals, written.pairs(), position)
    }

    /// Writes posts with given times in one commit. A row that is an error is refused and keeps no other from being
    /// written.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; those of the cursor; a whole-request error of the store.
    pub async fn import_posts(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportPost>>,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PostOutcome>> {
        let sorted = Sorted::new(batch, IMPORT_POSTS_MAX)?;
        check(cursor.as_ref())?;
        let write = Write::of(Command::ImportPosts(sorted.rows)).at(cursor);
        let written = self.ports.store.apply(write).await?;
        let position = written.position.clone();
        put_back(sorted.refusals, written.posts(), position)
    }

    /// Writes likes with given times in one commit, as [`Self::import_edges`].
    ///
    /// # Errors
    /// As there.
    pub async fn import_likes(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportLike>>,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PostOutcome>> {
        let sorted = Sorted::new(batch, IMPORT_LIKES_MAX)?;
        check(cursor.as_ref())?;
        let write = Write::of(Command::ImportLikes(sorted.rows)).at(cursor);
        let written = self.ports.store.apply(write).await?;
        let position = written.position.clone();
        put_back(sorted.refusals, written.posts(), position)
    }

    /// Where an import job stands; `None` for one that never began.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG` for its name.
    pub async fn import_position(&self, job: &str) -> Result<Option<u64>> {
        check_job(job)?;
        self.ports.store.view(None).await?.import_position(job).await
    }
}

/// Returns a write of the commands of rows, and of the place of their job.
pub(super) fn write_of(mut commands: Vec<Command>, cursor: Option<ImportCursor>) -> Write {
    if commands.is_empty() {
        // The place of the job is written even if the batch has no command.
        commands.push(Command::ImportLikes(Vec::new()));
    }
    Write { commands, ..Write::default() }.at(cursor)
}

/// Checks where a job goes on, before anything is written.
pub(super) fn check(cursor: Option<&ImportCursor>) -> Result<()> {
    let Some(cursor) = cursor else { return Ok(()) };
    check_job(&cursor.job)?;
    if cursor.to < cursor.from {
        return Err(Error::new(Reason::InvalidField { field: "next_position" }));
    }
    Ok(())
}

fn check_job(job: &str) -> Result<()> {
    if job.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "job" }));
    }
    if job.len() > JOB_NAME_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX }));
    }
    Ok(())
}

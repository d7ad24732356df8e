//! Running jobs: page after page of one walk, at a bounded rate.

use super::table::{JobAttempt, stale};
use super::{
    EXPORT_TIME, EXPORTS_AT_ONCE, ExportFailure, ExportFormat, ExportId, ExportJobs, ExportRows, Inner,
    OperatorCenter, RowForm, SWEEP_EVERY,
};
use crate::operator::RowQuery;
use guanxi_model::post::Body;
use guanxi_model::{Reason, Result, User};
use guanxi_ports::search::{FoundRows, PostColumn, RowColumn, RowPlace, RowWalks, UserColumn};
use std::sync::Arc;
use std::time::Duration;

/// How the rows of a job are read.
struct Reading {
    /// Rows of a page in the order of ids, which looks at these rows alone.
    by_id: usize,
    /// Rows of a page in the order of a column, which looks at all rows: so there are few of them.
    by_column: usize,
    rows_per_s: u64,
}

/// Rows whose texts are read.
const TEXTS: Reading = Reading { by_id: 200, by_column: 1_000, rows_per_s: 2_000 };

/// Rows of numbers alone.
const NUMBERS: Reading = Reading { by_id: 2_000, by_column: 20_000, rows_per_s: 20_000 };

/// A walk that is kept until this is dropped.
struct Held {
    walks: Arc<dyn RowWalks>,
    walk: u64,
}

impl Held {
    fn new(walks: &Arc<dyn RowWalks>, walk: u64) -> Result<Self> {
        walks.hold(walk)?;
        Ok(Self { walks: walks.clone(), walk })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.walks.end(self.walk);
    }
}

/// Where a page begins.
struct PageAsk {
    /// The walk; none of the first page.
    walk: Option<u64>,
    after: Option<RowPlace>,
    /// How many rows there are, once the first page has told it.
    total: Option<u64>,
    max: usize,
}

impl PageAsk {
    /// A query of the page. Sums are of all pages: they are asked for once.
    fn of<C: RowColumn>(&self, query: &RowQuery<C>) -> RowQuery<C> {
        let mut query = query.clone();
        (query.walk, query.ask.after, query.ask.max) = (self.walk, self.after, self.max);
        query.ask.total = self.total;
        if self.walk.is_some() {
            query.ask.sums.clear();
        }
        query
    }
}

/// A page of rows with their texts; of numbers alone with none.
type Page<C, T> = (FoundRows<C>, Vec<Option<T>>);

impl ExportJobs {
    /// Runs jobs of a center until this is dropped. Wherever it is polled files are written, which blocks.
    pub async fn run(&self, operator: &OperatorCenter) {
        const { assert!(EXPORTS_AT_ONCE == 2) };
        tokio::join!(self.0.work(operator), self.0.work(operator), self.0.sweep());
    }
}

impl Inner {
    /// Removes files whose time is over.
    async fn sweep(&self) {
        loop {
            (self.parts.pause)(SWEEP_EVERY).await;
            let now_ms = self.parts.clock.now_ms();
            self.change(|table| table.expire(now_ms));
        }
    }

    /// Runs one job after the other.
    async fn work(&self, operator: &OperatorCenter) {
        loop {
            let queued = self.queued.notified();
            let next = self.table().next(self.parts.clock.now_ms());
            let Some(attempt) = next else {
                queued.await;
                continue;
            };
            self.tell();
            let id = attempt.id;
            let cancelled = attempt.cancelled.clone();
            let ended = tokio::select! {
                biased;
                () = cancelled.notified() => continue,
                () = (self.parts.pause)(EXPORT_TIME) => Err(ExportFailure::TimeOver),
                ended = self.tries(operator, attempt) => ended,
            };
            let now_ms = self.parts.clock.now_ms();
            self.change(|table| table.end(id, now_ms, ended));
        }
    }

    /// Tries a job until no walk of its ends too early.
    async fn tries(&self, operator: &OperatorCenter, mut attempt: JobAttempt) -> Result<(), ExportFailure> {
        loop {
            match self.walk(operator, &attempt).await {
                Err(ExportFailure::Refused(error)) if error.reason == Reason::StaleCursor => {}
                ended => return ended,
            }
            let id = attempt.id;
            let pause_ms = self.change(|table| table.restart(id)).ok_or(ExportFailure::Erasures)?;
            (self.parts.pause)(Duration::from_millis(pause_ms)).await;
            attempt = self.again(id)?;
        }
    }

    fn again(&self, id: ExportId) -> Result<JobAttempt, ExportFailure> {
        self.table().attempt(id).ok_or_else(|| ExportFailure::Refused(stale()))
    }

    async fn walk(&self, operator: &OperatorCenter, attempt: &JobAttempt) -> Result<(), ExportFailure> {
        let ([users, posts], texts) = (&self.parts.walks, attempt.plan.with_texts);
        match &attempt.plan.rows {
            ExportRows::Users(query, form) => {
                let page = async |ask: PageAsk| {
                    let found = operator.found_users(ask.of(query)).await?;
                    let users = if texts { operator.users_of(&found).await? } else { Vec::new() };
                    Ok((found, users))
                };
                self.pages::<UserColumn, User>(attempt, (users, form), page).await
            }
            ExportRows::Posts(query, form) => {
                let page = async |ask: PageAsk| {
                    let found = operator.found_posts(ask.of(query)).await?;
                    let bodies = if texts { operator.bodies_of(&found).await? } else { Vec::new() };
                    Ok((found, bodies))
                };
                self.pages::<PostColumn, Body>(attempt, (posts, form), page).await
            }
        }
    }

    /// Writes page after page.
    async fn pages<C: RowColumn, T>(
        &self,
        attempt: &JobAttempt,
        (walks, form): (&Arc<dyn RowWalks>, &RowForm<C, T>),
        page: impl AsyncFn(PageAsk) -> Result<Page<C, T>>,
    ) -> Result<(), ExportFailure> {
        let refused = ExportFailure::Refused;
        let is_counted = attempt.plan.format == ExportFormat::Totals;
        let Reading { by_id, by_column, rows_per_s } =
            if attempt.plan.with_texts { &TEXTS } else { &NUMBERS };
        let rows_max = match attempt.plan.rows.by_column() {
            _ if is_counted => 1,
            true => *by_column,
            false => *by_id,
        };
        let pause = Duration::from_millis(rows_max as u64 * 1_000 / rows_per_s);
        let (mut held, mut after, mut total) = (None::<Held>, None, None);
        loop {
            let walk = held.as_ref().map(|held| held.walk);
            let (mut found, texts) =
                page(PageAsk { walk, after, total, max: rows_max }).await.map_err(refused)?;
            let is_first = held.is_none();
            if is_first {
                held = Some(Held::new(walks, found.walk).map_err(refused)?);
                let sums = (attempt.plan.sums)(std::mem::take(&mut found.sums));
                self.table().sum_up(attempt, sums);
            }
            // What has ended meanwhile may have been read before something was erased.
            self.table().check(attempt).map_err(refused)?;
            if is_counted {
                self.table().progress(attempt, 0, found.total);
                return Ok(());
            }
            let mut bytes = if is_first { attempt.plan.head.clone() } else { Vec::new() };
            let mut texts = texts.into_iter();
            for (id, row) in &found.rows {
                form(*id, row, texts.next().flatten(), &mut bytes);
            }
            self.write(attempt, &bytes, is_first)?;
            self.table().progress(attempt, found.rows.len() as u64, found.total);
            (after, total) = (found.next, Some(found.total));
            if after.is_none() {
                return Ok(());
            }
            (self.parts.pause)(pause).await;
        }
    }
}

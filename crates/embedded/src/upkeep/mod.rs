//! What an operator asks of a store: proof, backup and restore.
//!
//! All of it reads one pinned view, so it runs while the store serves.

mod dump;
mod format;
mod restore;
mod verify;

pub use restore::{DumpedTokens, RestoreError, RestoreReport, restore};

use crate::store::Store;
use guanxi_model::{Position, Result};
use guanxi_ports::{Progress, Upkeep, VerifyReport};
use std::io;

/// Rows between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 14;

impl Upkeep for Store {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        let shared = self.shared();
        let view = shared.published.pin();
        let rows = verify::expected_rows(&shared.engine);
        let mut meter = Meter::new(rows, progress);
        Ok(verify::verify(&view, shared.position(view.seq), &mut meter)?)
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        let shared = self.shared();
        let view = shared.published.pin();
        let position = shared.position(view.seq);
        let mut meter = Meter::new(dump::expected_rows(&shared.engine), progress);
        dump::dump(&view, &position, sink, &mut meter)?;
        Ok(position)
    }
}

/// Counts rows and reports now and then.
pub(crate) struct Meter<'a> {
    now: Progress,
    report: &'a mut dyn FnMut(Progress),
}

impl<'a> Meter<'a> {
    pub fn new(total: u64, report: &'a mut dyn FnMut(Progress)) -> Self {
        Self { now: Progress { done: 0, total }, report }
    }

    /// One more row.
    pub fn row(&mut self) {
        self.rows(1);
    }

    /// More rows.
    pub fn rows(&mut self, rows: u64) {
        let before = self.now.done / PROGRESS_EVERY;
        self.now.done += rows;
        if self.now.done / PROGRESS_EVERY > before {
            self.now.total = self.now.total.max(self.now.done);
            (self.report)(self.now);
        }
    }

    /// More rows than expected are to be read.
    pub fn expect(&mut self, rows: u64) {
        self.now.total += rows;
    }

    /// Everything is done.
    pub fn finish(&mut self) {
        self.now.total = self.now.done;
        (self.report)(self.now);
    }
}

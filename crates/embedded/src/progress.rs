//! Telling an operator how far a long task is.

use guanxi_ports::Progress;

/// Rows between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 14;

/// Counts rows and reports now and then.
pub(crate) struct ProgressMeter<'a> {
    now: Progress,
    report: &'a mut dyn FnMut(Progress),
}

impl<'a> ProgressMeter<'a> {
    pub(crate) fn new(total: u64, report: &'a mut dyn FnMut(Progress)) -> Self {
        Self { now: Progress { done: 0, total }, report }
    }

    /// One more row.
    pub(crate) fn row(&mut self) {
        self.rows(1);
    }

    /// More rows.
    pub(crate) fn rows(&mut self, rows: u64) {
        let before = self.now.done / PROGRESS_EVERY;
        self.now.done += rows;
        if self.now.done / PROGRESS_EVERY > before {
            self.now.total = self.now.total.max(self.now.done);
            (self.report)(self.now);
        }
    }

    /// More rows than expected are to be read.
    pub(crate) fn expect(&mut self, rows: u64) {
        self.now.total += rows;
    }

    /// Everything is done.
    pub(crate) fn finish(&mut self) {
        self.now.total = self.now.done;
        (self.report)(self.now);
    }
}

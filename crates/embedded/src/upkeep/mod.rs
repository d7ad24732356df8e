//! What an operator asks of a store: proof, mending, backup and restore.
//!
//! All of it reads one pinned view, so it runs while the store serves. A mend reads one after the other, and has the writer derive wrong
//! rows anew.

mod dump;
mod mend;
mod restore;
mod verify;

pub use restore::{DumpedTokens, RestoreError, RestoreReport, restore};

use crate::progress::ProgressMeter;
use crate::store::EmbeddedStore;
use guanxi_model::{Position, Result};
use guanxi_ports::{MendProgress, MendReport, Progress, Shards, Upkeep, VerifyReport};
use std::io;

impl Shards for EmbeddedStore {}

impl Upkeep for EmbeddedStore {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        let shared = self.shared();
        let view = shared.published.pin();
        let rows = verify::expected_rows(&shared.engine);
        let mut meter = ProgressMeter::new(rows, progress);
        Ok(verify::verify(&view, shared.position(view.seq), &mut meter)?.0)
    }

    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        mend::mend(self, progress)
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        let shared = self.shared();
        let view = shared.published.pin();
        let position = shared.position(view.seq);
        let mut meter = ProgressMeter::new(dump::expected_rows(&shared.engine), progress);
        dump::dump(&view, &position, sink, &mut meter)?;
        Ok(position)
    }
}

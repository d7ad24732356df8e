//! What an operator asks of a store: proof, backup and restore.
//!
//! All of it reads one pinned view, so it runs while the store serves.

mod dump;
mod restore;
mod verify;

pub use restore::{DumpedTokens, RestoreError, RestoreReport, restore};

use crate::progress::ProgressMeter;
use crate::store::EmbeddedStore;
use guanxi_model::{Position, Result};
use guanxi_ports::{MendProgress, MendReport, MendStage, Progress, Shards, Upkeep, VerifyReport};
use std::io;

impl Shards for EmbeddedStore {}

impl Upkeep for EmbeddedStore {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        let shared = self.shared();
        let view = shared.published.pin();
        let rows = verify::expected_rows(&shared.engine);
        let mut meter = ProgressMeter::new(rows, progress);
        Ok(verify::verify(&view, shared.position(view.seq), &mut meter)?)
    }

    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        let mut tell = |now| progress(MendProgress { stage: MendStage::Comparing, progress: now, mended: 0 });
        let left = self.verify(&mut tell)?;
        Ok(MendReport { found: left.differences_total, mended: 0, left })
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

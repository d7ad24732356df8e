//! The check of every row, and its mends, as an operator asks for them.

use super::{RepairCheck, RepairReport, RepairTerms, run_check};
use crate::store::ClusterStore;
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::upkeep::DIFFERENCES_MAX;
use guanxi_ports::{MendProgress, MendReport, MendStage, Progress, Upkeep, VerifyReport};
use std::io;
use std::sync::mpsc;

impl ClusterStore {
    /// Runs a check, and waits for it.
    fn run_to_end(
        &self,
        check: RepairCheck,
        mends: bool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RepairReport> {
        let terms = RepairTerms { mends, ..RepairTerms::default() };
        let (told, telling) = mpsc::channel();
        let shared = self.shared.clone();
        let task = self.runtime.spawn(async move {
            // No task listens any more when the caller has gone.
            let mut tell = move |progress| {
                let _told = told.send(progress);
            };
            run_check(&shared, check, terms, &mut tell).await
        });
        telling.iter().for_each(progress);
        self.runtime.block_on(task).map_err(|error| Error::with_detail(Reason::Internal, error))?
    }
}

impl Upkeep for ClusterStore {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        let mut report = self.run_to_end(RepairCheck::Full, false, progress)?;
        report.differences.append(&mut report.cells);
        report.differences.truncate(DIFFERENCES_MAX);
        Ok(VerifyReport {
            position: report.position,
            forward: report.forward,
            reverse: report.reverse,
            counters: report.counters,
            mutual: report.mutual,
            marks: report.marks,
            posts: report.posts,
            likes: report.likes,
            differences_total: report.differences_total + report.cells_differed,
            differences: report.differences,
            heat: report.heat,
        })
    }

    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        let (mut found, mut mended) = (0, 0);
        for check in [RepairCheck::Digests, RepairCheck::Full] {
            let mut tell = |now| progress(MendProgress { stage: MendStage::Mending, progress: now, mended });
            let report = self.run_to_end(check, true, &mut tell)?;
            found += report.differences_total + report.cells_differed;
            mended += report.mended + report.cells_mended;
        }
        let mut tell = |now| progress(MendProgress { stage: MendStage::Comparing, progress: now, mended });
        Ok(MendReport { found, mended, left: self.verify(&mut tell)? })
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        self.runtime.block_on(crate::dump::dump(&self.shared, sink, progress))
    }
}

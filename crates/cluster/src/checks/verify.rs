//! The check of every row, as an operator asks for it.

use super::{RepairCheck, RepairTerms, run_check};
use crate::store::ClusterStore;
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::{Progress, Upkeep, VerifyReport};
use std::io;
use std::sync::mpsc;

impl Upkeep for ClusterStore {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        let (told, telling) = mpsc::channel();
        let shared = self.shared.clone();
        let task = self.runtime.spawn(async move {
            // No task listens any more when the caller has gone.
            let mut tell = move |progress| {
                let _told = told.send(progress);
            };
            run_check(&shared, RepairCheck::Full, RepairTerms::default(), &mut tell).await
        });
        telling.iter().for_each(progress);
        let report =
            self.runtime.block_on(task).map_err(|error| Error::with_detail(Reason::Internal, error))??;
        Ok(VerifyReport {
            position: report.position,
            forward: report.forward,
            reverse: report.reverse,
            counters: report.counters,
            mutual: report.mutual,
            marks: report.marks,
            posts: report.posts,
            likes: report.likes,
            differences_total: report.differences_total,
            differences: report.differences,
        })
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        self.runtime.block_on(crate::dump::dump(&self.shared, sink, progress))
    }
}

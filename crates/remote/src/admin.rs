//! The operator's tasks.

use std::io;

use guanxi_model::{Credential, Error, Position, Reason, Result};
use guanxi_ports::{BoxFuture, Credentials, Progress, Upkeep, VerifyReport};

use super::Remote;

impl Upkeep for Remote {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        // What this port is given cannot cross threads, and the task it waits for can: the last progress is told.
        let mut last = None;
        let report = self.runtime.block_on(self.admin.verify(&mut |now| last = Some(now)))?;
        last.into_iter().for_each(progress);
        self.saw_position(report.position.clone());
        Ok(report)
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        let mut last = None;
        let mut dump = Vec::new();
        let position = self.runtime.block_on(self.admin.backup(&mut dump, &mut |now| last = Some(now)))?;
        last.into_iter().for_each(progress);
        sink.write_all(&dump).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        Ok(self.saw_position(position))
    }
}

impl Credentials for Remote {
    fn add(&self, _credential: Credential) -> BoxFuture<'_, Result<()>> {
        let error = Error::with_detail(Reason::Internal, "the server makes the secrets of its tokens itself");
        Box::pin(std::future::ready(Err(error)))
    }

    fn find(&self, _hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        let error = Error::with_detail(Reason::Internal, "the server shows no hashes of its tokens");
        Box::pin(std::future::ready(Err(error)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.admin.list_tokens())
    }

    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        let name = name.to_owned();
        Box::pin(async move { self.admin.revoke_token(&name).await })
    }
}

//! The operator's tasks.

use std::io;

use guanxi_model::{Credential, CredentialCommand, Error, Outcome, Position, Reason, Result};
use guanxi_ports::{
    Applied, BoxFuture, Credentials, MendProgress, MendReport, Progress, Upkeep, VerifyReport,
};

use super::{Remote, untold};

impl Upkeep for Remote {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        // What this port is given cannot cross threads, and the task it waits for can: the last progress is told.
        let mut last = None;
        let report = self.runtime.block_on(self.admin.verify(&mut |now| last = Some(now)))?;
        last.into_iter().for_each(progress);
        self.saw_position(report.position.clone());
        Ok(report)
    }

    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        let mut last = None;
        let report = self.runtime.block_on(self.admin.mend("", &mut |now| last = Some(now)))?;
        last.into_iter().for_each(progress);
        self.saw_position(report.left.position.clone());
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
    fn find(&self, _hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        let error = Error::with_detail(Reason::Internal, "the server shows no hashes of its tokens");
        Box::pin(std::future::ready(Err(error)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.admin.list_tokens())
    }
}

impl Remote {
    pub(crate) async fn credential_command(&self, command: CredentialCommand) -> Result<Applied> {
        let CredentialCommand::Revoke { name } = command else {
            return untold("the secrets of its tokens").await;
        };
        let revoked = self.admin.revoke_token(&name).await?;
        let position = self.position_at(String::new()).await?;
        Ok(Applied { position, outcomes: vec![Outcome::Plain(Ok(revoked))] })
    }
}

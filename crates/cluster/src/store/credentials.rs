//! Credentials: rows of the first database, of which every process has a copy.

use super::credential_copy::LOOK_EVERY;
use super::{ClusterCore, ClusterStore};
use crate::postgres::{Fault, Statements};
use crate::rows::{ALL_CREDENTIALS, read_credential};
use guanxi_model::{Credential, Result};
use guanxi_ports::{BoxFuture, Credentials};
use std::sync::Weak;
use tokio::time::sleep;

impl ClusterStore {
    async fn all_credentials(&self) -> Result<Vec<Credential>> {
        let asked = Statements::one(ALL_CREDENTIALS, Vec::new());
        let rows = self.shared.served[0].others.rows(&asked).await?;
        rows.iter().map(|row| read_credential(row).map_err(Fault::told)).collect()
    }
}

impl Credentials for ClusterStore {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        Box::pin(async move { self.shared.credentials.find(&self.shared.served[0].others, hash).await })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.all_credentials())
    }
}

/// Has the copy hear of what others change, until the store is closed.
pub(super) async fn follow_credentials(shared: Weak<ClusterCore>) {
    loop {
        sleep(LOOK_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        if let Err(error) = shared.credentials.look(&shared.served[0].others).await {
            tracing::debug!(%error, "the credentials cannot be read");
        }
    }
}

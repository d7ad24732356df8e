//! Credentials: rows of the first database, of which every process has a copy.

use super::credential_copy::{AskedFor, LOOK_EVERY};
use super::{ClusterCore, ClusterStore};
use crate::rows::{ALL_CREDENTIALS, read_credential};
use guanxi_model::{Credential, Result};
use guanxi_ports::{BoxFuture, Credentials};
use guanxi_postgres::{Fault, Statements};
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
        Box::pin(async move { self.shared.credentials.find(asked_for(&self.shared), hash).await })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.all_credentials())
    }
}

/// All credentials are rows of the first database.
fn asked_for(shared: &ClusterCore) -> AskedFor<'_> {
    AskedFor { connections: &shared.served[0].others, ended: &shared.ended }
}

/// Has the copy hear of what others change, until the store is closed.
pub(super) async fn follow_credentials(shared: Weak<ClusterCore>) {
    loop {
        sleep(LOOK_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        if let Err(error) = shared.credentials.look(asked_for(&shared)).await {
            tracing::debug!(%error, "the credentials cannot be read");
        }
    }
}

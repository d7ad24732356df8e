//! Credentials: rows of the first database, of which every process has a copy.

use super::credential_copy::{LOOK_EVERY, credential_columns, read_credential};
use super::transact::in_first;
use super::{ClusterCore, ClusterStore};
use crate::postgres::{Fault, Statements, Term, term};
use crate::rows::{column, damaged};
use guanxi_model::limits::CREDENTIALS_MAX;
use guanxi_model::{Credential, Error, Principal, Reason, Result};
use guanxi_ports::{BoxFuture, Credentials};
use std::sync::{Arc, Weak};
use tokio::time::sleep;
use tokio_postgres::Row;

/// All that were not revoked.
pub(crate) const ALL: &str =
    concat!("select ", credential_columns!(), " from gx.credential where active order by name");

/// Whoever changes credentials holds this row, so that changes have one order.
const STATE: &str = "select change, many from gx.credential_state for update";
const KNOWN: &str = "select active from gx.credential where name = $1";
/// Puts one in the place of whatever has its name.
pub(crate) const PUT: &str = concat!(
    "insert into gx.credential (",
    credential_columns!(),
    ") values ($1, $2, $3, $4, $5, $6, $7, true, $8) on conflict (name) do update set hash = excluded.hash, \
     kind = excluded.kind, uid = excluded.uid, scopes = excluded.scopes, rate_per_minute = excluded.rate_per_minute, \
     created_ms = excluded.created_ms, active = true, change = excluded.change, changed_at = now()"
);
const REVOKE: &str =
    "update gx.credential set active = false, change = $2, changed_at = now() where name = $1";
/// Of what was revoked long ago every process that is not away has heard. One that was away sees that it missed something.
const MOVE: &str = "with gone as (delete from gx.credential where not active and changed_at < now() - interval '1 day' \
    returning change) update gx.credential_state set change = $1, many = $2, \
    forgotten = greatest(forgotten, (select max(change) from gone))";

/// Where the credentials stand.
struct CredentialState {
    change: i64,
    many: i64,
    /// Whether there is one of the name that is asked about.
    is_taken: bool,
}

fn look(name: &str) -> impl Fn(&mut Statements) {
    let name = name.to_owned();
    move |statements| {
        statements.add(STATE, Vec::new());
        statements.add(KNOWN, vec![term(name.clone())]);
    }
}

fn read_state(rows: &[Vec<Row>]) -> Result<CredentialState> {
    let state = rows.first().and_then(|rows| rows.first());
    let state = state.ok_or_else(|| damaged("the state of credentials").told())?;
    let known = rows.get(1).and_then(|rows| rows.first());
    let is_taken = known.is_some_and(|row| row.get(0));
    Ok(CredentialState { change: state.get(0), many: state.get(1), is_taken })
}

async fn add(shared: &Arc<ClusterCore>, credential: Credential) -> Result<()> {
    Credential::check_name(&credential.name)?;
    let decide = |rows: &[Vec<Row>]| {
        let CredentialState { change, many, is_taken } = read_state(rows)?;
        if is_taken {
            return Err(Error::new(Reason::AlreadyExists));
        }
        if many >= i64::from(CREDENTIALS_MAX) {
            return Err(Error::new(Reason::LimitReached { limit: CREDENTIALS_MAX }));
        }
        let mut changes = Statements::default();
        changes.add(PUT, put_terms(&credential, change + 1));
        changes.add(MOVE, vec![term(change + 1), term(many + 1)]);
        Ok((changes, change + 1))
    };
    let change = in_first(shared, look(&credential.name), decide).await?;
    shared.credentials.note(change, credential.name.clone(), Some(credential));
    Ok(())
}

async fn revoke(shared: &Arc<ClusterCore>, name: &str) -> Result<bool> {
    // No credential has such a name, and no text of PostgreSQL a zero.
    if Credential::check_name(name).is_err() {
        return Ok(false);
    }
    let decide = |rows: &[Vec<Row>]| {
        let CredentialState { change, many, is_taken } = read_state(rows)?;
        let mut changes = Statements::default();
        if !is_taken {
            return Ok((changes, None));
        }
        changes.add(REVOKE, vec![term(name.to_owned()), term(change + 1)]);
        changes.add(MOVE, vec![term(change + 1), term(many - 1)]);
        Ok((changes, Some(change + 1)))
    };
    let change = in_first(shared, look(name), decide).await?;
    if let Some(change) = change {
        shared.credentials.note(change, name.to_owned(), None);
    }
    Ok(change.is_some())
}

/// What [`PUT`] is given.
pub(crate) fn put_terms(credential: &Credential, change: i64) -> Vec<Term> {
    let Credential { hash, name, principal, created_ms, rate_per_minute } = credential;
    let (kind, of, scopes) = match principal {
        Principal::EndUser(uid) => ("end_user", Some(column(*uid)), None),
        Principal::Service(scopes) => {
            ("service", None, Some(scopes.names().map(ToOwned::to_owned).collect::<Vec<String>>()))
        }
        Principal::Admin => ("admin", None, None),
    };
    vec![
        term(name.clone()),
        term(hash.to_vec()),
        term(kind),
        term(of),
        term(scopes),
        term(rate_per_minute.map(|rate| i64::from(rate.get()))),
        term(created_ms.cast_signed()),
        term(change),
    ]
}

impl ClusterStore {
    async fn all_credentials(&self) -> Result<Vec<Credential>> {
        let mut statements = Statements::default();
        statements.add(ALL, Vec::new());
        let rows = self.shared.served[0].others.ask(&statements).await.map_err(Fault::told)?;
        rows.iter().flatten().map(|row| read_credential(row).map_err(Fault::told)).collect()
    }
}

/// A change goes on when nobody waits for it any more: its connection is never left in a transaction.
impl Credentials for ClusterStore {
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>> {
        let shared = self.shared.clone();
        Box::pin(async move {
            let added = tokio::spawn(async move { add(&shared, credential).await });
            added.await.map_err(|_| Error::new(Reason::OutcomeUnknown))?
        })
    }

    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        Box::pin(async move { self.shared.credentials.find(&self.shared.served[0].others, hash).await })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.all_credentials())
    }

    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        let (shared, name) = (self.shared.clone(), name.to_owned());
        Box::pin(async move {
            let revoked = tokio::spawn(async move { revoke(&shared, &name).await });
            revoked.await.map_err(|_| Error::new(Reason::OutcomeUnknown))?
        })
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

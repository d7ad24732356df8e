//! Whether a database is the part of a cluster that its name says, with the tables that this program works with.

use crate::claim::claim_of;
use crate::migrations::TablesState;
use guanxi_model::HistoryId;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;

/// Returns the obstacle to serving from a database, with what to do; `None` if there is none.
///
/// # Errors
/// What the database says; that it is none of the cluster's, or another one of it.
pub(crate) async fn unfit(
    session: &PgSession,
    history: HistoryId,
    name: &str,
) -> Result<Option<String>, DatabaseError> {
    let Some(claim) = claim_of(session).await? else {
        return Err(session.problem("it is not laid out: run `guanxi cluster init` again"));
    };
    if claim.history != history {
        return Err(session.problem(format!(
            "it is `{}` of cluster {:016x}, and the first database is of {:016x}: one of the addresses is wrong",
            claim.name, claim.history.0, history.0
        )));
    }
    if claim.name != name {
        return Err(session.problem(format!("it is `{}`: the address of another was given", claim.name)));
    }
    let state = TablesState::read(session).await?;
    Ok(state.problem())
}

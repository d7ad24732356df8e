//! Transactions: in shards of one database, whose rows are locked, read, changed and put; and of one moment, to read in.

use super::ClusterCore;
use crate::rows::{Locked, Rows, lock_free, lock_shards, locked, put_changes};
use guanxi_model::Gene;
use guanxi_postgres::{Connection, Fault, Statements};
use std::collections::BTreeSet;

/// One moment of a database, however long it is looked at.
pub(crate) const MOMENT: &str = "begin isolation level repeatable read read only";

/// Locks shards, in the order of their genes. Returns no rows of them yet; none if one of them is not where the map says.
pub(crate) async fn lock_rows(
    shared: &ClusterCore,
    connection: &Connection,
    before: &str,
    genes: &BTreeSet<Gene>,
) -> Result<Option<Rows>, Fault> {
    let mut lock = Statements::default();
    lock_shards(&mut lock, genes);
    let found = lock.send(connection, before, "").await?.pop().unwrap_or_default();
    Ok(match locked(&found, genes, &shared.map(), shared.stamps.clone())? {
        Locked::All(shards) => Some(Rows::new(shared.terms, shards)),
        Locked::Moved => None,
    })
}

/// Locks shards whose rows no other session holds. Returns no rows of them yet, with the shards that others hold; none if one of
/// all is not where the map says.
pub(crate) async fn lock_free_rows(
    shared: &ClusterCore,
    connection: &Connection,
    genes: &BTreeSet<Gene>,
) -> Result<Option<(Rows, BTreeSet<Gene>)>, Fault> {
    let locked = lock_free(connection, genes, &shared.map(), shared.stamps.clone()).await?;
    Ok(locked.map(|(shards, held)| (Rows::new(shared.terms, shards), held)))
}

/// Begins a transaction, locks shards, and has their rows fetched and changed, which `change` returns; writes what has changed,
/// and commits. Nothing is changed when something goes wrong.
pub(crate) async fn in_shards<T, F: Future<Output = Result<(Rows, T), Fault>>>(
    shared: &ClusterCore,
    connection: &Connection,
    genes: impl IntoIterator<Item = Gene>,
    change: impl FnOnce(Rows) -> F,
) -> Result<T, Fault> {
    let genes = genes.into_iter().collect();
    let changed = async {
        let rows = lock_rows(shared, connection, "begin", &genes).await?;
        let rows = rows.ok_or(Fault::Moved)?;
        let (rows, changed) = change(rows).await?;
        put_changes(&rows).send(connection, "", "commit").await?;
        Ok(changed)
    };
    or_undo(connection, changed.await).await
}

/// Reads in one moment of a database.
pub(crate) async fn in_one_moment<T>(
    connection: &Connection,
    read: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    connection.run(MOMENT).await?;
    let read = read.await;
    connection.run("rollback").await?;
    read
}

/// Ends a transaction that went wrong.
pub(crate) async fn or_undo<T>(connection: &Connection, changed: Result<T, Fault>) -> Result<T, Fault> {
    if changed.is_err() {
        connection.run("rollback").await?;
    }
    changed
}

//! What batches lock: shards, or what is no user's.

use crate::rows::{
    CredentialChanges, Locked, Rows, Shards, lock_settings, lock_shards, locked, take_locked_settings,
};
use crate::store::{ClusterCore, ServedDatabase};
use guanxi_model::Gene;
use guanxi_postgres::{Connections, Fault, Statements, term};
use guanxi_shard::cells::EndedChanges;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_postgres::Row;

/// Notes a batch in the row of a shard.
const NOTE_SHARD: &str = "update gx.shard set noted = $2 where gene = $1";

/// Notes a batch in the row of settings.
const NOTE_SETTINGS: &str = "update gx.credential_state set noted = $1";

/// What batches lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneScope {
    /// The shards of what is done.
    Shards,
    /// The version of settings.
    Settings,
}

impl LaneScope {
    /// The connections of its batches.
    pub(super) const fn connections(self, database: &ServedDatabase) -> &Connections {
        match self {
            Self::Shards => &database.writes,
            Self::Settings => &database.others,
        }
    }

    /// Returns what a batch begins with.
    pub(super) fn rows(self, shared: &ClusterCore) -> Rows {
        match self {
            Self::Shards => Rows::new(shared.terms, Shards::new([], shared.stamps.clone())),
            Self::Settings => Rows::of_settings(shared.terms, shared.stamps.clone()),
        }
    }

    /// Adds the statement that locks what a batch is about.
    pub(super) fn lock(self, statements: &mut Statements, genes: &BTreeSet<Gene>) {
        match self {
            Self::Shards => lock_shards(statements, genes),
            Self::Settings => lock_settings(statements),
        }
    }

    /// Adds the statement that notes a batch in the first row that it locks.
    pub(super) fn note(self, statements: &mut Statements, first: Gene, batch: i64) {
        match self {
            Self::Shards => statements.add(NOTE_SHARD, vec![term(i16::from(first.0)), term(batch)]),
            Self::Settings => statements.add(NOTE_SETTINGS, vec![term(batch)]),
        }
    }

    /// The last batch that is noted in the first row that was locked.
    pub(super) fn noted(self, locked: &[Row]) -> i64 {
        let column = match self {
            Self::Shards => 6,
            Self::Settings => 2,
        };
        locked.first().map_or(0, |row| row.get(column))
    }

    /// Takes in its answer; `false` when a shard is not where the map says.
    pub(super) fn take_locked(
        self,
        found: &[Row],
        genes: &BTreeSet<Gene>,
        (shared, rows): (&ClusterCore, &mut Rows),
    ) -> Result<bool, Fault> {
        match self {
            Self::Shards => match locked(found, genes, &shared.map(), shared.stamps.clone())? {
                Locked::All(shards) => rows.shards = shards,
                Locked::Moved => return Ok(false),
            },
            Self::Settings => take_locked_settings(rows, found)?,
        }
        Ok(true)
    }
}

/// What the memory of the process is told of a batch once that stands.
pub(super) struct Committed {
    /// The users whose credentials have ended.
    ended: EndedChanges,
    /// Which credentials came and went.
    credentials: CredentialChanges,
}

impl Committed {
    /// Returns what rows tell.
    pub(super) fn of(rows: &Rows) -> Self {
        Self { ended: rows.ended(), credentials: rows.credential_changes() }
    }

    /// Tells it.
    pub(super) fn note(self, shared: &Arc<ClusterCore>) {
        shared.ended.note(self.ended);
        shared.credentials.note(self.credentials);
    }
}

//! The rows of a dump as those of shards: each goes to the shard of its user, and its effects to the other shards.

use super::filling::{Filling, ROWS_AT_ONCE};
use super::names::PostNames;
use super::place::{LoadPlace, shards};
use super::source::DumpRow;
use super::{DumpedSecrets, LoadError};
use crate::map::GeneMap;
use crate::rows::{RowTerms, Rows, Shards};
use futures_util::future::try_join_all;
use guanxi_model::plan::FactLimits;
use guanxi_model::{Gene, HistoryId, Stamp, Uid};
use guanxi_rows::{DumpHeader, DumpSection};
use std::sync::Arc;

/// A cluster that is being filled.
pub(super) struct Loader {
    pub(super) header: DumpHeader,
    pub(super) secrets: DumpedSecrets,
    /// Up to which row of the dump it has come.
    pub(super) row: u64,
    /// The highest id of a post.
    pub(super) post_high: u64,
    /// Tokens among the rows, and rows of tokens that were left out.
    pub(super) tokens: u64,
    pub(super) left_out: u64,
    pub(super) names: PostNames,
    pub(super) history: HistoryId,
    genes: GeneMap,
    fillings: Vec<Filling>,
}

/// Why a row is not taken.
pub(super) enum LoadRowError {
    /// It is not what a row of its section can be.
    Damaged,
    /// Something else.
    Load(LoadError),
}

impl From<std::io::Error> for LoadRowError {
    fn from(error: std::io::Error) -> Self {
        Self::Load(LoadError::Kept(error))
    }
}

impl Loader {
    /// Goes on where the cluster is.
    pub(super) async fn open(
        place: LoadPlace,
        databases: &crate::Databases,
        header: DumpHeader,
        secrets: DumpedSecrets,
    ) -> Result<Self, LoadError> {
        let LoadPlace { history, genes, databases: taken } = place;
        let mut loader = Self {
            header,
            secrets,
            row: 0,
            post_high: 0,
            tokens: 0,
            left_out: 0,
            names: PostNames::new(),
            history,
            genes,
            fillings: Vec::new(),
        };
        for (database, (lock, loaded)) in databases.all().iter().zip(taken) {
            let filling = Filling::open(database, lock, loader.no_rows(), loaded).await?;
            loader.fillings.push(filling);
        }
        Ok(loader)
    }

    fn no_rows(&self) -> Rows {
        let limits = FactLimits { follows: 0, blocks: 0, mutes: 0 };
        let terms = RowTerms::new(self.history, limits);
        Rows::new(terms, Shards::new(shards(&self.header), Arc::default()))
    }

    /// Takes in some rows, and writes what has come together.
    pub(super) async fn take(&mut self, rows: Vec<DumpRow>) -> Result<(), LoadError> {
        for row in rows {
            self.row += 1;
            let taken = match row.section {
                DumpSection::Forward => self.follow(&row.key, &row.value),
                DumpSection::Records => self.record(&row.key, &row.value),
                DumpSection::Posts => self.post(&row.key, &row.value),
            };
            match taken {
                Ok(()) => {}
                Err(LoadRowError::Damaged) => {
                    return Err(LoadError::Damaged(format!("row {} cannot be read", self.row)));
                }
                Err(LoadRowError::Load(error)) => return Err(error),
            }
        }
        let is_enough = self.fillings.iter().any(|filling| filling.pending >= ROWS_AT_ONCE);
        if is_enough { self.write().await } else { Ok(()) }
    }

    /// Writes everything that has come.
    pub(super) async fn write(&mut self) -> Result<(), LoadError> {
        let row = self.row;
        let fresh: Vec<Rows> = self.fillings.iter().map(|_| self.no_rows()).collect();
        let written = self.fillings.iter_mut().zip(fresh);
        try_join_all(written.map(|(filling, rows)| filling.write(rows, row))).await?;
        Ok(())
    }

    /// Opens all databases, the first one last: it has what is one for all.
    pub(super) async fn finish(&mut self) -> Result<(), LoadError> {
        for filling in self.fillings.iter_mut().rev() {
            filling.finish(self.post_high).await?;
        }
        Ok(())
    }

    /// Returns whether every database had all of the dump already.
    pub(super) fn was_whole(&self) -> bool {
        self.fillings.iter().all(|filling| filling.loaded == u64::MAX)
    }

    /// Returns how many follows stand: facts, and what follows from them.
    pub(super) async fn follows(&self) -> Result<[u64; 2], LoadError> {
        let all = try_join_all(self.fillings.iter().map(Filling::follows)).await?;
        Ok(all.into_iter().fold([0, 0], |[facts, mirrors], [more, others]| [facts + more, mirrors + others]))
    }

    /// Fills the database of a gene, unless it has this row already.
    pub(super) fn fill_at(&mut self, gene: Gene, fill: impl FnOnce(&mut Filling)) {
        self.fill(self.genes.database(gene), fill);
    }

    /// Fills the database of a user, unless it has this row already.
    pub(super) fn fill_of(&mut self, uid: Uid, fill: impl FnOnce(&mut Filling)) {
        self.fill_at(uid.gene(), fill);
    }

    /// Fills the first database, unless it has this row already.
    pub(super) fn fill_first(&mut self, fill: impl FnOnce(&mut Filling)) {
        self.fill(0, fill);
    }

    /// Fills all databases that do not have this row yet.
    pub(super) fn fill_all(&mut self, fill: impl Fn(&mut Filling)) {
        for database in 0..self.fillings.len() {
            self.fill(database, &fill);
        }
    }

    fn fill(&mut self, database: usize, fill: impl FnOnce(&mut Filling)) {
        if let Some(filling) = self.in_database(database) {
            fill(filling);
        }
    }

    /// The database of a user, unless it has this row already.
    pub(super) fn of(&mut self, uid: Uid) -> Option<&mut Filling> {
        self.in_database(self.genes.database(uid.gene()))
    }

    fn in_database(&mut self, database: usize) -> Option<&mut Filling> {
        let row = self.row;
        let filling = self.fillings.get_mut(database).filter(|filling| filling.loaded < row)?;
        filling.pending += 1;
        Some(filling)
    }

    /// The version of what follows from posts: newer than nothing that comes.
    pub(super) const fn clock(&self) -> Stamp {
        self.header.clock
    }
}

//! What checks ask of databases.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::postgres::{Fault, Statements, Term, term};
use crate::rows::limit;
use guanxi_model::Gene;
use tokio_postgres::Row;

impl Checker<'_> {
    /// Asks a database a question.
    pub(super) async fn ask(
        &self,
        database: usize,
        sql: &'static str,
        terms: Vec<Term>,
    ) -> Result<Vec<Row>, Fault> {
        Statements::one(sql, terms).rows(&self.readers[database]).await
    }

    /// Asks a question about keys, of one database after the other. Returns the rows of all.
    pub(super) async fn ask_each<K>(
        &self,
        sql: &'static str,
        keys: impl IntoIterator<Item = (Gene, K)>,
        terms: impl Fn(&[(Gene, K)]) -> Vec<Term>,
    ) -> Result<Vec<Row>, Fault> {
        let mut rows = Vec::new();
        for (database, keys) in self.shared.map().by_database(keys, |(gene, _)| *gene) {
            rows.extend(self.ask(database, sql, terms(&keys)).await?);
        }
        Ok(rows)
    }

    /// Reads a page of a table in a database. Returns also where the next one begins, if there is one.
    pub(super) async fn page(
        &self,
        pages: TablePages,
        (database, after): (usize, TableKey),
        rows_max: usize,
    ) -> Result<(Vec<Row>, Option<TableKey>), Fault> {
        let mut terms = vec![term(after.gene), term(after.owner)];
        if pages.other.is_some() {
            terms.push(term(after.other));
        }
        terms.push(term(limit(rows_max)));
        if let Some((first, last)) = pages.genes {
            terms.extend([term(first), term(last)]);
        }
        let rows = self.ask(database, pages.sql, terms).await?;
        let next = rows.last().filter(|_| rows.len() >= rows_max).map(|row| pages.key_of(row));
        Ok((rows, next))
    }
}

//! What checks ask of databases.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::rows::limit;
use guanxi_model::Gene;
use guanxi_postgres::{Fault, Statements, Term, term};
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

    /// Reads a page of a table in a database. Returns also where the next one begins, if there is one. Rows under a gene that is
    /// not here are reported, and left out: no question for the rows of that gene finds them.
    pub(super) async fn page(
        &mut self,
        name: &str,
        pages: TablePages,
        (database, after): (usize, TableKey),
        rows_max: usize,
    ) -> Result<(Vec<Row>, Option<TableKey>), Fault> {
        let (mut rows, next) = self.any_page(pages, (database, after), rows_max).await?;
        let map = self.shared.map();
        rows.retain(|row| {
            let key = pages.key_of(row);
            let is_here = u8::try_from(key.gene).is_ok_and(|gene| map.database(Gene(gene)) == database);
            if !is_here {
                self.wrong_row(format!("{} is under a gene that is not here", key.named(name)));
            }
            is_here
        });
        Ok((rows, next))
    }

    /// The same, without a report, and with all rows.
    pub(super) async fn any_page(
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

//! What checks ask of databases.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::postgres::{Connection, Fault, SchemaName, Statements, Term, term};
use crate::rows::{by_schema, limit};
use guanxi_model::Gene;
use tokio_postgres::Row;

impl Checker<'_> {
    /// The connection that looks at a schema.
    pub(super) fn reader_of(&self, schema: SchemaName) -> &Connection {
        &self.readers[self.database_of(schema)]
    }

    /// The database of a schema.
    pub(super) fn database_of(&self, schema: SchemaName) -> usize {
        self.shared.map().database(Gene(schema.0))
    }

    /// Asks a question about a schema.
    pub(super) async fn ask(
        &self,
        schema: SchemaName,
        sql: &'static str,
        terms: Vec<Term>,
    ) -> Result<Vec<Row>, Fault> {
        Statements::one_in(schema, sql, terms).rows(self.reader_of(schema)).await
    }

    /// Asks a question about keys, of one schema after the other. Returns the rows of all.
    pub(super) async fn ask_each<K>(
        &self,
        sql: &'static str,
        keys: impl IntoIterator<Item = (Gene, K)>,
        terms: impl Fn(&[(Gene, K)]) -> Vec<Term>,
    ) -> Result<Vec<Row>, Fault> {
        let mut rows = Vec::new();
        for (schema, keys) in by_schema(self.shared.terms.layout, keys) {
            rows.extend(self.ask(schema, sql, terms(&keys)).await?);
        }
        Ok(rows)
    }

    /// Reads a page of a table in a schema. Returns also where the next one begins, if there is one.
    pub(super) async fn page(
        &self,
        pages: TablePages,
        (schema, after): (SchemaName, TableKey),
        rows_max: usize,
    ) -> Result<(Vec<Row>, Option<TableKey>), Fault> {
        let mut terms = vec![term(after.gene), term(after.owner)];
        if pages.other.is_some() {
            terms.push(term(after.other));
        }
        terms.push(term(limit(rows_max)));
        let rows = self.ask(schema, pages.sql, terms).await?;
        let next = rows.last().filter(|_| rows.len() >= rows_max).map(|row| pages.key_of(row));
        Ok((rows, next))
    }
}

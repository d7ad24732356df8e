//! Statements that own what they are given, to be sent together.

use super::SchemaName;
use super::connection::{Connection, PgQuestion};
use super::fault::Fault;
use std::collections::BTreeMap;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A value of a statement.
pub(crate) type Term = Box<dyn ToSql + Sync + Send>;

/// Statements in the order in which they are sent.
#[derive(Default)]
pub(crate) struct Statements(Vec<(&'static str, Option<SchemaName>, Vec<Term>)>);

impl Statements {
    /// One statement about what is one per database, or through the parents of all schemas.
    pub(crate) fn one(sql: &'static str, terms: Vec<Term>) -> Self {
        Self(vec![(sql, None, terms)])
    }

    /// One statement about the tables of a schema.
    pub(crate) fn one_in(schema: SchemaName, sql: &'static str, terms: Vec<Term>) -> Self {
        Self(vec![(sql, Some(schema), terms)])
    }

    /// A statement about each of some schemas, with terms made of the keys there.
    pub(crate) fn each<K>(
        sql: &'static str,
        keys: &BTreeMap<SchemaName, Vec<K>>,
        terms: impl Fn(&[K]) -> Vec<Term>,
    ) -> Self {
        Self(keys.iter().map(|(schema, keys)| (sql, Some(*schema), terms(keys))).collect())
    }

    /// Adds a statement about what is one per database, or through the parents of all schemas.
    pub(crate) fn add(&mut self, sql: &'static str, terms: Vec<Term>) {
        self.0.push((sql, None, terms));
    }

    /// Adds a statement about the tables of a schema.
    pub(crate) fn add_in(&mut self, schema: SchemaName, sql: &'static str, terms: Vec<Term>) {
        self.0.push((sql, Some(schema), terms));
    }

    /// Adds a statement with terms made of rows, if there are any.
    pub(crate) fn add_rows<T>(
        &mut self,
        sql: &'static str,
        rows: &[T],
        terms: impl FnOnce(&[T]) -> Vec<Term>,
    ) {
        if !rows.is_empty() {
            self.add(sql, terms(rows));
        }
    }

    /// Returns whether there are none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sends all of them at once, between two texts that may be empty; returns the rows of each.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub(crate) async fn send(
        &self,
        connection: &Connection,
        before: &str,
        after: &str,
    ) -> Result<Vec<Vec<Row>>, Fault> {
        let terms: Vec<Vec<&(dyn ToSql + Sync)>> =
            self.0.iter().map(|(_, _, terms)| terms.iter().map(|term| &**term as _).collect()).collect();
        let asks = self.0.iter().zip(&terms);
        let asks: Vec<PgQuestion<'_>> =
            asks.map(|((sql, schema, _), terms)| PgQuestion { sql, schema: *schema, terms }).collect();
        connection.pipeline(before, &asks, after).await
    }

    /// Sends all of them at once; returns the rows of all.
    pub(crate) async fn rows(&self, connection: &Connection) -> Result<Vec<Row>, Fault> {
        Ok(self.send(connection, "", "").await?.into_iter().flatten().collect())
    }
}

/// A value of a statement.
pub(crate) fn term<T: ToSql + Sync + Send + 'static>(value: T) -> Term {
    Box::new(value)
}

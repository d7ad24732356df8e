//! Statements that own what they are given, to be sent together.

use super::connection::{Connection, PgQuestion};
use super::fault::Fault;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A value of a statement.
pub(crate) type Term = Box<dyn ToSql + Sync + Send>;

/// Statements in the order in which they are sent.
#[derive(Default)]
pub(crate) struct Statements(Vec<(&'static str, Vec<Term>)>);

impl Statements {
    /// One statement.
    pub(crate) fn one(sql: &'static str, terms: Vec<Term>) -> Self {
        Self(vec![(sql, terms)])
    }

    /// Adds a statement.
    pub(crate) fn add(&mut self, sql: &'static str, terms: Vec<Term>) {
        self.0.push((sql, terms));
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

    /// Returns each of them with its terms.
    pub(super) fn each(&self) -> impl Iterator<Item = (&'static str, &[Term])> {
        self.0.iter().map(|(sql, terms)| (*sql, terms.as_slice()))
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
            self.0.iter().map(|(_, terms)| terms.iter().map(|term| &**term as _).collect()).collect();
        let asks = self.0.iter().zip(&terms);
        let asks: Vec<PgQuestion<'_>> = asks.map(|((sql, _), terms)| PgQuestion { sql, terms }).collect();
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

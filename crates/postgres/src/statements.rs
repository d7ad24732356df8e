//! Statements that own what they are given, to be sent together.
//!
//! # How a statement is written
//!
//! Each finds its rows by an index on any table: one that was never analysed, too, of which the server assumes some pages and would
//! rather read these than look for ten keys. Nothing that a session is told decides that. A test asks for the plans of all.
//!
//! - Rows of given keys: `unnest($1, ..) as k cross join lateral (select * from gx.t where .. = k.. limit 1) t`, or with `offset 0`
//!   where a key has many rows. The inner question is planned by itself, for one key. Further conditions, such as `t.active`,
//!   stand behind it: with one of them inside, the server may take an index that has the condition and not the whole key.
//! - Deletes and updates by keys: `using (select * from unnest($1, ..) limit cardinality($1)) as k`. A limit that the planner does
//!   not know counts as a tenth of the ten keys that it assumes: one.
//! - The server takes `at_ms >= 0 and at_ms < $1` for a few rows, and `at_ms < $1` alone for a third of the table.
//! - A table that was analysed while it had a few rows is read whole, by a plan that the server keeps while the table grows. So a
//!   connection has its statements planned anew every ten seconds.
//! - No index serves `(..) is true`: it keeps a condition from the wrong index.

use crate::connection::Connection;
use crate::fault::Fault;
use crate::term::Term;
use tokio_postgres::Row;

/// Statements in the order in which they are sent.
#[derive(Default)]
pub struct Statements(Vec<(&'static str, Vec<Term>)>);

impl Statements {
    /// One statement.
    pub fn one(sql: &'static str, terms: Vec<Term>) -> Self {
        Self(vec![(sql, terms)])
    }

    /// Adds a statement.
    pub fn add(&mut self, sql: &'static str, terms: Vec<Term>) {
        self.0.push((sql, terms));
    }

    /// Adds those of others.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// Adds a statement with terms made of rows, if there are any.
    pub fn add_rows<T>(&mut self, sql: &'static str, rows: &[T], terms: impl FnOnce(&[T]) -> Vec<Term>) {
        if !rows.is_empty() {
            self.add(sql, terms(rows));
        }
    }

    /// Returns whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns each of them with its terms.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, &[Term])> {
        self.0.iter().map(|(sql, terms)| (*sql, terms.as_slice()))
    }

    /// Sends all of them at once, between two texts that may be empty; returns the rows of each.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub async fn send(
        &self,
        connection: &Connection,
        before: &str,
        after: &str,
    ) -> Result<Vec<Vec<Row>>, Fault> {
        connection.pipeline(before, &self.0, after).await
    }

    /// Sends all of them at once; returns the rows of all.
    pub async fn rows(&self, connection: &Connection) -> Result<Vec<Row>, Fault> {
        Ok(self.send(connection, "", "").await?.into_iter().flatten().collect())
    }
}

//! Writing back sessions that changed.

use super::columns::{PUT, put_terms};
use crate::rows::Rows;
use crate::rows::columns::{column_of, keyed};
use guanxi_postgres::Statements;

const REMOVED: &str = "delete from gx.session t \
    using (select * from unnest($1::smallint[], $2::bytea[]) limit cardinality($1)) as k(gene, id) \
    where t.gene = k.gene and t.id = k.id";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_sessions(batch: &Rows, statements: &mut Statements) {
    let mut removed = Vec::new();
    for (key, session) in batch.sessions.by_id.changed() {
        match session {
            Some(session) => {
                statements.add(PUT, put_terms(session));
            }
            None => removed.push(key),
        }
    }
    if let Some(keys) = keyed(removed) {
        let genes = column_of!(keys, (home, _) => i16::from(home.0));
        statements.add(REMOVED, vec![genes, column_of!(keys, (_, id) => id.to_vec())]);
    }
}

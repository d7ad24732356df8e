//! Fetching rows of the dictionary: one statement per key and schema.

use crate::postgres::{Fault, Layout, Statements};
use crate::rows::columns::{by_schema, column, column_of, damaged, uid};
use crate::rows::{Answered, Rows};
use guanxi_model::Uid;
use guanxi_model::user::ExternalId;
use std::collections::BTreeSet;
use tokio_postgres::Row;

const BY_ID: &str = "select t.external_id, t.uid from unnest($1::smallint[], $2::text[]) as k(gene, external_id) \
    join {s}.external_id t on t.gene = k.gene and t.external_id = k.external_id";
const BY_UID: &str = "select t.external_id, t.uid from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    join {s}.external_id t on t.gene = k.gene and t.uid = k.uid";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct ExternalFetch {
    ids: BTreeSet<ExternalId>,
    uids: BTreeSet<Uid>,
}

impl ExternalFetch {
    /// Whose an external id is.
    pub(in crate::rows) fn uid_of(&mut self, id: &ExternalId) {
        self.ids.insert(id.clone());
    }

    /// The external id of a user.
    pub(in crate::rows) fn id_of(&mut self, uid: Uid) {
        self.uids.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.ids.retain(|id| !rows.dictionary.uids.has(id));
        self.uids.retain(|uid| !rows.dictionary.ids.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, layout: Layout, statements: &mut Statements) {
        for (schema, keys) in by_schema(layout, self.ids.iter().map(|id| (id.gene(), id))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, id) => id.as_str().to_owned()),
            ];
            statements.add_in(schema, BY_ID, terms);
        }
        for (schema, keys) in by_schema(layout, self.uids.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add_in(schema, BY_UID, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(
        self,
        layout: Layout,
        answers: &mut Answered,
        rows: &mut Rows,
    ) -> Result<(), Fault> {
        let schemas = by_schema(layout, self.ids.iter().map(|id| (id.gene(), ()))).len()
            + by_schema(layout, self.uids.iter().map(|uid| (uid.gene(), ()))).len();
        self.ids.into_iter().for_each(|id| rows.dictionary.uids.fetched(id));
        self.uids.into_iter().for_each(|uid| rows.dictionary.ids.fetched(uid));
        for found in answers.by_ref().take(schemas) {
            for row in &found {
                let (id, uid) = (read_id(row, 0)?, uid(row, 1)?);
                rows.dictionary.uids.found(id.clone(), Some(uid));
                rows.dictionary.ids.found(uid, Some(id));
            }
        }
        Ok(())
    }
}

/// The external id of a column.
pub(crate) fn read_id(row: &Row, index: usize) -> Result<ExternalId, Fault> {
    ExternalId::new(row.get::<_, String>(index), "external_id").map_err(|_| damaged("an external id"))
}

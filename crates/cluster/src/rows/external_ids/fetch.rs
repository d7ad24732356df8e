//! Fetching rows of the dictionary: one statement per kind of key.

use crate::rows::columns::{column, column_of, damaged, gene, keyed, uid};
use crate::rows::{Answered, RowTerms, Rows};
use guanxi_model::user::ExternalId;
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Fault, Statements};
use guanxi_rows::layout::ErasedIdHash;
use std::collections::BTreeSet;
use tokio_postgres::Row;

const BY_ID: &str = "select t.external_id, t.uid \
    from unnest($1::smallint[], $2::text[]) as k(gene, external_id) \
    cross join lateral (select * from gx.external_id t \
    where t.gene = k.gene and t.external_id = k.external_id limit 1) t";
const BY_UID: &str = "select t.external_id, t.uid from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.external_id t where t.gene = k.gene and t.uid = k.uid limit 1) t";
const ERASED: &str = "select t.gene, t.hash from unnest($1::smallint[], $2::bytea[]) as k(gene, hash) \
    cross join lateral (select * from gx.erased_id t where t.gene = k.gene and t.hash = k.hash limit 1) t";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct ExternalFetch {
    ids: BTreeSet<ExternalId>,
    uids: BTreeSet<Uid>,
    erased: BTreeSet<ExternalId>,
}

impl ExternalFetch {
    /// Asks for the user of an external id.
    pub(in crate::rows) fn uid_of(&mut self, id: &ExternalId) {
        self.ids.insert(id.clone());
    }

    /// The external id of a user.
    pub(in crate::rows) fn id_of(&mut self, uid: Uid) {
        self.uids.insert(uid);
    }

    /// Whether an external id led to a user who is erased.
    pub(in crate::rows) fn is_erased(&mut self, id: &ExternalId) {
        self.erased.insert(id.clone());
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.ids.retain(|id| !rows.dictionary.uids.has(id));
        self.uids.retain(|uid| !rows.dictionary.ids.has(*uid));
        self.erased.retain(|id| !rows.dictionary.erased.has(rows.terms().erased(id)));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, terms: &RowTerms, statements: &mut Statements) {
        if let Some(keys) = keyed(self.ids.iter().map(|id| (id.gene(), id))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, id) => id.as_str().to_owned()),
            ];
            statements.add(BY_ID, terms);
        }
        if let Some(keys) = keyed(self.uids.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add(BY_UID, terms);
        }
        if let Some(keys) = keyed(self.erased.iter().map(|id| terms.erased(id))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, hash) => hash.to_vec()),
            ];
            statements.add(ERASED, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let statements = usize::from(!self.ids.is_empty()) + usize::from(!self.uids.is_empty());
        self.ids.into_iter().for_each(|id| rows.dictionary.uids.fetched(id));
        self.uids.into_iter().for_each(|uid| rows.dictionary.ids.fetched(uid));
        for found in answers.by_ref().take(statements) {
            for row in &found {
                let (id, uid) = (read_id(row, 0)?, uid(row, 1)?);
                rows.dictionary.uids.found(id.clone(), Some(uid));
                rows.dictionary.ids.found(uid, Some(id));
            }
        }
        let statements = usize::from(!self.erased.is_empty());
        for id in &self.erased {
            let key = rows.terms().erased(id);
            rows.dictionary.erased.fetched(key);
        }
        for row in answers.by_ref().take(statements).flatten() {
            rows.dictionary.erased.found(read_erased_id(&row)?, true);
        }
        Ok(())
    }
}

/// A hash of an erased id, with its gene.
pub(crate) fn read_erased_id(row: &Row) -> Result<(Gene, ErasedIdHash), Fault> {
    let hash = row.get::<_, &[u8]>(1).try_into().map_err(|_| damaged("the hash of an erased id"))?;
    Ok((gene(row, 0)?, hash))
}

/// The external id of a column.
pub(crate) fn read_id(row: &Row, index: usize) -> Result<ExternalId, Fault> {
    ExternalId::new(row.get::<_, String>(index), "external_id").map_err(|_| damaged("an external id"))
}

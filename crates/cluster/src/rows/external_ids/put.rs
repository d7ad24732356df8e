//! Writing back rows of the dictionary: what goes away first, so that its uid or id may have another.

use crate::rows::Rows;
use crate::rows::columns::{column, column_of, keyed};
use guanxi_postgres::Statements;

const PUT: &str = "insert into gx.external_id (gene, external_id, uid) \
    select * from unnest($1::smallint[], $2::text[], $3::bigint[]) \
    on conflict (gene, external_id) do update set uid = excluded.uid";
const GONE: &str = "delete from gx.external_id t \
    using (select * from unnest($1::smallint[], $2::text[]) limit cardinality($1)) as k(gene, external_id) \
    where t.gene = k.gene and t.external_id = k.external_id";
const ERASED: &str = "insert into gx.erased_id (gene, hash) select * from unnest($1::smallint[], $2::bytea[]) \
    on conflict (gene, hash) do nothing";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_external_ids(batch: &Rows, statements: &mut Statements) {
    let (mut gone, mut rows) = (Vec::new(), Vec::new());
    for (id, uid) in batch.dictionary.uids.changed() {
        match uid {
            Some(uid) => rows.push((id, *uid)),
            None => gone.push((id.gene(), id)),
        }
    }
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, id) => id.as_str().to_owned()),
        ];
        statements.add(GONE, terms);
    }
    if !rows.is_empty() {
        let terms = vec![
            column_of!(rows, (id, _) => i16::from(id.gene().0)),
            column_of!(rows, (id, _) => id.as_str().to_owned()),
            column_of!(rows, (_, uid) => column(*uid)),
        ];
        statements.add(PUT, terms);
    }
    let erased: Vec<_> = batch.dictionary.erased.changed().collect();
    if !erased.is_empty() {
        let terms = vec![
            column_of!(erased, ((gene, _), _) => i16::from(gene.0)),
            column_of!(erased, ((_, hash), _) => hash.to_vec()),
        ];
        statements.add(ERASED, terms);
    }
}

//! Writing back groups: one statement per table, and one for what is gone.

use crate::rows::Rows;
use crate::rows::columns::{column, column_of, gene_column, keyed, stamp_column};
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Statements, Term};

const GROUPS: &str = "insert into gx.user_group (gene, owner, id, name, created, revision, members, audience) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bool[]) \
    on conflict (gene, owner, id) do update set name = excluded.name, created = excluded.created, \
    revision = excluded.revision, members = excluded.members, audience = excluded.audience";
const NO_GROUPS: &str = "delete from gx.user_group t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, owner, id) \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id";
const NUMBERS: &str = "insert into gx.group_number (gene, owner, last) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    on conflict (gene, owner) do update set last = excluded.last";
const NO_NUMBERS: &str = "delete from gx.group_number t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, owner) \
    where t.gene = k.gene and t.owner = k.owner";
const MEMBERS: &str = "insert into gx.group_member (gene, owner, id, member, at) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
    on conflict (gene, owner, id, member) do update set at = excluded.at";
const NO_MEMBERS: &str = "delete from gx.group_member t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    limit cardinality($1)) as k(gene, owner, id, member) \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id and t.member = k.member";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_groups(batch: &Rows, statements: &mut Statements) {
    put_group_rows(batch, statements);
    put_group_numbers(batch, statements);
    put_group_members(batch, statements);
}

fn put_group_rows(batch: &Rows, statements: &mut Statements) {
    let changed: Vec<_> = batch.groups.groups.changed().collect();
    let rows: Vec<_> = changed.iter().filter_map(|(_, group)| group.as_ref()).collect();
    if !rows.is_empty() {
        statements.add(
            GROUPS,
            vec![
                column_of!(rows, row => gene_column(row.owner)),
                column_of!(rows, row => column(row.owner)),
                column_of!(rows, row => i64::from(row.id.get())),
                column_of!(rows, row => row.name.clone()),
                column_of!(rows, row => stamp_column(row.created)),
                column_of!(rows, row => i64::from(row.revision)),
                column_of!(rows, row => i64::from(row.members)),
                column_of!(rows, row => row.audience),
            ],
        );
    }
    let gone = changed.iter().filter(|(_, group)| group.is_none());
    let gone = gone.map(|((owner, id), _)| (owner.gene(), (*owner, id.get())));
    if let Some(keys) = keyed(gone) {
        let terms = terms_of(&keys, |(_, (owner, id))| (*owner, i64::from(*id)));
        statements.add(NO_GROUPS, terms);
    }
}

fn put_group_numbers(batch: &Rows, statements: &mut Statements) {
    let changed: Vec<_> = batch.groups.owned.changed().collect();
    let rows: Vec<_> = changed.iter().filter_map(|(owner, row)| Some((*owner, row.last?.get()))).collect();
    if !rows.is_empty() {
        statements.add(
            NUMBERS,
            vec![
                column_of!(rows, (owner, _) => gene_column(*owner)),
                column_of!(rows, (owner, _) => column(*owner)),
                column_of!(rows, (_, last) => i64::from(*last)),
            ],
        );
    }
    let gone = changed.iter().filter(|(_, row)| row.last.is_none());
    let gone = gone.map(|(owner, _)| (owner.gene(), *owner));
    if let Some(keys) = keyed(gone) {
        let mut terms = terms_of(&keys, |(_, owner)| (*owner, 0));
        terms.truncate(2);
        statements.add(NO_NUMBERS, terms);
    }
}

fn put_group_members(batch: &Rows, statements: &mut Statements) {
    let changed: Vec<_> = batch.groups.members.changed().collect();
    let rows: Vec<_> = changed.iter().filter_map(|(place, at)| Some((*place, (**at)?))).collect();
    if !rows.is_empty() {
        statements.add(
            MEMBERS,
            vec![
                column_of!(rows, ((owner, ..), _) => gene_column(*owner)),
                column_of!(rows, ((owner, ..), _) => column(*owner)),
                column_of!(rows, ((_, id, _), _) => i64::from(id.get())),
                column_of!(rows, ((.., member), _) => column(*member)),
                column_of!(rows, (_, at) => stamp_column(*at)),
            ],
        );
    }
    let gone = changed.iter().filter(|(_, at)| at.is_none());
    let gone = gone.map(|((owner, id, member), _)| (owner.gene(), (*owner, id.get(), *member)));
    if let Some(keys) = keyed(gone) {
        let mut terms = terms_of(&keys, |(_, (owner, id, _))| (*owner, i64::from(*id)));
        terms.push(column_of!(keys, (_, (.., member)) => column(*member)));
        statements.add(NO_MEMBERS, terms);
    }
}

/// The genes, owners and numbers of keys, as columns.
fn terms_of<K>(keys: &[(Gene, K)], of: impl Fn(&(Gene, K)) -> (Uid, i64)) -> Vec<Term> {
    vec![
        column_of!(keys, (home, _) => i16::from(home.0)),
        column_of!(keys, key => column(of(key).0)),
        column_of!(keys, key => of(key).1),
    ]
}

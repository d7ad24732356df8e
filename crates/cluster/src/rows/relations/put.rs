//! Writing back what users have said about each other: one statement per table.

use super::digests::put_digests;
use crate::rows::columns::{column, column_of, gene_column, keyed, stamp_column};
use crate::rows::{Rows, UserRow};
use guanxi_model::{Stamp, Uid};
use guanxi_postgres::Statements;

const FOLLOWS: &str = "insert into gx.follow (gene, subject, object, at, version, active, friend_at) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[], $7::bigint[]) \
    on conflict (gene, subject, object) do update set at = excluded.at, version = excluded.version, \
    active = excluded.active, friend_at = excluded.friend_at";
const FORGOTTEN: &str = "delete from gx.follow t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    limit cardinality($1)) as k(gene, a, b) \
    where t.gene = k.gene and t.subject = k.a and t.object = k.b and not t.active";
const FANS: &str = "insert into gx.fan (gene, object, subject, at, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[]) \
    on conflict (gene, object, subject) do update set at = excluded.at, version = excluded.version, active = excluded.active";
const BLOCKS: &str = "insert into gx.block (gene, subject, object, at, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[]) \
    on conflict (gene, subject, object) do update set at = excluded.at, version = excluded.version, active = excluded.active";
const BLOCKED_BY: &str = "insert into gx.blocked_by (gene, object, subject, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bool[]) \
    on conflict (gene, object, subject) do update set version = excluded.version, active = excluded.active";
const MUTES: &str = "insert into gx.mute (gene, subject, object, at, version, active, reposts_only, until_ms) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[], $7::bool[], $8::bigint[]) \
    on conflict (gene, subject, object) do update set at = excluded.at, version = excluded.version, \
    active = excluded.active, reposts_only = excluded.reposts_only, until_ms = excluded.until_ms";
const USERS: &str = "insert into gx.user_state \
    (gene, uid, following, followers, friends, blocks, mutes, follow_limit, audience_seq, blocked_seq, sent, asking, requests_seen) \
    select * from unnest($1::smallint[], $2::bigint[], $3::int[], $4::bigint[], $5::int[], $6::int[], $7::int[], $8::int[], $9::bigint[], $10::bigint[], \
    $11::int[], $12::int[], $13::bigint[]) \
    on conflict (gene, uid) do update set following = excluded.following, followers = excluded.followers, \
    friends = excluded.friends, blocks = excluded.blocks, mutes = excluded.mutes, follow_limit = excluded.follow_limit, \
    audience_seq = excluded.audience_seq, blocked_seq = excluded.blocked_seq, \
    sent = excluded.sent, asking = excluded.asking, requests_seen = excluded.requests_seen";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_relations(batch: &Rows, statements: &mut Statements) {
    put_follows(batch, statements);
    put_mirrors(batch, statements);
    put_marks(batch, statements);
    put_users(batch, statements);
    put_digests(batch, statements);
}

fn put_follows(batch: &Rows, statements: &mut Statements) {
    let (gone, rows): (Vec<_>, Vec<_>) =
        batch.follows.changed().partition(|(_, row)| row.version == Stamp::ZERO);
    if !rows.is_empty() {
        statements.add(
            FOLLOWS,
            vec![
                column_of!(rows, ((a, _), _) => gene_column(*a)),
                column_of!(rows, ((a, _), _) => column(*a)),
                column_of!(rows, ((_, b), _) => column(*b)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
                column_of!(rows, (_, row) => row.friend_at.map(stamp_column)),
            ],
        );
    }
    let gone = gone.into_iter().map(|(pair, _)| (pair.0.gene(), pair));
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (home, _) => i16::from(home.0)),
            column_of!(keys, (_, (a, _)) => column(*a)),
            column_of!(keys, (_, (_, b)) => column(*b)),
        ];
        statements.add(FORGOTTEN, terms);
    }
}

fn put_mirrors(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.fans.changed().collect();
    if !rows.is_empty() {
        statements.add(
            FANS,
            vec![
                column_of!(rows, ((a, _), _) => gene_column(*a)),
                column_of!(rows, ((a, _), _) => column(*a)),
                column_of!(rows, ((_, b), _) => column(*b)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
    let rows: Vec<_> = batch.blocked_by.changed().collect();
    if !rows.is_empty() {
        statements.add(
            BLOCKED_BY,
            vec![
                column_of!(rows, ((a, _), _) => gene_column(*a)),
                column_of!(rows, ((a, _), _) => column(*a)),
                column_of!(rows, ((_, b), _) => column(*b)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
}

fn put_marks(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.blocks.changed().collect();
    if !rows.is_empty() {
        statements.add(
            BLOCKS,
            vec![
                column_of!(rows, ((a, _), _) => gene_column(*a)),
                column_of!(rows, ((a, _), _) => column(*a)),
                column_of!(rows, ((_, b), _) => column(*b)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
    let rows: Vec<_> = batch.mutes.changed().collect();
    if !rows.is_empty() {
        statements.add(
            MUTES,
            vec![
                column_of!(rows, ((a, _), _) => gene_column(*a)),
                column_of!(rows, ((a, _), _) => column(*a)),
                column_of!(rows, ((_, b), _) => column(*b)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
                column_of!(rows, (_, row) => row.terms.reposts_only),
                column_of!(rows, (_, row) => row.terms.until_ms.map(u64::cast_signed)),
            ],
        );
    }
}

fn put_users(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<(Uid, &UserRow)> = batch.users.changed().collect();
    if rows.is_empty() {
        return;
    }
    statements.add(
        USERS,
        vec![
            column_of!(rows, (uid, _) => gene_column(*uid)),
            column_of!(rows, (uid, _) => column(*uid)),
            column_of!(rows, (_, row) => row.counts.following.cast_signed()),
            column_of!(rows, (_, row) => row.counts.followers.cast_signed()),
            column_of!(rows, (_, row) => row.counts.friends.cast_signed()),
            column_of!(rows, (_, row) => row.counts.blocks.cast_signed()),
            column_of!(rows, (_, row) => row.counts.mutes.cast_signed()),
            column_of!(rows, (_, row) => row.follow_limit.map(u32::cast_signed)),
            column_of!(rows, (_, row) => row.audience_seq.cast_signed()),
            column_of!(rows, (_, row) => row.blocked_seq.cast_signed()),
            column_of!(rows, (_, row) => row.sent.cast_signed()),
            column_of!(rows, (_, row) => row.asking.cast_signed()),
            column_of!(rows, (_, row) => stamp_column(row.requests_seen)),
        ],
    );
}

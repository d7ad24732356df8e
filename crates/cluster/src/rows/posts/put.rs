//! Writing back posts and what goes with them: one statement per table.

use super::form::{attachment_code, kind_columns, visibility_columns};
use crate::rows::Rows;
use crate::rows::columns::{
    column, column_of, gene_column, keyed, number_array, post_column, post_gene_column, stamp_column,
    text_array, text_column,
};
use guanxi_model::PostId;
use guanxi_model::post::{Body, Post};
use guanxi_postgres::{Statements, Term, term};

const POSTS: &str = "insert into gx.post (gene, id, author, kind, ref, ref_author, visibility, audience, deleted, made_seq, \
    revision, update_ms, create_ms, deleted_ms, takedown, text, attachment_kinds, attachments, source_key) \
    select v.gene, v.id, v.author, v.kind, v.ref, v.ref_author, v.visibility, v.audience, v.deleted, v.made_seq, \
    v.revision, v.update_ms, v.create_ms, v.deleted_ms, v.takedown, v.text, v.kinds::smallint[], v.attachments::text[], v.source_key \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::smallint[], \
    $8::bigint[], $9::bool[], $10::bigint[], $11::int[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], \
    $16::text[], $17::text[], $18::text[], $19::text[]) as v(gene, id, author, kind, ref, ref_author, visibility, audience, deleted, \
    made_seq, revision, update_ms, create_ms, deleted_ms, takedown, text, kinds, attachments, source_key) \
    on conflict (gene, id) do update set kind = excluded.kind, visibility = excluded.visibility, \
    audience = excluded.audience, deleted = excluded.deleted, revision = excluded.revision, \
    update_ms = excluded.update_ms, deleted_ms = excluded.deleted_ms, takedown = excluded.takedown, text = excluded.text, \
    attachment_kinds = excluded.attachment_kinds, attachments = excluded.attachments, source_key = excluded.source_key";
const REVISIONS: &str = "insert into gx.post_revision \
    (gene, id, revision, update_ms, visibility, audience, text, attachment_kinds, attachments) \
    select v.gene, v.id, v.revision, v.update_ms, v.visibility, v.audience, v.text, v.kinds::smallint[], v.attachments::text[] \
    from unnest($1::smallint[], $2::bigint[], $3::int[], $4::bigint[], $5::smallint[], $6::bigint[], $7::text[], $8::text[], \
    $9::text[]) as v(gene, id, revision, update_ms, visibility, audience, text, kinds, attachments) \
    on conflict (gene, id, revision) do update set update_ms = excluded.update_ms, visibility = excluded.visibility, \
    audience = excluded.audience, text = excluded.text, attachment_kinds = excluded.attachment_kinds, \
    attachments = excluded.attachments";
const NO_REVISIONS: &str = "delete from gx.post_revision t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::int[]) \
    limit cardinality($1)) as k(gene, id, revision) \
    where t.gene = k.gene and t.id = k.id and t.revision = k.revision";
const STATS: &str = "insert into gx.post_stats (gene, id, likes, replies, reposts) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
    on conflict (gene, id) do update set likes = excluded.likes, replies = excluded.replies, reposts = excluded.reposts";
const AUTHORS: &str = "insert into gx.author (gene, uid, last_post, last_seq, changed_seq, created_from) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) \
    on conflict (gene, uid) do update set last_post = excluded.last_post, last_seq = excluded.last_seq, \
    changed_seq = excluded.changed_seq, created_from = excluded.created_from";
const LIKED: &str = "insert into gx.liked (gene, uid, post, at, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[]) \
    on conflict (gene, uid, post) do update set at = excluded.at, version = excluded.version, active = excluded.active";
const LIKERS: &str = "insert into gx.liker (gene, post, uid, at, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[]) \
    on conflict (gene, post, uid) do update set at = excluded.at, version = excluded.version, active = excluded.active";
const REFERENCES: &str = "insert into gx.post_ref (gene, original, ref, kind, version, active) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bool[]) \
    on conflict (gene, original, ref) do update set kind = excluded.kind, version = excluded.version, active = excluded.active";
const FORGOTTEN: &str = "delete from gx.post_source t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, author) \
    where t.gene = k.gene and t.author = k.author";
const SOURCES: &str = "insert into gx.post_source (gene, author, key, id, also) \
    select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::bool[]) \
    on conflict (gene, author, key) do update set id = excluded.id, also = excluded.also";
const NO_SOURCES: &str = "delete from gx.post_source t \
    using (select * from unnest($1::smallint[], $2::bigint[], $3::text[]) \
    limit cardinality($1)) as k(gene, author, key) \
    where t.gene = k.gene and t.author = k.author and t.key = k.key";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_posts(batch: &Rows, statements: &mut Statements) {
    put_stored(batch, statements);
    put_revisions(batch, statements);
    put_counters(batch, statements);
    put_likes(batch, statements);
    put_sources(batch, statements);
}

fn put_stored(batch: &Rows, statements: &mut Statements) {
    let rows = batch.posts.posts.changed();
    let rows: Vec<(&Post, Option<&String>)> =
        rows.filter_map(|(_, stored)| Some((stored.post.as_ref()?, stored.name.as_ref()))).collect();
    if rows.is_empty() {
        return;
    }
    let kinds: Vec<_> = rows.iter().map(|(post, _)| kind_columns(post.header.kind)).collect();
    let audiences: Vec<_> = rows.iter().map(|(post, _)| visibility_columns(post.header.visibility)).collect();
    let mut terms = vec![
        column_of!(rows, (post, _) => post_gene_column(post.header.id)),
        column_of!(rows, (post, _) => post_column(post.header.id)),
        column_of!(rows, (post, _) => column(post.header.author)),
        column_of!(kinds, (kind, _, _) => *kind),
        column_of!(kinds, (_, reference, _) => *reference),
        column_of!(kinds, (_, _, author) => *author),
        column_of!(audiences, (visibility, _) => *visibility),
        column_of!(audiences, (_, group) => *group),
        column_of!(rows, (post, _) => post.header.deleted),
        column_of!(rows, (post, _) => post.header.event.map(|event| event.seq().cast_signed())),
        column_of!(rows, (post, _) => post.revision.cast_signed()),
        column_of!(rows, (post, _) => post.update_ms.cast_signed()),
        column_of!(rows, (post, _) => post.create_ms.cast_signed()),
        column_of!(rows, (post, _) => post.deleted_ms.map(u64::cast_signed)),
        column_of!(rows, (post, _) => post.takedown.as_deref().map(text_column)),
    ];
    terms.extend(body_columns(rows.iter().map(|(post, _)| &post.body)));
    terms.push(column_of!(rows, (_, name) => name.map(|name| text_column(name))));
    statements.add(POSTS, terms);
}

fn put_revisions(batch: &Rows, statements: &mut Statements) {
    let all = batch.posts.revisions.iter();
    let new: Vec<_> = all.clone().filter_map(|((id, _), new)| Some((id, new.as_ref()?))).collect();
    let gone = all.filter(|(_, new)| new.is_none()).map(|((id, revision), _)| (id.gene(), (id, revision)));
    if !new.is_empty() {
        let audiences: Vec<_> = new.iter().map(|(_, new)| visibility_columns(new.visibility)).collect();
        let mut terms = vec![
            column_of!(new, (id, _) => post_gene_column(**id)),
            column_of!(new, (id, _) => post_column(**id)),
            column_of!(new, (_, new) => new.revision.cast_signed()),
            column_of!(new, (_, new) => new.update_ms.cast_signed()),
            column_of!(audiences, (visibility, _) => *visibility),
            column_of!(audiences, (_, group) => *group),
        ];
        terms.extend(body_columns(new.iter().map(|(_, new)| &new.body)));
        statements.add(REVISIONS, terms);
    }
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, (id, _)) => post_column(**id)),
            column_of!(keys, (_, (_, revision)) => revision.cast_signed()),
        ];
        statements.add(NO_REVISIONS, terms);
    }
}

fn put_counters(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.posts.stats.changed().collect();
    if !rows.is_empty() {
        statements.add(
            STATS,
            vec![
                column_of!(rows, (id, _) => post_gene_column(*id)),
                column_of!(rows, (id, _) => post_column(*id)),
                column_of!(rows, (_, stats) => stats.likes.cast_signed()),
                column_of!(rows, (_, stats) => stats.replies.cast_signed()),
                column_of!(rows, (_, stats) => stats.reposts.cast_signed()),
            ],
        );
    }
    let rows: Vec<_> = batch.posts.authors.changed().collect();
    if !rows.is_empty() {
        let post = |id: Option<PostId>| id.map(post_column);
        statements.add(
            AUTHORS,
            vec![
                column_of!(rows, (uid, _) => gene_column(*uid)),
                column_of!(rows, (uid, _) => column(*uid)),
                column_of!(rows, (_, head) => post(head.last_id)),
                column_of!(rows, (_, head) => head.last_seq.cast_signed()),
                column_of!(rows, (_, head) => head.changed_seq.cast_signed()),
                column_of!(rows, (_, head) => post(head.created_from)),
            ],
        );
    }
    let rows: Vec<_> = batch.posts.references.changed().collect();
    if !rows.is_empty() {
        statements.add(
            REFERENCES,
            vec![
                column_of!(rows, ((of, _), _) => post_gene_column(*of)),
                column_of!(rows, ((of, _), _) => post_column(*of)),
                column_of!(rows, ((_, id), _) => post_column(*id)),
                column_of!(rows, (_, row) => row.kind),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
}

fn put_likes(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.posts.liked.changed().collect();
    if !rows.is_empty() {
        statements.add(
            LIKED,
            vec![
                column_of!(rows, ((uid, _), _) => gene_column(*uid)),
                column_of!(rows, ((uid, _), _) => column(*uid)),
                column_of!(rows, ((_, id), _) => post_column(*id)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
    let rows: Vec<_> = batch.posts.likers.changed().collect();
    if !rows.is_empty() {
        statements.add(
            LIKERS,
            vec![
                column_of!(rows, ((id, _), _) => post_gene_column(*id)),
                column_of!(rows, ((id, _), _) => post_column(*id)),
                column_of!(rows, ((_, uid), _) => column(*uid)),
                column_of!(rows, (_, row) => stamp_column(row.at)),
                column_of!(rows, (_, row) => stamp_column(row.version)),
                column_of!(rows, (_, row) => row.active),
            ],
        );
    }
}

/// First what is removed: a name that is given again afterwards stands.
fn put_sources(batch: &Rows, statements: &mut Statements) {
    if let Some(keys) = keyed(batch.posts.forgotten.iter().map(|uid| (uid.gene(), *uid))) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, uid) => column(*uid)),
        ];
        statements.add(FORGOTTEN, terms);
    }
    let (new, gone): (Vec<_>, Vec<_>) = batch.posts.sources.changed().partition(|(_, id)| id.is_some());
    if let Some(keys) = keyed(gone.into_iter().map(|(key, _)| (key.0.gene(), key))) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, (author, _)) => column(*author)),
            column_of!(keys, (_, (_, name)) => text_column(name)),
        ];
        statements.add(NO_SOURCES, terms);
    }
    if !new.is_empty() {
        statements.add(
            SOURCES,
            vec![
                column_of!(new, ((author, _), _) => gene_column(*author)),
                column_of!(new, ((author, _), _) => column(*author)),
                column_of!(new, ((_, name), _) => text_column(name)),
                column_of!(new, (_, id) => id.map(post_column)),
                column_of!(new, (source, _) => batch.posts.also_named.contains(source).then_some(true)),
            ],
        );
    }
}

/// Returns what posts say, as three columns.
fn body_columns<'a>(bodies: impl Iterator<Item = &'a Body> + Clone) -> [Term; 3] {
    let kinds = bodies.clone().map(|body| body.attachments.iter());
    let references = bodies.clone().map(|body| body.attachments.iter());
    [
        term(bodies.map(|body| text_column(&body.text)).collect::<Vec<_>>()),
        term(kinds.map(|all| number_array(all.map(|one| attachment_code(one.kind)))).collect::<Vec<_>>()),
        term(references.map(|all| text_array(all.map(|one| one.reference.as_str()))).collect::<Vec<_>>()),
    ]
}

//! Posts as columns have them.

use crate::rows::columns::{damaged, elements, gene, maybe_post_id, post_id, text_of, uid};
use guanxi_model::post::{Attachment, AttachmentKind, Body, Kind, Post, Revision, Visibility};
use guanxi_model::{EventAt, GroupId, Logs, PostHeader, Uid};
use guanxi_postgres::Fault;
use guanxi_shard::cells::{kind_code, original_of};
use tokio_postgres::Row;

/// The columns of a post without its content, of table `t`: what [`post_header`] and [`post_without_content`] read.
macro_rules! post_columns {
    () => {
        "t.gene, t.id, t.author, t.kind, t.ref, t.ref_author, t.visibility, t.audience, t.deleted, t.made_seq, \
         t.revision, t.update_ms, t.create_ms, t.deleted_ms, t.takedown"
    };
}
pub(crate) use post_columns;

/// The columns of a whole post, of table `t`: what [`whole_post`] reads, and then the name that it was imported under.
macro_rules! whole_post_columns {
    () => {
        concat!($crate::rows::post_columns!(), ", t.text, t.attachment_kinds, t.attachments, t.source_key")
    };
}
pub(crate) use whole_post_columns;

/// Where the columns of the content begin in a whole post.
const CONTENT: usize = 15;

/// Where the name is in a whole post.
const NAME: usize = 18;

/// A plain repost, as a column has it.
const REPOST: i16 = 2;

/// Returns what a post is to others, as columns have it: the kind, the other post, and its author.
pub(crate) fn kind_columns(kind: Kind) -> (i16, Option<i64>, Option<i64>) {
    let (post, author) = original_of(kind).unzip();
    (kind_code(kind), post.map(super::super::post_column), author.map(super::super::column))
}

/// Returns what a post is to others, of three columns.
pub(crate) fn kind_of(row: &Row, index: usize) -> Result<Kind, Fault> {
    let damaged = || damaged("the kind of a post");
    let code: i16 = row.get(index);
    let Some(of) = maybe_post_id(row, index + 1)? else {
        return if code == 0 { Ok(Kind::Post) } else { Err(damaged()) };
    };
    let author: Uid = uid(row, index + 2)?;
    match code {
        1 => Ok(Kind::Reply { to: of, author }),
        REPOST => Ok(Kind::Repost { of, author }),
        3 => Ok(Kind::Quote { of, author }),
        _ => Err(damaged()),
    }
}

/// Returns whom a post is for, as columns have it: a number, and the group if it is for one.
pub(crate) fn visibility_columns(visibility: Visibility) -> (i16, Option<i64>) {
    match visibility {
        Visibility::Public => (0, None),
        Visibility::Followers => (1, None),
        Visibility::Friends => (2, None),
        Visibility::Group(id) => (3, Some(id.get().into())),
    }
}

/// Returns whom a post is for, of two columns.
fn visibility_of(row: &Row, index: usize) -> Result<Visibility, Fault> {
    let damaged = || damaged("whom a post is for");
    match (row.get::<_, i16>(index), row.get::<_, Option<i64>>(index + 1)) {
        (0, None) => Ok(Visibility::Public),
        (1, None) => Ok(Visibility::Followers),
        (2, None) => Ok(Visibility::Friends),
        (3, Some(id)) => {
            let id = u32::try_from(id).ok().and_then(|id| GroupId::new(id).ok());
            id.map(Visibility::Group).ok_or_else(damaged)
        }
        _ => Err(damaged()),
    }
}

/// Returns what an attachment is, as a column has it.
pub(crate) const fn attachment_code(kind: AttachmentKind) -> i64 {
    match kind {
        AttachmentKind::Image => 0,
        AttachmentKind::Video => 1,
        AttachmentKind::Audio => 2,
        AttachmentKind::Link => 3,
        AttachmentKind::File => 4,
    }
}

/// Returns what a post says, of three columns.
fn body_of(row: &Row, index: usize) -> Result<Body, Fault> {
    let kinds: Vec<i16> = elements(row, index + 1)?;
    let references: Vec<String> = elements(row, index + 2)?;
    if kinds.len() != references.len() {
        return Err(damaged("the attachments of a post"));
    }
    let mut attachments = Vec::with_capacity(kinds.len());
    for (code, reference) in kinds.into_iter().zip(references) {
        let kind = AttachmentKind::ALL.into_iter().find(|kind| attachment_code(*kind) == i64::from(code));
        let kind = kind.ok_or_else(|| damaged("the kind of an attachment"))?;
        attachments.push(Attachment { kind, reference: text_of(reference) });
    }
    Ok(Body { text: text_of(row.get(index)), attachments })
}

/// A time in milliseconds, or another number that is never negative.
fn number(row: &Row, index: usize) -> u64 {
    row.get::<_, i64>(index).cast_unsigned()
}

/// A post without its content.
pub(crate) fn post_header(row: &Row) -> Result<PostHeader, Fault> {
    let log = Logs::PerGene.of_gene(gene(row, 0)?);
    let made = row.get::<_, Option<i64>>(9).map(i64::cast_unsigned);
    Ok(PostHeader {
        id: post_id(row, 1)?,
        author: uid(row, 2)?,
        kind: kind_of(row, 3)?,
        visibility: visibility_of(row, 6)?,
        deleted: row.get(8),
        taken_down: row.get::<_, Option<i64>>(13).is_none() && row.get::<_, Option<&str>>(14).is_some(),
        event: made.map(|seq| EventAt::new(log, seq)),
    })
}

/// A post with an empty body.
pub(crate) fn post_without_content(row: &Row) -> Result<Post, Fault> {
    Ok(Post {
        header: post_header(row)?,
        body: Body::default(),
        revision: row.get::<_, i32>(10).cast_unsigned(),
        update_ms: number(row, 11),
        create_ms: number(row, 12),
        deleted_ms: row.get::<_, Option<i64>>(13).map(i64::cast_unsigned),
        takedown: row.get::<_, Option<String>>(14).map(text_of),
    })
}

/// A whole post, and the name that it was imported under.
pub(crate) fn whole_post(row: &Row) -> Result<(Post, Option<String>), Fault> {
    let name = row.get::<_, Option<String>>(NAME).map(text_of);
    Ok((Post { body: body_of(row, CONTENT)?, ..post_without_content(row)? }, name))
}

/// An earlier revision, of its number and the columns behind it.
pub(crate) fn revision_of(row: &Row) -> Result<Revision, Fault> {
    Ok(Revision {
        revision: row.get::<_, i32>(0).cast_unsigned(),
        update_ms: number(row, 1),
        visibility: visibility_of(row, 2)?,
        body: body_of(row, 4)?,
    })
}

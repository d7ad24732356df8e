//! Fetching rows of other shards that the plan of a write about posts reads: what [`ForeignRows`] are.

use super::columns::{column, column_of, damaged, keyed, post_column, post_id, text_column, text_of, uid};
use super::posts::{post_columns, post_without_content};
use super::{ForeignKey, ForeignRows, stamp};
use guanxi_model::{Gene, GroupId, PostId, Uid};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const POSTS: &str = concat!(
    "select ",
    post_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t"
);
const SOURCES: &str = "select t.author, t.key, t.id \
    from unnest($1::smallint[], $2::bigint[], $3::text[]) as k(gene, author, key) \
    cross join lateral (select * from gx.post_source t \
    where t.gene = k.gene and t.author = k.author and t.key = k.key limit 1) t";
const FOLLOWS: &str = "select t.subject, t.object, t.at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.follow t \
    where t.gene = k.gene and t.subject = k.a and t.object = k.b limit 1) t where t.active";

const MEMBERS: &str = "select t.owner, t.id, t.member, t.at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as k(gene, owner, id, member) \
    cross join lateral (select * from gx.group_member t \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id and t.member = k.member limit 1) t";

/// Adds the statements about some rows of one database.
pub(crate) fn ask_foreign(keys: &BTreeSet<ForeignKey>, statements: &mut Statements) {
    let (posts, sources, follows, members) = split(keys);
    if let Some(keys) = keyed(posts) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, id) => post_column(*id)),
        ];
        statements.add(POSTS, terms);
    }
    if let Some(keys) = keyed(sources) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, (author, _)) => column(*author)),
            column_of!(keys, (_, (_, name)) => text_column(name)),
        ];
        statements.add(SOURCES, terms);
    }
    if let Some(keys) = keyed(follows) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, (a, _)) => column(*a)),
            column_of!(keys, (_, (_, b)) => column(*b)),
        ];
        statements.add(FOLLOWS, terms);
    }
    if let Some(keys) = keyed(members) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, (owner, _, _)) => column(*owner)),
            column_of!(keys, (_, (_, id, _)) => i64::from(id.get())),
            column_of!(keys, (_, (_, _, member)) => column(*member)),
        ];
        statements.add(MEMBERS, terms);
    }
}

/// Takes in their answers, in the same order.
pub(crate) fn take_foreign(
    found: &mut ForeignRows,
    keys: BTreeSet<ForeignKey>,
    answers: &[Vec<Row>],
) -> Result<(), Fault> {
    let (posts, sources, follows, members) = split(&keys);
    let of_posts = usize::from(!posts.is_empty());
    let of_sources = usize::from(!sources.is_empty());
    let of_follows = usize::from(!follows.is_empty());
    debug_assert_eq!(of_posts + of_sources + of_follows + usize::from(!members.is_empty()), answers.len());
    keys.into_iter().for_each(|key| found.asked(key));
    for (place, row) in
        answers.iter().enumerate().flat_map(|(place, rows)| rows.iter().map(move |row| (place, row)))
    {
        if place < of_posts {
            found.found_post(post_without_content(row)?);
        } else if place < of_posts + of_sources {
            found.found_source(uid(row, 0)?, text_of(row.get(1)), post_id(row, 2)?);
        } else if place < of_posts + of_sources + of_follows {
            found.found_follow(uid(row, 0)?, uid(row, 1)?, stamp(row, 2));
        } else {
            let id = u32::try_from(row.get::<_, i64>(1)).ok().and_then(|id| GroupId::new(id).ok());
            let id = id.ok_or_else(|| damaged("the number of a group"))?;
            found.found_member((uid(row, 0)?, id, uid(row, 2)?), stamp(row, 3));
        }
    }
    Ok(())
}

/// Keys of one kind, each with its gene.
type Keyed<K> = Vec<(Gene, K)>;

/// Keys by what they name: posts, names, follows and members of groups.
type SplitKeys = (Keyed<PostId>, Keyed<(Uid, String)>, Keyed<(Uid, Uid)>, Keyed<(Uid, GroupId, Uid)>);

fn split(keys: &BTreeSet<ForeignKey>) -> SplitKeys {
    let (mut posts, mut sources, mut follows, mut members) = SplitKeys::default();
    for key in keys {
        let gene = key.gene();
        match key {
            ForeignKey::Post(id) => posts.push((gene, *id)),
            ForeignKey::Source(author, name) => sources.push((gene, (*author, name.clone()))),
            ForeignKey::Follow(a, b) => follows.push((gene, (*a, *b))),
            ForeignKey::Member(owner, id, member) => members.push((gene, (*owner, *id, *member))),
        }
    }
    (posts, sources, follows, members)
}

//! Posts and likes of everybody, as an import takes them.

use super::ClusterView;
use super::outboxes::{post_keys, post_terms};
use super::posts::read_post_id;
use super::relations::read_uid;
use crate::rows::{
    column, limit, original_of, post_column, stamp, text_column, text_of, whole_post, whole_post_columns,
};
use guanxi_model::limits::{POSTS_MAX, READ_BYTES_MAX};
use guanxi_model::post::{Body, ImportPost, Kind, Post};
use guanxi_model::{Edge, Gene, PostId, Result, Uid};
use guanxi_ports::{ExportLike, first_exported};
use guanxi_postgres::{Fault, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

const POSTS: &str =
    concat!("select ", whole_post_columns!(), " from gx.post t where t.id > $1 order by t.id limit $2");
const LIKES: &str = "select t.post, t.uid, t.at from gx.liker t where t.active and (t.post, t.uid) > ($1, $2) \
    order by t.post, t.uid limit $3";
const NAMES: &str = "select t.id, t.author, t.source_key \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t";
const TAKEN: &str = "select t.author, t.key \
    from unnest($1::smallint[], $2::bigint[], $3::text[]) as k(gene, author, key) \
    cross join lateral (select * from gx.post_source t \
    where t.gene = k.gene and t.author = k.author and t.key = k.key limit 1) t";

/// Posts that are read at once.
const AT_ONCE: usize = POSTS_MAX as usize;

/// Posts, whose they are, and the keys under which they are exported.
type Keys = BTreeMap<PostId, (Uid, String)>;

impl ClusterView {
    /// Posts of everybody in the order of their ids, after one.
    pub(super) async fn exported_posts(&self, after: Option<PostId>, max: usize) -> Result<Vec<ImportPost>> {
        let mut posts: Vec<Post> = Vec::new();
        let (mut after, mut room) = (after, READ_BYTES_MAX);
        while posts.len() < max && room > 0 {
            let wanted = AT_ONCE.min(max - posts.len());
            let from = after.map_or(0, post_column);
            let rows = self.ask_all(POSTS, || vec![term(from), term(limit(wanted))]).await?;
            let post = |row: &Row| whole_post(row).map(|(post, _)| post).map_err(Fault::told);
            let mut some = rows.iter().map(post).collect::<Result<Vec<_>>>()?;
            some.sort_unstable_by_key(|post| post.header.id);
            some.truncate(wanted);
            let Some(last) = some.last() else { break };
            after = Some(last.header.id);
            let says = |post: &Post| if post.header.deleted { 0 } else { post.body.bytes() };
            room = room.saturating_sub(some.iter().map(says).sum());
            posts.extend(some);
        }
        let originals = posts.iter().filter_map(|post| original_of(post.header.kind)).map(|(id, _)| id);
        let ids: Vec<PostId> = posts.iter().map(|post| post.header.id).chain(originals).collect();
        let keys = self.export_keys(&ids).await?;
        first_exported(posts.into_iter().filter_map(|post| exported(post, &keys)).map(Ok))
    }

    /// Likes of everybody in the order of post and user, after one.
    pub(super) async fn exported_likes(
        &self,
        after: Option<(PostId, Uid)>,
        max: usize,
    ) -> Result<Vec<ExportLike>> {
        let (post, uid) = after.map_or((0, 0), |(id, uid)| (post_column(id), column(uid)));
        let rows = self.ask_all(LIKES, || vec![term(post), term(uid), term(limit(max))]).await?;
        let like =
            |row: &Row| Ok((read_post_id(row, 0)?, Edge { uid: read_uid(row, 1)?, at: stamp(row, 2) }));
        let mut likes = rows.iter().map(like).collect::<Result<Vec<_>>>()?;
        likes.sort_unstable_by_key(|(id, like)| (*id, like.uid));
        likes.truncate(max);
        let ids: Vec<PostId> = likes.iter().map(|(id, _)| *id).collect();
        let keys = self.export_keys(&ids).await?;
        let likes = likes.into_iter().filter_map(|(id, like)| {
            let (author, key) = keys.get(&id)?.clone();
            Some(ExportLike { id, like, author, key })
        });
        Ok(likes.collect())
    }

    /// The key of each post that is there: the name that it was imported under, else its id, with pluses while another post of
    /// the author has that for a name.
    async fn export_keys(&self, ids: &[PostId]) -> Result<Keys> {
        let (mut keys, mut proposed) = (Keys::new(), Keys::new());
        for row in self.ask_each(post_keys(ids), &[NAMES], post_terms).await?.iter().flatten() {
            let (id, author) = (read_post_id(row, 0)?, read_uid(row, 1)?);
            match row.get::<_, Option<String>>(2) {
                Some(name) => keys.insert(id, (author, text_of(name))),
                None => proposed.insert(id, (author, id.to_string())),
            };
        }
        while !proposed.is_empty() {
            let asked = proposed.values().map(|(author, key)| (author.gene(), (*author, key.clone())));
            let asked: Vec<(Gene, (Uid, String))> = asked.collect();
            let mut taken: BTreeSet<(Uid, String)> = BTreeSet::new();
            for row in self.ask_each(asked, &[TAKEN], name_terms).await?.iter().flatten() {
                taken.insert((read_uid(row, 0)?, text_of(row.get(1))));
            }
            let (again, free) = proposed.into_iter().partition(|(_, named)| taken.contains(named));
            proposed = again;
            proposed.values_mut().for_each(|(_, key)| key.push('+'));
            let free: Keys = free;
            keys.extend(free);
        }
        Ok(keys)
    }
}

/// The genes, the authors and the names of keys, as columns.
fn name_terms(keys: &[(Gene, (Uid, String))]) -> Vec<Term> {
    vec![
        term(keys.iter().map(|(gene, _)| i16::from(gene.0)).collect::<Vec<_>>()),
        term(keys.iter().map(|(_, (author, _))| column(*author)).collect::<Vec<_>>()),
        term(keys.iter().map(|(_, (_, name))| text_column(name)).collect::<Vec<_>>()),
    ]
}

/// A post as an import takes it.
fn exported(post: Post, keys: &Keys) -> Option<ImportPost> {
    let Post { header, body, create_ms, .. } = post;
    let (author, key) = keys.get(&header.id)?.clone();
    let of = original_of(header.kind).and_then(|(of, _)| keys.get(&of)).cloned();
    let is_reply = matches!(header.kind, Kind::Reply { .. });
    Some(ImportPost {
        id: Some(header.id),
        key,
        author,
        at_ms: create_ms,
        body: if header.deleted { Body::default() } else { body },
        visibility: header.visibility,
        reply_to: of.clone().filter(|_| is_reply),
        repost_of: of.filter(|_| !is_reply),
        deleted: header.deleted,
    })
}

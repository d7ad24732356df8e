//! Rows of other shards that the plan of a write about posts reads: as they were when their databases were asked, just before
//! it, and outside of its transaction.
//!
//! A change since then is no harm: it happened at the same time as the write. All effects of the write in other shards are
//! settled there, when its events arrive.

use super::columns::{column, column_of, damaged, keyed, post_column, post_id, text_column, text_of, uid};
use super::posts::{post_columns, post_without_content};
use super::{NotFetched, stamp};
use crate::postgres::{Fault, Statements};
use guanxi_model::plan::{Fetched, RowKey};
use guanxi_model::post::Post;
use guanxi_model::{Gene, GroupId, PostHeader, PostId, Stamp, Uid};
use std::collections::{BTreeMap, BTreeSet};
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

/// A row of the shard of another user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ForeignKey {
    /// A post without its content.
    Post(PostId),
    /// The post that was imported under a source's name for it.
    Source(Uid, String),
    /// Whether somebody follows the actor: the own fact of the first.
    Follow(Uid, Uid),
    /// Since when a user is in a group of an owner.
    Member(Uid, GroupId, Uid),
}

impl ForeignKey {
    /// Returns what of another shard a row of the planner is made of, if it is.
    pub(crate) fn of(key: &RowKey) -> Option<Self> {
        match key {
            RowKey::Post(id) => Some(Self::Post(*id)),
            RowKey::Source(author, name) => Some(Self::Source(*author, name.clone())),
            RowKey::Said(owner, other) => Some(Self::Follow(*owner, *other)),
            RowKey::GroupMember(owner, id, member) => Some(Self::Member(*owner, *id, *member)),
            _ => None,
        }
    }

    /// In whose shard it is.
    pub(crate) const fn gene(&self) -> Gene {
        match self {
            Self::Post(id) => id.gene(),
            Self::Source(uid, _) | Self::Follow(uid, _) | Self::Member(uid, ..) => uid.gene(),
        }
    }

    /// Returns whether it may lead to other rows.
    pub(crate) const fn leads_on(&self) -> bool {
        matches!(self, Self::Post(_) | Self::Source(..))
    }
}

/// What other shards said.
#[derive(Debug, Default)]
pub(crate) struct ForeignRows {
    posts: BTreeMap<PostId, Option<Post>>,
    sources: BTreeMap<(Uid, String), Option<PostId>>,
    follows: BTreeMap<(Uid, Uid), Option<Stamp>>,
    members: BTreeMap<(Uid, GroupId, Uid), Option<Stamp>>,
}

impl ForeignRows {
    /// Returns whether a row was asked for.
    pub(crate) fn has(&self, key: &ForeignKey) -> bool {
        match key {
            ForeignKey::Post(id) => self.posts.contains_key(id),
            ForeignKey::Source(author, name) => self.sources.contains_key(&(*author, name.clone())),
            ForeignKey::Follow(a, b) => self.follows.contains_key(&(*a, *b)),
            ForeignKey::Member(owner, id, member) => self.members.contains_key(&(*owner, *id, *member)),
        }
    }

    /// A post, without its content.
    pub(super) fn post(&self, id: PostId) -> Result<Option<&Post>, NotFetched> {
        let post = self.posts.get(&id).ok_or_else(|| NotFetched(format!("{id:?} of another shard")))?;
        Ok(post.as_ref())
    }

    /// The post of a source's name.
    pub(super) fn source(&self, author: Uid, key: &str) -> Result<Option<PostId>, NotFetched> {
        let source = self.sources.get(&(author, key.to_owned()));
        source.copied().ok_or_else(|| NotFetched(format!("{key:?} of {author:?} of another shard")))
    }

    /// Returns since when a user of another shard follows the actor, as that shard says; as this shard knows it if that one was
    /// not asked.
    pub(super) fn follow(&self, owner: Uid, other: Uid, known: Option<Stamp>) -> Option<Stamp> {
        self.follows.get(&(owner, other)).copied().unwrap_or(known)
    }

    /// Returns since when a user is in a group of an owner of another shard.
    pub(super) fn member(&self, place: (Uid, GroupId, Uid)) -> Result<Option<Stamp>, NotFetched> {
        let member = self.members.get(&place).copied();
        member.ok_or_else(|| NotFetched(format!("{place:?} of another shard")))
    }

    /// Adds the statements about some rows of one database.
    pub(crate) fn ask(keys: &BTreeSet<ForeignKey>, statements: &mut Statements) {
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
    pub(crate) fn take(&mut self, keys: BTreeSet<ForeignKey>, answers: &[Vec<Row>]) -> Result<(), Fault> {
        let (posts, sources, follows, members) = split(&keys);
        let of_posts = usize::from(!posts.is_empty());
        let of_sources = usize::from(!sources.is_empty());
        let of_follows = usize::from(!follows.is_empty());
        debug_assert_eq!(
            of_posts + of_sources + of_follows + usize::from(!members.is_empty()),
            answers.len()
        );
        for key in keys {
            match key {
                ForeignKey::Post(id) => drop(self.posts.insert(id, None)),
                ForeignKey::Source(author, name) => drop(self.sources.insert((author, name), None)),
                ForeignKey::Follow(a, b) => drop(self.follows.insert((a, b), None)),
                ForeignKey::Member(owner, id, member) => {
                    self.members.insert((owner, id, member), None);
                }
            }
        }
        for (place, row) in
            answers.iter().enumerate().flat_map(|(place, rows)| rows.iter().map(move |row| (place, row)))
        {
            if place < of_posts {
                let post = post_without_content(row)?;
                self.posts.insert(post.header.id, Some(post));
            } else if place < of_posts + of_sources {
                self.sources.insert((uid(row, 0)?, text_of(row.get(1))), Some(post_id(row, 2)?));
            } else if place < of_posts + of_sources + of_follows {
                self.follows.insert((uid(row, 0)?, uid(row, 1)?), Some(stamp(row, 2)));
            } else {
                let id = u32::try_from(row.get::<_, i64>(1)).ok().and_then(|id| GroupId::new(id).ok());
                let id = id.ok_or_else(|| damaged("the number of a group"))?;
                self.members.insert((uid(row, 0)?, id, uid(row, 2)?), Some(stamp(row, 3)));
            }
        }
        Ok(())
    }
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

/// Rows that lead to further rows of other shards. Rows of other kinds than posts and names lead to rows of the home
/// alone.
impl Fetched for ForeignRows {
    fn header(&self, id: PostId) -> Option<PostHeader> {
        Some(self.posts.get(&id)?.as_ref()?.header)
    }

    fn source(&self, author: Uid, key: &str) -> Option<PostId> {
        *self.sources.get(&(author, key.to_owned()))?
    }

    fn taken_at(&self, _author: Uid, _ms: u64) -> usize {
        0
    }

    fn is_taken(&self, _id: PostId) -> bool {
        false
    }

    fn reposts(&self, _user: Uid, _original: PostId) -> &[PostId] {
        &[]
    }

    fn asks(&self, _sender: Uid, _receiver: Uid) -> bool {
        false
    }

    fn session_user(&self, _gene: Gene, _id: [u8; 32]) -> Option<Uid> {
        None
    }

    fn groups_with(&self, _owner: Uid, _member: Uid) -> Vec<GroupId> {
        Vec::new()
    }
}

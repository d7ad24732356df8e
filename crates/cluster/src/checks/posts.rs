//! Likes, and posts that answer or share others, against what follows from them in the shard of the post that they are about.

use super::Checker;
use super::heads::tell_mended;
use super::look::Looked;
use super::sides::PairedRow;
use super::tables::{TableKey, TablePages};
use crate::rows::{
    LikeRow, NotFetched, ReferenceRow, Rows, column, column_of, damaged, fetch_derived_of_posts, gene,
    not_fetched, post_column, post_id, uid,
};
use crate::store::in_shards;
use guanxi_model::{Change, Event, EventAt, Gene, Logs, PostId, Result, Stamp, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Connection, Fault, Statements};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// The version of a reference if it is ahead of everything that its shard has seen: every event to come would be passed over as
/// older. Else 0: its post has no version to compare with.
macro_rules! ahead {
    () => {
        "case when t.version > h.stamp or t.version < 0 then t.version else 0 end"
    };
}

/// Pages begin behind `$1`, `$2` and `$3`; behind the key of a row is what it says, and whether its post has no row of counters.
const LIKED: &str = "select t.gene, t.uid, t.post, t.at, t.version, t.active, false from gx.liked t \
    where (t.gene, t.uid, t.post) > ($1, $2, $3) order by t.gene, t.uid, t.post limit $4";
const LIKERS: &str = "select t.gene, t.post, t.uid, t.at, t.version, t.active, s.id is null \
    from (select * from gx.liker where (post, uid, gene) > ($2, $3, $1) \
    order by post, uid, gene limit $4) t \
    left join lateral (select * from gx.post_stats s where s.id = t.post and s.gene = t.gene limit 1) s on true \
    order by t.post, t.uid, t.gene";
const REFERENCES: &str = concat!(
    "select t.gene, t.original, t.ref, t.kind::bigint, ",
    ahead!(),
    ", t.active, s.id is null \
    from (select * from gx.post_ref where (gene, original, ref) > ($1, $2, $3) \
    order by gene, original, ref limit $4) t \
    left join lateral (select * from gx.post_stats s \
    where s.id = t.original and s.gene = t.gene limit 1) s on true \
    left join lateral (select * from gx.shard h where h.gene = t.gene limit 1) h on true \
    order by t.gene, t.original, t.ref"
);

/// Rows by their keys.
const LIKED_BY_KEY: &str = "select k.a, k.b, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.liked t \
    where t.gene = k.gene and t.uid = k.a and t.post = k.b limit 1) t";
const LIKERS_BY_KEY: &str = "select k.a, k.b, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.liker t \
    where t.gene = k.gene and t.post = k.a and t.uid = k.b limit 1) t";
const REFERENCES_BY_KEY: &str = concat!(
    "select k.a, k.b, t.kind::bigint, ",
    ahead!(),
    ", t.active from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.post_ref t \
    where t.gene = k.gene and t.original = k.a and t.ref = k.b limit 1) t \
    left join lateral (select * from gx.shard h where h.gene = t.gene limit 1) h on true"
);
const POSTS_BY_KEY: &str = "select k.a, k.b, t.kind::bigint, 0::bigint, not t.deleted \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.a limit 1) t where t.ref = k.b";

/// The authors of posts.
const AUTHORS: &str = "select t.id, t.author from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t";

/// The kind of a reply, as a column has it.
const REPLY: u64 = 1;

/// What follows from a fact in the shard of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OfPost {
    /// A user likes it.
    Like(PostId, Uid),
    /// Another post answers or shares it.
    Reference(PostId, PostId),
}

impl OfPost {
    /// The post.
    pub(super) const fn post(self) -> PostId {
        match self {
            Self::Like(post, _) | Self::Reference(post, _) => post,
        }
    }

    fn fact_gene(self) -> Gene {
        match self {
            Self::Like(_, user) => user.gene(),
            Self::Reference(_, other) => other.gene(),
        }
    }

    fn keys(self) -> (i64, i64) {
        match self {
            Self::Like(post, user) => (post_column(post), column(user)),
            Self::Reference(post, other) => (post_column(post), post_column(other)),
        }
    }
}

/// A table of likes or references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckedPostTable {
    /// The posts that users like: facts.
    Liked,
    /// What the shards of posts know of that.
    Likers,
    /// What the shards of posts know of those that answer or share them.
    References,
}

impl CheckedPostTable {
    const fn page(self) -> (&'static str, &'static str) {
        match self {
            Self::Liked => ("liked", LIKED),
            Self::Likers => ("liker", LIKERS),
            Self::References => ("post_ref", REFERENCES),
        }
    }

    /// Reads the key of a row.
    fn key(self, row: &Row) -> Result<OfPost, Fault> {
        let key = match self {
            Self::Liked => OfPost::Like(post_id(row, 2)?, uid(row, 1)?),
            Self::Likers => OfPost::Like(post_id(row, 1)?, uid(row, 2)?),
            Self::References => OfPost::Reference(post_id(row, 1)?, post_id(row, 2)?),
        };
        let home = if self == Self::Liked { key.fact_gene() } else { key.post().gene() };
        if home != gene(row, 0)? {
            return Err(damaged("the gene of a post"));
        }
        Ok(key)
    }
}

/// A fact, and what follows from it. Of a reference the place is its kind, and the only version is one that is ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeenOfPost {
    fact: PairedRow,
    mirror: PairedRow,
}

impl SeenOfPost {
    fn differs(self, key: OfPost) -> bool {
        self.is_ahead(key) || self.fact.differs_from(self.mirror)
    }

    fn is_ahead(self, key: OfPost) -> bool {
        matches!(key, OfPost::Reference(..)) && self.mirror.version > Stamp::ZERO
    }

    /// What a post is to another, as a column has it: as the post says, or else as what follows from it says.
    fn kind(self) -> u64 {
        if self.fact.at == Stamp::ZERO { self.mirror.at.raw() } else { self.fact.at.raw() }
    }
}

type SeenOfPosts = BTreeMap<OfPost, SeenOfPost>;

impl Checker<'_> {
    /// A page of likes or references; returns where the next one begins, if there is one.
    pub(super) async fn of_posts(
        &mut self,
        table: CheckedPostTable,
        database: usize,
        after: TableKey,
    ) -> Result<Option<TableKey>> {
        let (name, sql) = table.page();
        let pages = TablePages::of_pairs(sql);
        let (rows, next) = self.page(name, pages, (database, after), self.terms.page_rows).await?;
        let (mut page, mut uncounted) = (BTreeMap::new(), BTreeSet::new());
        for row in &rows {
            let Ok(key) = table.key(row) else {
                self.unreadable_row(&TableKey::of(row).named(name));
                continue;
            };
            let read = PairedRow::of(row, 3);
            page.insert(key, read);
            if read.active && row.get(6) {
                uncounted.insert(key.post());
            }
        }
        self.report.compared += page.len() as u64;
        if table == CheckedPostTable::Liked {
            self.report.likes += page.values().filter(|row| row.active).count() as u64;
        }
        self.compare_of_posts(page, table == CheckedPostTable::Liked).await?;
        self.recount_posts(database, uncounted).await?;
        Ok(next)
    }

    /// Compares facts with what follows from them, or what is there with facts that there have to be.
    pub(super) async fn compare_of_posts(
        &mut self,
        page: BTreeMap<OfPost, PairedRow>,
        are_facts: bool,
    ) -> Result<()> {
        let keys: BTreeSet<OfPost> = if are_facts {
            page.keys().copied().collect()
        } else {
            page.iter().filter(|(_, row)| row.active).map(|(key, _)| *key).collect()
        };
        let others =
            if are_facts { self.mirrors_of_posts(&keys).await } else { self.facts_of_posts(&keys).await };
        let others = others?;
        let is_suspect = |key: &OfPost| {
            let (fact, other) = (page.get(key).copied().unwrap_or_default(), others.get(key));
            let mirror = other.copied().unwrap_or_default();
            if are_facts { (SeenOfPost { fact, mirror }).differs(*key) } else { other.is_none() }
        };
        self.judge_of_posts(keys.into_iter().filter(is_suspect).collect()).await
    }

    /// Reports rows that are still wrong after everything under way was applied, and mends them.
    async fn judge_of_posts(&mut self, suspects: BTreeSet<OfPost>) -> Result<()> {
        let before = self.wrong_of_posts(suspects).await?;
        let looked = self.look_again(before, |keys| self.wrong_of_posts(keys)).await?;
        let Looked { standing, unsettled, .. } = looked;
        self.report.unsettled += unsettled;
        for (key, seen) in &standing {
            if self.told_of_posts.insert(*key) {
                self.tell_of_post(*key, *seen);
            }
        }
        if self.terms.mends && !standing.is_empty() {
            let mend = |database, keys| self.mend_of_posts(database, keys, &standing);
            let mended = self.mend_each(standing.keys().copied(), |key| key.post().gene(), mend).await?;
            self.report.mended += mended;
        }
        Ok(())
    }

    fn tell_of_post(&mut self, key: OfPost, seen: SeenOfPost) {
        let SeenOfPost { fact, mirror } = seen;
        let (user, kind) = match key {
            OfPost::Like(_, user) if mirror.active && !fact.active => {
                (Some(user), DifferenceKind::LikeMissing)
            }
            OfPost::Like(_, user) => (Some(user), DifferenceKind::LikeUnlisted),
            OfPost::Reference(..) if seen.kind() == REPLY => (None, DifferenceKind::RepliesCount),
            OfPost::Reference(..) => (None, DifferenceKind::RepostsCount),
        };
        let stands = |row: PairedRow| if row.active { "stands" } else { "does not stand" };
        let ahead = if seen.is_ahead(key) { " in a version that is to come" } else { "" };
        let detail = format!("{key:?}: the fact {}, what follows {}{ahead}", stands(fact), stands(mirror));
        self.report.add_of(kind, user, None, detail);
    }

    /// Returns what is wrong as it is read now: what follows first, then the facts.
    async fn wrong_of_posts(&self, keys: BTreeSet<OfPost>) -> Result<SeenOfPosts> {
        let mirrors = self.mirrors_of_posts(&keys).await?;
        let facts = self.facts_of_posts(&keys).await?;
        let row = |rows: &BTreeMap<OfPost, PairedRow>, key| rows.get(key).copied().unwrap_or_default();
        let seen =
            keys.iter().map(|key| (*key, SeenOfPost { fact: row(&facts, key), mirror: row(&mirrors, key) }));
        Ok(seen.filter(|(key, seen)| seen.differs(*key)).collect())
    }

    async fn facts_of_posts(&self, keys: &BTreeSet<OfPost>) -> Result<BTreeMap<OfPost, PairedRow>, Fault> {
        let flipped = |key: &OfPost| (key.fact_gene(), (key.keys().1, key.keys().0));
        self.rows_of_posts(keys, (LIKED_BY_KEY, POSTS_BY_KEY), flipped).await
    }

    async fn mirrors_of_posts(&self, keys: &BTreeSet<OfPost>) -> Result<BTreeMap<OfPost, PairedRow>, Fault> {
        let placed = |key: &OfPost| (key.post().gene(), key.keys());
        self.rows_of_posts(keys, (LIKERS_BY_KEY, REFERENCES_BY_KEY), placed).await
    }

    /// Rows of likes and of references, by where the tables have them.
    async fn rows_of_posts(
        &self,
        keys: &BTreeSet<OfPost>,
        (of_likes, of_references): (&'static str, &'static str),
        place: impl Fn(&OfPost) -> (Gene, (i64, i64)),
    ) -> Result<BTreeMap<OfPost, PairedRow>, Fault> {
        let is_like = |key: &&OfPost| matches!(key, OfPost::Like(..));
        let likes = self.keyed(of_likes, keys.iter().filter(is_like).map(&place)).await?;
        let references = keys.iter().filter(|key| !is_like(key)).map(&place);
        let references = self.keyed(of_references, references).await?;
        let found = |key: &OfPost| {
            let rows = if is_like(&key) { &likes } else { &references };
            Some((*key, *rows.get(&place(key).1)?))
        };
        Ok(keys.iter().filter_map(found).collect())
    }

    /// Rows by the two parts of their keys, from whichever databases have them.
    pub(super) async fn keyed(
        &self,
        sql: &'static str,
        keys: impl Iterator<Item = (Gene, (i64, i64))>,
    ) -> Result<BTreeMap<(i64, i64), PairedRow>, Fault> {
        let mut found = BTreeMap::new();
        for (database, keys) in self.shared.map().by_database(keys, |(home, _)| *home) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, (a, _)) => *a),
                column_of!(keys, (_, (_, b)) => *b),
            ];
            for row in &Statements::one(sql, terms).rows(&self.readers[database]).await? {
                found.insert((row.get(0), row.get(1)), PairedRow::of(row, 2));
            }
        }
        Ok(found)
    }

    /// The facts are read while the shards of what follows are locked: an event that is later than what was read is not applied
    /// yet, and is newer than what is written.
    async fn mend_of_posts(
        &self,
        database: usize,
        keys: Vec<OfPost>,
        standing: &SeenOfPosts,
    ) -> Result<u64, Fault> {
        let (writer, keys) = (&self.writers[database], &keys);
        let likes = keys.iter().filter_map(|key| match key {
            OfPost::Like(id, user) => Some((*id, *user)),
            OfPost::Reference(..) => None,
        });
        let references = keys.iter().filter_map(|key| match key {
            OfPost::Reference(of, id) => Some((*of, *id)),
            OfPost::Like(..) => None,
        });
        let mend = async |mut rows: Rows| {
            fetch_derived_of_posts(writer, &mut rows, likes, references).await?;
            let authors = authors_of(writer, keys.iter().map(|key| key.post())).await?;
            let facts = self.facts_of_posts(&keys.iter().copied().collect()).await?;
            let (until, mut mended) = (self.sound_until(), 0);
            for key in keys {
                let Some(seen) = standing.get(key) else { continue };
                let fact = facts.get(key).copied().unwrap_or_default();
                if fact.version <= until
                    && mend_one_of_posts(&mut rows, *key, seen.mirror, fact).map_err(not_fetched)?
                {
                    mended += 1;
                    let Some(author) = authors.get(&key.post()).copied() else { continue };
                    match *key {
                        OfPost::Like(id, user) => {
                            tell_like(&mut rows, (id, user), author).map_err(not_fetched)?;
                        }
                        OfPost::Reference(id, _) => {
                            tell_mended(&mut rows, author, id, self.shared.clock.now_ms());
                        }
                    }
                }
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, keys.iter().map(|key| key.post().gene()), mend).await
    }
}

/// Mends what follows from one fact, unless it has moved on since it was seen. Returns whether it was mended.
fn mend_one_of_posts(
    rows: &mut Rows,
    key: OfPost,
    seen: PairedRow,
    fact: PairedRow,
) -> Result<bool, NotFetched> {
    let home = key.post().gene();
    rows.enter(home);
    let (before, after) = match key {
        OfPost::Like(id, user) => {
            let row = *rows.posts.likers.get((id, user))?;
            let now = PairedRow { at: row.at, version: row.version, active: row.active };
            if now != seen || !fact.differs_from(now) {
                return Ok(false);
            }
            rows.shards.observe(home, fact.version);
            let mended = LikeRow { at: fact.at, version: fact.version, active: fact.active };
            *rows.posts.likers.change((id, user))? = mended;
            (now.active, fact.active)
        }
        OfPost::Reference(of, id) => {
            let row = *rows.posts.references.get((of, id))?;
            let at = Stamp::from_raw(i64::from(row.kind).cast_unsigned());
            let is_ahead = row.version > rows.shards.stamp_of(home);
            let version = if is_ahead { row.version } else { Stamp::ZERO };
            let now = PairedRow { at, version, active: row.active };
            let is_same = now == seen || row.version == Stamp::ZERO && seen == PairedRow::default();
            if !is_same || !(SeenOfPost { fact, mirror: now }).differs(key) {
                return Ok(false);
            }
            let kind = i16::try_from(fact.at.raw()).unwrap_or(row.kind);
            // The version stays, so that every event that is to come is newer; it is newer than none that is ahead.
            let version = if is_ahead { Stamp::ZERO } else { row.version };
            *rows.posts.references.change((of, id))? = ReferenceRow { kind, version, active: fact.active };
            (now.active, fact.active)
        }
    };
    if before != after {
        let (stats, kind) = (rows.posts.stats.change(key.post())?, SeenOfPost { fact, mirror: seen }.kind());
        let count = match key {
            OfPost::Like(..) => &mut stats.likes,
            OfPost::Reference(..) if kind == REPLY => &mut stats.replies,
            OfPost::Reference(..) => &mut stats.reposts,
        };
        *count = if after { count.saturating_add(1) } else { count.saturating_sub(1) };
    }
    Ok(true)
}

/// Returns the authors of posts, as far as they can be read.
pub(super) async fn authors_of(
    writer: &Connection,
    ids: impl Iterator<Item = PostId>,
) -> Result<BTreeMap<PostId, Uid>, Fault> {
    let ids: Vec<PostId> = ids.collect();
    let terms = vec![column_of!(ids, id => i16::from(id.gene().0)), column_of!(ids, id => post_column(*id))];
    let rows = Statements::one(AUTHORS, terms).rows(writer).await?;
    Ok(rows.iter().filter_map(|row| Some((post_id(row, 0).ok()?, uid(row, 1).ok()?))).collect())
}

/// Tells of a mended like in the log of its post's shard, as the echo would have told that was lost. It names its own place.
fn tell_like(rows: &mut Rows, (id, user): (PostId, Uid), author: Uid) -> Result<(), NotFetched> {
    let (home, like) = (id.gene(), *rows.posts.likers.get((id, user))?);
    let at = EventAt::new(Logs::PerGene.of_gene(home), rows.shards.seq(home) + 1);
    let change =
        if like.active { Change::Liked { id, author, at: like.at } } else { Change::Unliked { id, author } };
    rows.shards.log(home, Event { at, version: like.version, subject: user, change, echo: Some(at) }, None);
    Ok(())
}

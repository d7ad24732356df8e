//! Fetching posts and what goes with them: one statement per table.

use super::{whole_post, whole_post_columns};
use crate::rows::columns::{
    column, column_of, keyed, maybe_post_id, post_column, post_id, stamp, text_column, text_of, uid,
};
use crate::rows::{Answered, LikeRow, OutboxHead, ReferenceRow, Rows, StoredPost};
use guanxi_model::post::PostStats;
use guanxi_model::{Gene, PostId, Uid};
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const POSTS: &str = concat!(
    "select ",
    whole_post_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t"
);
const STATS: &str = "select t.id, t.likes, t.replies, t.reposts \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post_stats t where t.gene = k.gene and t.id = k.id limit 1) t";
const AUTHORS: &str = "select t.uid, t.last_post, t.last_seq, t.changed_seq, t.created_from \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.author t where t.gene = k.gene and t.uid = k.uid limit 1) t";
const LIKED: &str = "select t.uid, t.post, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, uid, post) \
    cross join lateral (select * from gx.liked t \
    where t.gene = k.gene and t.uid = k.uid and t.post = k.post limit 1) t";
const LIKERS: &str = "select t.post, t.uid, t.at, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, post, uid) \
    cross join lateral (select * from gx.liker t \
    where t.gene = k.gene and t.post = k.post and t.uid = k.uid limit 1) t";
const REFERENCES: &str = "select t.original, t.ref, t.kind, t.version, t.active \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, original, ref) \
    cross join lateral (select * from gx.post_ref t \
    where t.gene = k.gene and t.original = k.original and t.ref = k.ref limit 1) t";
const REPOSTS: &str = "select t.author, t.ref, t.id \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, author, original) \
    cross join lateral (select * from gx.post t \
    where t.gene = k.gene and t.author = k.author and t.ref = k.original and t.kind = 2 and not t.deleted offset 0) t \
    order by t.author, t.ref, t.id";
const SOURCES: &str = "select t.author, t.key, t.id \
    from unnest($1::smallint[], $2::bigint[], $3::text[]) as k(gene, author, key) \
    cross join lateral (select * from gx.post_source t \
    where t.gene = k.gene and t.author = k.author and t.key = k.key limit 1) t";
const OTHER_NAMES: &str = "select t.author, t.key, t.id \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post_source t \
    where t.gene = k.gene and t.id = k.id and t.also offset 0) t";
const TAKEN: &str = "select t.id from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, low, high) \
    cross join lateral (select * from gx.post t \
    where (t.gene = k.gene) is true and t.id between k.low and k.high offset 0) t";

/// Rows to be fetched, all of them of locked shards.
#[derive(Default)]
pub(in crate::rows) struct PostFetch {
    posts: BTreeSet<PostId>,
    stats: BTreeSet<PostId>,
    authors: BTreeSet<Uid>,
    liked: BTreeSet<(Uid, PostId)>,
    likers: BTreeSet<(PostId, Uid)>,
    references: BTreeSet<(PostId, PostId)>,
    reposts: BTreeSet<(Uid, PostId)>,
    sources: BTreeSet<(Uid, String)>,
    other_names: BTreeSet<PostId>,
    /// Milliseconds from one on.
    taken: BTreeSet<(Gene, u64, u64)>,
}

impl PostFetch {
    /// A post, with the name that it was imported under.
    pub(in crate::rows) fn post(&mut self, id: PostId) {
        self.posts.insert(id);
    }

    /// The counters of a post.
    pub(in crate::rows) fn stats(&mut self, id: PostId) {
        self.stats.insert(id);
    }

    /// What is kept of an author.
    pub(in crate::rows) fn author(&mut self, uid: Uid) {
        self.authors.insert(uid);
    }

    /// Whether a user likes a post.
    pub(in crate::rows) fn liked(&mut self, uid: Uid, id: PostId) {
        self.liked.insert((uid, id));
    }

    /// What the shard of a post knows of that, with the counters.
    pub(in crate::rows) fn liker(&mut self, id: PostId, uid: Uid) {
        self.likers.insert((id, uid));
        self.stats.insert(id);
    }

    /// What the shard of a post knows of another that answers or shares it, with the counters.
    pub(in crate::rows) fn reference(&mut self, original: PostId, id: PostId) {
        self.references.insert((original, id));
        self.stats.insert(original);
    }

    /// A user's plain reposts of an original.
    pub(in crate::rows) fn reposts(&mut self, user: Uid, original: PostId) {
        self.reposts.insert((user, original));
    }

    /// The post that a source's name means.
    pub(in crate::rows) fn source(&mut self, author: Uid, key: String) {
        self.sources.insert((author, key));
    }

    /// The names that sources have for a post beside the one that it was imported under.
    pub(in crate::rows) fn other_names(&mut self, id: PostId) {
        self.other_names.insert(id);
    }

    /// The ids of a gene that are taken at so many milliseconds from one on.
    pub(in crate::rows) fn taken(&mut self, gene: Gene, ms: u64, count: u64) {
        self.taken.insert((gene, ms, count));
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        let tables = &rows.posts;
        self.posts.retain(|id| !tables.posts.has(*id));
        self.stats.retain(|id| !tables.stats.has(*id));
        self.authors.retain(|uid| !tables.authors.has(*uid));
        self.liked.retain(|key| !tables.liked.has(*key));
        self.likers.retain(|key| !tables.likers.has(*key));
        self.references.retain(|key| !tables.references.has(*key));
        self.reposts.retain(|key| !tables.reposts.has(*key));
        self.sources.retain(|key| !tables.sources.has(key.clone()));
        self.other_names.retain(|id| !tables.named.contains(id));
        self.taken.retain(|(gene, ms, count)| {
            (0..*count).any(|n| !tables.taken.contains_key(&(*gene, ms.saturating_add(n))))
        });
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        self.ask_posts(statements);
        let liked = self.liked.iter().map(|(uid, id)| (uid.gene(), (column(*uid), post_column(*id))));
        ask_pairs(LIKED, liked, statements);
        let likers = self.likers.iter().map(|(id, uid)| (id.gene(), (post_column(*id), column(*uid))));
        ask_pairs(LIKERS, likers, statements);
        let references = self.references.iter();
        let references = references.map(|(of, id)| (of.gene(), (post_column(*of), post_column(*id))));
        ask_pairs(REFERENCES, references, statements);
        let reposts = self.reposts.iter().map(|(uid, of)| (uid.gene(), (column(*uid), post_column(*of))));
        ask_pairs(REPOSTS, reposts, statements);
        if let Some(keys) = keyed(self.sources.iter().map(|key| (key.0.gene(), key))) {
            let terms = vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, key) => column(key.0)),
                column_of!(keys, (_, key) => text_column(&key.1)),
            ];
            statements.add(SOURCES, terms);
        }
        let named = self.other_names.iter().map(|id| (id.gene(), post_column(*id)));
        if let Some(keys) = keyed(named) {
            let terms =
                vec![column_of!(keys, (gene, _) => i16::from(gene.0)), column_of!(keys, (_, id) => *id)];
            statements.add(OTHER_NAMES, terms);
        }
        let taken = self.taken.iter().map(|(gene, ms, count)| (*gene, (*ms, *count)));
        if let Some(keys) = keyed(taken) {
            let (lows, highs): (Vec<i64>, Vec<i64>) =
                keys.iter().map(|(_, (ms, count))| ids_at(*ms, *count)).unzip();
            let terms = vec![column_of!(keys, (gene, _) => i16::from(gene.0)), term(lows), term(highs)];
            statements.add(TAKEN, terms);
        }
    }

    fn ask_posts(&self, statements: &mut Statements) {
        let posts = self.posts.iter().map(|id| (id.gene(), post_column(*id)));
        let stats = self.stats.iter().map(|id| (id.gene(), post_column(*id)));
        let authors = self.authors.iter().map(|uid| (uid.gene(), column(*uid)));
        for (sql, keys) in [(POSTS, posts.collect()), (STATS, stats.collect()), (AUTHORS, authors.collect())]
        {
            let keys: Vec<(Gene, i64)> = keys;
            if let Some(keys) = keyed(keys) {
                let terms = vec![
                    column_of!(keys, (gene, _) => i16::from(gene.0)),
                    column_of!(keys, (_, key) => *key),
                ];
                statements.add(sql, terms);
            }
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let asked: [(&str, bool); 10] = [
            (POSTS, !self.posts.is_empty()),
            (STATS, !self.stats.is_empty()),
            (AUTHORS, !self.authors.is_empty()),
            (LIKED, !self.liked.is_empty()),
            (LIKERS, !self.likers.is_empty()),
            (REFERENCES, !self.references.is_empty()),
            (REPOSTS, !self.reposts.is_empty()),
            (SOURCES, !self.sources.is_empty()),
            (OTHER_NAMES, !self.other_names.is_empty()),
            (TAKEN, !self.taken.is_empty()),
        ];
        self.note(rows);
        for (sql, _) in asked.into_iter().filter(|(_, is_asked)| *is_asked) {
            answers.next().iter().flatten().try_for_each(|row| take_row(rows, sql, row))?;
        }
        Ok(())
    }

    /// Says of each row that it was fetched.
    fn note(self, rows: &mut Rows) {
        let tables = &mut rows.posts;
        self.posts.into_iter().for_each(|id| tables.posts.fetched(id));
        self.stats.into_iter().for_each(|id| tables.stats.fetched(id));
        self.authors.into_iter().for_each(|uid| tables.authors.fetched(uid));
        self.liked.into_iter().for_each(|key| tables.liked.fetched(key));
        self.likers.into_iter().for_each(|key| tables.likers.fetched(key));
        self.references.into_iter().for_each(|key| tables.references.fetched(key));
        self.reposts.into_iter().for_each(|key| tables.reposts.fetched(key));
        self.sources.into_iter().for_each(|key| tables.sources.fetched(key));
        tables.named.extend(self.other_names);
        for (gene, ms, count) in self.taken {
            for n in 0..count {
                tables.taken.entry((gene, ms.saturating_add(n))).or_default();
            }
        }
    }
}

fn ask_pairs(sql: &'static str, keys: impl Iterator<Item = (Gene, (i64, i64))>, statements: &mut Statements) {
    if let Some(keys) = keyed(keys) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, pair) => pair.0),
            column_of!(keys, (_, pair) => pair.1),
        ];
        statements.add(sql, terms);
    }
}

/// The first and the last id of so many milliseconds from one on, of any gene; none for a time that ids do not have.
fn ids_at(ms: u64, count: u64) -> (i64, i64) {
    let first = |ms: u64| PostId::at_ms(Uid::MIN, ms).next().map(|id| (id.get() & !0xff).cast_signed());
    let Some(low) = first(ms) else { return (1, 0) };
    (low, ms.checked_add(count).and_then(first).map_or(i64::MAX, |next| next - 1))
}

fn take_row(rows: &mut Rows, sql: &str, row: &Row) -> Result<(), Fault> {
    let tables = &mut rows.posts;
    let like = |row: &Row| LikeRow { at: stamp(row, 2), version: stamp(row, 3), active: row.get(4) };
    let number = |index: usize| row.get::<_, i64>(index).cast_unsigned();
    match sql {
        POSTS => {
            let (post, name) = whole_post(row)?;
            tables.posts.found(post.header.id, StoredPost { post: Some(post), name });
        }
        STATS => {
            let stats = PostStats { likes: number(1), replies: number(2), reposts: number(3) };
            tables.stats.found(post_id(row, 0)?, stats);
        }
        AUTHORS => {
            let head = OutboxHead {
                last_id: maybe_post_id(row, 1)?,
                last_seq: number(2),
                changed_seq: number(3),
                created_from: maybe_post_id(row, 4)?,
            };
            tables.authors.found(uid(row, 0)?, head);
        }
        LIKED => tables.liked.found((uid(row, 0)?, post_id(row, 1)?), like(row)),
        LIKERS => tables.likers.found((post_id(row, 0)?, uid(row, 1)?), like(row)),
        REFERENCES => {
            let reference = ReferenceRow { kind: row.get(2), version: stamp(row, 3), active: row.get(4) };
            tables.references.found((post_id(row, 0)?, post_id(row, 1)?), reference);
        }
        REPOSTS => {
            let (key, id) = ((uid(row, 0)?, post_id(row, 1)?), post_id(row, 2)?);
            let mut ids = tables.reposts.get(key).cloned().unwrap_or_default();
            ids.push(id);
            tables.reposts.found(key, ids);
        }
        // What the batch knows of a name already is newer.
        OTHER_NAMES if tables.sources.has((uid(row, 0)?, text_of(row.get(1)))) => {}
        SOURCES | OTHER_NAMES => {
            let key = (uid(row, 0)?, text_of(row.get(1)));
            tables.sources.found(key, Some(post_id(row, 2)?));
        }
        _ => {
            let id = post_id(row, 0)?;
            tables.taken.entry((id.gene(), id.ms())).or_default().insert(id);
        }
    }
    Ok(())
}

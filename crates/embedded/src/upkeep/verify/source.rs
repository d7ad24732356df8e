//! Rows of a table, decoded, one ahead, so that several tables can be merged by user or by post.

use super::findings::Findings;
use crate::engine::{EngineResult, RawRow, Snapshot, Table};
use crate::layout::{
    AUTHOR, COUNTERS, CountersValue, DELETED_POST, ForwardValue, LIKE, LIKE_OF_USER, LIKE_TIME, MARKED_BY,
    POST_STATS, PostValue, REPOST_OF, REPOSTED, decode_author, decode_mute, decode_reposts, decode_stamp,
    decode_stats, mark_prefix, parse_deleted_post_key, parse_forward_key, parse_like_key,
    parse_like_of_user_key, parse_like_time_key, parse_mark_prefix, parse_marked_by_key, parse_of_post_key,
    parse_outbox_key, parse_pair_key, parse_post_key, parse_repost_of_key, parse_reposted_key,
    parse_reverse_key, parse_user_key,
};
use guanxi_model::post::{AuthorRow, PostStats};
use guanxi_model::{Edge, Post, PostId, Stamp, Uid};
use guanxi_ports::MarkKind;
use std::ops::Bound;

/// A decoded row: the user or post that it is of, and what it says.
pub(super) type Decoded<T> = (u64, T);

type Decode<T> = fn(&[u8], &[u8]) -> Option<Decoded<T>>;

/// The rows of a table or of one prefix of it. Rows whose key cannot be read are put aside.
pub(super) struct RowSource<T> {
    rows: Box<dyn Iterator<Item = EngineResult<RawRow>>>,
    decode: Decode<T>,
    what: &'static str,
    head: Option<Decoded<T>>,
    undecodable: Findings,
    /// Rows read that could be decoded.
    pub read: u64,
}

impl<T> RowSource<T> {
    fn new(
        rows: impl Iterator<Item = EngineResult<RawRow>> + 'static,
        what: &'static str,
        decode: Decode<T>,
    ) -> EngineResult<Self> {
        let mut source = Self {
            rows: Box::new(rows),
            decode,
            what,
            head: None,
            undecodable: Findings::default(),
            read: 0,
        };
        source.fill()?;
        Ok(source)
    }

    /// The user or post of the next row.
    pub(super) fn of(&self) -> Option<u64> {
        self.head.as_ref().map(|(of, _)| *of)
    }

    /// The next row if it is of this user or post.
    pub(super) fn next_of(&mut self, of: u64) -> EngineResult<Option<T>> {
        if self.of() != Some(of) {
            return Ok(None);
        }
        let item = self.head.take();
        self.fill()?;
        Ok(item.map(|(_, row)| row))
    }

    /// Rows that could not be decoded.
    pub(super) fn into_undecodable(self) -> Findings {
        self.undecodable
    }

    fn fill(&mut self) -> EngineResult<()> {
        for row in self.rows.by_ref() {
            let (key, value) = row?;
            self.head = (self.decode)(&key, &value);
            if self.head.is_some() {
                self.read += 1;
                break;
            }
            self.undecodable.undecodable(self.what, None, None, &key, &value);
        }
        Ok(())
    }
}

/// A forward edge; `value` is `None` when only its key can be decoded.
pub(super) struct ForwardRow {
    pub object: u64,
    pub value: Option<ForwardValue>,
}

/// A reverse edge.
pub(super) struct ReverseRow {
    pub subject: u64,
    pub at: u64,
}

/// All forward edges, by subject and object.
pub(super) fn forward(snapshot: &Snapshot) -> EngineResult<RowSource<ForwardRow>> {
    RowSource::new(whole(snapshot, Table::Forward), "forward edge", |key, value| {
        let (subject, object) = parse_forward_key(key)?;
        Some((subject.get(), ForwardRow { object: object.get(), value: ForwardValue::decode(value) }))
    })
}

/// All reverse edges, by object.
pub(super) fn reverse(snapshot: &Snapshot) -> EngineResult<RowSource<ReverseRow>> {
    RowSource::new(whole(snapshot, Table::Reverse), "reverse edge", |key, value| {
        let (object, edge) = parse_reverse_key(key).filter(|_| value.is_empty())?;
        Some((object.get(), ReverseRow { subject: edge.uid.get(), at: edge.at.raw() }))
    })
}

/// All counters; `None` for a record whose value cannot be decoded.
pub(super) fn counters(snapshot: &Snapshot) -> EngineResult<RowSource<Option<CountersValue>>> {
    RowSource::new(snapshot.prefix(Table::Records, &[COUNTERS]), "counters", |key, value| {
        Some((parse_user_key(key)?.get(), CountersValue::decode(value)))
    })
}

/// All blocks or mutes, by subject: the other user of each.
pub(super) fn pairs(snapshot: &Snapshot, prefix: u8) -> EngineResult<RowSource<u64>> {
    RowSource::new(snapshot.prefix(Table::Records, &[prefix]), "block or mute", |key, value| {
        let (subject, object) = parse_pair_key(key)?;
        decode_mute(value)?;
        Some((subject.get(), object.get()))
    })
}

/// All requests, by sender or by receiver.
pub(super) fn requests(snapshot: &Snapshot, prefix: u8) -> EngineResult<RowSource<()>> {
    RowSource::new(snapshot.prefix(Table::Records, &[prefix]), "request", |key, _| {
        Some((u64::from_be_bytes(key.get(1..9)?.try_into().ok()?), ()))
    })
}

/// A block, mute or removed follow.
pub(super) struct MarkRow {
    pub kind: MarkKind,
    /// The user that it is about, or that has set it.
    pub other: Uid,
}

/// All marks of a kind, by subject.
pub(super) fn marks(snapshot: &Snapshot, kind: MarkKind) -> EngineResult<RowSource<MarkRow>> {
    RowSource::new(snapshot.prefix(Table::Records, &[mark_prefix(kind)]), "mark", |key, _| {
        let (subject, other) = parse_pair_key(key)?;
        Some((subject.get(), MarkRow { kind: parse_mark_prefix(*key.first()?)?, other }))
    })
}

/// All marks, by the user whom they are about.
pub(super) fn marked_by(snapshot: &Snapshot) -> EngineResult<RowSource<MarkRow>> {
    RowSource::new(snapshot.prefix(Table::Records, &[MARKED_BY]), "mark about a user", |key, value| {
        let (object, kind, other) = parse_marked_by_key(key).filter(|_| value.is_empty())?;
        Some((object.get(), MarkRow { kind, other }))
    })
}

/// All posts, by id; `None` for one whose value cannot be decoded.
pub(super) fn posts(snapshot: &Snapshot) -> EngineResult<RowSource<Option<Post>>> {
    RowSource::new(whole(snapshot, Table::Posts), "post", |key, value| {
        let id = parse_post_key(key)?;
        Some((id.get(), PostValue::decode(id, value).map(|value| value.post)))
    })
}

/// Deleted posts, by the time of that: when, and which.
pub(super) fn deleted_posts(snapshot: &Snapshot) -> EngineResult<RowSource<PostId>> {
    RowSource::new(snapshot.prefix(Table::Records, &[DELETED_POST]), "deleted post", |key, value| {
        parse_deleted_post_key(key).filter(|_| value.is_empty())
    })
}

/// The counters of posts, by post; `None` for a record whose value cannot be decoded.
pub(super) fn post_stats(snapshot: &Snapshot) -> EngineResult<RowSource<Option<PostStats>>> {
    RowSource::new(snapshot.prefix(Table::Records, &[POST_STATS]), "counters of a post", |key, value| {
        Some((parse_of_post_key(key)?.get(), decode_stats(value)))
    })
}

/// All likes, by post: who likes it, and since when.
pub(super) fn likes(snapshot: &Snapshot) -> EngineResult<RowSource<Edge>> {
    RowSource::new(snapshot.prefix(Table::Records, &[LIKE]), "like", |key, value| {
        let (id, uid) = parse_like_key(key)?;
        Some((id.get(), Edge { at: decode_stamp(value)?, uid }))
    })
}

/// The lists of likes, by post.
pub(super) fn like_times(snapshot: &Snapshot) -> EngineResult<RowSource<Edge>> {
    RowSource::new(snapshot.prefix(Table::Records, &[LIKE_TIME]), "entry of a list of likes", |key, value| {
        let (id, edge) = parse_like_time_key(key).filter(|_| value.is_empty())?;
        Some((id.get(), edge))
    })
}

/// All likes, by user: of which post, and since when.
pub(super) fn likes_of_users(snapshot: &Snapshot) -> EngineResult<RowSource<(PostId, Stamp)>> {
    RowSource::new(snapshot.prefix(Table::Records, &[LIKE_OF_USER]), "like of a user", |key, value| {
        let (user, id) = parse_like_of_user_key(key)?;
        Some((user.get(), (id, decode_stamp(value)?)))
    })
}

/// The index of plain reposts, by user: the original, and the reposts that stand.
pub(super) fn reposted(snapshot: &Snapshot) -> EngineResult<RowSource<(PostId, Vec<PostId>)>> {
    RowSource::new(snapshot.prefix(Table::Records, &[REPOSTED]), "entry of reposts", |key, value| {
        let (user, original) = parse_reposted_key(key)?;
        Some((user.get(), (original, decode_reposts(value)?)))
    })
}

/// The lists of reposts and quotes, by original, newest first.
pub(super) fn reposts_of(snapshot: &Snapshot) -> EngineResult<RowSource<PostId>> {
    RowSource::new(
        snapshot.prefix(Table::Records, &[REPOST_OF]),
        "entry of a list of reposts",
        |key, value| {
            let (original, repost) = parse_repost_of_key(key).filter(|_| value.is_empty())?;
            Some((original.get(), repost))
        },
    )
}

/// All outboxes, by author, newest post first.
pub(super) fn outboxes(snapshot: &Snapshot) -> EngineResult<RowSource<PostId>> {
    RowSource::new(whole(snapshot, Table::Outbox), "place in an outbox", |key, value| {
        let (author, id) = parse_outbox_key(key).filter(|_| value.is_empty())?;
        Some((author.get(), id))
    })
}

/// Returns what is kept of authors; `None` for a record whose value cannot be decoded.
pub(super) fn authors(snapshot: &Snapshot) -> EngineResult<RowSource<Option<AuthorRow>>> {
    RowSource::new(snapshot.prefix(Table::Records, &[AUTHOR]), "author", |key, value| {
        Some((parse_user_key(key)?.get(), decode_author(value)))
    })
}

/// Every row of a table.
pub(super) fn whole(snapshot: &Snapshot, table: Table) -> impl Iterator<Item = EngineResult<RawRow>> + use<> {
    snapshot.range(table, Bound::Unbounded, Bound::Unbounded)
}

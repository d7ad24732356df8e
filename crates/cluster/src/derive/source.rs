//! Reading the events of logs that a database has to take in.

use crate::postgres::{Connection, Fault, Statements, term};
use crate::rows::{
    Peer, STANDINGS, Told, UserStanding, column_of, gene, keyed, kind_of, maybe_post_id, maybe_stamp, number,
    original_of, peer_of, read_standing, uid, uid_terms,
};
use guanxi_model::post::Kind;
use guanxi_model::stored::decode_event;
use guanxi_model::{Change, Event, EventAt, Gene, Logs, PostId, Uid};
use guanxi_ports::UnreadableEvent;
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// Events of one log that are read at once.
const READ_MAX: i64 = 1_024;

/// Facts of logs that concern shards of a database, each after an event and up to another. They are found by
/// their numbers: that most events concern somebody else makes an index of whom they concern no shorter.
const EVENTS: &str = "select e.gene, e.seq, e.detail, p.id, p.kind, p.ref, p.ref_author, p.deleted, e.request, \
    e.cooling_ms, e.edge_version, e.end_version, e.subject, e.object, e.place, e.version \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, after, upto) \
    cross join lateral (select * from gx.log t \
    where t.gene = k.gene and t.seq > k.after and t.seq <= k.upto and t.origin is null and (t.peer = any($4)) \
    is true order by t.seq limit $5) as e \
    left join lateral (select * from gx.post p \
    where e.change = 9 and p.gene = e.gene and p.id = e.object limit 1) p on true \
    order by e.gene, e.seq";

/// Which event each log begins with: asked after its events, so that none of these was removed before.
const FIRSTS: &str = "select gene, first_seq from gx.shard where gene = any($1)";

/// The versions of events that a log still has.
const VERSIONS: &str = "select t.gene, t.seq, t.version from unnest($1::smallint[], $2::bigint[]) as k(gene, seq) \
    cross join lateral (select * from gx.shard s where s.gene = k.gene limit 1) s \
    cross join lateral (select * from gx.log t where t.gene = k.gene and t.seq = k.seq limit 1) t \
    where t.seq >= s.first_seq";

/// What is to be read of a log: after which event, and up to which.
pub(crate) type Span = (u64, u64);

/// A post that answers or shares another, as it is since its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Referring {
    /// Which.
    pub id: PostId,
    /// What it answers or shares.
    pub original: PostId,
    /// Its author.
    pub author: Uid,
    /// What it is to it, as a column has it.
    pub kind: i16,
    /// Whether it is a reply.
    pub is_reply: bool,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// What was read of a log.
#[derive(Debug, Default)]
pub(crate) struct SourceRead {
    /// The events that concern the database, in order.
    pub events: Vec<Event>,
    /// Those that cannot be read. What follows from them does not stand until a check has looked at whom they name.
    pub unreadable: Vec<UnreadableEvent>,
    /// What some of them tell beside themselves.
    pub told: BTreeMap<u64, Told>,
    /// How users stand of whom events tell that they stand otherwise: as of these events, or later.
    pub standings: Vec<UserStanding>,
    /// Their posts that answer or share others.
    pub referring: BTreeMap<PostId, Referring>,
    /// The event after which they were read.
    pub after: u64,
    /// Up to where there are no others.
    pub upto: u64,
    /// The version of that event, and of the one before the first, of those that are still there.
    pub versions: (Option<i64>, Option<i64>),
    /// The last event that is not there any more, if it was not applied.
    pub trimmed: Option<u64>,
}

/// Reads parts of logs of one database that concern shards of another.
pub(crate) async fn read(
    connection: &Connection,
    spans: &BTreeMap<Gene, Span>,
    peers: &[Gene],
) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
    let columns = peers.iter().map(|gene| i16::from(gene.0)).chain([Peer::EVERY_DATABASE]);
    let columns: Vec<i16> = columns.collect();
    let mut statements = Statements::one(
        EVENTS,
        vec![
            column_of!(spans, (source, _) => i16::from(source.0)),
            column_of!(spans, (_, (after, _)) => after.cast_signed()),
            column_of!(spans, (_, (_, upto)) => upto.cast_signed()),
            term(columns),
            term(READ_MAX),
        ],
    );
    statements.add(FIRSTS, vec![term(spans.keys().map(|gene| i16::from(gene.0)).collect::<Vec<_>>())]);
    let ends = spans.iter().flat_map(|(source, (after, upto))| [(source, after), (source, upto)]);
    let ends: Vec<(&Gene, &u64)> = ends.collect();
    let places = column_of!(ends, (_, seq) => seq.cast_signed());
    statements.add(VERSIONS, vec![column_of!(ends, (source, _) => i16::from(source.0)), places]);
    let mut answers = statements.send(connection, "", "").await?;
    let mut versions = BTreeMap::new();
    for row in answers.pop().unwrap_or_default() {
        versions.insert((gene(&row, 0)?, number(&row, 1)), row.get::<_, i64>(2));
    }
    let mut firsts = BTreeMap::new();
    for row in answers.pop().unwrap_or_default() {
        firsts.insert(gene(&row, 0)?, number(&row, 1));
    }
    let mut rows: BTreeMap<Gene, Vec<Row>> = BTreeMap::new();
    for row in answers.into_iter().flatten() {
        rows.entry(gene(&row, 0)?).or_default().push(row);
    }
    let mut read = BTreeMap::new();
    for (source, span) in spans {
        let mut of_log = of_rows(*source, *span, &rows.remove(source).unwrap_or_default(), peers);
        let known = |seq: u64| versions.get(&(*source, seq)).copied();
        of_log.versions = (of_log.versions.0.or_else(|| known(of_log.upto)), known(span.0));
        let first = firsts.get(source).copied().unwrap_or_default();
        of_log.trimmed = (first > span.0 + 1).then(|| first - 1);
        read.insert(*source, of_log);
    }
    read_standings(connection, &mut read).await?;
    Ok(read)
}

/// Returns what the rows of a part of a log say. Of its last event the version is known if it is among the rows.
fn of_rows(source: Gene, (after, upto): Span, rows: &[Row], peers: &[Gene]) -> SourceRead {
    let mut read = SourceRead { after, upto, ..SourceRead::default() };
    for row in rows {
        let Some((event, post)) = event_of(row, source, peers) else {
            read.unreadable.push(unreadable_of(row, source));
            continue;
        };
        read.referring.extend(post.map(|post| (post.id, post)));
        let tells = told_by(row);
        if tells != Told::default() {
            read.told.insert(event.at.seq(), tells);
        }
        read.events.push(event);
    }
    let is_whole = i64::try_from(rows.len()).is_ok_and(|rows| rows < READ_MAX);
    if let Some(last) = rows.last().filter(|_| !is_whole) {
        (read.upto, read.versions.0) = (number(last, 1), last.get(15));
    }
    read
}

/// Reads an event of a log, with its post if that answers or shares another. None if it cannot be read, or tells of users who are
/// not those of the two shards: no shard could take it in, and the log would never go on.
fn event_of(row: &Row, source: Gene, peers: &[Gene]) -> Option<(Event, Option<Referring>)> {
    let at = EventAt::new(Logs::PerGene.of_gene(source), number(row, 1));
    let event = decode_event(at, row.get::<_, Option<&[u8]>>(2)?)?;
    let post = referring_of(row).ok()?;
    let (other, of) = match event.change {
        Change::Pair { object, .. } => (Some(object), None),
        Change::Liked { id, author, .. } | Change::Unliked { id, author } => (Some(author), Some(id)),
        Change::Post { .. } => (post.map(|post| post.author), post.map(|post| post.original)),
        _ => (None, None),
    };
    let is_theirs =
        |other: Uid| peers.contains(&other.gene()) && of.is_none_or(|of| of.gene() == other.gene());
    (event.subject.gene() == source && other.is_none_or(is_theirs)).then_some((event, post))
}

/// Returns whom an event names that cannot be read.
fn unreadable_of(row: &Row, source: Gene) -> UnreadableEvent {
    UnreadableEvent {
        at: EventAt::new(Logs::PerGene.of_gene(source), number(row, 1)),
        subject: Uid::new(number(row, 12)).ok(),
        object: row.get::<_, Option<i64>>(13).map(i64::cast_unsigned),
    }
}

/// Returns what an event tells beside itself.
fn told_by(row: &Row) -> Told {
    Told {
        request: maybe_stamp(row, 8),
        cooling_ms: row.get::<_, Option<i64>>(9).map(i64::cast_unsigned),
        edge: maybe_stamp(row, 10),
        end: maybe_stamp(row, 11),
        place: maybe_stamp(row, 14),
    }
}

/// Reads how users stand of whom events tell that they stand otherwise. One whose account cannot be read is left as every database
/// knows it: the full check names the account.
async fn read_standings(connection: &Connection, read: &mut BTreeMap<Gene, SourceRead>) -> Result<(), Fault> {
    let events = read.values().flat_map(|read| &read.events);
    let changed = events.filter(|event| {
        matches!(event.change, Change::User(_))
            && peer_of(event.subject, &event.change) == Some(Peer::EveryDatabase)
    });
    let users: BTreeSet<Uid> = changed.map(|event| event.subject).collect();
    let Some(users) = keyed(users.into_iter().map(|uid| (uid.gene(), uid))) else { return Ok(()) };
    for row in &Statements::one(STANDINGS, uid_terms(&users)).rows(connection).await? {
        let uid = uid(row, 0)?;
        let Ok((revision, standing)) = read_standing(row, 1) else {
            tracing::error!(%uid, "how a user stands cannot be read; databases repeat what they know");
            continue;
        };
        if let Some(read) = read.get_mut(&uid.gene()) {
            read.standings.push(UserStanding { uid, revision, standing });
        }
    }
    Ok(())
}

/// The post of an event, if it is of one that answers or shares another.
fn referring_of(row: &Row) -> Result<Option<Referring>, Fault> {
    let Some(id) = maybe_post_id(row, 3)? else { return Ok(None) };
    let kind = kind_of(row, 4)?;
    let referring = |(original, author)| Referring {
        id,
        original,
        author,
        kind: row.get(4),
        is_reply: matches!(kind, Kind::Reply { .. }),
        deleted: row.get(7),
    };
    Ok(original_of(kind).map(referring))
}

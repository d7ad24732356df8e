//! Reading the events of logs that a database has to take in.

use crate::rows::{
    Peer, STANDINGS, Told, UserStanding, column_of, gene, keyed, limit, number, peer_of, read_standing, uid,
    uid_terms,
};
use crate::store::ClusterCore;
use crate::tail::{CarriedEvent, LogEntry, RingPart, count_read};
use guanxi_model::{Change, Event, Gene, Logs, PostId, Uid};
use guanxi_ports::UnreadableEvent;
use guanxi_postgres::{Connection, Fault, Statements, discard, term};
use guanxi_shard::apply::{Arriving, Referring};
use std::collections::{BTreeMap, BTreeSet};

/// Events of one log that are read at once.
const READ_MAX: usize = 1_024;

/// Events of all logs that are applied in one transaction: it holds the rows of the shards for so long that no write is refused
/// that waits for one.
const ROUND_EVENTS_MAX: usize = 1_024;

/// Facts of logs that concern shards of a database, each after an event and up to another. They are found by
/// their numbers: that most events concern somebody else makes an index of whom they concern no shorter.
const EVENTS: &str = "select e.gene, e.seq, e.version, e.detail, e.origin, e.origin_seq, e.subject, e.object, \
    e.peer, e.request, e.cooling_ms, e.edge_version, e.end_version, e.place, e.original, \
    p.id, p.kind, p.ref, p.ref_author, p.deleted \
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

impl SourceRead {
    /// The events that change rows of other users, in order, each with whom it concerns.
    pub(super) fn arriving(&self) -> impl Iterator<Item = Arriving> {
        self.events.iter().filter_map(|event| {
            let (other, post) = match event.change {
                Change::Pair { object, .. } => (object, None),
                Change::Liked { author, .. } | Change::Unliked { author, .. } => (author, None),
                Change::Post { id, .. } => {
                    let post = *self.referring.get(&id)?;
                    (post.author, Some(post))
                }
                _ => return None,
            };
            let told = self.told.get(&event.at.seq()).copied().unwrap_or_default();
            Some(Arriving { event: *event, other, post, told })
        })
    }
}

/// Which events concern shards: those of the shards themselves, and those of every database.
fn columns_of(peers: &[Gene]) -> Vec<i16> {
    peers.iter().map(|gene| i16::from(gene.0)).chain([Peer::EVERY_DATABASE]).collect()
}

/// Returns how many events of each of so many logs go into one transaction.
pub(super) fn events_of_each(logs: usize) -> usize {
    (ROUND_EVENTS_MAX / logs.max(1)).clamp(1, READ_MAX)
}

/// Reads parts of logs of one database that concern shards of another, of each log at most so many events: from what looks have
/// brought, as far as that has them.
pub(super) async fn read_newest(
    shared: &ClusterCore,
    from: usize,
    (spans, max): (&BTreeMap<Gene, Span>, usize),
    peers: &[Gene],
) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
    shared.served[from].breaker.pass()?;
    let (map, columns) = (shared.map(), columns_of(peers));
    let (mut brought, mut left) = (BTreeMap::new(), BTreeMap::new());
    for (source, span) in spans {
        let part = shared.tails[from].part((*source, map.epoch(*source)), *span, &columns, max);
        count_read(part.is_some());
        let Some(RingPart { events, before, last }) = part else {
            left.insert(*source, *span);
            continue;
        };
        // Nothing was trimmed: all events are here.
        let mut read = of_events(*source, (*span, max), &events, peers);
        read.versions = (read.versions.0.or(Some(last)), before);
        brought.insert(*source, read);
    }
    if left.is_empty() && changed_standings(&brought).next().is_none() {
        return Ok(brought);
    }
    let connection = shared.served[from].asks.take().await?;
    let rest = async {
        read_standings(&connection, &mut brought).await?;
        if !left.is_empty() {
            brought.extend(read_upto(&connection, (&left, max), peers).await?);
        }
        Ok(())
    };
    match rest.await {
        Ok(()) => Ok(brought),
        Err(fault) => {
            discard(connection);
            Err(fault)
        }
    }
}

/// Reads parts of logs of one database that concern shards of another.
pub(crate) async fn read(
    connection: &Connection,
    spans: &BTreeMap<Gene, Span>,
    peers: &[Gene],
) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
    read_upto(connection, (spans, READ_MAX), peers).await
}

async fn read_upto(
    connection: &Connection,
    (spans, max): (&BTreeMap<Gene, Span>, usize),
    peers: &[Gene],
) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
    let mut statements = Statements::one(
        EVENTS,
        vec![
            column_of!(spans, (source, _) => i16::from(source.0)),
            column_of!(spans, (_, (after, _)) => after.cast_signed()),
            column_of!(spans, (_, (_, upto)) => upto.cast_signed()),
            term(columns_of(peers)),
            term(limit(max)),
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
    let mut events: BTreeMap<Gene, Vec<LogEntry>> = BTreeMap::new();
    for row in answers.iter().flatten() {
        let source = gene(row, 0)?;
        let event = LogEntry::read_carried(row, 1, Logs::PerGene.of_gene(source));
        events.entry(source).or_default().push(event);
    }
    let mut read = BTreeMap::new();
    for (source, span) in spans {
        let mut of_log = of_events(*source, (*span, max), &events.remove(source).unwrap_or_default(), peers);
        let known = |seq: u64| versions.get(&(*source, seq)).copied();
        of_log.versions = (of_log.versions.0.or_else(|| known(of_log.upto)), known(span.0));
        let first = firsts.get(source).copied().unwrap_or_default();
        of_log.trimmed = (first > span.0 + 1).then(|| first - 1);
        read.insert(*source, of_log);
    }
    read_standings(connection, &mut read).await?;
    Ok(read)
}

/// Returns what the events of a part of a log say. Of the last one the version is known if it is among them.
fn of_events(
    source: Gene,
    ((after, upto), max): (Span, usize),
    events: &[LogEntry],
    peers: &[Gene],
) -> SourceRead {
    let mut read = SourceRead { after, upto, ..SourceRead::default() };
    for logged in events {
        let Some(carried) = logged.carried.as_deref() else { continue };
        let Some(event) = event_of(logged, carried, source, peers) else {
            read.unreadable.push(carried.named);
            continue;
        };
        read.referring.extend(carried.post.map(|post| (post.id, post)));
        if carried.told != Told::default() {
            read.told.insert(event.at.seq(), carried.told);
        }
        read.events.push(event);
    }
    if let Some(last) = events.last().filter(|_| events.len() >= max) {
        (read.upto, read.versions.0) = (last.seq(), Some(last.version));
    }
    read
}

/// Reads an event of a log. None if it cannot be read, or tells of users who are not those of the two shards: no shard could take
/// it in, and the log would never go on.
fn event_of(logged: &LogEntry, carried: &CarriedEvent, source: Gene, peers: &[Gene]) -> Option<Event> {
    let event = logged.said.ok().filter(|_| !carried.is_damaged)?;
    let (other, of) = match event.change {
        Change::Pair { object, .. } => (Some(object), None),
        Change::Liked { id, author, .. } | Change::Unliked { id, author } => (Some(author), Some(id)),
        Change::Post { .. } => (carried.post.map(|post| post.author), carried.post.map(|post| post.original)),
        _ => (None, None),
    };
    let is_theirs =
        |other: Uid| peers.contains(&other.gene()) && of.is_none_or(|of| of.gene() == other.gene());
    (event.subject.gene() == source && other.is_none_or(is_theirs)).then_some(event)
}

/// The users of whom events tell that they stand otherwise.
fn changed_standings(read: &BTreeMap<Gene, SourceRead>) -> impl Iterator<Item = Uid> {
    let events = read.values().flat_map(|read| &read.events);
    let changed = events.filter(|event| {
        matches!(event.change, Change::User(_))
            && peer_of(event.subject, &event.change) == Some(Peer::EveryDatabase)
    });
    changed.map(|event| event.subject)
}

/// Reads how users stand of whom events tell that they stand otherwise. One whose account cannot be read is left as every database
/// knows it: the full check names the account.
async fn read_standings(connection: &Connection, read: &mut BTreeMap<Gene, SourceRead>) -> Result<(), Fault> {
    let users: BTreeSet<Uid> = changed_standings(read).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_has_room_for_each_log_and_is_bounded() {
        for logs in [1, 2, 7, 128, 256] {
            let each = events_of_each(logs);
            assert!(each > 0 && each * logs <= ROUND_EVENTS_MAX, "{logs}: {each}");
        }
        assert_eq!(events_of_each(0), READ_MAX);
    }
}

//! The check of events: each that is said to be applied has an echo, or was overtaken by a newer one.
//!
//! An event without an echo that would still change a row is a lost one: it is taken in after all, as it would have been. How
//! far logs are applied is read before the events, and an echo stands in the commit that says so: nothing is under way here.

use super::Checker;
use super::users::SaidStanding;
use crate::derive::{LogPlace, SourceRead, Span, arriving, place_of, read_source, take_in_late};
use crate::rows::{Pair, Rows, Shards, UserStanding, column_of, gene, keyed, number};
use crate::store::{in_one_moment, in_shards};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Gene, Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements, term};
use guanxi_shard::apply::Arriving;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio_postgres::Row;

/// Logs of one page.
const LOGS_MAX: usize = 16;

/// How old an event is that has no echo without a doubt.
const UNPAIRED_MIN: Duration = Duration::from_secs(3);

/// The events that are applied to every shard and were not looked at.
const MARKS: &str = "select a.source, coalesce(c.seq, 0), least(a.seq, h.upto) from gx.applied a \
    cross join lateral (select min(t.from_seq) - 1 as upto from gx.held t where t.source = a.source) h \
    left join lateral (select * from gx.checked t where t.kind = $1 and t.source = a.source limit 1) c on true \
    where least(a.seq, h.upto) > coalesce(c.seq, 0) order by a.source";

const RAISE: &str = "insert into gx.checked (kind, source, seq) \
    select $1, v.source, v.seq from unnest($2::smallint[], $3::bigint[]) as v(source, seq) \
    on conflict (kind, source) do update set seq = greatest(checked.seq, excluded.seq)";

/// The last events of parts of logs that are of an age.
const OF_AGE: &str = "select k.gene, coalesce(max(t.seq), 0) \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, after, upto) \
    cross join lateral (select * from gx.log t where t.gene = k.gene and t.seq > k.after and t.seq <= k.upto \
    and t.written_at <= clock_timestamp() - make_interval(secs => $4) offset 0) t group by k.gene";

/// Which of some events have no echo.
const SILENT: &str = "select k.origin, k.seq \
    from unnest($1::smallint[], $2::smallint[], $3::bigint[]) as k(gene, origin, seq) \
    left join lateral (select t.seq from gx.log t \
    where t.gene = k.gene and t.origin = k.origin and t.origin_seq = k.seq limit 1) t on true where t.seq is null";

/// How old the oldest event behind each of some places is that a database has to take in.
const OLDEST: &str = "select max(extract(epoch from clock_timestamp() - t.written_at))::float8 \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, after) cross join lateral \
    (select l.written_at from gx.log l where l.gene = k.gene and l.seq > k.after and l.peer = any($3) \
    and l.origin is null order by l.seq limit 1) t";

/// Which events are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventCheck {
    /// All that are applied.
    Applied,
    /// Those that are older than their echoes may be.
    Old,
}

impl EventCheck {
    const fn name(self) -> &'static str {
        match self {
            Self::Applied => "incremental",
            Self::Old => "pairs",
        }
    }
}

/// Parts of logs: what was looked at, and up to where they are applied.
type Parts = BTreeMap<Gene, Span>;

impl Checker<'_> {
    /// Looks at the events that every database had to take in since the last look.
    pub(super) async fn events(&mut self, check: EventCheck) -> Result<()> {
        let mut oldest: f64 = 0.0;
        for database in 0..self.readers.len() {
            let mut unchecked = self.unchecked(check, database).await?;
            if check == EventCheck::Old {
                unchecked = self.of_age(unchecked).await?;
            }
            let logs: Vec<(Gene, Span)> = unchecked.into_iter().collect();
            for logs in logs.chunks(LOGS_MAX) {
                let mut left: Parts = logs.iter().copied().collect();
                while !left.is_empty() {
                    self.event_page(check, database, &mut left).await?;
                    self.tell();
                    self.pace.rest().await;
                }
            }
            oldest = oldest.max(self.oldest(check, database).await?);
        }
        metrics::gauge!("guanxi_check_unconfirmed_age_seconds", "check" => check.name()).set(oldest);
        Ok(())
    }

    async fn unchecked(&self, check: EventCheck, database: usize) -> Result<Parts, Fault> {
        let marks = Statements::one(MARKS, vec![term(check.name())]);
        let rows = marks.rows(&self.readers[database]).await?;
        rows.iter().map(|row| Ok((gene(row, 0)?, (number(row, 1), number(row, 2))))).collect()
    }

    /// Returns what of some parts of logs is old enough.
    async fn of_age(&self, parts: Parts) -> Result<Parts, Fault> {
        let rows = self.ask_each(OF_AGE, parts.clone(), |keys| {
            vec![
                column_of!(keys, (source, _) => i16::from(source.0)),
                column_of!(keys, (_, (after, _)) => after.cast_signed()),
                column_of!(keys, (_, (_, upto)) => upto.cast_signed()),
                term(UNPAIRED_MIN.as_secs_f64()),
            ]
        });
        let old = |row: &Row| {
            let source = gene(row, 0)?;
            let after = parts.get(&source).map_or(0, |(after, _)| *after);
            Ok((source, (after, number(row, 1))))
        };
        rows.await?.iter().map(old).collect()
    }

    /// A page of events of some logs; what is left of these.
    async fn event_page(&mut self, check: EventCheck, database: usize, left: &mut Parts) -> Result<()> {
        let mut read = self.read_parts(database, left).await?;
        self.report.compared += read.values().map(|read| read.events.len() as u64).sum::<u64>();
        self.unreadable(&read).await?;
        let standings = read.values_mut().flat_map(|read| std::mem::take(&mut read.standings));
        let said = |user: UserStanding| {
            (user.uid, SaidStanding { revision: user.revision, standing: Some(user.standing) })
        };
        self.judge_standings(standings.map(said).collect()).await?;
        let silent = self.silent(database, &read).await?;
        self.late(database, &arriving(&read, &silent)).await?;
        let mut marks = BTreeMap::new();
        for (source, read) in read {
            let Some((after, upto)) = left.get_mut(&source) else { continue };
            *after = read.upto;
            marks.insert(source, read.upto);
            if read.upto >= *upto {
                left.remove(&source);
            }
        }
        if self.terms.mends && !marks.is_empty() {
            self.raise(check, database, marks).await?;
        }
        Ok(())
    }

    /// Reads parts of logs, as far as a database has to take them in.
    async fn read_parts(&self, database: usize, parts: &Parts) -> Result<BTreeMap<Gene, SourceRead>, Fault> {
        let map = self.shared.map();
        let peers: Vec<Gene> = map.genes(database).collect();
        let parts = parts.iter().map(|(source, part)| (*source, *part));
        let mut read = BTreeMap::new();
        for (from, parts) in map.by_database(parts, |(source, _)| *source) {
            let parts: Parts = parts.into_iter().collect();
            read.extend(read_source(&self.readers[from], &parts, &peers).await?);
        }
        Ok(read)
    }

    /// Reports the events that cannot be read, and compares the rows of the users whom they name.
    async fn unreadable(&mut self, read: &BTreeMap<Gene, SourceRead>) -> Result<()> {
        let mut suspects = BTreeSet::new();
        for (source, event) in
            read.iter().flat_map(|(source, read)| read.unreadable.iter().map(move |e| (source, e)))
        {
            let detail = format!("event {} of log {:02x} cannot be read", event.at.seq(), source.0);
            let object = event.object.and_then(|object| Uid::new(object).ok());
            self.report.add_of(DifferenceKind::Undecodable, event.subject, object, detail);
            let pair: Option<Pair> = event.subject.zip(object);
            suspects.extend(pair.filter(|(a, b)| a != b && a.gene() == *source));
        }
        self.judge(suspects).await
    }

    /// The events that a database has no echo of.
    async fn silent(
        &self,
        database: usize,
        read: &BTreeMap<Gene, SourceRead>,
    ) -> Result<BTreeSet<LogPlace>, Fault> {
        let all = read.values().flat_map(|read| read.events.iter().map(place_of)).collect();
        let events = arriving(read, &all);
        let keys = events.iter().map(|one| (one.other.gene(), place_of(&one.event)));
        let Some(keys) = keyed(keys) else { return Ok(BTreeSet::new()) };
        let terms = vec![
            column_of!(keys, (peer, _) => i16::from(peer.0)),
            column_of!(keys, (_, (source, _)) => i16::from(source.0)),
            column_of!(keys, (_, (_, seq)) => seq.cast_signed()),
        ];
        Statements::one(SILENT, terms)
            .rows(&self.readers[database])
            .await?
            .iter()
            .map(|row| Ok((gene(row, 0)?, number(row, 1))))
            .collect()
    }

    /// Reports which events without an echo would change anything, and takes them in.
    async fn late(&mut self, database: usize, silent: &[Arriving]) -> Result<()> {
        if silent.is_empty() {
            return Ok(());
        }
        let lost = self.missed(database, silent).await?;
        let mut parted = BTreeSet::new();
        let lost: Vec<Arriving> =
            silent.iter().filter(|one| lost.contains(&place_of(&one.event))).copied().collect();
        for one in &lost {
            let (event, other) = (one.event, one.other);
            let detail = format!("{:?} was not taken in", event.at);
            self.report.add(kind_of(one), event.subject, Some(other), detail);
            if matches!(event.change, Change::Pair { kind: PairChange::Blocked { .. }, .. }) {
                parted.insert((other, event.subject));
            }
        }
        if !self.terms.mends {
            return Ok(());
        }
        let checker = &*self;
        let take_in = |database, lost: Vec<Arriving>| async move { checker.take_in(database, &lost).await };
        let mended = checker.mend_each(lost, |one| one.other.gene(), take_in).await?;
        self.report.mended += mended;
        // Users whom a block parts may have followed each other anew before it was known.
        self.judge(parted).await
    }

    /// Returns which events without an echo would change anything now.
    async fn missed(&self, database: usize, silent: &[Arriving]) -> Result<BTreeSet<LogPlace>, Fault> {
        let reader = &self.readers[database];
        let mut rows = Rows::new(self.shared.terms, Shards::new([], self.shared.stamps.clone()));
        let now_ms = self.shared.clock.now_ms();
        in_one_moment(reader, take_in_late(reader, &mut rows, silent, now_ms)).await
    }

    /// Takes events in, under the locks of the users whom they concern.
    async fn take_in(&self, database: usize, lost: &[Arriving]) -> Result<u64, Fault> {
        let writer = &self.writers[database];
        let take_in = async |mut rows: Rows| {
            let taken = take_in_late(writer, &mut rows, lost, self.shared.clock.now_ms()).await?;
            Ok((rows, taken.len() as u64))
        };
        in_shards(&self.shared, writer, lost.iter().map(|one| one.other.gene()), take_in).await
    }

    async fn raise(
        &self,
        check: EventCheck,
        database: usize,
        marks: BTreeMap<Gene, u64>,
    ) -> Result<(), Fault> {
        let (sources, seqs): (Vec<i16>, Vec<i64>) =
            marks.into_iter().map(|(source, seq)| (i16::from(source.0), seq.cast_signed())).unzip();
        let raise = Statements::one(RAISE, vec![term(check.name()), term(sources), term(seqs)]);
        raise.send(&self.readers[database], "", "").await.map(drop)
    }

    /// Returns the age of the oldest event that a database has to take in and that no check has looked at, in
    /// seconds.
    async fn oldest(&self, check: EventCheck, database: usize) -> Result<f64, Fault> {
        let peers: Vec<i16> = self.shared.map().genes(database).map(|gene| gene.0.into()).collect();
        let unchecked = self.unchecked(check, database).await?;
        let ages = self.ask_each(OLDEST, unchecked, |keys| {
            vec![
                column_of!(keys, (source, _) => i16::from(source.0)),
                column_of!(keys, (_, (after, _)) => after.cast_signed()),
                term(peers.clone()),
            ]
        });
        Ok(ages.await?.iter().filter_map(|row| row.get::<_, Option<f64>>(0)).fold(0.0, f64::max))
    }
}

/// Returns what is wrong while an event is not taken in.
const fn kind_of(one: &Arriving) -> DifferenceKind {
    match one.event.change {
        Change::Liked { .. } => DifferenceKind::LikeUnlisted,
        Change::Unliked { .. } => DifferenceKind::LikeMissing,
        Change::Post { .. } => match one.post {
            Some(post) if !post.is_reply => DifferenceKind::RepostsCount,
            _ => DifferenceKind::RepliesCount,
        },
        Change::Pair { kind, .. } => match kind {
            PairChange::Followed { .. } => DifferenceKind::ReverseMissing,
            PairChange::Unfollowed => DifferenceKind::ForwardMissing,
            PairChange::Requested { .. } | PairChange::RequestEnded { .. } => DifferenceKind::RequestsCount,
            _ => DifferenceKind::MarkIndex,
        },
        _ => DifferenceKind::Undecodable,
    }
}

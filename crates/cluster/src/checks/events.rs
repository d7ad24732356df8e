//! The check of events: each that is said to be applied has an echo, or was overtaken by a newer one.

use super::Checker;
use crate::postgres::{Fault, Statements, term};
use crate::rows::{Pair, by_schema, column_of, damaged, gene};
use guanxi_model::stored::decode_event;
use guanxi_model::{Change, EventAt, Gene, Logs, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio_postgres::Row;

/// Logs of one page, and events of each.
const LOGS_MAX: usize = 16;
const EVENTS_MAX: i64 = 256;

/// How old an event is that has no echo without a doubt.
const UNPAIRED_MIN: Duration = Duration::from_secs(3);

/// What is applied and was not looked at.
const MARKS: &str = "select a.source, coalesce(c.seq, 0), a.seq from gx.applied a \
    left join gx.checked c on c.kind = $1 and c.source = a.source \
    where a.seq > coalesce(c.seq, 0) order by a.source";

const RAISE: &str = "insert into gx.checked (kind, source, seq) \
    select $1, v.source, v.seq from unnest($2::smallint[], $3::bigint[]) as v(source, seq) \
    on conflict (kind, source) do update set seq = greatest(checked.seq, excluded.seq)";

/// Facts of a log that concern shards of a database.
const EVENTS: &str = "select t.gene, t.seq, t.peer, t.detail from {s}.log t \
    where t.gene = $1 and t.peer = any($2) and t.seq > $3 and t.seq <= $4 and t.origin is null \
    and t.written_at <= clock_timestamp() - make_interval(secs => $5) order by t.seq limit $6";

/// Which of some events have no echo.
const SILENT: &str = "select k.origin, k.seq \
    from unnest($1::smallint[], $2::smallint[], $3::bigint[]) as k(gene, origin, seq) \
    where not exists (select from {s}.log t \
    where t.gene = k.gene and t.origin = k.origin and t.origin_seq = k.seq)";

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

    const fn age_min(self) -> Duration {
        match self {
            Self::Applied => Duration::ZERO,
            Self::Old => UNPAIRED_MIN,
        }
    }
}

/// A part of a log: what was looked at, and up to where it is applied.
#[derive(Clone, Copy, Debug)]
struct Unchecked {
    after: u64,
    upto: u64,
}

/// An event that another shard had to take in.
#[derive(Clone, Copy, Debug)]
struct Carried {
    source: Gene,
    seq: u64,
    peer: Gene,
    /// The users whom it is about; none if nothing is kept of it in tables.
    pair: Option<Pair>,
}

impl Checker<'_> {
    /// Looks at the events that every database had to take in since the last look.
    pub(super) async fn events(&mut self, check: EventCheck) -> Result<()> {
        for database in 0..self.readers.len() {
            let unchecked = self.unchecked(check, database).await.map_err(Fault::told)?;
            let logs: Vec<(Gene, Unchecked)> = unchecked.into_iter().collect();
            for logs in logs.chunks(LOGS_MAX) {
                let mut left: BTreeMap<Gene, Unchecked> = logs.iter().copied().collect();
                while !left.is_empty() {
                    self.event_page(check, database, &mut left).await?;
                    self.tell();
                    self.pace.rest().await;
                }
            }
        }
        Ok(())
    }

    async fn unchecked(
        &self,
        check: EventCheck,
        database: usize,
    ) -> Result<BTreeMap<Gene, Unchecked>, Fault> {
        let mut statements = Statements::default();
        statements.add(MARKS, vec![term(check.name())]);
        let rows = statements.send(&self.readers[database], "", "").await?;
        let number = |row: &Row, index: usize| row.get::<_, i64>(index).cast_unsigned();
        let part = |row: &Row| Ok((gene(row, 0)?, Unchecked { after: number(row, 1), upto: number(row, 2) }));
        rows.iter().flatten().map(part).collect()
    }

    /// A page of events of some logs; what is left of these. How far they were applied was read before, and an echo stands in
    /// the commit that says so.
    async fn event_page(
        &mut self,
        check: EventCheck,
        database: usize,
        left: &mut BTreeMap<Gene, Unchecked>,
    ) -> Result<()> {
        let read = self.carried(check, database, left).await.map_err(Fault::told)?;
        let events: Vec<Carried> = read.values().flatten().copied().collect();
        self.report.compared += events.len() as u64;
        let suspects = self.silent(database, &events).await.map_err(Fault::told)?;
        let unsettled = self.report.unsettled;
        self.judge(suspects).await?;
        if self.report.unsettled > unsettled {
            // Looked at again in the next run.
            left.clear();
            return Ok(());
        }
        let mut marks = BTreeMap::new();
        for (source, events) in read {
            let is_whole = i64::try_from(events.len()).is_ok_and(|events| events < EVENTS_MAX);
            let last = events.last().map(|event| event.seq);
            let Some(part) = left.get_mut(&source) else { continue };
            // Of events by age, more may come of age below the mark.
            let whole = if check == EventCheck::Applied { Some(part.upto) } else { last };
            if let Some(upto) = if is_whole { whole } else { last } {
                part.after = upto;
                marks.insert(source, upto);
            }
            if is_whole {
                left.remove(&source);
            }
        }
        if self.terms.mends && !marks.is_empty() {
            self.raise(check, database, marks).await.map_err(Fault::told)?;
        }
        Ok(())
    }

    async fn carried(
        &self,
        check: EventCheck,
        database: usize,
        left: &BTreeMap<Gene, Unchecked>,
    ) -> Result<BTreeMap<Gene, Vec<Carried>>, Fault> {
        let (map, layout) = (self.shared.map(), self.shared.terms.layout);
        let peers: Vec<i16> = map.genes(database).map(|gene| gene.0.into()).collect();
        let mut asked: BTreeMap<usize, (Vec<Gene>, Statements)> = BTreeMap::new();
        for (source, part) in left {
            let terms = vec![
                term(i16::from(source.0)),
                term(peers.clone()),
                term(part.after.cast_signed()),
                term(part.upto.cast_signed()),
                term(check.age_min().as_secs_f64()),
                term(EVENTS_MAX),
            ];
            let (sources, statements) = asked.entry(map.database(*source)).or_default();
            sources.push(*source);
            statements.add_in(layout.schema_of(source.0), EVENTS, terms);
        }
        let mut read = BTreeMap::new();
        for (from, (sources, statements)) in asked {
            let answers = statements.send(&self.readers[from], "", "").await?;
            for (source, rows) in sources.into_iter().zip(answers) {
                let events = rows.iter().map(carried).collect::<Result<Vec<_>, Fault>>()?;
                read.insert(source, events);
            }
        }
        Ok(read)
    }

    /// The pairs of events that a database has no echo of.
    async fn silent(&self, database: usize, events: &[Carried]) -> Result<BTreeSet<Pair>, Fault> {
        let keys = events.iter().map(|event| (event.peer, *event));
        let mut statements = Statements::default();
        for (schema, keys) in by_schema(self.shared.terms.layout, keys) {
            let terms = vec![
                column_of!(keys, (peer, _) => i16::from(peer.0)),
                column_of!(keys, (_, event) => i16::from(event.source.0)),
                column_of!(keys, (_, event) => event.seq.cast_signed()),
            ];
            statements.add_in(schema, SILENT, terms);
        }
        if statements.is_empty() {
            return Ok(BTreeSet::new());
        }
        let pairs: BTreeMap<(Gene, u64), Option<Pair>> =
            events.iter().map(|event| ((event.source, event.seq), event.pair)).collect();
        let mut silent = BTreeSet::new();
        for row in statements.send(&self.readers[database], "", "").await?.iter().flatten() {
            let key = (gene(row, 0)?, row.get::<_, i64>(1).cast_unsigned());
            silent.extend(pairs.get(&key).copied().flatten());
        }
        Ok(silent)
    }

    async fn raise(
        &self,
        check: EventCheck,
        database: usize,
        marks: BTreeMap<Gene, u64>,
    ) -> Result<(), Fault> {
        let (sources, seqs): (Vec<i16>, Vec<i64>) =
            marks.into_iter().map(|(source, seq)| (i16::from(source.0), seq.cast_signed())).unzip();
        let mut statements = Statements::default();
        statements.add(RAISE, vec![term(check.name()), term(sources), term(seqs)]);
        statements.send(&self.readers[database], "", "").await.map(drop)
    }
}

fn carried(row: &Row) -> Result<Carried, Fault> {
    let (source, seq, peer) = (gene(row, 0)?, row.get::<_, i64>(1).cast_unsigned(), gene(row, 2)?);
    let at = EventAt::new(Logs::PerGene.of_gene(source), seq);
    let event = decode_event(at, row.get(3)).ok_or_else(|| damaged("an event"))?;
    let pair = match event.change {
        Change::Pair { object, .. } => Some((event.subject, object)),
        _ => None,
    };
    Ok(Carried { source, seq, peer, pair })
}

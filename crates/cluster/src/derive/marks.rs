//! How far logs are applied in a database: a mark for each log, and the shards that are behind it because others held their rows.
//!
//! A mark passes with the effects on all other shards. In the same commit a row of `gx.held` says from which event on a shard is
//! behind. So each question whether something is applied asks for both.

use super::Marks;
use crate::rows::{column_of, gene, number};
use guanxi_model::Gene;
use guanxi_postgres::{Fault, Statements, Term, term};
use guanxi_shard::apply::{AppliedMark, Targets};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_postgres::Row;

/// The marks of some logs, each with the shards that are behind it: a row for each of them.
const MARKS: &str = "select a.source, a.seq, a.version, h.target, h.from_seq \
    from unnest($1::smallint[]) as k(source) \
    cross join lateral (select * from gx.applied t where t.source = k.source limit 1) a \
    left join lateral (select * from gx.held t where t.source = k.source offset 0) h on true";

/// Rows in the order of the logs, so that two transactions never wait for each other; shards are locked after them.
const LOCK_MARKS: &str =
    "select source, seq, version from gx.applied where source = any($1) order by source for update";

/// Asked under the locks of their marks, without which none of them changes.
const HELD: &str = "select h.source, h.target, h.from_seq from unnest($1::smallint[]) as k(source) \
    cross join lateral (select * from gx.held t where t.source = k.source offset 0) h";

const RAISE: &str = "update gx.applied a set seq = v.seq, version = v.version \
    from (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) limit cardinality($1)) as v(source, seq, version) \
    where a.source = v.source and a.seq < v.seq";

const PUT_HELD: &str = "insert into gx.held (source, target, from_seq) \
    select * from unnest($1::smallint[], $2::smallint[], $3::bigint[]) \
    on conflict (source, target) do update set from_seq = excluded.from_seq";

const DROP_HELD: &str = "delete from gx.held t \
    using (select * from unnest($1::smallint[], $2::smallint[]) limit cardinality($1)) as k(source, target) \
    where t.source = k.source and t.target = k.target";

fn logs<'a>(sources: impl IntoIterator<Item = &'a Gene>) -> Term {
    term(sources.into_iter().map(|gene| i16::from(gene.0)).collect::<Vec<_>>())
}

/// The question how far some logs are applied.
pub(crate) fn marks<'a>(sources: impl IntoIterator<Item = &'a Gene>) -> Statements {
    Statements::one(MARKS, vec![logs(sources)])
}

/// The same question about all logs.
pub(crate) fn all_marks() -> Statements {
    let all: Vec<Gene> = (0..=u8::MAX).map(Gene).collect();
    marks(&all)
}

/// Reads the answer.
pub(crate) fn read_marks(rows: &[Row]) -> Result<BTreeMap<Gene, AppliedMark>, Fault> {
    let mut marks: BTreeMap<Gene, AppliedMark> = BTreeMap::new();
    for row in rows {
        let mark = marks.entry(gene(row, 0)?).or_default();
        (mark.seq, mark.version) = (number(row, 1), row.get(2));
        if row.get::<_, Option<i16>>(3).is_some() {
            mark.behind.insert(gene(row, 3)?, number(row, 4));
        }
    }
    Ok(marks)
}

/// The statements that lock marks, and ask for the shards behind them.
pub(super) fn lock_marks<'a>(sources: impl Iterator<Item = &'a Gene> + Clone) -> Statements {
    let mut statements = Statements::one(LOCK_MARKS, vec![logs(sources.clone())]);
    statements.add(HELD, vec![logs(sources)]);
    statements
}

/// Reads their answers.
pub(super) fn read_locked(answers: &[Vec<Row>]) -> Result<BTreeMap<Gene, AppliedMark>, Fault> {
    let mut marks = BTreeMap::new();
    for row in answers.first().into_iter().flatten() {
        let mark = AppliedMark { seq: number(row, 1), version: row.get(2), behind: BTreeMap::new() };
        marks.insert(gene(row, 0)?, mark);
    }
    for row in answers.get(1).into_iter().flatten() {
        if let Some(mark) = marks.get_mut(&gene(row, 0)?) {
            mark.behind.insert(gene(row, 1)?, number(row, 2));
        }
    }
    Ok(marks)
}

/// Adds the statements that put marks which were locked as `before`.
pub(super) fn put_marks(
    before: &BTreeMap<Gene, AppliedMark>,
    marks: &BTreeMap<Gene, AppliedMark>,
    changes: &mut Statements,
) {
    let pairs = |marks: &BTreeMap<Gene, AppliedMark>| -> BTreeSet<(Gene, Gene, u64)> {
        let of_log = |(source, mark): (&Gene, &AppliedMark)| {
            let source = *source;
            mark.behind.iter().map(move |(target, from)| (source, *target, *from)).collect::<Vec<_>>()
        };
        marks.iter().flat_map(of_log).collect()
    };
    changes.add(
        RAISE,
        vec![
            column_of!(marks, (source, _) => i16::from(source.0)),
            column_of!(marks, (_, mark) => mark.seq.cast_signed()),
            column_of!(marks, (_, mark) => mark.version),
        ],
    );
    let (old, new) = (pairs(before), pairs(marks));
    let gone: Vec<_> = old.iter().filter(|(source, target, _)| !is_behind(marks, *source, *target)).collect();
    let put: Vec<_> = new.difference(&old).collect();
    changes.add_rows(DROP_HELD, &gone, |gone| {
        vec![
            column_of!(gone, (source, _, _) => i16::from(source.0)),
            column_of!(gone, (_, target, _) => i16::from(target.0)),
        ]
    });
    changes.add_rows(PUT_HELD, &put, |put| {
        vec![
            column_of!(put, (source, _, _) => i16::from(source.0)),
            column_of!(put, (_, target, _) => i16::from(target.0)),
            column_of!(put, (_, _, from) => from.cast_signed()),
        ]
    });
}

fn is_behind(marks: &BTreeMap<Gene, AppliedMark>, source: Gene, target: Gene) -> bool {
    marks.get(&source).is_some_and(|mark| mark.behind.contains_key(&target))
}

/// Up to where the logs are known to be applied in one database. It only rises, until the database is taken in anew.
pub(crate) struct AppliedMarks(Vec<Mutex<AppliedMark>>);

impl AppliedMarks {
    pub(super) fn new() -> Self {
        Self((0..=u8::MAX).map(|_| Mutex::default()).collect())
    }

    fn of(&self, source: Gene) -> MutexGuard<'_, AppliedMark> {
        self.0[usize::from(source.0)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far a log is. What was read before something newer says nothing of shards that are behind that.
    pub(crate) fn note(&self, source: Gene, mark: AppliedMark) {
        let mut known = self.of(source);
        if mark.seq >= known.seq {
            *known = mark;
        }
    }

    /// Forgets how far all of them are.
    pub(crate) fn forget(&self) {
        (0..=u8::MAX).for_each(|source| *self.of(Gene(source)) = AppliedMark::default());
    }

    /// Returns how far a log is at least, in every shard.
    pub(crate) fn get(&self, source: Gene) -> u64 {
        self.of(source).whole()
    }

    /// Returns up to where a log is applied but for shards that are behind.
    pub(super) fn passed(&self, source: Gene) -> u64 {
        self.of(source).seq
    }

    /// Returns how far a log is, with the shards that are behind.
    pub(super) fn mark(&self, source: Gene) -> AppliedMark {
        self.of(source).clone()
    }

    /// Returns whether logs are applied to some shards up to given events.
    pub(super) fn include(&self, marks: &Marks, targets: &Targets) -> bool {
        marks.iter().all(|(source, seq)| self.of(*source).to(targets) >= *seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_that_is_behind_holds_up_what_asks_for_it() {
        let marks = AppliedMarks::new();
        let behind = BTreeMap::from([(Gene(2), 7), (Gene(3), 9)]);
        marks.note(Gene(1), AppliedMark { seq: 10, version: None, behind });
        let upto = |seq, targets: &Targets| marks.include(&Marks::from([(Gene(1), seq)]), targets);
        assert_eq!(marks.get(Gene(1)), 6);
        assert!(upto(6, &Targets::All) && !upto(7, &Targets::All));
        assert!(upto(8, &Targets::one(Gene(3))) && !upto(9, &Targets::one(Gene(3))));
        assert!(upto(10, &Targets::one(Gene(4))) && upto(10, &Targets::Free) && !upto(11, &Targets::Free));
    }

    #[test]
    fn what_was_read_before_is_not_taken_for_what_is_newer() {
        let marks = AppliedMarks::new();
        let behind = BTreeMap::from([(Gene(2), 7)]);
        marks.note(Gene(1), AppliedMark { seq: 10, version: None, behind });
        marks.note(Gene(1), AppliedMark { seq: 6, ..AppliedMark::default() });
        assert_eq!(marks.get(Gene(1)), 6);
        marks.note(Gene(1), AppliedMark { seq: 10, ..AppliedMark::default() });
        assert_eq!(marks.get(Gene(1)), 10);
        marks.forget();
        assert_eq!(marks.get(Gene(1)), 0);
    }
}

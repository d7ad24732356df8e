//! Where a check is, so that the next run goes on there when one is cut off.

use super::Checker;
use super::tables::TableKey;
use crate::rows::number;
use guanxi_model::Result;
use guanxi_postgres::{Fault, Statements, term};

const PLACE: &str = "select phase, database, gene, owner, other, compared, differed, mended \
    from gx.check_run where kind = $1 and done_at is null";

const NOTE: &str = "insert into gx.check_run \
    (kind, phase, database, gene, owner, other, compared, differed, mended) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
    on conflict (kind) do update set phase = excluded.phase, database = excluded.database, gene = excluded.gene, \
    owner = excluded.owner, other = excluded.other, compared = excluded.compared, differed = excluded.differed, \
    mended = excluded.mended, updated_at = now(), done_at = null, \
    started_at = case when check_run.done_at is null then check_run.started_at else now() end";

const END: &str = "update gx.check_run set updated_at = now(), done_at = now() where kind = $1";

/// The place of a check of all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunPlace {
    /// Which of its walks.
    pub phase: u8,
    /// Which database.
    pub database: u16,
    /// Behind which row.
    pub key: TableKey,
}

impl RunPlace {
    /// The beginning.
    const START: Self = Self { phase: 0, database: 0, key: TableKey::START };
}

impl Checker<'_> {
    /// Returns where to begin, of so many walks: where the last run was cut off, if the note of that can be read.
    pub(super) async fn begin_run(&mut self, walks: usize) -> Result<RunPlace> {
        if !self.terms.resumes {
            return Ok(RunPlace::START);
        }
        let place = Statements::one(PLACE, vec![term(self.check.name())]);
        let rows = place.rows(&self.readers[0]).await?;
        let Some(row) = rows.first() else { return Ok(RunPlace::START) };
        let place = |index: usize, end: usize| {
            u16::try_from(row.get::<_, i16>(index)).ok().filter(|place| usize::from(*place) <= end)
        };
        let (Some(phase), Some(database)) = (place(0, walks), place(1, self.readers.len())) else {
            return Ok(RunPlace::START);
        };
        let count = |index: usize| number(row, index);
        (self.report.compared, self.report.differences_total, self.report.mended) =
            (count(5), count(6), count(7));
        Ok(RunPlace {
            phase: u8::try_from(phase).unwrap_or_default(),
            database,
            key: TableKey { gene: row.get(2), owner: row.get(3), other: row.get(4) },
        })
    }

    /// Notes where it is.
    pub(super) async fn note_run(&self, place: &RunPlace) -> Result<()> {
        let RunPlace { phase, database, key } = *place;
        let report = &self.report;
        let terms = vec![
            term(self.check.name()),
            term(i16::from(phase)),
            term(database.cast_signed()),
            term(key.gene),
            term(key.owner),
            term(key.other),
            term(report.compared.cast_signed()),
            term(report.differences_total.cast_signed()),
            term(report.mended.cast_signed()),
        ];
        self.write_run(NOTE, terms).await
    }

    /// Notes that it is done.
    pub(super) async fn end_run(&self) -> Result<()> {
        self.write_run(END, vec![term(self.check.name())]).await
    }

    async fn write_run(&self, sql: &'static str, terms: Vec<guanxi_postgres::Term>) -> Result<()> {
        if !self.terms.resumes {
            return Ok(());
        }
        let noted = Statements::one(sql, terms).send(&self.readers[0], "", "").await;
        noted.map(drop).map_err(Fault::told)
    }
}

//! The check of digests: where the two sides of a pair of genes do not count and sum the same, or a side does not count and sum
//! its own rows, the rows of both are compared.
//!
//! Digests are kept in the commits that change rows. If both sides agree, all events were applied; that costs the reading of
//! digests alone. If each digest agrees with its rows, these were changed by no other means. That costs one reading of each
//! table, some genes at a time in one moment, without a look at the other side. A digest that is wrong while its rows agree is
//! counted anew.

use super::Checker;
use super::full::TableWalk;
use super::look::Looked;
use super::tables::{PAIRED, PairedTables, TableKey, WalkedTable};
use crate::rows::{DigestCell, DigestDelta, DigestKind, DigestSide, damaged, digest_of, gene, put_deltas};
use crate::store::{in_one_moment, lock_rows, or_undo};
use guanxi_model::{Gene, Result};
use guanxi_ports::{HeatCell, HeatMap, HeatSide};
use guanxi_postgres::{Connection, Fault, Statements, term};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// One side of all digests of a database.
const CELLS: &str = "select gene, other, count, sum::text from gx.digest where kind = $1 and side = $2";

/// The same of some of its genes.
const CELLS_OF: &str = "select gene, other, count, sum::text from gx.digest \
    where gene between $1 and $2 and kind = $3 and side = $4";

/// Rows that are digests of no two genes of a kind, or of none that is known.
macro_rules! no_cells {
    ($verb:literal, $more:literal) => {
        concat!(
            $verb,
            " from gx.digest where (kind = $2 or $2 = 1 and kind not in (1, 2)) and \
            (gene <> all($1) or kind not in (1, 2) or side not in (0, 1) or other not between 0 and 255)",
            $more
        )
    };
}
const NO_CELLS: &str = no_cells!("select gene, kind, side, other", "");
const REMOVE_NO_CELLS: &str = no_cells!("delete", " returning gene");

/// Genes whose rows are read in one moment: a moment that lasts keeps the server from removing dead rows.
const MOMENT_GENES: i16 = 32;

/// Only one counts digests anew at a time, for as long as that takes.
const ALONE: &str = "begin; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0";
const ALONE_LOCK: &str = "select pg_advisory_xact_lock(x'67786469676573'::bigint)::text";

/// The gene of the subjects, and that of the objects.
pub(super) type GenePair = (Gene, Gene);

/// Genes of a database: from one on and up to another.
#[derive(Clone, Copy, Debug)]
struct GeneSpan {
    database: usize,
    first: i16,
    last: i16,
}

impl GeneSpan {
    fn genes(self) -> (i16, i16) {
        (self.first, self.last)
    }
}

/// What both sides say of pairs of genes: the facts, and what follows.
type SeenCells = BTreeMap<GenePair, (DigestDelta, DigestDelta)>;

/// The pair of genes of a digest.
const fn genes_of((own, side, other): DigestCell) -> GenePair {
    match side {
        DigestSide::Facts => (own, other),
        DigestSide::Mirrors => (other, own),
    }
}

impl Checker<'_> {
    /// Compares the digests of all pairs of genes with each other, and with their rows.
    pub(super) async fn digests(&mut self) -> Result<()> {
        self.walk(&PAIRED.map(TableWalk::Cells)).await
    }

    /// Compares the digests of some genes of a database with their rows; returns where the next genes begin, if there are any. If
    /// they are walked alone, all digests of two tables are compared with each other first, and rows are compared where digests
    /// are wrong.
    pub(super) async fn cells(
        &mut self,
        tables: PairedTables,
        (database, after): (usize, TableKey),
        are_alone: bool,
    ) -> Result<Option<TableKey>> {
        if after == TableKey::START {
            self.no_cells(tables, database).await?;
        }
        if are_alone && database == 0 && after == TableKey::START {
            let cells = self.wrong_cells(tables, None).await?;
            self.wrong_digests(tables, cells, true).await?;
            self.tell();
            self.pace.rest().await;
        }
        let first = if after == TableKey::START { 0 } else { after.gene + 1 };
        let span = GeneSpan { database, first, last: first + MOMENT_GENES - 1 };
        let cells = self.cells_of_rows(tables, span).await?;
        self.wrong_digests(tables, cells, are_alone).await?;
        let is_last = span.last >= i16::from(u8::MAX);
        Ok((!is_last).then_some(TableKey { gene: span.last, ..TableKey::START }))
    }

    /// Reports rows that are digests of nothing, and removes them: no commit counts there.
    async fn no_cells(&mut self, tables: PairedTables, database: usize) -> Result<()> {
        let genes: Vec<i16> = self.shared.map().genes(database).map(|gene| i16::from(gene.0)).collect();
        let terms = || vec![term(genes.clone()), term(tables.kind.column())];
        for row in &self.ask(database, NO_CELLS, terms()).await? {
            let [gene, kind, side, other] = std::array::from_fn(|index| row.get::<_, i16>(index));
            self.wrong_row(format!("row {gene} {kind} {side} {other} of digest is of no two genes"));
        }
        if self.terms.mends {
            let removed = Statements::one(REMOVE_NO_CELLS, terms()).rows(&self.writers[database]).await?;
            self.report.mended += removed.len() as u64;
        }
        Ok(())
    }

    /// Reports digests that are wrong; may compare the rows that they are of; and counts anew what is wrong still.
    async fn wrong_digests(
        &mut self,
        tables: PairedTables,
        cells: BTreeSet<GenePair>,
        are_rows_compared: bool,
    ) -> Result<()> {
        let mut new = 0;
        for cell in &cells {
            if self.told_cells.insert((tables.kind, *cell)) {
                self.report.add_cell(tables.kind, *cell);
                new += 1;
            }
        }
        if cells.is_empty() {
            return Ok(());
        }
        if are_rows_compared {
            self.scan(TableWalk::Mirrors(tables), tables.mirrors, &cells).await?;
            self.scan(TableWalk::Facts(tables), tables.facts, &cells).await?;
        }
        if !self.terms.mends {
            return Ok(());
        }
        // What the mends of rows have left is wrong by itself.
        self.settle().await?;
        self.recount_cells(tables, DigestSide::Facts, cells.iter().copied().collect()).await?;
        self.recount_cells(tables, DigestSide::Mirrors, cells.iter().map(|(a, b)| (*b, *a)).collect())
            .await?;
        let left = self.wrong_cells(tables, Some(&cells)).await?;
        self.report.cells_mended += new.min(cells.difference(&left).count() as u64);
        Ok(())
    }

    /// Pairs of genes whose digests are not what the rows of some genes are, each side by itself, read in one moment.
    async fn cells_of_rows(
        &mut self,
        tables: PairedTables,
        span: GeneSpan,
    ) -> Result<BTreeSet<GenePair>, Fault> {
        let mut cells = BTreeSet::new();
        for side in [DigestSide::Facts, DigestSide::Mirrors] {
            let (wrong_by, rows) = self.wrong_by(tables, side, span, None).await?;
            self.report.compared += rows;
            cells.extend(wrong_by.into_keys().map(genes_of));
        }
        Ok(cells)
    }

    /// Pairs of genes that differ, and still do, unchanged, after everything under way was applied.
    async fn wrong_cells(
        &mut self,
        tables: PairedTables,
        of: Option<&BTreeSet<GenePair>>,
    ) -> Result<BTreeSet<GenePair>> {
        let (compared, before) = self.differing(tables, of).await?;
        self.report.compared += compared;
        let looked = self.look_again(before, |cells| self.differing_still(tables, cells)).await?;
        let Looked { standing, unsettled, again } = looked;
        self.report.compared += again;
        self.report.unsettled += unsettled;
        Ok(standing.into_keys().collect())
    }

    /// How many pairs of genes are read now, and those of them that differ.
    async fn differing(
        &self,
        tables: PairedTables,
        of: Option<&BTreeSet<GenePair>>,
    ) -> Result<(u64, SeenCells), Fault> {
        let mut seen = self.seen_cells(tables).await?;
        seen.retain(|cell, _| of.is_none_or(|of| of.contains(cell)));
        let compared = seen.len() as u64;
        seen.retain(|_, (facts, mirrors)| facts != mirrors);
        Ok((compared, seen))
    }

    /// The heat map of follows. Digests that differ only while an event is under way agree.
    pub(super) async fn heat(&self) -> Result<Vec<HeatCell>> {
        let [follows, _] = PAIRED;
        let before = self.differing(follows, None).await?.1;
        let differing = self.look_again(before, |cells| self.differing_still(follows, cells)).await?.standing;
        let mut map = HeatMap::default();
        for (genes, (facts, mirrors)) in self.seen_cells(follows).await? {
            let mirrors = if differing.contains_key(&genes) { mirrors } else { facts };
            for (side, digest) in [(HeatSide::Forward, facts), (HeatSide::Reverse, mirrors)] {
                map.add(side, genes, digest.count.cast_unsigned(), digest.sum);
            }
        }
        Ok(map.cells())
    }

    /// All pairs of genes, as they are read now: what follows is read first.
    async fn seen_cells(&self, tables: PairedTables) -> Result<SeenCells, Fault> {
        let mut seen = SeenCells::new();
        for side in [DigestSide::Mirrors, DigestSide::Facts] {
            for connection in &self.readers {
                let cells = Statements::one(CELLS, vec![term(tables.kind.column()), term(side.column())]);
                for row in &cells.rows(connection).await? {
                    let Ok((own, other, digest)) = cell(row) else { continue };
                    match side {
                        DigestSide::Facts => seen.entry((own, other)).or_default().0 = digest,
                        DigestSide::Mirrors => seen.entry((other, own)).or_default().1 = digest,
                    }
                }
            }
        }
        Ok(seen)
    }

    async fn differing_still(&self, tables: PairedTables, cells: BTreeSet<GenePair>) -> Result<SeenCells> {
        Ok(self.differing(tables, Some(&cells)).await?.1)
    }

    /// Compares the rows of some cells.
    async fn scan(&mut self, walk: TableWalk, table: &WalkedTable, cells: &BTreeSet<GenePair>) -> Result<()> {
        let is_facts = matches!(walk, TableWalk::Facts(_));
        let owners: BTreeSet<Gene> = cells.iter().map(|(a, b)| if is_facts { *a } else { *b }).collect();
        for gene in owners {
            let span = self.span_of(gene);
            let mut after = Some(TableKey::START);
            while let Some(key) = after {
                let page = self.readable_rows(table, span.genes(), (span.database, key)).await?;
                after = page.next;
                let mut page = page.rows;
                page.retain(|row| {
                    let (own, other) = (row.gene, row.other.gene());
                    own == gene && cells.contains(&if is_facts { (own, other) } else { (other, own) })
                });
                let suspects = self.suspects(walk, &page).await?;
                self.report.compared += page.len() as u64;
                self.judge(suspects).await?;
                self.tell();
                self.pace.rest().await;
            }
        }
        Ok(())
    }

    /// A gene alone, in the database that has it.
    fn span_of(&self, gene: Gene) -> GeneSpan {
        let own = i16::from(gene.0);
        GeneSpan { database: self.shared.map().database(gene), first: own, last: own }
    }

    /// Counts digests anew, each a pair of its own gene and the other. The error of a digest stays the same for all commits
    /// meanwhile, so that it is found in one moment and taken off later.
    async fn recount_cells(
        &mut self,
        tables: PairedTables,
        side: DigestSide,
        cells: BTreeSet<GenePair>,
    ) -> Result<()> {
        let genes: BTreeSet<Gene> = cells.iter().map(|cell| cell.0).collect();
        for span in genes.into_iter().map(|gene| self.span_of(gene)) {
            let writer = &self.writers[span.database];
            let changed = async {
                writer.run(ALONE).await?;
                Statements::one(ALONE_LOCK, Vec::new()).send(writer, "", "").await?;
                let (wrong_by, _) = self.wrong_by(tables, side, span, Some(&cells)).await?;
                self.take_off(writer, tables.kind, &wrong_by).await
            };
            match or_undo(writer, changed.await).await {
                Err(fault) if fault.lies_in_rows() => {
                    let (gene, problem) = (span.first, fault.told());
                    tracing::warn!(gene, %problem, "the digests of a gene cannot be counted anew");
                }
                counted => counted?,
            }
        }
        Ok(())
    }

    /// Returns what is to be added to digests of some genes, to all or to some of them, so that they are what their rows say, all
    /// read in one moment; and how many rows that were.
    async fn wrong_by(
        &self,
        tables: PairedTables,
        side: DigestSide,
        span: GeneSpan,
        cells: Option<&BTreeSet<GenePair>>,
    ) -> Result<(BTreeMap<DigestCell, DigestDelta>, u64), Fault> {
        let read = async {
            let is_asked = |cell: &GenePair| cells.is_none_or(|cells| cells.contains(cell));
            let mut wrong = BTreeMap::new();
            for (cell, stored) in self.stored(tables.kind, side, span).await? {
                if is_asked(&cell) {
                    wrong.insert(cell, DigestDelta::default().since(stored));
                }
            }
            let rows = self.counted(tables, side, span, &mut wrong, is_asked).await?;
            let wrong = wrong.into_iter().filter(|(_, wrong_by)| *wrong_by != DigestDelta::default());
            Ok((wrong.map(|((own, other), wrong_by)| ((own, side, other), wrong_by)).collect(), rows))
        };
        in_one_moment(&self.readers[span.database], read).await
    }

    /// Adds the rows of some genes that stand to digests; returns how many there were.
    async fn counted(
        &self,
        tables: PairedTables,
        side: DigestSide,
        span: GeneSpan,
        digests: &mut BTreeMap<GenePair, DigestDelta>,
        is_asked: impl Fn(&GenePair) -> bool,
    ) -> Result<u64, Fault> {
        let table = match side {
            DigestSide::Facts => tables.facts,
            DigestSide::Mirrors => tables.mirrors,
        };
        let (mut rows, mut after) = (0, Some(TableKey::START));
        while let Some(key) = after {
            let page = self.rows_of(table, span.genes(), (span.database, key)).await?;
            rows += page.rows.len() as u64;
            after = page.next;
            for row in page.rows.iter().filter(|row| row.paired.active) {
                let cell = (row.gene, row.other.gene());
                if is_asked(&cell) {
                    let pair = match side {
                        DigestSide::Facts => (row.owner, row.other),
                        DigestSide::Mirrors => (row.other, row.owner),
                    };
                    let place = (row.paired.at, row.paired.version);
                    digests.entry(cell).or_default().add(digest_of(self.shared.terms.history, pair, place));
                }
            }
        }
        Ok(rows)
    }

    /// The digests of one side of some genes as they are stored.
    async fn stored(
        &self,
        kind: DigestKind,
        side: DigestSide,
        span: GeneSpan,
    ) -> Result<Vec<(GenePair, DigestDelta)>, Fault> {
        let terms = vec![term(span.first), term(span.last), term(kind.column()), term(side.column())];
        let rows = self.ask(span.database, CELLS_OF, terms).await?;
        let cells = rows.iter().filter_map(|row| cell(row).ok());
        Ok(cells.map(|(own, other, digest)| ((own, other), digest)).collect())
    }

    async fn take_off(
        &self,
        writer: &Connection,
        kind: DigestKind,
        wrong_by: &BTreeMap<DigestCell, DigestDelta>,
    ) -> Result<(), Fault> {
        let genes: BTreeSet<Gene> = wrong_by.keys().map(|(gene, _, _)| *gene).collect();
        let rows = lock_rows(&self.shared, writer, "", &genes).await?;
        let rows = rows.ok_or(Fault::Moved)?;
        let mut changes = Statements::default();
        put_deltas(&mut changes, kind, wrong_by, |gene| rows.shards.seq(gene));
        changes.send(writer, "", "commit").await.map(drop)
    }
}

fn cell(row: &Row) -> Result<(Gene, Gene, DigestDelta), Fault> {
    let sum: String = row.get(3);
    let sum = sum.parse().map_err(|_| damaged("a digest"))?;
    Ok((gene(row, 0)?, gene(row, 1)?, DigestDelta { count: row.get(2), sum }))
}

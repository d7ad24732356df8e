//! The check of digests: where both sides of a pair of genes do not count and sum the same follows, these are compared row by row.
//!
//! A digest is kept in the commits that change rows, so that it tells what was not carried, and not what was done to rows by
//! hand: that is for the check of every row. A digest that is wrong while its rows agree is counted anew.

use super::Checker;
use super::full::TableWalk;
use super::tables::{PAIRED, TableKey, WalkedRow, WalkedTable};
use crate::postgres::{Connection, Fault, SchemaName, Statements, term};
use crate::rows::{
    DigestCell, DigestDelta, DigestSide, FOLLOWS_DIGEST, Locked, damaged, digest_of, gene, lock_shards,
    locked, put_deltas,
};
use guanxi_model::{Gene, Result};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// How often cells are looked at that change at every look.
const LOOKS_MAX: usize = 4;

/// One side of all digests of a database.
const CELLS: &str = "select gene, other, count, sum::text from gx.digest where kind = $1 and side = $2";

/// One side of the digests of some genes.
const CELLS_OF: &str = "select gene, other, count, sum::text from {s}.digest \
    where kind = $1 and side = $2 and gene = any($3)";

/// One moment of a database, however long it is looked at.
const BEGIN: &str = "begin isolation level repeatable read read only";

/// Only one counts digests anew at a time, for as long as that takes.
const ALONE: &str = "begin; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0";
const ALONE_LOCK: &str = "select pg_advisory_xact_lock(x'67786469676573'::bigint)::text";

/// The gene of the subjects, and that of the objects.
type GenePair = (Gene, Gene);

/// What both sides say of pairs of genes: the facts, and what follows.
type SeenCells = BTreeMap<GenePair, (DigestDelta, DigestDelta)>;

impl Checker<'_> {
    /// Compares the digests of all pairs of genes.
    pub(super) async fn digests(&mut self) -> Result<()> {
        let cells = self.wrong_cells(None).await?;
        self.report.cells_differed = cells.len() as u64;
        self.tell();
        if cells.is_empty() {
            return Ok(());
        }
        for tables in PAIRED.iter().take(1) {
            self.scan(TableWalk::Mirrors(*tables), tables.mirrors, &cells).await?;
            self.scan(TableWalk::Facts(*tables), tables.facts, &cells).await?;
        }
        if !self.terms.mends {
            return Ok(());
        }
        // Those whose rows were mended agree now; of the others the digests are wrong.
        crate::store::settle(&self.shared).await?;
        let wrong = self.wrong_cells(Some(&cells)).await?;
        let (facts, mirrors) = (PAIRED[0].facts, PAIRED[0].mirrors);
        self.recount_cells(facts, DigestSide::Facts, wrong.iter().copied().collect()).await?;
        self.recount_cells(mirrors, DigestSide::Mirrors, wrong.iter().map(|(a, b)| (*b, *a)).collect())
            .await?;
        let left = self.wrong_cells(Some(&cells)).await?;
        self.report.cells_mended = cells.difference(&left).count() as u64;
        Ok(())
    }

    /// Pairs of genes that differ, and still do, unchanged, after everything under way was applied.
    async fn wrong_cells(&mut self, of: Option<&BTreeSet<GenePair>>) -> Result<BTreeSet<GenePair>> {
        let mut before = self.differing(of).await.map_err(Fault::told)?;
        let mut standing = BTreeSet::new();
        for _ in 1..LOOKS_MAX {
            if before.is_empty() {
                return Ok(standing);
            }
            crate::store::settle(&self.shared).await?;
            let asked: BTreeSet<GenePair> = before.keys().copied().collect();
            let mut after = self.differing(Some(&asked)).await.map_err(Fault::told)?;
            after.retain(|cell, seen| {
                let is_same = before.get(cell) == Some(seen);
                if is_same {
                    standing.insert(*cell);
                }
                !is_same
            });
            before = after;
        }
        self.report.unsettled += before.len() as u64;
        Ok(standing)
    }

    /// Pairs of genes that differ as they are read now: what follows is read first.
    async fn differing(&mut self, of: Option<&BTreeSet<GenePair>>) -> Result<SeenCells, Fault> {
        let mut seen = SeenCells::new();
        for side in [DigestSide::Mirrors, DigestSide::Facts] {
            for connection in &self.readers {
                let mut statements = Statements::default();
                statements.add(CELLS, vec![term(FOLLOWS_DIGEST), term(side.column())]);
                for row in statements.send(connection, "", "").await?.iter().flatten() {
                    let (own, other, digest) = cell(row)?;
                    match side {
                        DigestSide::Facts => seen.entry((own, other)).or_default().0 = digest,
                        DigestSide::Mirrors => seen.entry((other, own)).or_default().1 = digest,
                    }
                }
            }
        }
        seen.retain(|cell, _| of.is_none_or(|of| of.contains(cell)));
        self.report.compared += seen.len() as u64;
        seen.retain(|_, (facts, mirrors)| facts != mirrors);
        Ok(seen)
    }

    /// Compares the rows of some cells.
    async fn scan(&mut self, walk: TableWalk, table: &WalkedTable, cells: &BTreeSet<GenePair>) -> Result<()> {
        let is_facts = matches!(walk, TableWalk::Facts(_));
        let owners = cells.iter().map(|(a, b)| if is_facts { *a } else { *b });
        let layout = self.shared.terms.layout;
        let schemas: BTreeSet<SchemaName> = owners.map(|gene| layout.schema_of(gene.0)).collect();
        for schema in schemas {
            let mut after = Some(TableKey::START);
            while let Some(key) = after {
                let mut page = self.page(table, schema, key).await.map_err(Fault::told)?;
                after = page.last().filter(|_| page.len() >= self.terms.page_rows).map(WalkedRow::key);
                page.retain(|row| {
                    let (own, other) = (row.gene, row.other.gene());
                    cells.contains(&if is_facts { (own, other) } else { (other, own) })
                });
                let suspects = self.suspects(walk, &page).await.map_err(Fault::told)?;
                self.report.compared += page.len() as u64;
                self.judge(suspects).await?;
                self.tell();
                self.pace.rest().await;
            }
        }
        Ok(())
    }

    /// Counts digests anew, each a pair of its own gene and the other. What a digest is wrong by stays the same whatever commits
    /// meanwhile, so that it is found in one moment and taken off later.
    async fn recount_cells(
        &mut self,
        table: &WalkedTable,
        side: DigestSide,
        cells: BTreeSet<GenePair>,
    ) -> Result<()> {
        let mut schemas: BTreeMap<SchemaName, BTreeSet<GenePair>> = BTreeMap::new();
        for cell in cells {
            schemas.entry(self.shared.terms.layout.schema_of(cell.0.0)).or_default().insert(cell);
        }
        for (schema, cells) in schemas {
            let writer = &self.writers[self.database_of(schema)];
            let changed = async {
                writer.run(ALONE).await?;
                let mut alone = Statements::default();
                alone.add(ALONE_LOCK, Vec::new());
                alone.send(writer, "", "").await?;
                let wrong_by = self.wrong_by(table, side, schema, &cells).await?;
                self.take_off(writer, &wrong_by).await
            };
            super::mend::ended(writer, changed.await).await.map_err(Fault::told)?;
        }
        Ok(())
    }

    /// What is to be added to digests so that they are what their rows say, all read in one moment.
    async fn wrong_by(
        &self,
        table: &WalkedTable,
        side: DigestSide,
        schema: SchemaName,
        cells: &BTreeSet<GenePair>,
    ) -> Result<BTreeMap<DigestCell, DigestDelta>, Fault> {
        let reader = self.reader_of(schema);
        reader.run(BEGIN).await?;
        let read = async {
            let stored = stored(reader, side, schema, cells).await?;
            let mut counted: BTreeMap<GenePair, DigestDelta> = BTreeMap::new();
            let mut after = Some(TableKey::START);
            while let Some(key) = after {
                let page = self.page(table, schema, key).await?;
                after = page.last().filter(|_| page.len() >= self.terms.page_rows).map(WalkedRow::key);
                for row in page.iter().filter(|row| row.paired.active) {
                    let cell = (row.gene, row.other.gene());
                    if cells.contains(&cell) {
                        let pair = match side {
                            DigestSide::Facts => (row.owner, row.other),
                            DigestSide::Mirrors => (row.other, row.owner),
                        };
                        let hash = digest_of(self.shared.terms.history, pair, row.paired.at);
                        counted.entry(cell).or_default().add(hash);
                    }
                }
            }
            let digest =
                |all: &BTreeMap<GenePair, DigestDelta>, cell| all.get(cell).copied().unwrap_or_default();
            let wrong = cells.iter().map(|cell| {
                let wrong_by = digest(&counted, cell).since(digest(&stored, cell));
                ((cell.0, side, cell.1), wrong_by)
            });
            Ok(wrong.filter(|(_, wrong_by)| *wrong_by != DigestDelta::default()).collect())
        };
        let read = read.await;
        reader.run("rollback").await?;
        read
    }

    async fn take_off(
        &self,
        writer: &Connection,
        wrong_by: &BTreeMap<DigestCell, DigestDelta>,
    ) -> Result<(), Fault> {
        let genes: BTreeSet<Gene> = wrong_by.keys().map(|(gene, _, _)| *gene).collect();
        let mut lock = Statements::default();
        lock_shards(&mut lock, &genes);
        let found = lock.send(writer, "", "").await?.pop().unwrap_or_default();
        let Locked::All(shards) = locked(&found, &genes, &self.shared.map(), self.shared.stamps.clone())?
        else {
            return Err(Fault::Again("a shard is moving".to_owned()));
        };
        let mut changes = Statements::default();
        put_deltas(&mut changes, wrong_by, |gene| shards.seq(gene));
        changes.send(writer, "", "commit").await.map(drop)
    }
}

/// The digests of some cells as they are stored.
async fn stored(
    reader: &Connection,
    side: DigestSide,
    schema: SchemaName,
    cells: &BTreeSet<GenePair>,
) -> Result<BTreeMap<GenePair, DigestDelta>, Fault> {
    let genes: BTreeSet<i16> = cells.iter().map(|(own, _)| i16::from(own.0)).collect();
    let genes: Vec<i16> = genes.into_iter().collect();
    let mut statements = Statements::default();
    statements.add_in(schema, CELLS_OF, vec![term(FOLLOWS_DIGEST), term(side.column()), term(genes)]);
    let rows = statements.send(reader, "", "").await?;
    let digests =
        rows.iter().flatten().map(|row| cell(row).map(|(own, other, digest)| ((own, other), digest)));
    digests.collect()
}

fn cell(row: &Row) -> Result<(Gene, Gene, DigestDelta), Fault> {
    let sum: String = row.get(3);
    let sum = sum.parse().map_err(|_| damaged("a digest"))?;
    Ok((gene(row, 0)?, gene(row, 1)?, DigestDelta { count: row.get(2), sum }))
}

//! Digests: both tables folded into cells of (count, sum), so that comparing them needs no memory per edge.
//!
//! The fold is a keyed sum: it does not depend on the order of rows, which differs between the two tables, and a
//! wrong row cannot hide behind another one.

use guanxi_model::Gene;
use guanxi_ports::{HeatCell, HeatMap, HeatSide};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Cells. One differing edge makes about 1/65,536 of the edges be read again.
const CELLS: usize = 1 << 16;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Cell {
    count: u64,
    sum: u64,
}

/// The cells of both tables.
pub(super) struct ComparedCells {
    seed: u64,
    forward: Vec<Cell>,
    reverse: Vec<Cell>,
}

impl ComparedCells {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, forward: vec![Cell::default(); CELLS], reverse: vec![Cell::default(); CELLS] }
    }

    /// Folds an edge of the forward table.
    pub(super) fn forward(&mut self, subject: u64, object: u64, at: u64) {
        let (cell, hash) = self.fold(subject, object, at);
        add(&mut self.forward[cell], hash);
    }

    /// Folds an edge of the reverse table.
    pub(super) fn reverse(&mut self, subject: u64, object: u64, at: u64) {
        let (cell, hash) = self.fold(subject, object, at);
        add(&mut self.reverse[cell], hash);
    }

    /// Folds an edge of the reverse table a number of times.
    pub(super) fn reverse_times(&mut self, subject: u64, object: u64, at: u64, times: u64) {
        let (cell, hash) = self.fold(subject, object, at);
        let cell = &mut self.reverse[cell];
        cell.count = cell.count.wrapping_add(times);
        cell.sum = cell.sum.wrapping_add(hash.wrapping_mul(times));
    }

    /// Returns the cell of an edge, for every time of it.
    pub(super) fn of(&self, subject: u64, object: u64) -> u16 {
        (hash_pair(self.seed, subject, object) >> 48) as u16
    }

    /// Rows of either table in a cell.
    pub(super) fn rows(&self, cell: u16) -> u64 {
        let cell = usize::from(cell);
        self.forward[cell].count + self.reverse[cell].count
    }

    /// Cells that differ.
    pub(super) fn differing(&self) -> Vec<u16> {
        let cells = self.forward.iter().zip(&self.reverse).enumerate();
        cells.filter(|(_, (a, b))| a != b).map(|(i, _)| i as u16).collect()
    }

    fn fold(&self, subject: u64, object: u64, at: u64) -> (usize, u64) {
        let pair = hash_pair(self.seed, subject, object);
        ((pair >> 48) as usize, hash_pair(!self.seed, pair, at))
    }
}

/// Follows, folded into cells, and by groups of genes into a heat map.
pub(super) struct FollowCells {
    pub cells: ComparedCells,
    heat: HeatMap,
}

impl FollowCells {
    pub(super) fn new(seed: u64) -> Self {
        Self { cells: ComparedCells::new(seed), heat: HeatMap::default() }
    }

    /// Folds an edge of the forward table.
    pub(super) fn forward(&mut self, subject: u64, object: u64, at: u64) {
        let (cell, hash) = self.cells.fold(subject, object, at);
        add(&mut self.cells.forward[cell], hash);
        self.heat.add(HeatSide::Forward, genes(subject, object), 1, hash.into());
    }

    /// Folds an edge of the reverse table.
    pub(super) fn reverse(&mut self, subject: u64, object: u64, at: u64) {
        let (cell, hash) = self.cells.fold(subject, object, at);
        add(&mut self.cells.reverse[cell], hash);
        self.heat.add(HeatSide::Reverse, genes(subject, object), 1, hash.into());
    }

    /// The heat map.
    pub(super) fn heat(&self) -> Vec<HeatCell> {
        self.heat.cells()
    }
}

/// The genes of two users: the low 8 bits of their uids.
const fn genes(subject: u64, object: u64) -> (Gene, Gene) {
    (Gene(subject as u8), Gene(object as u8))
}

fn add(cell: &mut Cell, hash: u64) {
    cell.count += 1;
    cell.sum = cell.sum.wrapping_add(hash);
}

pub(super) fn hash_pair(seed: u64, a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64_with_seed(&bytes, seed)
}

//! Sorting more records than memory holds: sorted runs in files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::PathBuf;

/// Bytes of a run's read and write buffer: large enough that a merge reads in sequence.
const BUFFER_BYTES: usize = 256 << 10;

/// Sorts records of `N` numbers in the order of their numbers.
pub(crate) struct Sorter<const N: usize> {
    dir: PathBuf,
    name: &'static str,
    held: Vec<[u64; N]>,
    held_max: usize,
    runs: Vec<PathBuf>,
}

impl<const N: usize> Sorter<N> {
    /// A sorter that holds at most `held_max` records; more are spilled to files of this name in `dir`.
    pub(crate) fn new(dir: PathBuf, name: &'static str, held_max: usize) -> Self {
        Self { dir, name, held: Vec::new(), held_max: held_max.max(1), runs: Vec::new() }
    }

    /// Takes a record.
    pub(crate) fn push(&mut self, record: [u64; N]) -> io::Result<()> {
        if self.held.len() == self.held_max {
            self.spill()?;
        }
        self.held.push(record);
        Ok(())
    }

    /// The records in order.
    pub(crate) fn finish(mut self) -> io::Result<SortedRows<N>> {
        if self.runs.is_empty() {
            self.held.sort_unstable();
            return Ok(SortedRows::Held(self.held.into_iter()));
        }
        self.spill()?;
        self.held = Vec::new();
        SortedMerge::new(self.runs).map(SortedRows::Runs)
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        fs::create_dir_all(&self.dir)?;
        let path = self.dir.join(format!("{}-{}", self.name, self.runs.len()));
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
        for number in self.held.drain(..).flatten() {
            file.write_all(&number.to_le_bytes())?;
        }
        file.flush()?;
        self.runs.push(path);
        Ok(())
    }
}

/// Records in order.
pub(crate) enum SortedRows<const N: usize> {
    /// They fit into memory.
    Held(std::vec::IntoIter<[u64; N]>),
    /// They did not.
    Runs(SortedMerge<N>),
}

impl<const N: usize> Iterator for SortedRows<N> {
    type Item = io::Result<[u64; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Held(records) => records.next().map(Ok),
            Self::Runs(merge) => merge.next().transpose(),
        }
    }
}

/// Runs being merged. Their files are removed as they end.
pub(crate) struct SortedMerge<const N: usize> {
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<([u64; N], usize)>>,
}

struct Run {
    path: PathBuf,
    file: BufReader<File>,
}

impl<const N: usize> SortedMerge<N> {
    fn new(paths: Vec<PathBuf>) -> io::Result<Self> {
        let mut merge = Self { runs: Vec::new(), heads: BinaryHeap::new() };
        for path in paths {
            let file = BufReader::with_capacity(BUFFER_BYTES, File::open(&path)?);
            merge.runs.push(Run { path, file });
            merge.advance(merge.runs.len() - 1)?;
        }
        Ok(merge)
    }

    fn next(&mut self) -> io::Result<Option<[u64; N]>> {
        let Some(Reverse((record, run))) = self.heads.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some(record))
    }

    fn advance(&mut self, run: usize) -> io::Result<()> {
        let Run { path, file } = &mut self.runs[run];
        if file.fill_buf()?.is_empty() {
            return fs::remove_file(path);
        }
        let mut record = [0; N];
        for number in &mut record {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes)?;
            *number = u64::from_le_bytes(bytes);
        }
        self.heads.push(Reverse((record, run)));
        Ok(())
    }
}

//! Sorting rows that do not fit into memory, by their keys: a dump has them in order, and a store of many tables does not.
//!
//! Rows are collected up to a number of bytes, sorted, and written to a temporary file; at the end all files are read at once.
//! Rows of one key come together, so that what several tables say of it becomes one row.

use crate::format::DumpSection;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Bytes of rows that are held in memory.
const RUN_BYTES: usize = 64 << 20;
/// What a row takes beside its key and value.
const ROW_BYTES: usize = 64;
/// zstd's level for files that are read once.
const RUN_LEVEL: i32 = 1;

/// A row: its section and key, and its value.
type SortedRow = (Vec<u8>, Vec<u8>);

/// A key with its section, and the values of all its rows.
pub type RowsOfKey = (DumpSection, Vec<u8>, Vec<Vec<u8>>);

/// Collects rows in any order.
pub struct DumpSorter {
    dir: PathBuf,
    run_bytes: usize,
    rows: Vec<SortedRow>,
    bytes: usize,
    runs: Vec<RunReader>,
}

impl DumpSorter {
    /// Nothing yet. Files without names are made in the directory, and go with the process.
    pub fn new(dir: &Path) -> Self {
        Self::with_runs(dir, RUN_BYTES)
    }

    fn with_runs(dir: &Path, run_bytes: usize) -> Self {
        Self { dir: dir.to_owned(), run_bytes, rows: Vec::new(), bytes: 0, runs: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn push(&mut self, section: DumpSection, key: &[u8], value: Vec<u8>) -> io::Result<()> {
        let mut whole = Vec::with_capacity(key.len() + 1);
        whole.push(section as u8);
        whole.extend(key);
        self.bytes += whole.len() + value.len() + ROW_BYTES;
        self.rows.push((whole, value));
        if self.bytes >= self.run_bytes { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.rows.sort_unstable();
        let mut out = zstd::Encoder::new(tempfile::tempfile_in(&self.dir)?, RUN_LEVEL)?;
        for (key, value) in self.rows.drain(..) {
            out.write_all(&(key.len() as u32).to_be_bytes())?;
            out.write_all(&(value.len() as u32).to_be_bytes())?;
            out.write_all(&key)?;
            out.write_all(&value)?;
        }
        let mut file = out.finish()?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(RunReader::File(Box::new(zstd::Decoder::new(file)?)));
        self.bytes = 0;
        Ok(())
    }

    /// All rows in the order of their keys.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn sorted(mut self) -> io::Result<MergedRows> {
        self.rows.sort_unstable();
        self.runs.push(RunReader::Memory(self.rows.into_iter()));
        let mut sorted = MergedRows { runs: self.runs, heads: BinaryHeap::new() };
        for run in 0..sorted.runs.len() {
            sorted.pull(run)?;
        }
        Ok(sorted)
    }
}

/// Where rows of one run come from.
enum RunReader {
    File(Box<zstd::Decoder<'static, BufReader<File>>>),
    Memory(std::vec::IntoIter<SortedRow>),
}

impl RunReader {
    fn next(&mut self) -> io::Result<Option<SortedRow>> {
        let input = match self {
            Self::Memory(rows) => return Ok(rows.next()),
            Self::File(input) => input,
        };
        let mut length = [0; 4];
        // A row never ends early: this process wrote it.
        if input.read(&mut length[..1])? == 0 {
            return Ok(None);
        }
        input.read_exact(&mut length[1..])?;
        let mut key = vec![0; u32::from_be_bytes(length) as usize];
        input.read_exact(&mut length)?;
        let mut value = vec![0; u32::from_be_bytes(length) as usize];
        input.read_exact(&mut key)?;
        input.read_exact(&mut value)?;
        Ok(Some((key, value)))
    }
}

/// The next row of a run.
struct RunHead {
    row: SortedRow,
    run: usize,
}

impl PartialEq for RunHead {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for RunHead {}

impl PartialOrd for RunHead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RunHead {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.row, self.run).cmp(&(&other.row, other.run))
    }
}

/// Rows in the order of their sections and keys.
pub struct MergedRows {
    runs: Vec<RunReader>,
    heads: BinaryHeap<Reverse<RunHead>>,
}

impl MergedRows {
    /// The next key with its section, and the values of all its rows, in their order.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn next_key(&mut self) -> io::Result<Option<RowsOfKey>> {
        let Some((mut key, first)) = self.pop()? else { return Ok(None) };
        let mut values = vec![first];
        while self.heads.peek().is_some_and(|Reverse(head)| head.row.0 == key) {
            values.extend(self.pop()?.map(|(_, value)| value));
        }
        let section = key.first().copied().and_then(DumpSection::from_byte);
        let section = section.ok_or_else(|| io::Error::other("a sorted row has no section"))?;
        key.remove(0);
        Ok(Some((section, key, values)))
    }

    fn pop(&mut self) -> io::Result<Option<SortedRow>> {
        let Some(Reverse(RunHead { row, run })) = self.heads.pop() else { return Ok(None) };
        self.pull(run)?;
        Ok(Some(row))
    }

    fn pull(&mut self, run: usize) -> io::Result<()> {
        if let Some(row) = self.runs[run].next()? {
            self.heads.push(Reverse(RunHead { row, run }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_order_whatever_was_written_to_files() {
        for run_bytes in [100, 1_000, 1 << 20] {
            let mut sorter = DumpSorter::with_runs(&std::env::temp_dir(), run_bytes);
            for n in (0..500_u32).rev() {
                let section = if n % 3 == 0 { DumpSection::Posts } else { DumpSection::Records };
                let key = (n / 2).to_be_bytes();
                sorter.push(section, &key, n.to_be_bytes().to_vec()).expect("a temporary file");
            }
            let mut rows = sorter.sorted().expect("a temporary file");
            let (mut all, mut last) = (Vec::new(), None);
            while let Some((section, key, values)) = rows.next_key().expect("a temporary file") {
                let here = (section as u8, key);
                assert!(last.as_ref() < Some(&here), "keys ascend, each once");
                assert!(values.is_sorted());
                all.extend(values);
                last = Some(here);
            }
            all.sort();
            let expected: Vec<_> = (0..500_u32).map(|n| n.to_be_bytes().to_vec()).collect();
            assert_eq!(all, expected);
        }
    }
}

//! The `HEAD` file: a second witness of the last acknowledged event.
//!
//! The engine cannot tell a damaged journal from one that a crash cut short: it drops what follows the damage.
//! Beside it stands this file, overwritten in place twice a second, without waiting for the disk. A directory
//! whose state is behind its head has lost acknowledged events, and opening says so.

use guanxi_model::HistoryId;
use guanxi_model::bytes::Reader;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) const HEAD_FILE: &str = "HEAD";

/// Reads the head; `None` when there is none or when it was being written.
pub(crate) fn read(dir: &Path) -> Option<(HistoryId, u64)> {
    let bytes = std::fs::read(dir.join(HEAD_FILE)).ok()?;
    let mut reader = Reader::new(&bytes);
    let (history, seq, check) = (reader.u64()?, reader.u64()?, reader.u64()?);
    (check == xxh3_64(&bytes[..16])).then_some((HistoryId(history), seq))
}

/// The open head.
pub(crate) struct HeadFile {
    file: File,
    history: HistoryId,
    written: u64,
}

impl HeadFile {
    /// Opens the file for writing.
    pub(crate) fn open(dir: &Path, history: HistoryId) -> io::Result<Self> {
        let file = File::options().create(true).truncate(false).write(true).open(dir.join(HEAD_FILE))?;
        Ok(Self { file, history, written: 0 })
    }

    /// Notes the last event that is on the disk.
    pub(crate) fn note(&mut self, seq: u64) -> io::Result<()> {
        if seq == self.written {
            return Ok(());
        }
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.history.0.to_be_bytes());
        bytes[8..16].copy_from_slice(&seq.to_be_bytes());
        let check = xxh3_64(&bytes[..16]);
        bytes[16..].copy_from_slice(&check.to_be_bytes());
        self.file.write_all_at(&bytes, 0)?;
        self.written = seq;
        Ok(())
    }
}

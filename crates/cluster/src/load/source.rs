//! Reading a dump on a thread of its own, a few thousand rows ahead of the databases.

use super::LoadError;
use guanxi_rows::layout::FORMAT_VERSION;
use guanxi_rows::{DumpDigest, DumpHeader, DumpReader, DumpSection, DumpedRows, RowError};
use std::io::Read;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Rows that are handed over at once.
const ROWS_AT_ONCE: usize = 1_000;

/// How many times that may wait.
const AHEAD: usize = 4;

/// A row of a dump.
pub(super) struct DumpRow {
    pub section: DumpSection,
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

/// A dump that is being read.
pub(super) struct DumpSource {
    /// Where it stands.
    pub header: DumpHeader,
    rows: mpsc::Receiver<Vec<DumpRow>>,
    reader: JoinHandle<Result<(DumpedRows, DumpDigest), LoadError>>,
}

impl DumpSource {
    /// Begins to read.
    ///
    /// # Errors
    /// That it is no dump that a cluster can be filled from.
    pub(super) async fn open(input: Box<dyn Read + Send>) -> Result<Self, LoadError> {
        let (sender, rows) = mpsc::channel(AHEAD);
        let (told, header) = oneshot::channel();
        let reader = tokio::task::spawn_blocking(move || read(input, told, &sender));
        match header.await {
            Ok(header) => Ok(Self { header, rows, reader }),
            // Why, the reader says.
            Err(_) => Err(match reader.await {
                Ok(Err(error)) => error,
                _ => LoadError::Gone,
            }),
        }
    }

    /// The next rows; none after the last.
    pub(super) async fn next(&mut self) -> Option<Vec<DumpRow>> {
        self.rows.recv().await
    }

    /// Returns how many rows there were, and what they come to, if the dump was whole.
    pub(super) async fn finish(self) -> Result<(DumpedRows, DumpDigest), LoadError> {
        self.reader.await.unwrap_or(Err(LoadError::Gone))
    }
}

fn read(
    mut input: Box<dyn Read + Send>,
    told: oneshot::Sender<DumpHeader>,
    sender: &mpsc::Sender<Vec<DumpRow>>,
) -> Result<(DumpedRows, DumpDigest), LoadError> {
    let mut digest = DumpDigest::default();
    let mut dump = DumpReader::new(&mut *input)?;
    if dump.header().layout < FORMAT_VERSION {
        return Err(LoadError::Older(dump.header().layout));
    }
    told.send(dump.header().clone()).map_err(|_| LoadError::Gone)?;
    let mut rows = Vec::with_capacity(ROWS_AT_ONCE);
    for section in [DumpSection::Forward, DumpSection::Records, DumpSection::Posts] {
        dump.rows(section, |key, value| {
            digest.add(section, key, value);
            rows.push(DumpRow { section, key: key.to_vec(), value: value.to_vec() });
            if rows.len() < ROWS_AT_ONCE {
                return Ok(());
            }
            sender.blocking_send(std::mem::take(&mut rows)).map_err(|_| RowError::Taker(LoadError::Gone))
        })?;
    }
    // What is not whole is found out before its last rows are taken.
    let counted = dump.finish()?;
    sender.blocking_send(rows).map_err(|_| LoadError::Gone)?;
    Ok((counted, digest))
}

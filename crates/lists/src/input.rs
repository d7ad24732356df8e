//! Where a list is read from: a file or standard input; plain, gzip or zstd, told by the first bytes.

use super::form::{BLOCK_LEN, Compression, is_too_wide};
use crate::ListError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::Xxh3;

/// Bytes that are read ahead to tell the compression and to name the job.
const HEAD_LEN: usize = 4 << 10;
/// Bytes of the buffer that lines are cut from.
const BUFFER_LEN: usize = 256 << 10;

/// The name that stands for standard input or output.
pub const STANDARD: &str = "-";

/// An opened list.
pub struct Input {
    /// Its lines, decompressed.
    pub lines: Box<dyn BufRead + Send>,
    /// The bytes of the file, as far as known; compressed if it is.
    pub size: Option<u64>,
    /// The bytes read so far, of [`Input::size`].
    pub read: Arc<AtomicU64>,
    /// Names what is imported: its path, size and first bytes. `None` for a stream, which has no name.
    pub fingerprint: Option<u64>,
    /// How the file is compressed.
    pub compression: Compression,
    /// The first [`BLOCK_LEN`] bytes of the lines, by which is decided how they are laid out; `lines` has them, too.
    pub block: Vec<u8>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(name: &str) -> Result<Self, ListError> {
        if name == STANDARD {
            let read = Self::new(Box::new(io::stdin()), None, None);
            return read.map_err(|cause| ListError::reading("standard input", cause));
        }
        let open = || {
            let file = File::open(name)?;
            let meta = file.metadata()?;
            if meta.is_dir() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            // A pipe has no size, and cannot be read from the start again.
            let path = if meta.is_file() { Some(std::fs::canonicalize(name)?) } else { None };
            let size = meta.is_file().then_some(meta.len());
            Self::new(Box::new(file), size, path.as_ref().map(|path| path.as_os_str().as_encoded_bytes()))
        };
        open().map_err(|cause| ListError::reading(name, cause))
    }

    /// Bytes in memory, such as the demo's world.
    pub fn bytes(bytes: &'static [u8]) -> io::Result<Self> {
        Self::new(Box::new(bytes), Some(bytes.len() as u64), None)
    }

    fn new(mut raw: Box<dyn Read + Send>, size: Option<u64>, path: Option<&[u8]>) -> io::Result<Self> {
        let mut head = Vec::with_capacity(HEAD_LEN);
        raw.by_ref().take(HEAD_LEN as u64).read_to_end(&mut head)?;
        let fingerprint = path.map(|path| {
            let mut hash = Xxh3::new();
            hash.update(path);
            hash.update(&size.unwrap_or(0).to_be_bytes());
            hash.update(&head);
            hash.digest()
        });
        let compression =
            Compression::of(&head).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?;
        let read = Arc::new(AtomicU64::new(0));
        let raw = Counted { inner: Cursor::new(head).chain(raw), read: read.clone() };
        let mut lines: Box<dyn BufRead + Send> = match compression {
            Compression::Gzip => {
                let inner = MultiGzDecoder::new(BufReader::with_capacity(BUFFER_LEN, raw));
                Box::new(BufReader::with_capacity(BUFFER_LEN, inner))
            }
            Compression::Zstd => {
                let inner = Windows(zstd::Decoder::new(raw)?);
                Box::new(BufReader::with_capacity(BUFFER_LEN, inner))
            }
            Compression::Plain => Box::new(BufReader::with_capacity(BUFFER_LEN, raw)),
        };
        let mut block = Vec::new();
        lines.by_ref().take(BLOCK_LEN as u64).read_to_end(&mut block)?;
        let lines = Box::new(Cursor::new(block.clone()).chain(lines));
        Ok(Self { lines, size, read, fingerprint, compression, block })
    }

    /// Returns whether the first block is all of the list.
    pub const fn is_whole(&self) -> bool {
        self.block.len() < BLOCK_LEN
    }
}

/// Tells of windows that are too wide in the words of the first block.
struct Windows<R>(R);

impl<R: Read> Read for Windows<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match is_too_wide(&error) {
            Some(why) => io::Error::new(io::ErrorKind::InvalidData, why),
            None => error,
        })
    }
}

/// Counts what passes through, for the progress bar.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(into)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::with_causes;
    use std::io::Write as _;

    fn text_of(name: &str) -> String {
        let mut text = String::new();
        Input::open(name).unwrap().lines.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn compression_is_told_by_the_first_bytes_not_by_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("edges.txt");
        let name = path.to_str().unwrap();
        let text = "1 2\n3 4\n".repeat(2_000);

        std::fs::write(&path, &text).unwrap();
        assert_eq!(text_of(name), text);

        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        std::fs::write(&path, gzip.finish().unwrap()).unwrap();
        assert_eq!(text_of(name), text);

        std::fs::write(&path, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
        assert_eq!(text_of(name), text);
    }

    #[test]
    fn a_file_has_a_fingerprint_that_changes_with_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("edges");
        std::fs::write(&path, "1 2\n").unwrap();
        let first = Input::open(path.to_str().unwrap()).unwrap().fingerprint;
        std::fs::write(&path, "1 2\n3 4\n").unwrap();
        let second = Input::open(path.to_str().unwrap()).unwrap().fingerprint;
        assert!(first.is_some() && first != second);
    }

    #[test]
    fn a_missing_file_and_a_directory_are_named() {
        let missing = with_causes(&Input::open("/no/such/file").map(drop).unwrap_err());
        assert!(missing.starts_with("cannot read /no/such/file: "), "{missing}");
        assert!(Input::open("/").is_err());
    }
}

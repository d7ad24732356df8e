//! The form of a dump: one line that names it, then a zstd frame of chunks.
//!
//! ```text
//! "guanxi-dump 3\n"
//! zstd( HEADER chunk, ROWS chunk ..., FOOTER chunk )
//! chunk  = kind u8, length u32, payload, xxh3-64 of kind and payload seeded with the chunk's number
//! HEADER = layout u32, history u64, seq u64, clock u64
//!          and of a store that has a log for each gene: base u64, and the seq of each of the 256 logs u64
//! ROWS   = section u8, then per row: key length u16, value length u32, key, value
//! FOOTER = rows of the forward section u64, rows of the records section u64, rows of the posts section u64
//! ```
//!
//! Version 3 is the first: those below it were made before 0.1.0, and are refused.
//! Of a store that has a log for each gene, `seq` is the greatest of its logs', and the events that rows name are of the log of
//! their user or author. A seen mark may be one of each log then.
//! All numbers are big-endian. Rows have the layout of the tables, in ascending order within a section. The number
//! in the checksum finds chunks that were lost or moved; the footer finds a dump that was cut at a chunk's end.

use crate::layout::{FIRST_FORMAT, FORMAT_VERSION};
use guanxi_model::bytes::Reader;
use guanxi_model::{HistoryId, Stamp};
use std::io::{self, BufRead, BufReader, Read, Write};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// The first line without its version.
const MAGIC: &str = "guanxi-dump ";
/// The version of this form, which is the first: nothing below it was ever released.
pub(crate) const DUMP_VERSION: u32 = 3;
/// Logs of a store that has one for each gene.
pub const DUMPED_LOGS: usize = 256;
/// The longest first line.
const FIRST_LINE_MAX: u64 = 32;
/// Bytes at which a chunk is written.
const CHUNK_BYTES: usize = 256 << 10;
/// The largest chunk that a reader accepts: a damaged length must not allocate all memory.
const CHUNK_BYTES_MAX: usize = 16 << 20;
/// zstd's level: rows compress about threefold at the speed of the scan.
const ZSTD_LEVEL: i32 = 1;

const HEADER: u8 = 1;
const ROWS: u8 = 2;
const FOOTER: u8 = 3;

/// A part of a dump: a table that is not derived from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpSection {
    /// The forward table.
    Forward = 1,
    /// The records.
    Records = 2,
    /// The posts.
    Posts = 3,
}

impl DumpSection {
    const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Records => "records",
            Self::Posts => "posts",
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Forward, Self::Records, Self::Posts].into_iter().find(|section| *section as u8 == byte)
    }
}

/// Where the logs of a store stand that has one for each gene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogHeads {
    /// Up to where all logs are those of the one log that they come from: events up to it are in the order of their numbers,
    /// whichever log they are said to be of. 0 if they come from none.
    pub base: u64,
    /// The last event of each log: [`DUMPED_LOGS`] of them, by gene.
    pub seqs: Vec<u64>,
}

/// Where a dump stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpHeader {
    /// The format of its rows.
    pub layout: u32,
    /// The history of the store.
    pub history: HistoryId,
    /// Its last event; of many logs the greatest number.
    pub seq: u64,
    /// The last stamp that it minted.
    pub clock: Stamp,
    /// Where its logs stand, if it has one for each gene.
    pub logs: Option<LogHeads>,
}

/// Rows per section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpedRows {
    /// Of the forward table.
    pub forward: u64,
    /// Of the records.
    pub records: u64,
    /// Of the posts.
    pub posts: u64,
}

impl DumpedRows {
    fn add(&mut self, section: DumpSection) {
        match section {
            DumpSection::Forward => self.forward += 1,
            DumpSection::Records => self.records += 1,
            DumpSection::Posts => self.posts += 1,
        }
    }

    /// Reads the footer.
    fn read(footer: &[u8]) -> Option<Self> {
        let mut fields = Reader::new(footer);
        let rows = Self { forward: fields.u64()?, records: fields.u64()?, posts: fields.u64()? };
        fields.end()?;
        Some(rows)
    }
}

/// Writes a dump.
pub struct DumpWriter<'a> {
    out: zstd::Encoder<'static, &'a mut dyn Write>,
    chunk: Vec<u8>,
    chunks: u64,
    rows: DumpedRows,
}

impl<'a> DumpWriter<'a> {
    /// Writes the beginning.
    ///
    /// # Errors
    /// What the sink says.
    pub fn new(sink: &'a mut dyn Write, header: &DumpHeader) -> io::Result<Self> {
        writeln!(sink, "{MAGIC}{DUMP_VERSION}")?;
        let mut out = zstd::Encoder::new(sink, ZSTD_LEVEL)?;
        out.include_checksum(true)?;
        let mut writer =
            Self { out, chunk: Vec::with_capacity(CHUNK_BYTES * 2), chunks: 0, rows: DumpedRows::default() };
        writer.chunk.extend(header.layout.to_be_bytes());
        for number in [header.history.0, header.seq, header.clock.raw()] {
            writer.chunk.extend(number.to_be_bytes());
        }
        if let Some(LogHeads { base, seqs }) = &header.logs {
            writer.chunk.extend(base.to_be_bytes());
            seqs.iter().for_each(|seq| writer.chunk.extend(seq.to_be_bytes()));
        }
        writer.write_chunk(HEADER)?;
        Ok(writer)
    }

    /// Writes a row. [`DumpWriter::end_section`] follows the last row of a section.
    ///
    /// # Errors
    /// What the sink says; that the row is longer than a dump can hold.
    pub fn row(&mut self, section: DumpSection, key: &[u8], value: &[u8]) -> io::Result<()> {
        if self.chunk.is_empty() {
            self.chunk.push(section as u8);
        }
        let too_long = |_| io::Error::other("a row is too long for a dump");
        self.chunk.extend(u16::try_from(key.len()).map_err(too_long)?.to_be_bytes());
        self.chunk.extend(u32::try_from(value.len()).map_err(too_long)?.to_be_bytes());
        self.chunk.extend(key);
        self.chunk.extend(value);
        self.rows.add(section);
        if self.chunk.len() >= CHUNK_BYTES { self.write_chunk(ROWS) } else { Ok(()) }
    }

    /// Ends a section; the next row may be of a later one.
    ///
    /// # Errors
    /// What the sink says.
    pub fn end_section(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() { Ok(()) } else { self.write_chunk(ROWS) }
    }

    /// Writes the end.
    ///
    /// # Errors
    /// What the sink says.
    pub fn finish(mut self) -> io::Result<()> {
        for number in [self.rows.forward, self.rows.records, self.rows.posts] {
            self.chunk.extend(number.to_be_bytes());
        }
        self.write_chunk(FOOTER)?;
        self.out.finish()?.flush()
    }

    fn write_chunk(&mut self, kind: u8) -> io::Result<()> {
        self.out.write_all(&[kind])?;
        self.out.write_all(&(self.chunk.len() as u32).to_be_bytes())?;
        self.out.write_all(&self.chunk)?;
        self.out.write_all(&checksum(self.chunks, kind, &self.chunk).to_be_bytes())?;
        self.chunks += 1;
        self.chunk.clear();
        Ok(())
    }
}

pub(crate) fn checksum(number: u64, kind: u8, payload: &[u8]) -> u64 {
    let mut hash = Xxh3::with_seed(number);
    hash.update(&[kind]);
    hash.update(payload);
    hash.digest()
}

/// Why a dump cannot be read.
#[derive(Debug, Error)]
pub enum DumpError {
    /// It is something else.
    #[error("this is not a guanxi dump")]
    Foreign,
    /// A newer program wrote it.
    #[error("the dump has version {0}")]
    Newer(u32),
    /// A program of before the first release wrote it.
    #[error("the dump has version {0}, which was made before 0.1.0")]
    Older(u32),
    /// It is cut short, or was changed.
    #[error("{detail} (chunk {chunk}, near byte {offset})")]
    Damaged {
        /// Which chunk, from 0.
        chunk: u64,
        /// How many bytes of the dump had been read.
        offset: u64,
        /// What is wrong.
        detail: String,
    },
    /// It cannot be read.
    #[error("{0}")]
    Input(io::Error),
}

/// Counts what is read, and remembers whether reading itself failed.
struct Counted<'a> {
    input: &'a mut dyn Read,
    bytes: u64,
    failed: bool,
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buf);
        match &read {
            Ok(n) => self.bytes += *n as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.failed = true,
        }
        read
    }
}

/// Reads a dump.
pub struct DumpReader<'a> {
    input: zstd::Decoder<'static, BufReader<Counted<'a>>>,
    header: DumpHeader,
    chunks: u64,
    /// The chunk at hand: its kind and payload.
    kind: u8,
    chunk: Vec<u8>,
    rows: DumpedRows,
}

impl<'a> DumpReader<'a> {
    /// Reads the beginning.
    ///
    /// # Errors
    /// That it is no dump, one of a newer program or of before the first release, or damaged.
    pub fn new(input: &'a mut dyn Read) -> Result<Self, DumpError> {
        let mut input = BufReader::new(Counted { input, bytes: 0, failed: false });
        let version = first_line(&mut input)?;
        if version != DUMP_VERSION {
            return Err(other_version(version, DUMP_VERSION));
        }
        let input = zstd::Decoder::with_buffer(input).map_err(DumpError::Input)?.single_frame();
        let header = DumpHeader { layout: 0, history: HistoryId(0), seq: 0, clock: Stamp::ZERO, logs: None };
        let (chunk, rows) = (Vec::new(), DumpedRows::default());
        let mut reader = Self { input, header, chunks: 0, kind: 0, chunk, rows };
        reader.next_chunk()?;
        let parsed = header_of(&reader.chunk);
        match parsed.filter(|_| reader.kind == HEADER) {
            Some(header) if (FIRST_FORMAT..=FORMAT_VERSION).contains(&header.layout) => {
                reader.header = header;
            }
            Some(header) => return Err(other_version(header.layout, FORMAT_VERSION)),
            None => return Err(reader.damaged("the header cannot be decoded")),
        }
        reader.next_chunk()?;
        Ok(reader)
    }

    /// Returns where the dump stands.
    pub const fn header(&self) -> &DumpHeader {
        &self.header
    }

    /// Hands every row of a section over, checking that keys ascend.
    ///
    /// # Errors
    /// That the dump is damaged or cannot be read; what the taker of rows says.
    pub fn rows<E: From<DumpError>>(
        &mut self,
        section: DumpSection,
        mut take: impl FnMut(&[u8], &[u8]) -> Result<(), RowError<E>>,
    ) -> Result<(), E> {
        let mut last = Vec::new();
        while self.kind == ROWS
            && self.chunk.first().copied().and_then(DumpSection::from_byte) == Some(section)
        {
            let mut fields = Reader::new(&self.chunk[1..]);
            while fields.end().is_none() {
                let Some((key, value)) = row(&mut fields) else {
                    return Err(self.damaged("a row cannot be decoded").into());
                };
                if key <= &last[..] {
                    return Err(self.damaged("rows are not in order").into());
                }
                last.clear();
                last.extend(key);
                match take(key, value) {
                    Ok(()) => self.rows.add(section),
                    Err(RowError::Damaged) => {
                        let what = format!("a row of section {} is wrong", section.name());
                        return Err(self.damaged(&what).into());
                    }
                    Err(RowError::Taker(error)) => return Err(error),
                }
            }
            self.next_chunk()?;
        }
        Ok(())
    }

    /// Checks that the dump is whole, and returns how many rows it had.
    ///
    /// # Errors
    /// That it is not, or that something follows it.
    pub fn finish(mut self) -> Result<DumpedRows, DumpError> {
        let parsed = DumpedRows::read(&self.chunk);
        if self.kind != FOOTER || parsed.is_none() {
            return Err(self.damaged("a chunk of an unknown kind, or out of place"));
        }
        if parsed != Some(self.rows) {
            return Err(self.damaged("the number of rows is not the one in the footer"));
        }
        let mut rest = [0];
        match self.input.read(&mut rest) {
            Ok(0) => {}
            Ok(_) => return Err(self.damaged("data follows the footer")),
            Err(error) => return Err(self.failed(error)),
        }
        let rows = self.rows;
        let (chunk, mut input) = (self.chunks, self.input.finish());
        match input.read(&mut rest).map_err(DumpError::Input)? {
            0 => Ok(rows),
            _ => Err(DumpError::Damaged {
                chunk,
                offset: input.get_ref().bytes,
                detail: "data follows the end".into(),
            }),
        }
    }

    fn next_chunk(&mut self) -> Result<(), DumpError> {
        let mut head = [0; 5];
        self.read_exact(&mut head)?;
        self.kind = head[0];
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > CHUNK_BYTES_MAX {
            return Err(self.damaged("a chunk is too long"));
        }
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.resize(length, 0);
        self.read_exact(&mut chunk)?;
        self.chunk = chunk;
        let mut check = [0; 8];
        self.read_exact(&mut check)?;
        if u64::from_be_bytes(check) != checksum(self.chunks, self.kind, &self.chunk) {
            return Err(self.damaged("a checksum is wrong"));
        }
        self.chunks += 1;
        Ok(())
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), DumpError> {
        let read = self.input.read_exact(bytes);
        read.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> DumpError {
        if self.input.get_ref().get_ref().failed {
            DumpError::Input(error)
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            self.damaged("the dump ends too early")
        } else {
            self.damaged(&error.to_string())
        }
    }

    fn damaged(&self, detail: &str) -> DumpError {
        let offset = self.input.get_ref().get_ref().bytes;
        DumpError::Damaged { chunk: self.chunks, offset, detail: detail.to_owned() }
    }
}

/// Why a row is not taken.
#[derive(Debug)]
pub enum RowError<E> {
    /// It is not what a row of its section can be.
    Damaged,
    /// Not because of the dump, but of the code that takes its rows.
    Taker(E),
}

impl<E> From<E> for RowError<E> {
    fn from(error: E) -> Self {
        Self::Taker(error)
    }
}

fn header_of(chunk: &[u8]) -> Option<DumpHeader> {
    let mut fields = Reader::new(chunk);
    let (layout, history, seq) = (fields.u32()?, HistoryId(fields.u64()?), fields.u64()?);
    let clock = Stamp::from_raw(fields.u64()?);
    let mut logs = None;
    if fields.end().is_none() {
        let base = fields.u64()?;
        let seqs = (0..DUMPED_LOGS).map(|_| fields.u64()).collect::<Option<_>>()?;
        logs = Some(LogHeads { base, seqs });
    }
    fields.end()?;
    Some(DumpHeader { layout, history, seq, clock, logs })
}

/// Returns why a dump of another version is not read, of which the last one is known.
const fn other_version(found: u32, last: u32) -> DumpError {
    if found > last { DumpError::Newer(found) } else { DumpError::Older(found) }
}

fn row<'r>(fields: &mut Reader<'r>) -> Option<(&'r [u8], &'r [u8])> {
    let key_len = u16::from_be_bytes(fields.take(2)?.try_into().ok()?);
    let value_len = fields.u32()?;
    Some((fields.take(key_len.into())?, fields.take(value_len as usize)?))
}

fn first_line(input: &mut impl BufRead) -> Result<u32, DumpError> {
    let mut line = Vec::new();
    input.take(FIRST_LINE_MAX).read_until(b'\n', &mut line).map_err(DumpError::Input)?;
    let version = std::str::from_utf8(&line)
        .ok()
        .and_then(|line| line.strip_suffix('\n')?.strip_prefix(MAGIC)?.parse().ok());
    version.ok_or(DumpError::Foreign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(layout: u32, logs: Option<LogHeads>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let header = DumpHeader { layout, history: HistoryId(1), seq: 2, clock: Stamp::ZERO, logs };
        DumpWriter::new(&mut bytes, &header).unwrap().finish().unwrap();
        bytes
    }

    fn refusal(bytes: &[u8]) -> String {
        DumpReader::new(&mut &*bytes).err().unwrap().to_string()
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let many = LogHeads { base: 7, seqs: (0..256).collect() };
        for logs in [None, Some(many)] {
            let bytes = bytes(FORMAT_VERSION, logs.clone());
            assert!(bytes.starts_with(b"guanxi-dump 3\n"));
            let mut input = &bytes[..];
            let reader = DumpReader::new(&mut input).unwrap();
            assert_eq!(reader.header().logs, logs);
            assert_eq!(reader.finish().unwrap(), DumpedRows::default());
        }
    }

    #[test]
    fn another_version_is_refused_by_its_number() {
        let whole = bytes(FORMAT_VERSION, None);
        for version in [0, 1, 2, 4, 99] {
            let other = [format!("guanxi-dump {version}\n").as_bytes(), &whole[14..]].concat();
            let said = refusal(&other);
            assert!(said.contains(&format!("version {version}")), "{said}");
            assert_eq!(said.contains("made before 0.1.0"), version < 3, "{said}");
        }
        for layout in [0, FIRST_FORMAT - 1, FORMAT_VERSION + 1] {
            let said = refusal(&bytes(layout, None));
            assert!(said.contains(&format!("version {layout}")), "{said}");
            assert_eq!(said.contains("made before 0.1.0"), layout < FIRST_FORMAT, "{said}");
        }
    }
}

//! The form of a dump: one line that names it, then a zstd frame of chunks.
//!
//! ```text
//! "guanxi-dump 2\n"
//! zstd( HEADER chunk, ROWS chunk ..., FOOTER chunk )
//! chunk  = kind u8, length u32, payload, xxh3-64 of kind and payload seeded with the chunk's number
//! HEADER = layout u32, history u64, seq u64, clock u64
//!          and in version 3: base u64, and the seq of each of the 256 logs u64
//! ROWS   = section u8, then per row: key length u16, value length u32, key, value
//! FOOTER = rows of the forward section u64, rows of the records section u64, rows of the posts section u64
//! ```
//!
//! Version 1 had no posts, and no number of them in the footer. Version 3 is of a store that has a log for each gene; one with one
//! log writes version 2 still. Its `seq` is the greatest of its logs', and the events that rows name are of the log of their user
//! or author. A seen mark may be one of each log then.
//! All numbers are big-endian. Rows have the layout of the tables, in ascending order within a section. The number
//! in the checksum finds chunks that were lost or moved; the footer finds a dump that was cut at a chunk's end.

use crate::layout::FORMAT_VERSION;
use guanxi_model::bytes::Reader;
use guanxi_model::{HistoryId, Stamp};
use std::io::{self, BufRead, BufReader, Read, Write};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// The first line without its version.
const MAGIC: &str = "guanxi-dump ";
/// The version of this form for a store with one log.
const ONE_LOG_VERSION: u32 = 2;
/// The version of this form for a store with a log for each gene: the last that this program reads.
const DUMP_VERSION: u32 = 3;
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

    /// Reads the footer of a version.
    fn read(footer: &[u8], version: u32) -> Option<Self> {
        let mut fields = Reader::new(footer);
        let (forward, records) = (fields.u64()?, fields.u64()?);
        let posts = if version < 2 { 0 } else { fields.u64()? };
        fields.end()?;
        Some(Self { forward, records, posts })
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
        let version = if header.logs.is_some() { DUMP_VERSION } else { ONE_LOG_VERSION };
        writeln!(sink, "{MAGIC}{version}")?;
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
    version: u32,
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
    /// That it is no dump, one of a newer program, or damaged.
    pub fn new(input: &'a mut dyn Read) -> Result<Self, DumpError> {
        let mut input = BufReader::new(Counted { input, bytes: 0, failed: false });
        let version = first_line(&mut input)?;
        if version > DUMP_VERSION {
            return Err(DumpError::Newer(version));
        }
        let input = zstd::Decoder::with_buffer(input).map_err(DumpError::Input)?.single_frame();
        let header = DumpHeader { layout: 0, history: HistoryId(0), seq: 0, clock: Stamp::ZERO, logs: None };
        let mut reader = Self {
            input,
            version,
            header,
            chunks: 0,
            kind: 0,
            chunk: Vec::new(),
            rows: DumpedRows::default(),
        };
        reader.next_chunk()?;
        let parsed = header_of(&reader.chunk, version);
        match parsed.filter(|_| reader.kind == HEADER) {
            Some(header) if header.layout > FORMAT_VERSION => return Err(DumpError::Newer(header.layout)),
            Some(header) => reader.header = header,
            None => return Err(reader.damaged("the header cannot be decoded")),
        }
        reader.next_chunk()?;
        Ok(reader)
    }

    /// Where the dump stands.
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
        let parsed = DumpedRows::read(&self.chunk, self.version);
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

fn header_of(chunk: &[u8], version: u32) -> Option<DumpHeader> {
    let mut fields = Reader::new(chunk);
    let (layout, history, seq) = (fields.u32()?, HistoryId(fields.u64()?), fields.u64()?);
    let clock = Stamp::from_raw(fields.u64()?);
    let mut logs = None;
    if version > ONE_LOG_VERSION {
        let base = fields.u64()?;
        let seqs = (0..DUMPED_LOGS).map(|_| fields.u64()).collect::<Option<_>>()?;
        logs = Some(LogHeads { base, seqs });
    }
    fields.end()?;
    Some(DumpHeader { layout, history, seq, clock, logs })
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

//! Where data is written to: a file, complete or absent, or standard output; compressed if its name says so.

use super::input::STANDARD;
use crate::failure::{Context, Failure, Outcome};
use flate2::write::GzEncoder;
use guanxi_ports::ExportEdge;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes gathered before they are written.
const BUFFER_LEN: usize = 256 << 10;
/// The level of zstd: its default.
const ZSTD_LEVEL: i32 = 3;

/// What a file is called until it is complete.
const PARTIAL: &str = ".partial";

/// A file or stream that is being written.
pub(crate) struct Output {
    sink: Sink,
    partial: Option<(PathBuf, PathBuf)>,
    written: u64,
}

enum Sink {
    Plain(BufWriter<Box<dyn Raw>>),
    Gzip(GzEncoder<BufWriter<Box<dyn Raw>>>),
    Zstd(zstd::Encoder<'static, BufWriter<Box<dyn Raw>>>),
}

/// What bytes end up in.
trait Raw: Write + Send {
    /// Makes them durable where that means something.
    fn sync(&self) -> io::Result<()>;
}

impl Raw for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Raw for io::Stdout {
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Output {
    /// Creates a file, or takes standard output for `-`.
    pub(crate) fn create(name: &str) -> Outcome<Self> {
        Self::open(name, true)
    }

    /// Creates a file whose bytes are written as they are, whatever its name.
    pub(crate) fn create_plain(name: &str) -> Outcome<Self> {
        Self::open(name, false)
    }

    fn open(name: &str, compress: bool) -> Outcome<Self> {
        let (raw, partial): (Box<dyn Raw>, _) = if name == STANDARD {
            (Box::new(io::stdout()), None)
        } else {
            let path = PathBuf::from(name);
            // A device or a pipe is written to; renaming over it would replace it.
            let special = fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
            let partial = (!special).then(|| (PathBuf::from(format!("{name}{PARTIAL}")), path.clone()));
            let target = partial.as_ref().map_or(&path, |(partial, _)| partial);
            if path.is_dir() {
                return Err(Failure::new(format_args!("cannot write {name}: it is a directory")));
            }
            (Box::new(File::create(target).context(format_args!("cannot write {name}"))?), partial)
        };
        let raw = BufWriter::with_capacity(BUFFER_LEN, raw);
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        let sink = match extension.filter(|_| compress) {
            Some("gz") => Sink::Gzip(GzEncoder::new(raw, flate2::Compression::default())),
            Some("zst") => Sink::Zstd(zstd::Encoder::new(raw, ZSTD_LEVEL).context("cannot start zstd")?),
            _ => Sink::Plain(raw),
        };
        Ok(Self { sink, partial, written: 0 })
    }

    /// Writes one follow in the form that import reads. The part of a second is left out when it is zero.
    ///
    /// # Errors
    /// When the sink cannot be written.
    pub(crate) fn edge(&mut self, edge: &ExportEdge) -> io::Result<()> {
        let (seconds, ms) = (edge.at.ms() / 1_000, edge.at.ms() % 1_000);
        if ms == 0 {
            writeln!(self, "{}\t{}\t{seconds}", edge.subject, edge.object)
        } else {
            writeln!(self, "{}\t{}\t{seconds}.{ms:03}", edge.subject, edge.object)
        }
    }

    /// Ends what is written and gives the file its name; answers how many bytes were written into it, before
    /// compression.
    ///
    /// # Errors
    /// When the sink cannot be written; then the file keeps the name `*.partial`.
    pub(crate) fn finish(self) -> io::Result<u64> {
        let mut raw = match self.sink {
            Sink::Plain(raw) => raw,
            Sink::Gzip(gzip) => gzip.finish()?,
            Sink::Zstd(zstd) => zstd.finish()?,
        };
        raw.flush()?;
        raw.get_ref().sync()?;
        if let Some((partial, path)) = self.partial {
            fs::rename(partial, &path)?;
            let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
            File::open(dir.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        Ok(self.written)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = match &mut self.sink {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
        }?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::batches::Batches;
    use crate::lists::input::Input;
    use guanxi_model::{ImportEdge, Stamp, Uid};

    #[test]
    fn what_is_exported_is_imported_again_in_each_compression() {
        let dir = tempfile::tempdir().unwrap();
        let edges: Vec<ExportEdge> = (1..=500_u64)
            .map(|n| ExportEdge {
                subject: Uid::new(n).unwrap(),
                object: Uid::new(n * 7 + 1).unwrap(),
                at: Stamp::from_ms(1_700_000_000_000 + n * 250),
            })
            .collect();
        for name in ["edges.tsv", "edges.tsv.gz", "edges.tsv.zst"] {
            let path = dir.path().join(name);
            let mut output = Output::create(path.to_str().unwrap()).unwrap();
            for edge in &edges {
                output.edge(edge).unwrap();
            }
            assert!(!path.exists(), "an unfinished file has another name");
            output.finish().unwrap();
            let input = Input::open(path.to_str().unwrap()).unwrap();
            let batches = Batches::<ImportEdge, _>::after(input.lines, 0).unwrap();
            let batches: Vec<_> = batches.map(Result::unwrap).collect();
            let read: Vec<ExportEdge> = batches[0]
                .rows
                .iter()
                .map(|edge| ExportEdge { subject: edge.subject, object: edge.object, at: edge.at.unwrap() })
                .collect();
            assert_eq!(read, edges, "{name}");
        }
        let plain = fs::read(dir.path().join("edges.tsv")).unwrap();
        assert!(plain.starts_with(b"1\t8\t1700000000.250\n"));
        assert_eq!(&fs::read(dir.path().join("edges.tsv.gz")).unwrap()[..2], [0x1f, 0x8b]);
    }
}

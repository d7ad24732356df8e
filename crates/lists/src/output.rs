//! Where data is written to: a file, complete or absent, or standard output; compressed if its name says so.

use super::edge::{SCOPE_ALL, SCOPE_REPOSTS};
use super::input::STANDARD;
use super::named::WrittenIds;
use crate::ListError;
use flate2::write::GzEncoder;
use guanxi_model::MuteTerms;
use guanxi_ports::ExportEdge;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fmt;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes gathered before they are written.
const BUFFER_LEN: usize = 256 << 10;
/// The level of zstd: its default.
const ZSTD_LEVEL: i32 = 3;

/// The suffix of a file's name until it is complete.
const PARTIAL: &str = ".partial";

/// What happens to an existing file of the wanted name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the output is refused.
    Keep,
    /// It is replaced once the output is complete.
    Replace,
}

impl Existing {
    /// Returns the meaning of `--force`.
    pub const fn of_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// A file or stream that is being written.
pub struct Output {
    sink: Sink,
    /// The file that is made durable; none on standard output.
    file: Option<Arc<File>>,
    partial: Option<Partial>,
    written: u64,
}

/// The two names of a file that is being written.
struct Partial {
    name: PathBuf,
    path: PathBuf,
    existing: Existing,
}

enum Sink {
    Plain(BufWriter<Raw>),
    Gzip(GzEncoder<BufWriter<Raw>>),
    Zstd(zstd::Encoder<'static, BufWriter<Raw>>),
}

/// The sink of the bytes.
type Raw = Box<dyn Write + Send>;

impl Output {
    /// Creates a file, or takes standard output for `-`.
    pub fn create(name: &str, existing: Existing) -> Result<Self, ListError> {
        Self::open(name, existing, true)
    }

    /// As [`Self::create`], of a file that its owner alone may read.
    pub fn create_private(name: &str, existing: Existing) -> Result<Self, ListError> {
        let output = Self::create(name, existing)?;
        if let Some(partial) = &output.partial {
            fs::set_permissions(&partial.name, Permissions::from_mode(0o600))
                .map_err(|cause| ListError::writing(name, cause))?;
        }
        Ok(output)
    }

    /// Creates a file whose bytes are written as they are, under any name.
    pub fn create_plain(name: &str, existing: Existing) -> Result<Self, ListError> {
        Self::open(name, existing, false)
    }

    /// Tells before any work whether a file may be written.
    pub fn check(name: &str, existing: Existing) -> Result<(), ListError> {
        let taken = name != STANDARD
            && existing == Existing::Keep
            && fs::symlink_metadata(name).is_ok_and(|meta| !is_special(&meta));
        if taken { Err(ListError::writing(name, exists())) } else { Ok(()) }
    }

    fn open(name: &str, existing: Existing, compress: bool) -> Result<Self, ListError> {
        let (raw, file, partial): (Raw, _, _) = if name == STANDARD {
            (Box::new(io::stdout()), None, None)
        } else {
            let path = PathBuf::from(name);
            if path.is_dir() {
                return Err(ListError::Directory(name.to_owned()));
            }
            Self::check(name, existing)?;
            // A device or a pipe is written to; renaming over it would replace it.
            let special = fs::metadata(&path).is_ok_and(|meta| is_special(&meta));
            let partial = (!special).then(|| Partial {
                name: PathBuf::from(format!("{name}{PARTIAL}")),
                path: path.clone(),
                existing,
            });
            let file = match &partial {
                Some(partial) => own(&partial.name),
                None => File::options().write(true).open(&path),
            };
            let file = Arc::new(file.map_err(|cause| ListError::writing(name, cause))?);
            (Box::new(file.clone()), Some(file), partial)
        };
        let raw = BufWriter::with_capacity(BUFFER_LEN, raw);
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        let sink = match extension.filter(|_| compress) {
            Some("gz") => Sink::Gzip(GzEncoder::new(raw, flate2::Compression::default())),
            Some("zst") => Sink::Zstd(zstd::Encoder::new(raw, ZSTD_LEVEL).map_err(ListError::Zstd)?),
            _ => Sink::Plain(raw),
        };
        Ok(Self { sink, file, partial, written: 0 })
    }

    /// Writes one follow, block or mute in the form that import reads. The part of a second is left out when it is zero, and
    /// so is what a mute has no terms of.
    ///
    /// # Errors
    /// When the sink cannot be written, or a user has not the id that it is to be written by.
    pub fn edge(&mut self, edge: &ExportEdge, ids: &WrittenIds) -> io::Result<()> {
        let (subject, object) = (ids.user(edge.subject)?, ids.user(edge.object)?);
        write!(self, "{subject}\t{object}\t{}", Seconds(edge.at.ms()))?;
        let MuteTerms { reposts_only, until_ms } = edge.terms;
        if reposts_only || until_ms.is_some() {
            write!(self, "\t{}", if reposts_only { SCOPE_REPOSTS } else { SCOPE_ALL })?;
        }
        if let Some(until) = until_ms {
            write!(self, "\t{}", Seconds(until))?;
        }
        writeln!(self)
    }

    /// Ends what is written and gives the file its name; answers how many bytes were written into it, before
    /// compression.
    ///
    /// # Errors
    /// When the sink cannot be written; then the file keeps the name `*.partial`.
    pub fn finish(self) -> io::Result<u64> {
        let mut raw = match self.sink {
            Sink::Plain(raw) => raw,
            Sink::Gzip(gzip) => gzip.finish()?,
            Sink::Zstd(zstd) => zstd.finish()?,
        };
        raw.flush()?;
        match self.file.as_ref().map_or(Ok(()), |file| file.sync_all()) {
            // A device such as /dev/null has nothing to make durable.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            synced => synced?,
        }
        if let Some(partial) = self.partial {
            partial.finish()?;
        }
        Ok(self.written)
    }
}

/// Unix milliseconds as lists write them.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1_000, self.0 % 1_000) {
            (seconds, 0) => write!(f, "{seconds}"),
            (seconds, ms) => write!(f, "{seconds}.{ms:03}"),
        }
    }
}

impl Partial {
    /// Gives the file its name, for good.
    fn finish(self) -> io::Result<()> {
        match self.existing {
            Existing::Replace => fs::rename(&self.name, &self.path)?,
            Existing::Keep => rename_new(&self.name, &self.path)?,
        }
        let dir = self.path.parent().filter(|dir| !dir.as_os_str().is_empty());
        File::open(dir.unwrap_or(Path::new(".")))?.sync_all()
    }
}

/// Opens a file that another run may have left unfinished, and holds it until it is closed: two runs that write one
/// file would mix their bytes.
fn own(name: &Path) -> io::Result<File> {
    loop {
        let file = File::options().write(true).create(true).truncate(false).open(name)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let text = format!("{} is being written by another process", name.display());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, text));
            }
            // Where there are no locks, as on some network file systems, two writers cannot be told apart.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // The process that held it may have given it its name in between: then this process must not write it any more.
        let (held, named) = (file.metadata()?, fs::metadata(name));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (held.dev(), held.ino())) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// Renames a file unless the new name is taken, in one step.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(exists()),
        // Some file systems cannot do that; a second name of the file is refused just so.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            Err(error) => Err(error),
        },
        Err(error) => Err(error.into()),
    }
}

fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "the file exists; --force replaces it")
}

fn is_special(meta: &fs::Metadata) -> bool {
    !meta.is_file() && !meta.is_dir() && !meta.is_symlink()
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
    use crate::batches::Batches;
    use crate::form::Form;
    use crate::input::Input;
    use guanxi_model::{ImportEdge, Stamp, Uid, with_causes};

    #[test]
    fn what_is_exported_is_imported_again_in_each_compression() {
        let dir = tempfile::tempdir().unwrap();
        let edges: Vec<ExportEdge> = (1..=500_u64)
            .map(|n| {
                ExportEdge::new(
                    Uid::new(n).unwrap(),
                    Uid::new(n * 7 + 1).unwrap(),
                    Stamp::from_ms(1_700_000_000_000 + n * 250),
                )
            })
            .collect();
        for name in ["edges.tsv", "edges.tsv.gz", "edges.tsv.zst"] {
            let path = dir.path().join(name);
            let mut output = Output::create(path.to_str().unwrap(), Existing::Keep).unwrap();
            for edge in &edges {
                output.edge(edge, &WrittenIds::default()).unwrap();
            }
            assert!(!path.exists(), "an unfinished file has another name");
            output.finish().unwrap();
            let input = Input::open(path.to_str().unwrap()).unwrap();
            let batches = Batches::<ImportEdge, _>::new(input.lines, Form::default());
            let batches: Vec<_> = batches.map(Result::unwrap).collect();
            let read: Vec<ExportEdge> = batches[0]
                .rows
                .iter()
                .map(|edge| ExportEdge::new(edge.subject, edge.object, edge.at.unwrap()))
                .collect();
            assert_eq!(read, edges, "{name}");
        }
        let plain = fs::read(dir.path().join("edges.tsv")).unwrap();
        assert!(plain.starts_with(b"1\t8\t1700000000.250\n"));
        assert_eq!(&fs::read(dir.path().join("edges.tsv.gz")).unwrap()[..2], [0x1f, 0x8b]);
    }

    fn write(name: &str, existing: Existing, text: &str) -> Result<(), String> {
        let mut output = Output::create(name, existing).map_err(|error| with_causes(&error))?;
        output.write_all(text.as_bytes()).unwrap();
        output.finish().map(drop).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_replaced_only_by_force_and_only_when_the_new_one_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dump");
        let name = path.to_str().unwrap();
        let read = || fs::read_to_string(&path).unwrap();
        write(name, Existing::Keep, "first").unwrap();
        assert!(write(name, Existing::Keep, "second").unwrap_err().contains("--force"));
        assert_eq!(read(), "first");
        let mut output = Output::create(name, Existing::Replace).unwrap();
        output.write_all(b"third").unwrap();
        assert_eq!(read(), "first", "not yet complete");
        output.finish().unwrap();
        assert_eq!(read(), "third");
        // A name that points nowhere is taken, too.
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("nowhere"), &link).unwrap();
        assert!(write(link.to_str().unwrap(), Existing::Keep, "x").unwrap_err().contains("--force"));
        write("/dev/null", Existing::Keep, "gone").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "a partial file was left");
    }

    #[test]
    fn a_file_that_comes_up_meanwhile_stays_and_two_writers_do_not_mix() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dump");
        let name = path.to_str().unwrap();
        let mut output = Output::create(name, Existing::Keep).unwrap();
        let busy = with_causes(&Output::create(name, Existing::Keep).map(drop).unwrap_err());
        assert!(busy.contains("another process"), "{busy}");
        output.write_all(b"late").unwrap();
        fs::write(&path, "early").unwrap();
        let failed = output.finish().unwrap_err().to_string();
        assert!(failed.contains("--force"), "{failed}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "early");
        // What an interrupted run left is written anew.
        fs::remove_file(&path).unwrap();
        write(name, Existing::Keep, "x").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "x");
    }
}

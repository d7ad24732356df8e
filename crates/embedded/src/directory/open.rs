//! Opening a data directory: whose it is, of which format, and whether it is sound.
//!
//! | file | holds |
//! |---|---|
//! | `FORMAT` | `guanxi-data N`: the format version |
//! | `LOCK` | an advisory lock, held while open |
//! | `HEAD` | the last event, refreshed twice a second: finds a journal that lost its end |
//! | `BULK` | a bulk load or restore is under way |
//! | `engine/` | the engine's files |
//! | `engine.new/` | the engine's files of a directory that is being created |
//!
//! A new directory is built beside its place and renamed into it, so a first start can be cut off anywhere.

use super::file_head;
use super::lock::FileLock;
use super::upgrade::{FORMATS, Formats};
use crate::engine::{Engine, EngineError, Table, Wait};
use crate::layout::{
    ERASED_ID_KEY, ErasedIdKey, FIRST_FORMAT, FORMAT_VERSION, IDS_KEY, STATE_KEY, StateValue, UIDS_KEY,
    UNNOTED_KEY, decode_number, decode_uids, encode_number, encode_uids, parse_log_key,
};
use crate::options::Options;
use guanxi_model::Stamp;
use guanxi_model::post::PostIds;
use guanxi_model::user::UidPolicy;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use thiserror::Error;

pub(super) const FORMAT_FILE: &str = "FORMAT";
pub(super) const LOCK_FILE: &str = "LOCK";
/// The end of a file's name while it is being written.
const NEW_SUFFIX: &str = ".new";
pub(crate) const ENGINE_DIR: &str = "engine";
/// Where the engine's files of a new directory are made, until they are complete.
const NEW_ENGINE_DIR: &str = "engine.new";
/// The mark of a bulk load or restore under way.
pub(crate) const BULK_FILE: &str = "BULK";

/// Why a data directory cannot be opened. Nothing in it was changed, but for one thing: the engine cuts a journal
/// at the first damaged place before we can see that acknowledged events stood behind it.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("{dir} is in use by another process; stop that one first", dir = .0.display())]
    InUse(PathBuf),
    /// The directory cannot be written.
    #[error("{dir} cannot be written: {source}; check its owner, its permissions and the mount", dir = .dir.display())]
    NotWritable {
        /// Which.
        dir: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The directory holds something else.
    #[error("{dir} is not empty and not a guanxi data directory; name an empty or new directory", dir = .0.display())]
    Foreign(PathBuf),
    /// The directory holds no store, and the call makes none.
    #[error("{dir} holds no guanxi data; name a data directory", dir = .0.display())]
    Missing(PathBuf),
    /// The directory was written by a newer version.
    #[error("{dir} has format {found}, this program reads up to {FORMAT_VERSION}; use a newer guanxi", dir = .dir.display())]
    Newer {
        /// Which.
        dir: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The directory was written by a program of before the first release.
    #[error(
        "{dir} has format {found}, which was made before 0.1.0 and is not read: export what is in it with the program that \
         made it, and import that into a new directory",
        dir = .dir.display()
    )]
    Older {
        /// Which.
        dir: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A bulk load or a restore was interrupted.
    #[error(
        "an import or restore into {dir} was interrupted; run the same command again, or delete the directory",
        dir = .0.display()
    )]
    UnfinishedLoad(PathBuf),
    /// A file failed a check.
    #[error("{dir} is damaged: {detail}; keep a copy of it, then restore the last backup", dir = .dir.display())]
    Damaged {
        /// Which.
        dir: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The uids in the directory are of another kind than is asked for.
    #[error(
        "{dir} has users already, whose uids may not be as the setting `uids` says: leave it as it was; only a directory \
         without users takes another range",
        dir = .0.display()
    )]
    OtherUids(PathBuf),
    /// The operating system refused.
    #[error("{dir} cannot be opened: {source}", dir = .dir.display())]
    Io {
        /// Which.
        dir: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

impl OpenError {
    /// The same of another directory: what is found wrong with a mirror is wrong with what it mirrors.
    #[must_use]
    pub fn of(self, dir: &Path) -> Self {
        let dir = dir.to_owned();
        match self {
            Self::InUse(_) => Self::InUse(dir),
            Self::NotWritable { source, .. } => Self::NotWritable { dir, source },
            Self::Foreign(_) => Self::Foreign(dir),
            Self::Missing(_) => Self::Missing(dir),
            Self::Newer { found, .. } => Self::Newer { dir, found },
            Self::Older { found, .. } => Self::Older { dir, found },
            Self::UnfinishedLoad(_) => Self::UnfinishedLoad(dir),
            Self::Damaged { detail, .. } => Self::Damaged { dir, detail },
            Self::OtherUids(_) => Self::OtherUids(dir),
            Self::Io { source, .. } => Self::Io { dir, source },
        }
    }
}

/// An opened and checked directory.
pub(crate) struct Opened {
    pub engine: Engine,
    pub state: StateValue,
    /// The last post ids minted or seen.
    pub ids: PostIds,
    /// The last commit of which rows of users do not say when their relations changed.
    pub unnoted: u64,
    /// The policy of uids.
    pub uids: UidPolicy,
    /// The key of hashes of external ids that led to users who are erased.
    pub erased_id_key: ErasedIdKey,
    /// Held for as long as the store is open.
    pub lock: FileLock,
}

/// Opens a directory, creating it if it is new.
pub(crate) fn open(dir: &Path, options: &Options) -> Result<Opened, OpenError> {
    open_with(dir, options, FORMATS)
}

/// The same by a program that knows other formats.
pub(super) fn open_with(dir: &Path, options: &Options, formats: Formats) -> Result<Opened, OpenError> {
    let lock = claim_with(dir, formats)?;
    if dir.join(BULK_FILE).exists() {
        return Err(OpenError::UnfinishedLoad(dir.to_owned()));
    }
    if !dir.join(ENGINE_DIR).exists() && !dir.join(file_head::HEAD_FILE).exists() {
        create_engine(dir, options)?;
    }
    let engine = open_engine_with(dir, options, formats)?;
    let state = read_state(dir, &engine)?;
    let ids = read_ids(dir, &engine)?;
    let unnoted = read_unnoted(dir, &engine, state.last_seq)?;
    let uids = agree_on_uids(dir, &engine, state, options.uids)?;
    let erased_id_key = agree_on_erased_id_key(dir, &engine, options.new_erased_id_key)?;
    Ok(Opened { engine, state, ids, unnoted, uids, erased_id_key, lock })
}

/// Returns whose numbers the uids of a directory are, and from now on if that is asked for.
fn agree_on_uids(
    dir: &Path,
    engine: &Engine,
    state: StateValue,
    asked: Option<UidPolicy>,
) -> Result<UidPolicy, OpenError> {
    let failed = |error| OpenError::engine(dir, error);
    let snapshot = engine.snapshot();
    let stored = match snapshot.get(Table::Records, UIDS_KEY).map_err(failed)? {
        None => UidPolicy::Both,
        Some(bytes) => decode_uids(&bytes).ok_or_else(|| OpenError::Damaged {
            dir: dir.to_owned(),
            detail: "the mark of whose numbers uids are cannot be decoded".into(),
        })?,
    };
    let Some(asked) = asked.filter(|asked| *asked != stored) else { return Ok(stored) };
    // What users do has events, but for what a bulk load brings.
    let is_empty = state.last_seq == 0 && snapshot.last(Table::Forward).map_err(failed)?.is_none();
    if !stored.may_become(asked, is_empty) {
        return Err(OpenError::OtherUids(dir.to_owned()));
    }
    let mut batch = engine.batch();
    match encode_uids(asked) {
        Some(row) => batch.put(Table::Records, UIDS_KEY, &row),
        None => batch.remove(Table::Records, UIDS_KEY),
    }
    batch.commit(Wait::Disk).map_err(failed)?;
    Ok(asked)
}

/// The key of hashes of erased ids of a directory, which gets a new one if it has none.
fn agree_on_erased_id_key(dir: &Path, engine: &Engine, new: ErasedIdKey) -> Result<ErasedIdKey, OpenError> {
    let failed = |error| OpenError::engine(dir, error);
    if let Some(bytes) = engine.snapshot().get(Table::Records, ERASED_ID_KEY).map_err(failed)? {
        return ErasedIdKey::decode(&bytes).ok_or_else(|| OpenError::Damaged {
            dir: dir.to_owned(),
            detail: "the key of hashes of erased ids cannot be decoded".into(),
        });
    }
    let mut batch = engine.batch();
    batch.put(Table::Records, ERASED_ID_KEY, &new.0);
    batch.commit(Wait::Disk).map_err(failed)?;
    Ok(new)
}

/// Locks a directory and checks its format; a new one is marked as ours.
pub(crate) fn claim(dir: &Path) -> Result<FileLock, OpenError> {
    claim_with(dir, FORMATS)
}

fn claim_with(dir: &Path, formats: Formats) -> Result<FileLock, OpenError> {
    let not_writable = |source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::NotWritable { dir: dir.to_owned(), source }
        }
        _ => OpenError::Io { dir: dir.to_owned(), source },
    };
    let known = check_format(dir, formats)?;
    fs::create_dir_all(dir).map_err(not_writable)?;
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.join(LOCK_FILE))
        .map_err(not_writable)?;
    let lock = FileLock::exclusive(lock).map_err(|error| not_locked(dir, error))?;
    if known.is_none() && check_format(dir, formats)?.is_none() {
        mark_format(dir, formats.last()).map_err(not_writable)?;
    }
    Ok(lock)
}

/// Returns why a directory cannot be locked.
pub(super) fn not_locked(dir: &Path, error: TryLockError) -> OpenError {
    match error {
        TryLockError::WouldBlock => OpenError::InUse(dir.to_owned()),
        TryLockError::Error(source) => OpenError::Io { dir: dir.to_owned(), source },
    }
}

/// Marks a directory as ours, of a format.
fn mark_format(dir: &Path, format: u32) -> io::Result<()> {
    write_file(dir, FORMAT_FILE, format!("guanxi-data {format}\n").as_bytes())
}

/// The format that the directory is marked with; `None` for a new one.
pub(super) fn check_format(dir: &Path, formats: Formats) -> Result<Option<u32>, OpenError> {
    let io = |source| OpenError::Io { dir: dir.to_owned(), source };
    match fs::read(dir.join(FORMAT_FILE)) {
        Ok(text) => match String::from_utf8_lossy(&text)
            .trim_end()
            .strip_prefix("guanxi-data ")
            .and_then(|n| n.parse().ok())
        {
            Some(found) if found > formats.last() => Err(OpenError::Newer { dir: dir.to_owned(), found }),
            Some(found) if found < FIRST_FORMAT => Err(OpenError::Older { dir: dir.to_owned(), found }),
            Some(found) => Ok(Some(found)),
            None => Err(OpenError::Foreign(dir.to_owned())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let entries = match fs::read_dir(dir) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(io(error)),
            };
            for entry in entries {
                let name = entry.map_err(io)?.file_name();
                // What a death during the creation leaves.
                if name != LOCK_FILE && name != format!("{FORMAT_FILE}{NEW_SUFFIX}").as_str() {
                    return Err(OpenError::Foreign(dir.to_owned()));
                }
            }
            Ok(None)
        }
        Err(error) => Err(io(error)),
    }
}

/// Creates the engine's files of a new directory, with the store's first state, and puts them in their place once
/// they are complete. The engine cannot open files that a killed process has left half made. And a history that was
/// told to a client must be there after a restart.
fn create_engine(dir: &Path, options: &Options) -> Result<(), OpenError> {
    let io = |source| OpenError::Io { dir: dir.to_owned(), source };
    let new = dir.join(NEW_ENGINE_DIR);
    match fs::remove_dir_all(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        _ => {}
    }
    let engine = open_engine_at(dir, &new, options)?;
    let state = StateValue { history: options.new_history, last_seq: 0, first_seq: 1, clock: Stamp::ZERO };
    let mut batch = engine.batch();
    batch.put(Table::Records, STATE_KEY, &state.encode());
    batch.commit(Wait::Disk).map_err(|error| io(io::Error::other(error)))?;
    drop(engine);
    fs::rename(&new, dir.join(ENGINE_DIR)).map_err(io)?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)
}

/// Opens the engine of a claimed directory. One of an older format is brought up to this program's, a format at a time, and
/// marked with each once all of it is on the disk.
pub(crate) fn open_engine(dir: &Path, options: &Options) -> Result<Engine, OpenError> {
    open_engine_with(dir, options, FORMATS)
}

pub(super) fn open_engine_with(dir: &Path, options: &Options, formats: Formats) -> Result<Engine, OpenError> {
    let found = check_format(dir, formats)?.unwrap_or(formats.last());
    let engine = open_engine_at(dir, &dir.join(ENGINE_DIR), options)?;
    for format in found..formats.last() {
        formats.raise(&engine, format).map_err(|error| OpenError::engine(dir, error))?;
        mark_format(dir, format + 1).map_err(|source| OpenError::Io { dir: dir.to_owned(), source })?;
    }
    Ok(engine)
}

/// Opens the engine. It panics on some kinds of damage; that is an error of the directory, not of the program.
fn open_engine_at(dir: &Path, path: &Path, options: &Options) -> Result<Engine, OpenError> {
    let opened = std::panic::catch_unwind(|| Engine::open(path, options));
    let damaged = |detail: String| OpenError::Damaged { dir: dir.to_owned(), detail };
    match opened {
        Ok(Ok(engine)) => Ok(engine),
        Ok(Err(error)) => Err(OpenError::engine(dir, error)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Err(damaged(
                text.or_else(|| panic.downcast_ref().copied()).unwrap_or("unreadable files").to_owned(),
            ))
        }
    }
}

impl OpenError {
    /// Returns what an error of the engine says of a directory that is being opened.
    pub(crate) fn engine(dir: &Path, error: EngineError) -> Self {
        let dir = dir.to_owned();
        match error {
            EngineError::InUse => Self::InUse(dir),
            EngineError::Io(source) => match io_damage(source.kind()) {
                Some(what) => Self::Damaged { dir, detail: format!("{what}: {source}") },
                None => Self::Io { dir, source },
            },
            // Nothing is wrong with the directory; the error's words say what to do.
            EngineError::Full(_) | EngineError::OpenFiles(_) => {
                Self::Io { dir, source: io::Error::other(error) }
            }
            error => Self::Damaged { dir, detail: error.to_string() },
        }
    }
}

/// Returns what a damaged file makes the operating system say, in our words; `None` for what is not the file's fault.
const fn io_damage(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::NotFound => Some("a file is missing"),
        io::ErrorKind::UnexpectedEof => Some("a file is too short"),
        // The engine seeks before the start of an empty file, or creates what it believes to be new.
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Some("a file cannot be decoded"),
        io::ErrorKind::AlreadyExists => Some("a file is missing beside others"),
        _ => None,
    }
}

/// Reads the store's state and checks that the log and the last known head agree with it.
fn read_state(dir: &Path, engine: &Engine) -> Result<StateValue, OpenError> {
    let damaged = |detail: String| OpenError::Damaged { dir: dir.to_owned(), detail };
    let engine_error = |error| OpenError::engine(dir, error);
    let snapshot = engine.snapshot();
    let log_end = match snapshot.last(Table::Log).map_err(engine_error)? {
        Some((key, _)) => {
            Some(parse_log_key(&key).ok_or_else(|| damaged("a log key cannot be decoded".into()))?)
        }
        None => None,
    };
    let head = file_head::read(dir);
    let Some(bytes) = snapshot.get(Table::Records, STATE_KEY).map_err(engine_error)? else {
        return Err(damaged("the record of the store's state is missing".into()));
    };
    let state =
        StateValue::decode(&bytes).ok_or_else(|| damaged("the store's state cannot be decoded".into()))?;
    if log_end.is_some_and(|end| end != state.last_seq)
        || log_end.is_none() && state.first_seq <= state.last_seq
    {
        let end = log_end.unwrap_or(0);
        return Err(damaged(format!("the log ends at {end}, but the last event is {}", state.last_seq)));
    }
    match head {
        Some((history, seq)) if history == state.history && seq > state.last_seq => Err(damaged(format!(
            "the journal lost its end: event {seq} was acknowledged, and the last one found is {}",
            state.last_seq
        ))),
        _ => Ok(state),
    }
}

/// Reads where post ids go on.
fn read_ids(dir: &Path, engine: &Engine) -> Result<PostIds, OpenError> {
    let damaged = |detail: String| OpenError::Damaged { dir: dir.to_owned(), detail };
    let row =
        engine.snapshot().get(Table::Records, IDS_KEY).map_err(|error| OpenError::engine(dir, error))?;
    let Some(bytes) = row else { return Ok(PostIds::default()) };
    let last = decode_number(&bytes).ok_or_else(|| damaged("the last post id cannot be decoded".into()))?;
    Ok(PostIds::after(last))
}

/// Reads up to which commit rows of users do not say when their relations changed, and notes it in a directory that is opened
/// for the first time: then that is the last commit so far, of a bulk load.
fn read_unnoted(dir: &Path, engine: &Engine, last_seq: u64) -> Result<u64, OpenError> {
    let damaged = |detail: String| OpenError::Damaged { dir: dir.to_owned(), detail };
    let engine_error = |error| OpenError::engine(dir, error);
    if let Some(bytes) = engine.snapshot().get(Table::Records, UNNOTED_KEY).map_err(engine_error)? {
        return decode_number(&bytes)
            .ok_or_else(|| damaged("the last commit of a bulk load cannot be decoded".into()));
    }
    let mut batch = engine.batch();
    batch.put(Table::Records, UNNOTED_KEY, &encode_number(last_seq));
    batch.commit(Wait::Disk).map_err(engine_error)?;
    Ok(last_seq)
}

/// Writes a small file so that it is whole or absent after a crash.
pub(crate) fn write_file(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = dir.join(format!("{name}{NEW_SUFFIX}"));
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, dir.join(name))?;
    File::open(dir)?.sync_all()
}

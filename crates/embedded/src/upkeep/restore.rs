//! Restoring a dump into an empty directory.
//!
//! The directory is marked from the first byte to the last: after any failure it does not open until a restore has
//! finished. The restored store begins a new history at the dump's seq with an empty log, so that tokens from before
//! are recognised and refused.

use crate::bulk::{BulkPlace, PlaceError, SORT_MEMORY_EDGES, Sorter, commit_last};
use crate::directory::open::OpenError;
use crate::directory::upgrade::FORMATS;
use crate::engine::{Engine, EngineError, EngineResult, Table, Wait};
use crate::layout::{
    CREDENTIAL, ForwardValue, SEEN, SESSION, SESSION_END, SESSION_OF_USER, STANDING, STATE_KEY, SeenMark,
    StateValue, USER, decode_header, deleted_user_key, encode_number, encode_standing, encode_user,
    is_session_name, outbox_key, parse_forward_key, parse_post_key, reverse_key, user_key,
};
use crate::options::Options;
use crate::progress::ProgressMeter;
use crate::rows;
use guanxi_model::user::UserStatus;
use guanxi_model::{Edge, LogId, LogMark, Position, PostId, Stamp, Uid, User};
use guanxi_ports::Progress;
use guanxi_rows::{DumpError, DumpHeader, DumpReader, DumpSection, DumpedRows, RowError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Users that are deleted in one batch.
const USERS_AT_ONCE: usize = 1_000;

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreReport {
    /// Where the restored store stands, in its new history.
    pub position: Position,
    /// Where the dump was taken.
    pub dumped: Position,
    /// Forward edges restored.
    pub edges: u64,
    /// Other records restored: counters, likes, removed follows, blocks, mutes, credentials, ...
    pub records: u64,
    /// Posts restored, deleted ones too.
    pub posts: u64,
    /// Bearer tokens in the dump: all of them are valid again, or none.
    pub tokens: u64,
}

/// What a restore does with the bearer tokens in a dump. Tokens that were revoked after it was written are in it,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpedTokens {
    /// They are restored with the rest.
    Keep,
    /// They are left out.
    Revoke,
}

/// Why a dump was not restored.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// The directory cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The directory holds a store already.
    #[error("{dir} holds a store; name an empty or new directory", dir = .0.display())]
    NotEmpty(PathBuf),
    /// The input is something else.
    #[error("the input is not a guanxi dump; name a file that `guanxi backup` wrote")]
    NotADump,
    /// The dump was written by a newer version.
    #[error("the dump has version {0}, which this program cannot read; use a newer guanxi")]
    Newer(u32),
    /// The dump was written by a program of before the first release.
    #[error(
        "the dump has version {0}, which was made before 0.1.0 and is not read: restore it with the program that made it, \
         export what is in it, and import that"
    )]
    Older(u32),
    /// The dump is cut short or was changed. What was restored of it is removed.
    #[error("the dump is damaged: {detail}, in chunk {chunk} near byte {offset}; use another backup")]
    Damaged {
        /// Which chunk, from 0.
        chunk: u64,
        /// How many bytes of the dump had been read.
        offset: u64,
        /// What is wrong.
        detail: String,
    },
    /// The dump cannot be read.
    #[error("the dump cannot be read: {0}")]
    Input(#[source] io::Error),
    /// The directory cannot be written.
    #[error("the directory cannot be written: {0}")]
    Write(#[from] EngineError),
}

impl From<PlaceError> for RestoreError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Open(error) => Self::Open(error),
            PlaceError::NotEmpty(dir) => Self::NotEmpty(dir),
            PlaceError::Engine(error) => Self::Write(error),
        }
    }
}

impl From<DumpError> for RestoreError {
    fn from(error: DumpError) -> Self {
        match error {
            DumpError::Foreign => Self::NotADump,
            DumpError::Newer(version) => Self::Newer(version),
            DumpError::Older(version) => Self::Older(version),
            DumpError::Damaged { chunk, offset, detail } => Self::Damaged { chunk, offset, detail },
            DumpError::Input(error) => Self::Input(error),
        }
    }
}

/// Restores a dump into a directory that is new, empty, or left by an interrupted restore or bulk load.
///
/// Users of `erased` are deleted in it, to be erased at once by the job that does so, for any state of theirs in the
/// dump. The directory does not open before they are.
///
/// A token that was revoked after the dump was written is valid again unless `tokens` are left out.
///
/// The history of the restored store is [`Options::new_history`], which must not be the dumped one.
///
/// # Errors
/// [`RestoreError`]; the directory does not open then, and restoring into it again starts over.
pub fn restore(
    from: &mut dyn Read,
    dir: &Path,
    options: &Options,
    tokens: DumpedTokens,
    erased: &[Uid],
    progress: &mut dyn FnMut(Progress),
) -> Result<RestoreReport, RestoreError> {
    // The beginning is read first: a wrong file leaves the directory as it was.
    let mut dump = DumpReader::new(from)?;
    let place = BulkPlace::claim(dir)?;
    let mut meter = ProgressMeter::new(0, progress);
    let filled = place.engine(options).map_err(RestoreError::from).and_then(|engine| {
        let header = dump.header().clone();
        let sorter = forward(&mut dump, &engine, &place, &mut meter)?;
        let found = records(&mut dump, &engine, &header, tokens, &mut meter)?;
        let authors = posts(&mut dump, &engine, &place, &mut meter)?;
        let rows = dump.finish()?;
        reverse(&engine, sorter, &mut meter)?;
        outboxes(&engine, authors, &mut meter)?;
        for format in header.layout..FORMATS.last() {
            FORMATS.raise(&engine, format)?;
        }
        delete(&engine, erased)?;
        let state = StateValue {
            history: options.new_history,
            last_seq: header.seq,
            first_seq: header.seq + 1,
            clock: header.clock,
        };
        let mut batch = engine.batch();
        batch.put(Table::Records, STATE_KEY, &state.encode());
        commit_last(&engine, batch)?;
        Ok((header, rows, found))
    });
    let (header, DumpedRows { forward, records, posts }, found) =
        filled.inspect_err(|_| place.wipe_quietly())?;
    place.finish()?;
    meter.finish();
    Ok(RestoreReport {
        position: Position::one(options.new_history, header.seq),
        dumped: dumped_at(&header),
        edges: forward,
        records: records - found.left_out,
        posts,
        tokens: found.tokens,
    })
}

/// Returns where a dump was taken.
fn dumped_at(header: &DumpHeader) -> Position {
    let Some(logs) = &header.logs else { return Position::one(header.history, header.seq) };
    let heads = (0..=u8::MAX).zip(&logs.seqs);
    let heads = heads.map(|(gene, seq)| (LogId(gene), LogMark { seen: *seq, acted: 0 }));
    Position::sparse(header.history, heads)
}

/// Ingests the forward edges, and sorts the reverse ones that follow from them.
fn forward(
    dump: &mut DumpReader<'_>,
    engine: &Engine,
    place: &BulkPlace,
    meter: &mut ProgressMeter<'_>,
) -> Result<Sorter<3>, RestoreError> {
    let mut sorter = Sorter::new(place.sort_dir(), "reverse", SORT_MEMORY_EDGES);
    engine.ingest(Table::Forward, |put| {
        dump.rows(DumpSection::Forward, |key, value| {
            let parsed = parse_forward_key(key).zip(ForwardValue::decode(value));
            let ((subject, object), decoded) = parsed.ok_or(RowError::Damaged)?;
            meter.expect(2);
            meter.row();
            sorter
                .push([object.get(), !decoded.at.raw(), !subject.get()])
                .map_err(EngineError::from)
                .map_err(RestoreError::from)?;
            Ok(put(key, value).map_err(RestoreError::from)?)
        })
    })?;
    Ok(sorter)
}

/// What was found of tokens among the records.
#[derive(Clone, Copy, Default)]
struct FoundTokens {
    /// Tokens: a session is one, and so is a credential that is no name for a session.
    tokens: u64,
    /// Rows of tokens that were not restored.
    left_out: u64,
}

/// Ingests the records.
fn records(
    dump: &mut DumpReader<'_>,
    engine: &Engine,
    header: &DumpHeader,
    tokens: DumpedTokens,
    meter: &mut ProgressMeter<'_>,
) -> Result<FoundTokens, RestoreError> {
    let mut found = FoundTokens::default();
    engine.ingest(Table::Records, |put| {
        dump.rows(DumpSection::Records, |key, value| {
            meter.expect(1);
            meter.row();
            let (of_token, token) = match key.first() {
                Some(&CREDENTIAL) => (true, !is_session_name(value)),
                Some(&SESSION) => (true, true),
                Some(&(SESSION_OF_USER | SESSION_END)) => (true, false),
                _ => (false, false),
            };
            found.tokens += u64::from(token);
            if of_token && tokens == DumpedTokens::Revoke {
                found.left_out += 1;
                return Ok(());
            }
            if let (Some(&SEEN), Some(logs)) = (key.first(), &header.logs) {
                let seen = SeenMark::decode(value).ok_or(RowError::Damaged)?;
                let seen = encode_number(seen_in_one_log(&seen, logs.base, header.seq));
                return Ok(put(key, &seen).map_err(RestoreError::from)?);
            }
            Ok(put(key, value).map_err(RestoreError::from)?)
        })
    })?;
    Ok(found)
}

/// A seen mark of many logs as one of the only log of a directory. Events up to `base` are of one log. Of later ones no order is
/// known in which they were seen, so that everything up to the dump is taken to have been.
fn seen_in_one_log(seen: &SeenMark, base: u64, head: u64) -> u64 {
    match seen {
        SeenMark::Same(seq) => *seq,
        SeenMark::Each(marks) => match marks.first() {
            Some((_, first)) if *first <= base && marks.iter().all(|(_, seq)| seq == first) => *first,
            _ => head,
        },
    }
}

/// Deletes users, to be erased at once.
fn delete(engine: &Engine, uids: &[Uid]) -> EngineResult<()> {
    for uids in uids.chunks(USERS_AT_ONCE) {
        let (snapshot, mut batch) = (engine.snapshot(), engine.batch());
        for uid in uids {
            let old = rows::users::user(&snapshot, *uid)?.unwrap_or_else(|| User::unknown(*uid));
            let (was, deleted) = (old.status, UserStatus::Deleted { erase_at_ms: 0 });
            // A user that is erased in the dump stays so.
            let Ok(Some(status)) = was.towards(deleted) else { continue };
            let user = User { status, revision: old.revision + 1, takedown: None, ..old };
            if let UserStatus::Deleted { erase_at_ms } = was {
                batch.remove(Table::Records, &deleted_user_key(erase_at_ms, *uid));
            }
            batch.put(Table::Records, &deleted_user_key(0, *uid), &[]);
            batch.put(Table::Records, &user_key(USER, *uid), &encode_user(&user));
            let standing =
                encode_standing(user.standing()).expect("whoever is deleted does not stand by default");
            batch.put(Table::Records, &user_key(STANDING, *uid), &standing);
        }
        batch.commit(Wait::Os)?;
    }
    Ok(())
}

fn reverse(engine: &Engine, sorter: Sorter<3>, meter: &mut ProgressMeter<'_>) -> EngineResult<()> {
    let rows = sorter.finish()?;
    engine.ingest(Table::Reverse, |put| {
        for row in rows {
            meter.row();
            let [object, at, subject] = row?;
            let damaged = |_| EngineError::Damaged("a sorted run holds a wrong uid".into());
            let edge = Edge { at: Stamp::from_raw(!at), uid: Uid::new(!subject).map_err(damaged)? };
            put(&reverse_key(Uid::new(object).map_err(damaged)?, edge), &[])?;
        }
        Ok(())
    })
}

/// Ingests the posts, and sorts the outboxes that follow from them: each post as `[author, !post]`.
fn posts(
    dump: &mut DumpReader<'_>,
    engine: &Engine,
    place: &BulkPlace,
    meter: &mut ProgressMeter<'_>,
) -> Result<Sorter<2>, RestoreError> {
    let mut sorter = Sorter::new(place.sort_dir(), "outbox", SORT_MEMORY_EDGES);
    engine.ingest(Table::Posts, |put| {
        dump.rows(DumpSection::Posts, |key, value| {
            let parsed = parse_post_key(key).and_then(|id| decode_header(id, value));
            let (header, _) = parsed.ok_or(RowError::Damaged)?;
            meter.expect(2);
            meter.row();
            sorter
                .push([header.author.get(), !header.id.get()])
                .map_err(EngineError::from)
                .map_err(RestoreError::from)?;
            Ok(put(key, value).map_err(RestoreError::from)?)
        })
    })?;
    Ok(sorter)
}

fn outboxes(engine: &Engine, sorter: Sorter<2>, meter: &mut ProgressMeter<'_>) -> EngineResult<()> {
    let rows = sorter.finish()?;
    engine.ingest(Table::Outbox, |put| {
        for row in rows {
            meter.row();
            let [author, id] = row?;
            let damaged = |_| EngineError::Damaged("a sorted run holds a wrong id".into());
            let id = PostId::new(!id).map_err(damaged)?;
            put(&outbox_key(Uid::new(author).map_err(damaged)?, id), &[])?;
        }
        Ok(())
    })
}

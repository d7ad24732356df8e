//! Bringing the rows of an older format up to this one, before anything else reads or writes them.
//!
//! Each format after the first has a step, which goes over rows of the one before in slices. A slice is one commit, with the
//! place up to which it has come, so that an upgrade that was cut off goes on there. A death between the last slice and the
//! mark of the directory repeats the step, so doing a step twice changes nothing.
//!
//! The first format is 8. A directory with a number below 8 was made before 0.1.0 and is refused. Dumps of an older format take
//! the same steps as directories.

use crate::engine::{Engine, EngineResult, RowBatch, Snapshot, Table, Wait};
use crate::layout::{
    FIRST_FORMAT, FORMAT_VERSION, UPGRADE_KEY, decode_header, parse_post_key, repost_of_key,
};
use std::ops::Bound;

/// Looks at some of the rows behind a place, or at the first ones, puts into the batch what they are in the next format, and
/// answers the last of them; none when there are no further ones.
pub(crate) type UpgradeStep = fn(&Snapshot, Option<&[u8]>, &mut RowBatch) -> EngineResult<Option<Vec<u8>>>;

/// The formats that a program knows: the first one, and one more for each step.
#[derive(Clone, Copy)]
pub(crate) struct Formats(&'static [UpgradeStep]);

/// The formats that this program knows.
pub(crate) const FORMATS: Formats = Formats(&[list_reposts]);

const _: () = assert!(FORMATS.last() == FORMAT_VERSION, "each format after the first has a step");

/// Posts that a slice looks at.
const POSTS_OF_SLICE: usize = 4_096;

/// From 8 to 9: reposts and quotes that are not deleted are listed by what they share.
fn list_reposts(
    snapshot: &Snapshot,
    after: Option<&[u8]>,
    batch: &mut RowBatch,
) -> EngineResult<Option<Vec<u8>>> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let (mut seen, mut last) = (0, None);
    for row in snapshot.range(Table::Posts, from, Bound::Unbounded).take(POSTS_OF_SLICE) {
        let (key, value) = row?;
        // A post that cannot be decoded is named by a verification.
        let header = parse_post_key(&key).and_then(|id| Some(decode_header(id, &value)?.0));
        if let Some(header) = header.filter(|header| !header.deleted)
            && let Some((original, _)) = header.kind.shared()
        {
            batch.put(Table::Records, &repost_of_key(original, header.id), &[]);
        }
        (seen, last) = (seen + 1, Some(key.to_vec()));
    }
    Ok(last.filter(|_| seen == POSTS_OF_SLICE))
}

impl Formats {
    /// The format that directories are brought up to.
    pub(crate) const fn last(self) -> u32 {
        FIRST_FORMAT + self.0.len() as u32
    }

    /// Brings rows of a format up to the next one, from where an earlier attempt has come to; all of it is on the disk then.
    pub(crate) fn raise(self, engine: &Engine, format: u32) -> EngineResult<()> {
        let step = format.checked_sub(FIRST_FORMAT).and_then(|at| self.0.get(at as usize));
        if let Some(step) = step {
            while slice(engine, *step)? {}
        }
        engine.sync()
    }
}

/// Does one slice of a step; returns whether there may be further ones.
fn slice(engine: &Engine, step: UpgradeStep) -> EngineResult<bool> {
    let (snapshot, mut batch) = (engine.snapshot(), engine.batch());
    let done = snapshot.get(Table::Records, UPGRADE_KEY)?;
    let place = step(&snapshot, done.as_deref(), &mut batch)?;
    match &place {
        Some(place) => batch.put(Table::Records, UPGRADE_KEY, place),
        None => batch.remove(Table::Records, UPGRADE_KEY),
    }
    batch.commit(Wait::Os)?;
    Ok(place.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::open::{OpenError, open_engine_with, open_with};
    use crate::options::Options;
    use guanxi_model::HistoryId;
    use std::fs;
    use std::path::Path;

    /// The programs of the first format.
    const FIRST: Formats = Formats(&[]);

    /// A made-up format has a row under `!` for each row under `?`.
    const OLD: u8 = b'?';
    const NEW: u8 = b'!';
    const ROWS: u8 = 10;
    /// Rows of a slice.
    const SLICE: usize = 3;

    fn mirror_rows(
        snapshot: &Snapshot,
        after: Option<&[u8]>,
        batch: &mut RowBatch,
    ) -> EngineResult<Option<Vec<u8>>> {
        let from = after.map_or(Bound::Included(&[OLD][..]), Bound::Excluded);
        let (mut seen, mut last) = (0, None);
        for row in snapshot.range(Table::Records, from, Bound::Excluded(&[OLD + 1])).take(SLICE) {
            let (key, value) = row?;
            batch.put(Table::Records, &[NEW, key[1]], &value);
            (seen, last) = (seen + 1, Some(key.to_vec()));
        }
        Ok(last.filter(|_| seen == SLICE))
    }

    /// The programs of the two formats after the first. The second one removes what the first one has made anew.
    const NEXT: Formats = Formats(&[mirror_rows]);
    const AFTER_NEXT: Formats = Formats(&[mirror_rows, |_, _, batch| {
        batch.remove(Table::Records, &[NEW, 0]);
        Ok(None)
    }]);

    fn options() -> Options {
        Options { new_history: HistoryId(7), free_space_reserve: 0, ..Options::default() }
    }

    fn format_of(dir: &Path) -> String {
        fs::read_to_string(dir.join("FORMAT")).unwrap()
    }

    /// A directory of the first format.
    fn first() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_with(dir.path(), &options(), FIRST).unwrap();
        let mut batch = opened.engine.batch();
        (0..ROWS).for_each(|n| batch.put(Table::Records, &[OLD, n], &[n, n]));
        batch.commit(Wait::Disk).unwrap();
        dir
    }

    fn new_rows(engine: &Engine) -> Vec<(Vec<u8>, Vec<u8>)> {
        let rows = engine.snapshot().prefix(Table::Records, &[NEW]);
        rows.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect()
    }

    fn wanted(from: u8) -> Vec<(Vec<u8>, Vec<u8>)> {
        (from..ROWS).map(|n| (vec![NEW, n], vec![n, n])).collect()
    }

    #[test]
    fn a_directory_is_brought_up_and_an_older_program_refuses_it() {
        let dir = first();
        assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
        for _ in 0..2 {
            let opened = open_with(dir.path(), &options(), NEXT).unwrap();
            assert_eq!(format_of(dir.path()), "guanxi-data 9\n");
            assert_eq!(new_rows(&opened.engine), wanted(0));
            assert!(!opened.engine.snapshot().contains(Table::Records, UPGRADE_KEY).unwrap());
        }
        let refused = open_with(dir.path(), &options(), FIRST).err().unwrap();
        assert!(matches!(refused, OpenError::Newer { found: 9, .. }), "{refused}");
        let opened = open_with(dir.path(), &options(), AFTER_NEXT).unwrap();
        assert_eq!(
            (format_of(dir.path()).as_str(), new_rows(&opened.engine)),
            ("guanxi-data 10\n", wanted(1))
        );
    }

    #[test]
    fn a_directory_goes_through_every_format_between() {
        let dir = first();
        let opened = open_with(dir.path(), &options(), AFTER_NEXT).unwrap();
        assert_eq!(
            (format_of(dir.path()).as_str(), new_rows(&opened.engine)),
            ("guanxi-data 10\n", wanted(1))
        );
    }

    #[test]
    fn a_new_directory_needs_no_step() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_with(dir.path(), &options(), AFTER_NEXT).unwrap();
        assert_eq!((format_of(dir.path()).as_str(), new_rows(&opened.engine)), ("guanxi-data 10\n", vec![]));
    }

    #[test]
    fn an_upgrade_that_was_cut_off_goes_on() {
        for slices in 1..=4_u8 {
            let dir = first();
            for n in 0..slices {
                // Each slice is after another death.
                let engine = open_engine_with(dir.path(), &options(), FIRST).unwrap();
                let more = slice(&engine, mirror_rows).unwrap();
                assert_eq!(more, n < 3, "ten rows, three at a time");
                assert_eq!(engine.snapshot().contains(Table::Records, UPGRADE_KEY).unwrap(), more);
                assert_eq!(new_rows(&engine).len(), usize::from(ROWS).min(SLICE * usize::from(n + 1)));
            }
            {
                // What was done is not done again where the upgrade goes on.
                let engine = open_engine_with(dir.path(), &options(), FIRST).unwrap();
                let mut batch = engine.batch();
                batch.remove(Table::Records, &[NEW, 0]);
                batch.commit(Wait::Disk).unwrap();
            }
            assert_eq!(format_of(dir.path()), "guanxi-data 8\n");
            let opened = open_with(dir.path(), &options(), NEXT).unwrap();
            let from = u8::from(slices < 4);
            assert_eq!(new_rows(&opened.engine), wanted(from), "{slices}: the whole step after its end only");
            assert_eq!(format_of(dir.path()), "guanxi-data 9\n");
        }
    }
}

//! Refused lines: the first are told, all of them are in a file when there are more.

use serde::Serialize;
use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Refused lines that a report shows.
pub const EXAMPLES_MAX: usize = 20;
/// Files of earlier imports of the same list that are left alone.
const EARLIER_MAX: u32 = 1_000;
/// How the name of the file ends.
const SUFFIX: &str = "refused.tsv";
/// The mode of the file: its owner alone may read it. Lines of users hold hashes of their passwords, and other lines tell who
/// knows whom.
const MODE: u32 = 0o600;

/// A refused line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: &'static str,
    /// The problem, and the line or its row.
    pub text: String,
}

/// The refused lines of an import.
#[derive(Debug, Default)]
pub struct Refusals {
    /// The list after which the file is named; `None` without a file.
    list: Option<PathBuf>,
    /// The first.
    pub examples: Vec<Example>,
    file: Option<(PathBuf, BufWriter<File>)>,
    /// Why there is no file, or not all of it.
    pub failed: Option<String>,
}

impl Refusals {
    /// Returns the refusals of a list. Once there are more than are shown, all go into a file beside the list. Where that
    /// cannot be written, they go into a temporary file. An existing file is left alone.
    pub fn of(list: impl Into<PathBuf>) -> Self {
        Self { list: Some(list.into()), ..Self::default() }
    }

    /// Adds one.
    pub fn add(&mut self, example: Example) {
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(example);
        } else if let Err(error) = self.write(&example) {
            self.failed.get_or_insert_with(|| error.to_string());
        }
    }

    /// Adds those that are found last and belong before.
    pub fn merge(&mut self, mut later: Vec<Example>) {
        let mut all = std::mem::take(&mut self.examples);
        if self.file.is_none() {
            all.append(&mut later);
            all.sort_by_key(|example| example.line);
        }
        for example in all.into_iter().chain(later) {
            self.add(example);
        }
    }

    /// Completes the file; answers where it is.
    pub fn finish(&mut self) -> Option<PathBuf> {
        let (path, mut file) = self.file.take()?;
        if let Err(error) = file.flush() {
            self.failed.get_or_insert_with(|| error.to_string());
        }
        Some(path)
    }

    fn write(&mut self, example: &Example) -> io::Result<()> {
        if self.failed.is_some() {
            return Ok(());
        }
        if self.file.is_none() {
            let Some(list) = &self.list else { return Ok(()) };
            let (path, file) = create(list)?;
            let mut file = BufWriter::new(file);
            self.examples.iter().try_for_each(|example| row(&mut file, example))?;
            self.file = Some((path, file));
        }
        let (_, file) = self.file.as_mut().expect("it has just been made");
        row(file, example)
    }
}

fn row(file: &mut impl io::Write, Example { line, reason, text }: &Example) -> io::Result<()> {
    writeln!(file, "{line}\t{reason}\t{text}")
}

/// Makes the file for the refused lines of a list.
fn create(list: &Path) -> io::Result<(PathBuf, File)> {
    let name = list.file_name().map_or_else(|| "import".into(), |name| name.to_string_lossy());
    let beside = list.parent().map(Path::to_owned).unwrap_or_default();
    create_in(&beside, &name).or_else(|_| create_in(&env::temp_dir(), &name))
}

fn create_in(dir: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let names = std::iter::once(format!("{name}.{SUFFIX}"))
        .chain((1..EARLIER_MAX).map(|n| format!("{name}.{n}.{SUFFIX}")));
    for name in names {
        let path = dir.join(name);
        match OpenOptions::new().write(true).create_new(true).mode(MODE).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (path, file)),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("{EARLIER_MAX} files of refused lines are there"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn example(line: u64) -> Example {
        Example { line, reason: "MALFORMED", text: format!("the source `x` is no number: x {line}") }
    }

    #[test]
    fn the_first_are_kept_and_all_are_in_a_file_that_replaces_none() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("edges.csv");
        let read = |lines: u64| {
            let mut refusals = Refusals::of(&list);
            (1..=lines).for_each(|line| refusals.add(example(line)));
            assert_eq!(refusals.examples.len() as u64, lines.min(20));
            let path = refusals.finish()?;
            assert_eq!(refusals.failed, None);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            Some((
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(path).unwrap(),
            ))
        };
        assert_eq!(read(20), None);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let (name, text) = read(50).unwrap();
        assert_eq!(name, "edges.csv.refused.tsv");
        assert_eq!(text.lines().count(), 50);
        assert!(text.starts_with("1\tMALFORMED\tthe source `x` is no number: x 1\n"), "{text}");
        assert_eq!(read(21).unwrap().0, "edges.csv.1.refused.tsv");
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), text);
    }

    #[test]
    fn what_is_found_last_goes_to_its_place() {
        let mut refusals = Refusals::default();
        (10..15).for_each(|line| refusals.add(example(line)));
        refusals.merge(vec![example(3), example(12)]);
        let lines: Vec<_> = refusals.examples.iter().map(|example| example.line).collect();
        assert_eq!(lines, [3, 10, 11, 12, 12, 13, 14]);
    }
}

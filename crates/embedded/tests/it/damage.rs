//! Damage to the files of a store: a clear error, or the right answers; never a panic, a hang, or a wrong answer.

use crate::world::{Model, Rng, Seen, clock, command, head, open, options, seen, write};
use guanxi_embedded::{EmbeddedStore, OpenError};
use guanxi_model::{Position, Reason};
use guanxi_ports::Upkeep as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long one damaged store may take to be opened and read.
const PATIENCE: Duration = Duration::from_secs(20);

/// Damaged stores looked at side by side: most of the time goes into waiting for the disk.
const AT_ONCE: usize = 6;

/// A file of a store: its bytes without trailing zeros, and its length. Journals are allocated ahead.
struct Image {
    bytes: Vec<u8>,
    len: u64,
}

/// The files of a store that was killed, and what it must answer.
struct World {
    files: BTreeMap<PathBuf, Image>,
    expected: Seen,
    head: Position,
}

/// A store with table files of two generations, and a journal with what came after.
async fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(77);
    let mut some = |n: usize| (0..n).map(|_| command(&mut rng)).collect::<Vec<_>>();
    for _ in 0..2 {
        let store = open(dir.path(), 1);
        write(&store, some(600)).await;
        store.close().await.unwrap();
    }
    let store = open(dir.path(), 1);
    for _ in 0..30 {
        write(&store, some(4)).await;
    }
    let expected = Model::replay(&store, &head(&store).await).await.seen();
    let head = head(&store).await;
    wait_for_head(dir.path(), head.event_count()).await;
    drop(store);
    let mut files = BTreeMap::new();
    collect(dir.path(), dir.path(), &mut files);
    World { files, expected, head }
}

/// Waits until the head file knows of the last event.
async fn wait_for_head(dir: &Path, seq: u64) {
    let noted = async {
        while fs::read(dir.join("HEAD")).ok().and_then(|bytes| bytes.get(8..16).map(<[u8]>::to_vec))
            != Some(seq.to_be_bytes().to_vec())
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, noted).await.expect("the writer notes its head about each second");
}

fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<PathBuf, Image>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let mut bytes = fs::read(&path).unwrap();
            let len = bytes.len() as u64;
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            files.insert(path.strip_prefix(root).unwrap().to_owned(), Image { bytes, len });
        }
    }
}

/// What is done to one file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    None,
    Flip {
        byte: usize,
        bit: u8,
    },
    Cut(u64),
    Zero {
        from: usize,
        to: usize,
    },
    Missing,
    /// The whole directory of the file is missing.
    DirectoryMissing,
}

/// The effect of the damage.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Opening refused.
    Refused,
    /// A read or the verification said that data is damaged.
    Damaged,
    /// Everything was answered as if nothing had happened.
    Right,
}

impl World {
    /// Puts the files down with one of them damaged.
    fn lay(&self, dir: &Path, file: &Path, damage: Damage) {
        for (path, image) in &self.files {
            let to = dir.join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let (mut bytes, mut len) = (image.bytes.clone(), image.len);
            if path == file {
                match damage {
                    Damage::None | Damage::DirectoryMissing => {}
                    Damage::Flip { byte, bit } => bytes[byte] ^= 1 << bit,
                    Damage::Zero { from, to } => bytes[from..to].fill(0),
                    Damage::Cut(at) => {
                        bytes.truncate(at as usize);
                        len = at;
                    }
                    Damage::Missing => continue,
                }
            }
            fs::write(&to, &bytes).unwrap();
            fs::File::options().write(true).open(&to).unwrap().set_len(len).unwrap();
        }
        if let Damage::DirectoryMissing = damage {
            fs::remove_dir_all(dir.join(file).parent().unwrap()).unwrap();
        }
    }

    /// Opens and reads a damaged store.
    async fn outcome(&self, file: &Path, damage: Damage) -> Outcome {
        let dir = tempfile::tempdir().unwrap();
        self.lay(dir.path(), file, damage);
        let opened = EmbeddedStore::open(dir.path(), options(9), clock());
        let store = match opened {
            Ok(store) => store,
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains(&dir.path().display().to_string()), "names the directory: {text}");
                assert!(
                    matches!(
                        error,
                        OpenError::Damaged { .. }
                            | OpenError::Foreign(_)
                            | OpenError::Newer { .. }
                            | OpenError::Older { .. }
                    ),
                    "{text}"
                );
                return Outcome::Refused;
            }
        };
        let answers = seen(&store).await;
        let history = Model::replay_if_whole(&store, &self.head).await;
        let verifying = store.clone();
        let report = tokio::task::spawn_blocking(move || verifying.verify(&mut |_| {})).await.unwrap();
        let mut outcome = Outcome::Right;
        for error in
            [answers.as_ref().err(), history.as_ref().err(), report.as_ref().err()].into_iter().flatten()
        {
            assert!(matches!(error.reason, Reason::Damaged), "{error}");
            outcome = Outcome::Damaged;
        }
        if let Ok(answers) = answers {
            assert!(answers == self.expected, "a wrong answer");
        }
        if let Ok(history) = history {
            assert!(history.seen() == self.expected, "a wrong history");
        }
        if let Ok(report) = report
            && !report.clean()
        {
            outcome = Outcome::Damaged;
        }
        assert_eq!(head(&store).await, self.head, "acknowledged events are gone");
        outcome
    }

    /// The outcome, or what is wrong with it: a panic, a hang, a wrong answer.
    fn check(self: &Arc<Self>, file: &Path, damage: Damage) -> JoinHandle<Result<Outcome, String>> {
        let (world, path) = (self.clone(), file.to_owned());
        let wrong = format!("{} with {damage:?}", file.display());
        let task = tokio::spawn(async move { world.outcome(&path, damage).await });
        tokio::spawn(async move {
            match tokio::time::timeout(PATIENCE, task).await {
                Ok(Ok(outcome)) => Ok(outcome),
                Ok(Err(panic)) => Err(format!("{wrong}: {panic}")),
                Err(_) => Err(format!("{wrong}: hangs")),
            }
        })
    }
}

/// How often to damage every file; a long run sets `GUANXI_DAMAGE_ROUNDS`.
fn rounds() -> u64 {
    number("GUANXI_DAMAGE_ROUNDS").unwrap_or(1)
}

/// Where the damage is drawn from; `GUANXI_DAMAGE_SEED` draws another one.
fn seed() -> u64 {
    number("GUANXI_DAMAGE_SEED").unwrap_or(3)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A kind of file, to see that each was damaged.
fn kind(path: &Path) -> &'static str {
    let name = path.file_name().unwrap().to_str().unwrap();
    match name {
        "FORMAT" | "HEAD" | "LOCK" => "marker",
        "current" | "version" => "pointer",
        _ if path.extension().is_some_and(|extension| extension == "jnl") => "journal",
        _ if path.parent().is_some_and(|dir| dir.ends_with("tables")) => "table",
        _ if name.starts_with('v') => "manifest",
        _ => "other",
    }
}

/// Damage of every sort to one file.
fn damages(image: &Image, kind: &str, rng: &mut Rng) -> Vec<Damage> {
    let len = image.bytes.len();
    let mut damages = vec![Damage::Missing];
    if kind == "pointer" || kind == "table" {
        damages.push(Damage::DirectoryMissing);
    }
    if len > 0 {
        damages.extend([
            Damage::Cut(0),
            Damage::Cut(rng.below(len as u64)),
            Damage::Cut(len as u64 - 1),
            Damage::Zero { from: 0, to: len },
        ]);
        let from = rng.below(len as u64) as usize;
        damages.push(Damage::Zero { from, to: (from + 64).min(len) });
        let flips = match kind {
            "journal" => 24,
            "table" => 6,
            _ => 3,
        };
        damages.extend(
            (0..flips)
                .map(|_| Damage::Flip { byte: rng.below(len as u64) as usize, bit: rng.below(8) as u8 }),
        );
    }
    damages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn no_damage_to_any_file_gives_a_wrong_answer() {
    let world = Arc::new(world().await);
    assert_eq!(world.check(Path::new("FORMAT"), Damage::None).await.unwrap(), Ok(Outcome::Right));
    let mut rng = Rng::new(seed());
    let mut cases = Vec::new();
    for (path, image) in &world.files {
        for _ in 0..rounds() {
            cases.extend(
                damages(image, kind(path), &mut rng).into_iter().map(|damage| (path.clone(), damage)),
            );
        }
    }
    let mut noticed: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for cases in cases.chunks(AT_ONCE) {
        let checks: Vec<_> = cases.iter().map(|(path, damage)| world.check(path, *damage)).collect();
        for ((path, _), check) in cases.iter().zip(checks) {
            match check.await.unwrap() {
                Ok(Outcome::Right) => {}
                Ok(Outcome::Refused | Outcome::Damaged) => *noticed.entry(kind(path)).or_default() += 1,
                Err(what) => wrong.push(what),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for kind in ["marker", "journal", "table", "manifest", "pointer"] {
        assert!(noticed.get(kind).is_some_and(|n| *n > 0), "damage to a {kind} is noticed: {noticed:?}");
    }
}

fn refusal(dir: &Path) -> OpenError {
    EmbeddedStore::open(dir, options(1), clock()).err().expect("opening is refused")
}

#[tokio::test]
async fn a_journal_that_lost_its_end_is_noticed() {
    let world = world().await;
    let journal = world.files.keys().find(|path| kind(path) == "journal").unwrap();
    let image = &world.files[journal];
    let dir = tempfile::tempdir().unwrap();
    // Zeros are what a lost page reads as: to the engine they are the end of the journal.
    let from = image.bytes.len() - 200;
    world.lay(dir.path(), journal, Damage::Zero { from, to: image.bytes.len() });
    let text = refusal(dir.path()).to_string();
    let noticed = text.contains("the journal lost its end") || text.contains("damaged");
    assert!(noticed && text.contains("restore the last backup"), "{text}");
    // It is no passing mood: the next attempt is refused, too.
    assert!(matches!(refusal(dir.path()), OpenError::Damaged { .. }));
}

#[test]
fn a_foreign_directory_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
    assert!(matches!(refusal(dir.path()), OpenError::Foreign(_)));
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["thesis.tex"]);
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), 1));
    fs::write(dir.path().join("FORMAT"), "guanxi-data 99\n").unwrap();
    assert!(matches!(refusal(dir.path()), OpenError::Newer { found: 99, .. }));
}

#[test]
fn a_directory_opens_once_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    assert!(matches!(refusal(dir.path()), OpenError::InUse(_)));
    drop(store);
    // The writer lets go as it ends, a moment after its last handle.
    let deadline = std::time::Instant::now() + PATIENCE;
    while let Err(error) = EmbeddedStore::open(dir.path(), options(1), clock()) {
        assert!(matches!(error, OpenError::InUse(_)), "{error}");
        assert!(std::time::Instant::now() < deadline, "it is never let go");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_clean_shutdown_leaves_nothing_to_replay() {
    let dir = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(8);
    for round in 1..=3 {
        let store = open(dir.path(), 1);
        write(&store, (0..500).map(|_| command(&mut rng)).collect()).await;
        let (last, before) = (head(&store).await, seen(&store).await.unwrap());
        store.close().await.unwrap();
        drop(store);
        let mut files = BTreeMap::new();
        collect(dir.path(), dir.path(), &mut files);
        let journal: usize = files
            .iter()
            .filter(|(path, _)| kind(path) == "journal")
            .map(|(_, image)| image.bytes.len())
            .sum();
        assert_eq!(journal, 0, "round {round}");
        let store = open(dir.path(), 1);
        assert_eq!((head(&store).await, seen(&store).await.unwrap()), (last, before));
    }
}

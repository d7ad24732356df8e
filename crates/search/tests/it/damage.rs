//! Directories that cannot be used, and say why.

use crate::world::{HISTORY, ask, at, doc, options, walk, word};
use guanxi_model::HistoryId;
use guanxi_ports::IndexChange;
use guanxi_search::{IndexOptions, PostIndexWriter, SearchError, Unusable};
use std::fs;
use std::path::{Path, PathBuf};

fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    writer.apply((1..50).map(|id| IndexChange::Put(doc(id, "green tea")))).unwrap();
    writer.commit(at(1)).unwrap();
    writer.close().unwrap();
    dir
}

fn open(dir: &Path) -> Result<PostIndexWriter, SearchError> {
    PostIndexWriter::open(dir, options(), HISTORY)
}

/// Why a directory cannot be opened or does not pass the check.
fn why(dir: &Path) -> Unusable {
    let error = PostIndexWriter::check(dir).and_then(|()| open(dir).map(|_| ())).unwrap_err();
    match error {
        SearchError::Unusable(why) => why,
        other => panic!("{other:?}"),
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.file_stem().is_some_and(|stem| stem.len() == 32)).collect()
}

#[test]
fn an_index_of_another_history_or_analyser_says_so() {
    let dir = filled();
    let other = PostIndexWriter::open(dir.path(), options(), HistoryId(1)).err();
    assert!(matches!(other, Some(SearchError::Unusable(Unusable::OtherHistory(HISTORY)))), "{other:?}");
    let later = IndexOptions { analyser: 4, ..options() };
    let other = PostIndexWriter::open(dir.path(), later, HISTORY).err();
    assert!(matches!(other, Some(SearchError::Unusable(Unusable::OtherAnalyser(3)))), "{other:?}");

    let meta = dir.path().join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, text.replace("guanxi-search format=3", "guanxi-search format=9")).unwrap();
    assert_eq!(why(dir.path()), Unusable::NewerFormat(9));
    fs::write(&meta, text.replace("guanxi-search", "something else")).unwrap();
    assert!(matches!(why(dir.path()), Unusable::Damaged(_)));
    fs::write(&meta, text).unwrap();
    assert_eq!(walk(&open(dir.path()).unwrap().index(), &ask(word("tea"))).len(), 49);
}

#[test]
fn an_index_is_made_once_and_opened_where_there_is_one() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(open(dir.path()), Err(SearchError::Absent)));
    assert!(matches!(open(&dir.path().join("none")), Err(SearchError::Absent)));
    PostIndexWriter::create(dir.path(), options(), at(0)).unwrap();
    let again = PostIndexWriter::create(dir.path(), options(), at(0));
    assert!(matches!(again, Err(SearchError::Occupied)));
}

#[test]
fn two_writers_do_not_have_one_index() {
    let dir = filled();
    let first = open(dir.path()).unwrap();
    assert!(matches!(open(dir.path()), Err(SearchError::Locked)));
    drop(first);
    open(dir.path()).unwrap();
}

#[test]
fn a_file_that_is_cut_changed_or_gone_is_named() {
    let dir = filled();
    PostIndexWriter::check(dir.path()).unwrap();
    let files = files(dir.path());
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let bytes = fs::read(&file).unwrap();
        let mut changed = bytes.clone();
        changed[0] ^= 0x10;
        for damaged in [&bytes[..bytes.len() - 1], &bytes[..0], &changed] {
            fs::write(&file, damaged).unwrap();
            let Unusable::Damaged(what) = why(dir.path()) else { panic!("{name}") };
            assert!(what.contains(name), "{name}: {what}");
        }
        fs::remove_file(&file).unwrap();
        assert!(matches!(why(dir.path()), Unusable::Damaged(what) if what.contains(name)), "{name}");
        fs::write(&file, bytes).unwrap();
    }
    PostIndexWriter::check(dir.path()).unwrap();
    let cut =
        |len: u64| fs::File::options().write(true).open(dir.path().join("meta.json")).unwrap().set_len(len);
    cut(200).unwrap();
    assert!(matches!(why(dir.path()), Unusable::Damaged(_)));
    cut(0).unwrap();
    assert!(matches!(why(dir.path()), Unusable::Damaged(_)));
}

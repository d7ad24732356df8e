//! What a caller cannot bring about: a disk that fails, and asks that look at less.

use super::disk::open_directory;
use crate::{DocToken, DocTokens, Expr, IndexOptions, Pace, PostIndex, PostIndexWriter, SearchError};
use guanxi_model::post::PostStats;
use guanxi_model::{HistoryId, Position, PostId, Uid};
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{DirectoryLock, FileHandle, Lock, WatchCallback, WatchHandle, WritePtr};

const HISTORY: HistoryId = HistoryId(5);

/// A directory that refuses to write while it is told to fail.
#[derive(Clone, Debug)]
struct Failing {
    inner: Box<dyn Directory>,
    fails: Arc<AtomicBool>,
    only_meta: bool,
}

impl Failing {
    fn fails(&self) -> bool {
        self.fails.load(Ordering::Relaxed)
    }
}

impl Directory for Failing {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }
    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }
    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }
    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        if self.fails() && !self.only_meta {
            return Err(OpenWriteError::wrap_io_error(io::Error::from_raw_os_error(28), path.to_owned()));
        }
        self.inner.open_write(path)
    }
    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if self.fails() && path.ends_with("meta.json") {
            return Err(io::Error::from_raw_os_error(28));
        }
        self.inner.atomic_write(path, data)
    }
    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }
    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

fn options() -> IndexOptions {
    IndexOptions {
        analyser: 1,
        memory_bytes: 0,
        reserve_bytes: 0,
        free_bytes: Arc::new(|| Ok(u64::MAX)),
        pace: Pace::unbounded(),
    }
}

fn at(seq: u64) -> Position {
    Position::one(HISTORY, seq)
}

fn put(id: u64, audience: Audience) -> IndexChange<PostDoc<DocTokens>> {
    IndexChange::Put(PostDoc {
        id: PostId::new(id).unwrap(),
        author: Uid::new(9).unwrap(),
        form: PostForm::Post,
        audience,
        state: PostState::Live,
        created_ms: 0,
        stats: PostStats::default(),
        revision: 0,
        digest: id,
        text: vec![DocToken { word: "tea".to_owned(), position: 0 }],
    })
}

fn ask(below: Option<PostId>) -> PostAsk<'static, Expr> {
    let query = Expr::Word("tea".to_owned());
    PostAsk { query, author: None, replies: None, from: None, below, circle: Circle::Public, max: 2 }
}

fn ids(index: &PostIndex) -> Vec<u64> {
    let all = PostAsk { circle: Circle::All, max: 100, ..ask(None) };
    index.search(&all).unwrap().ids.into_iter().map(PostId::get).collect()
}

#[test]
fn a_commit_that_fails_keeps_the_one_before_and_the_writer_is_opened_again() {
    for only_meta in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        PostIndexWriter::create(dir.path(), options(), at(1)).unwrap();
        let fails = Arc::new(AtomicBool::new(false));
        let inner = open_directory(dir.path(), &Pace::unbounded()).unwrap();
        let directory = Failing { inner, fails: Arc::clone(&fails), only_meta };
        let mut writer =
            PostIndexWriter::open_in(Box::new(directory), dir.path(), options(), HISTORY).unwrap();
        writer.apply([put(10, Audience::Public)]).unwrap();
        writer.commit(at(2)).unwrap();

        fails.store(true, Ordering::Relaxed);
        let tried = writer.apply([put(11, Audience::Public)]).and_then(|()| writer.commit(at(3)));
        assert!(matches!(tried, Err(SearchError::Failed(_))), "{tried:?}");
        assert!(matches!(writer.commit(at(3)), Err(SearchError::WriterEnded)));
        assert!(matches!(writer.apply([put(11, Audience::Public)]), Err(SearchError::WriterEnded)));
        let index = writer.index();
        assert_eq!((ids(&index), index.as_of()), (vec![10], at(2)), "searches go on");

        fails.store(false, Ordering::Relaxed);
        writer.reopen().unwrap();
        assert_eq!((ids(&index), writer.position()), (vec![10], &at(2)));
        writer.apply([put(11, Audience::Public)]).unwrap();
        writer.commit(at(3)).unwrap();
        assert_eq!((ids(&index), index.as_of()), (vec![11, 10], at(3)));
    }
}

#[test]
fn an_ask_that_looks_at_enough_says_where_to_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PostIndexWriter::create(dir.path(), options(), at(1)).unwrap();
    let is_public = |id: u64| id.is_multiple_of(10);
    let docs =
        (1..=100).map(|id| put(id, if is_public(id) { Audience::Public } else { Audience::Followers }));
    writer.apply(docs).unwrap();
    writer.commit(at(2)).unwrap();
    let (index, mut below, mut walked, mut pages) = (writer.index(), None, Vec::new(), 0);
    loop {
        let found = index.search_within(&ask(below), 4).unwrap();
        walked.extend(found.ids.iter().map(|id| id.get()));
        pages += 1;
        below = found.next;
        if found.next.is_none() {
            break;
        }
    }
    assert_eq!(walked, (1..=10).rev().map(|tens| tens * 10).collect::<Vec<u64>>());
    assert!(pages > 15, "each looks at five documents or so, not at all: {pages}");
}

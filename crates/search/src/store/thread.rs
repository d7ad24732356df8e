//! The thread that writes: it takes jobs, and commits when it is time.

use super::directory::IndexPlace;
use super::{Answer, Shared, StoreOptions, WhyNone};
use crate::engine::{DocKind, DocWriter, IdOf, Rewriting};
use crate::{SearchError, Unusable};
use guanxi_model::{Position, Result};
use guanxi_ports::{IndexChange, IndexStage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is looked whether segments are written anew.
const REWRITTEN_LOOK: Duration = Duration::from_millis(20);

/// After segments are written anew, the next time begins after so many times the time that this took, so that a server whose
/// users are erased all day spends a hundredth of it on this.
const REWRITE_PAUSES: u32 = 100;

/// What the thread is asked to do.
pub(super) enum IndexJob<K: DocKind> {
    /// Another follower begins: where the index stands.
    Take(Answer<Stand<IdOf<K>>>),
    /// With the position, and up to where counters are those of the facts, if that is before it.
    Apply(Vec<IndexChange<K::Source>>, (Position, Option<Position>), Answer<()>),
    /// Answered after the next commit.
    Keep(Answer<()>),
    BeginAnew(Position, Answer<()>),
    Finish(Answer<()>),
    /// Somebody waits for a position.
    Hurry,
    /// The index that is searched was found damaged, for this reason.
    Damaged(String),
    Close(Answer<()>),
    /// Ends without a commit.
    Stop,
}

/// Where an index stands.
pub(super) struct Stand<I> {
    pub(super) position: Position,
    /// Up to where counters are those of the facts, if that is before the position.
    pub(super) counters: Option<Position>,
    pub(super) stage: IndexStage<I>,
}

/// An index that is being built.
struct Build<K: DocKind> {
    writer: DocWriter<K>,
    number: u64,
    /// The last document that it has.
    last: Option<IdOf<K>>,
}

/// What the thread has.
pub(super) struct Writing<K: DocKind> {
    place: IndexPlace,
    options: StoreOptions,
    /// The beginning of all logs, with the history.
    beginning: Position,
    shared: Arc<Shared<K>>,
    /// The writer of the index that is searched; none while another one is built.
    writer: Option<DocWriter<K>>,
    build: Option<Build<K>>,
    /// The callers that wait for a commit.
    keeping: Vec<Answer<()>>,
    committed: Option<Instant>,
    /// Whether words of something erased may be in the index that is searched.
    is_erasing: bool,
    /// Whether something was erased since the last commit: a walk that has begun since still shows it.
    ends_walks: bool,
    /// Whether something was erased after the rewriting began.
    erases_more: bool,
    /// Segments that are being written anew, since when.
    rewriting: Option<(Rewriting, Instant)>,
    /// The last time that something was done for the rewriting.
    rewritten: Option<Instant>,
    /// The time between that and the next rewriting.
    rewrite_pause: Duration,
    /// The format of the index that is there, if it is later than this program's.
    later: Option<u32>,
}

impl<K: DocKind> Writing<K> {
    /// Opens the index that is searched, if there is one that can be used.
    pub(super) fn open(
        place: IndexPlace,
        options: StoreOptions,
        beginning: Position,
        shared: Arc<Shared<K>>,
    ) -> Result<Self, SearchError> {
        let (writer, build, keeping, committed) = (None, None, Vec::new(), None);
        let is_erasing = place.is_erasing();
        let mut writing = Self {
            place,
            options,
            beginning,
            shared,
            writer,
            build,
            keeping,
            committed,
            is_erasing,
            ends_walks: false,
            erases_more: false,
            rewriting: None,
            rewritten: None,
            rewrite_pause: Duration::ZERO,
            later: None,
        };
        writing.open_current()?;
        Ok(writing)
    }

    /// Takes jobs until it is told to end.
    pub(super) fn run(mut self, inbox: &Receiver<IndexJob<K>>) {
        loop {
            let job = match self.until_commit().into_iter().chain(self.until_rewrite()).min() {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => inbox.recv_timeout(wait),
            };
            match job {
                Ok(IndexJob::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(IndexJob::Close(answer)) => {
                    let closed =
                        self.commit().and_then(|()| self.writer.take().map_or(Ok(()), DocWriter::close));
                    let _ = answer.send(closed.map_err(Into::into));
                    return;
                }
                Ok(job) => self.guarded(|writing| writing.take(job)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.until_commit().is_some_and(|wait| wait.is_zero()) {
                self.guarded(Self::commit_for_all);
            }
            if self.until_rewrite().is_some_and(|wait| wait.is_zero()) {
                self.guarded(Self::rewrite);
            }
        }
    }

    /// Does something, and goes on after a panic of the library without what was not committed: who waits for an answer hears
    /// that there is none, and takes the index again.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            (self.writer, self.build, self.rewriting) = (None, None, None);
            self.keeping.clear();
        }
    }

    /// The time until the next commit; `None` when there is nothing to commit.
    fn until_commit(&self) -> Option<Duration> {
        self.writer.as_ref().filter(|writer| writer.has_changes())?;
        let hurries = self.shared.waiting.load(Ordering::Relaxed) > 0;
        let pause = if hurries { self.options.commit_hurried } else { self.options.commit_every };
        let passed = self.committed.map_or(Duration::MAX, |committed| committed.elapsed());
        Some(pause.saturating_sub(passed))
    }

    /// The time until segments are rewritten, or until it is looked whether they are; `None` when there is nothing to do, or a
    /// commit comes first.
    fn until_rewrite(&self) -> Option<Duration> {
        let writer = self.writer.as_ref().filter(|_| self.is_erasing)?;
        let pause = match &self.rewriting {
            Some(_) => REWRITTEN_LOOK,
            None if writer.has_changes() => return None,
            None => self.rewrite_pause,
        };
        let passed = self.rewritten.map_or(Duration::MAX, |rewritten| rewritten.elapsed());
        Some(pause.saturating_sub(passed))
    }

    /// Removes words of what was erased from the files, step by step. What fails is tried again after a pause.
    fn rewrite(&mut self) {
        let now = Instant::now();
        self.rewritten = Some(now);
        let Some(writer) = &mut self.writer else { return };
        let Some((rewriting, begun)) = &mut self.rewriting else {
            // What is erased from now on is for the next time.
            self.erases_more = false;
            self.rewriting = writer.rewrite().ok().map(|rewriting| (rewriting, now));
            self.rewrite_pause = self.options.rewrite_pause_max;
            return;
        };
        let Some(is_whole) = rewriting.is_done() else { return };
        let took = now.duration_since(*begun);
        self.rewrite_pause = took.saturating_mul(REWRITE_PAUSES).min(self.options.rewrite_pause_max);
        self.rewriting = None;
        let ended =
            || writer.refresh().and_then(|()| writer.remove_files()).and_then(|()| self.place.end_erasing());
        if is_whole && !self.erases_more && ended().is_ok() {
            self.is_erasing = false;
        }
    }

    fn take(&mut self, job: IndexJob<K>) {
        // A caller that does not wait for the answer any more misses nothing.
        match job {
            IndexJob::Take(answer) => {
                let taken = self.reopen();
                let _ = answer.send(self.tell_why(taken));
            }
            IndexJob::Apply(changes, at, answer) => {
                let applied = self.apply(changes, at);
                let _ = answer.send(self.tell_why(applied));
            }
            IndexJob::BeginAnew(head, answer) => {
                let begun = self.begin_anew(head);
                let _ = answer.send(self.tell_why(begun));
            }
            IndexJob::Finish(answer) => {
                let finished = self.finish();
                let _ = answer.send(self.tell_why(finished));
            }
            IndexJob::Keep(answer) => match &self.writer {
                Some(writer) if writer.has_changes() => self.keeping.push(answer),
                Some(_) => drop(answer.send(Ok(()))),
                None => drop(answer.send(Err(SearchError::WriterEnded.into()))),
            },
            IndexJob::Damaged(why) => self.condemn(&why),
            IndexJob::Hurry | IndexJob::Close(_) | IndexJob::Stop => {}
        }
    }

    /// Opens the index that is searched. One that cannot be used is as good as none, and its cause is told to readers.
    fn open_current(&mut self) -> Result<(), SearchError> {
        (self.writer, self.rewriting, self.later) = (None, None, None);
        let Some(path) = self.place.current() else {
            self.shared.show(Err(WhyNone::new("building", "it is to be built")));
            return Ok(());
        };
        let open = || DocWriter::open(&path, self.options.index.clone(), self.beginning.history());
        // The library panics over some damaged files.
        let opened = catch_unwind(AssertUnwindSafe(open))
            .unwrap_or_else(|_| Err(Unusable::Damaged("its files cannot be read".to_owned()).into()));
        let why: Unusable = match opened {
            Ok(writer) => {
                self.shared.show(Ok((writer.index(), path)));
                self.writer = Some(writer);
                return Ok(());
            }
            Err(SearchError::Unusable(why)) => why,
            Err(SearchError::Absent) => Unusable::Damaged("it is gone".to_owned()),
            Err(other) => return Err(other),
        };
        if let Unusable::NewerFormat(later) = why {
            self.later = Some(later);
        }
        self.shared.show(Err(WhyNone::new(why.cause(), why.to_string())));
        Ok(())
    }

    /// Tells readers what keeps an index from being built, as long as there is none.
    fn tell_why<T>(&self, done: Result<T, SearchError>) -> Result<T> {
        if let Err(error) = &done
            && self.shared.now().is_err()
        {
            self.shared.show(Err(WhyNone::new(error.cause(), error.to_string())));
        }
        done.map_err(Into::into)
    }

    /// Searches the damaged index no more: the follower of the logs takes it again, and builds another one.
    fn condemn(&mut self, why: &str) {
        if self.build.is_some() {
            return;
        }
        self.writer = None;
        let why = match self.place.condemn() {
            Ok(()) => format!("it is damaged: {why}"),
            Err(error) => format!("it is damaged: {why}; {error}"),
        };
        self.shared.show(Err(WhyNone::new("damaged", why)));
        self.shared.lost.send_modify(|times| *times += 1);
    }

    /// Goes back to the last commit. What is being built goes on.
    fn reopen(&mut self) -> Result<Stand<IdOf<K>>, SearchError> {
        for answer in self.keeping.drain(..) {
            let _ = answer.send(Err(SearchError::WriterEnded.into()));
        }
        if let Some(Build { writer, last, .. }) = &self.build {
            if self.shared.now().is_err() {
                self.shared.show(Err(WhyNone::new("building", "it is being built")));
            }
            return Ok(stand(writer, IndexStage::Building(*last)));
        }
        self.open_current()?;
        if let Some(later) = self.later {
            // It is another program's, which goes on with it: it is not replaced.
            return Err(Unusable::NewerFormat(later).into());
        }
        Ok(match &self.writer {
            Some(writer) => stand(writer, IndexStage::Whole),
            None => Stand { position: self.beginning.clone(), counters: None, stage: IndexStage::Absent },
        })
    }

    fn apply(
        &mut self,
        changes: Vec<IndexChange<K::Source>>,
        (at, counters): (Position, Option<Position>),
    ) -> Result<(), SearchError> {
        if changes.iter().any(|change| matches!(change, IndexChange::Erase(_))) {
            if !self.is_erasing {
                // First: a crash after a commit must not forget it.
                self.place.begin_erasing()?;
            }
            (self.is_erasing, self.erases_more) = (true, true);
            // A walk shows the documents of its moment, and keeps their files.
            self.shared.pins.end_all();
            self.ends_walks = true;
        }
        self.options.index.pace.documents(changes.len());
        if let Some(build) = &mut self.build {
            for change in changes {
                let id = change.id();
                match build.writer.apply([in_words::<K>(change)]) {
                    Ok(()) => build.last = Some(id),
                    // The writer goes on once there is room.
                    Err(error @ SearchError::NoRoom { .. }) => return Err(error),
                    Err(error) => {
                        self.build = None;
                        return Err(error);
                    }
                }
            }
            return Ok(());
        }
        let writer = self.writer.as_mut().ok_or(SearchError::WriterEnded)?;
        writer.apply(changes.into_iter().map(in_words::<K>))?;
        writer.set_counters(counters);
        writer.move_to(at)?;
        self.shared.tell();
        Ok(())
    }

    fn commit(&mut self) -> Result<(), SearchError> {
        if let Some(writer) = &mut self.writer {
            let at = writer.position().clone();
            self.committed = Some(Instant::now());
            writer.commit(at)?;
            if std::mem::take(&mut self.ends_walks) {
                self.shared.pins.end_all();
            }
            self.shared.tell();
        }
        Ok(())
    }

    /// Commits, and tells who waits for it.
    fn commit_for_all(&mut self) {
        let committed = self.commit();
        if committed.is_err() {
            // The follower of the logs takes the index again, from the last commit on.
            self.writer = None;
        }
        let committed: Result<()> = committed.map_err(Into::into);
        for answer in self.keeping.drain(..) {
            let _ = answer.send(committed.clone());
        }
    }

    fn begin_anew(&mut self, head: Position) -> Result<(), SearchError> {
        // The memory of a writer is for one; searches go on with what was committed.
        (self.writer, self.build, self.rewriting) = (None, None, None);
        // No event tells the index of erasures before the head.
        self.shared.pins.end_all();
        let (number, path) = self.place.make()?;
        let writer = DocWriter::create(&path, self.options.index.clone(), head)?;
        self.build = Some(Build { writer, number, last: None });
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SearchError> {
        let Build { mut writer, number, .. } = self.build.take().ok_or(SearchError::WriterEnded)?;
        writer.commit(writer.position().clone())?;
        let path = self.place.switch_to(number)?;
        self.committed = Some(Instant::now());
        self.shared.show(Ok((writer.index(), path)));
        self.shared.pins.end_all();
        // What was erased before the walk is in no new index.
        self.place.end_erasing()?;
        self.is_erasing = false;
        self.writer = Some(writer);
        Ok(())
    }
}

/// Returns where a writer stands.
fn stand<K: DocKind>(writer: &DocWriter<K>, stage: IndexStage<IdOf<K>>) -> Stand<IdOf<K>> {
    Stand { position: writer.position().clone(), counters: writer.counters().cloned(), stage }
}

/// A change with words in place of texts.
fn in_words<K: DocKind>(change: IndexChange<K::Source>) -> IndexChange<K::Doc> {
    match change {
        IndexChange::Put(source) => IndexChange::Put(K::in_words(source)),
        IndexChange::Remove(id) => IndexChange::Remove(id),
        IndexChange::Erase(id) => IndexChange::Erase(id),
    }
}

//! Likes, replies and reposts, counted from the log.
//!
//! The position up to which a log has been counted is kept as the position of a job. It is written in the same commit as the
//! counts. So no event counts twice and none is left out, even if the process ends at any moment.
//! Events that the log trimmed before the job read them are not counted later. Points of different kinds are added into one
//! number, so the job cannot tell which of the existing likes and posts are already in it.

use super::AffinityCenter;
use crate::log_readers::{Follower, keep_following};
use guanxi_model::affinity::{InteractionKind, Score};
use guanxi_model::event::PostChange;
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::post::Kind;
use guanxi_model::{
    Change, Error, Event, EventAt, ImportCursor, LogId, Position, PostHeader, PostId, Result, Uid, Write,
};
use guanxi_ports::{BoxFuture, EventBatch};
use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::time::Duration;

/// Events without anything to count after which the position is kept all the same: a start reads no more of them again.
const KEEP_EVERY: u64 = 4_096;

/// The follower that counts what users do about each other's posts.
pub struct LikesAndReplies {
    center: AffinityCenter,
    position: Position,
    /// Up to where each log's position is kept.
    kept: BTreeMap<LogId, u64>,
    /// How many events came since the last rest.
    came: Came,
    rest: Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
}

/// How many events came since the last rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Nothing,
    /// All that there was.
    All,
    /// A full batch of some log, so that there may be more.
    Part,
}

/// The job that keeps how far a log was counted. Imports of operators have other names.
fn job(log: LogId) -> String {
    format!("guanxi/affinity/{}", log.0)
}

impl AffinityCenter {
    /// Counts until `stop` completes or the store closes. It rests after it has read all events. So events that come
    /// meanwhile are read at once, and a busy server is not asked for each write. `failed` is told of an error and completes
    /// after a rest.
    pub async fn count(
        &self,
        stop: impl Future<Output = ()> + Send,
        rest: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + Clone + 'static,
        failed: impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync,
    ) {
        let log = self.log.clone();
        let begin = || -> BoxFuture<'static, Result<LikesAndReplies>> {
            let (center, rest) = (self.clone(), rest.clone());
            Box::pin(async move { Ok(LikesAndReplies::begin(center).await?.resting(rest)) })
        };
        keep_following(&*log, begin, stop, failed).await;
    }
}

impl LikesAndReplies {
    /// Begins where the effect stands: with the first event if nothing was ever counted.
    ///
    /// # Errors
    /// When the log or the kept positions cannot be read.
    pub async fn begin(center: AffinityCenter) -> Result<Self> {
        let head = center.log.head().await?;
        let view = center.store.view(None).await?;
        let mut kept = BTreeMap::new();
        let mut position = Position::beginning(head.history(), head.logs());
        for (log, _) in head.marks() {
            let seq = view.import_position(&job(log)).await?.unwrap_or(0);
            kept.insert(log, seq);
            position.join(&Position::seen(head.history(), head.logs(), EventAt::new(log, seq)));
        }
        Ok(Self { center, position, kept, came: Came::Nothing, rest: Box::new(|| Box::pin(ready(()))) })
    }

    /// The same with a rest after all that came.
    pub(super) fn resting(self, rest: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self { rest: Box::new(rest), ..self }
    }

    /// Returns the scores of some events of one log: for each user, those with the users that its acts concern.
    async fn counted(&self, batch: &EventBatch) -> Result<BTreeMap<Uid, Vec<(Uid, Score)>>> {
        let own: Vec<&Event> = batch.events.iter().filter(|event| event.echo.is_none()).collect();
        let written: Vec<PostId> = own.iter().filter_map(|event| written(event)).collect();
        let headers: BTreeMap<PostId, PostHeader> = if written.is_empty() {
            BTreeMap::new()
        } else {
            let view = self.center.store.view(Some(&batch.position)).await?;
            let headers = view.headers(&written).await?;
            headers.into_iter().flatten().map(|header| (header.id, header)).collect()
        };
        let mut counted: BTreeMap<Uid, Vec<(Uid, Score)>> = BTreeMap::new();
        for event in own {
            let Some((object, kind, at_ms)) = deed(event, &headers) else { continue };
            if object != event.subject {
                let score = self.center.terms.score(kind, 1, at_ms);
                counted.entry(event.subject).or_default().push((object, score));
            }
        }
        Ok(counted)
    }

    /// Counts some events of one log, and keeps that they are.
    async fn take(&mut self, batch: EventBatch) -> Result<()> {
        let Some(last) = batch.events.last().map(|event| event.at) else {
            self.position = batch.position;
            return Ok(());
        };
        if self.came != Came::Part {
            let is_full = batch.events.len() >= EVENT_BATCH_MAX as usize;
            self.came = if is_full { Came::Part } else { Came::All };
        }
        let log = last.log();
        let to = batch.position.only(|known| known == log).event_count();
        let counted = self.counted(&batch).await?;
        let from = self.kept.get(&log).copied().unwrap_or(0);
        if !counted.is_empty() || to >= from + KEEP_EVERY {
            let commands = counted.into_iter().map(|(actor, all)| self.center.command(actor, all, false));
            let cursor = ImportCursor { job: job(log), from, to };
            self.center.store.apply(Write::all(commands).at(Some(cursor))).await?;
            self.kept.insert(log, to);
        }
        self.position = batch.position;
        Ok(())
    }
}

/// The post that an event says was written.
fn written(event: &Event) -> Option<PostId> {
    match event.change {
        Change::Post { id, kind: PostChange::Created } => Some(id),
        _ => None,
    }
}

/// Returns the act of an event's subject: the user whom it concerns, its kind, and its time.
fn deed(event: &Event, headers: &BTreeMap<PostId, PostHeader>) -> Option<(Uid, InteractionKind, u64)> {
    if let Change::Liked { author, at, .. } = event.change {
        return Some((author, InteractionKind::Like, at.ms()));
    }
    let (author, kind) = about(headers.get(&written(event)?)?.kind)?;
    Some((author, kind, event.version.ms()))
}

/// Returns the user that a post is about, and the kind of the interaction.
const fn about(kind: Kind) -> Option<(Uid, InteractionKind)> {
    match kind {
        Kind::Reply { author, .. } => Some((author, InteractionKind::Reply)),
        Kind::Repost { author, .. } | Kind::Quote { author, .. } => Some((author, InteractionKind::Repost)),
        Kind::Post => None,
    }
}

impl Follower for LikesAndReplies {
    fn position(&self) -> &Position {
        &self.position
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.take(batch))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        match std::mem::replace(&mut self.came, Came::Nothing) {
            Came::Nothing | Came::Part => Box::pin(ready(Ok(false))),
            Came::All => Box::pin(async {
                (self.rest)().await;
                Ok(false)
            }),
        }
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let logs: Vec<LogId> = head.marks().map(|(log, _)| log).collect();
            for log in logs {
                let to = head.only(|known| known == log).event_count();
                let from = self.kept.get(&log).copied().unwrap_or(0);
                if from == to {
                    continue;
                }
                let cursor = ImportCursor { job: job(log), from, to };
                self.center.store.apply(Write::default().at(Some(cursor))).await?;
                self.kept.insert(log, to);
            }
            self.position = head;
            Ok(())
        })
    }
}

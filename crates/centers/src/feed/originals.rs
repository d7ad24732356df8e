//! Changes of the originals of plain reposts, for readers who do not follow the authors of these originals.
//!
//! A plain repost is shown only while its original is. It appears or disappears when:
//!
//! - the original is deleted or restored, or its audience becomes smaller or larger;
//! - the group that the original is for has other members;
//! - the author of the original blocks or unblocks the reader.
//!
//! None of these changes the reposter's outbox, and any user may have reposted the original, so no head of an outbox tells
//! it. [`OriginalChanges`] therefore keeps in memory the newest changes of this kind, read from the logs once for all readers
//! of a process. A poll first asks whether there is a change after its position at all, which costs nothing when there is
//! none. If there is, the poll looks up the authors of the originals that the newest [`WATCHED_ITEMS`] items of the home
//! share. A client may have that many items on a screen.
//!
//! A change that was dropped from memory may be of any original. So a poll from an earlier position answers `reset` if these
//! items have a stranger's original. A process begins some way back in the logs, so that a reader who was connected before a
//! restart does not get a needless `reset`.

use super::FeedCenter;
use super::author_changes::AuthorChanges;
use super::hydrate::hydrate_headers;
use super::rules::judge;
use super::skeleton::Skeleton;
use crate::post::Originals;
use crate::turn::yield_now;
use guanxi_model::event::{Change, Event, PairChange};
use guanxi_model::limits::{EVENT_BATCH_MAX, WATCH_SCAN_MAX, WATCHED_ITEMS};
use guanxi_model::post::{Kind, home_hides};
use guanxi_model::{EventAt, LogId, Logs, MuteScope, Position, PostHeader, PostId, Reason, Result, Uid};
use guanxi_ports::{EventBatch, PostView, ViewerRelations};
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

/// Changes that are kept: some megabytes, and on a busy server those of many hours, since few posts that were reposted
/// are deleted, and few users blocked.
pub(super) const CHANGES_MAX: usize = 65_536;

/// Items that are looked at in one step, at least, while some are missing among the newest that are shown.
const WATCH_STEP_MIN: usize = 50;

/// The most events that one call reads to catch up. A process that is further behind drops its changes and begins at the end.
pub(super) const CATCH_UP_EVENTS: usize = 20_000;

/// Events before its start that a process reads, once, when a poll first asks. They serve readers who come back soon.
const READ_BACK_EVENTS: u64 = CATCH_UP_EVENTS as u64 / 2;

/// The newest changes of what shows behind plain reposts.
#[derive(Default)]
pub(super) struct OriginalChanges {
    known: Mutex<Option<Known>>,
    /// Held by the one call that reads for all.
    reading: tokio::sync::Mutex<()>,
}

/// The changes after `from`, up to `to`.
pub(super) struct Known {
    from: Position,
    to: Position,
    /// The last change of a post that was reposted.
    pub posts: HashMap<PostId, EventAt>,
    /// The last block or unblock of a user by another.
    pub blocks: HashMap<Uid, HashMap<Uid, EventAt>>,
    /// The last time that an author went or came back, and all its posts.
    authors: HashMap<Uid, EventAt>,
    /// The last time that others came into a group which posts of an author are for, or went.
    audiences: HashMap<Uid, EventAt>,
    /// The last change of a post or of all posts of an author in each log.
    last: HashMap<LogId, EventAt>,
    /// Changes of authors, for users who follow them.
    of_authors: AuthorChanges,
    /// Everything that is kept, in the order in which it was read.
    pub order: VecDeque<(EventAt, Changed)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    Post(PostId),
    Pair { blocked: Uid, by: Uid },
    Author(Uid),
    Audience(Uid),
}

impl Changed {
    /// Returns the change of an event, if it is about which readers see a post; its echo tells nothing more.
    fn of(event: &Event) -> Option<Self> {
        match event.change {
            _ if event.echo.is_some() => None,
            Change::Post { id, kind } if kind.resets() => Some(Self::Post(id)),
            Change::Pair { object, kind: PairChange::Blocked { .. } | PairChange::Unblocked, .. } => {
                Some(Self::Pair { blocked: object, by: event.subject })
            }
            Change::User(kind) if kind.resets() => Some(Self::Author(event.subject)),
            Change::Group { kind, .. } if kind.resets() => Some(Self::Audience(event.subject)),
            _ => None,
        }
    }
}

impl Known {
    pub(super) fn new(head: Position) -> Self {
        let (posts, blocks, authors, audiences, last, order) = Default::default();
        let of_authors = AuthorChanges::new(head.clone());
        Self { from: head.clone(), to: head, posts, blocks, authors, audiences, last, of_authors, order }
    }

    pub(super) fn add(&mut self, at: EventAt, changed: Changed) {
        match changed {
            Changed::Post(id) => {
                self.posts.insert(id, at);
                self.last.insert(at.log(), at);
            }
            Changed::Pair { blocked, by } => {
                self.blocks.entry(blocked).or_default().insert(by, at);
            }
            Changed::Author(author) => {
                self.authors.insert(author, at);
                self.last.insert(at.log(), at);
            }
            Changed::Audience(author) => {
                self.audiences.insert(author, at);
                self.last.insert(at.log(), at);
            }
        }
        self.order.push_back((at, changed));
        while self.order.len() > CHANGES_MAX {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        let Some((at, changed)) = self.order.pop_front() else { return };
        self.from = self.from.after(at);
        match changed {
            Changed::Post(id) => {
                if self.posts.get(&id) == Some(&at) {
                    self.posts.remove(&id);
                }
            }
            Changed::Pair { blocked, by } => {
                let Some(blockers) = self.blocks.get_mut(&blocked) else { return };
                if blockers.get(&by) == Some(&at) {
                    blockers.remove(&by);
                }
                if blockers.is_empty() {
                    self.blocks.remove(&blocked);
                }
            }
            Changed::Author(author) => forget_of(&mut self.authors, author, at),
            Changed::Audience(author) => forget_of(&mut self.audiences, author, at),
        }
    }

    /// Returns whether anything may have changed for a viewer after a position, in the logs that it names.
    pub(super) fn may_concern(&self, viewer: Uid, since: &Position) -> bool {
        let blockers = self.blocks.get(&viewer).into_iter().flat_map(HashMap::values);
        blockers.copied().any(|at| at.is_after(since.in_log(at.log())))
            || since.marks().any(|(log, _)| {
                let mark = since.in_log(log);
                let is_late = |at: &EventAt| at.is_after(mark);
                is_late(&self.from.in_log(log)) || self.last.get(&log).is_some_and(is_late)
            })
    }

    /// Returns whether a viewer may see an original otherwise than at a position.
    pub(super) fn changed(&self, viewer: Uid, (of, author): (PostId, Uid), since: &Position) -> bool {
        let mark = since.of(author);
        let is_late = |at: &EventAt| at.is_after(mark);
        let block = || self.blocks.get(&viewer).and_then(|blockers| blockers.get(&author));
        is_late(&self.from.of(author))
            || self.posts.get(&of).is_some_and(is_late)
            || self.authors.get(&author).is_some_and(is_late)
            || block().is_some_and(is_late)
    }
}

/// Forgets the last change of an author, if it is this one.
fn forget_of(changes: &mut HashMap<Uid, EventAt>, author: Uid, at: EventAt) {
    if changes.get(&author) == Some(&at) {
        changes.remove(&author);
    }
}

impl OriginalChanges {
    /// Begins to know what changes, from some way before the heads of the logs, unless it has begun.
    pub(super) fn begin(&self, head: &Position) {
        let logs = head.marks().count().max(1) as u64;
        self.with(|known| {
            known.get_or_insert_with(|| Known::new(head.back(READ_BACK_EVENTS / logs)));
        });
    }

    /// Returns whether everything up to a position was taken in.
    fn stands_at(&self, head: &Position) -> bool {
        self.with(|known| known.as_ref().is_some_and(|known| known.to.covers(head)))
    }

    /// Returns whether anything may have changed for a viewer after a position, in the logs that it names.
    fn may_concern(&self, viewer: Uid, since: &Position) -> bool {
        self.with(|known| known.as_ref().is_none_or(|known| known.may_concern(viewer, since)))
    }

    /// Returns whether a viewer may see any of some originals otherwise than at a position.
    fn changed_any(&self, viewer: Uid, originals: &[(PostId, Uid)], since: &Position) -> bool {
        let any = |known: &Known| originals.iter().any(|original| known.changed(viewer, *original, since));
        self.with(|known| known.as_ref().is_none_or(any))
    }

    /// Returns the originals whose author's groups have other members than at a position.
    fn audiences_changed(&self, originals: &[(PostId, Uid)], since: &Position) -> Vec<PostId> {
        let is_late = |known: &Known, author: Uid| {
            known.audiences.get(&author).is_some_and(|at| at.is_after(since.of(author)))
        };
        let late = |known: &Known| {
            let late = originals.iter().filter(|(_, author)| is_late(known, *author));
            late.map(|(id, _)| *id).collect()
        };
        self.with(|known| known.as_ref().map_or_else(Vec::new, late))
    }

    /// Which posts of some authors changed after a position; `None` if others may have, too.
    pub(super) fn posts_changed(&self, authors: &[Uid], since: &Position) -> Option<Vec<PostId>> {
        self.with(|known| {
            let known = known.as_ref()?;
            let posts = authors.iter().map(|author| known.of_authors.after(*author, since));
            posts.collect::<Option<Vec<_>>>().map(|posts| posts.concat())
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Option<Known>) -> T) -> T {
        look(&mut self.known.lock().expect("nobody panics while holding what is known of originals"))
    }
}

impl FeedCenter {
    /// Returns whether an original behind the viewer's newest plain reposts may show otherwise than at a position, because of
    /// an author whom the viewer does not follow. `view` was pinned before.
    pub(super) async fn originals_changed(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        since: &Position,
    ) -> Result<bool> {
        self.know_changes_of(view).await?;
        if !self.originals.may_concern(viewer, since) {
            return Ok(false);
        }
        Box::pin(self.watched_changed(view, viewer_relations, viewer, since)).await
    }

    /// Takes in what changed up to a view.
    pub(super) async fn know_changes_of(&self, view: &dyn PostView) -> Result<()> {
        // On one machine the view says where the log ends, for all that it is asked about.
        let position = view.position();
        let head = if position.logs() == Logs::One { position } else { self.log.head().await? };
        // Rare work is large and on the heap: a caller that waits for news holds little.
        if !self.originals.stands_at(&head) {
            Box::pin(self.catch_up_originals(&head)).await?;
        }
        Ok(())
    }

    /// The same, by a look at the newest items.
    async fn watched_changed(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        since: &Position,
    ) -> Result<bool> {
        let mut newest = self.newest_reposts(view, viewer_relations, viewer).await?;
        // A repost of another that is new itself is told, or not, by how its original is now. One's own is never told.
        let is_told = |header: &PostHeader| {
            header.author != viewer
                && header.event.is_some_and(|event| event.is_after(since.of(header.author)))
        };
        newest.retain(|header| !is_told(header));
        let watched: Vec<(PostId, Uid)> =
            strangers_originals(newest.iter(), viewer_relations, viewer).collect();
        // The members of an author's groups decide who sees posts for a group.
        let readdressed = self.originals.audiences_changed(&watched, since);
        let is_for_a_group = |header: &PostHeader| header.visibility.group().is_some();
        let is_changed = self.originals.changed_any(viewer, &watched, since)
            || view.headers(&readdressed).await?.iter().flatten().any(is_for_a_group);
        if is_changed {
            // The answer says where it stands in the logs of the originals, so that the next one can tell.
            let ids: Vec<PostId> = watched.into_iter().map(|(id, _)| id).collect();
            view.headers(&ids).await?;
        }
        Ok(is_changed)
    }

    /// Returns the plain reposts among the newest [`WATCHED_ITEMS`] items of a home, including those that their originals
    /// hide. An item that is hidden for another reason does not count. At most [`WATCH_SCAN_MAX`] headers are looked at.
    pub(super) async fn newest_reposts(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
    ) -> Result<Vec<PostHeader>> {
        let handle = self.handle(viewer);
        let read = handle.read(None, WATCHED_ITEMS).await?;
        let mut newest =
            Skeleton::open(view, handle, viewer_relations, Some(read), None, WATCHED_ITEMS).await?;
        let (mut found, mut shown, mut looked_at) = (Vec::new(), 0, 0);
        while shown < WATCHED_ITEMS && looked_at < WATCH_SCAN_MAX {
            let wanted = (WATCHED_ITEMS - shown).max(WATCH_STEP_MIN);
            let ids = newest.next(wanted).await?;
            looked_at += ids.len();
            let headers = view.headers(&ids).await?.into_iter().flatten();
            let (reposts, others): (Vec<_>, Vec<_>) =
                headers.partition(|header| matches!(header.kind, Kind::Repost { .. }));
            let others = others.into_iter().map(Some).collect();
            let others =
                hydrate_headers(view, viewer_relations, viewer, others, Originals::OfReposts).await?;
            let is_shown = |header: &&PostHeader| judge(header, viewer, viewer_relations, &others).is_ok();
            shown += others.headers.iter().flatten().filter(is_shown).count();
            let before = found.len();
            found.extend(reposts.into_iter().filter(|header| {
                let follows = |uid| viewer_relations.follow(uid).is_some();
                home_hides(header, viewer, follows, |uid| viewer_relations.mutes(uid)).is_none()
            }));
            shown += found.len() - before;
            if ids.len() < wanted {
                break;
            }
            yield_now().await;
        }
        Ok(found)
    }

    /// Takes in the changes since the last call, up to a position. One call reads, and the others wait for it: after a
    /// restart all clients come back at once.
    async fn catch_up_originals(&self, head: &Position) -> Result<()> {
        let _reading = self.originals.reading.lock().await;
        let mut left = CATCH_UP_EVENTS;
        while let Some((log, to)) = self.originals.with(|known| {
            let known = known.get_or_insert_with(|| Known::new(head.clone()));
            let mut logs = head.marks().map(|(log, _)| log);
            let behind = logs.find(|log| !known.to.includes(head.in_log(*log)));
            Some((behind?, known.to.clone()))
        }) {
            let batch = match self.log.read(log, &to, EVENT_BATCH_MAX as usize).await {
                Err(error) if error.reason == Reason::Trimmed => None,
                batch => Some(batch?),
            };
            // What an event has changed that cannot be read is not known.
            let goes_on =
                |batch: &EventBatch| batch.unreadable.is_empty() && (1..=left).contains(&batch.events.len());
            let Some(batch) = batch.filter(goes_on) else {
                self.originals.with(|known| *known = Some(Known::new(head.clone())));
                break;
            };
            left -= batch.events.len();
            let changes = self.kept(&batch.events, &batch.position).await?;
            self.originals.with(|known| {
                let Some(known) = known else { return };
                changes.into_iter().for_each(|(at, changed)| known.add(at, changed));
                batch.events.iter().for_each(|event| known.of_authors.note(event));
                known.to = batch.position;
            });
            yield_now().await;
        }
        Ok(())
    }

    /// The changes that may show behind a repost: of posts those that were reposted. Where counters are late all of them.
    async fn kept(&self, events: &[Event], at: &Position) -> Result<Vec<(EventAt, Changed)>> {
        let mut changes: Vec<(EventAt, Changed)> =
            events.iter().filter_map(|event| Some((event.at, Changed::of(event)?))).collect();
        let post = |(_, changed): &(EventAt, Changed)| match changed {
            Changed::Post(id) => Some(*id),
            Changed::Pair { .. } | Changed::Author(_) | Changed::Audience(_) => None,
        };
        let ids: Vec<PostId> = changes.iter().filter_map(post).collect();
        if ids.is_empty() {
            return Ok(changes);
        }
        let view = self.store.view(Some(at)).await?;
        if view.mirrors_are_exact() {
            let stats = view.stats(&ids).await?;
            let mut reposted = stats.iter().map(|stats| stats.reposts > 0);
            changes.retain(|(_, changed)| match changed {
                Changed::Post(_) => reposted.next().unwrap_or(true),
                Changed::Pair { .. } | Changed::Author(_) | Changed::Audience(_) => true,
            });
        }
        Ok(changes)
    }
}

/// Returns the originals of some plain reposts with their authors, without authors whom the viewer follows: the heads of
/// these tell the viewer of their changes. Muted posts do not show anyway.
pub(super) fn strangers_originals<'a>(
    headers: impl Iterator<Item = &'a PostHeader>,
    viewer_relations: &'a dyn ViewerRelations,
    viewer: Uid,
) -> impl Iterator<Item = (PostId, Uid)> {
    let original = move |header: &PostHeader| match header.kind {
        Kind::Repost { of, author } => {
            viewer_relations.mutes(header.author).is_none().then_some((of, author))
        }
        Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
    };
    let is_watched = move |uid| {
        let is_muted = viewer_relations.mutes(uid) == Some(MuteScope::All);
        uid != viewer && viewer_relations.follow(uid).is_none() && !is_muted
    };
    headers.filter_map(original).filter(move |(_, author)| is_watched(*author))
}

//! Step one of a read: candidate ids, newest first, unfiltered.
//!
//! Above the inbox's floor the candidates come from the inbox, and from the few authors that the inbox does not vouch for.
//! Below the floor, or without an inbox, they come from the outboxes of all authors. So one walk goes from the newest to the
//! first post ever, and a reader cannot tell where a page came from.
//!
//! An example. Ann follows Bob, Cy and Di. Her inbox was filled at event 100 and is valid for the users whom she follows now.
//! It holds 90, 80 and 60, and 60 is its floor: for each author that it vouches for it has all ids from 60 on. The fan-out
//! has covered the log up to event 120.
//!
//! 1. **The authors that it does not vouch for.** Bob's outbox last changed at event 95 and Cy's at 110: the inbox has these
//!    events or was offered them. Di's changed at event 125, which the fan-out has not reached: Di alone is pulled. If Bob
//!    were a celebrity that was skipped at event 105, he would be pulled as well, since 105 is after the inbox was filled.
//! 2. **Above the floor.** Di's ids are 95, 80 and 55. Both sides are merged: 95 comes from Di, 90 from the inbox, 80 from
//!    both and once, 60 from the inbox. 55 is below the floor and waits.
//! 3. **Below the floor.** The inbox has nothing there, so all outboxes are merged below 60: 58 of Bob, 55 of Di, 50 of Cy,
//!    and so on to the first post ever.
//! 4. **A cut in between.** If the visit asked for two ids alone, the slice would end at 80 although the inbox goes on. Then
//!    the inbox is visited again below 80, and step 1 is repeated: the authors that it vouches for may have changed.

use super::merge::Merge;
use crate::post::gone;
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_ports::{AuthorHead, Coverage, Inbox, InboxRead, InboxSlice, PostView, ViewerRelations};
use std::collections::HashSet;

/// How an inbox is reached, and when.
#[derive(Clone, Copy)]
pub(super) struct InboxHandle<'a> {
    pub inbox: &'a dyn Inbox,
    pub viewer: Uid,
    pub now_ms: u64,
}

impl InboxHandle<'_> {
    /// A visit.
    pub(super) async fn read(&self, below: Option<PostId>, max: usize) -> Result<InboxRead> {
        self.inbox.read(self.viewer, below, max, self.now_ms).await
    }
}

/// Candidates of one walk.
pub(super) struct Skeleton<'a> {
    view: &'a dyn PostView,
    handle: InboxHandle<'a>,
    viewer_relations: &'a dyn ViewerRelations,
    /// The viewer, and the users whom it follows, with their heads; read when they are needed.
    authors: Vec<Uid>,
    heads: Vec<AuthorHead>,
    /// Whether gone authors are among them.
    with_gone: bool,
    /// The last id that was handed out, or the cursor.
    below: Option<PostId>,
    source: Source,
    pulled: Option<u32>,
}

enum Source {
    Inbox(FromInbox),
    Pull(Merge),
}

/// An inbox with the authors that it does not vouch for, and with all others from its floor on if the walk comes there.
struct FromInbox {
    slice: InboxSlice,
    next: usize,
    /// The slice is as long as was asked for, so the inbox may go on below it.
    cut: bool,
    rest: Merge,
}

impl<'a> Skeleton<'a> {
    /// Candidates below a cursor. `read` is a visit after the view was pinned, of at most `asked` ids; `None` pulls
    /// everybody.
    pub(super) async fn open(
        view: &'a dyn PostView,
        handle: InboxHandle<'a>,
        viewer_relations: &'a dyn ViewerRelations,
        read: Option<InboxRead>,
        below: Option<PostId>,
        asked: usize,
    ) -> Result<Self> {
        let mut skeleton = Self::new(view, handle, viewer_relations, below);
        match read {
            Some(read) => skeleton.start(read, asked).await?,
            None => skeleton.pull(below).await?,
        }
        Ok(skeleton)
    }

    /// Returns a skeleton of everything that an inbox holds, newest first. It has the posts of gone authors, too: these
    /// authors may come back, and the fan-out does not offer their posts again.
    pub(super) async fn unfiltered(
        view: &'a dyn PostView,
        handle: InboxHandle<'a>,
        viewer_relations: &'a dyn ViewerRelations,
    ) -> Result<Self> {
        let mut skeleton = Self::new(view, handle, viewer_relations, None);
        skeleton.with_gone = true;
        skeleton.pull(None).await?;
        Ok(skeleton)
    }

    fn new(
        view: &'a dyn PostView,
        handle: InboxHandle<'a>,
        viewer_relations: &'a dyn ViewerRelations,
        below: Option<PostId>,
    ) -> Self {
        let (authors, heads, source) = (Vec::new(), Vec::new(), Source::Pull(Merge::default()));
        let with_gone = false;
        Self { view, handle, viewer_relations, authors, heads, with_gone, below, source, pulled: None }
    }

    /// How many authors were pulled beside the inbox on the first step; `None` if all were.
    pub(super) const fn pulled(&self) -> Option<u32> {
        self.pulled
    }

    /// At most `max` more candidates; fewer only at the end.
    pub(super) async fn next(&mut self, max: usize) -> Result<Vec<PostId>> {
        let mut ids = Vec::with_capacity(max);
        while ids.len() < max {
            let Some(id) = self.one(max - ids.len()).await? else { break };
            ids.push(id);
            self.below = Some(id);
        }
        Ok(ids)
    }

    /// The next candidate of so many that are wanted.
    async fn one(&mut self, wanted: usize) -> Result<Option<PostId>> {
        loop {
            let (view, below) = (self.view, self.below);
            let part = match &mut self.source {
                Source::Pull(merge) => {
                    let id = merge.peek(view, None, wanted).await?;
                    merge.pop();
                    return Ok(id);
                }
                Source::Inbox(part) => part,
            };
            match part.one(view, wanted).await? {
                Next::Id(id) => return Ok(Some(id)),
                Next::Cut => {
                    // The inbox may have changed since, so what it vouches for is looked at afresh.
                    let read = self.handle.read(below, wanted).await?;
                    self.start(read, wanted).await?;
                }
                Next::End => return Ok(None),
            }
        }
    }

    /// Goes on below the last candidate: with the inbox if it serves, else by pulling all authors.
    async fn start(&mut self, read: InboxRead, asked: usize) -> Result<()> {
        let InboxRead { coverage, slice } = read;
        let fits = |slice: &InboxSlice| {
            slice.relations_version == self.viewer_relations.version()
                && slice.floor.is_none_or(|floor| self.below.is_none_or(|below| below > floor))
        };
        let Some(slice) = slice.filter(fits) else { return self.pull(self.below).await };
        let cut = slice.ids.len() >= asked;
        // Below the floor the inbox says nothing of any author, and the walk will come to there.
        let floor = slice.floor.filter(|_| !cut);
        let late = self.unvouched(&coverage, &slice.built, floor.is_some()).await?;
        self.pulled.get_or_insert(late.len() as u32);
        let below = self.below;
        let rest = if floor.is_some() {
            let late: HashSet<Uid> = late.into_iter().map(|(author, _)| author).collect();
            let from = |author| if late.contains(&author) { below } else { floor };
            let all = self.authors.iter().copied().zip(&self.heads);
            Merge::new(all.map(|(author, head)| (author, head, from(author))))
        } else {
            Merge::new(late.iter().map(|(author, head)| (*author, head, below)))
        };
        self.source = Source::Inbox(FromInbox { slice, next: 0, cut, rest });
        Ok(())
    }

    /// The authors whose items the inbox may lack: those with a change after what it vouches for, and those with a
    /// skip after it was built. `heads` says that the heads of all are needed anyway.
    async fn unvouched(
        &mut self,
        coverage: &Coverage,
        built: &Position,
        heads: bool,
    ) -> Result<Vec<(Uid, AuthorHead)>> {
        if !heads && coverage.is_current(built, &self.view.position()) {
            // Nothing in this view came later, so that only the skips are left, which are few.
            let is_mine = |author: &Uid| {
                *author == self.handle.viewer || self.viewer_relations.follow(*author).is_some()
            };
            let skipped: Vec<Uid> = coverage.skipped_since(built).filter(is_mine).collect();
            if skipped.is_empty() {
                return Ok(Vec::new());
            }
            let heads = self.view.heads(&skipped).await?;
            return Ok(skipped.into_iter().zip(heads).collect());
        }
        self.read_heads().await?;
        let all = self.authors.iter().copied().zip(self.heads.iter().copied());
        Ok(all.filter(|(author, head)| !coverage.vouches(built, *author, head)).collect())
    }

    async fn read_heads(&mut self) -> Result<()> {
        if self.authors.is_empty() {
            self.authors =
                self.viewer_relations.following().iter().copied().chain([self.handle.viewer]).collect();
            // Posts of gone authors are not shown, so they are not read, however many there are.
            if !self.with_gone {
                let gone = gone(self.view, &self.authors).await?;
                self.authors.retain(|author| gone.is_empty() || !gone.contains(author));
            }
            self.heads = self.view.heads(&self.authors).await?;
        }
        Ok(())
    }

    async fn pull(&mut self, below: Option<PostId>) -> Result<()> {
        self.read_heads().await?;
        let authors = self.authors.iter().copied().zip(&self.heads);
        self.source = Source::Pull(Merge::new(authors.map(|(author, head)| (author, head, below))));
        Ok(())
    }
}

/// The next step of an inbox.
enum Next {
    Id(PostId),
    /// The slice ended, and the inbox goes on.
    Cut,
    /// There is nothing below.
    End,
}

impl FromInbox {
    async fn one(&mut self, view: &dyn PostView, wanted: usize) -> Result<Next> {
        let held = self.slice.ids.get(self.next).copied();
        if held.is_none() && self.cut {
            return Ok(Next::Cut);
        }
        let pulled = self.rest.peek(view, held, wanted).await?;
        let next = held.max(pulled);
        if pulled.is_some() && pulled == next {
            self.rest.pop();
        }
        // An id that is in both is taken from both.
        if held.is_some() && held == next {
            self.next += 1;
        }
        Ok(next.map_or(Next::End, Next::Id))
    }
}

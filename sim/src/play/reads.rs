//! Steps that read pages and posts.

use super::{Checked, Player, answered, repeated, same};
use crate::trace::{Inside, Nth, Step, USERS_MAX, User, uid};
use guanxi_centers::feed::{HomePage, Source, Verdict};
use guanxi_centers::post::{PostStatus, ShownPost};
use guanxi_model::post::AuthorFilter;
use guanxi_model::{FanoutMode, PostCursor, PostId, PostPage, Uid};
use std::collections::BTreeSet;

/// More items than any trace's home has.
pub(super) const EVERYTHING: usize = 1_000_000;

/// Items of a page where the homes of all users are read.
const PAGE_OF_ALL: usize = 5;

impl Player {
    pub(super) async fn home(
        &mut self,
        viewer: User,
        size: usize,
        older: bool,
        inside: &[Inside],
    ) -> Checked {
        let below = if older { self.cursors.get(&viewer).copied() } else { None };
        let (user, viewer) = (viewer, uid(viewer));
        let page = PostPage { below, size };
        let feed = self.world().feed.clone();
        let head = answered(self.world().log.head().await)?;
        // Every other reader comes with what it has seen, some with what they did, and some with nothing.
        let at_least = match self.step % 4 {
            0 | 2 => Some(head.clone()),
            1 => self.acts.clone(),
            _ => None,
        };
        let is_alone = inside.is_empty() && !self.nested;
        let steady = is_alone && self.is_steady(viewer).await?;
        let asked = || feed.home(viewer, page, at_least.clone());
        let got = self.overlap(repeated(asked), inside).await?;
        let got = answered(got)?;
        if !at_least.is_none_or(|token| got.position.covers(&token))
            || !got.position.includes(head.of(viewer))
        {
            return Err(format!("{:?} is older than {head:?}, which was acknowledged before", got.position));
        }
        self.check_page(viewer, page, &got)?;
        if below.is_none() {
            self.counts.first_page(got.source, steady);
            if is_alone {
                self.steady.insert(viewer, self.latest_ms);
            }
        }
        if inside.is_empty() {
            self.answer(&got.ids, got.next.map_or(0, |next| next.0.get()));
            match got.next {
                Some(next) => self.cursors.insert(user, next.0),
                None => self.cursors.remove(&user),
            };
            if below.is_none() {
                self.hold(user, got.position.clone());
            }
        }
        Ok(())
    }

    /// Reads the first page of the home of every user, of whom some come with what they did.
    pub(super) async fn homes(&mut self) -> Checked {
        let feed = self.world().feed.clone();
        let page = PostPage { below: None, size: PAGE_OF_ALL };
        for user in (0..USERS_MAX).map(uid) {
            let at_least = self.acts.clone().filter(|_| self.step.is_multiple_of(8));
            let got = answered(repeated(|| feed.home(user, page, at_least.clone())).await)?;
            if !at_least.is_none_or(|token| got.position.covers(&token)) {
                return Err(format!("{:?} lacks what the reader did", got.position));
            }
            self.check_page(user, page, &got)?;
        }
        Ok(())
    }

    /// Whether the next first page of a reader must come from its inbox: nothing changed whom it follows or dropped its
    /// inbox since the last one, and the fan-out has done everything.
    async fn is_steady(&self, viewer: Uid) -> Checked<bool> {
        let status = answered(self.world().feed.fanout_status().await)?;
        Ok(self.subject.mode == Some(FanoutMode::Push)
            && !self.subject.keeper.lags()
            && !self.log_is_short
            && self.steady.get(&viewer).is_some_and(|ms| self.latest_ms < ms + status.policy.cold_after_ms)
            && status.covered == status.head
            && status.queued == 0)
    }

    /// A page is the greatest ids below its cursor, and has a next one exactly if there are more.
    fn check_page(&mut self, viewer: Uid, page: PostPage, got: &HomePage) -> Checked {
        let mut rest = self.at(viewer, &got.position).home(viewer);
        rest.retain(|id| page.below.is_none_or(|below| *id < below));
        let more = rest.len() > page.size;
        rest.truncate(page.size);
        let next = rest.last().copied().filter(|_| more).map(PostCursor);
        self.counts.pages += 1;
        self.counts.items += rest.len() as u64;
        self.counts.missing += rest.iter().filter(|id| !got.ids.contains(id)).count() as u64;
        self.check_blocks(viewer, got)?;
        let about = format!("page at {:?} from {:?}", got.position, got.source);
        same(&about, &got.ids, &rest)?;
        if self.subject.mode == Some(FanoutMode::Pull) {
            same("source under pull", &got.source, &Source::Pull)?;
        }
        same("next", &got.next, &next)
    }

    /// Nothing is shown from a moment of its author's shard at which the author blocks the viewer; nor an original.
    pub(super) fn check_blocks(&mut self, viewer: Uid, got: &HomePage) -> Checked {
        if !self.subject.keeper.lags() {
            return Ok(());
        }
        let parts = self.parts(None, &got.position);
        let blocks = |author: Option<Uid>| author.is_some_and(|author| parts.blocks(author, viewer));
        let of_blockers = |id: &&PostId| blocks(parts.author(**id)) || blocks(parts.author_of_original(**id));
        let leaked: Vec<PostId> = got.ids.iter().filter(of_blockers).copied().collect();
        self.counts.leaked += leaked.len() as u64;
        same("shown across a block", &leaked, &Vec::new())
    }

    pub(super) async fn walk(&mut self, viewer: User, size: usize, between: &[Step]) -> Checked {
        let (user, viewer) = (viewer, uid(viewer));
        let mut between = between.iter();
        let mut found: Vec<PostId> = Vec::new();
        let mut always: Option<BTreeSet<PostId>> = None;
        let mut page = PostPage { below: None, size };
        loop {
            let feed = self.world().feed.clone();
            let got = answered(repeated(|| feed.home(viewer, page, None)).await)?;
            self.check_page(viewer, page, &got)?;
            if page.below.is_none() {
                self.counts.first_page(got.source, false);
                self.steady.insert(viewer, self.latest_ms);
            }
            self.answer(&got.ids, got.next.map_or(0, |next| next.0.get()));
            let now: BTreeSet<PostId> = self.at(viewer, &got.position).home(viewer).into_iter().collect();
            always = Some(always.map_or_else(|| now.clone(), |always| &always & &now));
            found.extend(&got.ids);
            let Some(next) = got.next else { break };
            page.below = Some(next.0);
            if let Some(step) = between.next() {
                self.nested(step).await?;
            }
        }
        self.cursors.remove(&user);
        let repeated = found.windows(2).filter(|pair| pair[0] <= pair[1]).count();
        let found: BTreeSet<PostId> = found.into_iter().collect();
        let missing: Vec<PostId> = always.unwrap_or_default().difference(&found).copied().collect();
        self.counts.repeated += repeated as u64;
        self.counts.missing += missing.len() as u64;
        same("repeated on a walk", &repeated, &0)?;
        same("missing on a walk", &missing, &Vec::new())
    }

    pub(super) async fn home_posts(&mut self, viewer: User, size: usize) -> Checked {
        let page = PostPage { below: None, size };
        let feed = self.world().feed.clone();
        let got = answered(repeated(|| feed.home_posts(uid(viewer), page, None)).await)?;
        self.check_page(uid(viewer), page, &got.page)?;
        let shown: Vec<PostId> = got.posts.iter().map(|shown| shown.post.header.id).collect();
        same("posts of the page", &shown, &got.page.ids)?;
        got.posts.iter().try_for_each(|shown| self.check_shown(Some(uid(viewer)), shown))
    }

    /// A post is shown in its last revision, and a repost or quote with its original, if that is to be seen.
    pub(super) fn check_shown(&self, viewer: Option<Uid>, shown: &ShownPost) -> Checked {
        let id = shown.post.header.id;
        same("revision", &Some(&shown.post.revision), &self.revisions.get(&id))?;
        let original = match &shown.original {
            Some(PostStatus::Ok(original)) => Some(original.post.header.id),
            _ => None,
        };
        same("original", &original, &self.oracle.original_seen(viewer, id))?;
        let reposted = viewer.is_some_and(|viewer| self.oracle.has_reposted(viewer, id));
        same("reposted", &shown.reposted, &reposted)?;
        if self.subject.keeper.lags() {
            return Ok(());
        }
        same("likes", &shown.stats.likes, &self.oracle.likes(id))
    }

    pub(super) async fn get(&mut self, viewer: User, posts: &[Nth]) -> Checked {
        let ids: Vec<PostId> = posts.iter().filter_map(|nth| self.nth(*nth)).collect();
        let posts = &self.world().posts;
        let got = answered(repeated(|| posts.get(&ids, Some(uid(viewer)), None)).await)?;
        same("statuses", &got.posts.len(), &ids.len())?;
        self.counts.others += 1;
        for (id, status) in ids.iter().zip(&got.posts) {
            same(
                "may see",
                &matches!(status, PostStatus::Ok(_)),
                &self.oracle.may_look_at(Some(uid(viewer)), *id),
            )?;
            if let PostStatus::Ok(shown) = status {
                same("post", &shown.post.header.id, id)?;
                self.check_shown(Some(uid(viewer)), shown)?;
            }
        }
        Ok(())
    }

    pub(super) async fn author_list(
        &mut self,
        viewer: Option<User>,
        author: User,
        filter: AuthorFilter,
        size: usize,
    ) -> Checked {
        let (viewer, author) = (viewer.map(uid), uid(author));
        let right = self.oracle.author_list(viewer, author, filter);
        let mut found: Vec<PostId> = Vec::new();
        let mut page = PostPage { below: None, size };
        self.counts.others += 1;
        loop {
            let posts = &self.world().posts;
            let list = repeated(|| posts.list_author(author, filter, page, viewer, None)).await;
            let list = answered(list)?;
            found.extend(list.posts.iter().map(|shown| shown.post.header.id));
            let Some(next) = list.next else { break };
            same("length of a page with a next", &list.posts.len(), &size)?;
            same("more after a page with a next", &(found.len() < right.len()), &true)?;
            page.below = Some(next.0);
        }
        self.answer(&found, 0);
        same("author's list", &found, &right)
    }

    pub(super) async fn explain(&mut self, viewer: User, nth: Nth) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let viewer = uid(viewer);
        let feed = &self.world().feed;
        let asked = || feed.explain(guanxi_centers::Viewer::Trusted, viewer, id, None);
        let why = answered(repeated(asked).await)?;
        self.counts.others += 1;
        let is_shown = self.oracle.home(viewer).contains(&id);
        same(&format!("shown, by {:?}", why.verdict), &(why.verdict == Verdict::Shown), &is_shown)?;
        same("found", &(why.verdict != Verdict::NotFound), &true)?;
        same("author", &why.author, &self.oracle.author(id))
    }

    pub(super) async fn verify(&mut self, viewer: User) -> Checked {
        let feed = &self.world().feed;
        let report = answered(repeated(|| feed.verify(uid(viewer), EVERYTHING)).await)?;
        self.counts.others += 1;
        if self.subject.mode == Some(FanoutMode::Pull) {
            same("pages from an inbox under pull", &report.from_inbox, &0)?;
        }
        same(&format!("clean, {report:?}"), &report.clean(), &true)?;
        same("items", &report.items, &(self.oracle.home(uid(viewer)).len() as u64))
    }
}

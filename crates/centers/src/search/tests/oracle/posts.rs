//! Histories of searches for posts.

use super::bugs::{Bug, Moment, center};
use super::{Length, Tally};
use crate::search::tests::indexed::{Indexed, refresh};
use crate::search::tests::rows::like;
use crate::search::tests::world::World;
use crate::search::{SearchFilter, SearchHit};
use guanxi_model::post::{Post, PostCommand};
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{Position, PostId, PostPage, Uid};
use guanxi_ports::search::{PostTable as _, RowAsk, RowOrder};
use guanxi_ports::{Log as _, SearchIndex as _, Store as _};
use guanxi_search::PostIndexStore;
use guanxi_spec::conformance::u;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A history, and what is known of it beside the facts.
struct History {
    world: World,
    indexed: Indexed<PostIndexStore>,
    bug: Bug,
    moment: Moment,
    /// Each post as it was looked at last, and the head of the logs when it was found changed.
    known: HashMap<PostId, (Option<Post>, Position)>,
    tally: Tally,
}

/// Plays one.
///
/// # Errors
/// What a search showed or left out, in words.
pub(super) async fn play(seed: u64, length: Length, bug: Bug) -> Result<Tally, String> {
    let mut world = World::new(seed);
    for _ in 0..30 + world.below(60) {
        world.act_and_oversee().await;
    }
    let indexed = Indexed::with(&world, bug).await;
    let (moment, known) = (Moment::default(), HashMap::new());
    let mut history = History { world, indexed, bug, moment, known, tally: Tally::default() };
    history.note().await;
    for _ in 0..length.steps {
        for _ in 0..history.world.below(6) {
            history.act().await;
        }
        let step = history.world.below(17);
        history.tally.step(step);
        match step {
            0..13 => history.indexed.step(&mut history.world, step).await,
            13 | 14 => history.indexed.keep(&history.world).await,
            _ => {}
        }
        history.note().await;
        for _ in 0..length.searches {
            // The first one is being built.
            if history.indexed.index().as_of().is_ok() {
                history.search(false).await?;
            }
        }
    }
    history.die_owing().await;
    for _ in 0..length.searches {
        history.search(true).await?;
    }
    refresh(&history.world, &mut history.indexed).await;
    history.compare_counters().await?;
    Ok(history.tally)
}

impl World {
    /// Somebody does something, or an operator does.
    pub(super) async fn act_and_oversee(&mut self) {
        match self.below(12) {
            0 if !self.posts.is_empty() => {
                let id = *self.pick(&self.posts.clone());
                let view = self.store.view(None).await.unwrap();
                let Some(header) = view.headers(&[id]).await.unwrap()[0] else { return };
                let author = header.author;
                let command = if header.taken_down {
                    PostCommand::Reinstate { author, id }
                } else {
                    PostCommand::TakeDown { author, id, reason: "spam".to_owned() }
                };
                self.write(command).await;
            }
            1 => {
                let (uid, locked) = (u(1 + self.below(5)), self.below(3) == 0);
                let patch = PrivacyPatch { locked: Some(locked), ..PrivacyPatch::default() };
                self.write(UserCommand::SetPrivacy { uid, patch }).await;
            }
            2 => like(self).await,
            3 => {
                let uid = u(1 + self.below(5));
                self.oversee_user(uid).await;
            }
            _ => self.act().await,
        }
    }

    /// An operator takes a user down, or ends that more often.
    pub(super) async fn oversee_user(&mut self, uid: Uid) {
        let command = if self.below(3) == 0 {
            UserCommand::TakeDown { uid, reason: "spam".to_owned() }
        } else {
            UserCommand::Reinstate { uid }
        };
        self.write(command).await;
    }

    /// A random question, of which half find much.
    fn ask_often(&mut self) -> (&'static str, Option<Uid>, SearchFilter) {
        let (query, viewer, filter) = self.ask();
        if self.below(2) == 0 {
            return (query, viewer, filter);
        }
        (*self.pick(&["tea", "茶", "gre*", "strass"]), viewer, SearchFilter::default())
    }
}

impl History {
    async fn act(&mut self) {
        self.world.act_and_oversee().await;
        self.note().await;
    }

    /// The process dies while counters are owed, and another one catches up.
    async fn die_owing(&mut self) {
        for _ in 0..4 {
            like(&mut self.world).await;
        }
        self.indexed.keep(&self.world).await;
        self.indexed.crash(&self.world).await;
        self.tally.crashed += 1;
        self.indexed.keep(&self.world).await;
        self.note().await;
    }

    /// Notes which posts have changed.
    async fn note(&mut self) {
        let head = self.world.store.head().await.unwrap();
        let view = self.world.store.view(None).await.unwrap();
        let ids: HashSet<PostId> = self.world.posts.iter().copied().collect();
        for id in ids {
            let post = view.posts(&[id]).await.unwrap().into_iter().next().flatten();
            let is_same = self.known.get(&id).is_some_and(|(known, _)| *known == post);
            if !is_same {
                self.known.insert(id, (post, head.clone()));
            }
        }
    }

    /// Searches page by page; what must be shown is known at each page. With `all` the index waits for every event.
    async fn search(&mut self, all: bool) -> Result<(), String> {
        let (query, viewer, filter) = self.world.ask_often();
        let size = 1 + self.world.below(3) as usize;
        let index = self.indexed.index();
        let (as_of, head) = (index.as_of().unwrap(), self.world.store.head().await.unwrap());
        let said = format!("{query} of {viewer:?} with {filter:?}, {size} a page");
        let center = center(&self.world, &index, self.bug, &self.moment);
        let at_least = all.then(|| head.clone());
        let mut expected = self.world.oracle(query, viewer, filter).await;
        let mut always: HashSet<PostId> = expected.iter().map(|hit| hit.post.id()).collect();
        let (mut shown, mut below, mut acted) = (Vec::new(), None, false);
        loop {
            // An index that never comes to the position fails the test, and does not hang it.
            let patience = tokio::time::sleep(Duration::from_secs(30));
            let page = PostPage { below, size };
            let page = center.posts(query, viewer, filter, page, at_least.clone(), patience).await;
            let page = page.map_err(|error| format!("{said}: {error:?}"))?;
            wrong(&page.hits, &expected, &said)?;
            shown.extend(page.hits.iter().map(|hit| hit.post.id()));
            let Some(next) = page.next else { break };
            below = Some(next.0);
            if !all && self.world.below(2) == 0 {
                acted = true;
                self.between(&mut always, (query, viewer, filter), &mut expected).await;
            }
        }
        if !shown.is_sorted_by(|one, next| one > next) {
            return Err(format!("{said}: not newest first, or one more than once: {shown:?}"));
        }
        let had_seen = |id: &&PostId| self.known.get(id).is_some_and(|(_, changed)| as_of.covers(changed));
        let mut missing = always.iter().filter(|id| all || had_seen(id)).filter(|id| !shown.contains(id));
        if let Some(id) = missing.next() {
            return Err(format!("{said}: {id} is missing, which the index had seen: {shown:?}"));
        }
        self.tally.searches += 1;
        self.tally.hits += shown.len() as u64;
        self.tally.late += u64::from(!as_of.covers(&head));
        self.tally.between += u64::from(acted);
        Ok(())
    }

    /// Something happens between two pages, and the index may take it in at once.
    async fn between(
        &mut self,
        always: &mut HashSet<PostId>,
        (query, viewer, filter): (&str, Option<Uid>, SearchFilter),
        expected: &mut Vec<SearchHit>,
    ) {
        for _ in 0..=self.world.below(3) {
            self.act().await;
        }
        if self.world.below(2) == 0 {
            self.indexed.keep(&self.world).await;
        }
        *expected = self.world.oracle(query, viewer, filter).await;
        always.retain(|id| expected.iter().any(|hit| hit.post.id() == *id));
    }

    /// Once nothing is owed any more, counters of all rows are those of the facts.
    async fn compare_counters(&self) -> Result<(), String> {
        let ask = || RowAsk {
            texts: None,
            filters: Vec::new(),
            order: RowOrder { by: None, falling: false },
            after: None,
            max: 1_000,
            total: None,
            sums: Vec::new(),
        };
        let index: Arc<PostIndexStore> = self.indexed.index();
        let found = index.post_rows(None, ask()).await.unwrap().rows;
        let wanted = self.world.store.post_rows(None, ask()).await.unwrap().rows;
        if found == wanted { Ok(()) } else { Err(format!("rows are {found:?}, and should be {wanted:?}")) }
    }
}

/// Whether a page shows something that is not, or is not so.
fn wrong(hits: &[SearchHit], expected: &[SearchHit], said: &str) -> Result<(), String> {
    match hits.iter().find(|hit| !expected.contains(hit)) {
        Some(hit) => Err(format!("{said}: {:?} is shown", hit.post.post)),
        None => Ok(()),
    }
}

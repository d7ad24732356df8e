//! A world whose users do things at random, and what a search finds in it: every post is asked for by its id.

use crate::post::{PostCenter, PostStatus};
use crate::search::{SearchCenter, SearchFilter, SearchHit};
use guanxi_model::group::GroupCommand;
use guanxi_model::post::{Kind, PostCommand};
use guanxi_model::random::mix;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Clock, Command, GroupId, Logs, ManualClock, MuteCommand, MuteScope, Op, PairCommand, Position, PostId,
    PostPage, Uid, Visibility, Write,
};
use guanxi_ports::{Facts as _, PostSearch, Store as _};
use guanxi_spec::conformance::{draft, edit, u};
use guanxi_spec::memory::{MemoryStore, Options};
use guanxi_text::{Query, highlights, matches};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

pub(super) const USERS: u64 = 5;

const WORDS: [&str; 12] = [
    "tea",
    "green",
    "Green-Tea!",
    "绿茶",
    "茶",
    "你好世界",
    "Straße",
    "strass",
    "café",
    "iPhone手机",
    "👍🏽",
    "a",
];

pub(super) const QUERIES: [&str; 12] = [
    "tea",
    "\"green tea\"",
    "gre*",
    "tea -green",
    "茶",
    "绿茶",
    "好世",
    "strasse",
    "stras* -strass",
    "CAFE",
    "iphone手机",
    "a tea",
];

pub(super) struct World {
    pub(super) store: Arc<MemoryStore>,
    pub(super) clock: Arc<ManualClock>,
    pub(super) posts: Vec<PostId>,
    /// Whether its index commits whenever it can.
    pub(super) is_eager: bool,
    seed: u64,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        Self::with_log(seed, Options::default().log_events_max)
    }

    /// The same with a log that holds so many events.
    pub(super) fn with_log(seed: u64, log_events_max: u64) -> Self {
        let logs = if seed.is_multiple_of(3) { Logs::PerGene } else { Logs::One };
        let clock = Arc::new(ManualClock::new(1_750_000_000_000));
        let store =
            Arc::new(MemoryStore::new(clock.clone(), Options { logs, log_events_max, ..Options::default() }));
        Self { store, clock, posts: Vec::new(), is_eager: seed.is_multiple_of(2), seed: mix(seed + 1) }
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.seed = mix(self.seed);
        self.seed % n
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    fn text(&mut self) -> String {
        let words: Vec<&str> = (0..=self.below(4)).map(|_| *self.pick(&WORDS)).collect();
        words.join(if self.below(3) == 0 { "" } else { " " })
    }

    fn user(&mut self) -> Uid {
        u(1 + self.below(USERS))
    }

    fn visibility(&mut self) -> Visibility {
        match self.below(6) {
            0 => Visibility::Followers,
            1 => Visibility::Friends,
            2 => Visibility::Group(GroupId::MIN),
            _ => Visibility::Public,
        }
    }

    /// Whether it was done.
    pub(super) async fn write(&self, command: impl Into<Command>) -> bool {
        let write = Write::of(command);
        self.store.apply(write).await.is_ok_and(|applied| applied.outcomes[0].result().is_ok())
    }

    /// Somebody does something, which may be refused.
    pub(super) async fn act(&mut self) {
        self.clock.advance(1_000);
        match self.below(11) {
            0..=3 => self.post().await,
            4..=6 => self.change_post().await,
            7 => {
                let (owner, id, member) = (self.user(), GroupId::MIN, self.user());
                self.write(GroupCommand::Create { owner, name: "friends".to_owned() }).await;
                self.write(GroupCommand::SetMembers {
                    owner,
                    id,
                    members: vec![member],
                    expected_revision: None,
                })
                .await;
            }
            8 if self.below(12) == 0 => {
                let uid = self.user();
                let command = if self.below(3) == 0 {
                    UserCommand::TakeDown { uid, reason: "because".to_owned() }
                } else {
                    UserCommand::Reinstate { uid }
                };
                self.write(command).await;
            }
            8 if self.below(8) == 0 => {
                let (uid, kept) = (self.user(), self.below(2) == 0);
                let status = if kept { UserStatus::Active } else { UserStatus::Deactivated };
                self.write(UserCommand::SetStatus { uid, status }).await;
            }
            _ => {
                let (subject, object) = (self.user(), self.user());
                if self.below(5) == 0 {
                    let reposts_only = self.below(2) == 0;
                    self.write(Command::Mute(MuteCommand {
                        subject,
                        object,
                        reposts_only,
                        duration_ms: None,
                    }))
                    .await;
                    return;
                }
                let ops =
                    [Op::Follow, Op::Follow, Op::Follow, Op::Unfollow, Op::Block, Op::Unblock, Op::Unmute];
                let op = *self.pick(&ops);
                self.write(PairCommand { op, subject, object }).await;
            }
        }
    }

    async fn post(&mut self) {
        let text = self.text();
        let mut draft = draft(self.user().get(), &text);
        draft.visibility = self.visibility();
        if !self.posts.is_empty() {
            let of = *self.pick(&self.posts.clone());
            match self.below(6) {
                0 => draft.reply_to = Some(of),
                1 => draft.repost_of = Some(of),
                2 => {
                    draft.repost_of = Some(of);
                    draft.body.text.clear();
                }
                _ => {}
            }
        }
        let applied = self.store.apply(Write::of(PostCommand::Create(draft))).await.unwrap();
        if let Ok(outcome) = applied.post() {
            self.posts.extend(outcome.id);
        }
    }

    async fn change_post(&mut self) {
        if self.posts.is_empty() {
            return;
        }
        let id = *self.pick(&self.posts.clone());
        let view = self.store.view(None).await.unwrap();
        let Some(header) = view.headers(&[id]).await.unwrap()[0] else { return };
        let author = header.author;
        let mut edit = edit();
        match self.below(8) {
            0 | 1 => edit.text = Some(self.text()),
            2 => edit.visibility = Some(self.visibility()),
            3 => drop(self.write(PostCommand::Delete { author, id }).await),
            4 => drop(self.write(PostCommand::Restore { author, id }).await),
            5 => {
                let taken = PostCommand::TakeDown { author, id, reason: "because".to_owned() };
                self.write(taken).await;
            }
            6 if self.below(2) == 0 => drop(self.write(PostCommand::Reinstate { author, id }).await),
            _ if self.below(3) == 0 && header.deleted => {
                drop(PostCenter::new(self.store.clone()).purge(id, None).await);
            }
            _ => {}
        }
        self.write(PostCommand::Update { author, id, edit }).await;
    }

    pub(super) fn center(&self, index: Arc<dyn PostSearch>) -> SearchCenter {
        SearchCenter::new(self.store.clone(), index, self.store.clone(), &self.any_clock())
    }

    pub(super) fn any_clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// What a search finds: every post is asked for by its id, and its text says whether it fits.
    pub(super) async fn oracle(
        &self,
        query: &str,
        viewer: Option<Uid>,
        filter: SearchFilter,
    ) -> Vec<SearchHit> {
        let query = Query::parse(query).unwrap();
        let mut ids = self.posts.clone();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        let center = PostCenter::new(self.store.clone());
        let view = self.store.view(None).await.unwrap();
        let mut hits = Vec::new();
        for ids in ids.chunks(100) {
            for status in center.get(ids, viewer, None).await.unwrap().posts {
                let PostStatus::Ok(post) = status else { continue };
                let (header, text) = (post.post.header, &post.post.body.text);
                let is_muted = match viewer {
                    Some(viewer) => {
                        let relations = view.viewer_relations(viewer).await.unwrap();
                        relations.mutes(header.author) == Some(MuteScope::All)
                    }
                    None => false,
                };
                let is_reply = matches!(header.kind, Kind::Reply { .. });
                let is_searched = viewer.is_some() || header.visibility == Visibility::Public;
                if is_searched
                    && !is_muted
                    && !matches!(header.kind, Kind::Repost { .. })
                    && matches(&query, text)
                    && filter.author.is_none_or(|author| author == header.author)
                    && filter.replies.is_none_or(|replies| replies == is_reply)
                    && filter.from.is_none_or(|from| from <= header.id)
                    && filter.until.is_none_or(|until| header.id < until)
                {
                    hits.push(SearchHit { highlights: highlights(&query, text), post: *post });
                }
            }
        }
        hits
    }

    /// A random question.
    pub(super) fn ask(&mut self) -> (&'static str, Option<Uid>, SearchFilter) {
        let query = *self.pick(&QUERIES);
        let viewer = if self.below(6) == 0 { None } else { Some(self.user()) };
        let mut filter = SearchFilter::default();
        match self.below(8) {
            0 => filter.author = Some(self.user()),
            1 => filter.replies = Some(self.below(2) == 0),
            2 if !self.posts.is_empty() => filter.from = Some(*self.pick(&self.posts.clone())),
            3 if !self.posts.is_empty() => filter.until = Some(*self.pick(&self.posts.clone())),
            _ => {}
        }
        (query, viewer, filter)
    }
}

/// All pages of a search.
pub(super) async fn walk(
    center: &SearchCenter,
    query: &str,
    viewer: Option<Uid>,
    filter: SearchFilter,
    size: usize,
) -> Vec<SearchHit> {
    walk_from(center, query, viewer, filter, size, None).await
}

/// All pages of a search with a token.
pub(super) async fn walk_from(
    center: &SearchCenter,
    query: &str,
    viewer: Option<Uid>,
    filter: SearchFilter,
    size: usize,
    at_least: Option<Position>,
) -> Vec<SearchHit> {
    let (mut hits, mut below) = (Vec::new(), None);
    loop {
        let page = PostPage { below, size };
        // An index that never comes to the token fails the test, and does not hang it.
        let patience = tokio::time::sleep(Duration::from_secs(30));
        let page = center.posts(query, viewer, filter, page, at_least.clone(), patience).await.unwrap();
        assert!(page.hits.len() == size || page.next.is_none(), "a page is short and goes on");
        hits.extend(page.hits);
        let Some(next) = page.next else { return hits };
        below = Some(next.0);
    }
}

/// All pages of a search by relevance, by rising ids.
pub(super) async fn walk_best(
    center: &SearchCenter,
    query: &str,
    viewer: Option<Uid>,
    filter: SearchFilter,
    size: usize,
) -> Vec<SearchHit> {
    let (mut hits, mut place) = (Vec::new(), None);
    loop {
        let page = center.best_posts(query, viewer, filter, (place, size), None, ready(())).await.unwrap();
        assert!(page.hits.len() == size || page.next.is_none(), "a page is short and goes on");
        hits.extend(page.hits);
        place = page.next;
        if place.is_none() {
            hits.sort_by_key(|hit| hit.post.id());
            return hits;
        }
    }
}

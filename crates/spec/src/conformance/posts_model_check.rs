//! Random writes of posts and relations against the model: every answer must be equal.
//!
//! The model is the in-memory backend. Each write goes to both, on one clock, so that even ids, positions and
//! events are equal; then both are asked the same. A pair of views is kept for a while, and must stand still.

use super::model_check::client_ops;
use super::model_check::{model, same, same_answer, same_logs};
use super::posts_world::{draft, image, old_post, whole_outbox};
use super::rng::in_gene;
use super::{Need, Rng, World, u};
use guanxi_model::MuteScope;
use guanxi_model::limits::{ATTACHMENTS_MAX, POST_TEXT_CHARS_MAX};
use guanxi_model::post::{Body, Draft, Edit, ImportLike, ImportPost, PostCommand};
use guanxi_model::{
    Command, Cursor, Edge, EventAt, FanoutMode, FanoutPolicy, Gene, ImportCursor, Op, Page, PageStart,
    PairCommand, Position, PostHeader, PostId, RequestKey, Stamp, Uid, Visibility, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, AuthorHead, Facts as _, Log, OutboxAsk, RelationsVersion, Store, StoreView};
use std::collections::HashMap;

/// Users of a random world: few, so that they meet.
const USERS: u64 = 6;
/// Writes of a run, each with reads.
const STEPS: usize = 400;

macro_rules! seeds {
    ($($name:ident = $seed:literal;)+) => {$(
        #[doc = concat!("[`lockstep`] with seed ", stringify!($seed), ".")]
        pub async fn $name(world: &World) {
            lockstep(world, $seed).await;
        }
    )+};
}

seeds! {
    random_posts_1 = 1;
    random_posts_2 = 2;
    random_posts_3 = 3;
    random_posts_4 = 4;
}

/// Random writes, one at a time, to the backend and to the model.
pub async fn lockstep(world: &World, seed: u64) {
    if world.lacks_outboxes() {
        return;
    }
    let model = model(world);
    let mut play = RandomPosts::new(seed, world.lacks(Need::NoLag), None);
    let mut kept = (world.view().await, model.view(None).await.unwrap());
    begin(&*kept.0).await;
    for step in 0..STEPS {
        play.move_clock(world);
        let context = format!("seed {seed}, step {step}");
        if play.rng.below(4) == 0 {
            let write = Write::all(vec![play.relation()]);
            let context = format!("{context}: {write:?}");
            let (ours, theirs) = (world.try_write(write.clone()).await, model.apply(write).await);
            same_answer(world, &ours, &theirs.map_err(|error| error.reason), &context);
        } else {
            let write = play.write(world.now_ms(), &world.last());
            let context = format!("{context}: {write:?}");
            let (ours, theirs) = (world.try_write(write.clone()).await, model.apply(write.clone()).await);
            same_answer(world, &ours, &theirs.map_err(|error| error.reason), &context);
            if let Ok(answer) = ours {
                play.note(&write, &answer);
            }
        }
        let now = (world.view().await, model.view(Some(&world.last())).await.unwrap());
        if play.rng.below(3) == 0 {
            play.compare(&*kept.0, &*kept.1, false, &format!("{context}, at a kept view")).await;
        } else {
            play.compare(&*now.0, &*now.1, true, &context).await;
        }
        if play.rng.below(20) == 0 {
            begin(&*now.0).await;
            kept = now;
        }
    }
    same_logs(world, &model, seed).await;
    if !play.lags {
        assert_eq!(world.backend.log.head().await, model.head().await);
    }
}

/// Asks a view of everybody, so that all of its parts begin now.
async fn begin(view: &dyn StoreView) {
    let everybody: Vec<Uid> = (1..=USERS + 1).map(u).collect();
    view.counts(&everybody).await.unwrap();
}

/// What a viewer's relations say of everybody.
type Said = Vec<(Option<(Stamp, bool)>, Option<MuteScope>, bool)>;

/// A random run: what was asked and answered before gives the next questions their material.
pub struct RandomPosts {
    rng: Rng,
    /// Echoes come late, so that facts have other places in their logs than in the model's.
    lags: bool,
    /// The gene of all users, if they have one.
    gene: Option<Gene>,
    ids: Vec<PostId>,
    authors: HashMap<PostId, Uid>,
    likes: Vec<Edge>,
    requests: Vec<(RequestKey, PostCommand)>,
    sources: Vec<(Uid, String)>,
    job: u64,
    pending: Option<ImportCursor>,
    /// What each viewer's relations was, by its version.
    viewer_relations: HashMap<(Uid, RelationsVersion), Said>,
}

impl RandomPosts {
    /// Draws by a seed; with `lags` for a store whose derived sides come late, and with a gene for users who all have it.
    pub fn new(seed: u64, lags: bool, gene: Option<Gene>) -> Self {
        Self {
            rng: Rng::new(seed),
            lags,
            gene,
            ids: Vec::new(),
            authors: HashMap::new(),
            likes: Vec::new(),
            requests: Vec::new(),
            sources: Vec::new(),
            job: 0,
            pending: None,
            viewer_relations: HashMap::new(),
        }
    }

    /// A header, without the place of its event where the model's is another.
    fn placed(&self, header: PostHeader) -> PostHeader {
        PostHeader { event: header.event.filter(|_| !self.lags), ..header }
    }

    fn user(&mut self) -> Uid {
        u(in_gene(self.gene, 1 + self.rng.below(USERS)))
    }

    /// The author of a post. Of one that was never written, the gene is the whole uid.
    fn author_of(&self, id: PostId) -> Uid {
        self.authors.get(&id).copied().unwrap_or_else(|| u(u64::from(id.gene().0).max(1)))
    }

    fn relation(&mut self) -> PairCommand {
        let op = if self.rng.below(2) == 0 { Op::Follow } else { *self.rng.pick(&client_ops()) };
        PairCommand { op, subject: self.user(), object: self.user() }
    }

    /// A post that was written, mostly; sometimes one that never was.
    fn id(&mut self) -> PostId {
        if self.ids.is_empty() || self.rng.below(20) == 0 {
            return PostId::new(in_gene(self.gene, 1 + self.rng.below(1 << 40))).unwrap();
        }
        // The last ones more often, so that something happens to them twice.
        let recent = self.ids.len().saturating_sub(8);
        if self.rng.below(2) == 0 { *self.rng.pick(&self.ids[recent..]) } else { *self.rng.pick(&self.ids) }
    }

    fn text(&mut self) -> String {
        match self.rng.below(12) {
            0 => String::new(),
            1 => "\u{5173}".repeat(POST_TEXT_CHARS_MAX as usize + self.rng.below(2) as usize),
            _ => format!("text {}", self.rng.below(3)),
        }
    }

    fn attachments(&mut self) -> Vec<guanxi_model::post::Attachment> {
        let count = [0, 0, 0, 1, 2, ATTACHMENTS_MAX + 1][self.rng.below(6) as usize];
        (0..count).map(|n| image(&format!("image {n}"))).collect()
    }

    fn visibility(&mut self) -> Visibility {
        *self.rng.pick(&[Visibility::Public, Visibility::Public, Visibility::Followers, Visibility::Friends])
    }

    fn draft(&mut self) -> Draft {
        let mut draft = draft(self.user().get(), &self.text());
        draft.body.attachments = self.attachments();
        draft.visibility = self.visibility();
        match self.rng.below(10) {
            0..3 => draft.reply_to = Some(self.id()),
            3..6 => {
                draft.repost_of = Some(self.id());
                if self.rng.below(2) == 0 {
                    draft.body = Body::default();
                }
            }
            6 if self.rng.below(4) == 0 => {
                (draft.reply_to, draft.repost_of) = (Some(self.id()), Some(self.id()));
            }
            _ => {}
        }
        draft
    }

    fn edit(&mut self) -> Edit {
        let set = |rng: &mut Rng| rng.below(2) == 0;
        Edit {
            text: set(&mut self.rng).then(|| self.text()),
            attachments: (self.rng.below(4) == 0).then(|| self.attachments()),
            visibility: set(&mut self.rng).then(|| self.visibility()),
            expected_revision: (self.rng.below(4) == 0).then(|| 1 + self.rng.below(3) as u32),
        }
    }

    fn command(&mut self) -> PostCommand {
        let (uid, id) = (self.user(), self.id());
        let author = if self.rng.below(8) == 0 { uid } else { self.author_of(id) };
        match self.rng.below(40) {
            0..10 => PostCommand::Create(self.draft()),
            10..16 => PostCommand::Update { author, id, edit: self.edit() },
            16..20 => PostCommand::Delete { author, id },
            20..24 => PostCommand::Restore { author, id },
            24..30 => PostCommand::Like { uid, id },
            30 | 31 => PostCommand::UndoRepost { uid, id },
            32 => {
                let until = super::START_MS + self.rng.below(3_600_000);
                PostCommand::Purge { author, id, deleted_until: (self.rng.below(2) == 0).then_some(until) }
            }
            33 => PostCommand::EndPurge { author, id },
            34 | 35 => PostCommand::TakeDown { author, id, reason: format!("reason {}", self.rng.below(3)) },
            36 => PostCommand::Reinstate { author, id },
            _ => PostCommand::Unlike { uid, id },
        }
    }

    /// Draws the next write.
    pub fn write(&mut self, now_ms: u64, head: &Position) -> Write {
        match self.rng.below(21) {
            20 => Write::of(Command::ImportLikes(self.old_likes())),
            0..13 => Write::of(self.command()),
            13..16 => self.request(),
            16..18 => self.import(now_ms),
            18 => {
                let uid = self.user();
                let last = head.of(self.user());
                // Where echoes come late the model has places that are ahead here.
                let beyond = u64::from(!self.lags);
                let seen = EventAt::new(last.log(), self.rng.below(last.seq() + 1 + beyond));
                Write::of(Command::MarkSeen { uid, seen: Position::seen(head.history(), head.logs(), seen) })
            }
            _ => {
                let mode = *self.rng.pick(&[FanoutMode::Pull, FanoutMode::Push, FanoutMode::Hybrid]);
                let inbox_cap = self.rng.below(4) as u32;
                Write::of(Command::FanoutPolicy(FanoutPolicy { mode, inbox_cap, ..FanoutPolicy::default() }))
            }
        }
    }

    /// A new request id, an old one repeated, or an old one with other parameters.
    fn request(&mut self) -> Write {
        let repeat = !self.requests.is_empty() && self.rng.below(2) == 0;
        if repeat {
            let (mut key, command) = self.rng.pick(&self.requests).clone();
            key.fingerprint += u64::from(self.rng.below(4) == 0);
            return Write::of(command).under(Some(key));
        }
        let (id, fingerprint) = (format!("p{}", self.rng.bits()), self.rng.bits());
        let command = self.command();
        let key = RequestKey { actor: command.actor(), id: id.into(), fingerprint };
        self.requests.push((key.clone(), command.clone()));
        Write::of(command).under(Some(key))
    }

    fn import(&mut self, now_ms: u64) -> Write {
        let posts: Vec<ImportPost> = (0..self.rng.below(6)).map(|_| self.old(now_ms)).collect();
        let from = self.job + u64::from(self.rng.below(5) == 0);
        let mark = ImportCursor { job: "posts".to_owned(), from, to: from + 1 + self.rng.below(9) };
        let mark = (self.rng.below(2) == 0).then_some(mark);
        self.pending.clone_from(&mark);
        Write::of(Command::ImportPosts(posts)).at(mark)
    }

    fn old(&mut self, now_ms: u64) -> ImportPost {
        let (author, key) = (self.user(), self.key());
        // A few milliseconds, so that ids meet, also with those of live posts.
        let at_ms = match self.rng.below(8) {
            0 => now_ms + 1 - self.rng.below(3),
            1 => PostId::EPOCH_MS - self.rng.below(2),
            _ => super::START_MS - 1_000 + self.rng.below(3),
        };
        let mut post = old_post(author.get(), &key, at_ms);
        post.visibility = self.visibility();
        if self.rng.below(4) == 0 {
            post.id = PostId::at_ms(author, at_ms).nth(self.rng.below(4) as usize);
        }
        if self.rng.below(5) == 0 {
            post.deleted = true;
            post.body.text.truncate(self.rng.below(2) as usize);
        }
        let known = (!self.sources.is_empty()).then(|| self.rng.pick(&self.sources).clone());
        match self.rng.below(6) {
            0 => post.reply_to = known,
            1 => post.repost_of = known,
            2 => post.key.clear(),
            _ => {}
        }
        self.sources.push((author, key));
        post
    }

    /// A key as a source may have it, or one of a post that was written here.
    fn key(&mut self) -> String {
        match self.rng.below(8) {
            0 => self.id().to_string(),
            _ => format!("key {}", self.rng.below(30)),
        }
    }

    /// Likes to import; where each shard commits by itself, of one user, whose versions have their order.
    fn old_likes(&mut self) -> Vec<ImportLike> {
        let mut likes: Vec<ImportLike> = (0..self.rng.below(4)).map(|_| self.old_like()).collect();
        if let Some(uid) = likes.first().map(|like| like.uid).filter(|_| self.lags) {
            likes.iter_mut().for_each(|like| like.uid = uid);
        }
        likes
    }

    fn old_like(&mut self) -> ImportLike {
        let (uid, id) = (self.user(), self.id());
        let written = (self.author_of(id), id.to_string());
        let known = !self.sources.is_empty() && self.rng.below(2) == 0;
        let (author, key) = if known { self.rng.pick(&self.sources).clone() } else { written };
        let at = (self.rng.below(4) > 0).then(|| Stamp::from_ms(super::START_MS - self.rng.below(3)));
        ImportLike { uid, author, key, at }
    }

    /// Remembers the posts that a write made.
    pub fn note(&mut self, write: &Write, answer: &Applied) {
        if let Some(mark) = self.pending.take() {
            self.job = mark.to;
        }
        let mut authors = write.commands.iter().flat_map(|command| match command {
            Command::Post(PostCommand::Create(draft)) => vec![draft.author],
            Command::ImportPosts(posts) => posts.iter().map(|post| post.author).collect(),
            _ => Vec::new(),
        });
        for outcome in answer.clone().posts() {
            let author = authors.next();
            let Some(id) = outcome.id else { continue };
            if !self.ids.contains(&id) {
                self.ids.push(id);
                self.authors.extend(author.map(|author| (id, author)));
            }
        }
    }

    fn move_clock(&mut self, world: &World) {
        let now = world.now_ms();
        let next = match self.rng.below(20) {
            0..6 => now + self.rng.below(3),
            6 => now + self.rng.below(7_200_000),
            7 => now - self.rng.below(10_000),
            _ => now,
        };
        world.clock().set(next);
    }

    /// Asks both views the same questions. Heads may be newer than a kept view.
    async fn compare(&mut self, ours: &dyn StoreView, theirs: &dyn StoreView, fresh: bool, context: &str) {
        let ids: Vec<PostId> = (0..8).map(|_| self.id()).collect();
        let (id, viewer) = (ids[0], self.user());
        let everybody: Vec<Uid> = (1..=USERS + 1).map(u).collect();
        let headers = async |view: &dyn StoreView| {
            let headers = view.headers(&ids).await?;
            Ok(headers.into_iter().map(|header| Some(self.placed(header?))).collect::<Vec<_>>())
        };
        same(headers(ours).await, headers(theirs).await, context);
        let after = (self.rng.below(2) == 0).then(|| (super::START_MS + self.rng.below(3_600_000), id));
        let deleted = async |view: &dyn StoreView| view.deleted_posts(Walk::new(after, 3)).await;
        same(deleted(ours).await, deleted(theirs).await, context);
        let posts = async |view: &dyn StoreView| {
            let mut posts = view.posts(&ids).await?;
            posts.iter_mut().flatten().for_each(|post| post.header = self.placed(post.header));
            Ok(posts)
        };
        same(posts(ours).await, posts(theirs).await, context);
        same(ours.stats(&ids).await, theirs.stats(&ids).await, context);
        let by = (self.rng.below(4) > 0).then_some(viewer);
        let shown = async |view: &dyn StoreView| {
            let mut shown = view.shown(by, &ids).await?;
            shown.iter_mut().flatten().for_each(|(post, _)| post.header = self.placed(post.header));
            Ok(shown)
        };
        same(shown(ours).await, shown(theirs).await, context);
        let below = (self.rng.below(2) == 0).then(|| 1 + self.rng.below(4) as u32);
        let max = 1 + self.rng.below(3) as usize;
        same(ours.revisions(id, below, max).await, theirs.revisions(id, below, max).await, context);
        same(ours.follow(&everybody, viewer).await, theirs.follow(&everybody, viewer).await, context);
        same(ours.relations(viewer, &everybody).await, theirs.relations(viewer, &everybody).await, context);
        if fresh {
            let heads = async |view: &dyn StoreView| {
                let heads = view.heads(&everybody).await?;
                let placed =
                    |head: &AuthorHead| (head.last_id, (!self.lags).then_some((head.last, head.changed)));
                Ok(heads.iter().map(placed).collect::<Vec<_>>())
            };
            same(heads(ours).await, heads(theirs).await, context);
            same(ours.seen(viewer).await, theirs.seen(viewer).await, context);
            same(ours.fanout_policy().await, theirs.fanout_policy().await, context);
            same(ours.import_position("posts").await, theirs.import_position("posts").await, context);
        }
        let (after, max) = ((self.rng.below(2) == 0).then_some(id), 1 + self.rng.below(9) as usize);
        same(
            ours.all_posts(Walk::new(after, max)).await,
            theirs.all_posts(Walk::new(after, max)).await,
            context,
        );
        let after = after.map(|id| (id, viewer));
        same(
            ours.all_likes(Walk::new(after, max)).await,
            theirs.all_likes(Walk::new(after, max)).await,
            context,
        );
        self.compare_likers(ours, theirs, id, context).await;
        let below = (self.rng.below(2) == 0).then(|| self.id());
        let max = 1 + self.rng.below(4) as usize;
        let asked = ours.reposts_of(id, below, max).await;
        same(asked, theirs.reposts_of(id, below, max).await, context);
        self.compare_outboxes(ours, theirs, viewer, context).await;
        self.compare_audience(ours, theirs, viewer, context).await;
    }

    async fn compare_likers(
        &mut self,
        ours: &dyn StoreView,
        theirs: &dyn StoreView,
        id: PostId,
        context: &str,
    ) {
        let start = match self.rng.below(3) {
            0 if !self.likes.is_empty() => PageStart::After(Cursor(*self.rng.pick(&self.likes))),
            1 if self.rng.below(8) == 0 => PageStart::Offset(1),
            _ => PageStart::Newest,
        };
        let page = Page::new(start, 1 + self.rng.below(3) as i32).unwrap();
        let asked = ours.likers(id, page).await;
        if let Ok(page) = &asked {
            self.likes.extend(&page.items);
        }
        same(asked, theirs.likers(id, page).await, context);
    }

    /// Parts may be shorter than the model's, but then say that they go on.
    async fn compare_outboxes(
        &mut self,
        ours: &dyn StoreView,
        theirs: &dyn StoreView,
        author: Uid,
        context: &str,
    ) {
        let max = 1 + self.rng.below(5) as usize;
        let asks: Vec<OutboxAsk> = (1..=USERS + 1)
            .map(|n| OutboxAsk { author: u(n), below: (self.rng.below(2) == 0).then(|| self.id()) })
            .collect();
        let authors: Vec<Uid> = asks.iter().map(|ask| ask.author).collect();
        let begin = ours.created_from(&authors).await.unwrap();
        assert_eq!(begin, theirs.created_from(&authors).await.unwrap(), "{context}");
        let (asked, wanted) =
            (ours.outboxes(&asks, max).await.unwrap(), theirs.outboxes(&asks, max).await.unwrap());
        assert_eq!(asked.parts.len(), asks.len(), "{context}");
        let (mut start, mut wanted_start) = (0, 0);
        for (part, wanted_part) in asked.parts.iter().zip(&wanted.parts) {
            let ids = &asked.ids[start..part.end as usize];
            let wanted_ids = &wanted.ids[wanted_start..wanted_part.end as usize];
            (start, wanted_start) = (part.end as usize, wanted_part.end as usize);
            if part.more {
                assert!(!ids.is_empty() && wanted_ids.starts_with(ids), "{context}: {asked:?} of {wanted:?}");
            } else {
                assert_eq!((ids, false), (wanted_ids, wanted_part.more), "{context}");
            }
        }
        assert_eq!(
            whole_outbox(ours, author, max).await,
            whole_outbox(theirs, author, 1_000).await,
            "{context}"
        );
        let ask = asks[author.get() as usize - 1];
        let stored = async |view: &dyn StoreView| {
            let headers = view.stored_headers(ask, max).await?;
            Ok(headers.into_iter().map(|header| self.placed(header)).collect::<Vec<_>>())
        };
        same(stored(ours).await, stored(theirs).await, context);
    }

    /// Audiences say the same; a version is never used for two.
    async fn compare_audience(
        &mut self,
        ours: &dyn StoreView,
        theirs: &dyn StoreView,
        viewer: Uid,
        context: &str,
    ) {
        let (ours, theirs) =
            (ours.viewer_relations(viewer).await.unwrap(), theirs.viewer_relations(viewer).await.unwrap());
        let mut following = [ours.following().to_vec(), theirs.following().to_vec()];
        following.iter_mut().for_each(|uids| uids.sort_unstable());
        assert_eq!(following[0], following[1], "{context}: the following of {viewer}");
        let everybody = (1..=USERS + 1).map(u);
        let said = |viewer_relations: &dyn guanxi_ports::ViewerRelations| -> Said {
            let of = |uid| {
                (viewer_relations.follow(uid), viewer_relations.mutes(uid), viewer_relations.blocks(uid))
            };
            everybody.clone().map(of).collect()
        };
        assert_eq!(said(&*ours), said(&*theirs), "{context}: the viewer_relations of {viewer}");
        let known = self.viewer_relations.entry((viewer, ours.version())).or_insert_with(|| said(&*ours));
        assert_eq!(*known, said(&*ours), "{context}: {:?} of {viewer}", ours.version());
    }
}

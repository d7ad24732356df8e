//! Random worlds that some users leave.

mod stuck;

use super::*;
use crate::jobs::tests::world::{START_MS, u};
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::limits::DELETED_USERS_RETENTION_MS;
use guanxi_model::post::{Body, Draft, PostCommand, Visibility};
use guanxi_model::random::mix;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::user::{Contact, Profile, ProfilePatch};
use guanxi_model::{
    Command, Credential, Edge, ExternalId, GroupCommand, GroupId, List, Logs, ManualClock, Op, Page,
    PageStart, PairCommand, User,
};
use guanxi_ports::{Facts, Log, MarkKind, OutboxAsk, Walk};
use guanxi_spec::memory::{MemoryStore, Options};
use std::collections::BTreeMap;
use tokio::task::JoinSet;

const USERS: u64 = 12;

struct World {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    seed: u64,
}

impl World {
    fn new(seed: u64, logs: Logs) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options { logs, ..Options::default() }));
        Self { store, clock, seed }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.seed = mix(self.seed);
        self.seed % n
    }

    fn anybody(&mut self) -> Uid {
        u(self.below(USERS) + 1)
    }

    async fn write(&self, command: impl Into<Command>) -> Applied {
        self.store.apply(Write::of(command)).await.unwrap()
    }

    /// Something that users do with each other.
    async fn act(&mut self, posts: &mut Vec<PostId>) {
        let (a, b) = (self.anybody(), self.anybody());
        let post = posts.get(self.below(posts.len() as u64 + 1) as usize).copied();
        let ops = [Op::Follow, Op::Follow, Op::Follow, Op::Unfollow, Op::Block, Op::Unblock, Op::Mute];
        match self.below(14) {
            11 => {
                let additions = vec![(b, Score::of(1, START_MS, 1_000))];
                let add = AffinityCommand { actor: a, half_life_ms: 1_000, additions, is_fact: true };
                self.write(add).await;
            }
            10 => drop(self.write(DismissCommand { viewer: a, uid: b, dismissed: true }).await),
            12 | 13 => {
                let id = GroupId::new(1 + self.below(3) as u32).unwrap();
                let members = vec![b, self.anybody()];
                let command = match self.below(4) {
                    0 => GroupCommand::Create { owner: a, name: "friends".into() },
                    _ => GroupCommand::AddMembers { owner: a, id, members },
                };
                self.write(command).await;
            }
            0..6 => {
                let op = ops[self.below(ops.len() as u64) as usize];
                self.write(PairCommand { op, subject: a, object: b }).await;
            }
            6 | 7 => {
                let said = self.below(3) > 0;
                let body =
                    Body { text: if said { "words".into() } else { String::new() }, attachments: vec![] };
                let (reply_to, repost_of) = if said { (post, None) } else { (None, post) };
                let visibility = Visibility::Public;
                let draft = Draft { author: a, body, visibility, reply_to, repost_of };
                posts.extend(self.write(PostCommand::Create(draft)).await.post().unwrap().id);
            }
            _ => {
                if let Some(id) = post {
                    self.write(PostCommand::Like { uid: a, id }).await;
                }
            }
        }
    }

    fn job(&self) -> Erasure {
        Erasure::new(ErasureParts {
            store: self.store.clone(),
            credentials: self.store.clone(),
            log: self.store.clone(),
            clock: self.clock.clone(),
        })
    }

    /// Works until nothing is left, by jobs of which the first die after each `life` steps.
    async fn work(&self, life: usize) {
        let mut job = self.job();
        for step in 1..=10_000 {
            if !job.step().await.unwrap() {
                return;
            }
            self.check_counts().await;
            if step % life == 0 && step < 300 {
                job = self.job();
            }
        }
        panic!("the job has no end");
    }

    /// Each list agrees with its count.
    async fn check_counts(&self) {
        let view = self.store.view(None).await.unwrap();
        for uid in (1..=USERS).map(u) {
            let counts = view.counts(&[uid]).await.unwrap().remove(0);
            let mut listed = Vec::new();
            for list in List::ALL {
                listed.push(
                    view.list(uid, list, Page::new(PageStart::Newest, 1_000).unwrap())
                        .await
                        .unwrap()
                        .items
                        .len(),
                );
            }
            let counted = [
                counts.following as usize,
                counts.followers as usize,
                counts.friends as usize,
                counts.blocks as usize,
                counts.mutes as usize,
            ];
            assert_eq!(listed, counted, "{uid}");
        }
    }

    /// What anybody has said of a user or it of them, beside posts.
    async fn left_by(&self, uid: Uid) -> usize {
        let view = self.store.view(None).await.unwrap();
        let mut left = 0;
        for list in List::ALL {
            left += view.list(uid, list, Page::first()).await.unwrap().items.len();
        }
        for kind in MarkKind::ALL {
            left += view.marked_by(uid, kind, Walk::new(None, 1_000)).await.unwrap().len();
        }
        left += view.removed_follows(uid, Walk::new(None, 1_000)).await.unwrap().len();
        left += view.dismissed_by(uid, Walk::new(None, 1_000)).await.unwrap().len();
        left += view.scored_by(uid, Walk::new(None, 1_000)).await.unwrap().len();
        left += view.groups(uid).await.unwrap().len();
        left += view.memberships(uid, Walk::new(None, 1_000)).await.unwrap().len();
        left + view.likes_by(uid, Walk::new(None, 1_000)).await.unwrap().len()
    }

    /// How many posts of a user say something.
    async fn said_by(&self, author: Uid) -> usize {
        let view = self.store.view(None).await.unwrap();
        let headers = view.stored_headers(OutboxAsk { author, below: None }, 1_000).await.unwrap();
        let ids: Vec<PostId> = headers.into_iter().map(|header| header.id).collect();
        let posts = view.posts(&ids).await.unwrap();
        posts.into_iter().flatten().filter(|post| post.revision > 0).count()
    }

    /// The edges of others among each other.
    async fn others(&self, gone: &[Uid]) -> Vec<(Uid, List, Vec<Edge>)> {
        let view = self.store.view(None).await.unwrap();
        let mut all = Vec::new();
        for uid in (1..=USERS).map(u).filter(|uid| !gone.contains(uid)) {
            for list in List::ALL {
                let mut items =
                    view.list(uid, list, Page::new(PageStart::Newest, 1_000).unwrap()).await.unwrap().items;
                items.retain(|edge| !gone.contains(&edge.uid));
                all.push((uid, list, items));
            }
        }
        all
    }

    /// The groups of others, with those of their members who are others, too.
    async fn groups(&self, gone: &[Uid]) -> Vec<(Uid, GroupId, Vec<Edge>)> {
        let view = self.store.view(None).await.unwrap();
        let mut all = Vec::new();
        for owner in (1..=USERS).map(u).filter(|uid| !gone.contains(uid)) {
            for group in view.groups(owner).await.unwrap() {
                let page = Page::new(PageStart::Newest, 1_000).unwrap();
                let mut members = view.group_members(owner, group.id, page).await.unwrap().items;
                members.retain(|edge| !gone.contains(&edge.uid));
                all.push((owner, group.id, members));
            }
        }
        all
    }

    /// The likes of others for posts of others, with the posts' counters.
    async fn likes(&self, posts: &[PostId], gone: &[Uid]) -> BTreeMap<PostId, u64> {
        let view = self.store.view(None).await.unwrap();
        let mut all = BTreeMap::new();
        for id in posts {
            let author = view.headers(&[*id]).await.unwrap()[0].unwrap().author;
            let likers = view.likers(*id, Page::new(PageStart::Newest, 1_000).unwrap()).await.unwrap().items;
            assert_eq!(view.stats(&[*id]).await.unwrap()[0].likes, likers.len() as u64);
            if !gone.contains(&author) {
                let likers = likers.into_iter().filter(|edge| !gone.contains(&edge.uid));
                all.insert(*id, likers.count() as u64);
            }
        }
        all
    }

    async fn delete(&self, uid: Uid, erase_at_ms: u64) {
        let status = UserStatus::Deleted { erase_at_ms };
        let outcome = self.write(UserCommand::SetStatus { uid, status }).await.user().unwrap();
        assert_eq!(outcome.result, Ok(true));
    }
}

/// In random worlds, with jobs that die after one step, a few, or never: what others see goes first and the posts when they
/// are due; lists agree with their counts all the time, and nothing of anybody else's changes.
#[tokio::test]
async fn whoever_leaves_takes_its_own_along_and_nothing_else() {
    for seed in 1..=12 {
        let logs = if seed % 2 == 0 { Logs::One } else { Logs::PerGene };
        let mut world = World::new(seed, logs);
        let mut posts = Vec::new();
        for _ in 0..400 {
            world.act(&mut posts).await;
        }
        let gone = [u(1), u(2), u(3)];
        let (edges, likes) = (world.others(&gone).await, world.likes(&posts, &gone).await);
        let groups = world.groups(&gone).await;
        assert!(
            groups.iter().any(|(.., members)| !members.is_empty()),
            "seed {seed}: somebody is in a group"
        );
        let due_ms = START_MS + DELETED_USERS_RETENTION_MS;
        world.delete(u(1), due_ms).await;
        world.delete(u(2), due_ms + 1).await;
        world.delete(u(3), START_MS).await;
        let life = [1, 3, 10_000][seed as usize % 3];
        world.work(life).await;
        for uid in gone {
            assert_eq!(world.left_by(uid).await, 0, "seed {seed}, {uid}");
        }
        let view = world.store.view(None).await.unwrap();
        assert_eq!(
            view.deleted_users(Walk::new(None, 9)).await.unwrap(),
            [(due_ms, u(1)), (due_ms + 1, u(2))]
        );
        assert!(
            world.said_by(u(1)).await + world.said_by(u(2)).await > 0,
            "seed {seed}: kept until they are due"
        );
        assert_eq!(world.said_by(u(3)).await, 0);
        world.clock.set(due_ms);
        world.work(life).await;
        let view = world.store.view(None).await.unwrap();
        assert_eq!(view.deleted_users(Walk::new(None, 9)).await.unwrap(), [(due_ms + 1, u(2))]);
        assert_eq!(world.said_by(u(1)).await, 0);
        let erased =
            User { status: UserStatus::Erased { at_ms: due_ms }, revision: 2, ..User::unknown(u(1)) };
        assert_eq!(view.users(&[u(1)]).await.unwrap(), [Some(erased)]);
        assert_eq!(world.others(&gone).await, edges, "seed {seed}");
        assert_eq!(world.likes(&posts, &gone).await, likes, "seed {seed}");
        assert_eq!(world.groups(&gone).await, groups, "seed {seed}");
    }
}

/// Every write of others and of the user itself meanwhile comes before the removal and goes, or is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_written_meanwhile_goes_or_is_refused() {
    for seed in 1..=6 {
        let world = World::new(seed, if seed % 2 == 0 { Logs::One } else { Logs::PerGene });
        let mut writers = JoinSet::new();
        for nth in 0..4 {
            let mut world =
                World { seed: mix(seed * 10 + nth), store: world.store.clone(), clock: world.clock.clone() };
            writers.spawn(async move {
                let mut posts = Vec::new();
                for _ in 0..300 {
                    world.act(&mut posts).await;
                    tokio::task::yield_now().await;
                }
            });
        }
        let head = async || Log::head(&*world.store).await.unwrap().event_count();
        while head().await < 300 {
            tokio::task::yield_now().await;
        }
        world.delete(u(1), START_MS).await;
        let mut job = world.job();
        while job.step().await.unwrap() {
            tokio::task::yield_now().await;
        }
        let status =
            async || world.store.view(None).await.unwrap().standings(&[u(1)]).await.unwrap()[0].status;
        assert_eq!(status().await, UserStatus::Erased { at_ms: START_MS });
        while let Some(written) = writers.join_next().await {
            written.unwrap();
        }
        assert_eq!(world.left_by(u(1)).await, 0, "seed {seed}");
        assert_eq!(world.said_by(u(1)).await, 0, "seed {seed}");
        world.check_counts().await;
    }
}

/// However many like a post of a user who is erased, none of them is left when it is.
#[tokio::test]
async fn likes_of_a_post_that_very_many_like_are_gone_with_its_author() {
    let world = World::new(1, Logs::One);
    let body = Body { text: "words".into(), attachments: Vec::new() };
    let visibility = Visibility::Public;
    let draft = Draft { author: u(1), body, visibility, reply_to: None, repost_of: None };
    let id = world.write(PostCommand::Create(draft)).await.post().unwrap().id.unwrap();
    for uid in 2..2_300 {
        world.write(PostCommand::Like { uid: u(uid), id }).await;
    }
    world.delete(u(1), START_MS).await;
    world.work(10_000).await;
    let view = world.store.view(None).await.unwrap();
    assert_eq!(view.stats(&[id]).await.unwrap()[0].likes, 0);
    assert_eq!(view.standings(&[u(1)]).await.unwrap()[0].status, UserStatus::Erased { at_ms: START_MS });
}

/// A user that comes into the list of the deleted before others, as after a clock was set back, is found all the same.
#[tokio::test]
async fn who_is_due_before_others_that_were_deleted_earlier_leaves_nothing_either() {
    let world = World::new(1, Logs::One);
    for subject in [u(1), u(2), u(3)] {
        world.write(PairCommand { op: Op::Follow, subject, object: u(9) }).await;
    }
    let due_ms = START_MS + DELETED_USERS_RETENTION_MS;
    let mut job = world.job();
    let mut left = async |uid, erase_at_ms, now_ms| {
        if let Some(erase_at_ms) = erase_at_ms {
            world.delete(uid, erase_at_ms).await;
        }
        world.clock.set(now_ms);
        while job.step().await.unwrap() {}
        world.left_by(uid).await
    };
    assert_eq!(left(u(2), Some(due_ms), START_MS).await, 0);
    assert_eq!(left(u(1), Some(due_ms - 500), START_MS).await, 1, "not at once");
    assert_eq!(left(u(1), None, START_MS + LOOK_AGAIN_MS).await, 0);
    assert_eq!(left(u(3), Some(due_ms - 900), START_MS).await, 0, "the clock was set back");
}

/// What is kept of a user beside goes with it: contacts with their claims, external id, tokens.
#[tokio::test]
async fn what_leads_to_a_user_goes_with_it() {
    let world = World::new(1, Logs::PerGene);
    let id = ExternalId::new("elsewhere", "external_id").unwrap();
    let uid = Uid::minted(START_MS, 1, id.gene()).unwrap();
    world.write(UserCommand::AssignExternalId { uid, external_id: id.clone(), listed: false }).await;
    let patch = ProfilePatch { bio: Some("words".into()), ..ProfilePatch::default() };
    world.write(UserCommand::Update { uid, patch, expected_revision: None }).await;
    let users = UserCenter::new(world.store.clone(), world.clock.clone());
    let contacts = [
        Contact::stored(ContactKind::Phone, "+14155550100".into()),
        Contact::stored(ContactKind::Email, "user@example.org".into()),
    ];
    for contact in &contacts {
        users.bind(uid, contact).await.unwrap();
    }
    for (name, principal) in [("theirs", Principal::EndUser(uid)), ("other", Principal::EndUser(u(1)))] {
        let hash = [name.len() as u8; 32];
        let credential =
            Credential { hash, name: name.into(), principal, created_ms: 1, rate_per_minute: None };
        world.store.add(credential).await.unwrap();
    }
    world.delete(uid, START_MS).await;
    world.work(1).await;
    let view = world.store.view(None).await.unwrap();
    let user = view.users(&[uid]).await.unwrap().remove(0).unwrap();
    assert_eq!((user.profile, user.contacts), (Profile::default(), guanxi_model::user::Contacts::default()));
    assert_eq!(view.uids_of(&[id]).await.unwrap(), [None]);
    for contact in &contacts {
        assert_eq!(view.claim_of(contact).await.unwrap(), None);
    }
    let names: Vec<String> = Credentials::list(&*world.store)
        .await
        .unwrap()
        .into_iter()
        .map(|credential| credential.name)
        .collect();
    assert_eq!(names, ["other"]);
}

//! Worlds in which things are deleted, come back and are kept for a time.

use super::*;
use crate::jobs::tests::world::{DAY_MS, START_MS, World, u, work};
use crate::post::{PURGE_PIECES_MAX, PostCenter};
use guanxi_model::post::{Body, Draft, Visibility};
use guanxi_model::random::mix;
use guanxi_model::{AuditEntry, AuditOutcome, ImportEdge, Logs, Op};
use guanxi_ports::{Log as _, Walk};
use guanxi_spec::memory::Options;
use guanxi_spec::viewed::{BrokenRows, faulty};
use std::sync::Mutex;

const USERS: u64 = 9;

async fn world(logs: Logs) -> World {
    World::of(Options { logs, ..Options::default() }).await
}

impl World {
    async fn post(&mut self, author: u64) -> PostId {
        let body = Body { text: "words".into(), attachments: Vec::new() };
        let visibility = Visibility::Public;
        let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of: None };
        self.write(PostCommand::Create(draft)).await.post().unwrap().id.unwrap()
    }

    async fn restore(&mut self, author: u64, id: PostId) -> bool {
        let restored = self.write(PostCommand::Restore { author: u(author), id }).await;
        restored.post().unwrap().result == Ok(true)
    }

    fn job(&self, posts_days: Option<u64>, follows_days: Option<u64>) -> Retention {
        let kept = KeptFor {
            deleted_posts_ms: posts_days.map(|days| days * DAY_MS),
            removed_follows_ms: follows_days.map(|days| days * DAY_MS),
            audit_ms: None,
        };
        Retention::new(self.store.clone(), self.clock.clone(), kept)
    }

    /// What is listed as deleted, and as removed.
    async fn kept(&self) -> (Vec<(u64, PostId)>, Vec<(u64, u64)>) {
        let view = self.store.view(None).await.unwrap();
        let removed = view.all_removed_follows(Walk::new(None, 10_000)).await.unwrap();
        let pairs = removed.iter().map(|edge| (edge.subject.get(), edge.object.get())).collect();
        (view.deleted_posts(Walk::new(None, 10_000)).await.unwrap(), pairs)
    }

    async fn likes(&self, id: PostId) -> u64 {
        self.store.view(Some(&self.last)).await.unwrap().stats(&[id]).await.unwrap()[0].likes
    }
}

#[tokio::test]
async fn what_is_kept_for_ever_stays() {
    let mut world = world(Logs::One).await;
    let id = world.post(1).await;
    world.write(PostCommand::Delete { author: u(1), id }).await;
    for op in [Op::Follow, Op::Unfollow] {
        assert_eq!(world.act(op, 1, 2).await, Ok(true));
    }
    let kept = world.kept().await;
    world.clock.advance(10_000 * DAY_MS);
    assert_eq!(work(&mut world.job(None, None)).await, 0);
    assert_eq!(world.kept().await, kept);
    assert!(world.restore(1, id).await);
}

#[tokio::test]
async fn posts_are_purged_when_they_were_deleted_for_long_enough() {
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = world(logs).await;
        let mut posts = Vec::new();
        for author in 1..=USERS {
            posts.push((author, world.post(author).await));
        }
        // One a day, but the last two, and each twice.
        for (author, id) in posts[..7].iter().copied() {
            world.write(PostCommand::Delete { author: u(author), id }).await;
            world.clock.advance(DAY_MS);
        }
        // The second came back, and the first went again just now.
        assert!(world.restore(2, posts[1].1).await && world.restore(1, posts[0].1).await);
        world.write(PostCommand::Delete { author: u(1), id: posts[0].1 }).await;
        let mut job = world.job(Some(3), None);
        work(&mut job).await;
        let left: Vec<PostId> = world.kept().await.0.into_iter().map(|(_, id)| id).collect();
        assert_eq!(
            left,
            [posts[5].1, posts[6].1, posts[0].1],
            "of 3 days there are the last two, and the first"
        );
        assert_eq!(work(&mut job).await, 0, "there is nothing more to do");
        for (author, id) in posts[2..5].iter().copied() {
            assert!(!world.restore(author, id).await);
        }
        let view = world.store.view(None).await.unwrap();
        let ids: Vec<PostId> = posts.iter().map(|(_, id)| *id).collect();
        let said = view.posts(&ids).await.unwrap().into_iter().map(|post| post.unwrap().body.text);
        let expected = ["words", "words", "", "", "", "words", "words", "words", "words"];
        assert_eq!(said.collect::<Vec<_>>(), expected);
        world.clock.advance(100 * DAY_MS);
        work(&mut job).await;
        assert_eq!(world.kept().await.0, []);
        assert!(!world.restore(1, posts[0].1).await);
    }
}

#[tokio::test]
async fn a_purge_that_was_cut_off_is_ended_whatever_is_kept() {
    let mut world = world(Logs::PerGene).await;
    let (many, few, other) = (world.post(1).await, world.post(2).await, world.post(3).await);
    for uid in (1..=200).map(u) {
        for id in [many, other] {
            world.write(PostCommand::Like { uid, id }).await;
        }
    }
    world.write(PostCommand::Like { uid: u(5), id: few }).await;
    for (author, id) in [(1, many), (2, few)] {
        world.write(PostCommand::Purge { author: u(author), id, deleted_until: None }).await;
    }
    // Processes that die after each piece: each does the next.
    for _ in 0..30 {
        let _ = world.job(None, None).step().await.unwrap();
    }
    let mut job = world.job(None, None);
    work(&mut job).await;
    world.last = world.store.head().await.unwrap();
    assert_eq!((world.likes(many).await, world.likes(few).await, world.likes(other).await), (0, 0, 200));
    assert_eq!(world.kept().await.0, []);
    assert_eq!(work(&mut job).await, 0);
}

#[tokio::test]
async fn a_post_with_many_likes_does_not_hold_up_others() {
    let mut world = world(Logs::One).await;
    let mut posts = Vec::new();
    for author in 1..=3 {
        posts.push(world.post(author).await);
    }
    for uid in (1..=300).map(u) {
        world.write(PostCommand::Like { uid, id: posts[0] }).await;
    }
    for (author, id) in (1..).zip(posts.clone()) {
        world.write(PostCommand::Delete { author: u(author), id }).await;
    }
    world.clock.advance(DAY_MS);
    let mut job = world.job(Some(1), None);
    // The purges, the end of the round, a piece for each.
    for _ in 0..5 {
        assert!(job.step().await.unwrap());
    }
    let left: Vec<PostId> = world.kept().await.0.into_iter().map(|(_, id)| id).collect();
    assert_eq!(left, [posts[0]]);
    assert!(world.likes(posts[0]).await >= 300 - 2 * ROWS_AT_ONCE as u64);
    work(&mut job).await;
    assert_eq!((world.kept().await.0, world.likes(posts[0]).await), (Vec::new(), 0));
}

#[tokio::test]
async fn removed_follows_are_forgotten_once_a_day() {
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = world(logs).await;
        let mut expected = Vec::new();
        for subject in 1..=200 {
            let object = subject % USERS + 300;
            for op in [Op::Follow, Op::Unfollow] {
                assert_eq!(world.act(op, subject, object).await, Ok(true));
            }
            if subject == 150 {
                world.clock.advance(DAY_MS);
            }
            if subject > 150 {
                expected.push((subject, object));
            }
        }
        // One that stands again, and one that ended again.
        for (op, subject, object) in [(Op::Follow, 10, 301), (Op::Follow, 11, 302), (Op::Unfollow, 11, 302)] {
            assert_eq!(world.act(op, subject, object).await, Ok(true));
        }
        expected.insert(0, (11, 302));
        world.clock.advance(DAY_MS - 1);
        let mut job = world.job(None, Some(1));
        assert!(work(&mut job).await > 3, "in pieces");
        assert_eq!(world.kept().await.1, expected);
        assert!(
            world.store.view(None).await.unwrap().relations(u(10), &[u(301)]).await.unwrap()[0]
                .following_since
                .is_some()
        );
        // What is forgotten may be imported again.
        for (subject, comes) in [(1, true), (11, false)] {
            let edge = ImportEdge::new(u(subject), u(subject % USERS + 300), None);
            let imported = world.write(Command::ImportEdges { edges: vec![edge], revive: false }).await;
            assert_eq!(imported.pairs()[0].result, Ok(comes), "the follow of {subject}");
        }
        world.clock.advance(2);
        assert_eq!(work(&mut job).await, 0, "not before the next day");
        world.clock.advance(DAY_MS);
        work(&mut job).await;
        assert_eq!(world.kept().await.1, []);
    }
}

#[tokio::test]
async fn nobody_loses_what_it_just_did() {
    // Posts and follows are restored, deleted and left while the job works: only what was due at the time is gone.
    for seed in 0..20 {
        let mut world = world(if seed % 2 == 0 { Logs::One } else { Logs::PerGene }).await;
        let mut random = seed;
        let mut below = |n: u64| {
            random = mix(random + 1);
            random % n
        };
        let mut posts = Vec::new();
        for author in 1..=USERS {
            posts.push((author, world.post(author).await));
        }
        let mut job = world.job(Some(2), Some(2));
        let mut gone = BTreeMap::<PostId, u64>::new();
        for _ in 0..300 {
            world.clock.advance(below(DAY_MS / 2));
            let (author, id) = posts[below(USERS) as usize];
            match below(4) {
                0 => {
                    let deleted = world.write(PostCommand::Delete { author: u(author), id }).await;
                    if deleted.post().unwrap().result == Ok(true) {
                        gone.insert(id, world.clock.now_ms());
                    }
                }
                1 => {
                    let restored = world.restore(author, id).await;
                    let is_kept = gone.get(&id).is_some_and(|at| world.clock.now_ms() - at < 2 * DAY_MS);
                    assert!(restored || !is_kept, "{id} of seed {seed} is gone too early");
                    if restored {
                        gone.remove(&id);
                    }
                }
                _ => drop(job.step().await.unwrap()),
            }
        }
        let view = world.store.view(None).await.unwrap();
        for (_, id) in posts.into_iter().filter(|(_, id)| !gone.contains_key(id)) {
            assert_eq!(view.posts(&[id]).await.unwrap()[0].as_ref().unwrap().body.text, "words");
        }
    }
}

#[tokio::test]
async fn a_post_that_cannot_be_read_keeps_no_other() {
    let mut world = world(Logs::One).await;
    let mut posts = Vec::new();
    for author in 1..=200 {
        let id = world.post(author).await;
        world.write(PostCommand::Like { uid: u(7), id }).await;
        world.write(PostCommand::Delete { author: u(author), id }).await;
        posts.push(id);
    }
    world.clock.advance(DAY_MS);
    let mut job = world.job(Some(1), None);
    let broken = BrokenRows { headers: [posts[70]].into(), ..BrokenRows::default() };
    job.store = Arc::new(faulty(world.store.clone(), Arc::new(Mutex::new(broken))));
    let mut failed = 0;
    for _ in 0..800 {
        failed += u32::from(job.step().await.is_err());
    }
    assert!(failed > 1, "it is tried again");
    let left: Vec<PostId> = world.kept().await.0.into_iter().map(|(_, id)| id).collect();
    assert_eq!(left, [posts[70]]);
    // The rest of the round that failed, and the next one.
    job.store = world.store.clone();
    for _ in 0..2 {
        work(&mut job).await;
    }
    assert_eq!(world.kept().await.0, []);
}

/// A call takes back as many likes as fit into its deadline. What the post said is gone with its first commit, and the job
/// ends the rest; so does a repeat of the call.
#[tokio::test]
async fn a_purge_of_a_post_with_many_likes_is_answered_and_ended_behind_its_answer() {
    for repeats in [0, 1] {
        let mut world = world(Logs::One).await;
        let id = world.post(1).await;
        let once = PURGE_PIECES_MAX as u64 * 64;
        for uid in 2..once + 102 {
            world.write(PostCommand::Like { uid: u(uid), id }).await;
        }
        let likes = async || world.store.view(None).await.unwrap().stats(&[id]).await.unwrap()[0].likes;
        assert_eq!(likes().await, once + 100);
        let posts = PostCenter::new(world.store.clone());
        let written = posts.purge(id, Some(u(1))).await.unwrap();
        assert!(written.changed);
        let view = world.store.view(Some(&written.position)).await.unwrap();
        let husk = view.posts(&[id]).await.unwrap().remove(0).unwrap();
        assert_eq!((husk.revision, husk.body.text.as_str(), husk.header.deleted), (0, "", true));
        assert_eq!(likes().await, 100);
        let is_under_way = async || {
            let view = world.store.view(None).await.unwrap();
            !view.deleted_posts(Walk::new(None, 9)).await.unwrap().is_empty()
        };
        assert!(is_under_way().await);
        for _ in 0..repeats {
            assert!(!posts.purge(id, None).await.unwrap().changed, "nothing of it was here");
        }
        let mut job = world.job(None, None);
        while job.step().await.unwrap() {}
        assert_eq!((likes().await, is_under_way().await), (0, false));
    }
}

#[tokio::test]
async fn what_operators_did_is_kept_for_its_time() {
    let mut world = world(Logs::PerGene).await;
    let begin = |n: u64| {
        AuditCommand::Begin(AuditEntry {
            id: AuditId { at: Stamp::from_ms(START_MS + n * DAY_MS), nonce: n },
            principal: "ops".into(),
            action: "Backup".into(),
            targets: Vec::new(),
            reason: String::new(),
            outcome: AuditOutcome::Begun,
        })
    };
    for n in 0..3 * AUDIT_FORGET_MAX as u64 {
        world.write(begin(n)).await;
    }
    world.clock.set(START_MS + 150 * DAY_MS);
    assert_eq!(work(&mut world.job(None, Some(1))).await, 1, "follows are looked at, and entries stay");
    let left = async |world: &World| {
        let view = world.store.view(None).await.unwrap();
        view.audit_entries(None, 1_000).await.unwrap().into_iter().map(|entry| entry.id.nonce).min()
    };
    assert_eq!(left(&world).await, Some(0));
    let kept = KeptFor { audit_ms: Some(10 * DAY_MS), ..KeptFor::default() };
    let mut job = Retention::new(world.store.clone(), world.clock.clone(), kept);
    assert_eq!(work(&mut job).await, 3, "140 entries, in pieces");
    assert_eq!(left(&world).await, Some(140), "one that is kept for that long is not older");
    world.clock.advance(DAY_MS);
    assert_eq!(work(&mut job).await, 1, "the next round begins at the newest again");
    assert_eq!(left(&world).await, Some(141));
}

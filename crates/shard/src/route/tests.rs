//! Imports of posts are split so that each post finds what it would find if all were done in their order.

use super::*;
use guanxi_model::Visibility;
use guanxi_model::post::Body;
use guanxi_model::random::Rng;

fn post(author: u64, key: &str, reply_to: Option<(u64, String)>) -> ImportPost {
    let uid = |uid| Uid::new(uid).unwrap();
    ImportPost {
        id: None,
        key: key.to_owned(),
        author: uid(author),
        at_ms: 0,
        body: Body { text: "some".to_owned(), ..Body::default() },
        visibility: Visibility::Public,
        reply_to: reply_to.map(|(author, key)| (uid(author), key)),
        repost_of: None,
        deleted: false,
    }
}

/// The stage of each post, and its place in that stage's run of its home.
fn stages(posts: &[ImportPost]) -> Vec<(usize, usize)> {
    let split = split(Write::of(Command::ImportPosts(posts.to_vec()))).unwrap();
    assert_eq!(split.outcomes, posts.len());
    let mut found = vec![None; posts.len()];
    for (stage, parts) in split.stages.iter().enumerate() {
        let homes: BTreeSet<Home> = parts.iter().map(|part| part.home).collect();
        assert_eq!(homes.len(), parts.len(), "one part of each home in a stage");
        for part in parts {
            let [Command::ImportPosts(run)] = &*part.write.commands else { panic!("{part:?}") };
            for (nth, (place, one)) in part.places.iter().zip(run).enumerate() {
                assert_eq!((one, part.home), (&posts[*place], Home::Shard(one.author.gene())));
                assert_eq!(found[*place].replace((stage, nth)), None);
            }
        }
    }
    found.into_iter().map(Option::unwrap).collect()
}

/// Whether a post stands before another one wherever both are done.
fn is_before(posts: &[ImportPost], at: &[(usize, usize)], (a, b): (usize, usize)) -> bool {
    let is_one_home = posts[a].author.gene() == posts[b].author.gene();
    at[a].0 < at[b].0 || is_one_home && at[a] < at[b]
}

#[test]
fn posts_that_name_no_other_are_one_stage() {
    let posts: Vec<ImportPost> = (1..=600).map(|author| post(author, "a", None)).collect();
    assert!(stages(&posts).iter().all(|(stage, _)| *stage == 0));
    let outside = (7, "not of these".to_owned());
    let posts: Vec<ImportPost> = (1..=600).map(|author| post(author, "a", Some(outside.clone()))).collect();
    assert!(stages(&posts).iter().all(|(stage, _)| *stage == 0));
}

#[test]
fn a_thread_of_many_homes_is_as_many_stages() {
    let reply = |n: u64| post(n, "a", (n > 1).then(|| (n - 1, "a".to_owned())));
    let posts: Vec<ImportPost> = (1..=5).map(reply).collect();
    let at: Vec<usize> = stages(&posts).iter().map(|(stage, _)| *stage).collect();
    assert_eq!(at, [0, 1, 2, 3, 4]);
}

#[test]
fn each_post_finds_what_it_would_find_in_the_order_of_all() {
    let (mut named, mut not_yet) = (0, 0);
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let mut any = |n: u64| rng.below(n as usize) as u64;
        let posts: Vec<ImportPost> = (0..40)
            .map(|_| {
                // Of four homes, two authors each; some keys come again.
                let author = |n: u64| 1 + n % 4 + 256 * (n / 4);
                let (own, key) = (author(any(8)), any(6).to_string());
                let other = (any(2) == 0).then(|| (author(any(8)), any(6).to_string()));
                post(own, &key, other)
            })
            .collect();
        let at = stages(&posts);
        for b in 0..posts.len() {
            for a in 0..b {
                if posts[a].author.gene() == posts[b].author.gene() {
                    assert!(is_before(&posts, &at, (a, b)), "seed {seed}: {a} and {b} are of one home");
                }
            }
            let Some(other) = posts[b].refers_to() else { continue };
            let is_it = |post: &ImportPost| (post.author, &post.key) == (other.0, &other.1);
            for a in (0..posts.len()).filter(|a| is_it(&posts[*a])) {
                if a < b {
                    named += 1;
                    assert!(is_before(&posts, &at, (a, b)), "seed {seed}: {b} names {a}");
                } else if a > b {
                    not_yet += 1;
                    assert!(is_before(&posts, &at, (b, a)), "seed {seed}: {b} names {a} too early");
                }
            }
        }
    }
    assert!(named > 2_000 && not_yet > 1_000, "{named} and {not_yet}");
}

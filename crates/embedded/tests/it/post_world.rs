//! A small random world of posts, and everything that can be read of it.

use crate::world::{NOW_MS, Rng, head, uid, users};
use guanxi_embedded::EmbeddedStore;
use guanxi_model::affinity::{Affinities, AffinityCommand, Score};
use guanxi_model::post::{Body, Draft, Edit, ImportPost, PostCommand, PostStats, Revision};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{
    Command, Edge, FanoutPolicy, Page, PageStart, Position, Post, PostHeader, PostId, Result, Uid,
    Visibility, Write,
};
use guanxi_ports::{AuthorHead, Facts as _, OutboxAsk, PostView, Store as _};

/// Users who write: fewer than all, so that posts are answered and liked.
const AUTHORS: u64 = 8;

const DAY_MS: u64 = 86_400_000;

fn someone(rng: &mut Rng) -> Uid {
    uid(1 + rng.below(AUTHORS))
}

fn visibility(rng: &mut Rng) -> Visibility {
    match rng.below(6) {
        0 => Visibility::Followers,
        1 => Visibility::Friends,
        _ => Visibility::Public,
    }
}

pub fn body(text: String) -> Body {
    Body { text, attachments: Vec::new() }
}

pub fn create(author: u64, reply_to: Option<PostId>, repost_of: Option<PostId>) -> Write {
    let body = body(format!("by {author}"));
    let draft = Draft { author: uid(author), body, visibility: Visibility::Public, reply_to, repost_of };
    Write::of(PostCommand::Create(draft))
}

/// A random write about posts that are known so far.
pub fn post_write(rng: &mut Rng, known: &[(PostId, Uid)], first: &Position) -> Write {
    // Early posts more often than late ones, so that some are much liked and answered.
    let pick = |rng: &mut Rng| {
        let below = 1 + rng.below(known.len().max(1) as u64);
        known.get(rng.below(below) as usize).copied()
    };
    let text = format!("text {}", rng.below(1_000));
    let command = match (rng.below(17), pick(rng)) {
        (0..4, _) | (_, None) => {
            let (author, visibility) = (someone(rng), visibility(rng));
            PostCommand::Create(Draft {
                author,
                body: body(text),
                visibility,
                reply_to: None,
                repost_of: None,
            })
        }
        (4..6, Some((id, _))) => {
            let (author, visibility) = (someone(rng), visibility(rng));
            let reply_to = Some(id);
            PostCommand::Create(Draft { author, body: body(text), visibility, reply_to, repost_of: None })
        }
        (6, Some((id, _))) => {
            let author = someone(rng);
            let (body, visibility, repost_of) = (Body::default(), Visibility::Public, Some(id));
            PostCommand::Create(Draft { author, body, visibility, reply_to: None, repost_of })
        }
        (7..9, Some((id, author))) => {
            let visibility = Some(visibility(rng));
            let edit = Edit { text: Some(text), attachments: None, visibility, expected_revision: None };
            PostCommand::Update { author, id, edit }
        }
        (9, Some((id, author))) => PostCommand::Delete { author, id },
        (10, Some((id, author))) => PostCommand::Restore { author, id },
        (11, Some((id, _))) => PostCommand::Unlike { uid: someone(rng), id },
        (12, _) => return import(rng, &text),
        (17, Some((id, author))) => PostCommand::Purge { author, id, deleted_until: None },
        (16, Some((id, _))) => PostCommand::UndoRepost { uid: someone(rng), id },
        (13, _) => return Write::of(Command::MarkSeen { uid: someone(rng), seen: first.clone() }),
        (_, Some((id, _))) => PostCommand::Like { uid: someone(rng), id },
    };
    Write::of(command)
}

/// Some posts of the past, often ones that were imported before.
fn import(rng: &mut Rng, text: &str) -> Write {
    let mut post = || ImportPost {
        id: None,
        key: format!("key {}", rng.below(40)),
        author: someone(rng),
        at_ms: NOW_MS - rng.below(5),
        body: body(text.to_owned()),
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    Write::of(Command::ImportPosts(vec![post(), post()]))
}

/// Writes at random for a while, and answers the posts that came.
pub async fn write_posts(store: &EmbeddedStore, rng: &mut Rng, writes: u64) -> Vec<(PostId, Uid)> {
    let mut known = Vec::new();
    let first = Position::one(head(store).await.history(), 1);
    for n in 0..writes {
        let write = post_write(rng, &known, &first);
        let authors = authors_of(&write);
        let outcomes = store.apply(write).await.unwrap().posts();
        let came = outcomes.iter().zip(authors).filter(|(outcome, _)| outcome.result == Ok(true));
        known.extend(came.filter_map(|(outcome, author)| Some((outcome.id?, author))));
        // What users note beside goes the same ways, and does not change what is written otherwise.
        if n % 6 == 0 {
            let (viewer, uid) = (uid(1 + n / 6 % AUTHORS), uid(1 + n / 48 % AUTHORS));
            store.apply(Write::of(DismissCommand { viewer, uid, dismissed: n % 18 > 0 })).await.unwrap();
            let additions = vec![(uid, Score::of(n + 1, NOW_MS - n, DAY_MS))];
            let add = AffinityCommand { actor: viewer, half_life_ms: DAY_MS, additions, is_fact: n % 12 > 0 };
            store.apply(Write::of(add)).await.unwrap();
        }
    }
    known
}

/// Who writes a post, for each one that a write makes.
fn authors_of(write: &Write) -> Vec<Uid> {
    match &write.commands[0] {
        Command::Post(PostCommand::Create(draft)) => vec![draft.author],
        Command::ImportPosts(posts) => posts.iter().map(|post| post.author).collect(),
        _ => Vec::new(),
    }
}

/// Everything that can be read about the posts of a world.
#[derive(Debug, PartialEq, Eq)]
pub struct SeenPosts {
    pub heads: Vec<AuthorHead>,
    pub items: Vec<Vec<PostHeader>>,
    pub posts: Vec<Post>,
    pub stats: Vec<PostStats>,
    pub likers: Vec<Vec<Edge>>,
    pub revisions: Vec<Vec<Revision>>,
    pub seen: Vec<u64>,
    pub dismissed: Vec<Vec<Edge>>,
    pub affinities: Vec<Affinities>,
    pub policy: FanoutPolicy,
}

/// Reads everything through the store.
pub async fn seen_posts(store: &EmbeddedStore) -> Result<SeenPosts> {
    let view = store.view(None).await?;
    let mut items = Vec::new();
    for author in users() {
        items.push(view.stored_headers(OutboxAsk { author, below: None }, usize::MAX).await?);
    }
    let ids: Vec<PostId> = items.iter().flatten().map(|item| item.id).collect();
    let known: Vec<PostHeader> = view.headers(&ids).await?.into_iter().map(Option::unwrap).collect();
    assert_eq!(known, items.concat(), "what is read one by one is what is stored");
    let (mut likers, mut revisions, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for id in &ids {
        likers.push(all_likers(&*view, *id).await?);
        revisions.push(view.revisions(*id, None, usize::MAX).await?);
    }
    let (mut dismissed, mut affinities) = (Vec::new(), Vec::new());
    for user in users() {
        affinities.push(view.affinities(user).await?);
        dismissed.push(view.dismissed(user).await?);
        seen.push(view.seen(user).await?.event_count());
    }
    Ok(SeenPosts {
        heads: view.heads(&users()).await?,
        posts: view.posts(&ids).await?.into_iter().map(Option::unwrap).collect(),
        stats: view.stats(&ids).await?,
        policy: view.fanout_policy().await?,
        items,
        likers,
        revisions,
        seen,
        dismissed,
        affinities,
    })
}

async fn all_likers(view: &dyn PostView, id: PostId) -> Result<Vec<Edge>> {
    let (mut likers, mut start) = (Vec::new(), PageStart::Newest);
    loop {
        let page = view.likers(id, Page::new(start, 3)?).await?;
        likers.extend(page.items);
        match page.next {
            Some(cursor) => start = PageStart::After(cursor),
            None => return Ok(likers),
        }
    }
}

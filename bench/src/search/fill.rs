//! guanxi with a world of posts and people: a data directory, and the indexes in it.

use super::world::{DrawnPost, World};
use crate::calls::UserCall;
use crate::feed::store::{self, Opened};
use crate::machine;
use guanxi_centers::log_readers::Follower as _;
use guanxi_centers::search::{IndexSource, Indexer, PostSource, REFRESH_MS, UserSource};
use guanxi_load::accounts::register;
use guanxi_load::fill::written;
use guanxi_model::limits::{BATCH_MAX, IMPORT_POSTS_MAX};
use guanxi_model::post::{Body, ImportPost};
use guanxi_model::{Command, Error, Op, PairCommand, Result, Visibility, Write};
use guanxi_search::{
    ANALYSER_VERSION, DocKind, IndexOptions, IndexStore, Pace, PostDocs, StoreOptions, UserDocs,
};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Memory of an index for documents that are not on the disk yet: one half of the server's default.
const INDEX_MEMORY_BYTES: usize = 16 << 20;
/// Where the server has its indexes, in its data directory.
const SEARCH_DIR: &str = "search";

/// An index that was built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Built {
    /// CPU time of all threads.
    pub(super) cpu: Duration,
    /// Its time by the clock.
    pub(super) time: Duration,
    /// What it takes on the disk.
    pub(super) bytes: u64,
}

/// Makes a data directory with a world, and builds the indexes of posts and users as the server does.
pub(super) async fn create(dir: &Path, world: &World) -> std::result::Result<(Built, Built), String> {
    let opened = store::open(dir)?;
    let said = |error: Error| format!("{error:?}");
    fill(&opened, world).await.map_err(said)?;
    eprintln!("guanxi: building the indexes");
    let path = dir.join(SEARCH_DIR);
    let posts = build::<PostDocs, PostSource>(&opened, &path).await.map_err(said)?;
    let users = build::<UserDocs, UserSource>(&opened, &path).await.map_err(said)?;
    opened.close().await?;
    Ok((posts, users))
}

async fn fill(opened: &Opened, world: &World) -> Result<()> {
    let backend = &opened.backend;
    eprintln!("guanxi: registering {} people", world.names);
    let account = |number| UserCall::account_of(number, world.name(number), None);
    register(&*backend.store, (0..world.names).map(account)).await?;
    for follows in world.follows().chunks(BATCH_MAX as usize) {
        let command =
            |(subject, object): &_| PairCommand { op: Op::Follow, subject: *subject, object: *object };
        written(&backend.store.apply(Write::all(follows.iter().map(command).collect::<Vec<_>>())).await?)?;
    }
    eprintln!("guanxi: importing {} posts", world.posts);
    for first in (0..world.posts).step_by(IMPORT_POSTS_MAX as usize) {
        let some = first..world.posts.min(first + u64::from(IMPORT_POSTS_MAX));
        let posts = some.map(|number| import_of(world.post(number))).collect();
        written(&backend.store.apply(Write::of(Command::ImportPosts(posts))).await?)?;
    }
    Ok(())
}

fn import_of(post: DrawnPost) -> ImportPost {
    ImportPost {
        id: None,
        key: post.number.to_string(),
        author: post.author,
        at_ms: post.at_ms,
        body: Body { text: post.text, attachments: Vec::new() },
        visibility: if post.is_public { Visibility::Public } else { Visibility::Followers },
        reply_to: None,
        repost_of: None,
        deleted: false,
    }
}

/// How an index is kept that has the machine for itself.
pub(super) fn index_options(memory_bytes: usize) -> IndexOptions {
    IndexOptions {
        analyser: ANALYSER_VERSION,
        memory_bytes,
        reserve_bytes: 0,
        free_bytes: Arc::new(|| Ok(u64::MAX)),
        pace: Pace::unbounded(),
    }
}

async fn build<K, S>(opened: &Opened, path: &Path) -> Result<Built>
where
    K: DocKind<Source = S::Doc>,
    S: IndexSource,
{
    let backend = &opened.backend;
    let head = backend.log.head().await?;
    let (cpu, start) = (machine::cpu_of_self(), Instant::now());
    let index = index_options(INDEX_MEMORY_BYTES);
    let store = IndexStore::<K>::open(path, StoreOptions::new(index), head.history(), head.logs())?;
    let refresh = (backend.clock.clone(), REFRESH_MS);
    let indexing = store.indexing().await?;
    let mut indexer = Indexer::<S>::begin(backend.store.clone(), &*backend.log, indexing, refresh).await?;
    while !indexer.has_room() {
        indexer.work().await?;
    }
    drop(indexer);
    store.close().await?;
    let bytes = machine::disk_bytes(&path.join(K::NAME));
    Ok(Built { cpu: machine::cpu_of_self().saturating_sub(cpu), time: start.elapsed(), bytes })
}

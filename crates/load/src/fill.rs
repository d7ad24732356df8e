//! Writes a world's posts, deletions and mutes through the ports. Follows are the wiring's business, since a backend
//! loads many of them in its own way.

use crate::broken;
use crate::tasks::in_flight;
use crate::world::{PastPost, World};
use guanxi_centers::Ports;
use guanxi_model::limits::{BATCH_MAX, IMPORT_POSTS_MAX};
use guanxi_model::post::{Body, ImportPost, PostCommand};
use guanxi_model::{Command, Error, Op, PairCommand, Result, Write};
use guanxi_ports::Applied;

/// Deletions in flight: they share commits.
const DELETES_IN_FLIGHT: usize = 512;
/// Import batches in flight.
const IMPORTS_IN_FLIGHT: usize = 3;

/// Writes everything but follows.
///
/// # Errors
/// The first failed write.
pub async fn fill(backend: &Ports, world: &World) -> Result<()> {
    import(backend, world).await?;
    delete(backend, world).await?;
    mute(backend, world).await
}

async fn import(backend: &Ports, world: &World) -> Result<()> {
    let batch = |first: u32| {
        let posts = first..(first + IMPORT_POSTS_MAX).min(world.posts);
        let posts = posts.map(|number| import_of(world, &world.post(number))).collect();
        write_posts(backend, Write::of(Command::ImportPosts(posts)))
    };
    let batches = (0..world.posts).step_by(IMPORT_POSTS_MAX as usize).map(batch);
    in_flight(IMPORTS_IN_FLIGHT, batches).await.map(drop)
}

/// A write of posts, for a task of its own; each of its commands must change something.
fn write_posts(backend: &Ports, write: Write) -> impl Future<Output = Result<()>> + Send + use<> {
    let port = backend.store.clone();
    async move {
        let written = port.apply(write).await?;
        match written.outcomes.iter().find(|outcome| outcome.result() != Ok(true)) {
            Some(outcome) => Err(broken(format_args!("a post of the world came to {outcome:?}"))),
            None => Ok(()),
        }
    }
}

/// Answers the first refusal of a write.
///
/// # Errors
/// Such a one.
pub fn written(applied: &Applied) -> Result<()> {
    applied.outcomes.iter().try_for_each(|outcome| outcome.result().map(drop).map_err(Error::new))
}

fn import_of(world: &World, post: &PastPost) -> ImportPost {
    ImportPost {
        id: None,
        key: post.number.to_string(),
        author: world.uid(post.author),
        at_ms: post.at_ms,
        body: Body { text: world.text(post.number), attachments: Vec::new() },
        visibility: guanxi_model::Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    }
}

async fn delete(backend: &Ports, world: &World) -> Result<()> {
    let deleted = (0..world.posts).map(|number| world.post(number)).filter(|post| post.deleted);
    let deletions = deleted.map(|post| {
        let command = PostCommand::Delete { author: world.uid(post.author), id: world.post_id(&post) };
        write_posts(backend, Write::of(command))
    });
    in_flight(DELETES_IN_FLIGHT, deletions).await.map(drop)
}

async fn mute(backend: &Ports, world: &World) -> Result<()> {
    let readers = (0..world.classes.len()).flat_map(|class| world.readers(class));
    let commands: Vec<PairCommand> = readers
        .flat_map(|reader| {
            let subject = world.uid(reader);
            let muted = world.muted(reader).into_iter();
            muted.map(move |author| PairCommand { op: Op::Mute, subject, object: world.uid(author) })
        })
        .collect();
    for commands in commands.chunks(BATCH_MAX as usize) {
        written(&backend.store.apply(Write::all(commands.to_vec())).await?)?;
    }
    Ok(())
}

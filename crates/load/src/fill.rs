//! Writes a world's posts, deletions and mutes through the ports. Follows are the wiring's business, since a backend
//! loads many of them in its own way.

use crate::world::{PastPost, World};
use guanxi_centers::Ports;
use guanxi_model::limits::{BATCH_MAX, IMPORT_POSTS_MAX};
use guanxi_model::post::{Body, ImportPost, PostCommand};
use guanxi_model::{Command, Error, Op, PairCommand, Reason, Result, Write};
use guanxi_ports::Applied;
use std::collections::VecDeque;
use tokio::task::JoinHandle;

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
    let mut flight: VecDeque<JoinHandle<Result<Applied>>> = VecDeque::new();
    let mut next = 0;
    while next < world.posts || !flight.is_empty() {
        if next < world.posts && flight.len() < IMPORTS_IN_FLIGHT {
            let end = (next + IMPORT_POSTS_MAX).min(world.posts);
            let posts = (next..end).map(|number| import_of(world, &world.post(number))).collect();
            let port = backend.posts.clone();
            let write = Write::of(Command::ImportPosts(posts));
            flight.push_back(tokio::spawn(async move { port.apply(write).await }));
            next = end;
        } else if let Some(answer) = flight.pop_front() {
            all_changed(&joined(answer.await)?)?;
        }
    }
    Ok(())
}

fn import_of(world: &World, post: &PastPost) -> ImportPost {
    ImportPost {
        key: post.number.to_string(),
        author: world.uid(post.author),
        at_ms: post.at_ms,
        body: Body { text: world.text(post.number), attachments: Vec::new() },
        visibility: guanxi_model::Visibility::Public,
        reply_to: None,
        repost_of: None,
    }
}

async fn delete(backend: &Ports, world: &World) -> Result<()> {
    let mut flight: VecDeque<JoinHandle<Result<Applied>>> = VecDeque::new();
    let deleted = (0..world.posts).map(|number| world.post(number)).filter(|post| post.deleted);
    for post in deleted {
        if flight.len() == DELETES_IN_FLIGHT
            && let Some(answer) = flight.pop_front()
        {
            all_changed(&joined(answer.await)?)?;
        }
        let command = PostCommand::Delete { author: world.uid(post.author), id: world.post_id(&post) };
        let port = backend.posts.clone();
        let write = Write::of(command);
        flight.push_back(tokio::spawn(async move { port.apply(write).await }));
    }
    for answer in flight {
        all_changed(&joined(answer.await)?)?;
    }
    Ok(())
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
        let write = Write::all(commands.to_vec());
        let answer = backend.graph.apply(write).await?;
        if answer.outcomes.iter().any(|outcome| outcome.result().is_err()) {
            return Err(Error::with_detail(Reason::Internal, "a mute was refused"));
        }
    }
    Ok(())
}

fn all_changed(answer: &Applied) -> Result<()> {
    let refused = answer.outcomes.iter().find(|outcome| outcome.result() != Ok(true));
    refused.map_or(Ok(()), |outcome| {
        Err(Error::with_detail(Reason::Internal, format!("a post of the world came to {outcome:?}")))
    })
}

/// A panic of a task is an error of the run.
pub(crate) fn joined<T>(joined: std::result::Result<Result<T>, tokio::task::JoinError>) -> Result<T> {
    joined.unwrap_or_else(|error| Err(Error::with_detail(Reason::Internal, error.to_string())))
}

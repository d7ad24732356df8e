//! What follows from likes and posts in the shard of the post that they are about.

use crate::cells::{LikeRow, NotFetched, ReferenceRow, Rows};
use guanxi_model::{Event, EventAt, PostId, Stamp, Uid};

/// A post that answers or shares another, as it is since its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Referring {
    /// Which.
    pub id: PostId,
    /// What it answers or shares.
    pub original: PostId,
    /// Its author.
    pub author: Uid,
    /// What it is to it, as a column has it.
    pub kind: i16,
    /// Whether it is a reply.
    pub is_reply: bool,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// Takes in that somebody likes a post since a time, or does not any more. It counts for every state of the post.
pub(super) fn derive_like(
    rows: &mut Rows,
    event: Event,
    id: PostId,
    since: Option<Stamp>,
) -> Result<(), NotFetched> {
    let home = id.gene();
    rows.enter(home);
    rows.shards.observe(home, event.version);
    let key = (id, event.subject);
    let before = *rows.posts.likers.get(key)?;
    if before.version >= event.version {
        return Ok(());
    }
    let (at, active) = (since.unwrap_or(before.at), since.is_some());
    *rows.posts.likers.change(key)? = LikeRow { at, version: event.version, active };
    step(&mut rows.posts.stats.change(id)?.likes, before.active, active);
    echo(rows, event, id);
    Ok(())
}

/// Takes in a change of a post that answers or shares another: it is counted while it is not deleted.
pub(super) fn derive_reference(rows: &mut Rows, event: Event, post: Referring) -> Result<(), NotFetched> {
    let Referring { id, original, kind, is_reply, deleted, .. } = post;
    let home = original.gene();
    rows.enter(home);
    rows.shards.observe(home, event.version);
    let key = (original, id);
    let before = *rows.posts.references.get(key)?;
    if before.version >= event.version {
        return Ok(());
    }
    *rows.posts.references.change(key)? = ReferenceRow { kind, version: event.version, active: !deleted };
    if before.active == deleted {
        let stats = rows.posts.stats.change(original)?;
        let count = if is_reply { &mut stats.replies } else { &mut stats.reposts };
        step(count, before.active, !deleted);
    }
    let at = echo(rows, event, original);
    rows.shards.tell_original(at, original);
    Ok(())
}

/// Counts one more, or one less.
fn step(count: &mut u64, before: bool, after: bool) {
    *count = (*count + u64::from(after)).saturating_sub(u64::from(before));
}

/// Tells of the event in the log of the shard that it arrives in.
fn echo(rows: &mut Rows, event: Event, of: PostId) -> EventAt {
    rows.shards.log(of.gene(), Event { echo: Some(event.at), ..event }, None)
}

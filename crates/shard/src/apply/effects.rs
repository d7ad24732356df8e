//! What follows from one event in the shard of the other user.
//!
//! Each row has the version of the fact that it follows from, and the newer wins; the receiving clock moves past it. What
//! arrives is an event of the receiving log: an echo, which names where it came from. Some events are commands, too: they change
//! facts of the shard that they arrive in, whose own events tell of it. A block ends the other's follow and requests, and takes
//! the blocker out of the other's groups. For requests and friendships see [`requests`](super::requests).

use super::posts::{derive_like, derive_reference};
use super::{Minter, Referring, requests};
use crate::cells::{FanRow, MirrorRow, NotFetched, Rows, Told};
use guanxi_model::event::PairChange;
use guanxi_model::plan::{EventRows as _, Planner};
use guanxi_model::{Change, Event, Op, RequestKind, Stamp, Uid};

/// Returns whether an event parts two users.
pub const fn parts(event: &Event) -> bool {
    matches!(event.change, Change::Pair { kind: PairChange::Blocked { .. }, .. })
}

/// An event, whom it concerns, and its post if it is of one that answers or shares another.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// The event.
    pub event: Event,
    /// Whose shard takes it in.
    pub other: Uid,
    /// Its post.
    pub post: Option<Referring>,
    /// What it tells beside itself.
    pub told: Told,
}

/// Takes an event in, in the shard of a user whom it concerns.
pub fn derive(rows: &mut Rows, arriving: Arriving, now_ms: u64) -> Result<(), NotFetched> {
    let Arriving { event, post, .. } = arriving;
    match event.change {
        Change::Pair { .. } => derive_pair(rows, arriving, now_ms),
        Change::Liked { id, at, .. } => derive_like(rows, event, id, Some(at)),
        Change::Unliked { id, .. } => derive_like(rows, event, id, None),
        Change::Post { .. } => post.map_or(Ok(()), |post| derive_reference(rows, event, post)),
        // Of a domain whose rows are not in the shards yet.
        _ => Ok(()),
    }
}

/// Returns whether nothing that is as new as an event stands in the shard of whom it concerns. One of which only an echo
/// stands there is never missed.
fn is_missed(rows: &Rows, arriving: &Arriving) -> Result<bool, NotFetched> {
    let Arriving { event, other, post, told } = arriving;
    let (pair, version) = ((*other, event.subject), event.version);
    Ok(match event.change {
        Change::Pair { kind, .. } => match kind {
            PairChange::Followed { .. } | PairChange::Unfollowed => rows.fans.get(pair)?.version < version,
            PairChange::Blocked { .. } | PairChange::Unblocked => {
                rows.blocked_by.get(pair)?.version < version
            }
            PairChange::Requested { .. } => requests::is_awaited(rows, pair, *told)?,
            PairChange::RequestEnded { .. } => {
                requests::is_of(rows, pair, told.request)? || requests::grants_replaced(rows, pair, *told)?
            }
            PairChange::Muted { .. } | PairChange::Unmuted => false,
        },
        Change::Liked { id, .. } | Change::Unliked { id, .. } => {
            rows.posts.likers.get((id, event.subject))?.version < version
        }
        Change::Post { .. } => match post {
            // One that a check has mended has no newer version: it is as the post is.
            Some(post) => {
                let row = rows.posts.references.get((post.original, post.id))?;
                row.version < version && row.active == post.deleted
            }
            None => false,
        },
        _ => false,
    })
}

/// Takes an event in that was passed over, unless what is newer stands there; returns whether it did. What it commands is not
/// done to a follow that began after it: of that only a block that stands is the end, which is for others to find.
pub fn derive_late(rows: &mut Rows, arriving: Arriving, now_ms: u64) -> Result<bool, NotFetched> {
    if !is_missed(rows, &arriving)? {
        return Ok(false);
    }
    let Arriving { event, other, .. } = arriving;
    let Change::Pair { kind, cause, .. } = event.change else {
        derive(rows, arriving, now_ms)?;
        return Ok(true);
    };
    let (pair, version) = ((other, event.subject), event.version);
    let follow = *rows.follows.get(pair)?;
    let is_outlived = follow.active && follow.version > version;
    match kind {
        PairChange::Unfollowed if is_outlived && cause == Op::RemoveFriend => {
            rows.enter(other.gene());
            rows.shards.observe(other.gene(), version);
            rows.change_fan(pair, |row| (row.version, row.active) = (version, false))?;
            befriend(rows, pair, None)?;
            echo(rows, event, event.change);
        }
        PairChange::Blocked { .. } if is_outlived => {
            rows.enter(other.gene());
            rows.shards.observe(other.gene(), version);
            *rows.blocked_by.change(pair)? = MirrorRow { version, active: true };
            rows.users.change(other)?.blocked_seq = rows.shards.seq(other.gene()) + 1;
            echo(rows, event, event.change);
        }
        _ => derive(rows, arriving, now_ms)?,
    }
    Ok(true)
}

/// Takes in what a user has said about another.
fn derive_pair(rows: &mut Rows, arriving: Arriving, now_ms: u64) -> Result<(), NotFetched> {
    let Arriving { event, other, told, .. } = arriving;
    let Change::Pair { kind, cause, .. } = event.change else { return Ok(()) };
    let (pair, home) = ((other, event.subject), other.gene());
    rows.enter(home);
    let mut minter = Minter::new(rows, other, now_ms);
    rows.shards.observe(home, event.version);
    match kind {
        PairChange::Followed { at, .. } if rows.fans.get(pair)?.version < event.version => {
            requests::before_followed(rows, pair, (told, cause), &mut minter)?;
            let version = event.version;
            rows.change_fan(pair, |row| *row = FanRow { at, version, active: true })?;
            let mutual = befriend(rows, pair, Some(at))?;
            requests::forget_rejection(rows, pair, version)?;
            let kind = PairChange::Followed { at, mutual };
            echo(rows, event, Change::Pair { object: other, kind, cause });
        }
        PairChange::Unfollowed if rows.fans.get(pair)?.version < event.version => {
            rows.change_fan(pair, |row| (row.version, row.active) = (event.version, false))?;
            befriend(rows, pair, None)?;
            echo(rows, event, event.change);
            if cause == Op::RemoveFriend {
                unfollow(rows, pair, (told, cause), &mut minter)?;
            }
        }
        PairChange::Blocked { .. } | PairChange::Unblocked
            if rows.blocked_by.get(pair)?.version < event.version =>
        {
            let active = matches!(kind, PairChange::Blocked { .. });
            *rows.blocked_by.change(pair)? = MirrorRow { version: event.version, active };
            rows.users.change(other)?.blocked_seq = rows.shards.seq(home) + 1;
            echo(rows, event, event.change);
            if active {
                leave_nothing(rows, pair, (told, cause), &mut minter)?;
                Planner::new(rows, now_ms).leave_groups(pair.0, pair.1)?;
            }
        }
        PairChange::Muted { .. } | PairChange::Unmuted => echo(rows, event, event.change),
        PairChange::Requested { expires_ms, .. } => {
            requests::waits(rows, pair, told, (event.version, expires_ms))?;
            echo(rows, event, event.change);
        }
        PairChange::RequestEnded { kind } => {
            let was_sent = requests::over(rows, pair, told, event.version)?;
            echo(rows, event, event.change);
            // Also where no follow begins by it, since the two were parted meanwhile: who has let the other follow knows nothing of that.
            if accepts(cause) {
                requests::no_longer_rejected(rows, pair)?;
            }
            if kind == RequestKind::Friend && accepts(cause) {
                requests::forget_rejection(rows, pair, event.version)?;
            }
            if !accepts(cause) {
                return Ok(());
            }
            if was_sent || requests::grants_replaced(rows, pair, told)? {
                // A user that answers by asking for the same follows, too: that comes with the next event.
                let is_mutual = kind == RequestKind::Friend && cause == Op::SendFriendRequest;
                requests::begin(rows, pair, (told, cause, is_mutual), &mut minter)?;
            } else if let Some(expected) = told.edge {
                requests::never_begins(rows, pair, expected, &mut minter)?;
            }
        }
        // Older than what is known.
        _ => {}
    }
    Ok(())
}

/// Returns whether a request that ends by an operation of the receiver is granted by it.
const fn accepts(cause: Op) -> bool {
    matches!(cause, Op::AcceptFriendRequest | Op::ApproveFollow | Op::ApproveUnlocked | Op::SendFriendRequest)
}

/// Marks that two are friends, or not any more, at the user who follows back. Returns whether it does.
pub fn befriend(rows: &mut Rows, pair: (Uid, Uid), since: Option<Stamp>) -> Result<bool, NotFetched> {
    let follow = *rows.follows.get(pair)?;
    if !follow.active {
        return Ok(false);
    }
    let friend_at = since.map(|at| at.max(follow.at));
    if friend_at != follow.friend_at {
        rows.change_follow(pair, |row| row.friend_at = friend_at)?;
    }
    Ok(true)
}

/// Leaves nothing with a blocker: the follow of it ends, and so does the request to it. A follow that was expected of it, and that
/// has not begun, is none.
fn leave_nothing(
    rows: &mut Rows,
    pair: (Uid, Uid),
    (told, cause): (Told, Op),
    minter: &mut Minter,
) -> Result<(), NotFetched> {
    unfollow(rows, pair, (told, cause), minter)?;
    rows.end_asked(pair, |rows| (minter.version(rows, pair.0, told.end), cause))?;
    if rows.fans.get(pair)?.active {
        rows.change_fan(pair, |row| row.active = false)?;
    }
    Ok(())
}

/// Ends the follow of a user of the shard whose object blocks it, and its request to that user.
pub fn part(rows: &mut Rows, pair: (Uid, Uid), now_ms: u64) -> Result<(), NotFetched> {
    let mut minter = Minter::new(rows, pair.0, now_ms);
    leave_nothing(rows, pair, (Told::default(), Op::Block), &mut minter)
}

/// Ends the follow of a user of the shard.
fn unfollow(
    rows: &mut Rows,
    pair: (Uid, Uid),
    (told, cause): (Told, Op),
    minter: &mut Minter,
) -> Result<(), NotFetched> {
    let known = *rows.follows.get(pair)?;
    if !known.active {
        return Ok(());
    }
    let version = minter.end_version(rows, pair.0, (told.edge, known.version));
    rows.change_follow(pair, |row| {
        (row.version, row.active, row.friend_at) = (version, false, None);
    })?;
    let kind = PairChange::Unfollowed;
    rows.log(version, pair.0, Change::Pair { object: pair.1, kind, cause });
    Ok(())
}

/// Tells of the event in the log of the shard that it arrives in.
fn echo(rows: &mut Rows, event: Event, change: Change) {
    let Change::Pair { object, .. } = change else { return };
    rows.shards.log(object.gene(), Event { change, echo: Some(event.at), ..event }, None);
}

//! Requests between users of different shards.
//!
//! A request is a fact in the shard of its receiver, which alone decides its end. The shard of its sender has a row `sent`,
//! which holds a place there. Both know the request by its mark, which the sender's shard mints. Of two users a and b:
//!
//! - a *asks* b: the plan in a's shard knows everything that refuses, for blocks and rejections are in both shards before they are
//!   answered. It reserves a place: the row is there and does not wait yet. Then b's shard, having taken in a's log that far, looks
//!   again and [stores the request](crate::meet), and its event turns the row to one that waits. If it refuses, the place is given
//!   back. The follower of the logs releases an abandoned reservation, after b's log was taken in: so a request that b's shard has
//!   stored is kept.
//! - b *decides*: the plan is in b's shard. Its event ends the row; if it grants the request, a's follow begins with that, unless
//!   one of the two blocks the other by then: the place was held by the row.
//! - a *takes it back*: decided in b's shard, as every end of the request.
//! - what a does that fulfils or forbids its own request (it follows b, or blocks it) gives the place back at once, and b's shard
//!   ends the request when the event arrives. An event about another mark than that of the row finds nothing to change.
//! - a *replaces* its request to follow b by one to be friends: the row has the new mark from then on. What b grants of the old one
//!   meanwhile begins the follow nevertheless.
//! - two users *cross* who ask each other to be friends at once: a request that arrives at a user that asks itself is granted as
//!   it comes, and the follow of that user begins, too. So is a request to follow that meets the other's request to be friends.
//!
//! Every operation is in both shards before it is answered, in each mode of carrying events.

use super::Minter;
use crate::cells::{NotFetched, Pair, Rows, Told};
use guanxi_model::event::PairChange;
use guanxi_model::plan::EventRows as _;
use guanxi_model::{Change, Op, RequestKind, Stamp};

/// A request of a user of the shard waits, as the other's shard says.
pub(super) fn waits(
    rows: &mut Rows,
    pair: Pair,
    told: Told,
    (version, expires_ms): (Stamp, u64),
) -> Result<(), NotFetched> {
    if !is_of(rows, pair, told.request)? {
        return Ok(());
    }
    let at = told.place.unwrap_or(version);
    rows.change_sent(pair, |row| {
        row.waits = true;
        if let Some(asked) = &mut row.asked {
            (asked.at, asked.expires_ms) = (at, expires_ms);
        }
    })
}

/// A request of a user of the shard is over, as the other's shard says in a version. Returns whether it was not known to be.
///
/// A rejection is forgotten that is older than the follow of the user, which may have begun before this arrives: of one that has
/// ended by now its place tells since when it was. So both shards keep the same ones.
pub(super) fn over(rows: &mut Rows, pair: Pair, told: Told, version: Stamp) -> Result<bool, NotFetched> {
    let was_sent = is_of(rows, pair, told.request)?;
    if was_sent {
        rows.change_sent(pair, |row| row.asked = None)?;
    }
    let follow = *rows.follows.get(pair)?;
    let followed_at = if follow.active { follow.version } else { follow.at };
    if told.cooling_ms.is_some() && followed_at < version {
        rows.sent.change(pair)?.cooling_ms = told.cooling_ms;
    }
    Ok(was_sent)
}

/// Returns whether a request of a user of the shard has a mark, and does not wait yet.
pub(super) fn is_awaited(rows: &Rows, pair: Pair, told: Told) -> Result<bool, NotFetched> {
    Ok(!rows.sent.get(pair)?.waits && is_of(rows, pair, told.request)?)
}

/// Returns whether the request that a user of the shard has sent has a mark.
pub(super) fn is_of(rows: &Rows, pair: Pair, mark: Option<Stamp>) -> Result<bool, NotFetched> {
    let sent = rows.sent.get(pair)?;
    Ok(sent.asked.as_ref().is_some_and(|asked| Some(asked.mark) == mark))
}

/// Returns whether a user lets one of the shard follow for a request that this one has replaced meanwhile. Then the row has
/// the place of a request to be friends, which the other's shard has not stored yet, and the mark of the replaced one is
/// lower. That shard notes the follow as it grants the request, so that the follow begins here. The place stays: the request
/// to be friends is decided after that.
pub(super) fn grants_replaced(rows: &Rows, pair: Pair, told: Told) -> Result<bool, NotFetched> {
    let sent = rows.sent.get(pair)?;
    let reserved = sent.asked.as_ref().filter(|asked| !sent.waits && asked.kind == RequestKind::Friend);
    Ok(told.edge.is_some()
        && reserved.is_some_and(|asked| told.request.is_some_and(|mark| mark < asked.mark)))
}

/// A user lets a user of the shard follow whose request this shard does not know any more: the request has ended by a later act of
/// its sender. The other's shard expects the follow in a version, and counts it already. A newer version says that there is no such
/// follow.
pub(super) fn never_begins(
    rows: &mut Rows,
    pair: Pair,
    expected: Stamp,
    minter: &mut Minter,
) -> Result<(), NotFetched> {
    let follow = *rows.follows.get(pair)?;
    if follow.active || follow.version >= expected {
        return Ok(());
    }
    rows.shards.observe(pair.0.gene(), expected);
    let version = minter.version(rows, pair.0, None);
    rows.change_follow(pair, |row| row.version = version)?;
    let kind = PairChange::Unfollowed;
    rows.log(version, pair.0, Change::Pair { object: pair.1, kind, cause: Op::Unfollow });
    Ok(())
}

/// A user of the shard is followed: what the other has asked of it is over, if that is fulfilled.
pub(super) fn before_followed(
    rows: &mut Rows,
    pair: Pair,
    (told, cause): (Told, Op),
    minter: &mut Minter,
) -> Result<(), NotFetched> {
    let asked = rows.requests.get(pair)?.asked.as_ref().map(|asked| asked.kind);
    let is_fulfilled = match asked {
        None => false,
        Some(RequestKind::Follow) => true,
        Some(RequestKind::Friend) => rows.follows.get(pair)?.active,
    };
    if is_fulfilled {
        rows.end_asked(pair, |rows| (minter.version(rows, pair.0, told.end), cause))?;
    }
    Ok(())
}

/// Forgets the rejection of another by a user of the shard from before a version: the other follows the user since then, or has
/// accepted its request to be friends.
pub(super) fn forget_rejection(rows: &mut Rows, pair: Pair, version: Stamp) -> Result<(), NotFetched> {
    if rows.requests.get(pair)?.past.is_some() {
        rows.requests.change(pair)?.forget_rejection(version);
    }
    Ok(())
}

/// The other user has let a user of the shard follow, or comes to be followed by it: the other's rejection of it is
/// forgotten.
pub(super) fn no_longer_rejected(rows: &mut Rows, pair: Pair) -> Result<(), NotFetched> {
    if rows.sent.get(pair)?.cooling_ms.is_some() {
        rows.sent.change(pair)?.cooling_ms = None;
    }
    Ok(())
}

/// A user of the shard follows another, as it has asked to; whether the other is known to follow, too, before its event says so.
pub fn begin(
    rows: &mut Rows,
    pair: Pair,
    (told, cause, is_mutual): (Told, Op, bool),
    minter: &mut Minter,
) -> Result<(), NotFetched> {
    no_longer_rejected(rows, pair)?;
    let is_parted = rows.blocks.get(pair)?.active || rows.blocked_by.get(pair)?.active;
    if is_parted || rows.follows.get(pair)?.active {
        return Ok(());
    }
    let fan = *rows.fans.get(pair)?;
    if fan.active {
        rows.end_asked(pair, |rows| (minter.version(rows, pair.0, told.end), cause))?;
    }
    let version = minter.version(rows, pair.0, told.edge);
    let friend_at = fan.active.then(|| fan.at.max(version));
    rows.change_follow(pair, |row| {
        (row.at, row.version, row.active, row.friend_at) = (version, version, true, friend_at);
    })?;
    let kind = PairChange::Followed { at: version, mutual: fan.active || is_mutual };
    rows.log(version, pair.0, Change::Pair { object: pair.1, kind, cause });
    Ok(())
}

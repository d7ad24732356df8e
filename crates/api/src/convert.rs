//! Proto to model and back: ids, times, relations, pages, tokens.

use buffa::{EnumValue, MessageField};
use buffa_types::google::protobuf::{Duration, Timestamp};
use guanxi_centers::ShownCounts;
use guanxi_centers::relation::ListedEdge;
use guanxi_model::{
    Edge, Error, EventAt, LogId, Page, PageStart, Position, Reason, Relation, RelationState, RequestKind,
    Result, Stamp, Uid,
};
use guanxi_proto::v1::{self, relation::Request, relation::State};

use crate::page_token::{ListScope, ListTokens};
pub(crate) use guanxi_rim::{optional, required};

/// A time in a message, stored in place.
pub type Time = MessageField<Timestamp, buffa::Inline<Timestamp>>;

/// A required list of ids, at most `limit`.
pub(crate) fn required_list(raw: &[u64], field: &'static str, limit: u32) -> Result<Vec<Uid>> {
    if raw.is_empty() {
        return Err(Error::new(Reason::MissingField { field }));
    }
    // Before the conversion: nothing is done for a batch that is refused anyway.
    if raw.len() > limit as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit }));
    }
    raw.iter().map(|&uid| Uid::new(uid)).collect()
}

/// A consistency token; empty is an absent one.
pub(crate) fn at_least(token: &str) -> Result<Option<Position>> {
    if token.is_empty() { Ok(None) } else { Position::from_token(token).map(Some) }
}

/// A stamp as a time. The counter below the millisecond goes into the nanoseconds, where it keeps the order.
pub fn time(stamp: Stamp) -> Timestamp {
    let ms = stamp.ms();
    let counter = stamp.raw() & 0xffff;
    Timestamp {
        seconds: i64::try_from(ms / 1_000).unwrap_or(i64::MAX),
        nanos: ((ms % 1_000) * 1_000_000 + counter) as i32,
        ..Default::default()
    }
}

/// A time as the stamp it was made from; `None` when it is none of ours.
pub fn stamp(time: &Timestamp) -> Option<Stamp> {
    stamp_of(time.seconds, time.nanos)
}

/// The same of a time's two numbers.
pub(crate) fn stamp_of(seconds: i64, nanos: i32) -> Option<Stamp> {
    let seconds = u64::try_from(seconds).ok()?;
    let nanos = u64::try_from(nanos).ok()?;
    let ms = seconds.checked_mul(1_000)?.checked_add(nanos / 1_000_000)?;
    let counter = nanos % 1_000_000;
    (ms <= Stamp::MAX_MS && counter <= 0xffff).then(|| Stamp::from_raw(Stamp::from_ms(ms).raw() | counter))
}

fn maybe(stamp: Option<Stamp>) -> Time {
    stamp.map_or_else(MessageField::none, |stamp| MessageField::some(time(stamp)))
}

/// A relation to `uid`; the centers have left out what the caller may not see.
pub(crate) fn relation(uid: Uid, relation: &Relation) -> v1::Relation {
    v1::Relation {
        uid: uid.get(),
        state: EnumValue::from(match relation.state() {
            RelationState::None => State::NONE,
            RelationState::Following => State::FOLLOWING,
            RelationState::FollowedBy => State::FOLLOWED_BY,
            RelationState::Mutual => State::MUTUAL,
        }),
        blocking: relation.blocking,
        blocked_by: relation.blocked_by,
        muting: relation.muting,
        follow_time: maybe(relation.following_since),
        friend_time: maybe(relation.friends_since),
        requested: request_shown(relation.requested),
        requested_by: request_shown(relation.requested_by),
    }
}

/// Returns the kind of a request from one user to another, as the wire has it.
pub(crate) fn request_shown(kind: Option<RequestKind>) -> EnumValue<Request> {
    EnumValue::from(match kind {
        None => Request::REQUEST_UNSPECIFIED,
        Some(RequestKind::Follow) => Request::FOLLOW,
        Some(RequestKind::Friend) => Request::FRIEND,
    })
}

/// The same as the model has it; `None` for what is not known here, too.
pub fn request_back(shown: EnumValue<Request>) -> Option<RequestKind> {
    match shown.as_known() {
        Some(Request::FOLLOW) => Some(RequestKind::Follow),
        Some(Request::FRIEND) => Some(RequestKind::Friend),
        Some(Request::REQUEST_UNSPECIFIED) | None => None,
    }
}

/// When something ends by itself, in Unix milliseconds, as the wire has it.
pub(crate) fn until(ms: Option<u64>) -> Time {
    maybe(ms.map(Stamp::from_ms))
}

/// A relation as the model has it.
pub fn relation_back(relation: &v1::Relation) -> Relation {
    let state = relation.state.as_known();
    Relation {
        following_since: relation.follow_time.as_option().and_then(stamp),
        followed_by: matches!(state, Some(State::FOLLOWED_BY | State::MUTUAL)),
        friends_since: relation.friend_time.as_option().and_then(stamp),
        blocking: relation.blocking,
        blocked_by: relation.blocked_by,
        muting: relation.muting,
        requested: request_back(relation.requested),
        requested_by: request_back(relation.requested_by),
    }
}

/// Items of a list.
pub(crate) fn items(items: &[ListedEdge]) -> Vec<v1::ListItem> {
    items
        .iter()
        .map(|ListedEdge { edge, relation: seen, deactivated, terms }| v1::ListItem {
            uid: edge.uid.get(),
            create_time: MessageField::some(time(edge.at)),
            relation: seen
                .as_ref()
                .map_or_else(MessageField::none, |seen| MessageField::some(relation(edge.uid, seen))),
            deactivated: *deactivated,
            reposts_only: terms.reposts_only,
            expire_time: until(terms.until_ms),
        })
        .collect()
}

/// An item as the model has it; `None` when it is none of ours.
pub fn edge_back(item: &v1::ListItem) -> Option<Edge> {
    Some(Edge { at: item.create_time.as_option().and_then(stamp)?, uid: Uid::new(item.uid).ok()? })
}

/// A counter of users or posts, which no number of users on earth lets out of 32 bits; a larger one shows as the largest.
pub(crate) fn counter(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Counters; the centers have left out what the caller may not see.
pub(crate) fn counts(uid: Uid, counts: &ShownCounts) -> v1::Counts {
    v1::Counts {
        uid: uid.get(),
        following: Some(counts.following),
        followers: Some(counter(counts.followers)),
        friends: Some(counts.friends),
        blocks: counts.blocks_and_mutes.map(|(blocks, _)| blocks),
        mutes: counts.blocks_and_mutes.map(|(_, mutes)| mutes),
    }
}

/// The page of a request for a list of users.
///
/// # Errors
/// `PAGE_TOO_LARGE`, `STALE_CURSOR`; `INVALID_FIELD` for an offset beside a page token.
pub(crate) fn edge_page(size: i32, token: &str, offset: u32, tokens: &ListTokens) -> Result<Page> {
    let start = match (token.is_empty(), offset) {
        (true, 0) => PageStart::Newest,
        (true, offset) => PageStart::Offset(offset),
        (false, 0) => PageStart::After(tokens.cursor(token)?),
        (false, _) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
    };
    Page::new(start, size)
}

/// Which list a page token belongs to: the kind of list and whose it is. A token of one list opens no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKey {
    /// The users whom a user follows.
    Following(Uid),
    /// The followers of a user.
    Followers(Uid),
    /// The friends of a user.
    Friends(Uid),
    /// The users whom a user blocks.
    Blocks(Uid),
    /// The users whom a user mutes.
    Mutes(Uid),
    /// The users that the first follows and that follow the second.
    KnownFollowers(Uid, Uid),
    /// The users whom both follow.
    MutualFollowing(Uid, Uid),
}

impl ListKey {
    /// Returns the scope for which its tokens are sealed.
    pub fn scope(self) -> ListScope {
        let (kind, first, second) = match self {
            Self::Following(uid) => (1_u8, uid.get(), 0),
            Self::Followers(uid) => (2, uid.get(), 0),
            Self::Friends(uid) => (3, uid.get(), 0),
            Self::Blocks(uid) => (4, uid.get(), 0),
            Self::Mutes(uid) => (5, uid.get(), 0),
            Self::KnownFollowers(viewer, target) => (6, viewer.get(), target.get()),
            Self::MutualFollowing(subject, object) => (7, subject.get(), object.get()),
        };
        ListScope::new(kind, first, second)
    }
}

/// Milliseconds as a duration.
pub fn duration(ms: u64) -> Duration {
    Duration {
        seconds: i64::try_from(ms / 1_000).unwrap_or(i64::MAX),
        nanos: i32::try_from(ms % 1_000).unwrap_or_default() * 1_000_000,
        ..Default::default()
    }
}

/// A duration of seconds and nanoseconds in milliseconds, cut to whole ones.
///
/// # Errors
/// `INVALID_FIELD` for a negative one, or one that does not fit.
pub(crate) fn milliseconds(given: Option<(i64, i32)>, usual: u64, field: &'static str) -> Result<u64> {
    let Some((seconds, nanos)) = given else { return Ok(usual) };
    let whole = u64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(1_000));
    let ms = whole.zip(u64::try_from(nanos).ok()).and_then(|(ms, nanos)| ms.checked_add(nanos / 1_000_000));
    ms.ok_or(Error::new(Reason::InvalidField { field }))
}

/// The place of an event as the wire has it.
pub(crate) fn place(at: EventAt) -> v1::EventPlace {
    v1::EventPlace { log: u32::from(at.log().0), seq: at.seq() }
}

/// The place of an event as one word of a page token: its log above its number.
pub(crate) fn place_word(at: EventAt) -> u128 {
    u128::from(at.log().0) << 64 | u128::from(at.seq())
}

/// The same back; `None` for a word of no place.
pub(crate) fn place_of_word(word: u128) -> Option<EventAt> {
    let log = u8::try_from(word >> 64).ok()?;
    Some(EventAt::new(LogId(log), word as u64))
}

/// The place of an event as the model has it.
pub fn place_of(place: &v1::EventPlace) -> Result<EventAt> {
    let log = u8::try_from(place.log).map_err(|_| Error::new(Reason::InvalidField { field: "log" }))?;
    Ok(EventAt::new(LogId(log), place.seq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_token::PageTokens;
    use guanxi_model::Cursor;

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn stamps_survive_as_times_and_keep_their_order() {
        let stamps = [0, 1, 0xffff, 0x1_0000, (1_700_000_000_999 << 16) | 0xffff, Stamp::MAX.raw()];
        let mut last = None;
        for raw in stamps {
            let time = time(Stamp::from_raw(raw));
            assert_eq!(stamp(&time), Some(Stamp::from_raw(raw)));
            assert!(last < Some((time.seconds, time.nanos)));
            last = Some((time.seconds, time.nanos));
        }
        let foreign = Timestamp { seconds: 1, nanos: 999_999, ..Default::default() };
        assert_eq!(stamp(&foreign), None);
        assert_eq!(stamp(&Timestamp { seconds: -1, ..Default::default() }), None);
    }

    #[test]
    fn durations_are_whole_milliseconds_and_never_negative() {
        let parse = |seconds, nanos| milliseconds(Some((seconds, nanos)), 7, "cold_after");
        for ms in [0, 1, 999, 1_000, 86_400_123] {
            let shown = duration(ms);
            assert_eq!(parse(shown.seconds, shown.nanos), Ok(ms));
        }
        for bad in [(-1, 0), (0, -1), (i64::MAX, 0)] {
            assert_eq!(parse(bad.0, bad.1).unwrap_err().reason, Reason::InvalidField { field: "cold_after" });
        }
        assert_eq!(milliseconds(None, 7, "cold_after"), Ok(7));
    }

    #[test]
    fn zero_is_missing_and_too_large_is_out_of_range() {
        assert_eq!(required(0, "subject").unwrap_err().reason, Reason::MissingField { field: "subject" });
        assert_eq!(required(u64::MAX, "subject").unwrap_err().reason, Reason::UidOutOfRange);
        assert_eq!(
            required_list(&[], "objects", 2).unwrap_err().reason,
            Reason::MissingField { field: "objects" }
        );
        assert_eq!(
            required_list(&[0; 3], "objects", 2).unwrap_err().reason,
            Reason::BatchTooLarge { limit: 2 }
        );
        assert_eq!(required_list(&[1, 0], "objects", 2).unwrap_err().reason, Reason::UidOutOfRange);
    }

    #[test]
    fn a_page_token_opens_only_its_own_list() {
        let cursor = Cursor(Edge { at: Stamp::from_ms(5), uid: uid(9) });
        let of = |key: ListKey| PageTokens::new([7; 32]).of(key.scope(), None);
        let token = of(ListKey::Following(uid(1))).after(Some(cursor));
        assert!(edge_page(0, &token, 0, &of(ListKey::Following(uid(1)))).is_ok());
        for other in [
            ListKey::Following(uid(2)),
            ListKey::Followers(uid(1)),
            ListKey::KnownFollowers(uid(1), uid(2)),
            ListKey::MutualFollowing(uid(1), uid(2)),
        ] {
            let refused = edge_page(0, &token, 0, &of(other)).unwrap_err();
            assert_eq!(refused.reason, Reason::StaleCursor, "{other:?}");
        }
        let both = edge_page(0, &token, 3, &of(ListKey::Following(uid(1)))).unwrap_err();
        assert_eq!(both.reason, Reason::InvalidField { field: "offset" });
    }

    #[test]
    fn counters_stop_at_the_largest() {
        assert_eq!((counter(0), counter(7)), (0, 7));
        assert_eq!((counter(u64::from(u32::MAX)), counter(1 << 32)), (u32::MAX, u32::MAX));
    }

    #[test]
    fn a_relation_survives_the_wire() {
        let full = Relation { blocking: true, blocked_by: true, muting: true, ..Default::default() };
        assert_eq!(relation_back(&relation(uid(2), &full)), full);
    }
}

//! Events in words.

use guanxi_proto::v1;
use guanxi_proto::v1::event::{Cause, Kind};

use crate::texts::Text;
use crate::visit::Visit;

/// Returns the sentence of an event: first its subject, then the other user, the post or the number.
pub(super) fn words(event: &v1::Event) -> Text {
    let is_friend = event.request.as_known() == Some(v1::relation::Request::FRIEND);
    match event.kind.as_known().unwrap_or(Kind::KIND_UNSPECIFIED) {
        Kind::KIND_UNSPECIFIED => Text::EventOther,
        Kind::FOLLOWED => Text::EventFollowed,
        Kind::UNFOLLOWED => Text::EventUnfollowed,
        Kind::BLOCKED => Text::EventBlocked,
        Kind::UNBLOCKED => Text::EventUnblocked,
        Kind::MUTED if event.reposts_only => Text::EventMutedReposts,
        Kind::MUTED => Text::EventMuted,
        Kind::UNMUTED => Text::EventUnmuted,
        Kind::REQUESTED if is_friend => Text::EventAskedFriend,
        Kind::REQUESTED => Text::EventAskedFollow,
        Kind::REQUEST_ENDED if is_friend => Text::EventAskedFriendEnded,
        Kind::REQUEST_ENDED => Text::EventAskedFollowEnded,
        Kind::FOLLOW_LIMIT_CHANGED if event.follow_limit.is_none() => Text::EventLimitDefault,
        Kind::FOLLOW_LIMIT_CHANGED => Text::EventLimit,
        Kind::LIKED => Text::EventLiked,
        Kind::UNLIKED => Text::EventUnliked,
        Kind::GROUP_CREATED => Text::EventGroupCreated,
        Kind::GROUP_UPDATED => Text::EventGroupUpdated,
        Kind::GROUP_MEMBERS_CHANGED => Text::EventGroupMembers,
        Kind::GROUP_AUDIENCE_CHANGED => Text::EventGroupAudience,
        Kind::GROUP_DELETED => Text::EventGroupDeleted,
        Kind::POST_CREATED => Text::EventPostCreated,
        Kind::POST_IMPORTED => Text::EventPostImported,
        Kind::POST_EDITED => Text::EventPostEdited,
        Kind::POST_WIDENED => Text::EventPostWidened,
        Kind::POST_NARROWED => Text::EventPostNarrowed,
        Kind::POST_DELETED => Text::EventPostDeleted,
        Kind::POST_RESTORED => Text::EventPostRestored,
        Kind::POST_PURGED => Text::EventPostPurged,
        Kind::POST_TAKEN_DOWN => Text::EventPostTakenDown,
        Kind::POST_REINSTATED => Text::EventPostReinstated,
        Kind::USER_REGISTERED => Text::EventRegistered,
        Kind::USER_PROFILE_UPDATED => Text::EventProfile,
        Kind::USER_PRIVACY_SET => Text::EventPrivacy,
        Kind::USER_PASSWORD_SET => Text::EventPassword,
        Kind::USER_DEACTIVATED => Text::EventDeactivated,
        Kind::USER_REACTIVATED => Text::EventReactivated,
        Kind::USER_TAKEN_DOWN => Text::EventUserTakenDown,
        Kind::USER_REINSTATED => Text::EventUserReinstated,
        Kind::USER_PHONE_SET => Text::EventPhone,
        Kind::USER_EMAIL_SET => Text::EventEmail,
        Kind::USER_EXTERNAL_ID_ASSIGNED => Text::EventExternalId,
        Kind::USER_DELETED => Text::EventDeleted,
        Kind::USER_ERASED => Text::EventErased,
        Kind::USER_SIGNED_OUT => Text::EventSignedOut,
        Kind::USER_LOGGED_IN => Text::EventLoggedIn,
        Kind::USER_SESSION_ENDED => Text::EventSessionEnded,
    }
}

/// Returns what caused a change of a pair, where the sentence does not say so: the call, by its name, or what ended by itself.
pub(super) fn cause(visit: &Visit, event: &v1::Event) -> Option<String> {
    let call = match event.cause.as_known()? {
        Cause::REQUEST_EXPIRED => return Some(visit.say(Text::CauseRequestExpired).to_owned()),
        Cause::MUTE_EXPIRED => return Some(visit.say(Text::CauseMuteExpired).to_owned()),
        Cause::UNLOCKED => return Some(visit.say(Text::CauseUnlocked).to_owned()),
        Cause::CAUSE_UNSPECIFIED | Cause::UNFOLLOW | Cause::UNBLOCK | Cause::MUTE | Cause::UNMUTE => {
            return None;
        }
        Cause::FOLLOW | Cause::SEND_FRIEND_REQUEST
            if matches!(event.kind.as_known(), Some(Kind::FOLLOWED | Kind::REQUESTED)) =>
        {
            return None;
        }
        Cause::BLOCK if event.kind.as_known() == Some(Kind::BLOCKED) => return None,
        Cause::FOLLOW => "Follow",
        Cause::SEND_FRIEND_REQUEST => "SendFriendRequest",
        Cause::BLOCK => "Block",
        Cause::REMOVE_FOLLOWER => "RemoveFollower",
        Cause::ACCEPT_FRIEND_REQUEST => "AcceptFriendRequest",
        Cause::REJECT_FRIEND_REQUEST => "RejectFriendRequest",
        Cause::CANCEL_FRIEND_REQUEST => "CancelFriendRequest",
        Cause::REMOVE_FRIEND => "RemoveFriend",
        Cause::APPROVE_FOLLOW => "ApproveFollow",
        Cause::REJECT_FOLLOW => "RejectFollow",
    };
    Some(visit.look.fill(Text::EventCause, &[&call]))
}

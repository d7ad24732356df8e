//! The pair table in words: why an operation ends as it does, and what it changes.

use guanxi_model::pair::{Effect, When};
use guanxi_model::{Reason, RequestKind};

use crate::texts::Text;

/// Returns a condition of the table in words.
pub(super) const fn condition(when: When) -> Text {
    use RequestKind::{Follow, Friend};
    match when {
        When::Otherwise | When::NotDue | When::Locked => Text::WhyNothingAgainst,
        When::Follows => Text::WhyFollows,
        When::Followed => Text::WhyFollowed,
        When::NotFollowed => Text::WhyNotFollowed,
        When::Mutual => Text::WhyMutual,
        When::NotMutual => Text::WhyNotMutual,
        When::EitherBlocks => Text::WhyEitherBlocks,
        When::Blocks => Text::WhyBlocks,
        When::NotBlocks => Text::WhyNotBlocks,
        When::Mutes => Text::WhyMutes,
        When::NotMutes => Text::WhyNotMutes,
        When::MutesAtLimit => Text::WhyMutesAtLimit,
        When::Asks(Follow) => Text::WhyAsksFollow,
        When::Asks(Friend) => Text::WhyAsksFriend,
        When::NotAsks(Follow) => Text::WhyNotAsksFollow,
        When::NotAsks(Friend) => Text::WhyNotAsksFriend,
        When::Asked(Follow) => Text::WhyAskedFollow,
        When::Asked(Friend) => Text::WhyAskedFriend,
        When::NotAsked(Follow) => Text::WhyNotAskedFollow,
        When::NotAsked(Friend) => Text::WhyNotAskedFriend,
        When::AskedFollowByFollowed => Text::WhyAskedFollowByFollowed,
        When::AwaitsApproval => Text::WhyAwaitsApproval,
        When::MustWait | When::Cooling => Text::WhyCooling,
        When::MustAsk => Text::WhyMustAsk,
        When::NoPlace => Text::WhyNoPlace,
        When::AtLimit => Text::WhyAtLimit,
    }
}

/// Returns a change in words.
pub(super) const fn effect(effect: Effect) -> Text {
    use RequestKind::{Follow, Friend};
    match effect {
        Effect::Follow => Text::EffectFollow,
        Effect::FollowBack => Text::EffectFollowBack,
        Effect::Unfollow => Text::EffectUnfollow,
        Effect::UnfollowBack => Text::EffectUnfollowBack,
        Effect::Block => Text::EffectBlock,
        Effect::Unblock => Text::EffectUnblock,
        Effect::Mute => Text::EffectMute,
        Effect::Unmute => Text::EffectUnmute,
        Effect::Ask(Follow) => Text::EffectAskFollow,
        Effect::Ask(Friend) => Text::EffectAskFriend,
        Effect::EndRequest(_) => Text::EffectEndRequest,
        Effect::EndRequestBack(_) => Text::EffectEndRequestBack,
    }
}

/// Returns what an end user is told instead, where that is another reason.
pub(super) const fn refusal(reason: &Reason) -> Option<Text> {
    match reason {
        Reason::Blocked => Some(Text::BlockedIsHidden),
        _ => None,
    }
}

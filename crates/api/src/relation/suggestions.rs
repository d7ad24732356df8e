//! Suggestions: reads, and the dismissals that keep a user out of them.

use buffa::{EnumValue, MessageField};
use guanxi_centers::relation::{RelationCenter, SuggestionAsk};
use guanxi_model::limits::{SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX};
use guanxi_model::suggestion::{DismissCommand, SuggestionKind, SuggestionReason};
use guanxi_model::{Error, Reason, RequestKey, Result};
use guanxi_proto::v1::{self, suggestion_reason::Kind};
use guanxi_rim::Caller;

use crate::convert::{at_least, required, time};
use crate::request::request_key;

pub(super) async fn list_suggestions(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListSuggestionsRequestView<'_>,
) -> Result<v1::ListSuggestionsResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let kinds = request.kinds.iter().copied().map(kind_asked).collect::<Result<Vec<_>>>()?;
    let kinds = if kinds.is_empty() { SuggestionKind::ALL.to_vec() } else { kinds };
    let ask = SuggestionAsk { size: size(request.page_size)?, kinds };
    let suggested = center.suggestions(caller.viewer(), viewer, &ask, at_least(request.token)?).await?;
    caller.pay_for_rows(suggested.looked_at);
    let shown = suggested.items.iter().map(|item| v1::Suggestion {
        uid: item.uid.get(),
        reasons: item.reasons.iter().map(reason_shown).collect(),
    });
    Ok(v1::ListSuggestionsResponse {
        suggestions: shown.collect(),
        followed: suggested.followed,
        followed_counted: suggested.followed_counted,
        token: suggested.position.to_token(),
    })
}

pub(super) async fn dismiss_suggestion(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::DismissSuggestionRequestView<'_>,
) -> Result<v1::DismissSuggestionResponse> {
    let (command, key) = dismissal(caller, request.viewer, request.target, request.request_id, true)?;
    let (changed, position) = center.dismiss(command, key).await?;
    Ok(v1::DismissSuggestionResponse { changed: Some(changed), token: position.to_token() })
}

pub(super) async fn undo_dismissal(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::UndoDismissalRequestView<'_>,
) -> Result<v1::UndoDismissalResponse> {
    let (command, key) = dismissal(caller, request.viewer, request.target, request.request_id, false)?;
    let (changed, position) = center.dismiss(command, key).await?;
    Ok(v1::UndoDismissalResponse { changed: Some(changed), token: position.to_token() })
}

pub(super) async fn list_dismissed(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListDismissedRequestView<'_>,
) -> Result<v1::ListDismissedResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let (dismissed, position) = center.dismissed(caller.viewer(), viewer, at_least(request.token)?).await?;
    let shown = dismissed.into_iter().map(|edge| v1::DismissedUser {
        uid: edge.uid.get(),
        dismiss_time: MessageField::some(time(edge.at)),
    });
    Ok(v1::ListDismissedResponse { users: shown.collect(), token: position.to_token() })
}

/// A dismissal, or its end, with its idempotency key.
fn dismissal(
    caller: &Caller,
    viewer: u64,
    target: u64,
    request_id: &str,
    dismissed: bool,
) -> Result<(DismissCommand, Option<RequestKey>)> {
    let viewer = caller.uid(viewer, "viewer")?;
    let uid = required(target, "target")?;
    let key = request_key(caller, viewer, request_id, |hash| {
        hash.name("dismiss").number(viewer.get()).number(uid.get()).number(dismissed.into());
    })?;
    Ok((DismissCommand { viewer, uid, dismissed }, key))
}

/// How many are wanted.
fn size(asked: i32) -> Result<usize> {
    match u32::try_from(asked) {
        Ok(0) => Ok(SUGGESTIONS_DEFAULT as usize),
        Ok(asked) if asked <= SUGGESTIONS_MAX => Ok(asked as usize),
        _ => Err(Error::new(Reason::PageTooLarge { limit: SUGGESTIONS_MAX })),
    }
}

fn kind_asked(kind: EnumValue<Kind>) -> Result<SuggestionKind> {
    match kind.as_known() {
        Some(Kind::FRIENDS_OF_FRIENDS) => Ok(SuggestionKind::FriendsOfFriends),
        Some(Kind::FOLLOWS_YOU) => Ok(SuggestionKind::FollowsYou),
        Some(Kind::POPULAR) => Ok(SuggestionKind::Popular),
        Some(Kind::KIND_UNSPECIFIED) | None => Err(Error::new(Reason::InvalidField { field: "kinds" })),
    }
}

fn reason_shown(reason: &SuggestionReason) -> v1::SuggestionReason {
    let kind = match reason.kind {
        SuggestionKind::FriendsOfFriends => Kind::FRIENDS_OF_FRIENDS,
        SuggestionKind::FollowsYou => Kind::FOLLOWS_YOU,
        SuggestionKind::Popular => Kind::POPULAR,
    };
    v1::SuggestionReason {
        kind: kind.into(),
        count: reason.count,
        uids: reason.uids.iter().map(|uid| uid.get()).collect(),
    }
}

//! The history of a user, as the log has it.

use std::time::{Duration, Instant};

use buffa::{EnumValue, MessageField};
use connectrpc::RequestContext;
use guanxi_centers::operator::{HISTORY_SCAN_MAX, HistoryAsked, HistoryEnd, UserHistory};
use guanxi_model::{Error, EventAt, Reason, Result, Uid};
use guanxi_proto::v1::{self, list_user_events_response::End};

use super::AdminApi;
use crate::convert::{place, place_of_word, place_word, required, time};
use crate::limits::{DEADLINE_DEFAULT, HISTORY_PAGE_DEFAULT, HISTORY_PAGE_MAX};
use crate::page_token::{EDGE_LEN, ListScope, ListTokens};
use crate::relation::events_shown;
use crate::request::ListReader;

/// The kind of the list, for its page tokens.
const LIST_KIND: u8 = 0x56;

/// The rest of a call's deadline when it begins no other window, so that what was found still leaves.
const DEADLINE_MARGIN: Duration = Duration::from_millis(500);

/// Lists what the log tells of a user.
pub(super) async fn list_user_events(
    api: &AdminApi,
    ctx: &RequestContext,
    request: &v1::ListUserEventsRequestView<'_>,
) -> Result<v1::ListUserEventsResponse> {
    let asked_at = Instant::now();
    let uid = required(request.uid, "uid")?;
    let max = match u32::try_from(request.page_size) {
        Ok(0) => HISTORY_PAGE_DEFAULT,
        Ok(max @ ..=HISTORY_PAGE_MAX) => max,
        _ => return Err(Error::new(Reason::PageTooLarge { limit: HISTORY_PAGE_MAX })),
    };
    let scan_max = match request.scan_max {
        0 => HISTORY_SCAN_MAX,
        max @ ..=HISTORY_SCAN_MAX => max,
        _ => return Err(Error::new(Reason::InvalidField { field: "scan_max" })),
    };
    let tokens = ListReader::new(guanxi_rim::caller(ctx)?, &api.pages).page_tokens(scope(uid));
    let below = below(&tokens, request.page_token)?;
    let asked = HistoryAsked { uid, below, max: max as usize, scan_max };
    let deadline = ctx.deadline().unwrap_or(asked_at + DEADLINE_DEFAULT);
    let until = deadline.checked_sub(DEADLINE_MARGIN).unwrap_or(asked_at);
    let found = api.operator.user_history(asked, || Instant::now() >= until).await?;
    Ok(shown(&found, &tokens))
}

fn shown(found: &UserHistory, tokens: &ListTokens) -> v1::ListUserEventsResponse {
    let UserHistory { events, kinds, scanned, reached, end } = found;
    let next = reached.filter(|_| end.goes_on());
    let end = match end {
        HistoryEnd::Full => End::FULL,
        HistoryEnd::Budget => End::BUDGET,
        HistoryEnd::Time => End::TIME,
        HistoryEnd::Trimmed => End::TRIMMED,
        HistoryEnd::Beginning => End::BEGINNING,
    };
    v1::ListUserEventsResponse {
        events: events_shown(events, kinds),
        next_page_token: next.map_or_else(String::new, |event| tokens.seal(place_bytes(event.at))),
        scanned: *scanned,
        end: EnumValue::from(end),
        reached: reached.map_or_else(MessageField::none, |event| MessageField::some(place(event.at))),
        reached_time: reached
            .map_or_else(MessageField::none, |event| MessageField::some(time(event.version))),
    }
}

/// Page tokens are sealed for one user.
fn scope(uid: Uid) -> ListScope {
    ListScope::new(LIST_KIND, uid.get(), 0)
}

fn below(tokens: &ListTokens, token: &str) -> Result<Option<EventAt>> {
    if token.is_empty() {
        return Ok(None);
    }
    let bytes: [u8; EDGE_LEN] = tokens.open(token)?;
    place_of_word(u128::from_be_bytes(bytes)).map(Some).ok_or(Error::new(Reason::StaleCursor))
}

fn place_bytes(at: EventAt) -> [u8; EDGE_LEN] {
    place_word(at).to_be_bytes()
}

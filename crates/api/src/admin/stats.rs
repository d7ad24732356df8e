//! A look at the server.

use buffa::MessageField;
use guanxi_model::{Result, Stamp};
use guanxi_proto::v1;

use super::AdminApi;
use crate::convert::time;

pub(super) async fn stats(api: &AdminApi, _request: &v1::StatsRequestView<'_>) -> Result<v1::StatsResponse> {
    let found = api.operator.stats().await?;
    let small = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX));
    Ok(v1::StatsResponse {
        version: api.version.to_owned(),
        start_time: MessageField::some(time(Stamp::from_ms(found.started_ms))),
        events: Some(found.head.event_count()),
        token: found.head.to_token(),
        connections: small(api.load.connections()),
        calls_in_flight: small(api.load.calls_in_flight()),
        tokens: small(found.tokens),
    })
}

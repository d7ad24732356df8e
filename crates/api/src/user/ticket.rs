//! Tickets of streams.

use buffa::MessageField;
use guanxi_centers::user::UserCenter;
use guanxi_model::{Error, Reason, Result, Stamp};
use guanxi_proto::v1::{self, create_stream_ticket_request::Stream};
use guanxi_rim::rules::TicketStream;
use guanxi_rim::{Caller, Tickets};

use crate::convert::time;

pub(super) async fn create_stream_ticket(
    center: &UserCenter,
    tickets: &Tickets,
    caller: &Caller,
    request: &v1::CreateStreamTicketRequestView<'_>,
) -> Result<v1::CreateStreamTicketResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let stream = match request.stream.as_known() {
        Some(Stream::HOME_TIMELINE) => TicketStream::HomeTimeline,
        Some(Stream::STREAM_UNSPECIFIED) => {
            return Err(Error::new(Reason::MissingField { field: "stream" }));
        }
        None => return Err(Error::new(Reason::InvalidField { field: "stream" })),
    };
    // Whom no stream would open for is told now.
    center.require_not_deleted(uid).await?;
    let (ticket, expires_ms) = tickets.make(caller.proof, uid, stream, caller.expires_ms);
    let expire_time = MessageField::some(time(Stamp::from_ms(expires_ms)));
    Ok(v1::CreateStreamTicketResponse { ticket, expire_time })
}

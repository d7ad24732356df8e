//! Tickets of streams.

use buffa::MessageField;
use guanxi_model::{Error, Reason, Result, Stamp};
use guanxi_proto::v1::{self, create_stream_ticket_request::Stream};

use crate::caller::Caller;
use crate::convert::time;
use crate::ticket::{TicketStream, Tickets};

pub(super) fn create_stream_ticket(
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
    let (ticket, expires_ms) = tickets.make(caller.proof, uid, stream, caller.expires_ms);
    let expire_time = MessageField::some(time(Stamp::from_ms(expires_ms)));
    Ok(v1::CreateStreamTicketResponse { ticket, expire_time })
}

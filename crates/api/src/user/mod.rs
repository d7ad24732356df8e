//! `guanxi.v1.UserService`: from requests to the user center and back, and what lets a program act for one user.

mod read;
pub(crate) mod shape;
mod ticket;
mod write;

use connectrpc::{RequestContext, ServiceRequest, ServiceResult};
use guanxi_centers::user::UserCenter;
use guanxi_proto::v1;

use crate::request::{answer, caller, unary};
use crate::ticket::Tickets;

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct UserApi {
    center: UserCenter,
    tickets: Tickets,
}

impl UserApi {
    pub(crate) const fn new(center: UserCenter, tickets: Tickets) -> Self {
        Self { center, tickets }
    }
}

impl v1::UserService for UserApi {
    unary! {
        read::get_user(GetUserRequest) -> GetUserResponse;
        read::batch_get_users(BatchGetUsersRequest) -> BatchGetUsersResponse;
        read::lookup_user(LookupUserRequest) -> LookupUserResponse;
        write::update_user(UpdateUserRequest) -> WriteUserResponse;
        write::set_privacy(SetPrivacyRequest) -> WriteUserResponse;
    }

    async fn create_stream_ticket(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::CreateStreamTicketRequest>,
    ) -> ServiceResult<v1::CreateStreamTicketResponse> {
        answer(ticket::create_stream_ticket(&self.tickets, caller(&ctx)?, &request))
    }
}

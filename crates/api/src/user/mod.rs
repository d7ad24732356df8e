//! `guanxi.v1.UserService`: from requests to the user center and back, and what lets a program act for one user.

mod account;
mod contacts;
pub(crate) mod export;
pub(crate) mod external_ids;
mod given;
mod password;
mod read;
mod sessions;
pub(crate) mod shape;
mod ticket;
mod write;

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::post::PostCenter;
use guanxi_centers::user::export::UserExports;
use guanxi_centers::user::sessions::SessionCenter;
use guanxi_centers::user::{AccountCenter, ExternalIdCenter, UserCenter};
use guanxi_proto::v1;
use guanxi_rim::errors::to_wire;
use guanxi_rim::{Budgets, Caller, Load, Tickets};

use crate::request::{answer, caller, unary, user_handlers};
use account::Attempts;

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct UserApi {
    center: UserCenter,
    external_ids: ExternalIdCenter,
    accounts: AccountCenter,
    sessions: SessionCenter,
    posts: PostCenter,
    exports: UserExports,
    tickets: Tickets,
    budgets: Arc<Budgets>,
    load: Arc<Load>,
}

impl UserApi {
    pub(crate) fn new(
        center: UserCenter,
        accounts: AccountCenter,
        posts: PostCenter,
        exports: UserExports,
        tickets: Tickets,
        budgets: Arc<Budgets>,
        load: Arc<Load>,
    ) -> Self {
        let (sessions, external_ids) = (accounts.sessions().clone(), accounts.external_ids());
        Self { center, external_ids, accounts, sessions, posts, exports, tickets, budgets, load }
    }

    /// The caller of a call. No list of users or sessions has pages.
    #[expect(clippy::unused_self, reason = "the other services read their key here")]
    fn caller<'a>(&self, ctx: &'a RequestContext) -> Result<&'a Caller, ConnectError> {
        caller(ctx)
    }

    /// Returns the budgets from which attempts to prove a password are paid, the address of this attempt, and the time that
    /// it has left.
    fn attempts(&self, ctx: &RequestContext) -> Attempts<'_> {
        let address = ctx.extensions().get().copied();
        Attempts { budgets: &self.budgets, address, time_left: ctx.time_remaining() }
    }
}

impl v1::UserService for UserApi {
    user_handlers!(unary);

    async fn register(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::RegisterRequest>,
    ) -> ServiceResult<v1::RegisterResponse> {
        answer(account::register(&self.accounts, caller(&ctx)?, ctx.time_remaining(), &request).await)
    }

    async fn set_password(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::SetPasswordRequest>,
    ) -> ServiceResult<v1::SetPasswordResponse> {
        caller(&ctx)?;
        answer(account::set_password(&self.accounts, ctx.time_remaining(), &request).await)
    }

    async fn login(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::LoginRequest>,
    ) -> ServiceResult<v1::LoginResponse> {
        answer(account::login(&self.accounts, self.attempts(&ctx), &request).await)
    }

    async fn change_password(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::ChangePasswordRequest>,
    ) -> ServiceResult<v1::LoginResponse> {
        answer(account::change_password(&self.accounts, caller(&ctx)?, self.attempts(&ctx), &request).await)
    }

    async fn delete_user(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::DeleteUserRequest>,
    ) -> ServiceResult<v1::WriteUserResponse> {
        answer(account::delete_user(&self.accounts, caller(&ctx)?, self.attempts(&ctx), &request).await)
    }

    async fn refresh_session(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::RefreshSessionRequest>,
    ) -> ServiceResult<v1::LoginResponse> {
        answer(sessions::refresh_session(&self.sessions, &request).await)
    }

    async fn export_user(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::ExportUserRequest>,
    ) -> ServiceResult<ServiceStream<v1::ExportUserResponse>> {
        let stream = export::export_user(&self.exports, Arc::clone(&self.load), caller(&ctx)?, &request);
        stream.map(Response::stream).map_err(|error| to_wire(&error))
    }

    async fn create_stream_ticket(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::CreateStreamTicketRequest>,
    ) -> ServiceResult<v1::CreateStreamTicketResponse> {
        answer(ticket::create_stream_ticket(&self.center, &self.tickets, caller(&ctx)?, &request).await)
    }
}

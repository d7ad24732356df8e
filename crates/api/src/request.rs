//! The common parts of the handlers of users' services: the caller, the answer, and the idempotency key.

use std::ops::Deref;

use connectrpc::{ConnectError, RequestContext, Response, ServiceResult};
use guanxi_model::{Error, RequestKey, Result, Uid, check_request_id};
use guanxi_rim::Caller;
use guanxi_rim::errors::to_wire;
use xxhash_rust::xxh3::Xxh3Default;

use crate::page_token::{ListScope, ListTokens, PageTokens};

/// The result of a call, as the wire has it.
pub(crate) fn answer<T>(result: Result<T>) -> ServiceResult<T> {
    match result {
        Ok(body) => Response::ok(body),
        Err(error) => Err(to_wire(&error)),
    }
}

/// The caller of a call that was let in, as handlers ask for it.
pub(crate) fn caller(ctx: &RequestContext) -> std::result::Result<&Caller, ConnectError> {
    guanxi_rim::caller(ctx).map_err(|error: Error| to_wire(&error))
}

/// A caller who reads lists: with what seals the page tokens that it is given.
#[derive(Clone, Copy)]
pub(crate) struct ListReader<'a> {
    caller: &'a Caller,
    pages: &'a PageTokens,
}

impl<'a> ListReader<'a> {
    pub(crate) const fn new(caller: &'a Caller, pages: &'a PageTokens) -> Self {
        Self { caller, pages }
    }

    /// The page tokens of a list, for this caller.
    pub(crate) fn page_tokens(&self, scope: ListScope) -> ListTokens {
        self.pages.of(scope, self.caller.viewer().end_user())
    }
}

impl Deref for ListReader<'_> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        self.caller
    }
}

/// Methods that hand a center, the caller and the request to the function of their name. The center is a field of the
/// service; the caller is what the service's own `caller` makes of it.
macro_rules! unary {
    ($($module:ident::$method:ident(self.$center:ident, $request:ident) -> $response:ident;)*) => {
        $(
            async fn $method(
                &self,
                ctx: connectrpc::RequestContext,
                request: connectrpc::ServiceRequest<'_, v1::$request>,
            ) -> connectrpc::ServiceResult<v1::$response> {
                let caller = self.caller(&ctx)?;
                $crate::request::answer($module::$method(&self.$center, &caller, &request).await)
            }
        )*
    };
}
pub(crate) use unary;

// The lists of methods for `unary!` and for the macros of the operator's service.
include!("gen/handlers.rs");

/// A hash of what is asked under an idempotency key. Remembered requests depend on it: what is already hashed, and in
/// which order, is frozen.
#[derive(Default)]
pub(crate) struct Fingerprint(Xxh3Default);

impl Fingerprint {
    /// Adds the name of what is done.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        self.0.update(name.as_bytes());
        self
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(&number.to_be_bytes());
        self
    }

    /// Adds a text with its length, so that two texts are never taken for two others.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
        self
    }
}

/// The caller's idempotency key for an acting user, with a hash of what is asked under it; `None` without one.
///
/// # Errors
/// `TOO_LONG`.
pub(crate) fn request_key(
    caller: &Caller,
    actor: Uid,
    id: &str,
    fingerprint: impl FnOnce(&mut Fingerprint),
) -> Result<Option<RequestKey>> {
    if id.is_empty() {
        return Ok(None);
    }
    check_request_id(id)?;
    let mut hash = Fingerprint::default();
    fingerprint(&mut hash);
    Ok(Some(caller.request_key(actor, id, hash.0.digest())))
}

//! Operators who come by pages: how they sign in, and the calls that a page makes for them.
//!
//! A page has no way of its own to any data. It calls the services of both listeners in this process. Each call goes through the
//! router of its listener, so rule, budget, slot, deadline and meter are those of a call that comes over the network.
//!
//! On the admin listener an operator calls as itself. On the main listener it calls as a service that may do everything for users,
//! or, if it is an operator who only looks, that may read everything.

mod codes;

use std::sync::Arc;

use guanxi_centers::operator::{AuditAbout, OperatorCenter};
use guanxi_model::{AuditId, AuditOutcome, AuditTarget, Error, Principal, Reason, Result, Scopes};
use guanxi_proto::Client;
use http_body_util::{BodyExt as _, Full};

use crate::auth::Authenticator;
use crate::caller::Caller;
use crate::in_process::boxed;
use crate::peer::CallerAddress;
use crate::rates::Budgets;
use crate::router::Router;
use crate::rules::Access;

pub use codes::Codes;

/// An operator who signed in.
#[derive(Clone, Debug)]
pub struct Operator(Caller);

impl Operator {
    /// Returns the operator when no credential is asked for.
    pub fn anybody() -> Self {
        Self(Caller::anybody(Principal::Admin))
    }

    /// Returns the operator that calls, if the caller is one.
    pub fn of(caller: &Caller) -> Option<Self> {
        caller.enter(Access::AdminRead).is_ok().then(|| Self(caller.clone()))
    }

    /// Returns the name of its credential; empty when no credential is asked for.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns whether it may change anything: an operator who only looks may not.
    pub fn may_change(&self) -> bool {
        self.0.enter(Access::Admin).is_ok()
    }

    /// Returns the caller that it is on the main listener.
    fn for_users(&self) -> Caller {
        let scopes = if self.may_change() { Scopes::all() } else { Scopes::reading() };
        self.0.acting_as(Principal::Service(scopes))
    }
}

/// Clients of both listeners, that call as one operator.
#[derive(Clone, Debug)]
pub struct OperatorCalls {
    /// OperatorCalls the services for users.
    pub main: Client,
    /// OperatorCalls AdminService.
    pub admin: Client,
}

/// Where pages sign operators in and call for them. Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    auth: Authenticator,
    rates: Arc<Budgets>,
    main: Router,
    admin: Router,
    codes: Codes,
    center: OperatorCenter,
}

impl Desk {
    /// Returns a desk over the routers of both listeners. `codes` are those that AdminService makes, and `center` keeps the audit
    /// log.
    pub fn new(main: Router, admin: Router, codes: Codes, center: OperatorCenter) -> Self {
        let (auth, rates) = (admin.auth().clone(), Arc::clone(admin.rates()));
        Self { auth, rates, main, admin, codes, center }
    }

    /// Returns the operator that everybody is when no credential is asked for; `None` otherwise.
    pub fn anybody(&self) -> Option<Operator> {
        matches!(self.auth, Authenticator::Open(_)).then(Operator::anybody)
    }

    /// Returns the operator of a token; `None` if the token is not valid, or not one of an operator.
    ///
    /// # Errors
    /// `RATE_LIMITED` for an address that tries too often; that of the store.
    pub async fn sign_in(&self, token: &str, address: Option<CallerAddress>) -> Result<Option<Operator>> {
        self.rates.unknown(address)?;
        let caller = self.auth.of_token(token).await?;
        Ok(caller.as_ref().and_then(Operator::of))
    }

    /// Uses a one-time code up, and returns the operator that it signs in; `None` if it is not valid.
    ///
    /// # Errors
    /// As [`Self::sign_in`].
    pub async fn redeem(&self, code: &str, address: Option<CallerAddress>) -> Result<Option<Operator>> {
        self.rates.unknown(address)?;
        let Some(operator) = self.codes.redeem(code) else { return Ok(None) };
        Ok(self.is_valid(&operator).await?.then_some(operator))
    }

    /// Returns whether the credential of an operator is still valid.
    ///
    /// # Errors
    /// That of the store, which cannot tell.
    pub async fn is_valid(&self, operator: &Operator) -> Result<bool> {
        self.auth.is_valid(&operator.0).await
    }

    /// Completes when the credential of an operator is gone.
    pub async fn gone(&self, operator: &Operator) {
        self.auth.gone(&operator.0).await;
    }

    /// Returns the clients that call as an operator.
    pub fn calls(&self, operator: &Operator) -> OperatorCalls {
        OperatorCalls {
            main: client(&self.main, operator.for_users()),
            admin: client(&self.admin, operator.0.clone()),
        }
    }

    /// Returns random bits for the secret of a session.
    pub fn random_bits(&self) -> [u8; 32] {
        self.center.random_bits()
    }

    /// Notes in the audit log that an operator begins to look at something, or to change it by a call of the main listener. OperatorCalls of
    /// AdminService are noted by themselves.
    ///
    /// # Errors
    /// That of the store. Then it is not to be done.
    pub async fn begin_note(
        &self,
        operator: &Operator,
        action: &str,
        targets: impl IntoIterator<Item = AuditTarget>,
    ) -> Result<AuditId> {
        let about = targets.into_iter().fold(AuditAbout::default(), |about, target| about.and(Some(target)));
        self.center.begin_audit(operator.name(), action, about).await
    }

    /// Notes how that ended.
    pub async fn end_note(&self, note: AuditId, outcome: AuditOutcome) {
        self.center.end_audit(note, outcome).await;
    }

    /// Completes when the server closes, so that no stream of a page holds it up.
    pub async fn closed(&self) {
        self.admin.load().closed().await;
    }
}

/// Returns a client whose calls a router answers in this process.
fn client(router: &Router, caller: Caller) -> Client {
    let router = router.clone();
    Client::in_process(Arc::new(move |request| {
        let (router, caller) = (router.clone(), caller.clone());
        Box::pin(async move {
            let (mut head, body) = request.into_parts();
            head.extensions.insert(caller);
            let Ok(body) = body.collect().await else {
                // The body of a call in this process is whole when it is sent.
                let error = Error::with_detail(Reason::Internal, "a request without its body");
                return crate::errors::to_wire(&error).into_http_response(&head.headers).map(boxed);
            };
            let request = http::Request::from_parts(head, Full::new(body.to_bytes()));
            let Ok(answer) = router.answer(request).await;
            answer.map(boxed)
        })
    }))
}

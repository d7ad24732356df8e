//! Letting a call in by its head: who calls, what that may ask for in a time, and whether there is a place for it.

use connectrpc::{ConnectError, ErrorCode};
use guanxi_centers::user::familiar::Network;
use guanxi_centers::user::passwords::PasswordQueue;
use guanxi_model::{Error, Principal, Reason};
use http::{Extensions, Request, header};

use super::Inner;
use super::let_in::{CallSlot, LetIn, Refused};
use crate::asked_body::AskedBody;
use crate::caller::{Caller, Proof};
use crate::calls::note_caller;
use crate::errors::{oversized, refusal, to_wire};
use crate::listener::Listener;
use crate::load::no_call;
use crate::peer::CallerAddress;
use crate::rates::neighbours;
use crate::rules::{Access, EventStream, Method, PasswordUse, Registrants};

impl Inner {
    /// Lets a call in by its head, or says why not. It decides the caller, its rate, whether there is time for the call, and
    /// a place. The caller is then in the request.
    pub(super) async fn enter(
        &self,
        listener: Listener,
        method: &Method,
        request: &mut Request<AskedBody>,
    ) -> Result<LetIn, Refused> {
        // The operator gets through when all other callers are refused.
        let is_operators = listener == Listener::Admin;
        let registers = self.registers(method, request);
        let entry = if registers || method.rule.access == Access::Open {
            let address = request.extensions().get().copied();
            self.rates.unknown(address)?;
            // Before the body is read: in a flood of logins these are nearly all calls.
            if (registers || method.rule.password == PasswordUse::Login) && !self.may_hash(registers, address)
            {
                return Err(Refused::ForWantOfTime);
            }
            if registers {
                self.rates.registration(address)?;
                request.extensions_mut().insert(Caller::registrant());
            }
            let (slot, evicted) = self.load.open_call();
            LetIn { slot: Some(CallSlot::Open(slot)), evicted: Some(evicted) }
        } else {
            let caller = self.caller(listener, method, request).await;
            let caller = caller.map_err(|error| self.unknown(error, request.extensions()))?;
            note_caller(&caller.principal);
            self.note_network(&caller, request.extensions());
            if !is_operators && !self.load.admits() {
                return Err(Refused::ForWantOfTime);
            }
            let slot = match self.load.call(&caller) {
                Ok(slot) => Some(CallSlot::Known(slot)),
                Err(_) if is_operators => None,
                Err(full) => return Err(no_call(full).into()),
            };
            request.extensions_mut().insert(caller);
            LetIn { slot, evicted: None }
        };
        oversized(request.body()).map_or(Ok(entry), |error| Err(error.into()))
    }

    /// Returns whether a password of a call without a credential may wait to be hashed. Where a user came from lately, a call
    /// may be that user's: it is known once its body is read.
    fn may_hash(&self, registers: bool, address: Option<CallerAddress>) -> bool {
        let Some(accounts) = &self.accounts else { return true };
        let network = address.map(|address| Network(neighbours(address)));
        let may_be_known =
            !registers && network.is_some_and(|network| accounts.familiar().knows_network(network));
        let queue = if may_be_known { PasswordQueue::Familiar } else { PasswordQueue::Strangers };
        accounts.passwords().admits(queue)
    }

    /// Notes from where a user comes that has a session.
    fn note_network(&self, caller: &Caller, of_request: &Extensions) {
        if let (Some(accounts), Proof::Session(_), Principal::EndUser(uid)) =
            (&self.accounts, caller.proof, &caller.principal)
            && let Some(address) = of_request.get()
        {
            accounts.familiar().note(*uid, Network(neighbours(*address)));
        }
    }

    /// Returns whether a call without a credential may make an account.
    fn registers(&self, method: &Method, request: &Request<AskedBody>) -> bool {
        self.registration == Registrants::Open
            && method.rule.password == PasswordUse::Register
            && !request.headers().contains_key(header::AUTHORIZATION)
            && request.extensions().get::<Caller>().is_none()
    }

    /// Returns the caller of a method, if its rule lets it in. A caller with a ticket is known already.
    async fn caller(
        &self,
        listener: Listener,
        method: &Method,
        request: &Request<AskedBody>,
    ) -> Result<Caller, ConnectError> {
        let headers = request.headers();
        let refused = |error: &Error, caller: Option<&Caller>| {
            let admin = self.addresses.admin.told_to(request.extensions(), headers);
            refusal(error, headers, caller, &method.rule, admin)
        };
        let mut caller = match request.extensions().get::<Caller>() {
            Some(caller) => caller.clone(),
            None => self.auth.caller(listener, headers).await.map_err(|error| refused(&error, None))?,
        };
        caller.enter_by(&method.rule).map_err(|error| refused(&error, Some(&caller)))?;
        let purse = self.rates.purse(&caller.principal, caller.rate, &caller.holder(), method.rule.budget);
        purse.as_ref().map_or(Ok(()), |purse| purse.pay(1)).map_err(|error| to_wire(&error))?;
        caller.purse = purse;
        Ok(caller)
    }

    /// Returns the error of a caller that was refused. A caller whose token is not valid pays from its address, so that
    /// tokens cannot be tried out at will.
    pub(super) fn unknown(&self, error: ConnectError, of_request: &Extensions) -> ConnectError {
        let unknown = error.code == ErrorCode::Unauthenticated;
        match unknown.then(|| self.rates.unknown(of_request.get().copied())) {
            Some(Err(limited)) => to_wire(&limited),
            _ => error,
        }
    }

    /// Returns the caller that calls a method with a ticket.
    pub(super) async fn ticket_holder(
        &self,
        ticket: &str,
        method: &Method,
        served: &EventStream,
    ) -> Result<Caller, Error> {
        let ticket = self.tickets.read(ticket).filter(|ticket| served.ticket == Some(ticket.stream));
        let ticket = ticket.ok_or(Error::new(Reason::Unauthenticated))?;
        self.auth.ticket_holder(&ticket, method.rule.access).await
    }
}

//! The caller of a call, and what it may do.

use std::num::NonZeroU32;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_centers::Viewer;
use guanxi_model::{
    Error, LoginName, Principal, Reason, RequestKey, Result, Scope, Session, SessionKey, Uid,
};
use guanxi_texts::NamedBy;
use sha2::{Digest as _, Sha256};

use crate::jwt::JwtProof;
use crate::rates::Purse;
use crate::rules::{Access, Rule};

/// The holder of a credential, as far as slots and revocations are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// An end user, with all its sessions.
    EndUser(Uid),
    /// The service or operator that has the credential of this name; the name is empty when no credential is asked for.
    Named(Arc<str>),
}

/// By what a caller was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By nothing: no credential is asked for.
    None,
    /// By the secret of a session.
    Session(SessionKey),
    /// By a token of which this is the hash.
    Credential([u8; 32]),
    /// By a JWT.
    Jwt(JwtProof),
}

/// A required id.
///
/// # Errors
/// `MISSING_FIELD` for zero, which is also what an absent field decodes to; `UID_OUT_OF_RANGE`.
pub fn required(raw: u64, field: &'static str) -> Result<Uid> {
    optional(raw)?.ok_or(Error::new(Reason::MissingField { field }))
}

/// An optional id; zero is an absent one.
pub fn optional(raw: u64) -> Result<Option<Uid>> {
    if raw == 0 { Ok(None) } else { Uid::new(raw).map(Some) }
}

/// The name of a caller that makes an account without a credential.
const REGISTRANT: &str = "\0registration";

/// The caller, during one call.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The principal: an end user, a service or the operator.
    pub principal: Principal,
    /// The name of the credential; empty for an end user, and when no credential is asked for.
    name: Arc<str>,
    /// By what it was known.
    pub proof: Proof,
    /// From when on that is no longer valid, in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// The calls that a service may make in a minute, if its token says so.
    pub(crate) rate: Option<NonZeroU32>,
    /// The purse from which this call is paid, if it costs anything.
    pub(crate) purse: Option<Purse>,
    /// The maker of the ticket that it calls with, if that is another holder.
    maker: Option<Holder>,
    /// The field of the request in which an end user gives itself, by the rule of the method.
    own: Option<&'static str>,
}

impl Caller {
    /// A service or an operator.
    pub(crate) fn named(principal: Principal, name: &str, hash: [u8; 32]) -> Self {
        Self {
            principal,
            name: name.into(),
            proof: Proof::Credential(hash),
            expires_ms: None,
            rate: None,
            purse: None,
            maker: None,
            own: None,
        }
    }

    /// The end user of a session, known by one of its secrets.
    pub(crate) fn of_session(session: &Session, key: SessionKey) -> Self {
        Self {
            principal: Principal::EndUser(session.uid),
            name: Arc::default(),
            proof: Proof::Session(key),
            expires_ms: session.access_ends_ms(key.hash),
            rate: None,
            purse: None,
            maker: None,
            own: None,
        }
    }

    /// The end user of a JWT.
    pub(crate) fn of_jwt(proof: JwtProof, expires_ms: Option<u64>) -> Self {
        let proof_of = Proof::Jwt(proof);
        Self { proof: proof_of, expires_ms, ..Self::anybody(Principal::EndUser(proof.uid)) }
    }

    /// Returns the caller when no credential is asked for.
    pub fn anybody(principal: Principal) -> Self {
        Self {
            principal,
            name: Arc::default(),
            proof: Proof::None,
            expires_ms: None,
            rate: None,
            purse: None,
            maker: None,
            own: None,
        }
    }

    /// Returns the same caller, known by the same proof, as another principal.
    pub(crate) fn acting_as(&self, principal: Principal) -> Self {
        Self { principal, rate: None, purse: None, own: None, ..self.clone() }
    }

    /// Returns a caller that makes an account without a credential, where that is allowed. It may do what that takes, and
    /// nothing else is asked of it. No credential has its name.
    pub(crate) fn registrant() -> Self {
        let scopes = [Scope::UserWrite].into_iter().collect();
        Self { name: REGISTRANT.into(), ..Self::anybody(Principal::Service(scopes)) }
    }

    /// Returns the name of the credential; empty for an end user, and when no credential is asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it came without a credential, to make an account.
    pub fn is_registrant(&self) -> bool {
        &*self.name == REGISTRANT
    }

    /// Returns the caller as it asks for an account of a name. A caller without a credential is known by that login name
    /// alone. So a caller that asks for another name does not meet its request ids.
    #[must_use]
    pub fn asks_for(&self, login_name: &LoginName) -> Self {
        if !self.is_registrant() {
            return self.clone();
        }
        Self { name: format!("{REGISTRANT} {}", login_name.as_str()).into(), ..self.clone() }
    }

    /// Returns who gives an account its name.
    pub fn names(&self) -> NamedBy {
        if &*self.name == REGISTRANT { NamedBy::Itself } else { NamedBy::Service }
    }

    /// A user, by a ticket that this caller has made.
    pub(crate) fn with_ticket(self, uid: Uid, expires_ms: u64) -> Self {
        Self {
            maker: Some(self.holder()),
            principal: Principal::EndUser(uid),
            name: Arc::default(),
            proof: self.proof,
            expires_ms: Some(self.expires_ms.map_or(expires_ms, |own| own.min(expires_ms))),
            rate: None,
            purse: None,
            own: self.own,
        }
    }

    /// Returns the holder whose credential must be valid for as long as the stream is open.
    pub(crate) fn warrantor(&self) -> Holder {
        self.maker.clone().unwrap_or_else(|| self.holder())
    }

    /// Returns the holder, as far as slots are concerned.
    pub(crate) fn holder(&self) -> Holder {
        match self.principal {
            Principal::EndUser(uid) => Holder::EndUser(uid),
            Principal::Service(_) | Principal::Admin => Holder::Named(Arc::clone(&self.name)),
        }
    }

    /// Pays for all that a batch holds; the call itself has paid for one.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub fn pay_for_batch(&self, items: usize) -> Result<()> {
        match &self.purse {
            Some(purse) if items > 1 => purse.pay(items - 1),
            _ => Ok(()),
        }
    }

    /// Pays for rows that a heavy call has looked at; the call itself has paid for one.
    pub fn pay_for_rows(&self, rows: u64) {
        if let Some(purse) = &self.purse {
            purse.pay_for_rows(rows);
        }
    }

    /// Pays for following some, or asking for their friendship: an end user may so often of the same person in an hour.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub fn pay_for_asking(&self, objects: &[Uid]) -> Result<()> {
        self.purse.as_ref().map_or(Ok(()), |purse| purse.pay_for_asking(objects))
    }

    /// Lets this caller in by the rule of a method, if the rule does.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub(crate) fn enter_by(&mut self, rule: &Rule) -> Result<()> {
        self.own = rule.own;
        self.enter(rule.access)
    }

    /// Whether a rule lets this caller in at all.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub fn enter(&self, access: Access) -> Result<()> {
        let allowed = match (access, &self.principal) {
            (Access::Open, _)
            | (Access::User(_), Principal::EndUser(_))
            | (Access::AdminRead | Access::Admin, Principal::Admin) => true,
            (Access::AdminRead, Principal::Service(scopes)) => scopes.allows(Scope::AdminRead),
            (Access::User(scope) | Access::Service(scope), Principal::Service(scopes)) => {
                scopes.allows(scope)
            }
            _ => false,
        };
        if allowed { Ok(()) } else { Err(Error::new(Reason::PermissionDenied)) }
    }

    /// The user in a field of the request. In the field that is the caller's own by the rule of the method, an end user
    /// gives only itself, or nothing, which is the same.
    ///
    /// # Errors
    /// `MISSING_FIELD` and `UID_OUT_OF_RANGE`; `PERMISSION_DENIED` for an end user that names another.
    pub fn uid(&self, raw: u64, field: &'static str) -> Result<Uid> {
        if self.own != Some(field) {
            return required(raw, field);
        }
        self.reads_as(raw)?.ok_or(Error::new(Reason::MissingField { field }))
    }

    /// An end user acts only as itself.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub fn act_as(&self, uid: Uid) -> Result<()> {
        match self.principal {
            Principal::EndUser(own) if own != uid => Err(Error::new(Reason::PermissionDenied)),
            _ => Ok(()),
        }
    }

    /// Returns the viewer as whom this caller reads posts. An end user reads as itself, given or not. A service reads as the
    /// user that it names, or without one sees every post.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user that names another; `UID_OUT_OF_RANGE`.
    pub fn reads_as(&self, raw: u64) -> Result<Option<Uid>> {
        let given = optional(raw)?;
        match (&self.principal, given) {
            (Principal::EndUser(own), None) => Ok(Some(*own)),
            (_, Some(given)) => self.act_as(given).map(|()| Some(given)),
            (_, None) => Ok(None),
        }
    }

    /// For whom the centers make what this caller is answered.
    pub const fn viewer(&self) -> Viewer {
        match self.principal {
            Principal::EndUser(own) => Viewer::EndUser(own),
            Principal::Service(_) | Principal::Admin => Viewer::Trusted,
        }
    }

    /// An idempotency key of this caller alone: callers cannot meet, or guess at, each other's keys.
    pub fn request_key(&self, actor: Uid, id: &str, fingerprint: u64) -> RequestKey {
        let mut hash = Sha256::new();
        match self.principal {
            Principal::EndUser(uid) => {
                hash.update([1]);
                hash.update(uid.get().to_be_bytes());
            }
            Principal::Service(_) => {
                hash.update([2]);
                hash.update(self.name.as_bytes());
                hash.update([0]);
            }
            Principal::Admin => hash.update([3]),
        }
        hash.update(id.as_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        RequestKey { actor, id: URL_SAFE_NO_PAD.encode(&digest[..24]).into(), fingerprint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Budget, PasswordUse};
    use guanxi_model::Scopes;

    fn user(uid: u64) -> Caller {
        Caller::anybody(Principal::EndUser(Uid::new(uid).unwrap()))
    }

    #[test]
    fn an_end_user_never_reads_posts_as_nobody() {
        assert_eq!(user(1).reads_as(0), Ok(Uid::new(1).ok()));
        assert_eq!(user(1).reads_as(1), Ok(Uid::new(1).ok()));
        assert_eq!(user(1).reads_as(2).unwrap_err().reason, Reason::PermissionDenied);
        let scopes = Scopes::of_words(["read"]).unwrap();
        let service = Caller::anybody(Principal::Service(scopes));
        assert_eq!(service.reads_as(0), Ok(None));
        assert_eq!(service.reads_as(2), Ok(Uid::new(2).ok()));
    }

    #[test]
    fn an_end_user_is_its_own_field_and_no_other() {
        let access = Access::User(Scope::RelationWrite);
        let rule = |own| Rule { path: "a.B/C", access, own, budget: Budget::Free, password: PasswordUse::No };
        let with = |mut caller: Caller, own| {
            caller.enter_by(&rule(own)).unwrap();
            caller
        };
        let missing = |field| Err(Reason::MissingField { field });
        let uid = |caller: &Caller, raw, field| caller.uid(raw, field).map_err(|error| error.reason);
        let own = with(user(7), Some("subject"));
        assert_eq!(uid(&own, 0, "subject"), Ok(Uid::new(7).unwrap()));
        assert_eq!(uid(&own, 7, "subject"), Ok(Uid::new(7).unwrap()));
        assert_eq!(uid(&own, 8, "subject"), Err(Reason::PermissionDenied));
        assert_eq!(uid(&own, u64::MAX, "subject"), Err(Reason::UidOutOfRange));
        assert_eq!(uid(&own, 0, "object"), missing("object"));
        assert_eq!(uid(&own, 8, "object"), Ok(Uid::new(8).unwrap()));
        assert_eq!(uid(&with(user(7), None), 0, "subject"), missing("subject"));
        let service = with(Caller::anybody(Principal::Service(Scopes::all())), Some("subject"));
        assert_eq!(uid(&service, 0, "subject"), missing("subject"));
        assert_eq!(uid(&service, 8, "subject"), Ok(Uid::new(8).unwrap()));
    }

    #[test]
    fn callers_cannot_meet_each_others_keys() {
        let service = |name: &str| Caller::named(Principal::Service(Scopes::all()), name, [0; 32]);
        let keys = [
            user(1).request_key(Uid::MIN, "a", 0),
            user(2).request_key(Uid::MIN, "a", 0),
            service("x").request_key(Uid::MIN, "a", 0),
            service("y").request_key(Uid::MIN, "a", 0),
            service("xa").request_key(Uid::MIN, "", 0),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(key.id.text.len() <= guanxi_model::limits::REQUEST_ID_LEN_MAX as usize);
            assert!(keys[i + 1..].iter().all(|other| other.id != key.id));
        }
        assert_eq!(user(1).request_key(Uid::MIN, "a", 0), user(1).request_key(Uid::MIN, "a", 0));
    }
}

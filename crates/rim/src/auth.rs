//! Authentication of callers: bearer tokens to principals.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_centers::operator::Secret;
use guanxi_centers::user::sessions::session_key;
use guanxi_model::limits::SESSION_USE_EVERY_MS;
use guanxi_model::{Clock, Error, Principal, Reason, Result, Scopes, Session, SessionKey};
use guanxi_ports::{Credentials, EndedUsers, Sessions};
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest as _, Sha256};

use crate::caller::{Caller, Proof};
use crate::hosts::Hosts;
use crate::jwt::Jwt;
use crate::limits::{BEARER_LEN_MAX, CREDENTIAL_RECHECK};
use crate::listener::Listener;
use crate::revocations::Revocations;
use crate::rules::Access;
use crate::ticket::Ticket;

/// The beginning of every token, so that scanners recognise a leaked one.
const TOKEN_PREFIX: &str = "gx_";

/// The beginning of a token that an operator makes for an end user, which is the secret of a session that does not expire.
/// Two hex digits follow, the gene of the user, so that one shard is asked; then 256 random bits in base64url. Secrets of
/// logins have another form.
const SESSION_PREFIX: &str = "gxs_";

/// Makes a bearer token from 256 random bits: `gx_` and the bits in base64url. For an end user it is the secret of a session:
/// `gxs_`, the gene of the user in hex, and the bits.
pub fn mint_token(principal: &Principal, random: [u8; 32]) -> Secret {
    let bits = URL_SAFE_NO_PAD.encode(random);
    let text = match principal {
        Principal::EndUser(uid) => format!("{SESSION_PREFIX}{:02x}{bits}", uid.gene().0),
        Principal::Service(_) | Principal::Admin => format!("{TOKEN_PREFIX}{bits}"),
    };
    Secret { hash: hash_token(&text), text }
}

/// Returns the stored form of a bearer token.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Tells who calls.
#[derive(Clone)]
pub enum Authenticator {
    /// By the stored tokens.
    Tokens(StoredTokens),
    /// No credential is asked for (`--no-auth`): on the main listener every caller is a service with all scopes, on the admin
    /// listener the operator. Only for loopback, and for calls that name the server by one of these hosts: a page of another
    /// site whose name is bound to loopback calls by that name.
    Open(Hosts),
}

/// Where tokens are stored.
#[derive(Clone)]
pub struct StoredTokens {
    /// The tokens of services and operators, and the names that operators gave to tokens of end users.
    pub credentials: Arc<dyn Credentials>,
    /// The sessions of end users.
    pub sessions: Arc<dyn Sessions>,
    /// The users that are gone: no credential of such a user is valid.
    pub ended: Arc<dyn EndedUsers>,
    /// For the time at which a session is used.
    pub clock: Arc<dyn Clock>,
    /// Tells of credentials that go.
    pub revocations: Revocations,
    /// Verifies tokens that another issuer has issued to end users, if they are let in.
    pub jwt: Option<Arc<Jwt>>,
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tokens(_) => "Tokens",
            Self::Open(_) => "Open",
        })
    }
}

impl Authenticator {
    /// The stored tokens of services and operators, if there are any.
    pub fn credentials(&self) -> Option<Arc<dyn Credentials>> {
        match self {
            Self::Tokens(stored) => Some(stored.credentials.clone()),
            Self::Open(_) => None,
        }
    }

    /// Returns the caller that the headers name.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` without a token, or with one that is not stored; `TOKEN_REFUSED` for a JWT; that of the store if
    /// it cannot tell; `PERMISSION_DENIED` where no credential is asked for, by a name that is none of this server.
    pub(crate) async fn caller(&self, listener: Listener, headers: &HeaderMap) -> Result<Caller> {
        match (self, listener) {
            (Self::Tokens(stored), listener) => {
                let token = bearer(headers).ok_or(Error::new(Reason::Unauthenticated))?;
                stored.caller(listener, token).await?.ok_or(Error::new(Reason::Unauthenticated))
            }
            (Self::Open(hosts), _) if !is_named(hosts, headers) => Err(Error::new(Reason::PermissionDenied)),
            (Self::Open(_), Listener::Main) => Ok(Caller::anybody(Principal::Service(Scopes::all()))),
            (Self::Open(_), Listener::Admin) => Ok(Caller::anybody(Principal::Admin)),
        }
    }
}

impl Authenticator {
    /// Returns the caller with a ticket, to which the ticket's maker is still entitled.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` when the maker's credential is gone; `PERMISSION_DENIED` when it no longer allows as much.
    pub(crate) async fn ticket_holder(&self, ticket: &Ticket, access: Access) -> Result<Caller> {
        let maker = match self {
            Self::Tokens(stored) => stored.known_by(ticket.maker).await?,
            Self::Open(_) => Some(Caller::anybody(Principal::Service(Scopes::all()))),
        };
        let maker = maker.ok_or(Error::new(Reason::Unauthenticated))?;
        maker.enter(access)?;
        maker.act_as(ticket.uid)?;
        Ok(maker.with_ticket(ticket.uid, ticket.expires_ms))
    }

    /// Returns the caller that a token of the admin listener names; `None` if it is not valid.
    ///
    /// # Errors
    /// That of the store if it cannot tell.
    pub(crate) async fn of_token(&self, token: &str) -> Result<Option<Caller>> {
        match self {
            Self::Tokens(stored) => stored.caller(Listener::Admin, token).await,
            Self::Open(_) => Ok(Some(Caller::anybody(Principal::Admin))),
        }
    }

    /// Returns whether a caller's credential is still valid.
    ///
    /// # Errors
    /// That of the store if it cannot tell.
    pub(crate) async fn is_valid(&self, caller: &Caller) -> Result<bool> {
        match self {
            Self::Tokens(stored) => stored.stands(caller).await,
            Self::Open(_) => Ok(true),
        }
    }

    /// Completes when a caller's credential is gone: revoked, or expired.
    pub(crate) async fn gone(&self, caller: &Caller) {
        match self {
            Self::Tokens(stored) => stored.gone(caller).await,
            Self::Open(_) => std::future::pending().await,
        }
    }
}

/// Returns whether the Host header, if there is one, names this server. HTTP/2 has none; browsers speak it over TLS alone.
fn is_named(hosts: &Hosts, headers: &HeaderMap) -> bool {
    let named = |host: &HeaderValue| host.to_str().is_ok_and(|host| hosts.has(host));
    headers.get_all(header::HOST).iter().all(named)
}

impl StoredTokens {
    async fn gone(&self, caller: &Caller) {
        // Before the first look, so that nothing is revoked unseen in between.
        let mut watch = self.revocations.watch(&caller.warrantor());
        loop {
            match self.stands(caller).await {
                Ok(true) => {}
                Ok(false) => return,
                // Not known: a stream is not ended for a store that cannot be asked.
                Err(error) => tracing::warn!(%error, "the credential of a stream could not be checked"),
            }
            let now_ms = self.clock.now_ms();
            let left = caller.expires_ms.map(|at_ms| Duration::from_millis(at_ms.saturating_sub(now_ms)));
            let pause = left.map_or(CREDENTIAL_RECHECK, |left| left.min(CREDENTIAL_RECHECK));
            // Whether woken or not, the next look tells.
            let _ = tokio::time::timeout(pause, watch.revoked()).await;
        }
    }

    /// Returns whether what a caller was known by is still valid.
    async fn stands(&self, caller: &Caller) -> Result<bool> {
        if caller.expires_ms.is_some_and(|at_ms| at_ms <= self.clock.now_ms()) {
            return Ok(false);
        }
        match caller.proof {
            Proof::None => Ok(true),
            Proof::Session(key) => Ok(self.session(key).await?.is_some()),
            Proof::Credential(hash) => Ok(self.credentials.find(hash).await?.is_some()),
            Proof::Jwt(proof) => Ok(self.jwt.as_ref().is_some_and(|jwt| jwt.stands(proof))),
        }
    }

    /// Returns the caller that a token names; `None` if it is not valid. The operator's listener accepts no JWT, since no end
    /// user calls it.
    async fn caller(&self, listener: Listener, token: &str) -> Result<Option<Caller>> {
        if let Some(jwt) = self.jwt.as_ref().filter(|_| listener == Listener::Main && Jwt::is_one(token)) {
            let verified = jwt.verify(token).await?;
            return Ok(Some(Caller::of_jwt(verified.proof, Some(verified.expires_ms))));
        }
        if token.len() > BEARER_LEN_MAX {
            return Ok(None);
        }
        self.known_by(match session_key(token) {
            Some(key) => Proof::Session(key),
            None => Proof::Credential(hash_token(token)),
        })
        .await
    }

    /// Returns the caller that a proof names; `None` if the proof is not valid.
    async fn known_by(&self, proof: Proof) -> Result<Option<Caller>> {
        let hash = match proof {
            Proof::None => return Ok(None),
            Proof::Session(key) => return self.end_user(key).await,
            Proof::Credential(hash) => hash,
            // It has been verified when its ticket was made, which ends with it.
            Proof::Jwt(proof) => {
                let stands = self.jwt.as_ref().is_some_and(|jwt| jwt.stands(proof));
                return Ok(stands.then(|| Caller::of_jwt(proof, None)));
            }
        };
        let Some(found) = self.credentials.find(hash).await? else { return Ok(None) };
        match found.principal {
            // A token of an end user from before sessions: its text names no shard, but its credential names the user.
            Principal::EndUser(uid) => self.end_user(SessionKey::lone(uid.gene(), hash)).await,
            principal => {
                let mut caller = Caller::named(principal, &found.name, hash);
                caller.rate = found.rate_per_minute;
                Ok(Some(caller))
            }
        }
    }

    /// Returns a session whose user is not gone. The sessions of gone users are ended with them; one that is left over is not
    /// accepted.
    async fn session(&self, key: SessionKey) -> Result<Option<Session>> {
        let found = self.sessions.find(key).await?;
        Ok(found.filter(|session| !self.ended.is_gone(session.uid)))
    }

    async fn end_user(&self, key: SessionKey) -> Result<Option<Caller>> {
        let Some(session) = self.session(key).await? else { return Ok(None) };
        let now_ms = self.clock.now_ms();
        if now_ms.saturating_sub(session.used_ms) >= SESSION_USE_EVERY_MS {
            let sessions = self.sessions.clone();
            // Beside the call, which need not wait for the disk, and whose answer does not hang on it.
            tokio::spawn(async move {
                if let Err(error) = sessions.note_use(key, now_ms).await {
                    tracing::warn!(%error, "the use of a session was not noted");
                }
            });
        }
        Ok(Some(Caller::of_session(&session, key)))
    }
}

/// The scheme in front of a bearer token.
const SCHEME: &[u8] = b"bearer ";

/// The token of `authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.as_bytes().split_at_checked(SCHEME.len())?;
    // Code that reads a token cuts it at byte positions.
    let token = str::from_utf8(token.trim_ascii()).ok().filter(|token| token.is_ascii())?;
    (scheme.eq_ignore_ascii_case(SCHEME) && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Uid;

    fn headers(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        headers
    }

    #[test]
    fn only_a_bearer_token_is_one() {
        assert_eq!(bearer(&headers("Bearer abc")), Some("abc"));
        assert_eq!(bearer(&headers("bearer  abc ")), Some("abc"));
        for bad in ["Basic abc", "abc", "Bearer "] {
            assert_eq!(bearer(&headers(bad)), None, "{bad}");
        }
        for bad in ["Bearer gxs_\u{e9}", "Bearer \u{e9}\u{e9}\u{e9}", "Beare\u{e9} abc"] {
            let value = HeaderValue::from_bytes(bad.as_bytes()).unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
            assert_eq!(bearer(&headers), None, "{bad}");
        }
        assert_eq!(bearer(&HeaderMap::new()), None);
    }

    #[test]
    fn tokens_are_recognisable_and_stored_as_hashes() {
        let token = mint_token(&Principal::Admin, [7; 32]);
        assert!(token.text.starts_with("gx_") && token.text.len() == 46);
        assert_eq!(token.hash, hash_token(&token.text));
        assert_ne!(token.hash, mint_token(&Principal::Admin, [8; 32]).hash);
        assert_eq!(session_key(&token.text), None);
    }

    #[test]
    fn the_secret_of_a_session_names_the_shard_of_its_user() {
        let secret = |raw| mint_token(&Principal::EndUser(Uid::new(raw).unwrap()), [7; 32]).text;
        assert_eq!(secret(0x0a), format!("gxs_0a{}", URL_SAFE_NO_PAD.encode([7; 32])));
        for raw in [1, 0x0a, 0xff, 0x1234, i64::MAX as u64] {
            assert_eq!(secret(raw).len(), 49);
            let key = SessionKey::lone(Uid::new(raw).unwrap().gene(), hash_token(&secret(raw)));
            assert_eq!(session_key(&secret(raw)), Some(key));
        }
    }
}

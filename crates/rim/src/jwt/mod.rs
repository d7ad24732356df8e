//! JWTs of end users: tokens of a product that has accounts of its own. They are verified with keys by setting, and
//! without a question to the store.
//!
//! A token is a session that an issuer keeps. Its user is an end user like any other, and acts only as itself. The token is
//! no longer accepted when it ends, its user is ended, or the key that signed it is withdrawn.

mod der;
mod dictionary;
mod fetch;
#[cfg(test)]
mod fuzz;
mod key;
mod key_set;
mod keys;
mod meters;
#[cfg(test)]
pub(crate) mod mutations;
mod problem;
mod subject;
#[cfg(test)]
mod tests;
mod token;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use guanxi_model::{Clock, Error, Reason, Result, Uid};
use guanxi_ports::EndedUsers;
use metrics::Counter;

pub use dictionary::ExternalSubjects;
pub use fetch::JwksUrl;
pub use keys::{JwtError, JwtSources};
pub(crate) use meters::describe;
pub(crate) use problem::Problem;
pub use subject::{Subject, SubjectUids, Subjects};

use keys::Keys;
use token::{Claims, Unverified};

/// The rules that a token must keep.
#[derive(Clone)]
pub struct JwtRules {
    /// Its `iss`.
    pub issuer: String,
    /// The audience that its `aud` must hold.
    pub audience: String,
    /// The users that its `sub` names.
    pub subjects: Arc<dyn Subjects>,
    /// How far the issuer's clock may be off.
    pub leeway: Duration,
    /// How long a token may live, from `iat` to `exp`.
    pub life_max: Duration,
}

/// By what the user of a token was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwtProof {
    /// The user.
    pub(crate) uid: Uid,
    /// When the token was issued, in Unix milliseconds.
    pub(crate) issued_ms: u64,
    /// Which key has signed it.
    pub(crate) key: u64,
}

/// The content of a verified token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    /// By what its user is known.
    pub(crate) proof: JwtProof,
    /// From when on it is not valid any more, with leeway, in Unix milliseconds.
    pub(crate) expires_ms: u64,
}

/// Verifies tokens.
pub struct Jwt {
    rules: JwtRules,
    keys: Arc<Keys>,
    clock: Arc<dyn Clock>,
    ended: Arc<dyn EndedUsers>,
    verified: Counter,
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jwt")
    }
}

impl Jwt {
    /// Reads the keys. Those at an address are read once [`Self::follow`] runs.
    ///
    /// # Errors
    /// When a file cannot be read, or holds nothing that can be used.
    pub fn read(
        sources: JwtSources,
        rules: JwtRules,
        clock: Arc<dyn Clock>,
        ended: Arc<dyn EndedUsers>,
    ) -> Result<Self, JwtError> {
        let keys = Arc::new(Keys::read(sources, Arc::clone(&clock))?);
        Ok(Self { rules, keys, clock, ended, verified: meters::verified() })
    }

    /// Reads files of keys anew, and soon the address. Answers whether the files could be used.
    pub fn reload(&self) -> bool {
        self.keys.want();
        self.keys.reload()
    }

    /// Reads files of keys anew whenever they change, and their address every so often. Never completes.
    pub async fn follow(&self) {
        Arc::clone(&self.keys).follow().await;
    }

    /// Returns whether a bearer token is a JWT: no other one has a dot.
    pub(crate) fn is_one(token: &str) -> bool {
        token.contains('.')
    }

    /// Verifies a token, and returns its user.
    ///
    /// # Errors
    /// `TOKEN_REFUSED`; `SHARD_UNAVAILABLE` while it is not known whether the user signed out; that of the dictionary of users, if it
    /// cannot tell.
    pub(crate) async fn verify(&self, token: &str) -> Result<Verified> {
        let claims = self.claims(token).inspect_err(|problem| refuse(*problem))?;
        let uid = match self.rules.subjects.subject(&claims.sub).await? {
            Subject::User(uid) => Ok(uid),
            Subject::Malformed => Err(Problem::Subject),
            Subject::Unknown => Err(Problem::UnknownSubject),
        };
        let uid = uid.inspect_err(|problem| refuse(*problem))?;
        let proof = JwtProof { uid, issued_ms: claims.issued_ms, key: claims.key };
        if !self.ended.is_known(uid) {
            return Err(Error::new(Reason::SHARD_UNAVAILABLE));
        }
        if !self.stands(proof) {
            refuse(Problem::Ended);
            return Err(Problem::Ended.into());
        }
        self.verified.increment(1);
        Ok(Verified { proof, expires_ms: claims.expires_ms })
    }

    /// Returns whether what a token was worth still holds, but for its time: its key is in force, and its user is not ended.
    ///
    /// Most issuers give `iat` in whole seconds, rounded down. So a token of the very second of a sign-out may be from before
    /// it: it is refused, and one that is issued a second later is not.
    pub(crate) fn stands(&self, proof: JwtProof) -> bool {
        proof.issued_ms >= self.ended.not_before_ms(proof.uid) && self.keys.holds(proof.key)
    }

    fn claims(&self, token: &str) -> Result<Checked, Problem> {
        let token = Unverified::read(token)?;
        let keys = self.keys.current();
        let kid = token.kid.as_deref();
        if kid.is_some_and(|kid| !keys.names(kid)) {
            self.keys.want();
        }
        let signers = keys.signers(token.algorithm, kid)?;
        let key = signers.into_iter().find(|key| key.has_signed(token.signed, &token.signature));
        let key = key.ok_or(Problem::Signature)?.print;
        self.check(token.claims()?, key)
    }

    /// Returns the subject and the times of a signed token, if the token is for this server and valid now.
    fn check(&self, claims: Claims, key: u64) -> Result<Checked, Problem> {
        let rules = &self.rules;
        if claims.iss.as_ref() != Some(&rules.issuer) {
            return Err(Problem::Issuer);
        }
        if !claims.aud.is_some_and(|audience| audience.holds(&rules.audience)) {
            return Err(Problem::Audience);
        }
        let (Some(sub), Some(expires), Some(issued)) = (claims.sub, claims.exp, claims.iat) else {
            return Err(Problem::Claims);
        };
        let now_ms = self.clock.now_ms();
        let latest_ms = now_ms.saturating_add(millis(rules.leeway));
        let expires_ms = expires.0.saturating_add(millis(rules.leeway));
        if expires_ms <= now_ms {
            return Err(Problem::Expired);
        }
        if issued.0 > latest_ms || claims.nbf.is_some_and(|from| from.0 > latest_ms) {
            return Err(Problem::Early);
        }
        if expires.0.saturating_sub(issued.0) > millis(rules.life_max) {
            return Err(Problem::Life);
        }
        Ok(Checked { sub, issued_ms: issued.0, expires_ms, key })
    }
}

/// The claims of a token that are used once its signature and claims are right.
struct Checked {
    sub: String,
    issued_ms: u64,
    expires_ms: u64,
    key: u64,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Refusals are rarer than calls, so that a look at the registry each time costs nothing.
fn refuse(problem: Problem) {
    meters::refused(problem).increment(1);
}

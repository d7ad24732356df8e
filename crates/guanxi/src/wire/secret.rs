//! Bearer tokens: minted here for the first start and for a stopped server.

use crate::failure::{Context, Failure, Outcome};
use guanxi_api::{hash_token, mint_token};
use guanxi_model::{Clock, Credential, Principal};

/// Bytes of a secret: 256 bits.
const SECRET_LEN: usize = 32;

/// A fresh secret, and the credential that recognises it.
pub fn mint(name: &str, principal: Principal, clock: &dyn Clock) -> Outcome<(String, Credential)> {
    let mut bytes = [0_u8; SECRET_LEN];
    random(&mut bytes)?;
    let secret = mint_token(bytes);
    let credential = Credential {
        hash: hash_token(&secret),
        name: name.to_owned(),
        principal,
        created_ms: clock.now_ms(),
    };
    Ok((secret, credential))
}

/// Random bytes of the operating system.
pub fn random(bytes: &mut [u8]) -> Outcome {
    let filled = getrandom::fill(bytes).map_err(Failure::new);
    filled.context("the operating system gives no random bytes")
}

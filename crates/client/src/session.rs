//! A login, kept alive: its access token is refreshed before it ends, once for all who wait for it.

use std::fmt;
use std::time::Duration;

use guanxi_proto::{Client, v1};
use tokio::sync::Mutex;

use crate::call::{ApiCall as _, CallKind};
use crate::error::CallError;
use crate::retry::{RetryPolicy, Surroundings, may_repeat};

/// How long before its end an access token is refreshed, at most; of short ones after three quarters of their time.
const MARGIN_MS: u64 = 60_000;

/// The secrets of a login, for programs that keep them over a restart. They are no less than the user's password.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionTokens {
    /// What calls carry.
    pub access: String,
    /// When it is no longer taken, in Unix milliseconds.
    pub access_expires_ms: u64,
    /// What is changed for new ones, once.
    pub refresh: String,
}

impl fmt::Debug for SessionTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTokens")
            .field("access_expires_ms", &self.access_expires_ms)
            .finish_non_exhaustive()
    }
}

impl From<&v1::LoginResponse> for SessionTokens {
    fn from(answer: &v1::LoginResponse) -> Self {
        let expires = answer.access_expire_time.as_option();
        let millis = expires.map_or(0, |time| {
            u64::try_from(time.seconds).unwrap_or(0) * 1_000
                + u64::try_from(time.nanos).unwrap_or(0) / 1_000_000
        });
        Self {
            access: answer.access_token.clone(),
            access_expires_ms: millis,
            refresh: answer.refresh_token.clone(),
        }
    }
}

/// Keeps one login alive.
pub(crate) struct SessionKeeper {
    held: Mutex<Held>,
}

struct Held {
    tokens: SessionTokens,
    /// From when on it is refreshed.
    due_ms: u64,
}

impl Held {
    fn new(tokens: SessionTokens, now_ms: u64) -> Self {
        let life = tokens.access_expires_ms.saturating_sub(now_ms);
        let due_ms = tokens.access_expires_ms.saturating_sub(MARGIN_MS.min(life / 4));
        Self { tokens, due_ms }
    }
}

impl SessionKeeper {
    pub(crate) fn new(tokens: SessionTokens, now_ms: u64) -> Self {
        Self { held: Mutex::new(Held::new(tokens, now_ms)) }
    }

    /// Returns what the session is now.
    pub(crate) async fn tokens(&self) -> SessionTokens {
        self.held.lock().await.tokens.clone()
    }

    /// Returns the access token for a call, refreshed if it is due, or if it is the `refused` one. Callers that come
    /// meanwhile wait, and get the new one.
    pub(crate) async fn access(
        &self,
        client: &Client,
        surroundings: &Surroundings,
        policy: &RetryPolicy,
        refused: Option<&str>,
    ) -> Result<String, CallError> {
        let mut held = self.held.lock().await;
        let now_ms = (surroundings.now_ms)();
        if now_ms >= held.due_ms || refused == Some(&held.tokens.access) {
            let answer = refresh(client, surroundings, policy, &held.tokens.refresh).await;
            match answer {
                Ok(answer) => *held = Held::new((&answer).into(), (surroundings.now_ms)()),
                // It may still be worth something; a call will tell.
                Err(error)
                    if error.is_unavailable()
                        && now_ms < held.tokens.access_expires_ms
                        && refused.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(held.tokens.access.clone())
    }
}

/// Changes a refresh token for new ones. A lost answer may be asked for again within half a minute, so that it is
/// repeated like a read.
async fn refresh(
    client: &Client,
    surroundings: &Surroundings,
    policy: &RetryPolicy,
    refresh: &str,
) -> Result<v1::LoginResponse, CallError> {
    let request = v1::RefreshSessionRequest { refresh_token: refresh.to_owned() };
    let mut tried = 0;
    loop {
        let error: CallError =
            match request.clone().send(client, connectrpc::client::CallOptions::default()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error.into(),
            };
        tried += 1;
        let pause = may_repeat(CallKind::Read, false, &error)
            .then(|| policy.pause(tried, &error, (surroundings.random)()))
            .flatten();
        let Some(pause) = pause else { return Err(error) };
        tokio::time::sleep(pause.max(Duration::from_millis(1))).await;
    }
}

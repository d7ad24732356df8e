//! The data of the calls: a small world in a directory, drawn from a fixed seed and written at a fixed time.

use crate::calls::UserCall;
use crate::feed::store::fill_in;
use guanxi_api::{hash_token, mint_token};
use guanxi_centers::Random;
use guanxi_centers::user::passwords::{Argon2Cost, Password, PasswordOptions, PasswordTurn, Passwords};
use guanxi_load::accounts::register;
use guanxi_load::{Class, World};
use guanxi_model::random::mix;
use guanxi_model::{Clock, Credential, Error, ManualClock, Principal, Scope};
use guanxi_ports::CredentialWrites as _;
use http::HeaderValue;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The time of all that is written and answered; after all posts of the world.
const NOW_MS: u64 = 1_790_000_000_000;
/// Accounts that log in: with as many calls as are counted, each stays below the bound of sessions.
pub(super) const LOGINS: u64 = 64;
/// Memory for inboxes, of which there are none: homes are pulled, as by default.
pub(super) const INBOX_BYTES: u64 = 64 << 20;

/// Two thousand users, of whom five hundred follow 75 others each.
pub(super) fn world() -> World {
    let classes = vec![Class { readers: 500, followees: 75 }];
    World { classes, posts: 20_000, ..World::of_users(2_000, 1) }
}

/// The users who follow 75 others.
pub(super) fn readers() -> Range<u32> {
    world().readers(0)
}

/// A clock that stands still.
pub(super) fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::new(NOW_MS))
}

/// Bits that are the same in each run, and never twice in one.
pub(super) fn random() -> Random {
    let count = AtomicU64::new(1);
    Arc::new(move || {
        let mut bits = [0; 32];
        bits[..8].copy_from_slice(&mix(count.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        bits
    })
}

/// The threads that hash, with the cheapest hash: it is not counted.
pub(super) fn password_options() -> PasswordOptions {
    PasswordOptions { cost: Argon2Cost::LEAST, ..PasswordOptions::default() }
}

/// The token of a service that may do everything for its users.
pub(super) struct Token(Principal);

impl Token {
    /// The token of the world.
    pub(super) fn new() -> Self {
        Self(Principal::Service(Scope::FOR_USERS.into_iter().collect()))
    }

    fn text(&self) -> String {
        mint_token(&self.0, [7; 32]).text
    }

    /// The header of a call.
    pub(super) fn bearer(&self) -> HeaderValue {
        HeaderValue::try_from(format!("Bearer {}", self.text())).expect("base64url is a header's value")
    }

    /// What is stored of it. It has a rate, so that a call pays for being counted, and so high a one that none is refused.
    fn credential(&self) -> Credential {
        let (hash, principal) = (hash_token(&self.text()), self.0.clone());
        let rate_per_minute = NonZeroU32::new(guanxi_api::RATE_MAX);
        Credential { hash, name: "instructions".to_owned(), principal, created_ms: NOW_MS, rate_per_minute }
    }
}

/// Makes a directory that holds the world, its accounts and its token.
pub(super) async fn create(dir: &Path) -> Result<(), String> {
    let (opened, _) = fill_in(dir, &world(), clock()).await?;
    let added = async {
        let chosen = Password::chosen(UserCall::PASSWORD.to_owned())?;
        let hash = Passwords::start(password_options(), clock(), &random())?
            .hash(chosen, PasswordTurn::default())
            .await?;
        let account = |n: u64| UserCall::account_of(n, n.to_string(), Some(hash.clone()));
        register(&opened.store, (0..LOGINS).map(account)).await?;
        opened.store.add(Token::new().credential()).await?;
        // Which tables there are depends on when the engine's threads had their turns; reads would differ with them.
        opened.store.compact()
    };
    added.await.map_err(|error: Error| format!("{error:?}"))?;
    opened.close().await
}

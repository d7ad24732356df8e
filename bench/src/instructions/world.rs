//! The data of the calls: a small world in a directory, drawn from a fixed seed and written at a fixed time.

use crate::calls::UserCall;
use guanxi_api::{hash_token, mint_token};
use guanxi_centers::Random;
use guanxi_centers::user::passwords::{Argon2Cost, Password, PasswordOptions, PasswordTurn, Passwords};
use guanxi_embedded::{BulkEdge, BulkLimits, Durability, EmbeddedStore, Inboxes, Options, load};
use guanxi_load::fill::fill;
use guanxi_load::{Class, Ports, World};
use guanxi_model::random::mix;
use guanxi_model::user::{Profile, Registration, UserCommand};
use guanxi_model::{Clock, Credential, LoginName, ManualClock, Principal, Result, Scope, Stamp, Write};
use guanxi_ports::{CredentialWrites as _, Facts as _};
use http::HeaderValue;
use std::convert::Infallible;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The time of all that is written and answered; after all posts of the world.
const NOW_MS: u64 = 1_790_000_000_000;
/// Accounts that log in: with as many calls as are counted, each stays below the bound of sessions.
pub(super) const LOGINS: u64 = 64;
/// Memory for inboxes, of which there are none: homes are pulled, as by default.
pub(super) const INBOX_BYTES: u64 = 64 << 20;
/// The window in which what is filled in may be lost in a power cut.
const FILLING_WINDOW: Duration = Duration::from_millis(100);

/// Two thousand users, of whom five hundred follow 75 others each.
pub(super) fn world() -> World {
    World {
        users: 2_000,
        followees: 75,
        classes: vec![Class { readers: 500, followees: 75 }],
        celebrity: false,
        fans: 0,
        posts: 20_000,
        rules: true,
        seed: 1,
    }
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

/// The ports of an open store, without meters.
fn ports(store: &EmbeddedStore, clock: Arc<dyn Clock>) -> Ports {
    let one = Arc::new(store.clone());
    let inbox = Arc::new(Inboxes::new(store.history(), INBOX_BYTES));
    Ports { store: one.clone(), inbox, log: one, clock }
}

/// The token of a service that may do everything for its users.
pub(super) struct Token(Principal);

impl Token {
    /// The token of the world.
    pub(super) fn new() -> Self {
        Self(Principal::Service(Scope::ALL.into_iter().collect()))
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
pub(super) async fn create(dir: &Path) -> std::result::Result<(), String> {
    let world = world();
    let edges = world.edges().enumerate().map(|(line, (subject, object, at))| {
        Ok::<_, Infallible>(BulkEdge { line: line as u64, subject, object, at: Some(at) })
    });
    let options = Options::default();
    let now = Stamp::from_ms(NOW_MS);
    load(dir, &options, now, edges, None, BulkLimits::default(), &mut |_| ())
        .map_err(|error| error.to_string())?;
    let options = Options { durability: Durability::Group(FILLING_WINDOW), ..options };
    let clock = clock();
    let store = EmbeddedStore::open(dir, options, clock.clone()).map_err(|error| error.to_string())?;
    let filled = async {
        fill(&ports(&store, clock.clone()), &world).await?;
        register(&store, clock).await?;
        store.add(Token::new().credential()).await?;
        // Which tables there are depends on when the engine's threads had their turns; reads would differ with them.
        store.compact()?;
        store.close().await
    };
    filled.await.map_err(|error| format!("{error:?}"))
}

/// Makes the accounts that log in.
async fn register(store: &EmbeddedStore, clock: Arc<dyn Clock>) -> Result<()> {
    let hash = Passwords::start(password_options(), clock, &random())?
        .hash(Password::chosen(UserCall::PASSWORD.to_owned())?, PasswordTurn::default())
        .await?;
    let account = |n: u64| {
        let (uid, login_name) = (UserCall::uid_of(n), LoginName::stored(UserCall::name_of(n)));
        let profile = Profile { nickname: n.to_string(), ..Profile::default() };
        let password = Some(hash.clone());
        UserCommand::Register(Registration { uid, login_name, password, profile })
    };
    store.apply(Write::all((0..LOGINS).map(account))).await.map(drop)
}

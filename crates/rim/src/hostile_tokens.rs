//! Headers that hold almost a credential: none of them is one, and none makes the server panic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use guanxi_certs::{AUDIENCE, ISSUER, Signer, jwks};
use guanxi_model::{Gene, ManualClock, Principal, SessionKey, Uid};
use guanxi_spec::memory::{MemoryStore, Options};
use http::{HeaderMap, HeaderValue, header};

use crate::auth::{Authenticator, StoredTokens, mint_token};
use crate::caller::Proof;
use crate::jwt::mutations::{Dice, mutated};
use crate::jwt::{Jwt, JwtRules, JwtSources, SubjectUids};
use crate::listener::Listener;
use crate::revocations::Revocations;
use crate::rules::TicketStream;
use crate::ticket::Tickets;

/// When it is.
const NOW_MS: u64 = 1_750_000_000_000;

/// How long each run takes at most.
const RUN: Duration = Duration::from_secs(3);

fn header(bytes: &[u8]) -> Option<HeaderMap> {
    let value = HeaderValue::from_bytes(bytes).ok()?;
    Some(HeaderMap::from_iter([(header::AUTHORIZATION, value)]))
}

#[tokio::test]
async fn what_is_almost_a_credential_is_none() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let (dir, signer) = (tempfile::tempdir().expect("there is room"), Signer::ed25519());
    let path = dir.path().join("jwks.json");
    std::fs::write(&path, jwks(&[signer.jwk("a")])).expect("there is room");
    let rules = JwtRules {
        issuer: ISSUER.into(),
        audience: AUDIENCE.into(),
        subjects: Arc::new(SubjectUids),
        leeway: Duration::ZERO,
        life_max: Duration::from_hours(1),
    };
    let revocations = Revocations::default();
    let sources = JwtSources { files: vec![path], ..JwtSources::default() };
    let jwt =
        Some(Arc::new(Jwt::read(sources, rules, clock.clone(), store.clone()).expect("the keys are right")));
    let (credentials, sessions, ended) = (store.clone(), store.clone(), store.clone());
    let auth = Authenticator::Tokens(StoredTokens { credentials, sessions, ended, clock, revocations, jwt });
    let uid = Uid::new(7).expect("it is one");
    let right: Vec<String> = [
        signer.token("a", 7, NOW_MS),
        mint_token(&Principal::EndUser(uid), [7; 32]).text,
        mint_token(&Principal::Admin, [7; 32]).text,
    ]
    .map(|token| format!("Bearer {token}"))
    .to_vec();
    let known = auth
        .caller(Listener::Main, &header(right[0].as_bytes()).expect("it is text"))
        .await
        .expect("it is right");
    assert_eq!(known.principal, Principal::EndUser(uid));
    let (mut dice, mut tried, begun) = (Dice(2), 0, Instant::now());
    while tried < 50_000 && begun.elapsed() < RUN {
        let (one, other) = (&right[dice.roll(3)], &right[dice.roll(3)]);
        let mut bytes = mutated(&mut dice, one, other).into_bytes();
        if dice.roll(4) == 0 && !bytes.is_empty() {
            let at = dice.roll(bytes.len());
            bytes[at] = dice.roll(256) as u8;
        }
        let Some(headers) = header(&bytes) else { continue };
        let told = auth.caller(Listener::Main, &headers).await;
        // The word before the token is written in either case, and blanks around the token are none of it.
        let is_right = String::from_utf8_lossy(&bytes).trim().ends_with(&right[0][7..]);
        assert!(told.is_err() || is_right, "{:?}", String::from_utf8_lossy(&bytes));
        let by_operator = auth.caller(Listener::Admin, &headers).await;
        assert!(by_operator.is_err(), "{:?}", String::from_utf8_lossy(&bytes));
        tried += 1;
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn what_is_almost_a_ticket_is_none() {
    let tickets = Tickets::new([1; 32], Arc::new(ManualClock::new(NOW_MS)));
    let proof = Proof::Session(SessionKey::lone(Gene(7), [9; 32]));
    let make =
        |raw| tickets.make(proof, Uid::new(raw).expect("it is one"), TicketStream::HomeTimeline, None).0;
    let right = [make(1), make(2)];
    let (mut dice, begun) = (Dice(3), Instant::now());
    for _ in 0..50_000 {
        let one = &right[dice.roll(2)];
        let changed = mutated(&mut dice, one, &right[0]);
        assert!(right.contains(&changed) || tickets.read(&changed).is_none(), "{changed}");
        if begun.elapsed() > RUN {
            break;
        }
    }
}

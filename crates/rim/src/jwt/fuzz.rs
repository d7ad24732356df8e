//! Fuzz targets of tokens, of the documents of keys, and of headers that are read of every client.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_certs::{AUDIENCE, ISSUER, Signer, claims, jwks};
use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::{ManualClock, Uid};
use guanxi_ports::EndedUsers;

use super::der::{PublicKey, public_key};
use super::key_set::{KeySet, Origin};
use super::token::Unverified;
use super::{Jwt, JwtRules, JwtSources, SubjectUids};
use crate::calls::TraceContext;
use crate::cors::Origins;
use crate::limits::{JWT_KEYS_MAX, JWT_LEN_MAX};
use crate::peer::TrustedProxies;

/// When it is.
const NOW_MS: u64 = 1_750_000_000_000;

/// No user is ended.
struct NobodyEnded;

impl EndedUsers for NobodyEnded {
    fn is_gone(&self, _uid: Uid) -> bool {
        false
    }

    fn not_before_ms(&self, _uid: Uid) -> u64 {
        0
    }
}

/// Verifies tokens that were signed with a secret.
fn verifier(secret: &[u8]) -> Jwt {
    let dir = tempfile::tempdir().expect("there is room");
    let path = dir.path().join("secret");
    std::fs::write(&path, secret).expect("there is room");
    let sources = JwtSources { secret: Some(path), ..JwtSources::default() };
    let rules = JwtRules {
        issuer: ISSUER.into(),
        audience: AUDIENCE.into(),
        subjects: Arc::new(SubjectUids),
        leeway: Duration::from_secs(30),
        life_max: Duration::from_hours(2),
    };
    Jwt::read(sources, rules, Arc::new(ManualClock::new(NOW_MS)), Arc::new(NobodyEnded))
        .expect("the secret is right")
}

#[test]
fn tokens_are_refused_or_signed_and_right() {
    let signer = Signer::secret(&[7; 32]);
    let jwt = verifier(&[7; 32]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("there is room");
    let right = signer.token("", 7, NOW_MS);
    let seeds = [
        format!("0{right}"),
        format!("1{}", claims(7, NOW_MS)),
        "1{\"exp\":1.5e300,\"aud\":[\"guanxi\"]}".into(),
    ];
    let header = r#"2{"alg":"HS256","typ":"at+jwt","kid":"a","crit":null}"#;
    fuzz(
        "jwt",
        &[seeds[0].as_bytes(), seeds[1].as_bytes(), seeds[2].as_bytes(), header.as_bytes()],
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (kind, rest) = match text.chars().next() {
                Some(first) if first.is_ascii() => text.split_at(1),
                _ => ("", &*text),
            };
            let token = match kind {
                // Claims and headers of our own issuer, so that what is behind the signature is met as well.
                "1" => signer.sign_text(&signer.header(""), rest),
                "2" => {
                    let rest =
                        [rest, &claims(7, NOW_MS).to_string()].map(|part| URL_SAFE_NO_PAD.encode(part));
                    format!("{}.{}.AAAA", rest[0], rest[1])
                }
                _ => rest.to_owned(),
            };
            let parts = match Unverified::read(&token) {
                Ok(parts) => {
                    assert!(token.len() <= JWT_LEN_MAX && token.as_bytes().starts_with(parts.signed));
                    Ok((parts.kid.map(|kid| kid.len()), parts.signature.len() % 4))
                }
                Err(problem) => Err(format!("{problem:?}")),
            };
            let told = match runtime.block_on(jwt.verify(&token)) {
                Ok(verified) => {
                    assert!(verified.expires_ms > NOW_MS, "it has ended");
                    assert!(kind == "1" || token == right, "{token} is nobody's");
                    "right".to_owned()
                }
                Err(error) => format!("{:?}", error.reason),
            };
            came_to((kind, parts, told))
        },
    );
}

/// The form of a key: what comes before its bytes, from the inside out.
fn wrapped(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).expect("keys are short");
    let head = match value.len() {
        0..0x80 => vec![tag, length as u8],
        0x80..0x100 => vec![tag, 0x81, length as u8],
        _ => [&[tag, 0x82][..], &length.to_be_bytes()].concat(),
    };
    [head, value.to_vec()].concat()
}

#[test]
fn public_keys_are_refused_or_parts_of_what_was_read() {
    let ed25519 =
        [&[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00][..], &[7; 32]].concat();
    let rsa_id = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    let numbers = wrapped(0x30, &[wrapped(2, &[0, 0xc1, 5]), wrapped(2, &[1, 0, 1])].concat());
    let rsa_key = wrapped(3, &[&[0][..], &numbers].concat());
    let rsa = wrapped(0x30, &[wrapped(0x30, &[wrapped(6, &rsa_id), vec![5, 0]].concat()), rsa_key].concat());
    assert!(matches!(public_key(&rsa), Some(PublicKey::Rsa { .. })));
    assert_eq!(public_key(&ed25519), Some(PublicKey::Ed25519(&[7; 32])));
    fuzz("der", &[&ed25519, &rsa], |bytes| {
        let found = public_key(bytes);
        let inside = |part: &[u8]| part.is_empty() || bytes.windows(part.len()).any(|window| window == part);
        came_to(match found {
            None => (0, bytes.iter().take(6).copied().collect::<Vec<_>>()),
            Some(PublicKey::Rsa { modulus, exponent }) => {
                assert!(inside(modulus) && inside(exponent));
                (1, vec![modulus.len().min(255) as u8, exponent.len().min(255) as u8])
            }
            Some(PublicKey::P256(key)) => {
                assert!(inside(key));
                (2, vec![key.len().min(255) as u8])
            }
            Some(PublicKey::Ed25519(key)) => {
                assert!(inside(key));
                (3, vec![key.len().min(255) as u8])
            }
        })
    });
}

#[test]
fn documents_of_keys_are_refused_or_hold_keys() {
    let keys = jwks(&[Signer::ed25519().jwk("a"), Signer::p256().jwk("b"), Signer::secret(&[7; 32]).jwk("")]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests-data/jwt/ed25519.pem");
    let pem = std::fs::read(path).expect("it is in the repository");
    fuzz("jwks", &[keys.as_bytes(), &pem, &[7; 32]], |bytes| {
        let told = |read: Result<KeySet, String>| match read {
            Ok(keys) => {
                // Only a set may hold none.
                let is_set = bytes.windows(6).any(|part| part == b"\"keys\"");
                assert!((usize::from(!is_set)..=JWT_KEYS_MAX).contains(&keys.len()));
                Ok(keys.len())
            }
            Err(text) => {
                assert!(text.len() <= bytes.len() * 8 + 512, "{text}");
                Err(text.chars().filter(char::is_ascii_alphabetic).take(40).collect::<String>())
            }
        };
        let read = [Origin::File, Origin::Url].map(|origin| told(KeySet::read(bytes, origin)));
        came_to((read, told(KeySet::of_secret(bytes))))
    });
}

#[test]
fn headers_of_everybody_are_ignored_or_read_the_same_again() {
    let trace = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    fuzz(
        "headers",
        &[trace, b"10.0.0.0/8,fd00::/8", b"https://app.example:8443,http://localhost"],
        |bytes| {
            let trace = TraceContext::parse(bytes);
            if let Some(trace) = &trace {
                assert_eq!(TraceContext::parse(trace.header().as_bytes()).as_ref(), Some(trace));
            }
            let text = String::from_utf8_lossy(bytes);
            let words: Vec<&str> = text.split(',').take(8).collect();
            let (proxies, origins) = (TrustedProxies::parse(&words), Origins::parse(&words));
            let mut told = String::new();
            for error in [proxies.map(drop), origins.map(drop)].into_iter().filter_map(Result::err) {
                assert!(error.len() <= bytes.len() * 8 + 512, "{error}");
                write!(
                    told,
                    "{}",
                    error.chars().filter(char::is_ascii_alphabetic).take(12).collect::<String>()
                )
                .expect("a string takes all");
            }
            came_to((trace.map(|trace| trace.flags), told, words.len()))
        },
    );
}

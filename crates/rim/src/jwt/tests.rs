//! Tokens that are accepted, and all the others.

use std::fs;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use guanxi_certs::{AUDIENCE, ISSUER, Signer, claims, jwks};
use guanxi_model::{ManualClock, Reason, SessionCommand, Write};
use guanxi_ports::Facts as _;
use guanxi_spec::memory::{MemoryStore, Options};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::mutations::{Dice, mutated};
use super::*;
use crate::limits::{JWKS_BYTES_MAX, JWKS_UNKNOWN_KEY_PAUSE, JWT_KEYS_MAX, JWT_LEN_MAX};

/// The time of the tokens in `tests-data/jwt`, which another library has signed.
const NOW_MS: u64 = 1_750_000_000_000;

fn data(name: &str) -> String {
    format!("{}/../../tests-data/jwt/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A verifier, and what it stands on.
struct World {
    jwt: Arc<Jwt>,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    dir: tempfile::TempDir,
}

impl World {
    fn try_of(sources: impl FnOnce(&std::path::Path) -> JwtSources) -> Result<Self, String> {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let rules = JwtRules {
            issuer: ISSUER.into(),
            audience: AUDIENCE.into(),
            subjects: Arc::new(SubjectUids),
            leeway: Duration::from_secs(30),
            life_max: Duration::from_hours(2),
        };
        let jwt = Jwt::read(sources(dir.path()), rules, clock.clone(), store.clone());
        Ok(Self { jwt: Arc::new(jwt.map_err(|error| error.to_string())?), clock, store, dir })
    }

    /// With a document of keys as its file.
    fn with(document: &str) -> Result<Self, String> {
        Self::try_of(|dir| {
            let path = dir.join("keys");
            fs::write(&path, document).unwrap();
            JwtSources { files: vec![path], ..JwtSources::default() }
        })
    }

    fn with_keys(keys: &[Value]) -> Self {
        Self::with(&jwks(keys)).unwrap()
    }

    /// With a secret as its file.
    fn with_secret(secret: &[u8]) -> Result<Self, String> {
        Self::try_of(|dir| {
            let path = dir.join("secret");
            fs::write(&path, secret).unwrap();
            JwtSources { secret: Some(path), ..JwtSources::default() }
        })
    }

    async fn uid(&self, token: &str) -> Result<u64, &'static str> {
        match self.jwt.verify(token).await {
            Ok(verified) => Ok(verified.proof.uid.get()),
            Err(error) => match error.reason {
                Reason::TokenRefused { problem } => Err(problem),
                other => panic!("{other:?}"),
            },
        }
    }
}

#[tokio::test]
async fn each_algorithm_is_verified_by_its_own_key_alone() {
    let signers = Signer::all();
    let keys: Vec<Value> = signers.iter().map(|signer| signer.jwk(signer.alg())).collect();
    let world = World::with_keys(&keys);
    for signer in &signers {
        assert_eq!(world.uid(&signer.token(signer.alg(), 7, NOW_MS)).await, Ok(7), "{}", signer.alg());
        assert_eq!(world.uid(&signer.token("", 7, NOW_MS)).await, Ok(7), "the only one of its algorithm");
        assert_eq!(world.uid(&signer.token("other", 7, NOW_MS)).await, Err("key"));
        for other in &signers {
            if other.alg() != signer.alg() {
                let named = signer.token(other.alg(), 7, NOW_MS);
                assert_eq!(world.uid(&named).await, Err("algorithm"), "{}", other.alg());
                let header = json!({ "alg": other.alg(), "kid": other.alg() });
                let forged = signer.sign(&header, &claims(7, NOW_MS));
                assert_eq!(world.uid(&forged).await, Err("signature"), "{}", other.alg());
            }
        }
    }
    let strangers = [Signer::p256(), Signer::ed25519(), Signer::secret(&[8; 32])];
    for stranger in &strangers {
        assert_eq!(world.uid(&stranger.token(stranger.alg(), 7, NOW_MS)).await, Err("signature"));
    }
}

#[tokio::test]
async fn pem_files_verify_what_another_library_has_signed() {
    for (key, alg) in [("rsa", "RS256"), ("p256", "ES256"), ("ed25519", "EdDSA")] {
        let token = fs::read_to_string(data(&format!("{key}.jwt"))).unwrap();
        let files = vec![data(&format!("{key}.pem")).into()];
        let world = World::try_of(|_| JwtSources { files, ..JwtSources::default() }).unwrap();
        assert_eq!(world.uid(token.trim()).await, Ok(7), "{alg}");
        // A key without a name verifies tokens that give any name.
        if key == "rsa" {
            assert_eq!(world.uid(&Signer::rsa().token("any", 8, NOW_MS)).await, Ok(8));
            assert_eq!(world.uid(&Signer::p256().token("any", 8, NOW_MS)).await, Err("key"));
        }
    }
    let all = ["rsa", "p256", "ed25519"].map(|key| data(&format!("{key}.pem")).into()).to_vec();
    let world = World::try_of(|_| JwtSources { files: all, ..JwtSources::default() }).unwrap();
    for key in ["rsa", "p256", "ed25519"] {
        let token = fs::read_to_string(data(&format!("{key}.jwt"))).unwrap();
        assert_eq!(world.uid(token.trim()).await, Ok(7));
    }
}

#[tokio::test]
async fn a_public_key_is_never_a_secret() {
    let pem = fs::read(data("rsa.pem")).unwrap();
    let world =
        World::try_of(|_| JwtSources { files: vec![data("rsa.pem").into()], ..JwtSources::default() });
    let world = world.unwrap();
    let der = {
        use tokio_rustls::rustls::pki_types::SubjectPublicKeyInfoDer;
        use tokio_rustls::rustls::pki_types::pem::PemObject as _;
        SubjectPublicKeyInfoDer::from_pem_slice(&pem).unwrap().as_ref().to_vec()
    };
    for secret in [&pem[..], pem.trim_ascii_end(), &der] {
        let forged = Signer::secret(secret).token("", 7, NOW_MS);
        assert_eq!(world.uid(&forged).await, Err("key"));
        let refused = World::with_secret(secret).err().unwrap();
        assert!(refused.contains("jwt_key_files"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_not_signed_is_refused_however_it_is_spelled() {
    let signer = Signer::secret(&[7; 32]);
    let world = World::with_keys(&[signer.jwk("")]);
    for alg in ["none", "None", "NONE", "nOnE", "", "hs256", "HS384", "RS512", "PS256", "ES256K", "dir"] {
        let token = signer.sign(&json!({ "alg": alg }), &claims(7, NOW_MS));
        assert_eq!(world.uid(&token).await, Err("algorithm"), "{alg}");
        let (head, _) = token.rsplit_once('.').unwrap();
        assert_eq!(world.uid(&format!("{head}.")).await, Err("algorithm"), "{alg}");
    }
    let right = signer.token("", 7, NOW_MS);
    let (head, signature) = right.rsplit_once('.').unwrap();
    assert_eq!(world.uid(&format!("{head}.")).await, Err("signature"));
    let cut = format!("{head}.{}", &signature[..40]);
    assert_eq!(world.uid(&cut).await, Err("signature"));
}

#[tokio::test]
async fn a_token_has_three_parts_and_a_plain_header() {
    let signer = Signer::secret(&[7; 32]);
    let world = World::with_keys(&[signer.jwk("")]);
    let right = signer.token("", 7, NOW_MS);
    let long = format!("{right}{}", "A".repeat(8_192));
    assert_eq!(world.uid(&long).await, Err("too_long"));
    let fits = JWT_LEN_MAX - right.len();
    assert_eq!(world.uid(&format!("{right}{}", "A".repeat(fits))).await, Err("signature"));
    assert_eq!(world.uid(&format!("{right}{}", "A".repeat(fits + 1))).await, Err("too_long"));
    let parts: Vec<&str> = right.split('.').collect();
    let padded = format!("{}=.{}.{}", parts[0], parts[1], parts[2]);
    let four = format!("{right}.");
    let five = format!("{right}.a.b");
    let two = format!("{}.{}", parts[0], parts[1]);
    let blank = format!("{} .{}.{}", parts[0], parts[1], parts[2]);
    for bad in [".", "..", "a.b.c", "é.é.é", &padded, &four, &five, &two, &blank] {
        assert_eq!(world.uid(bad).await, Err("malformed"), "{bad}");
    }
    for header in [
        json!({}),
        json!({ "alg": 1 }),
        json!([]),
        json!({ "alg": "HS256", "crit": ["exp"] }),
        json!({ "alg": "HS256", "crit": [] }),
        json!({ "alg": "HS256", "crit": null }),
        json!({ "alg": "HS256", "typ": "logout+jwt" }),
        json!({ "alg": "HS256", "typ": 1 }),
        json!({ "alg": "HS256", "kid": "k".repeat(257) }),
        json!({ "alg": "HS256", "kid": ["k"] }),
    ] {
        let token = signer.sign(&header, &claims(7, NOW_MS));
        assert_eq!(world.uid(&token).await, Err("malformed"), "{header}");
    }
    for typ in ["JWT", "jwt", "at+jwt", "application/at+jwt"] {
        let token = signer.sign(&json!({ "alg": "HS256", "typ": typ }), &claims(7, NOW_MS));
        assert_eq!(world.uid(&token).await, Ok(7), "{typ}");
    }
    // A key that comes along is not read.
    let own = Signer::p256();
    let header = json!({ "alg": "ES256", "jwk": own.jwk("a"), "jku": "https://evil.example", "x5c": ["a"] });
    assert_eq!(world.uid(&own.sign(&header, &claims(7, NOW_MS))).await, Err("key"));
}

#[tokio::test]
async fn claims_are_those_that_are_set_up() {
    let signer = Signer::secret(&[7; 32]);
    let world = World::with_keys(&[signer.jwk("")]);
    let now = NOW_MS / 1_000;
    let with = |key: &str, value: Value| {
        let mut claims = claims(7, NOW_MS);
        claims[key] = value;
        signer.sign(&signer.header(""), &claims)
    };
    let without = |key: &str| {
        let mut claims = claims(7, NOW_MS);
        claims.as_object_mut().unwrap().remove(key);
        signer.sign(&signer.header(""), &claims)
    };
    let cases = [
        (without("iss"), Err("issuer")),
        (with("iss", json!("https://issuer.example/")), Err("issuer")),
        (with("iss", json!(7)), Err("claims")),
        (without("aud"), Err("audience")),
        (with("aud", json!("guanxi2")), Err("audience")),
        (with("aud", json!([])), Err("audience")),
        (with("aud", json!(["other"])), Err("audience")),
        (with("aud", json!(["other", "guanxi"])), Ok(7)),
        (with("aud", json!({ "guanxi": true })), Err("claims")),
        (without("sub"), Err("claims")),
        (with("sub", json!(7)), Err("claims")),
        (with("sub", json!("07")), Err("subject")),
        (with("sub", json!("0")), Err("subject")),
        (with("sub", json!("alice")), Err("subject")),
        (without("exp"), Err("claims")),
        (with("exp", json!(null)), Err("claims")),
        (with("exp", json!("tomorrow")), Err("claims")),
        (with("exp", json!(-1)), Err("claims")),
        (with("exp", json!(1e300)), Err("claims")),
        (with("exp", json!(u64::MAX)), Err("claims")),
        (with("exp", json!(now - 30)), Err("expired")),
        (with("exp", json!(now - 29)), Ok(7)),
        (with("exp", json!(now as f64 - 29.5)), Ok(7)),
        (with("exp", json!(now + 7_200)), Ok(7)),
        (with("exp", json!(now + 7_201)), Err("lives_too_long")),
        (with("nbf", json!(now + 30)), Ok(7)),
        (with("nbf", json!(now + 31)), Err("not_yet_valid")),
        (with("nbf", json!("now")), Err("claims")),
        (without("iat"), Err("claims")),
        (with("iat", json!(now + 30)), Ok(7)),
        (with("iat", json!(now + 31)), Err("not_yet_valid")),
        (with("more", json!({ "roles": ["admin"], "scope": "everything" })), Ok(7)),
    ];
    for (token, expected) in cases {
        assert_eq!(world.uid(&token).await, expected, "{token}");
    }
    let twice = format!(
        r#"{{"iss":"{ISSUER}","aud":"{AUDIENCE}","sub":"7","sub":"8","iat":{now},"exp":{}}}"#,
        now + 60
    );
    let once = signer.sign(&signer.header(""), &serde_json::from_str(&twice).unwrap());
    assert_eq!(world.uid(&once).await, Ok(8), "as the signer meant it");
    assert_eq!(world.uid(&signer.sign_text(&signer.header(""), &twice)).await, Err("claims"), "said twice");
    let token = signer.token("", 7, NOW_MS);
    world.clock.advance(3_600_000 + 29_999);
    assert_eq!(world.uid(&token).await, Ok(7));
    world.clock.advance(1);
    assert_eq!(world.uid(&token).await, Err("expired"));
}

#[tokio::test]
async fn a_user_who_signed_out_everywhere_needs_a_newer_token() {
    let signer = Signer::ed25519();
    let world = World::with_keys(&[signer.jwk("a")]);
    let token = signer.token("a", 7, NOW_MS);
    let proof = world.jwt.verify(&token).await.unwrap().proof;
    world.clock.advance(5_300);
    let at_ms = world.clock.now_ms();
    world.store.apply(Write::of(SessionCommand::SignOut { uid: proof.uid })).await.unwrap();
    assert_eq!(world.uid(&token).await, Err("ended"));
    assert!(!world.jwt.stands(proof));
    assert_eq!(world.uid(&signer.token("a", 8, NOW_MS)).await, Ok(8), "others are not");
    // `iat` is in seconds: one of the second of the sign-out may be from before it, one of the next is not.
    world.clock.set(NOW_MS + 5_900);
    assert_eq!(world.uid(&signer.token("a", 7, world.clock.now_ms())).await, Err("ended"));
    world.clock.set(NOW_MS + 6_000);
    assert_eq!(world.uid(&signer.token("a", 7, world.clock.now_ms())).await, Ok(7));
    // An issuer that tells milliseconds makes no caller wait.
    let exact = |ms: u64| {
        let mut claims = claims(7, NOW_MS);
        claims["iat"] = json!(ms as f64 / 1_000.0);
        signer.sign(&signer.header("a"), &claims)
    };
    assert_eq!(world.uid(&exact(at_ms)).await, Err("ended"));
    assert_eq!(world.uid(&exact(at_ms + 1)).await, Ok(7));
    let mut claims = claims(7, NOW_MS + 6_000);
    claims.as_object_mut().unwrap().remove("iat");
    assert_eq!(world.uid(&signer.sign(&signer.header("a"), &claims)).await, Err("claims"), "none is guessed");
}

#[test]
fn keys_that_cannot_be_used_are_refused_with_what_to_do() {
    let rsa = Signer::rsa();
    let with = |key: &str, value: &str| {
        let mut jwk = rsa.jwk("a");
        jwk[key] = json!(value);
        jwk.to_string()
    };
    let many: Vec<Value> = (0..=JWT_KEYS_MAX).map(|n| rsa.jwk(&n.to_string())).collect();
    let nameless = vec![rsa.jwk(""); 5];
    let read = |name: &str| fs::read_to_string(data(name)).unwrap();
    let cases = [
        (String::new(), "neither a JWKS nor a public key"),
        ("hello".into(), "neither a JWKS nor a public key"),
        ("{".into(), "no JSON"),
        ("{}".into(), "no JWK"),
        (r#"{"keys":{}}"#.into(), "no JWKS"),
        (with("alg", "RS512"), "is not RS256"),
        (with("use", "enc"), "not for verifying"),
        (with("n", "AQAB"), "its modulus has 17 bits"),
        (with("n", "not base64!"), "no `n`"),
        (with("e", "AQ"), "not those of an RSA key"),
        (Signer::secret(&[7; 31]).jwk("a").to_string(), "31 bytes"),
        (read("rsa.key.pem"), "openssl pkey -pubout"),
        (read("rsa1024.pem"), "its modulus has 1024 bits"),
        (read("p384.pem"), "no public key of RSA, P-256"),
        (jwks(&[rsa.jwk("a"), rsa.jwk("a")]), "two keys have the kid \"a\""),
        (jwks(&many), "at most 64"),
        (jwks(&nameless), "without a `kid`"),
        (" ".repeat(JWKS_BYTES_MAX + 1), "more than"),
    ];
    for (document, why) in cases {
        let refused = World::with(&document).err().expect(why);
        assert!(refused.contains(why) && refused.contains("keys"), "{why}: {refused}");
    }
    for (secret, why) in [(&b"short"[..], "5 bytes"), (&[7; 31], "31 bytes"), (b"", "0 bytes")] {
        let refused = World::with_secret(secret).err().expect(why);
        assert!(refused.contains(why), "{refused}");
    }
    let missing = World::try_of(|dir| JwtSources { files: vec![dir.join("none")], ..JwtSources::default() });
    assert!(missing.err().unwrap().contains("cannot read"));
}

#[tokio::test]
async fn keys_for_other_ends_are_left_out_and_those_of_one_name_told_apart() {
    let (rsa, p256) = (Signer::rsa(), Signer::p256());
    let mut encrypts = rsa.jwk("b");
    encrypts["use"] = json!("enc");
    let odd = [json!({ "kty": "EC", "crv": "P-521", "x": "AA", "y": "AA" }), json!("no key"), encrypts];
    let of_one_name = [rsa.jwk("a"), p256.jwk("a")];
    let world = World::with_keys(&[&odd[..], &of_one_name].concat());
    for signer in [&rsa, &p256] {
        assert_eq!(world.uid(&signer.token("a", 7, NOW_MS)).await, Ok(7));
    }
    assert_eq!(world.uid(&rsa.token("b", 7, NOW_MS)).await, Err("key"));
    let mut plain = p256.jwk("c");
    plain.as_object_mut().unwrap().remove("alg");
    let world = World::with(&plain.to_string()).unwrap();
    assert_eq!(world.uid(&p256.token("c", 7, NOW_MS)).await, Ok(7), "its type says its algorithm");
}

#[tokio::test]
async fn a_line_break_behind_a_secret_in_text_is_none_of_it() {
    let text = "correct-horse-battery-staple-and-more";
    let world = World::with_secret(format!("{text}\n").as_bytes()).unwrap();
    assert_eq!(world.uid(&Signer::secret(text.as_bytes()).token("", 7, NOW_MS)).await, Ok(7));
    let bytes = [&[200; 32][..], b"\n"].concat();
    let world = World::with_secret(&bytes).unwrap();
    assert_eq!(world.uid(&Signer::secret(&bytes).token("", 7, NOW_MS)).await, Ok(7));
}

#[tokio::test(start_paused = true)]
async fn keys_rotate_by_file_and_bad_files_change_nothing() {
    let (old, new) = (Signer::ed25519(), Signer::ed25519());
    let world = World::with_keys(&[old.jwk("old")]);
    let path = world.dir.path().join("keys");
    let jwt = Arc::clone(&world.jwt);
    let following = tokio::spawn(async move { jwt.follow().await });
    let look = || tokio::time::sleep(2 * crate::files::LOOK_EVERY);
    let (of_old, of_new) = (old.token("old", 7, NOW_MS), new.token("new", 8, NOW_MS));
    let proof = world.jwt.verify(&of_old).await.unwrap().proof;
    fs::write(&path, jwks(&[old.jwk("old"), new.jwk("new")])).unwrap();
    look().await;
    assert_eq!((world.uid(&of_old).await, world.uid(&of_new).await), (Ok(7), Ok(8)));
    fs::write(&path, "broken").unwrap();
    look().await;
    assert!(!world.jwt.reload());
    fs::remove_file(&path).unwrap();
    look().await;
    assert_eq!((world.uid(&of_old).await, world.uid(&of_new).await), (Ok(7), Ok(8)), "those before stay");
    fs::write(&path, jwks(&[new.jwk("new")])).unwrap();
    assert!(world.jwt.reload(), "at once, as SIGHUP does");
    assert_eq!((world.uid(&of_old).await, world.uid(&of_new).await), (Err("key"), Ok(8)));
    assert!(!world.jwt.stands(proof), "what it has signed ends with it");
    let proof = world.jwt.verify(&of_new).await.unwrap().proof;
    fs::write(&path, jwks(&[])).unwrap();
    assert!(world.jwt.reload(), "an empty set is a set");
    assert_eq!(world.uid(&of_new).await, Err("key"));
    assert!(!world.jwt.stands(proof));
    following.abort();
}

/// An issuer that publishes keys.
struct Issuer {
    address: SocketAddr,
    answer: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    async fn start(keys: &[Value]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (answer, asked) = (Arc::new(Mutex::new(String::new())), Arc::new(AtomicUsize::new(0)));
        let issuer = Self { address, answer: answer.clone(), asked: asked.clone() };
        issuer.publish(keys);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answer, asked) = (answer.clone(), asked.clone());
                tokio::spawn(async move {
                    let _ = stream.read(&mut [0; 4_096]).await;
                    asked.fetch_add(1, Ordering::Relaxed);
                    let text = answer.lock().unwrap().clone();
                    if text.is_empty() {
                        std::future::pending::<()>().await;
                    }
                    let _ = stream.write_all(text.as_bytes()).await;
                });
            }
        });
        issuer
    }

    fn say(&self, status: &str, body: &str) {
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
        *self.answer.lock().unwrap() = format!("{head}location: http://127.0.0.1:9/\r\n\r\n{body}");
    }

    fn publish(&self, keys: &[Value]) {
        self.say("200 OK", &jwks(keys));
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn verifier(&self, every: Duration) -> World {
        let address = format!("http://{}/jwks.json", self.address);
        let url = Some(JwksUrl::new(&address, None, every).unwrap());
        World::try_of(|_| JwtSources { url, ..JwtSources::default() }).unwrap()
    }

    /// Completes when it has been asked so often: all answers but the last were taken.
    async fn was_asked(&self, times: usize) {
        while self.asked() < times {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn keys_rotate_by_address_and_no_answer_changes_nothing() {
    let (old, new) = (Signer::p256(), Signer::p256());
    let issuer = Issuer::start(&[old.jwk("old"), Signer::secret(&[7; 32]).jwk("secret")]).await;
    let world = issuer.verifier(Duration::from_millis(50));
    let of_old = old.token("old", 7, NOW_MS);
    assert_eq!(world.uid(&of_old).await, Err("key"), "nothing was read yet");
    let jwt = Arc::clone(&world.jwt);
    let following = tokio::spawn(async move { jwt.follow().await });
    issuer.was_asked(2).await;
    assert_eq!(world.uid(&of_old).await, Ok(7));
    let secret = Signer::secret(&[7; 32]).token("secret", 7, NOW_MS);
    assert_eq!(world.uid(&secret).await, Err("key"), "a secret that others can read is none");
    let large = " ".repeat(JWKS_BYTES_MAX + 1);
    for (status, body) in
        [("500 Internal Server Error", "{}"), ("302 Found", ""), ("200 OK", "{"), ("200 OK", &large)]
    {
        issuer.say(status, body);
        issuer.was_asked(issuer.asked() + 2).await;
        assert_eq!(world.uid(&of_old).await, Ok(7), "after {status}");
    }
    issuer.publish(&[new.jwk("new")]);
    issuer.was_asked(issuer.asked() + 2).await;
    assert_eq!(world.uid(&of_old).await, Err("key"));
    assert_eq!(world.uid(&new.token("new", 8, NOW_MS)).await, Ok(8));
    following.abort();
}

#[tokio::test(start_paused = true)]
async fn an_unknown_key_is_asked_for_soon_and_not_at_will() {
    let (old, new) = (Signer::p256(), Signer::p256());
    let issuer = Issuer::start(&[old.jwk("old")]).await;
    let world = issuer.verifier(Duration::from_hours(1));
    let jwt = Arc::clone(&world.jwt);
    let following = tokio::spawn(async move { jwt.follow().await });
    issuer.was_asked(1).await;
    issuer.publish(&[old.jwk("old"), new.jwk("new")]);
    let began = tokio::time::Instant::now();
    let token = new.token("new", 8, NOW_MS);
    while world.uid(&token).await == Err("key") {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(world.uid(&token).await, Ok(8));
    assert!(began.elapsed() <= JWKS_UNKNOWN_KEY_PAUSE * 2, "{:?}", began.elapsed());
    let (asked, began) = (issuer.asked(), tokio::time::Instant::now());
    while began.elapsed() < Duration::from_secs(100) {
        assert_eq!(world.uid(&old.token("made-up", 7, NOW_MS)).await, Err("key"));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(issuer.asked() - asked <= 11, "{}", issuer.asked() - asked);
    // An issuer that never answers delays no other call.
    issuer.answer.lock().unwrap().clear();
    tokio::time::sleep(Duration::from_hours(2)).await;
    assert_eq!(world.uid(&token).await, Ok(8));
    following.abort();
}

#[tokio::test]
async fn no_changed_token_is_accepted_and_none_panics() {
    let signers = Signer::all();
    let keys: Vec<Value> = signers.iter().map(|signer| signer.jwk(signer.alg())).collect();
    let world = World::with_keys(&keys);
    let right: Vec<String> = (7..9)
        .flat_map(|uid| signers.iter().map(move |signer| signer.token(signer.alg(), uid, NOW_MS)))
        .collect();
    let (mut dice, mut tried) = (Dice(1), 0);
    let began = std::time::Instant::now();
    while tried <= 500 || (tried < 100_000 && began.elapsed() < Duration::from_secs(3)) {
        let (token, other) = (&right[dice.roll(right.len())], &right[dice.roll(right.len())]);
        let changed = mutated(&mut dice, token, other);
        if !right.contains(&changed) {
            assert!(world.uid(&changed).await.is_err(), "{changed}");
            tried += 1;
        }
    }
}

//! Tokens of another issuer: the settings, and keys that change under a server.

use super::run::{Scratch, Server, guanxi, wait_for};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

const OLD: &str = "an-old-secret-that-nobody-will-guess";
const NEW: &str = "the-new-secret-that-nobody-will-guess";

/// A token for an hour, signed by HS256 with another program.
fn token(secret: &str, claims: &Value) -> String {
    #[expect(clippy::disallowed_methods, reason = "the server in its process has the machine's clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut all = json!({ "iss": "https://issuer.example", "aud": "guanxi", "iat": now, "exp": now + 3_600 });
    for (key, value) in claims.as_object().unwrap() {
        all[key] = value.clone();
    }
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(json!({ "alg": "HS256", "typ": "JWT" })), part(all));
    let mut openssl = Command::new("openssl")
        .args(["dgst", "-sha256", "-binary", "-hmac", secret])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("openssl is installed");
    openssl.stdin.take().unwrap().write_all(signed.as_bytes()).unwrap();
    let signature = openssl.wait_with_output().unwrap().stdout;
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

#[test]
fn browsers_with_tokens_of_an_issuer_are_let_in_and_its_keys_change_under_the_server() {
    let scratch = Scratch::new();
    let secret = scratch.file("jwt.secret", format!("{OLD}\n"));
    let settings = [
        ["--jwt-secret-file", &secret],
        ["--jwt-issuer", "https://issuer.example"],
        ["--jwt-audience", "guanxi"],
        ["--jwt-subject", "uid"],
    ];
    let server = Server::start(&scratch.arg("data"), &settings.concat());
    let follow = json!({ "subject": "7", "object": "2" });
    let ask = |token: &str| server.call_as(Some(token), "Follow", &follow);
    let own = token(OLD, &json!({ "sub": "7" }));
    assert_eq!(ask(&own)["code"], Value::Null);
    assert_eq!(ask(&token(OLD, &json!({ "sub": "8" })))["code"], "permission_denied");
    let problem = |token: &str| ask(token)["details"][0]["debug"]["metadata"]["problem"].clone();
    assert_eq!(problem(&token(NEW, &json!({ "sub": "7" }))), "signature");
    assert_eq!(problem(&token(OLD, &json!({ "sub": "7", "aud": "other" }))), "audience");
    assert_eq!(problem(&token(OLD, &json!({ "sub": "7", "exp": 4_000_000_000_u64 }))), "lives_too_long");

    fs::write(&secret, "short").unwrap();
    server.signal("HUP");
    wait_for(|| server.log().contains("the keys for JWTs cannot be used; those before stay"));
    assert_eq!(ask(&own)["code"], Value::Null);
    let failing = "guanxi_jwt_key_reads_failing{source=\"file\"}";
    assert!(crate::ops::metrics::page(&server).contains(&format!("{failing} 1\n")));
    fs::write(&secret, NEW).unwrap();
    server.signal("HUP");
    wait_for(|| ask(&token(NEW, &json!({ "sub": "7" })))["code"].is_null());
    assert_eq!(problem(&own), "signature");

    let page = crate::ops::metrics::page(&server);
    let shows = |line: &str| assert!(page.contains(line), "{line}: {page}");
    shows("guanxi_jwt_keys 1\n");
    shows("guanxi_jwt_tokens_total{outcome=\"audience\"} 1\n");
    shows("guanxi_jwt_key_reads_total{source=\"file\",outcome=\"failed\"}");
    shows(&format!("{failing} 0\n"));
    let log = server.log();
    for secret in [OLD, NEW, "short", own.rsplit_once('.').unwrap().1] {
        assert!(!log.contains(secret) && !page.contains(secret), "{secret} is told");
    }
    server.stop();
}

/// A browser's token names its user as the issuer does, once a service has made a uid for that.
#[test]
fn the_sub_of_a_token_may_be_an_id_of_the_issuers_own() {
    const UUID: &str = "0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60";
    let scratch = Scratch::new();
    let (secret, dir) = (scratch.file("jwt.secret", OLD), scratch.arg("data"));
    let settings = [
        ["--jwt-secret-file", &secret],
        ["--jwt-issuer", "https://issuer.example"],
        ["--jwt-audience", "guanxi"],
        ["--jwt-subject", "external"],
    ];
    let server = Server::start(&dir, &settings.concat());
    let own = token(OLD, &json!({ "sub": UUID }));
    let follow = |token: &str, subject: &str, object: &str| {
        server.call_as(Some(token), "Follow", &json!({ "subject": subject, "object": object }))
    };
    let problem = |answer: Value| answer["details"][0]["debug"]["metadata"]["problem"].clone();
    let unknown = follow(&own, "0", "2");
    assert!(unknown["message"].as_str().unwrap().contains("ResolveIds"), "it says what to do: {unknown}");
    assert_eq!(problem(unknown), "unknown_subject");
    assert_eq!(problem(follow(&token(OLD, &json!({ "sub": "" })), "0", "2")), "subject");
    let create = json!({ "externalIds": [UUID, "other"], "create": true }).to_string();
    let made = super::run::run(&["call", "AdminService/ResolveIds", &create, "--data", &dir]).json();
    assert_eq!(made["byExternalId"][0]["created"], true, "{made}");
    for subject in ["0", &format!("ext:{UUID}"), made["byExternalId"][0]["uid"].as_str().unwrap()] {
        assert_eq!(follow(&own, subject, "ext:other")["relation"]["state"], "FOLLOWING", "{subject}");
    }
    assert_eq!(follow(&own, "ext:other", "2")["code"], "permission_denied");
    server.stop();
}

#[test]
fn keys_that_cannot_be_used_keep_a_server_from_starting() {
    let scratch = Scratch::new();
    let short = scratch.file("short", "guess me");
    let good = scratch.file("good", OLD);
    let issuer = ["--jwt-issuer", "https://issuer.example", "--jwt-audience", "guanxi"];
    let refused = |more: &[&str], why: &str| {
        let data = scratch.arg("data");
        let mut command = guanxi();
        command.args(["serve", "--data", &data, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let ran = super::run::Ran::of(command.args(issuer).args(more));
        assert!(ran.code != 0 && ran.stderr.contains(why), "{why}: {ran:?}");
    };
    let uid = ["--jwt-subject", "uid"];
    refused(&[], "`jwt_issuer` is for tokens of an issuer whose keys are not named");
    refused(&["--jwt-secret-file", &good], "`jwt_subject` is missing");
    refused(&[&uid[..], &["--jwt-secret-file", &short]].concat(), "HS256 wants 32 random ones");
    refused(&[&uid[..], &["--jwt-key-files", &good]].concat(), "neither a JWKS nor a public key in PEM");
    refused(&[&uid[..], &["--jwt-key-files", "/no/such"]].concat(), "cannot read /no/such");
    let plain = ["--jwt-jwks-url", "http://issuer.example/jwks.json"];
    refused(&[&uid[..], &plain].concat(), "must be an https:// address of a JWKS");
    refused(
        &[&uid[..], &["--jwt-secret-file", &good, "--no-auth"]].concat(),
        "`no_auth` accepts calls without a token",
    );
}

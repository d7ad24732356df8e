//! Keys of an issuer within a company: a JWKS over TLS, by a certificate that only the company's own CA vouches for.

use super::run::{Scratch, Server, wait_for};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_certs::{Authority, CertFiles};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

fn openssl(args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut openssl = command.spawn().expect("openssl is installed");
    openssl.stdin.take().unwrap().write_all(input).unwrap();
    let output = openssl.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    output.stdout
}

/// An RSA key in a file; as the issuer publishes it, and as it signs.
struct Key(PathBuf);

impl Key {
    fn new(path: PathBuf) -> Self {
        openssl(&["genrsa", "-out", path.to_str().unwrap(), "2048"], b"");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn jwks(&self) -> String {
        let said = openssl(&["rsa", "-in", self.path(), "-noout", "-modulus"], b"");
        let said = String::from_utf8(said).unwrap();
        let digits = said.trim().strip_prefix("Modulus=").unwrap();
        let bytes =
            (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
        let modulus = URL_SAFE_NO_PAD.encode(bytes.collect::<Vec<u8>>());
        json!({ "keys": [{ "kty": "RSA", "alg": "RS256", "kid": "1", "n": modulus, "e": "AQAB" }] })
            .to_string()
    }

    /// A token of a user for an hour.
    fn token(&self, uid: &str) -> String {
        #[expect(clippy::disallowed_methods, reason = "the server in its process has the machine's clock")]
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let claims = json!({ "iss": "https://issuer.example", "aud": "guanxi", "iat": now, "exp": now + 3_600, "sub": uid });
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed =
            format!("{}.{}", part(json!({ "alg": "RS256", "typ": "JWT", "kid": "1" })), part(claims));
        let signature = openssl(&["dgst", "-sha256", "-sign", self.path()], signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Serves the files of a directory over TLS, by another program than ours.
struct Issuer {
    program: Child,
    address: String,
}

impl Issuer {
    fn start(dir: &Path, pair: &CertFiles) -> Self {
        let mut command = Command::new("openssl");
        command.args(["s_server", "-accept", "127.0.0.1:0", "-HTTP"]).current_dir(dir);
        command.arg("-cert").arg(&pair.cert).arg("-key").arg(&pair.key);
        let mut program =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().strip_prefix("ACCEPT ")?.to_owned())).unwrap();
        // The rest of its output is of no use, and must not fill its pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { program, address }
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn keys_are_read_over_tls_from_whom_the_named_ca_vouches_for_and_nobody_else() {
    let scratch = Scratch::new();
    let dir = scratch.path("issuer");
    std::fs::create_dir(&dir).unwrap();
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let key = Key::new(scratch.path("key.pem"));
    // `openssl s_server -HTTP` sends a file as it is: so this is the whole answer.
    let body = key.jwks();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    std::fs::write(dir.join("jwks.json"), head + &body).unwrap();
    let issuer = Issuer::start(&dir, &ours.sign(&scratch.path(""), "issuer", &["127.0.0.1"]));
    let url = format!("https://{}/jwks.json", issuer.address);
    let serve = |name: &str, ca: Option<&Authority>| {
        let mut settings = ["--jwt-issuer", "https://issuer.example", "--jwt-audience", "guanxi"].to_vec();
        settings.extend(["--jwt-subject", "uid", "--jwt-jwks-url", &url]);
        let file = ca.map(|ca| ca.file(&scratch.path(""), &format!("{name}.pem")));
        settings.extend(file.iter().flat_map(|file| ["--jwt-jwks-ca", file.to_str().unwrap()]));
        Server::start(&scratch.arg(name), &settings)
    };
    let (follow, token) = (json!({ "subject": "7", "object": "2" }), key.token("7"));
    let trusting = serve("ours", Some(&ours));
    wait_for(|| trusting.call_as(Some(&token), "Follow", &follow)["code"].is_null());
    trusting.stop();
    // The same keys from an issuer that no CA vouches for are not taken, with another CA or with those of the machine.
    for (name, ca) in [("other", Some(&other)), ("machine", None)] {
        let server = serve(name, ca);
        wait_for(|| server.log().contains("the keys for JWTs cannot be read"));
        let refused = server.call_as(Some(&token), "Follow", &follow);
        let problem = &refused["details"][0]["debug"]["metadata"]["problem"];
        assert_eq!((&refused["code"], problem), (&json!("unauthenticated"), &json!("key")), "{name}");
        let log = server.log();
        assert!(
            log.contains("no CA that is trusted here has signed the server's certificate"),
            "{name}: {log}"
        );
        server.stop();
    }
}

//! TLS of the binary: its settings, its verbs over https, and certificates that change under it.

use super::run::{Scratch, Server, run, wait_for};
use guanxi_certs::{Authority, CertFiles};
use std::fs;
use std::path::Path;

/// Certificates in a directory, and a server that has them.
struct World {
    scratch: Scratch,
    ca: Authority,
    pair: CertFiles,
}

fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

impl World {
    fn new(names: &[&str]) -> Self {
        let (scratch, ca) = (Scratch::new(), Authority::new("ca"));
        let pair = ca.sign(&scratch.path(""), "server", names);
        Self { scratch, ca, pair }
    }

    fn serve(&self, more: &[&str]) -> Server {
        let tls = ["--tls-cert", arg(&self.pair.cert), "--tls-key", arg(&self.pair.key)];
        Server::start(&self.scratch.arg("data"), &[&tls, more].concat())
    }
}

#[test]
fn verbs_speak_https_and_say_what_keeps_them_from_it() {
    let world = World::new(&["127.0.0.1"]);
    let dir = world.scratch.path("");
    let operators = Authority::new("operators");
    let own = operators.sign(&dir, "own", &["operator"]);
    let operators = operators.file(&dir, "operators.pem");
    let ca = world.ca.file(&dir, "ca.pem");
    let server = world.serve(&["--admin-client-ca", arg(&operators)]);
    assert!(server.admin.starts_with("https://") && server.api.starts_with("https://"));
    let token = world.scratch.path("data").join("admin-token");
    let list = |url: &str, more: &[&str]| {
        run(&[&["token", "list", "--json", "--server", url, "--token-file", arg(&token)], more].concat())
    };
    let trust = ["--ca", arg(&ca)];
    let identity = ["--client-cert", arg(&own.cert), "--client-key", arg(&own.key)];
    let all = [&trust[..], &identity[..]].concat();
    assert_eq!(list(&server.admin, &all).json()[0]["name"], "admin");
    list(&server.admin, &trust).failed(1, "the server wants a certificate of its clients; show one");
    let half = list(&server.admin, &identity[..2]);
    assert!(half.code == 2 && half.stderr.contains("--client-key"), "{half:?}");
    let elsewhere = server.admin.replace("127.0.0.1", "localhost");
    list(&elsewhere, &all).failed(1, "certificate is for other names");
    list(&server.admin.replace("https://", "http://"), &all).failed(1, "speaks TLS: call it by https://");
    let wrong = Authority::new("wrong").file(&dir, "wrong.pem");
    let untrusted = [&["--ca", arg(&wrong)], &identity[..]].concat();
    list(&server.admin, &untrusted).failed(1, "name a file with its CA by --ca FILE");
    list(&server.admin, &["--ca", "/no/such"]).failed(2, "no certificate can be read in /no/such");
    let swapped = ["--ca", arg(&ca), "--client-cert", arg(&own.cert), "--client-key", arg(&world.pair.key)];
    list(&server.admin, &swapped).failed(2, "cannot be used with its key");
    // The directory's own words for who has it open are an address that can be called.
    let open = run(&["token", "list", "--data", &world.scratch.arg("data")]);
    open.failed(1, &format!("--server {}", server.admin));
    let file = world.scratch.file(
        "client.toml",
        format!("ca = {ca:?}\nclient_cert = {:?}\nclient_key = {:?}\n", own.cert, own.key),
    );
    assert_eq!(list(&server.admin, &["--config", &file]).json()[0]["name"], "admin");
    server.stop();
    // The same without TLS: what was https is refused as such.
    let server = Server::start(&world.scratch.arg("data"), &[]);
    list(&server.admin.replace("http://", "https://"), &trust)
        .failed(1, "does not speak TLS: call it by http://");
}

#[test]
fn a_certificate_is_read_anew_on_a_signal_and_a_bad_one_is_not_taken() {
    let world = World::new(&["127.0.0.1"]);
    let dir = world.scratch.path("");
    let server = world.serve(&["--no-auth"]);
    let list = |ca: &Path| run(&["token", "list", "--json", "--server", &server.admin, "--ca", arg(ca)]);
    let ca = world.ca.file(&dir, "ca.pem");
    assert_eq!(list(&ca).code, 0);
    let next = Authority::new("next");
    next.sign(&dir, "server", &["127.0.0.1"]);
    let next = next.file(&dir, "next.pem");
    server.signal("HUP");
    wait_for(|| list(&next).code == 0);
    list(&ca).failed(1, "no CA that is trusted here");
    fs::write(&world.pair.key, "broken").unwrap();
    server.signal("HUP");
    wait_for(|| server.log().contains("the one before stays"));
    assert_eq!(list(&next).code, 0);
    assert_eq!(gauge(&server, "guanxi_tls_reload_failing{listener=\"main\"}"), 1);
    next_again(&dir);
    server.signal("HUP");
    wait_for(|| gauge(&server, "guanxi_tls_reload_failing{listener=\"main\"}") == 0);
    server.stop();
}

/// A pair that can be used in the place of a broken one.
fn next_again(dir: &Path) {
    Authority::new("other").sign(dir, "server", &["127.0.0.1"]);
}

/// Returns the whole value of a metric of a server over TLS, with a certificate of any issuer.
fn gauge(server: &Server, series: &str) -> i64 {
    let mut curl = std::process::Command::new("curl");
    let output = curl.args(["-sS", "--insecure"]).arg(format!("{}/metrics", server.admin)).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    let value = page.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok());
    value.unwrap_or_else(|| panic!("{series}: {page}"))
}

#[test]
fn a_certificate_out_of_its_time_is_told() {
    let (scratch, ca) = (Scratch::new(), Authority::new("ca"));
    let pair = ca.sign_until(&scratch.path(""), "server", &["127.0.0.1"], 2020);
    let world = World { scratch, ca, pair };
    let server = world.serve(&["--no-auth"]);
    let ca = world.ca.file(&world.scratch.path(""), "ca.pem");
    run(&["token", "list", "--server", &server.admin, "--ca", arg(&ca)])
        .failed(1, "certificate is out of its time");
    for listener in ["main", "admin"] {
        let series = format!("guanxi_tls_certificate_expiry_time_seconds{{listener=\"{listener}\"}}");
        assert_eq!(gauge(&server, &series), 1_577_836_800, "the beginning of 2020");
    }
}

#[test]
fn others_reach_a_listener_only_over_tls_or_behind_a_proxy() {
    let world = World::new(&["127.0.0.1"]);
    let dir = world.scratch.arg("data");
    for listener in ["--listen", "--admin-listen"] {
        for addr in ["0.0.0.0:0", "[::]:0"] {
            run(&["serve", "--data", &dir, listener, addr]).failed(2, "behind_proxy = true");
        }
    }
    run(&["serve", "--data", &dir, "--tls-cert", "/no/such", "--tls-key", "/no/such"])
        .failed(1, "cannot speak TLS: cannot read /no/such");
    run(&["serve", "--data", &dir, "--trusted-proxies", "me"]).failed(2, "neither an address nor a network");
    let anywhere = ["--listen", "0.0.0.0:0", "--admin-listen", "0.0.0.0:0"];
    world.serve(&anywhere).stop();
    Server::start(&dir, &[&anywhere[..], &["--behind-proxy"]].concat()).stop();
}

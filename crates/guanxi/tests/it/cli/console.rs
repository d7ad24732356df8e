//! `guanxi console` prints an address that signs a browser in once.

use super::run::{Scratch, Server, run};
use std::process::Command;

/// What curl shows of a page: its head and its body.
fn curl(args: &[&str]) -> String {
    let output = Command::new("curl").args(["-sS", "-i"]).args(args).output().expect("curl is installed");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_address_signs_in_once_as_the_operator_of_the_token() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &[]);
    let token = format!("{dir}/admin-token");
    let asked = run(&["console", "--server", &server.admin, "--token-file", &token]);
    assert_eq!(asked.code, 0, "{asked:?}");
    let address = asked.stdout.trim();
    let (base, code) = address.split_once("/sign-in?code=").expect("an address of the sign-in page");
    assert_eq!(base, server.admin);
    let page = curl(&[address]);
    assert!(page.contains("200 OK") && page.contains(code), "{page}");
    let sign_in = |code: &str| {
        let form = format!("code={code}");
        let origin = format!("origin: {base}");
        curl(&["-H", &origin, "--data", &form, &format!("{base}/sign-in")])
    };
    let entered = sign_in(code);
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a session");
    let cookie = format!("cookie: {}", cookie.split(';').next().unwrap());
    let overview = curl(&["-H", &cookie, "-H", "accept: text/html", &format!("{base}/")]);
    assert!(overview.contains("200 OK") && overview.contains("Signed in as admin"), "{overview}");
    assert!(sign_in(code).contains("401 Unauthorized"), "a code signs in once");
    let text = curl(&[&format!("{base}/")]);
    assert!(text.contains("text/plain") && text.contains("guanxi console"), "{text}");
    assert!(!run(&["console", "--server", &server.api, "--token-file", &token]).stdout.contains("code="));
    server.stop();
}

#[test]
fn no_console_is_shown_where_it_is_turned_off() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--console=false"]);
    let token = format!("{dir}/admin-token");
    let asked = run(&["console", "--server", &server.admin, "--token-file", &token]);
    assert!(asked.code == 1 && asked.stderr.contains("NOT_SERVED"), "{asked:?}");
    assert!(curl(&[&format!("{}/users", server.admin)]).contains("404"));
    server.stop();
}

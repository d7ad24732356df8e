//! A hostile page of another origin, in the browser of an operator who is signed in: it changes nothing, reads nothing and frames
//! nothing. Another port of the same host is the worst neighbour, since a browser sends the cookie from there, too.

use super::driver::Browser;
use super::world::World;
use crate::cli::demo::Running;
use crate::cli::run::wait_for;
use guanxi_server::console::{PAGES, changes};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

/// What a page tries to read: by scripts, pictures, scripts of others and streams. Returns what it got.
const READS: &str = "
    const [site, paths] = arguments;
    const got = [];
    const asked = async (what, ask) => { try { const text = await ask(); if (text) got.push(what + ': ' + text); } catch { } };
    const loaded = (kind, at) => new Promise((done) => {
        const made = document.createElement(kind);
        made.onload = () => done('loaded');
        made.onerror = () => done('');
        if (kind === 'link') { made.rel = 'stylesheet'; made.href = at; } else made.src = at;
        document.body.append(made);
    });
    const streamed = (at) => new Promise((done) => {
        const source = new EventSource(at, { withCredentials: true });
        source.addEventListener('fragment', (event) => { source.close(); done(event.data); });
        source.onopen = () => { source.close(); done('opened'); };
        source.onerror = () => { source.close(); done(''); };
    });
    await Promise.all(paths.map(async (path) => {
        for (const mode of ['cors', 'no-cors']) {
            await asked(mode + ' ' + path, async () => (await fetch(site + path, { mode, credentials: 'include' })).text());
        }
        for (const kind of ['img', 'script', 'link']) await asked(kind + ' ' + path, () => loaded(kind, site + path));
        if (path.includes('live')) await asked('events ' + path, () => streamed(site + path));
    }));
    return got;";

/// What a page tries to send: forms of each encoding, scripts and beacons.
const WRITES: &str = "
    const [site, forms, calls] = arguments;
    const fields = { csrf: 'x', reason: 'spam', text: 'x', mode: 'push', format: 'csv', back: '/', lang: 'zh' };
    const submitted = (path, enctype) => new Promise((done) => {
        const frame = document.createElement('iframe');
        frame.name = 'f' + Math.random();
        document.body.append(frame);
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: site + path, enctype, target: frame.name });
        for (const [name, value] of Object.entries(fields)) {
            const field = document.createElement('input');
            Object.assign(field, { name, value });
            form.append(field);
        }
        document.body.append(form);
        frame.onload = () => { frame.remove(); form.remove(); done(); };
        form.submit();
    });
    const send = async (at, body, type) => {
        const headers = type ? { 'content-type': type } : {};
        for (const mode of ['cors', 'no-cors']) {
            try { await fetch(at, { method: 'POST', mode, credentials: 'include', body, headers }); } catch { }
        }
    };
    const encodings = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
    await Promise.all(forms.map(async (path, at) => {
        await submitted(path, encodings[at % 3]);
        await send(site + path, new URLSearchParams(fields));
        navigator.sendBeacon(site + path, new URLSearchParams(fields));
    }));
    await Promise.all(calls.map(async ([at, body]) => {
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) await send(at, body, type);
        navigator.sendBeacon(at, body);
    }));
    return 'sent';";

/// Serves a page without anything on it, and returns its port.
fn hostile_site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        // A browser opens connections ahead, and asks nothing by some of them.
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || show_nothing(&stream));
        }
    });
    port
}

/// Answers one request by a page without anything on it.
fn show_nothing(mut stream: &TcpStream) {
    let mut head = BufReader::new(stream).lines().map_while(Result::ok);
    let _ = head.find(String::is_empty);
    let page = "<!DOCTYPE html><title>elsewhere</title><body>elsewhere";
    let length = page.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // A browser that has gone away is no failure.
    let _ = stream.write_all((head + page).as_bytes());
}

/// The console's own lists of pages and changes, about users and posts that there are.
struct Targets {
    pages: Vec<String>,
    forms: Vec<String>,
}

impl Targets {
    fn of(uid: &str, other: &str, post: &str) -> Self {
        let filled = |path: &str| {
            let of = match path {
                path if path.contains("-post/") => post,
                path if path.contains("revoke-token") => "backend",
                _ => other,
            };
            let of_deed = if path.starts_with("/user") { "unfollow" } else { "take-down-user" };
            [
                ("{of}", of),
                ("{uid}", uid),
                ("{post}", post),
                ("{job}", "1"),
                ("{list}", "following"),
                ("{side}", "a"),
                ("{part}", "a"),
                ("{act}", "post"),
                ("{deed}", of_deed),
            ]
            .iter()
            .fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
        };
        let pages = PAGES.iter().filter(|(_, verbs)| verbs.contains(&"get"));
        let pages = pages.map(|(path, _)| filled(path)).collect();
        Self { pages, forms: changes().iter().map(|path| filled(path)).collect() }
    }

    /// What is read. Who does not ask for HTML gets some lines of text at `/`, without any data.
    fn reads(&self) -> Vec<&str> {
        let pages = self.pages.iter().map(String::as_str).filter(|path| *path != "/");
        pages.chain(["/guanxi.v1.AdminService/Stats?encoding=json&message=%7B%7D"]).collect()
    }

    /// Has a page of another origin read and send all of them.
    fn attack(&self, browser: &Browser, from: &str, site: &str, calls: &[Value]) {
        browser.visit(from);
        assert_eq!(browser.text("body"), "elsewhere");
        let sent = browser.run_waiting(WRITES, &json!([site, self.forms, calls]));
        assert_eq!(sent, json!("sent"));
        // Who does not ask for HTML gets two lines of text at `/`, without any data.
        let mut paths: Vec<&str> =
            self.pages.iter().map(String::as_str).filter(|path| *path != "/").collect();
        paths.push("/guanxi.v1.AdminService/Stats?encoding=json&message=%7B%7D");
        assert_eq!(browser.run_waiting(READS, &json!([site, paths])), json!([]), "{from} reads {site}");
    }
}

/// Calls that would change something, of both listeners.
fn calls(api: &str, admin: &str, uid: &str) -> Vec<Value> {
    let call = |door: &str, method: &str, body: Value| {
        json!([format!("{door}/guanxi.v1.{method}"), body.to_string()])
    };
    vec![
        call(admin, "AdminService/TakeDownUser", json!({ "uid": uid, "reason": "x" })),
        call(admin, "AdminService/RevokeToken", json!({ "name": "backend" })),
        call(admin, "AdminService/PutFanoutPolicy", json!({ "policy": { "mode": "PUSH" } })),
        call(api, "RelationService/Follow", json!({ "subject": uid, "object": "9900" })),
        call(api, "PostService/CreatePost", json!({ "author": uid, "text": "x" })),
    ]
}

/// What changes and looks leave behind.
fn state(call: impl Fn(&str, &Value) -> Value) -> Value {
    let stats = call("AdminService/Stats", &json!({}));
    let audit = call("AdminService/ListAuditEntries", &json!({ "pageSize": 5 }));
    json!([
        stats["events"],
        stats["tokens"],
        audit["entries"],
        call("AdminService/GetFanoutPolicy", &json!({}))
    ])
}

/// Shows a page in a frame of a page of another origin, and returns what is seen of it.
fn framed(browser: &Browser, from: &str, page: &str) -> String {
    browser.visit(from);
    let frame = "const frame = document.createElement('iframe'); frame.src = arguments[0];
        return new Promise((done) => { frame.onload = () => done('loaded'); document.body.append(frame); });";
    browser.run(frame, &json!([page]));
    browser.in_frame(|| browser.text("html"))
}

#[test]
fn a_page_of_another_origin_changes_and_reads_and_frames_nothing() {
    let world = World::new();
    let browser = world.browser();
    world.sign_in(&browser);
    let (site, port) = (world.server.admin.clone(), hostile_site());
    let targets = Targets::of(&world.uid, &world.others[0], &world.posts[0]);
    let calls = calls(&world.server.api, &site, &world.uid);
    let seen = || state(|method, request| world.server.call_as(Some(&world.token), method, request));
    let before = seen();
    for from in [format!("http://127.0.0.1:{port}/"), format!("http://localhost:{port}/")] {
        targets.attack(&browser, &from, &site, &calls);
        assert_eq!(seen(), before, "{from} has changed something");
        let shown = framed(&browser, &from, &format!("{site}/users?q=Tanaka"));
        assert!(!shown.contains("Tanaka") && !shown.contains("guanxi"), "{from} frames {shown}");
    }
    // The same script of a page of ours reads: it is the origin that is refused.
    browser.go("/users");
    let own = browser.run_waiting(READS, &json!([site, ["/users"]]));
    assert!(own.to_string().contains("cors /users: <!DOCTYPE html>"), "{own}");
    // A sign-in leads to no other site, though a browser drops tabs and turns backslashes.
    for place in ["//evil.example/", "/%09/evil.example/", "/%5Cevil.example/", "%20//evil.example/"] {
        browser.go(&format!("/sign-in?next={place}"));
        browser.fill("#token", &world.token);
        browser.click("main button");
        wait_for(|| browser.path() == "/");
    }
}

#[test]
fn the_demo_without_a_sign_in_is_out_of_reach_for_other_pages_and_names() {
    let demo = Running::start(&["--rate", "0"]);
    let site = demo.told_url("Open in a browser: ");
    let site = site.strip_suffix("/demo").expect("it is the page of the demo");
    let api = demo.told_url("serving ");
    let browser = Browser::open_with(site, &["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    browser.go("/demo");
    browser.await_text("h1", "Demo");
    let call = |method: &str, request: &Value| -> Value {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "-H", "content-type: application/json", "-d", &request.to_string()]);
        let output = curl.arg(format!("{site}/guanxi.v1.{method}")).output().expect("curl is there");
        serde_json::from_slice(&output.stdout).expect("an answer is JSON")
    };
    let before = state(call);
    let (targets, calls) = (Targets::of("2358", "1995", "1"), calls(&api, site, "2358"));
    targets.attack(&browser, &format!("http://127.0.0.1:{}/", hostile_site()), site, &calls);
    assert_eq!(state(call), before, "a page of another origin has changed something");
    // A name of another site that is bound to this machine: its page is of the origin that it calls.
    for door in [site, &api] {
        let port = door.rsplit_once(':').expect("an address has a port").1;
        let rebound = format!("http://evil.example:{port}");
        browser.visit(&format!("{rebound}/healthz"));
        let tried = "
            const [pages, calls] = arguments, got = [];
            for (const path of pages) {
                const answer = await fetch(path);
                if (answer.ok) got.push(path);
            }
            for (const [at, body] of calls) {
                const answer = await fetch(new URL(at).pathname, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
                if (answer.ok) got.push(at);
            }
            return got;";
        let got = browser.run_waiting(tried, &json!([targets.reads(), calls]));
        assert_eq!(got, json!([]), "{rebound} is answered");
    }
    browser.visit(&format!("http://evil.example:{}/demo", site.rsplit_once(':').expect("it has a port").1));
    assert!(!browser.text("body").contains("followers") && browser.texts("[data-live]").is_empty());
    assert_eq!(state(call), before, "a rebound name has changed something");
}

//! `examples/browser` in a real browser: existing and new posts come into the page, and a user that is not let in is told
//! what to do.

use super::blocks::root;
use crate::browser::driver::FLAGS;
use crate::cli::run::{Scratch, Server, run, wait_for};
use serde_json::json;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps the page loading, so that the browser dumps it when we have seen what we wait for; it tells when the page says
/// how to let it in. `ORIGIN` is ours.
const HOLD: &str = r##"<img src="ORIGIN/hold" alt=""><script>
const said = document.querySelector("#state");
const look = () => said.textContent.includes("--cors-origins") && (new Image().src = "ORIGIN/seen");
new MutationObserver(look).observe(said, { childList: true });
</script>"##;

/// A server of the page, on an origin of its own. It answers `/hold` once it is let go, by us or by `/seen`.
struct Pages {
    origin: String,
    page: Arc<String>,
    let_go: Arc<AtomicBool>,
}

impl Pages {
    fn serve() -> Self {
        let page = fs::read_to_string(root().join("examples/browser/index.html")).unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let hold = HOLD.replace("ORIGIN", &origin);
        let page = Arc::new(page.replace("</html>", &format!("{hold}</html>")));
        let served = Arc::clone(&page);
        let let_go = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&let_go);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (page, seen) = (Arc::clone(&served), Arc::clone(&seen));
                // A browser that goes away before its answer is no matter.
                std::thread::spawn(move || drop(answer(stream, &page, &seen)));
            }
        });
        Self { origin, page, let_go }
    }
}

fn answer(stream: TcpStream, page: &str, let_go: &AtomicBool) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let (status, body) = match request.split(' ').nth(1) {
        Some("/") => ("200 OK", page),
        Some("/seen") => {
            let_go.store(true, Ordering::SeqCst);
            ("404 Not Found", "")
        }
        Some("/hold") => {
            wait_for(|| let_go.load(Ordering::SeqCst));
            ("404 Not Found", "")
        }
        _ => ("404 Not Found", ""),
    };
    let length = body.len();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// A browser that is killed when it is not needed any more.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn open(url: &str, profile: &str, dump: fs::File) -> Browser {
    let mut chromium = Command::new("chromium");
    chromium.args(FLAGS).arg("--dump-dom").arg(format!("--user-data-dir={profile}")).arg(url);
    chromium.env("HOME", profile).stdin(Stdio::null()).stdout(dump).stderr(Stdio::null());
    Browser(chromium.spawn().expect("chromium is missing: run `cargo xtask setup`"))
}

/// How many calls of a method were answered well.
fn answered(server: &Server, method: &str) -> u64 {
    let page = crate::ops::metrics::page(server);
    let lines = page.lines().filter(|line| line.starts_with("guanxi_rpc_requests_total{"));
    let of_it = lines.filter(|line| line.contains(method) && line.contains("\"ok\""));
    of_it.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
}

/// Streams that are open.
fn streams(server: &Server) -> f64 {
    let page = crate::ops::metrics::page(server);
    let line = page.lines().find(|line| line.starts_with("guanxi_slots_taken{kind=\"stream\"}"));
    line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or(0.0)
}

#[test]
fn a_page_of_another_origin_hears_of_a_post_that_is_made_meanwhile() {
    let (scratch, pages) = (Scratch::new(), Pages::serve());
    let server = Server::start(&scratch.arg("data"), &["--cors-origins", &pages.origin]);
    let admin = scratch.arg("data/admin-token");
    let token = |name: &str, kind: &[&str]| {
        let to = ["token", "create", name, "--server", &server.admin, "--token-file", &admin];
        let made = run(&[&to[..], kind].concat());
        assert_eq!(made.code, 0, "{made:?}");
        made.stdout.trim().to_owned()
    };
    let (service, reader) = (token("backend", &["--service", "write"]), token("page", &["--end-user", "1"]));
    server.call_as(Some(&service), "Follow", &json!({ "subject": "1", "object": "2" }));
    // What is there before the page comes is shown first.
    for text in ["the first", "the second"] {
        let post = json!({ "author": "2", "text": text });
        server.call_as(Some(&service), "PostService/CreatePost", &post);
    }
    let dump = scratch.path("dom.html");
    let url = format!("{}/#api={}&uid=1&token={reader}", pages.origin, server.api);
    let mut browser = open(&url, &scratch.arg("profile"), fs::File::create(&dump).unwrap());
    wait_for(|| streams(&server) >= 1.0);
    let before = answered(&server, "BatchGetPosts");
    let post = json!({ "author": "2", "text": "你好, page" });
    server.call_as(Some(&service), "PostService/CreatePost", &post);
    wait_for(|| answered(&server, "BatchGetPosts") > before);
    // The answer is on its way into the page.
    crate::cli::run::pause(std::time::Duration::from_secs(1));
    pages.let_go.store(true, Ordering::SeqCst);
    crate::cli::run::wait_for_end(&mut browser.0);
    let dom = fs::read_to_string(&dump).unwrap();
    assert!(dom.contains("<p id=\"state\">listening</p>"), "{dom}");
    assert!(dom.contains("<li>2: 你好, page</li><li>2: the second</li><li>2: the first</li>"), "{dom}");
    drop(browser);
    server.stop();
}

#[test]
fn a_page_that_is_not_let_in_says_what_to_do() {
    let (scratch, pages) = (Scratch::new(), Pages::serve());
    let server = Server::start(&scratch.arg("data"), &["--cors-origins", "https://example.org"]);
    let file = format!("file://{}", scratch.file("index.html", pages.page.as_bytes()));
    let let_in = format!("start it with --cors-origins {}", pages.origin);
    let serve_it = "run `python3 -m http.server 8000";
    for (name, page, told) in
        [("page", format!("{}/", pages.origin), let_in.as_str()), ("file", file, serve_it)]
    {
        pages.let_go.store(false, Ordering::SeqCst);
        let url = format!("{page}#api={}&uid=1&token=any", server.api);
        let dump = scratch.path(&format!("{name}.html"));
        let mut browser =
            open(&url, &scratch.arg(&format!("profile-{name}")), fs::File::create(&dump).unwrap());
        crate::cli::run::wait_for_end(&mut browser.0);
        let dom = fs::read_to_string(&dump).unwrap();
        assert!(dom.contains(told), "{dom}");
    }
    server.stop();
}

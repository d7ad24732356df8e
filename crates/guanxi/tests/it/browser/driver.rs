//! A browser that a test steers: Chromium behind chromedriver, by the JSON of <https://www.w3.org/TR/webdriver2/>.
//!
//! A command is one request on the loopback, so this file speaks HTTP itself. The clients on crates.io would bring crates that the
//! workspace does not have: fantoccini 0.22 brings 38 of them, thirtyfour 0.38 brings 52.

use crate::cli::run::wait_for;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a browser must not do in a test: have a sandbox of its own (we may be root), and talk to its makers.
pub(crate) const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// How long one command may take.
const COMMAND_MAX: Duration = Duration::from_mins(1);

/// The name under which an answer has an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What an element may be for a moment while its region is drawn anew.
const AGAIN: &[&str] = &["no such element", "stale element reference"];

/// Keys that have no character, as WebDriver writes them.
pub(super) const TAB: char = '\u{e004}';
pub(super) const ENTER: char = '\u{e007}';

/// One browser at a time: a machine with two cores has enough to do with it.
static ONE: Mutex<()> = Mutex::new(());

/// A browser with one window. It ends when it is dropped.
pub(super) struct Browser {
    driver: Child,
    /// What the driver says; it is kept open so that the driver can say more.
    _said: BufReader<ChildStdout>,
    at: SocketAddr,
    session: String,
    /// The server whose pages it opens.
    site: String,
    /// Where it keeps its profile.
    _profile: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts a browser for the pages of a site such as `http://127.0.0.1:7421`.
    pub(super) fn open(site: &str) -> Self {
        Self::open_with(site, &[])
    }

    /// The same with more flags.
    pub(super) fn open_with(site: &str, more: &[&str]) -> Self {
        let turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().expect("the temporary directory is writable");
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("HOME", profile.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().expect("chromedriver is missing: run `cargo xtask setup`");
        let mut said = BufReader::new(driver.stdout.take().expect("it is piped"));
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port(&mut said)));
        let site = site.to_owned();
        let data = format!("--user-data-dir={}", profile.path().display());
        let session = String::new();
        let mut browser = Self { driver, _said: said, at, session, site, _profile: profile, _turn: turn };
        let args: Vec<&str> = FLAGS.iter().chain(more).copied().chain([data.as_str()]).collect();
        let wanted = json!({
            "goog:chromeOptions": { "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let begun = browser.call("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = format!("/session/{}", begun["sessionId"].as_str().expect("a session has a name"));
        browser.wide();
        browser
    }

    /// Sends a command; an answer that is an error is the test's failure.
    fn call(&self, verb: &str, path: &str, request: &Value) -> Value {
        self.try_call(verb, path, request).unwrap_or_else(|error| panic!("{verb} {path}: {error}"))
    }

    fn try_call(&self, verb: &str, path: &str, request: &Value) -> Result<Value, Value> {
        let (is_done, body) = self.exchange(verb, path, request).map_err(|error| json!(error.to_string()))?;
        let mut answer: Value = serde_json::from_slice(&body).map_err(|error| json!(error.to_string()))?;
        let value = answer["value"].take();
        if is_done { Ok(value) } else { Err(value) }
    }

    /// Sends one request on a connection of its own, and returns whether it succeeded and the body of the answer.
    fn exchange(&self, verb: &str, path: &str, request: &Value) -> std::io::Result<(bool, Vec<u8>)> {
        let body = if verb == "POST" { request.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(self.at)?;
        stream.set_read_timeout(Some(COMMAND_MAX))?;
        let (at, length) = (self.at, body.len());
        let head = format!("{verb} {path} HTTP/1.1\r\nhost: {at}\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all((head + &body).as_bytes())?;
        let mut answer = BufReader::new(stream);
        let (mut line, mut is_done, mut length) = (String::new(), false, 0);
        while answer.read_line(&mut line)? > 2 {
            is_done |= line.starts_with("HTTP/1.1 200");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body)?;
        Ok((is_done, body))
    }

    fn post(&self, command: &str, request: &Value) -> Value {
        self.call("POST", &format!("{}/{command}", self.session), request)
    }

    fn get(&self, command: &str) -> Value {
        self.call("GET", &format!("{}/{command}", self.session), &Value::Null)
    }

    /// Opens a page by its path, and waits until it is loaded.
    pub(super) fn go(&self, path: &str) {
        self.visit(&format!("{}{path}", self.site));
    }

    /// Opens a page of any site, and waits until it is loaded.
    pub(super) fn visit(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
    }

    /// Looks at the first frame of the page, whatever its origin.
    pub(super) fn in_frame<T>(&self, look: impl FnOnce() -> T) -> T {
        self.post("frame", &json!({ "id": 0 }));
        let seen = look();
        self.post("frame", &json!({ "id": null }));
        seen
    }

    /// The path of the page that is shown, with its query.
    pub(super) fn path(&self) -> String {
        let url = self.get("url");
        let url = url.as_str().expect("a page has an address");
        url.strip_prefix(&self.site).unwrap_or_else(|| panic!("{url} is not of {}", self.site)).to_owned()
    }

    /// Runs a function's body with arguments, and returns its result; a promise is waited for. No policy of the page holds for it.
    pub(super) fn run(&self, script: &str, args: &Value) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": args }))
    }

    /// The same with a body that may await.
    pub(super) fn run_waiting(&self, script: &str, args: &Value) -> Value {
        // An arrow function has the arguments of the function around it.
        self.run(&format!("return (async () => {{ {script} }})()"), args)
    }

    /// What elements show, each as its reader sees it.
    pub(super) fn texts(&self, css: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((found) => found.innerText ?? found.textContent)";
        let found = self.run(script, &json!([css]));
        found.as_array().into_iter().flatten().map(|text| text.as_str().unwrap_or("").to_owned()).collect()
    }

    /// What the first of such elements shows.
    pub(super) fn text(&self, css: &str) -> String {
        let found = self.texts(css).into_iter().next();
        found.unwrap_or_else(|| panic!("{} has no {css}", self.path()))
    }

    /// Waits until such elements show a text.
    pub(super) fn await_text(&self, css: &str, text: &str) {
        wait_for(|| self.texts(css).iter().any(|shown| shown.contains(text)));
    }

    /// Finds an element and does something to it. A live region may be drawn anew in between: then both are done again.
    fn act(&self, using: &str, value: &str, action: &str, request: &Value) {
        let act = || {
            let find = format!("{}/element", self.session);
            let found = self.try_call("POST", &find, &json!({ "using": using, "value": value }))?;
            let id = found[ELEMENT].as_str().expect("an element has a name");
            self.try_call("POST", &format!("{find}/{id}/{action}"), request)
        };
        wait_for(|| match act() {
            Ok(_) => true,
            Err(error) if AGAIN.iter().any(|known| error["error"] == *known) => false,
            Err(error) => panic!("{action} at {value} of {}: {error}", self.path()),
        });
    }

    /// Clicks an element; a page that this leads to is loaded afterwards.
    pub(super) fn click(&self, css: &str) {
        self.act("css selector", css, "click", &json!({}));
    }

    /// Clicks the link with this text.
    pub(super) fn follow(&self, text: &str) {
        self.act("link text", text, "click", &json!({}));
    }

    /// Writes into a field, in the place of what it has.
    pub(super) fn fill(&self, css: &str, text: &str) {
        self.act("css selector", css, "clear", &json!({}));
        self.act("css selector", css, "value", &json!({ "text": text }));
    }

    /// Presses a key, wherever the focus is.
    pub(super) fn press(&self, key: char) {
        let strokes = ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }));
        self.post("actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }));
    }

    /// What the browser complained of since it was last asked: errors of scripts, requests that failed, breaches of the policy.
    pub(super) fn complaints(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({ "type": "browser" }));
        let rows = log.as_array().into_iter().flatten();
        // The other levels have advice, such as to name the user beside a token.
        let is_grave = |row: &&Value| row["level"] == "SEVERE" || row["level"] == "WARNING";
        rows.filter(is_grave).map(|row| row["message"].to_string()).collect()
    }

    /// The window as PNG.
    pub(super) fn picture(&self) -> Vec<u8> {
        let picture = self.get("screenshot");
        STANDARD.decode(picture.as_str().expect("a picture is text")).expect("it is base64")
    }

    fn devtools(&self, command: &str, params: &Value) {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": params }));
    }

    /// Has the window of a desk.
    pub(super) fn wide(&self) {
        self.size(1200, 800);
    }

    /// Has the window of a phone.
    pub(super) fn narrow(&self) {
        self.size(390, 844);
    }

    fn size(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Turns the scripts of pages off, or on again. Commands of the test run all the same.
    pub(super) fn scripts(&self, on: bool) {
        self.devtools("Emulation.setScriptExecutionDisabled", &json!({ "value": !on }));
    }

    /// Has a system with these colours: `dark` or `light`.
    pub(super) fn system(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends Chromium. An error means that it has ended.
        let _ = self.try_call("DELETE", &self.session, &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reads on which port the driver listens.
fn port(said: &mut impl std::io::BufRead) -> u16 {
    let mut lines = said.lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let port = line.strip_prefix("ChromeDriver was started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    port.expect("chromedriver says on which port it listens")
}

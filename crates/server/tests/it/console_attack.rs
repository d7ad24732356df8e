//! What a cookie or a page in the wrong hands does to the console: nothing. The paths come from the console's own tables, so that no
//! page and no change is left out.

use std::time::Duration;

use guanxi_model::{Principal, Scope};
use guanxi_server::DemoWorld;
use guanxi_server::console::{PAGES, changes};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::console::{Browser, World};
use crate::http::{Answer, post_as, send};

/// What an operator who only looks does as well: how its own pages look, and the end of its own session.
const OF_EVERYBODY: &[&str] = &["/look", "/sign-out"];

/// Changes after which others can no longer be done, last.
const LAST: &[&str] = &["/do/take-down-post/{of}", "/do/take-down-user/{of}", "/try/erase", "/sign-out"];

/// A world in which each change of the console does something.
struct Prey {
    world: World,
    post: String,
    gone: String,
    job: String,
    session: String,
}

impl Prey {
    async fn new() -> Self {
        let demo = Some(DemoWorld { reader: 7, author: 8, name: |uid| format!("Name {uid}") });
        let server = Server::start(Setup { auth: true, demo, ..Setup::default() }).await;
        let admin = server.token("operator", Principal::Admin).await;
        server.token("victim", Principal::Admin).await;
        server.user(8).await;
        let service = server.service(&Scope::FOR_USERS).await;
        let world = World { server, admin, service };
        let mut posts = Vec::new();
        for text in ["hello", "spam"] {
            let made = world.call("PostService/CreatePost", json!({ "author": "7", "text": text })).await;
            posts.push(made["postId"].as_str().unwrap().to_owned());
        }
        let [post, gone] = posts.try_into().unwrap();
        for (method, subject, object) in
            [("Follow", "8", "7"), ("Follow", "7", "8"), ("Block", "8", "6"), ("Mute", "8", "4")]
        {
            let pair = json!({ "subject": subject, "object": object });
            world.call(&format!("RelationService/{method}"), pair).await;
        }
        let found = world.call("UserService/ListSessions", json!({ "uid": "8" })).await;
        let session = found["sessions"][0]["sessionId"].as_str().unwrap().to_owned();
        let prey = Self { world, post, gone, job: String::new(), session };
        prey.admin("TakeDownPost", json!({ "postId": prey.gone, "reason": "spam" })).await;
        prey.admin("TakeDownUser", json!({ "uid": "5", "reason": "spam" })).await;
        let started = prey.admin("StartExport", json!({ "posts": {}, "format": "EXPORT_CSV" })).await;
        let job = started["job"]["job"].as_str().unwrap().to_owned();
        for _ in 0..500 {
            if prey.admin("GetExport", json!({ "job": job })).await["job"]["state"] == "EXPORT_DONE" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Self { job, ..prey }
    }

    async fn admin(&self, name: &str, request: Value) -> Value {
        let path = format!("/guanxi.v1.AdminService/{name}");
        let answer = post_as(self.world.server.admin, &self.world.admin, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        answer.json()
    }

    /// A path with what it is about.
    fn filled(&self, path: &str) -> String {
        let of = match path {
            "/do/take-down-post/{of}" => &self.post,
            "/do/reinstate-post/{of}" => &self.gone,
            "/do/take-down-user/{of}" => "8",
            "/do/reinstate-user/{of}" => "5",
            "/do/revoke-token/{of}" => "victim",
            "/do/cancel-export/{of}" => &self.job,
            "/user/{uid}/do/unfollow/{of}" | "/user/{uid}/do/remove-follower/{of}" => "7",
            "/user/{uid}/do/unblock/{of}" => "6",
            "/user/{uid}/do/unmute/{of}" => "4",
            "/user/{uid}/do/end-session/{of}" => &self.session,
            other if other.contains("{of}") && !other.contains("{deed}") => {
                panic!("the test does not know what {other} is about")
            }
            _ => "7",
        };
        let names = [
            ("{of}", of),
            ("{uid}", "8"),
            ("{post}", &self.post),
            ("{job}", &self.job),
            ("{list}", "following"),
            ("{side}", "a"),
            ("{part}", "a"),
            ("{act}", "post"),
            ("{deed}", if path.starts_with("/user") { "unfollow" } else { "take-down-user" }),
        ];
        let filled = names.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
        assert!(!filled.contains('{'), "the test does not know how to fill {path}");
        match filled.as_str() {
            "/exports/start" => "/exports/start?of=posts".to_owned(),
            "/consistency/check" => "/consistency/check?of=facts&whole=1".to_owned(),
            "/user/8/explain" => format!("/user/8/explain?post={}", self.post),
            "/user/8/relation" => "/user/8/relation?to=7".to_owned(),
            _ => filled,
        }
    }

    /// All changes, each with what it is about and its form without the token.
    fn changes(&self) -> Vec<(String, String)> {
        let mut paths = changes();
        paths.sort_by_key(|path| LAST.iter().position(|last| last == path).map_or(0, |at| at + 1));
        let form = "reason=spam&text=x&mode=push&format=csv&once=one&back=/users&lang=zh";
        paths.iter().map(|path| (self.filled(path), form.to_owned())).collect()
    }

    /// What a change would leave a trace in.
    async fn state(&self) -> Value {
        let about = |stats: Value| json!([stats["events"], stats["tokens"]]);
        json!([
            about(self.admin("Stats", json!({})).await),
            self.admin("ListTokens", json!({})).await,
            self.admin("ListExports", json!({})).await,
            self.admin("GetFanoutPolicy", json!({})).await,
            self.admin("ListAuditEntries", json!({})).await["entries"][0],
            self.world.call("UserService/ListSessions", json!({ "uid": "8" })).await["sessions"],
        ])
    }

    async fn signed_in(&self) -> Browser {
        self.world.sign_in(&self.world.admin).await
    }
}

async fn post(browser: &Browser, path: &str, headers: &[(&str, &str)], form: &str) -> Answer {
    let all = [&[("cookie", browser.cookie.as_str())], headers].concat();
    send(browser.to, "POST", path, &all, form.as_bytes()).await
}

#[tokio::test]
async fn a_stolen_cookie_of_an_operator_who_only_looks_changes_nothing() {
    let prey = Prey::new().await;
    let owner = prey.signed_in().await;
    let csrf = owner.csrf().await;
    // With the test users there, and a post of each other user, each act of them could be done.
    for path in ["/try/make", "/try/do/post/b", "/demo/do/post/b"] {
        assert_eq!(owner.post(path, &format!("csrf={csrf}&text=x")).await.status, 303, "{path}");
    }
    let thief = prey.world.sign_in(&prey.world.server.service(&[Scope::AdminRead]).await).await;
    let stolen = thief.csrf().await;
    let before = prey.state().await;
    let all = prey.changes();
    assert!(all.len() > 20, "{all:?}");
    for (path, form) in all.iter().filter(|(path, _)| !OF_EVERYBODY.contains(&path.as_str())) {
        let answer = thief.post(path, &format!("csrf={stolen}&{form}")).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text());
        let question = thief.get(path).await.status;
        assert!(matches!(question, 403 | 405), "{path} asks an operator who only looks: {question}");
    }
    assert_eq!(prey.state().await, before, "something has changed");
    // The same forms change something when an operator who may do so sends them.
    for (path, form) in &all {
        let answer = owner.post(path, &format!("csrf={csrf}&{form}")).await;
        assert!(matches!(answer.status, 303 | 400), "{path}: {}", answer.text());
    }
    assert_ne!(prey.state().await, before);
}

#[tokio::test]
async fn no_page_of_another_origin_changes_anything() {
    let prey = Prey::new().await;
    let browser = prey.signed_in().await;
    let csrf = browser.csrf().await;
    assert_eq!(browser.post("/try/make", &format!("csrf={csrf}")).await.status, 303);
    let before = prey.state().await;
    let (ours, neighbour) =
        (format!("http://{}", browser.to), format!("http://127.0.0.1:{}", browser.to.port() ^ 1));
    let foreign: &[&[(&str, &str)]] = &[
        &[],
        &[("origin", "null")],
        &[("origin", "http://evil.example")],
        &[("origin", &neighbour), ("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        // A name that was bound to our address: its page is of its own origin.
        &[("host", "evil.example"), ("origin", "http://evil.example")],
        &[("origin", &ours), ("host", "evil.example")],
    ];
    for (path, form) in prey.changes() {
        for headers in foreign {
            // Even with the token of the session, which such a page cannot know.
            let answer = post(&browser, &path, headers, &format!("csrf={csrf}&{form}")).await;
            assert_eq!(answer.status, 403, "{path} with {headers:?}: {}", answer.text());
        }
        for form in [form.clone(), format!("csrf=x&{form}"), format!("csrf=&{form}")] {
            let answer = post(&browser, &path, &[("origin", &ours)], &form).await;
            assert_eq!(answer.status, 403, "{path} with {form}: {}", answer.text());
        }
    }
    assert_eq!(prey.state().await, before, "something has changed");
    assert_eq!(browser.get("/users").await.status, 200, "the session goes on");
}

#[tokio::test]
async fn no_page_of_another_origin_reads_or_includes_a_page() {
    let prey = Prey::new().await;
    let browser = prey.signed_in().await;
    let before = prey.state().await;
    let site =
        |site, mode, dest| [("sec-fetch-site", site), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)];
    // Another port of this host is of the same site, so a browser sends the cookie from there.
    let [picture, fetched, framed] = [
        site("same-site", "no-cors", "image"),
        site("same-site", "cors", "empty"),
        site("same-site", "navigate", "iframe"),
    ];
    let foreign: &[&[(&str, &str)]] = &[
        &[("host", "evil.example")],
        &[("host", "localhost.evil.example:80")],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &picture,
        &fetched,
        &framed,
    ];
    let paths: Vec<String> = PAGES.iter().map(|(path, _)| prey.filled(path)).collect();
    for path in &paths {
        for headers in foreign {
            let own = [("cookie", browser.cookie.as_str()), ("accept", "text/html")];
            let all = [&own[..], *headers].concat();
            let answer = send(browser.to, "GET", path, &all, b"").await;
            // A path that only forms have has no page.
            assert!(matches!(answer.status, 403 | 405), "{path} with {headers:?}: {}", answer.status);
            assert!(!answer.text().contains("hello"), "{path} with {headers:?}");
            assert!(!answer.headers.contains_key("set-cookie"), "{path} with {headers:?}");
            assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
        }
    }
    assert_eq!(prey.state().await, before, "something was done");
    let link = site("same-site", "navigate", "document");
    let all = [&[("cookie", browser.cookie.as_str())], &link[..]].concat();
    assert_eq!(send(browser.to, "GET", "/users", &all, b"").await.status, 200, "a link is followed");
}

//! The console, as a browser meets it: who is let in, what each page shows, and what a hostile page or text can do.

use std::net::SocketAddr;
use std::sync::Arc;

use guanxi_api::{Budgets, RateLimits};
use guanxi_model::{Principal, Scope};
use guanxi_ports::CredentialWrites as _;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::{Answer, post_as, send};

/// A server, and an operator's token.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) admin: String,
    pub(crate) service: String,
}

/// A browser with a session.
pub(crate) struct Browser {
    pub(crate) to: SocketAddr,
    pub(crate) cookie: String,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::start_with(Setup::default()).await
    }

    pub(crate) async fn start_with(setup: Setup) -> Self {
        let server = Server::start(Setup { auth: true, ..setup }).await;
        let admin = server.token("operator", Principal::Admin).await;
        let service = server.service(&Scope::FOR_USERS).await;
        Self { server, admin, service }
    }

    pub(crate) async fn call(&self, method: &str, request: Value) -> Value {
        let path = format!("/guanxi.v1.{method}");
        let answer = post_as(self.server.main, &self.service, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    }

    pub(crate) async fn sign_in(&self, token: &str) -> Browser {
        let answer = sign_in(self.server.admin, token).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        let cookie = answer.headers["set-cookie"].clone();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Browser { to: self.server.admin, cookie }
    }
}

async fn sign_in(to: SocketAddr, token: &str) -> Answer {
    let form = format!("token={token}&next=%2Fusers");
    let origin = format!("http://{to}");
    let headers = [("origin", origin.as_str()), ("content-type", "application/x-www-form-urlencoded")];
    send(to, "POST", "/sign-in", &headers, form.as_bytes()).await
}

impl Browser {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.to, "GET", path, &[("cookie", &self.cookie), ("accept", "text/html")], b"").await
    }

    pub(crate) async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text().to_owned()
    }

    pub(crate) async fn post(&self, path: &str, form: &str) -> Answer {
        let origin = format!("http://{}", self.to);
        send(self.to, "POST", path, &[("cookie", &self.cookie), ("origin", &origin)], form.as_bytes()).await
    }

    /// The token that forms of this session carry.
    pub(crate) async fn csrf(&self) -> String {
        let page = self.page("/users").await;
        let (_, rest) = page.split_once("name=\"csrf\" value=\"").expect("a page has a form");
        rest.split('"').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn only_operators_sign_in_and_what_ends_their_token_ends_the_session() {
    let world = World::start().await;
    let to = world.server.admin;
    let user = world.server.user(9).await;
    for refused in ["", "nonsense", &world.service, &user] {
        let answer = sign_in(to, refused).await;
        assert_eq!(answer.status, 401, "{refused}");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
    let stranger = send(to, "GET", "/users?q=7", &[], b"").await;
    assert_eq!(
        (stranger.status, stranger.headers["location"].as_str()),
        (303, "/sign-in?next=%2Fusers%3Fq%3D7")
    );
    let browser = world.sign_in(&world.admin).await;
    assert!(!browser.cookie.contains(&world.admin), "a cookie holds no token");
    assert_eq!(browser.get("/users").await.status, 200);
    world.server.tokens.revoke("operator").await.unwrap();
    assert_eq!(browser.get("/users").await.status, 303, "the session ends with its token");
}

#[tokio::test]
async fn a_session_ends_when_its_operator_signs_out() {
    let world = World::start().await;
    let browser = world.sign_in(&world.admin).await;
    let csrf = browser.csrf().await;
    assert_eq!(browser.post("/sign-out", &format!("csrf={csrf}")).await.status, 303);
    assert_eq!(browser.get("/users").await.status, 303);
}

#[tokio::test]
async fn guesses_are_refused_after_a_while() {
    let limits = RateLimits { unknown_per_minute: 5, keys_max: 100, ..RateLimits::NONE };
    let setup = Setup { auth: true, rates: Arc::new(Budgets::new(limits)), ..Setup::default() };
    let server = Server::start(setup).await;
    let mut statuses = Vec::new();
    for n in 0..20 {
        statuses.push(sign_in(server.admin, &format!("gx_{n}")).await.status);
        if statuses.last() == Some(&429) {
            break;
        }
    }
    assert_eq!(statuses.last(), Some(&429), "{} guesses", statuses.len());
}

#[tokio::test]
async fn every_page_answers_and_asks_nobody_else() {
    let world = World::start().await;
    let made = world.call("PostService/CreatePost", json!({ "author": "7", "text": "hello" })).await;
    let post = made["postId"].as_str().unwrap().to_owned();
    world.call("RelationService/Follow", json!({ "subject": "8", "object": "7" })).await;
    world.call("RelationService/Follow", json!({ "subject": "7", "object": "8" })).await;
    let browser = world.sign_in(&world.admin).await;
    let of_user =
        ["", "/around", "/home", "/posts", "/suggestions", "/sessions", "/history", "/relation?to=8"];
    let lists = ["following", "followers", "friends", "blocks", "mutes", "requests"];
    let mut paths: Vec<String> = ["/", "/users", "/posts", "/audit", "/tokens", "/consistency", "/cluster"]
        .map(str::to_owned)
        .to_vec();
    paths.extend(of_user.map(|rest| format!("/user/8{rest}")));
    paths.extend(lists.map(|list| format!("/user/8/list/{list}")));
    paths.extend([
        format!("/post/{post}"),
        format!("/user/8/explain?post={post}"),
        format!("/do/take-down-post/{post}"),
    ]);
    for path in &paths {
        for look in ["en.light", "zh.dark.z480"] {
            let cookies = format!("{}; guanxi_look={look}", browser.cookie);
            let answer =
                send(browser.to, "GET", path, &[("cookie", &cookies), ("accept", "text/html")], b"").await;
            let page = answer.text();
            assert_eq!(answer.status, 200, "{path}: {page}");
            assert!(page.starts_with("<!DOCTYPE html>") && page.len() < 300_000, "{path}: {}", page.len());
            assert_eq!(
                page.contains("lang=\"zh\""),
                look.starts_with("zh") || page.contains("option value=\"zh\" lang=\"zh\""),
                "{path}"
            );
            for elsewhere in ["http://", "https://", "style=\"", "onclick", "<script>", "<style"] {
                assert!(!page.contains(elsewhere), "{path} has {elsewhere}");
            }
            let policy = &answer.headers["content-security-policy"];
            assert!(
                policy.starts_with("default-src 'self';") && policy.contains("frame-ancestors 'none'"),
                "{policy}"
            );
            assert_eq!(answer.headers["x-frame-options"], "DENY");
        }
    }
    let home = browser.page("/user/8/home").await;
    assert!(home.contains("hello") && home.contains(&post), "{home}");
    assert_eq!(browser.get("/user/nobody").await.status, 400);
    assert_eq!(browser.get("/no/such/page").await.status, 404);
}

#[tokio::test]
async fn files_of_pages_are_there_and_pages_name_no_others() {
    let world = World::start().await;
    let page = send(world.server.admin, "GET", "/sign-in", &[], b"").await.text().to_owned();
    let paths: Vec<&str> = page.split('"').filter(|text| text.starts_with("/assets/")).collect();
    assert_eq!(paths.len(), 3, "{page}");
    for path in paths {
        let file = send(world.server.admin, "GET", path, &[], b"").await;
        assert_eq!(file.status, 200, "{path}");
        assert!(!file.body.is_empty() && file.headers["x-content-type-options"] == "nosniff");
    }
}

#[tokio::test]
async fn what_changes_something_is_asked_first_done_once_and_in_the_audit_log() {
    let world = World::start().await;
    let made = world.call("PostService/CreatePost", json!({ "author": "7", "text": "buy" })).await;
    let post = made["postId"].as_str().unwrap().to_owned();
    let browser = world.sign_in(&world.admin).await;
    let path = format!("/do/take-down-post/{post}");
    let csrf = browser.csrf().await;
    for refused in ["reason=spam", "csrf=x&reason=spam"] {
        assert_eq!(browser.post(&path, refused).await.status, 403, "{refused}");
    }
    assert!(!browser.page(&format!("/post/{post}")).await.contains("taken down"));
    let done = browser.post(&path, &format!("csrf={csrf}&reason=spam+%3Cb%3E")).await;
    assert_eq!((done.status, done.headers["location"].as_str()), (303, format!("/post/{post}").as_str()));
    let shown = browser.page(&format!("/post/{post}")).await;
    assert!(shown.contains("spam &lt;b&gt;") && shown.contains("/do/reinstate-post/"), "{shown}");
    drop(browser.page("/user/7/home").await);
    let log = browser.page("/audit").await;
    for entry in ["TakeDownPost", "GetHomeTimeline", "GetPost", "spam &lt;b&gt;", "operator", "uid:7"] {
        assert!(log.contains(entry), "{entry} is not in {log}");
    }
}

#[tokio::test]
async fn an_operator_who_only_looks_changes_nothing_by_any_form() {
    let world = World::start().await;
    let made = world.call("PostService/CreatePost", json!({ "author": "7", "text": "x" })).await;
    let post = made["postId"].as_str().unwrap().to_owned();
    let looker = world.server.service(&[Scope::AdminRead]).await;
    let browser = world.sign_in(&looker).await;
    assert!(browser.page("/").await.contains("read-only"));
    assert!(!browser.page(&format!("/post/{post}")).await.contains("/do/"), "there is no button");
    let csrf = browser.csrf().await;
    let deeds = [
        format!("take-down-post/{post}"),
        format!("reinstate-post/{post}"),
        "take-down-user/7".to_owned(),
        "reinstate-user/7".to_owned(),
        "revoke-token/operator".to_owned(),
    ];
    for deed in deeds {
        assert_eq!(browser.get(&format!("/do/{deed}")).await.status, 403, "{deed}");
        assert_eq!(browser.post(&format!("/do/{deed}"), &format!("csrf={csrf}")).await.status, 403, "{deed}");
    }
    assert!(world.sign_in(&world.admin).await.page("/tokens").await.contains("operator"));
}

#[tokio::test]
async fn no_other_site_reaches_a_page() {
    let world = World::start().await;
    let browser = world.sign_in(&world.admin).await;
    let csrf = browser.csrf().await;
    let to = world.server.admin;
    let get = |headers: Vec<(&'static str, String)>| {
        let cookie = browser.cookie.clone();
        async move {
            let mut head: Vec<(&str, &str)> = vec![("cookie", &cookie)];
            head.extend(headers.iter().map(|(name, value)| (*name, value.as_str())));
            send(to, "GET", "/users", &head, b"").await.status
        }
    };
    assert_eq!(get(vec![("origin", "http://evil.example".to_owned())]).await, 403);
    // A name that was bound to our address, alone and beside ours.
    assert_eq!(get(vec![("host", "evil.example".to_owned())]).await, 403);
    assert_eq!(get(vec![("host", to.to_string()), ("host", "evil.example".to_owned())]).await, 403);
    assert_eq!(get(vec![("host", to.to_string()), ("host", to.to_string())]).await, 403);
    let form = format!("csrf={csrf}");
    for origin in ["http://evil.example", "null"] {
        let headers = [("cookie", browser.cookie.as_str()), ("origin", origin)];
        assert_eq!(send(to, "POST", "/sign-out", &headers, form.as_bytes()).await.status, 403, "{origin}");
    }
    let bare = send(to, "POST", "/sign-out", &[("cookie", &browser.cookie)], form.as_bytes()).await;
    assert_eq!(bare.status, 403, "a form without an origin");
    assert_eq!(browser.get("/users").await.status, 200, "the session goes on");
}

#[tokio::test]
async fn no_text_of_a_user_becomes_markup() {
    let world = World::start().await;
    let hostile = "<script>alert(1)</script><svg onload=alert(2)>\u{202e}\"'&";
    let request = json!({ "externalIds": ["<img src=x onerror=alert(3)>"], "create": true });
    let made = world.call("UserService/ResolveIds", request).await;
    let uid = made["byExternalId"][0]["uid"].as_str().unwrap().to_owned();
    let update = json!({ "uid": uid, "nickname": "<b onclick=x>N</b>", "bio": hostile, "avatar": "javascript:alert(4)",
        "attributes": { "city": "</dd><script>x</script>" }, "updateMask": "nickname,bio,avatar,attributes" });
    world.call("UserService/UpdateUser", update).await;
    let long = format!("{hostile}{}", "\u{5173}".repeat(1_000));
    let made = world.call("PostService/CreatePost", json!({ "author": uid, "text": long })).await;
    let post = made["postId"].as_str().unwrap().to_owned();
    world.call("RelationService/Follow", json!({ "subject": "8", "object": uid })).await;
    let browser = world.sign_in(&world.admin).await;
    let paths = [
        format!("/user/{uid}"),
        format!("/user/{uid}/posts"),
        format!("/post/{post}"),
        "/user/8/home".to_owned(),
        "/user/8/around".to_owned(),
        "/user/8/list/following".to_owned(),
        "/users?q=%3Cscript%3Ealert(5)%3C%2Fscript%3E".to_owned(),
        "/posts?words=%3Cscript%3E".to_owned(),
        "/audit?operator=%22%3E%3Cscript%3E".to_owned(),
    ];
    for path in &paths {
        let page = browser.page(path).await;
        for markup in
            ["<script>", "<svg onload", "<img", "<b onclick", "href=\"javascript:", "src=\"javascript:"]
        {
            assert!(!page.contains(markup), "{path} has {markup}");
        }
    }
    let elsewhere = browser.get("/sign-in?next=//evil.example").await;
    assert!(!elsewhere.headers.contains_key("location"));
    let form = format!("token={}&next=//evil.example/", world.admin);
    let origin = format!("http://{}", browser.to);
    let answer = send(browser.to, "POST", "/sign-in", &[("origin", &origin)], form.as_bytes()).await;
    assert_eq!(answer.headers["location"], "/", "a sign-in leads to a page of ours");
}

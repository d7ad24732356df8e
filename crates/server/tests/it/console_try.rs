//! Two users side by side, on the pages "Try it" and "Demo" of the console.

use std::net::SocketAddr;

use guanxi_model::{Principal, Scope};
use guanxi_server::DemoWorld;
use guanxi_testkit::{Server, Setup};
use serde_json::json;

use crate::http::{Answer, post_as, send};

/// A browser with a session.
struct Browser {
    to: SocketAddr,
    cookie: String,
    csrf: String,
}

impl Browser {
    /// Signs in with a token.
    async fn of(server: &Server, token: &str) -> Self {
        let to = server.admin;
        let origin = format!("http://{to}");
        let form = format!("token={token}");
        let answer = send(to, "POST", "/sign-in", &[("origin", &origin)], form.as_bytes()).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        let cookie = answer.headers["set-cookie"].split(';').next().unwrap().to_owned();
        let browser = Self { to, cookie, csrf: String::new() };
        let page = browser.page("/users").await;
        let (_, rest) = page.split_once("name=\"csrf\" value=\"").unwrap();
        let csrf = rest.split('"').next().unwrap().to_owned();
        Self { csrf, ..browser }
    }

    async fn get(&self, path: &str) -> Answer {
        send(self.to, "GET", path, &[("cookie", &self.cookie), ("accept", "text/html")], b"").await
    }

    async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text().to_owned()
    }

    async fn post(&self, path: &str, form: &str) -> Answer {
        let origin = format!("http://{}", self.to);
        let form = format!("csrf={}&{form}", self.csrf);
        send(self.to, "POST", path, &[("cookie", &self.cookie), ("origin", &origin)], form.as_bytes()).await
    }

    /// Sends a form, and returns the page that it leads to.
    async fn done(&self, path: &str, form: &str) -> String {
        let answer = self.post(path, form).await;
        assert_eq!(answer.status, 303, "{path}: {}", answer.text());
        self.page(answer.headers["location"].split('#').next().unwrap()).await
    }
}

async fn world(setup: Setup) -> (Server, Browser) {
    let server = Server::start(Setup { auth: true, ..setup }).await;
    let admin = server.token("operator", Principal::Admin).await;
    let browser = Browser::of(&server, &admin).await;
    (server, browser)
}

/// The home of a side, as its page has it.
fn home<'a>(page: &'a str, root: &str, side: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("data-live=\"{root}/live/{side}\"")).expect("the side is there");
    rest.split("</section>").next().unwrap()
}

#[tokio::test]
async fn what_one_test_user_does_is_in_the_home_of_the_other() {
    let (_server, browser) = world(Setup::default()).await;
    let before = browser.page("/try").await;
    assert!(before.contains("There are no test users") && !before.contains("data-live"), "{before}");
    let made = browser.done("/try/make", "").await;
    assert!(made.contains("Ada (test user)") && made.contains("Bo (test user)"), "{made}");
    assert!(made.contains("client.resolve_ids({&quot;externalIds&quot;:"), "{made}");

    let followed = browser.done("/try/do/follow/b", "").await;
    assert!(followed.contains("/try/do/unfollow/b") && followed.contains("/try/do/follow/a"), "{followed}");
    assert!(
        followed.contains("RelationService/Follow") && followed.contains("client.follow({"),
        "{followed}"
    );
    let posted = browser.done("/try/do/post/a", "text=good+morning").await;
    for side in ["a", "b"] {
        assert!(home(&posted, "/try", side).contains("good morning"), "{side}: {posted}");
    }
    for call in ["PostService/CreatePost", "await client.createPost(", "client.create_post("] {
        assert!(posted.contains(call), "{call} is not in {posted}");
    }
    let liked = browser.done("/try/do/like/b", "").await;
    assert!(home(&liked, "/try", "a").contains("Likes 1"), "{liked}");
    let blocked = browser.done("/try/do/block/a", "").await;
    assert!(!home(&blocked, "/try", "b").contains("good morning"), "{blocked}");
    assert!(home(&blocked, "/try", "a").contains("good morning"), "{blocked}");
    assert_eq!(browser.post("/try/do/like/b", "").await.status, 400, "it sees no post to like");
    assert!(browser.done("/try/do/unblock/a", "").await.contains("/try/do/block/a"));
    for nothing in ["/try/do/nothing/a", "/try/do/post/c"] {
        assert_eq!(browser.post(nothing, "text=x").await.status, 404, "{nothing}");
    }
    let log = browser.page("/audit").await;
    for entry in ["UpdateUser", "GetHomeTimeline", "CreatePost", "LikePost", "Block"] {
        assert!(log.contains(entry), "{entry} is not in {log}");
    }
}

#[tokio::test]
async fn test_users_are_erased_when_it_is_confirmed() {
    let (_server, browser) = world(Setup::default()).await;
    assert_eq!(browser.get("/try/erase").await.status, 400, "there are none yet");
    drop(browser.done("/try/make", "").await);
    let asked = browser.page("/try/erase").await;
    assert!(asked.contains("This cannot be undone"), "{asked}");
    assert!(browser.page("/try").await.contains("Ada (test user)"), "to ask erases nobody");
    let erased = browser.done("/try/erase", "").await;
    assert!(!erased.contains("Ada (test user)") && !erased.contains("data-live"), "{erased}");
    assert!(browser.page("/audit?action=EraseUser").await.matches("uid:").count() >= 2);
}

#[tokio::test]
async fn an_operator_who_only_looks_sees_the_test_users_and_no_buttons() {
    let (server, browser) = world(Setup::default()).await;
    let looker = Browser::of(&server, &server.service(&[Scope::AdminRead]).await).await;
    assert!(!looker.page("/try").await.contains("action=\"/try"));
    assert_eq!(looker.post("/try/make", "").await.status, 403);
    drop(browser.done("/try/make", "").await);
    let page = looker.page("/try").await;
    assert!(page.contains("Ada (test user)") && !page.contains("action=\"/try"), "{page}");
    for path in ["post/a", "follow/a", "unfollow/a", "like/a", "block/a", "unblock/a"] {
        assert_eq!(looker.post(&format!("/try/do/{path}"), "text=x").await.status, 403, "{path}");
    }
    assert_eq!(looker.get("/try/erase").await.status, 403);
    assert_eq!(looker.post("/try/erase", "").await.status, 403);
    assert!(browser.page("/try").await.contains("Ada (test user)"));
}

#[tokio::test]
async fn no_text_that_is_tried_becomes_markup_or_leaves_its_quotes() {
    let (_server, browser) = world(Setup::default()).await;
    drop(browser.done("/try/make", "").await);
    let text = "%3Cscript%3Ealert(1)%3C%2Fscript%3E+'%3B+rm+-rf+%22%24HOME%22+%E2%80%AE";
    let page = browser.done("/try/do/post/a", &format!("text={text}")).await;
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(page.contains("\\u0027; rm -rf \\&quot;$HOME\\&quot;"), "{page}");
    let (_, codes) = page.split_once("id=\"did\"").unwrap();
    assert!(!codes.contains('\u{202e}') && codes.contains("\\u202e") || !page.contains('\u{202e}'), "{page}");
    // The address of a page shows no post of another user as one of the two.
    let odd = browser.page("/try?did=post&side=b&post=99999").await;
    assert!(!odd.contains("id=\"did\""), "{odd}");
    assert!(!browser.page("/try?did=%3Cscript%3E&side=a").await.contains("<script>"));
}

#[tokio::test]
async fn the_page_of_the_demo_is_of_the_demo_alone() {
    let (_server, browser) = world(Setup::default()).await;
    let page = browser.page("/").await;
    assert!(!page.contains("href=\"/demo\"") && !page.contains("href=\"/try\""), "{page}");
    for path in ["/demo", "/demo/live/fanout", "/demo/live/a"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
    for path in ["/demo/policy", "/demo/do/follow/a"] {
        assert_eq!(browser.post(path, "mode=push").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_demo_shows_two_users_its_policy_and_its_graph() {
    let name = |uid: u64| format!("Name <{uid}>");
    let demo = Some(DemoWorld { reader: 7, author: 8, name });
    let (server, browser) = world(Setup { demo, ..Setup::default() }).await;
    let service = server.service(&Scope::FOR_USERS).await;
    for (subject, object) in [("7", "8"), ("9", "8"), ("7", "9")] {
        let request = json!({ "subject": subject, "object": object }).to_string();
        let answer = post_as(server.main, &service, "/guanxi.v1.RelationService/Follow", &request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let page = browser.page("/demo").await;
    for shown in
        ["Name &lt;7&gt;", "Name &lt;8&gt;", "3 users with 3 follows", "href=\"/demo\"", "href=\"/try\""]
    {
        assert!(page.contains(shown), "{shown} is not in {page}");
    }
    assert!(!page.contains("Name <"), "{page}");
    let posted = browser.done("/demo/do/post/b", "text=news").await;
    assert!(home(&posted, "/demo", "a").contains("news"), "{posted}");
    let unfollowed = browser.done("/demo/do/unfollow/a", "").await;
    assert!(!home(&unfollowed, "/demo", "a").contains("news"), "{unfollowed}");
    for (mode, shown) in [("push", "Push"), ("hybrid", "Hybrid"), ("pull", "Pull")] {
        let page = browser.done("/demo/policy", &format!("mode={mode}")).await;
        assert!(page.contains(&format!("<div class=\"number\">{shown}</div>")), "{mode}: {page}");
        assert!(page.contains("AdminService/PutFanoutPolicy"), "{page}");
    }
    assert_eq!(browser.post("/demo/policy", "mode=all").await.status, 404);
    let looker = Browser::of(&server, &server.service(&[Scope::AdminRead]).await).await;
    assert!(!looker.page("/demo").await.contains("action=\"/demo"));
    for path in ["/demo/policy", "/demo/do/post/a"] {
        assert_eq!(looker.post(path, "mode=push&text=x").await.status, 403, "{path}");
    }
}

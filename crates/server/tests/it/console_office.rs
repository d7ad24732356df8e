//! The console's pages for the work of an operator: what an operation would answer, changes on behalf of users, lists by values,
//! exports, checks and the audit log.

use guanxi_console::limits::STREAMS_PER_SESSION_MAX;
use guanxi_model::Scope;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::console::{Browser, World};
use crate::http::{Answer, post_as, send};

impl World {
    async fn admin_call(&self, name: &str, request: Value) -> Value {
        let path = format!("/guanxi.v1.AdminService/{name}");
        let answer = post_as(self.server.admin, &self.admin, &path, &request.to_string()).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        answer.json()
    }

    /// The reason of a refused call of a service.
    async fn refused(&self, method: &str, request: Value) -> String {
        let path = format!("/guanxi.v1.{method}");
        post_as(self.server.main, &self.service, &path, &request.to_string()).await.reason()
    }

    async fn follow(&self, subject: u64, object: u64) {
        let pair = json!({ "subject": subject.to_string(), "object": object.to_string() });
        self.call("RelationService/Follow", pair).await;
    }

    async fn post_of(&self, author: u64, text: &str) -> String {
        let request = json!({ "author": author.to_string(), "text": text });
        self.call("PostService/CreatePost", request).await["postId"].as_str().unwrap().to_owned()
    }

    async fn looker(&self) -> Browser {
        let token = self.server.service(&[Scope::AdminRead]).await;
        self.sign_in(&token).await
    }
}

impl Browser {
    /// A page in Chinese.
    async fn page_zh(&self, path: &str) -> String {
        let cookies = format!("{}; guanxi_look=zh.dark.z480", self.cookie);
        let answer = send(self.to, "GET", path, &[("cookie", &cookies)], b"").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text().to_owned()
    }

    async fn confirmed(&self, path: &str, form: &str) -> Answer {
        let csrf = self.csrf().await;
        self.post(path, &format!("csrf={csrf}&{form}")).await
    }
}

/// The address of the first link or form of a page that begins so.
fn address<'a>(page: &'a str, begins: &str) -> &'a str {
    let at = page.find(&format!("\"{begins}")).unwrap_or_else(|| panic!("{begins} is not in {page}"));
    page[at + 1..].split('"').next().unwrap()
}

#[tokio::test]
async fn a_page_says_why_one_can_or_cannot_follow_another_as_the_call_does() {
    let world = World::start().await;
    world.call("RelationService/Block", json!({ "subject": "9", "object": "8" })).await;
    world.call("UserService/SetPrivacy", json!({ "uid": "6", "locked": true })).await;
    let browser = world.sign_in(&world.admin).await;
    let free = browser.page("/user/8/relation?to=7").await;
    assert!(free.contains("A can follow B.") && free.contains("Nothing is against it."), "{free}");
    for op in ["Follow", "SendFriendRequest", "Block", "Mute", "RemoveFriend", "ApproveFollow"] {
        assert!(free.contains(&format!("<code>{op}</code>")), "{op} is not in {free}");
    }
    assert!(!free.contains("the end of a request"), "what the server alone does is no row");
    let blocked = browser.page("/user/8/relation?to=9").await;
    let reason = world.refused("RelationService/Follow", json!({ "subject": "8", "object": "9" })).await;
    assert_eq!(reason, "BLOCKED");
    assert!(blocked.contains("A cannot follow B.") && blocked.contains("refused: BLOCKED"), "{blocked}");
    let locked = browser.page("/user/8/relation?to=6").await;
    assert!(locked.contains("is a request that waits") && locked.contains("B is locked"), "{locked}");
    world.follow(8, 6).await;
    let asked = browser.page("/user/8/relation?to=6").await;
    assert!(asked.contains("has asked to follow") && asked.contains("A has asked already"), "{asked}");
    // The request holds the only place.
    world.admin_call("SetFollowLimit", json!({ "uid": "8", "limit": 1 })).await;
    let full = browser.page("/user/8/relation?to=7").await;
    let reason = world.refused("RelationService/Follow", json!({ "subject": "8", "object": "7" })).await;
    assert!(
        full.contains(&format!("refused: {reason}")) && full.contains("1 of 1 places"),
        "{reason}: {full}"
    );
    world.admin_call("TakeDownUser", json!({ "uid": "7", "reason": "<i>spam" })).await;
    let gone = browser.page("/user/9/relation?to=7").await;
    assert!(gone.contains("B is deactivated or taken down.") && gone.contains("USER_DEACTIVATED"), "{gone}");
    assert!(!gone.contains("<i>"), "{gone}");
    let zh = browser.page_zh("/user/9/relation?to=7").await;
    assert!(zh.contains("A 不能关注 B。") && !zh.contains("A cannot"), "{zh}");
    assert!(browser.page("/user/9/relation?to=9").await.contains("SELF_RELATION"));
}

#[tokio::test]
async fn a_row_of_a_list_is_changed_for_its_user_after_a_question_and_is_in_the_log() {
    let world = World::start().await;
    for (subject, object) in [(8, 7), (7, 8), (5, 8)] {
        world.follow(subject, object).await;
    }
    world.call("RelationService/Block", json!({ "subject": "8", "object": "6" })).await;
    world.call("RelationService/Mute", json!({ "subject": "8", "object": "4" })).await;
    let browser = world.sign_in(&world.admin).await;
    let looker = world.looker().await;
    let deeds = [
        ("following", "unfollow", "7", "Unfollow"),
        ("followers", "remove-follower", "5", "RemoveFollower"),
        ("blocks", "unblock", "6", "Unblock"),
        ("mutes", "unmute", "4", "Unmute"),
    ];
    for (list, deed, other, action) in deeds {
        let at = format!("/user/8/list/{list}");
        let path = format!("/user/8/do/{deed}/{other}");
        let page = browser.page(&at).await;
        assert_eq!(address(&page, &path), path);
        assert!(!looker.page(&at).await.contains("/do/"), "an operator who looks has no button");
        assert_eq!(looker.get(&path).await.status, 403);
        assert_eq!(looker.confirmed(&path, "").await.status, 403);
        let asked = browser.page(&format!("{path}?back={at}%3Fpage%3D")).await;
        assert!(asked.contains("On behalf of user 8") && asked.contains("name=\"csrf\""), "{asked}");
        assert!(browser.page(&at).await.contains(&format!("/user/{other}\"")), "a question changes nothing");
        assert_eq!(browser.post(&path, "csrf=x").await.status, 403);
        let done = browser.confirmed(&format!("{path}?back=/user/8/list/{list}"), "").await;
        assert_eq!((done.status, done.headers["location"].as_str()), (303, at.as_str()));
        assert!(!browser.page(&at).await.contains(&format!("/user/{other}\"")), "{list}");
        let log = browser.page(&format!("/audit?action={action}")).await;
        assert!(log.contains("uid:8") && log.contains(&format!("uid:{other}")), "{log}");
    }
    let elsewhere = browser.page("/user/8/do/unfollow/5?back=//evil.example").await;
    assert!(!elsewhere.contains("href=\"//evil"), "{elsewhere}");
    let done = browser.confirmed("/user/8/do/unfollow/5?back=//evil.example", "").await;
    assert_eq!(done.headers["location"], "/user/8/list/following");
    assert_eq!(browser.get("/user/8/do/nonsense/5").await.status, 404);
}

#[tokio::test]
async fn a_session_is_ended_after_a_question() {
    let world = World::start().await;
    world.server.user(9).await;
    let browser = world.sign_in(&world.admin).await;
    let page = browser.page("/user/9/sessions").await;
    let path = address(&page, "/user/9/do/end-session/").to_owned();
    let looker = world.looker().await;
    assert!(!looker.page("/user/9/sessions").await.contains("/do/"));
    assert_eq!(looker.confirmed(&path, "").await.status, 403);
    assert!(browser.page(&path).await.contains("End a session of user 9?"));
    assert!(browser.page_zh(&path).await.contains("结束用户 9 的会话"));
    assert!(browser.page("/user/9/sessions").await.contains(&path), "a question changes nothing");
    assert_eq!(browser.confirmed(&path, "").await.status, 303);
    assert!(!browser.page("/user/9/sessions").await.contains(&path));
    assert!(browser.page("/audit?action=RevokeSession").await.contains("uid:9"));
}

#[tokio::test]
async fn posts_are_filtered_ordered_and_summed_up() {
    let world = World::start().await;
    let tea = world.post_of(7, "green tea").await;
    let gone = world.post_of(7, "gone <b>tea</b>").await;
    let other = world.post_of(8, "coffee").await;
    world.call("PostService/LikePost", json!({ "uid": "9", "postId": tea })).await;
    world.call("PostService/DeletePost", json!({ "author": "7", "postId": gone })).await;
    let browser = world.sign_in(&world.admin).await;
    let shows = |page: &str| [&tea, &gone, &other].map(|post| page.contains(&format!("/post/{post}\"")));
    for (query, expected) in [
        ("", [true, true, true]),
        ("?state=deleted", [false, true, false]),
        ("?state=live&state=deleted&author=7", [true, true, false]),
        ("?likes-min=1", [true, false, false]),
        ("?likes-max=0&state=live", [false, false, true]),
        ("?form=reply", [false, false, false]),
        ("?visibility=public&words=coffee", [false, false, true]),
        ("?created-from=2025-06-15T00:00&created-until=2025-06-16", [true, true, true]),
        ("?created-until=2001-01-01", [false, false, false]),
    ] {
        let page = browser.page(&format!("/posts{query}")).await;
        assert_eq!(shows(&page), expected, "{query}: {page}");
        assert!(!page.contains("<b>"), "{query}");
    }
    let place = |page: &str, post: &str| page.find(&format!("/post/{post}\"")).unwrap();
    let falling = browser.page("/posts?order=likes").await;
    assert!(place(&falling, &tea) < place(&falling, &other));
    let rising = browser.page("/posts?order=likes&rising=1").await;
    assert!(place(&rising, &other) < place(&rising, &tea));
    let states = browser.page("/posts?chart=state").await;
    assert!(states.contains("class=\"bars\"") && states.contains("class=\"bar\""), "{states}");
    assert!(browser.page("/posts?chart=likes").await.contains("50 % are at most"));
    assert!(browser.page("/posts?chart=day").await.contains("2025-06-15"));
    let authors = browser.page_zh("/posts?chart=author").await;
    assert!(authors.contains("class=\"bars\"") && authors.contains("/user/7\""), "{authors}");
    for bad in ["/posts?created-from=%3Cscript%3E", "/posts?likes-min=-1", "/rows/users?followers-max=x"] {
        let page = browser.page(bad).await;
        assert!(page.contains("This is no ") && !page.contains("<script>"), "{page}");
    }
}

#[tokio::test]
async fn users_are_filtered_and_summed_up() {
    let world = World::start().await;
    for (uid, nickname) in [("7", "Ann"), ("8", "<u>Bob")] {
        let update = json!({ "uid": uid, "nickname": nickname, "updateMask": "nickname" });
        world.call("UserService/UpdateUser", update).await;
    }
    world.follow(7, 8).await;
    world.admin_call("TakeDownUser", json!({ "uid": "7", "reason": "spam" })).await;
    let browser = world.looker().await;
    assert!(browser.page("/users").await.contains("href=\"/rows/users\""));
    for (query, expected) in [
        ("", [true, true]),
        ("?name=An", [true, false]),
        ("?state=taken-down", [true, false]),
        ("?state=active", [false, true]),
        ("?followers-min=1", [false, true]),
        ("?following-max=0&order=followers", [false, true]),
    ] {
        let page = browser.page(&format!("/rows/users{query}")).await;
        assert_eq!(
            ["7", "8"].map(|uid| page.contains(&format!("/user/{uid}\""))),
            expected,
            "{query}: {page}"
        );
        assert!(!page.contains("<u>") && !page.contains("/exports/start"), "{page}");
    }
    let states = browser.page_zh("/rows/users?chart=state").await;
    assert!(states.contains("class=\"bars\"") && states.contains("已下架"), "{states}");
    assert!(browser.page("/rows/users?chart=followers").await.contains("99 % are at most"));
}

#[tokio::test]
async fn an_export_is_asked_for_watched_taken_and_removed() {
    let world = World::start().await;
    world.post_of(7, "green <b>tea").await;
    world.post_of(8, "coffee").await;
    let browser = world.sign_in(&world.admin).await;
    let looker = world.looker().await;
    let list = browser.page("/posts?author=7&state=live").await;
    assert!(
        list.contains("action=\"/exports/start\"") && list.contains("name=\"state\" value=\"live\""),
        "{list}"
    );
    assert!(!looker.page("/posts").await.contains("/exports/start"));
    let path = "/exports/start?of=posts&author=7&state=live";
    let asked = browser.page(path).await;
    assert!(asked.contains("Export the rows of this filter (Posts)"), "{asked}");
    assert!(browser.page_zh("/exports/start?of=users&name=%3Cb%3E").await.contains("&lt;b&gt;"));
    assert!(!browser.page("/exports").await.contains("/export/"), "a question starts nothing");
    assert_eq!(looker.get(path).await.status, 403);
    assert_eq!(looker.confirmed(path, "format=csv").await.status, 403);
    assert_eq!(browser.get("/exports/start?of=nonsense").await.status, 404);
    for _ in 0..2 {
        let begun = browser.confirmed(path, "format=csv&once=one").await;
        assert_eq!((begun.status, begun.headers["location"].as_str()), (303, "/exports"));
    }
    let mut jobs = browser.page("/exports").await;
    for _ in 0..500 {
        if jobs.contains("/export/") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        jobs = browser.page("/exports").await;
    }
    let at = address(&jobs, "/export/").to_owned();
    assert_eq!(jobs.matches("href=\"/export/").count(), 1, "a form that is sent twice starts one job");
    let file = browser.get(&at).await;
    assert_eq!(file.status, 200);
    let place = &file.headers["content-disposition"];
    assert!(
        place.starts_with("attachment; filename=\"guanxi-posts-") && place.ends_with(".csv\""),
        "{place}"
    );
    assert_eq!(file.headers["x-content-type-options"], "nosniff");
    assert_eq!(file.headers["content-length"], file.body.len().to_string());
    assert!(file.text().contains("green <b>tea") && !file.text().contains("coffee"), "{}", file.text());
    assert_eq!(looker.get(&at).await.status, 403);
    let shown = looker.page("/exports").await;
    assert!(!shown.contains("/export/") && !shown.contains("/do/"), "{shown}");
    let cancel = address(&jobs, "/do/cancel-export/").to_owned();
    assert!(browser.page(&cancel).await.contains("remove its file?"));
    assert_eq!(looker.confirmed(&cancel, "").await.status, 403);
    assert_eq!(browser.confirmed(&cancel, "").await.status, 303);
    assert_eq!(browser.get(&at).await.status, 404);
    let log = browser.page("/audit").await;
    for action in ["StartExport", "ReadExport", "CancelExport"] {
        assert!(log.contains(action), "{action} is not in {log}");
    }
}

#[tokio::test]
async fn each_check_answers_at_its_end_and_says_how_to_mend() {
    let world = World::start().await;
    world.follow(8, 7).await;
    world.post_of(7, "tea").await;
    let browser = world.looker().await;
    for (check, command) in [
        ("facts", "guanxi repair --server URL"),
        ("homes", "guanxi fanout policy"),
        ("search", "guanxi repair rebuild search"),
    ] {
        let page = browser.page(&format!("/consistency?check={check}")).await;
        assert!(page.contains(&format!("data-live=\"/consistency/check?of={check}\"")), "{page}");
        let whole = browser.page(&format!("/consistency/check?of={check}&whole=1")).await;
        assert!(whole.contains("no difference") && whole.contains(command), "{check}: {whole}");
        let zh = browser.page_zh(&format!("/consistency/check?of={check}&whole=1")).await;
        assert!(zh.contains("没有差异"), "{check}: {zh}");
        let stream = browser.get(&format!("/consistency/check?of={check}")).await;
        assert!(stream.text().contains("event: fragment") && stream.text().contains("event: end"), "{check}");
    }
    assert!(browser.page("/consistency").await.contains("guanxi backup"));
    assert_eq!(browser.get("/consistency/check?of=nonsense").await.status, 404);
}

#[tokio::test]
async fn a_repair_asks_first_is_watched_and_is_in_the_audit_log_with_its_reason() {
    let world = World::start().await;
    world.follow(8, 7).await;
    let looker = world.looker().await;
    assert_eq!(looker.get("/consistency/mend").await.status, 403);
    assert_eq!(looker.confirmed("/consistency/mend", "reason=x").await.status, 403);
    let browser = world.sign_in(&world.admin).await;
    assert!(!browser.page("/consistency").await.contains("id=\"mend\""), "none has begun");
    let question = browser.page("/consistency/mend").await;
    assert!(question.contains("Mend derived rows?") && question.contains("name=\"reason\""), "{question}");
    let begun = browser.confirmed("/consistency/mend", "reason=a+follower+is+missing").await;
    assert_eq!((begun.status, begun.headers["location"].as_str()), (303, "/consistency#mend"));
    let mut page = String::new();
    for _ in 0..100 {
        page = looker.page("/consistency").await;
        if page.contains("0 differences found, 0 rows mended, 0 differences left.") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(page.contains("0 differences left") && page.contains("/consistency/mend/live"), "{page}");
    let audit = browser.page("/audit?action=Repair").await;
    assert!(audit.contains("a follower is missing") && audit.contains("<td>Repair</td>"), "{audit}");
    assert_eq!(browser.post("/consistency/mend", "reason=x").await.status, 403, "a form without its token");
}

#[tokio::test]
async fn the_newest_backups_are_shown_or_that_none_is_known() {
    let world = World::start().await;
    let browser = world.looker().await;
    assert!(browser.page("/consistency").await.contains("No backup is known"));
    let path = "/guanxi.v1.AdminService/Backup";
    let mut frame = vec![0];
    frame.extend(2_u32.to_be_bytes());
    frame.extend(b"{}");
    let bearer = format!("Bearer {}", world.admin);
    let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
    assert_eq!(send(world.server.admin, "POST", path, &headers, &frame).await.status, 200);
    let page = browser.page("/consistency").await;
    assert!(page.contains("<td>Backup</td>") && !page.contains("No backup is known"), "{page}");
    assert!(page.contains("whether its data was restored"), "{page}");
}

#[tokio::test]
async fn a_check_of_stored_rows_shows_a_heat_map() {
    let world = World::start().await;
    world.follow(8, 7).await;
    let browser = world.looker().await;
    let page = browser.page("/consistency/check?of=facts&whole=1").await;
    assert!(page.contains("<title>0 to 0: 1 follows on both sides</title>"), "{page}");
    assert!(page.contains("1 squares have follows") && !page.contains("class=\"differs\""), "{page}");
}

/// Opens a stream, and holds it.
async fn held(browser: &Browser, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(browser.to).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", browser.to, browser.cookie);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = [0; 256];
    assert!(stream.read(&mut said).await.unwrap() > 0);
    stream
}

#[tokio::test]
async fn a_check_takes_a_place_among_the_streams_of_its_session() {
    let world = World::start().await;
    let browser = world.looker().await;
    let mut streams = Vec::new();
    for _ in 0..STREAMS_PER_SESSION_MAX {
        streams.push(held(&browser, "/live/overview").await);
    }
    let path = "/consistency/check?of=facts";
    let refused = browser.get(path).await;
    assert!(
        refused.text().contains("too much to do") && refused.text().contains("event: end"),
        "{}",
        refused.text()
    );
    assert_eq!(browser.get(&format!("{path}&whole=1")).await.status, 429);
    streams.clear();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if browser.get(path).await.text().contains("no difference") {
            return;
        }
    }
    panic!("the places of streams that have ended are free again");
}

#[tokio::test]
async fn the_audit_log_is_filtered_by_time() {
    let world = World::start().await;
    world.admin_call("SetFollowLimit", json!({ "uid": "8", "limit": 1 })).await;
    let browser = world.looker().await;
    for (query, is_shown) in [
        ("?time-from=2025-06-15&time-until=2025-06-16", true),
        ("?time-from=2025-06-16", false),
        ("?time-until=2025-06-15T00:00", false),
    ] {
        let page = browser.page(&format!("/audit{query}")).await;
        assert_eq!(page.contains("<td>SetFollowLimit</td>"), is_shown, "{query}: {page}");
    }
    let bad = browser.get("/audit?time-from=%3Cscript%3E").await;
    assert!(bad.status == 400 && !bad.text().contains("<script>"), "{}", bad.text());
}

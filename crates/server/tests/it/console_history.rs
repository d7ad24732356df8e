//! The console's page of the history of a user.

use guanxi_testkit::Setup;
use serde_json::json;

use crate::console::World;
use crate::http::send;

/// User 7 follows, unfollows and blocks user 8, who has a name, and likes its post; returns the post.
async fn acts(world: &World) -> String {
    let pair = json!({ "subject": "7", "object": "8" });
    world.call("UserService/UpdateUser", json!({ "uid": "8", "nickname": "Tanaka <b>" })).await;
    world.call("RelationService/Follow", pair.clone()).await;
    let made = world.call("PostService/CreatePost", json!({ "author": "8", "text": "words" })).await;
    let post = made["postId"].as_str().unwrap().to_owned();
    world.call("PostService/LikePost", json!({ "uid": "7", "postId": post })).await;
    world.call("RelationService/Unfollow", pair.clone()).await;
    world.call("RelationService/Follow", json!({ "subject": "8", "object": "7" })).await;
    world.call("RelationService/Block", pair).await;
    post
}

/// A page without its marks.
fn words(page: &str) -> String {
    let mut text = String::new();
    for part in page.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    text
}

#[tokio::test]
async fn a_history_is_told_in_words_with_links() {
    let world = World::start().await;
    let post = acts(&world).await;
    let browser = world.sign_in(&world.admin).await;
    let page = browser.page("/user/7/history").await;
    let (told, name) = (words(&page), "Tanaka &lt;b&gt; 8");
    for sentence in [
        format!("7 followed {name}"),
        format!("7 liked the post {post} of {name}"),
        format!("7 no longer follows {name}"),
        format!("{name} followed 7"),
        format!("{name} no longer follows 7 by Block"),
        format!("7 blocked {name}"),
        "The log is searched to its first event.".to_owned(),
    ] {
        assert!(told.contains(&sentence), "{sentence} is not in {told}");
    }
    let at = |sentence: &str| told.find(sentence).unwrap();
    assert!(at("7 blocked") < at("7 no longer") && at("7 no longer") < at("7 liked"), "{told}");
    assert!(page.contains(&format!("href=\"/post/{post}\"")) && page.contains("href=\"/user/8\""), "{page}");
    assert!(page.contains("<time datetime=\"2025-06-15T"), "{page}");
    let cookies = format!("{}; guanxi_look=zh.dark.z480", browser.cookie);
    let chinese = send(browser.to, "GET", "/user/7/history", &[("cookie", &cookies)], b"").await;
    assert!(
        words(chinese.text()).contains(&format!("7 \u{5c4f}\u{853d}\u{4e86} {name}")),
        "{}",
        chinese.text()
    );
    let log = browser.page("/audit?action=ListUserEvents").await;
    assert_eq!(log.matches("href=\"/user/7\"").count(), 2, "each look is in the audit log: {log}");
    let nobody = words(&browser.page("/user/99/history").await);
    assert!(nobody.contains("The log is searched to its first event."), "{nobody}");
}

#[tokio::test]
async fn a_page_says_when_it_is_cut_and_when_the_log_is_trimmed() {
    let mut setup = Setup::default();
    setup.store.log_events_max = 4;
    let world = World::start_with(setup).await;
    acts(&world).await;
    let browser = world.sign_in(&world.admin).await;
    let whole = words(&browser.page("/user/7/history").await);
    assert!(whole.contains("they are trimmed. Its first event now is number 5, of 20"), "{whole}");
    assert!(!whole.contains("liked"), "{whole}");
    let mut path = "/user/7/history?scan=3".to_owned();
    let cut = browser.page(&path).await;
    assert!(words(&cut).contains("This page has read 3 events of the log, back to 20"), "{cut}");
    let (_, next) = cut.split_once("rel=\"next\" href=\"").expect("there is a next page");
    path = next.split('"').next().unwrap().replace("&amp;", "&");
    assert!(path.contains("scan=3"), "{path}");
    let rest = words(&browser.page(&path).await);
    assert!(rest.contains("7 no longer follows") && rest.contains("number 5"), "{rest}");
}

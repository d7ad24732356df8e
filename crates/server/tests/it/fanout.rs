//! The operator's calls about home timelines.

use std::time::Duration;

use crate::http::{Answer, post};
use crate::posts::{call, follow, ids, write};
use guanxi_proto::{Wire, v1};
use guanxi_testkit::Server;
use serde_json::{Value, json};

async fn operate(server: &Server, method: &str, body: Value) -> Answer {
    post(server.admin, &format!("AdminService/{method}"), &body.to_string()).await
}

#[tokio::test]
async fn a_policy_is_put_whole_and_checked() {
    let server = Server::open().await;
    let usual = json!({ "policy": {
        "mode": "PULL", "celebrityFollowers": "100000", "activeBucket": "86400s", "coldAfter": "2592000s",
        "inboxCap": 800,
    } });
    assert_eq!(operate(&server, "GetFanoutPolicy", json!({})).await.json(), usual);
    let policy = json!({ "mode": "HYBRID", "celebrityFollowers": "0", "activeBucket": "90.5s" });
    let put = operate(&server, "PutFanoutPolicy", json!({ "policy": policy })).await.json();
    let holds = json!({
        "mode": "HYBRID", "celebrityFollowers": "0", "activeBucket": "90.500s", "coldAfter": "2592000s",
        "inboxCap": 800,
    });
    assert_eq!(put["policy"], holds);
    assert!(put["token"].is_string());
    assert_eq!(operate(&server, "GetFanoutPolicy", json!({})).await.json()["policy"], holds);
    for (policy, field) in [
        (json!({ "mode": 9 }), "mode"),
        (json!({ "activeBucket": "0.999s" }), "active_bucket"),
        (json!({ "activeBucket": "-5s" }), "active_bucket"),
        (json!({ "coldAfter": "5s" }), "cold_after"),
        (json!({ "inboxCap": 10_001 }), "inbox_cap"),
    ] {
        let (_, info) = operate(&server, "PutFanoutPolicy", json!({ "policy": policy })).await.error();
        assert_eq!((info.reason.as_str(), info.metadata["field"].as_str()), ("INVALID_FIELD", field));
    }
    assert_eq!(operate(&server, "PutFanoutPolicy", json!({})).await.reason(), "MISSING_FIELD");
    let misspelt = json!({ "policy": { "celebrityFolowers": "1" } });
    assert_eq!(operate(&server, "PutFanoutPolicy", misspelt).await.reason(), "MALFORMED");
}

#[tokio::test]
async fn the_status_tells_of_a_post_until_it_is_delivered() {
    let server = Server::open().await;
    operate(&server, "PutFanoutPolicy", json!({ "policy": { "mode": "PUSH" } })).await.json();
    follow(&server, "1", "2").await;
    let visit = || call(&server, "FeedService/GetHomeTimeline", json!({ "viewer": "1" }));
    visit().await.json();
    let post = write(&server, json!({ "author": "2", "text": "a" })).await;
    let done = async {
        loop {
            let status = operate(&server, "GetFanoutStatus", json!({ "postId": post })).await.json();
            if status["post"]["done"] == true && status["behind"] == "0" {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let status = tokio::time::timeout(crate::PATIENCE, done).await.expect("it is done soon");
    assert_eq!((&status["post"]["postId"], &status["post"]["delivered"]), (&json!(post), &json!("1")));
    assert_eq!((&status["inboxes"], &status["entries"]), (&json!("1"), &json!("1")));
    assert_eq!(status["policy"]["mode"], "PUSH");
    assert_eq!(ids(&visit().await.json()["posts"]), [post.as_str()]);
    let unknown = operate(&server, "GetFanoutStatus", json!({ "postId": "77" })).await.json();
    assert!(unknown.get("post").is_none());
}

#[tokio::test]
async fn homes_are_verified_for_given_and_for_sampled_viewers() {
    let server = Server::open().await;
    for viewer in 1..=12_u64 {
        follow(&server, &viewer.to_string(), "50").await;
        follow(&server, &viewer.to_string(), "51").await;
    }
    for author in ["50", "51"] {
        write(&server, json!({ "author": author, "text": "a" })).await;
    }
    let (_, admin) = server.clients(Wire::Http1);
    let verify = async |request: v1::VerifyFeedRequest| {
        let mut stream = admin.admin_streams().verify_feed(request).await.unwrap();
        let mut found = Vec::new();
        while let Some(report) = stream.message::<v1::VerifyFeedResponse>().await.unwrap() {
            found.push(report.to_owned_message());
        }
        found
    };
    for (method, request) in [
        ("CreateGroup", json!({ "subject": "7", "name": "friends" })),
        ("CreateGroup", json!({ "subject": "7", "name": "others" })),
        ("AddGroupMembers", json!({ "subject": "7", "groupId": 1, "objects": ["51"] })),
    ] {
        let answer = post(server.main, &format!("RelationService/{method}"), &request.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let given = verify(v1::VerifyFeedRequest { viewers: vec![50, 7], ..Default::default() }).await;
    let told: Vec<_> = given
        .iter()
        .map(|report| (report.viewer, report.group_id, report.items, report.missing.len()))
        .collect();
    let groups = [(7, 1, Some(1), 0), (7, 2, Some(0), 0)];
    assert_eq!(told, [(50, 0, Some(1), 0), (7, 0, Some(2), 0), groups[0], groups[1]]);
    let last = given[3].progress.as_option().unwrap();
    assert_eq!((last.done, last.total), (2, 2));
    let all = verify(v1::VerifyFeedRequest::default()).await;
    let homes = all.iter().filter(|report| report.group_id == 0);
    let viewers: Vec<u64> = homes.map(|report| report.viewer).collect();
    assert_eq!(viewers, (1..=12).collect::<Vec<_>>(), "everybody who follows somebody, once");
    let some = verify(v1::VerifyFeedRequest { sample: 5, max_items: 1, ..Default::default() }).await;
    assert_eq!(some.iter().filter(|report| report.group_id == 0).count(), 5);
    assert!(some.windows(2).all(|pair| pair[0].viewer <= pair[1].viewer));
    let both = v1::VerifyFeedRequest { viewers: vec![1], sample: 1, ..Default::default() };
    let mut stream = admin.admin_streams().verify_feed(both).await.unwrap();
    assert!(stream.message::<v1::VerifyFeedResponse>().await.is_err());
}

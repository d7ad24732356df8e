//! Page tokens: whose they are.

use crate::http::post_as;
use guanxi_model::Scope;
use guanxi_testkit::{Server, Setup};
use serde_json::json;

/// A page token opens for the list and the reader that it was made for, with any size of the page; it tells nothing.
#[tokio::test]
async fn a_page_token_is_its_readers_alone() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let path = "/guanxi.v1.RelationService/ListFollowers";
    let service = server.service(&[Scope::RelationRead, Scope::RelationWrite]).await;
    for follower in 20..24 {
        let body = json!({ "subject": follower.to_string(), "object": "9" }).to_string();
        post_as(server.main, &service, "/guanxi.v1.RelationService/Follow", &body).await.json();
    }
    let (one, other) = (server.user(1).await, server.user(2).await);
    let page = async |token: &str, page_token: &str, size: u32, uid: &str| {
        let body = json!({ "uid": uid, "pageSize": size, "pageToken": page_token }).to_string();
        post_as(server.main, token, path, &body).await
    };
    let first = page(&one, "", 2, "9").await.json();
    let next = first["nextPageToken"].as_str().unwrap();
    assert_eq!(page(&one, "", 2, "9").await.json()["nextPageToken"], next, "equal pages are equal");
    assert_eq!(page(&one, next, 50, "9").await.json()["followers"].as_array().unwrap().len(), 2);
    for (token, uid) in [(&other, "9"), (&service, "9"), (&one, "8")] {
        assert_eq!(page(token, next, 2, uid).await.reason(), "STALE_CURSOR");
    }
    let of_service = page(&service, "", 2, "9").await.json();
    assert_ne!(of_service["nextPageToken"], next);
}

//! What is no call.

use crate::http::send;
use guanxi_testkit::{Server, Setup};

#[tokio::test]
async fn liveness_readiness_and_openapi_are_on_both_doors_and_metrics_on_the_operators() {
    let server = Server::open().await;
    for door in [server.main, server.admin] {
        assert_eq!(send(door, "GET", "/healthz", &[], b"").await.text(), "ok\n");
        assert_eq!(send(door, "GET", "/readyz", &[], b"").await.text(), "ready\n");
        let openapi = send(door, "GET", "/openapi.json", &[], b"").await;
        assert_eq!(openapi.headers["content-type"], "application/json");
        let follow = &openapi.json()["paths"]["/guanxi.v1.RelationService/Follow"]["post"];
        assert!(follow["summary"].as_str().unwrap().starts_with("Begins to follow"));
        assert_eq!(send(door, "GET", "/nothing", &[], b"").await.status, 404);
    }
    assert_eq!(send(server.main, "GET", "/metrics", &[], b"").await.status, 404);
    assert_eq!(send(server.admin, "GET", "/metrics", &[], b"").await.text(), "guanxi_test 1\n");
}

/// A stranger learns neither where anything listens nor which version it is.
#[tokio::test]
async fn a_door_says_what_it_is_and_where_to_go_on() {
    let server = Server::open().await;
    for (door, words) in [(server.main, ["Follow", "/readyz"]), (server.admin, ["Stats", "/metrics"])] {
        let front = send(door, "GET", "/", &[], b"").await;
        assert_eq!(
            (front.status, front.headers["content-type"].as_str()),
            (200, "text/plain; charset=utf-8")
        );
        let text = front.text();
        assert!(text.lines().count() < 12 && text.contains("curl -H") && text.contains("docs/"), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        for told in ["127.0.0.1", "localhost", "742", env!("CARGO_PKG_VERSION"), &door.port().to_string()] {
            assert!(!text.contains(told), "{told}: {text}");
        }
    }
}

#[tokio::test]
async fn a_closing_server_is_not_ready() {
    let server = Server::open().await;
    server.load.close();
    let answer = send(server.main, "GET", "/readyz", &[], b"").await;
    assert_eq!((answer.status, answer.text()), (503, "closing\n"));
}

#[tokio::test]
async fn no_cache_keeps_what_depends_on_the_caller() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let bearer = format!("Bearer {}", server.user(1).await);
    let message = "connect=v1&encoding=json&message=%7B%22subject%22%3A%221%22%2C%22object%22%3A%222%22%7D";
    let path = format!("/guanxi.v1.RelationService/GetRelation?{message}");
    let kept = |answer: &crate::http::Answer| answer.headers.get("cache-control").cloned();
    let got = send(server.main, "GET", &path, &[("authorization", &bearer)], b"").await;
    assert_eq!((got.status, kept(&got).as_deref()), (200, Some("private, no-store")), "{}", got.text());
    let refused = send(server.main, "GET", &path, &[], b"").await;
    assert_eq!((refused.status, kept(&refused).as_deref()), (401, Some("private, no-store")), "errors, too");
    for (door, page, expected) in [
        (server.main, "/healthz", "no-store"),
        (server.main, "/readyz", "no-store"),
        (server.admin, "/metrics", "no-store"),
        (server.main, "/openapi.json", "public, max-age=3600"),
    ] {
        let got = send(door, "GET", page, &[], b"").await;
        assert_eq!((got.status, kept(&got).as_deref()), (200, Some(expected)), "{page}");
    }
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let posted = send(
        server.main,
        "POST",
        "/guanxi.v1.RelationService/GetRelation",
        &headers,
        br#"{"subject":"1","object":"2"}"#,
    );
    assert_eq!(kept(&posted.await), None, "no cache keeps answers to POST anyway");
}

//! Calls of web pages, as browsers make them.

use crate::http::{Answer, send};
use guanxi_testkit::{Server, Setup};

const PATH: &str = "/guanxi.v1.RelationService/GetCounts";

/// A preflight as Chromium sends it for a call of connect-web with tracing.
async fn preflight(server: &Server, origin: &str, wanted: &str) -> Answer {
    let headers = [
        ("accept", "*/*"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", wanted),
        ("origin", origin),
        ("sec-fetch-mode", "cors"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-dest", "empty"),
        ("referer", "https://a.example/"),
        ("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140"),
    ];
    send(server.main, "OPTIONS", PATH, &headers, b"").await
}

async fn call(server: &Server, origin: &str) -> Answer {
    let headers = [("origin", origin), ("content-type", "application/json"), ("sec-fetch-mode", "cors")];
    send(server.main, "POST", PATH, &headers, br#"{"uid":"1"}"#).await
}

async fn open_to(origins: &[&str]) -> Server {
    let cors_origins = origins.iter().map(|&origin| origin.to_owned()).collect();
    Server::start(Setup { cors_origins, ..Setup::default() }).await
}

const WANTED: &str = "authorization,baggage,connect-protocol-version,connect-timeout-ms,content-type,last-event-id,\
                      traceparent,tracestate,x-grpc-web,x-request-id,x-user-agent";

#[tokio::test]
async fn nobody_is_allowed_by_default() {
    let server = Server::open().await;
    let asked = preflight(&server, "https://a.example", WANTED).await;
    assert_eq!(asked.status, 405, "as every OPTIONS");
    for answer in [asked, call(&server, "https://a.example").await] {
        assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")), "{answer:?}");
    }
}

#[tokio::test]
async fn a_page_of_a_configured_origin_may_send_what_its_libraries_send() {
    let server = open_to(&["https://a.example", "http://localhost:3000"]).await;
    for origin in ["https://a.example", "http://localhost:3000"] {
        let asked = preflight(&server, origin, WANTED).await;
        assert!((200..300).contains(&asked.status), "{asked:?}");
        assert_eq!(asked.headers["access-control-allow-origin"], origin);
        assert_eq!(asked.headers["access-control-allow-methods"], "GET,POST");
        let allowed: Vec<&str> =
            asked.headers["access-control-allow-headers"].split(',').map(str::trim).collect();
        assert!(WANTED.split(',').all(|name| allowed.contains(&name)), "{allowed:?}");
        assert_eq!(asked.headers["access-control-max-age"], "7200");
        assert!(!asked.headers.contains_key("access-control-allow-credentials"), "no cookie is read");

        let answer = call(&server, origin).await;
        assert_eq!((answer.status, answer.headers["access-control-allow-origin"].as_str()), (200, origin));
        assert!(answer.headers["vary"].contains("origin"), "a cache must not mix origins");
        let exposed = &answer.headers["access-control-expose-headers"];
        for name in ["grpc-status", "grpc-message", "grpc-status-details-bin", "retry-after", "x-request-id"]
        {
            assert!(exposed.contains(name), "{exposed}");
        }
        let headers = [("origin", origin)];
        let page = send(server.main, "GET", "/openapi.json", &headers, b"").await;
        assert_eq!(page.headers["access-control-allow-origin"], origin, "pages, too");
        let error = send(server.main, "POST", PATH, &headers, b"").await;
        assert_eq!(error.headers["access-control-allow-origin"], origin, "a script can read errors");
    }
}

#[tokio::test]
async fn another_page_is_not_allowed() {
    let server = open_to(&["https://a.example"]).await;
    for origin in ["https://b.example", "http://a.example", "https://a.example:8443", "null"] {
        for answer in [preflight(&server, origin, WANTED).await, call(&server, origin).await] {
            assert!(!answer.headers.contains_key("access-control-allow-origin"), "{origin}");
        }
    }
    let headers = [("origin", "https://a.example"), ("access-control-request-method", "POST")];
    let admin = send(server.admin, "OPTIONS", "/guanxi.v1.AdminService/Stats", &headers, b"").await;
    assert!(!admin.headers.contains_key("access-control-allow-origin"), "never on the operator's door");
}

#[tokio::test]
async fn a_star_alone_allows_any_page_and_no_cookies() {
    let server = open_to(&["*"]).await;
    for origin in ["https://a.example", "null"] {
        for answer in [preflight(&server, origin, WANTED).await, call(&server, origin).await] {
            assert_eq!(answer.headers["access-control-allow-origin"], "*");
            assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        }
    }
}

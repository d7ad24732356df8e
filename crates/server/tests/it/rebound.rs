//! A name of another site that is bound to this machine: its page is of the origin that it calls, so a browser forbids it nothing.

use guanxi_api::rules::{Access, RULES, Rule};
use guanxi_testkit::Server;

use crate::http::send;

#[tokio::test]
async fn where_no_credential_is_asked_for_no_page_of_another_name_calls_anything() {
    let server = Server::open().await;
    let call = async |rule: &Rule, host: &str| {
        let to = if rule.access.is_operators() { server.admin } else { server.main };
        let origin = format!("http://{host}");
        let headers = [("content-type", "application/json"), ("host", host), ("origin", &origin)];
        send(to, "POST", &format!("/{}", rule.path), &headers, b"{}").await
    };
    let guarded = RULES.iter().filter(|rule| rule.access != Access::Open && rule.path.starts_with("guanxi."));
    let mut refused = 0;
    for rule in guarded {
        let answer = call(rule, "evil.example").await;
        // A stream is of another content type.
        if answer.status != 415 {
            assert_eq!(
                (answer.status, answer.reason().as_str()),
                (403, "PERMISSION_DENIED"),
                "{}",
                rule.path
            );
            refused += 1;
        }
        let named = call(rule, "localhost:7420").await;
        assert_ne!(named.status, 403, "{}: {}", rule.path, named.text());
    }
    assert!(refused > 100, "{refused} calls were tried");
    let stats = "/guanxi.v1.AdminService/Stats?encoding=json&message=%7B%7D";
    assert_eq!(send(server.admin, "GET", stats, &[("host", "evil.example")], b"").await.status, 403);
    assert_eq!(send(server.admin, "GET", stats, &[("host", "127.0.0.1")], b"").await.status, 200);
}

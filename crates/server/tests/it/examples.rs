//! The examples of the reference, as they stand there.

use crate::http::post;
use guanxi_testkit::Server;

/// The methods with their examples: each has one, wherever what it takes is defined.
fn examples() -> Vec<(String, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut service, mut method) = (String::new(), String::new());
    let (mut methods, mut found) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## guanxi.v1.") {
            name.clone_into(&mut service);
        } else if let Some(name) = line.strip_prefix("### ") {
            name.clone_into(&mut method);
            if !service.is_empty() && !name.starts_with("Messages of") {
                methods.push(format!("{service}/{method}"));
            }
        } else if let Some(example) = line.strip_prefix("Example: `") {
            found.push((format!("{service}/{method}"), example.trim_end_matches('`').to_owned()));
        }
    }
    assert_eq!(
        found.iter().map(|(method, _)| method).collect::<Vec<_>>(),
        methods.iter().collect::<Vec<_>>()
    );
    found
}

#[tokio::test]
async fn examples_of_the_reference_are_right_requests() {
    let (shared, mut tried) = (Server::open().await, 0);
    for (method, example) in examples() {
        if method.ends_with("*(stream)*") {
            continue;
        }
        // These calls end a user for good.
        let own = ["DeleteUser", "EraseUser"].iter().any(|name| method.ends_with(name));
        let own = if own { Some(Server::open().await) } else { None };
        let server = own.as_ref().unwrap_or(&shared);
        let door = if method.starts_with("Admin") { server.admin } else { server.main };
        let path = method.trim_end_matches(" *(read)*");
        let answer = post(door, path, &example).await;
        // Nothing is there yet, and the token is a placeholder.
        let is_right = answer.status == 200
            || [
                "POST_NOT_FOUND",
                "USER_NOT_FOUND",
                "GROUP_NOT_FOUND",
                "LOGIN_FAILED",
                "NOT_FOUND",
                "INVALID_TOKEN",
            ]
            .contains(&answer.reason().as_str());
        // A refresh token says who calls, and that of the example belongs to no session.
        let is_nobodys = path == "UserService/RefreshSession" && answer.reason() == "UNAUTHENTICATED";
        assert!(is_right || is_nobodys, "{path} {example}: {}", answer.text());
        tried += 1;
    }
    assert!(tried >= 90, "{tried} examples");
}

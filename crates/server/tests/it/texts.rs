//! Texts that users choose and others read, wherever a call takes one.

use guanxi_model::Scope;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

use crate::http::post_as;

/// A method, the field of it that holds a text, the field that errors name, and the rest of the request.
fn calls() -> [(&'static str, &'static str, &'static str, Value); 8] {
    let login = json!({ "loginName": "alice", "password": "correct horse battery" });
    [
        ("UserService/Register", "nickname", "nickname", json!({ "loginName": "bob" })),
        ("UserService/UpdateUser", "nickname", "nickname", json!({ "uid": "7" })),
        ("UserService/UpdateUser", "nickname", "nickname", json!({ "uid": "7", "updateMask": "nickname" })),
        ("RelationService/CreateGroup", "name", "name", json!({ "subject": "7" })),
        ("RelationService/UpdateGroup", "name", "name", json!({ "subject": "7", "groupId": 1 })),
        ("RelationService/SendFriendRequest", "message", "message", json!({ "subject": "7", "object": "8" })),
        ("UserService/Login", "device", "device", login.clone()),
        ("UserService/Register", "nickname", "nickname", json!({ "loginName": "eve", "requestId": "1" })),
    ]
}

#[tokio::test]
async fn what_turns_text_around_or_is_not_seen_is_refused_with_its_field() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let service = server.service(&[Scope::UserWrite, Scope::RelationWrite]).await;
    let call = async |method: &str, request: &Value| {
        post_as(server.main, &service, &format!("/guanxi.v1.{method}"), &request.to_string()).await
    };
    let alice = json!({ "loginName": "alice", "password": "correct horse battery" });
    assert_eq!(call("UserService/Register", &alice).await.status, 200);
    for (method, field, told, request) in calls() {
        let with = |text: &str| {
            let mut request = request.clone();
            request[field] = json!(text);
            request
        };
        for text in ["user\u{202e}nimda", "a\u{2066}b", "a\tb", "a\u{200b}b", "\u{3164}"] {
            let answer = call(method, &with(text)).await;
            assert_eq!(answer.reason(), "INVALID_FIELD", "{method} {text:?}");
            assert_eq!(answer.error().1.metadata["field"], told, "{method} {text:?}");
        }
        let family = with("می\u{200c}خواهم \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}");
        let answer = call(method, &family).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
    }
}

//! `actor`: one name for the acting user in the JSON of every call.

use crate::http::{Answer, post_as, send};
use crate::posts::{call, write};
use guanxi_api::rules::{Access, RULES};
use guanxi_model::Scope;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

fn document() -> Value {
    serde_json::from_str(guanxi_proto::OPENAPI).unwrap()
}

fn request_schema(document: &Value, path: &str) -> Value {
    let content = &document["paths"][format!("/{path}")]["post"]["requestBody"]["content"];
    let schema = content.as_object().unwrap().values().next().unwrap();
    let name = schema["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
    document["components"]["schemas"][name].clone()
}

#[test]
fn the_document_lists_the_name_where_the_rules_have_a_field_for_it() {
    let (document, mut named) = (document(), 0);
    for rule in RULES.iter().filter(|rule| rule.path.starts_with("guanxi.")) {
        let fields = request_schema(&document, rule.path)["properties"].clone();
        let Some(own) = rule.own else {
            assert!(fields.get("actor").is_none(), "{}", rule.path);
            continue;
        };
        let (mut actor, mut field) = (fields["actor"].clone(), fields[own].clone());
        assert!(actor["description"].as_str().unwrap().contains(&format!("`{own}`")), "{}", rule.path);
        for property in [&mut actor, &mut field] {
            property.as_object_mut().unwrap().remove("description");
        }
        assert_eq!(actor, field, "{}", rule.path);
        named += 1;
    }
    assert!(named > 60, "{named}");
}

/// What a call answers whose acting user comes under some names, beside what it needs.
async fn answered(server: &Server, token: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
    let body = Value::Object(fields.collect()).to_string();
    post_as(server.main, token, &format!("/{path}"), &body).await
}

#[tokio::test]
async fn every_call_with_an_acting_user_takes_it_by_that_name() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let service = server.service(&Scope::FOR_USERS).await;
    let answers_once = |path: &str| {
        let content = &document()["paths"][format!("/{path}")]["post"]["requestBody"]["content"];
        content.get("application/json").is_some()
    };
    let calls = RULES.iter().filter_map(|rule| Some((rule, rule.own?)));
    for ((rule, own), uid) in calls.filter(|(rule, _)| answers_once(rule.path)).zip(100..) {
        // A user for each call, since some calls end a user for good.
        let uid = format!("{uid}");
        assert_ne!(rule.access, Access::Open, "{}", rule.path);
        let different = answered(&server, &service, rule.path, &[("actor", "1"), (own, "2")]).await;
        let (code, info) = different.error();
        let told = (code.as_str(), info.reason.as_str(), info.metadata["field"].as_str());
        assert_eq!(told, ("invalid_argument", "INVALID_FIELD", own), "{}", rule.path);
        let own_name = answered(&server, &service, rule.path, &[(own, &uid)]).await;
        for fields in [&[("actor", uid.as_str())][..], &[("actor", &uid), (own, &uid)]] {
            let actor = answered(&server, &service, rule.path, fields).await;
            let mask = |answer: &Answer| (answer.status, (answer.status != 200).then(|| answer.reason()));
            assert_eq!(mask(&actor), mask(&own_name), "{} {fields:?}", rule.path);
        }
    }
}

#[tokio::test]
async fn the_actor_may_be_an_external_id_and_an_end_user_is_held_to_itself() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let service = server.service(&Scope::FOR_USERS).await;
    let ids = json!({ "externalIds": ["anna"], "create": true }).to_string();
    let made = post_as(server.main, &service, "/guanxi.v1.UserService/ResolveIds", &ids).await.json();
    let anna = made["byExternalId"][0]["uid"].as_str().unwrap().to_owned();
    let follow = "guanxi.v1.RelationService/Follow";
    for fields in [
        &[("actor", "ext:anna"), ("object", "2")][..],
        &[("object", "3"), ("subject", "ext:anna"), ("actor", &anna)],
    ] {
        assert_eq!(answered(&server, &service, follow, fields).await.json()["changed"], true, "{fields:?}");
    }
    let counts = json!({ "uid": anna }).to_string();
    let counts = post_as(server.main, &service, "/guanxi.v1.RelationService/GetCounts", &counts).await.json();
    assert_eq!(counts["counts"]["following"], 2, "{counts}");
    let unknown = answered(&server, &service, follow, &[("actor", "ext:nobody"), ("object", "2")]).await;
    assert_eq!(unknown.reason(), "EXTERNAL_ID_UNKNOWN");

    let user = server.user(1).await;
    let as_itself = answered(&server, &user, follow, &[("actor", "1"), ("object", "2")]).await;
    assert_eq!(as_itself.json()["changed"], true);
    let as_other = answered(&server, &user, follow, &[("actor", "9"), ("object", "2")]).await;
    assert_eq!(as_other.reason(), "PERMISSION_DENIED");
    let no_actor =
        answered(&server, &service, "guanxi.v1.PostService/BatchGetPosts", &[("actors", "1")]).await;
    assert_eq!(no_actor.reason(), "MALFORMED");
}

#[tokio::test]
async fn a_get_and_a_stream_take_the_actor_and_texts_may_hold_the_word() {
    let server = Server::open().await;
    let said = json!({ "actor": "1", "text": "\"actor\":\"2\", actor" });
    let post = write(&server, said).await;
    let got = call(&server, "PostService/GetPost", json!({ "postId": post, "actor": "2" })).await.json();
    assert_eq!(got["item"]["post"]["author"], "1");
    assert_eq!(got["item"]["post"]["text"], "\"actor\":\"2\", actor");
    assert_eq!(got["item"]["liked"], false, "there is a viewer");
    let message = format!("%7B%22actor%22%3A%222%22%2C%22postId%22%3A%22{post}%22%7D");
    let path = format!("/guanxi.v1.PostService/GetPost?connect=v1&encoding=json&message={message}");
    let got = send(server.main, "GET", &path, &[], b"").await;
    assert_eq!(got.json()["item"]["liked"], false, "there is a viewer");
    let export = answer_of_a_stream(&server, "UserService/ExportUser", br#"{"actor":"1"}"#).await;
    assert!(export.contains(&format!("\"{post}\"")), "{export}");
}

/// What a call that answers a stream says to a message, in one piece.
async fn answer_of_a_stream(server: &Server, method: &str, message: &[u8]) -> String {
    let mut body = vec![0];
    body.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend_from_slice(message);
    let headers = [("content-type", "application/connect+json"), ("connect-protocol-version", "1")];
    let path = format!("/guanxi.v1.{method}");
    let answer = send(server.main, "POST", &path, &headers, &body).await;
    String::from_utf8_lossy(&answer.body).into_owned()
}

//! Suggestions over the API: what the center says, for end users and services, and what is refused.

use crate::http::{Answer, post_as};
use guanxi_centers::Viewer;
use guanxi_centers::log_readers::Hub;
use guanxi_centers::relation::{RelationCenter, SuggestionAsk};
use guanxi_model::suggestion::SuggestionKind;
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{ImportEdge, Op, PairCommand, Scope, Uid, Write};
use guanxi_ports::Facts as _;
use guanxi_spec::conformance::Rng;
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

const USERS: u64 = 14;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

async fn call(server: &Server, token: &str, method: &str, body: Value) -> Answer {
    let path = format!("/guanxi.v1.RelationService/{method}");
    post_as(server.main, token, &path, &body.to_string()).await
}

/// A world of friends of friends, some of whom hide something.
async fn world() -> Server {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let mut rng = Rng::new(3);
    let mut edges = Vec::new();
    for a in 1..=USERS {
        edges.extend((1..=USERS).filter(|b| a != *b && rng.below(3) == 0).map(|b| (a, b)));
    }
    let edge = |(a, b)| ImportEdge::new(u(a), u(b), None);
    server.store.apply(Write::edges(edges.into_iter().map(edge).collect(), false)).await.unwrap();
    for uid in [2, 5, 8] {
        let hidden = Some(uid != 5);
        let patch = PrivacyPatch {
            hides_following: hidden,
            hides_followers: Some(uid != 8),
            ..PrivacyPatch::default()
        };
        server.store.apply(Write::of(UserCommand::SetPrivacy { uid: u(uid), patch })).await.unwrap();
    }
    for (op, subject, object) in [(Op::Block, 4, 1), (Op::Mute, 1, 6)] {
        let pair = PairCommand { op, subject: u(subject), object: u(object) };
        server.store.apply(Write::of(pair)).await.unwrap();
    }
    server
}

/// A suggestion as JSON has it.
fn shown(kind: SuggestionKind) -> &'static str {
    match kind {
        SuggestionKind::FriendsOfFriends => "FRIENDS_OF_FRIENDS",
        SuggestionKind::FollowsYou => "FOLLOWS_YOU",
        SuggestionKind::Popular => "POPULAR",
    }
}

async fn expected(server: &Server, viewer: Viewer, of: u64, ask: &SuggestionAsk) -> Value {
    let center = RelationCenter::new(server.store.clone(), Hub::new(server.store.clone()));
    let suggested = center.suggestions(viewer, u(of), ask, None).await.unwrap();
    let items = suggested.items.iter().map(|item| {
        let reasons = item.reasons.iter().map(|reason| {
            let uids: Vec<String> = reason.uids.iter().map(ToString::to_string).collect();
            json!([shown(reason.kind), reason.count, uids])
        });
        json!([item.uid.to_string(), reasons.collect::<Value>()])
    });
    json!([items.collect::<Value>(), suggested.followed, suggested.followed_counted])
}

fn told(answer: &Value) -> Value {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let items = list(&answer["suggestions"]).into_iter().map(|item| {
        let reasons = list(&item["reasons"])
            .into_iter()
            .map(|reason| json!([reason["kind"], number(&reason["count"]), list(&reason["uids"])]));
        json!([item["uid"], reasons.collect::<Value>()])
    });
    json!([items.collect::<Value>(), number(&answer["followed"]), number(&answer["followedCounted"])])
}

#[tokio::test]
async fn the_api_tells_what_the_center_says() {
    let server = world().await;
    let service = server.service(&[Scope::RelationRead]).await;
    let (mut differing, mut suggested) = (0, 0);
    for viewer in 1..=USERS {
        let user = server.user(viewer).await;
        for kinds in [&SuggestionKind::ALL[..], &[SuggestionKind::FollowsYou], &SuggestionKind::ALL[..1]] {
            let ask = SuggestionAsk { size: 5, kinds: kinds.to_vec() };
            let names: Vec<&str> = kinds.iter().map(|kind| shown(*kind)).collect();
            let body = json!({ "viewer": viewer.to_string(), "pageSize": 5, "kinds": names });
            let own = call(&server, &user, "ListSuggestions", body.clone()).await.json();
            let others = call(&server, &service, "ListSuggestions", body).await.json();
            assert_eq!(told(&own), expected(&server, Viewer::EndUser(u(viewer)), viewer, &ask).await);
            assert_eq!(told(&others), expected(&server, Viewer::Trusted, viewer, &ask).await);
            assert!(own["token"].is_string());
            differing += usize::from(told(&own) != told(&others));
            suggested += told(&own)[0].as_array().unwrap().len();
        }
    }
    assert!(differing > 3 && suggested > 30, "{differing} {suggested}");
    let all = json!({ "viewer": "1" });
    let (default, most) = (call(&server, &service, "ListSuggestions", all).await.json(), 20);
    let ask = SuggestionAsk { size: most, kinds: SuggestionKind::ALL.to_vec() };
    assert_eq!(told(&default), expected(&server, Viewer::Trusted, 1, &ask).await, "all kinds, a screen");
}

#[tokio::test]
async fn who_is_dismissed_is_suggested_no_more() {
    let server = world().await;
    let user = server.user(1).await;
    let listed = async || {
        let answer = call(&server, &user, "ListSuggestions", json!({})).await.json();
        let items = answer["suggestions"].as_array().cloned().unwrap_or_default();
        items.into_iter().map(|item| item["uid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = listed().await;
    assert!(!before.contains(&"4".to_owned()), "whoever blocks is not suggested");
    let first = before[0].clone();
    for changed in [true, false] {
        let answer = call(&server, &user, "DismissSuggestion", json!({ "target": first })).await.json();
        assert_eq!(answer["changed"], changed);
    }
    assert_eq!(listed().await, before[1..]);
    let dismissed = call(&server, &user, "ListDismissed", json!({})).await.json();
    assert_eq!(dismissed["users"][0]["uid"], json!(first));
    assert!(dismissed["users"][0]["dismissTime"].is_string());
    let request = json!({ "target": first, "requestId": "once" });
    for _ in 0..2 {
        let answer = call(&server, &user, "UndoDismissal", request.clone()).await.json();
        assert_eq!(answer["changed"], true, "a retry is answered from the first");
    }
    let other = json!({ "target": "9", "requestId": "once" });
    assert_eq!(call(&server, &user, "UndoDismissal", other).await.reason(), "IDEMPOTENCY_MISMATCH");
    assert_eq!(listed().await, before);
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let server = world().await;
    let user = server.user(1).await;
    for (method, body, reason, field) in [
        ("ListSuggestions", json!({ "pageSize": 101 }), "PAGE_TOO_LARGE", None),
        ("ListSuggestions", json!({ "pageSize": -1 }), "PAGE_TOO_LARGE", None),
        ("ListSuggestions", json!({ "kinds": [0] }), "INVALID_FIELD", Some("kinds")),
        ("ListSuggestions", json!({ "kinds": [77] }), "INVALID_FIELD", Some("kinds")),
        ("ListSuggestions", json!({ "viewer": "2" }), "PERMISSION_DENIED", None),
        ("ListDismissed", json!({ "viewer": "2" }), "PERMISSION_DENIED", None),
        ("DismissSuggestion", json!({}), "MISSING_FIELD", Some("target")),
        ("DismissSuggestion", json!({ "target": "1" }), "SELF", None),
        ("UndoDismissal", json!({ "target": "1" }), "SELF", None),
        ("DismissSuggestion", json!({ "viewer": "2", "target": "3" }), "PERMISSION_DENIED", None),
    ] {
        let answer = call(&server, &user, method, body.clone()).await;
        let (_, info) = answer.error();
        assert_eq!(info.reason, reason, "{method} {body}");
        if let Some(field) = field {
            assert_eq!(info.metadata["field"], field, "{method} {body}");
        }
    }
}

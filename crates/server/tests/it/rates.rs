//! Rate limits as callers meet them.

use std::num::NonZeroU32;
use std::sync::Arc;

use guanxi_api::rules::Budget;
use guanxi_api::{Budgets, RateLimits};
use guanxi_model::post::{Body, ImportPost};
use guanxi_model::{
    Command, Credential, GroupCommand, GroupId, ImportEdge, MuteTerms, Principal, Scope, Scopes, Uid,
    Visibility, Write,
};
use guanxi_ports::{CredentialWrites as _, Facts as _};
use guanxi_proto::{Client, ClientOptions, ErrorCode, Wire, v1};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::json;

use crate::framed::enveloped;
use crate::http::{post_as, send};

async fn limited(limits: RateLimits) -> Server {
    Server::start(Setup { auth: true, rates: Arc::new(Budgets::new(limits)), ..Setup::default() }).await
}

const LIMITS: RateLimits = RateLimits { follows_per_hour: 10, keys_max: 64, ..RateLimits::NONE };

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn path(method: &str) -> String {
    format!("/guanxi.v1.{method}")
}

#[tokio::test]
async fn a_user_that_follows_too_much_is_told_when_to_come_back_and_may_undo() {
    let server = limited(LIMITS).await;
    let (one, two) = (server.user(1).await, server.user(2).await);
    let pair = |object: u64| json!({ "subject": "1", "object": object.to_string() }).to_string();
    for object in 2..=7 {
        let answer = post_as(server.main, &one, &path("RelationService/Follow"), &pair(object)).await;
        assert_eq!(answer.status, 200);
    }
    // A batch costs what it holds: four are left.
    let batch = json!({ "subject": "1", "objects": ["11", "12", "13", "14"] }).to_string();
    let answer = post_as(server.main, &one, &path("RelationService/BatchFollow"), &batch).await;
    assert_eq!(answer.status, 200, "{:?}", answer.text());
    let refused = post_as(server.main, &one, &path("RelationService/Follow"), &pair(8)).await;
    assert_eq!(refused.status, 429);
    let (code, info) = refused.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("resource_exhausted", "RATE_LIMITED"));
    let after_ms: u64 = info.metadata["retry_after_ms"].parse().unwrap();
    assert!(after_ms > 300_000 && after_ms <= 360_001, "a tenth of an hour: {after_ms}");
    let header: u64 = refused.headers["retry-after"].parse().unwrap();
    assert_eq!(header, after_ms.div_ceil(1_000));
    for method in ["RelationService/Unfollow", "RelationService/Unblock", "RelationService/Unmute"] {
        for object in 2..=12 {
            assert_eq!(
                post_as(server.main, &one, &path(method), &pair(object)).await.status,
                200,
                "{method}"
            );
        }
    }
    let other = json!({ "subject": "2", "object": "3" }).to_string();
    assert_eq!(post_as(server.main, &two, &path("RelationService/Follow"), &other).await.status, 200);
}

#[tokio::test]
async fn grpc_is_told_in_its_own_way() {
    let server = limited(RateLimits { reads_per_minute: 2, ..LIMITS }).await;
    let token = server.user(1).await;
    let url = format!("http://{}", server.main);
    let options = ClientOptions { token: Some(token), wire: Wire::Grpc, ..ClientOptions::new(url) };
    let client = Client::new(&options).unwrap();
    let ask = || v1::BatchGetCountsRequest { uids: vec![1, 2], ..Default::default() };
    client.relation().batch_get_counts(ask()).await.unwrap();
    let error = client.relation().batch_get_counts(ask()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceExhausted);
    let details: Vec<&str> = error.details.iter().map(|detail| detail.type_url.as_str()).collect();
    assert!(details.iter().any(|kind| kind.ends_with("google.rpc.RetryInfo")), "{details:?}");
}

/// Each follow anew is on top of its object's list, and each request is a red dot: the same person is asked so often, others go on.
#[tokio::test]
async fn nobody_is_followed_over_and_over() {
    let server = limited(RateLimits { follows_per_hour: 1_000, ..LIMITS }).await;
    let (user, service) = (server.user(1).await, server.service(&[Scope::RelationWrite]).await);
    for (ask, undo) in [("Follow", "Unfollow"), ("SendFriendRequest", "CancelFriendRequest")] {
        let send = async |token: &str, method: &str, object: &str| {
            let body = json!({ "subject": "1", "object": object }).to_string();
            post_as(server.main, token, &path(&format!("RelationService/{method}")), &body).await
        };
        let (first, second) = if ask == "Follow" { ("2", "3") } else { ("4", "5") };
        for _ in 0..6 {
            assert_eq!(send(&user, ask, first).await.status, 200);
            assert_eq!(send(&user, undo, first).await.status, 200);
        }
        let refused = send(&user, ask, first).await;
        assert_eq!(refused.reason(), "RATE_LIMITED");
        let (_, info) = refused.error();
        let wait: u64 = info.metadata["retry_after_ms"].parse().unwrap();
        assert!((590_000..=600_001).contains(&wait), "a sixth of an hour: {wait}");
        assert_eq!(send(&user, ask, second).await.status, 200);
        assert_eq!(send(&service, ask, first).await.status, 200);
        assert_eq!(send(&user, undo, first).await.status, 200, "what undoes is never refused");
    }
    let batch = json!({ "subject": "1", "objects": ["6", "2"] }).to_string();
    let refused = post_as(server.main, &user, &path("RelationService/BatchFollow"), &batch).await;
    assert_eq!(refused.reason(), "RATE_LIMITED");
}

/// Every RPC whose request is a list is paid for by what the list holds, unless it only takes back.
#[tokio::test]
async fn every_batch_costs_what_it_holds() {
    let limits = RateLimits { reads_per_minute: 3, follows_per_hour: 3, writes_per_minute: 3, ..LIMITS };
    let ids = json!(["1", "2", "3"]);
    let pairs: Vec<_> = (1..=3).map(|n| json!({ "subject": "9", "object": n.to_string() })).collect();
    let batches = [
        ("RelationService/BatchFollow", json!({ "subject": "9", "objects": ids })),
        ("RelationService/BatchApproveFollow", json!({ "subject": "9", "objects": ids })),
        ("RelationService/BatchGetRelations", json!({ "subject": "9", "objects": ids })),
        ("RelationService/BatchCheckPairs", json!({ "pairs": pairs })),
        ("RelationService/BatchGetCounts", json!({ "uids": ids })),
        ("UserService/BatchGetUsers", json!({ "uids": ids })),
        ("PostService/BatchGetPosts", json!({ "postIds": ids })),
        ("PostService/BatchGetPostStats", json!({ "postIds": ids })),
    ];
    let known = guanxi_api::rules::RULES.iter().filter(|rule| rule.path.contains("/Batch"));
    let known = known.filter(|rule| rule.budget != Budget::Free);
    assert_eq!(known.count(), batches.len(), "a batch is missing here");
    for (method, request) in batches {
        let server = limited(limits).await;
        let token = server.user(9).await;
        let first = post_as(server.main, &token, &path(method), &request.to_string()).await;
        assert_eq!(first.status, 200, "{method}: {}", first.text());
        let again = post_as(server.main, &token, &path(method), &request.to_string()).await;
        assert_eq!(again.reason(), "RATE_LIMITED", "{method}");
    }
}

/// A call that looks at thousands of rows is paid for as so many calls, once it is answered.
#[tokio::test]
async fn heavy_calls_cost_what_they_look_at() {
    let server = limited(RateLimits { reads_per_minute: 9, ..LIMITS }).await;
    let token = server.user(1).await;
    let terms = MuteTerms::default();
    let follow = |(subject, object)| ImportEdge { subject: u(subject), object: u(object), at: None, terms };
    let circle = (10..20).map(|friend| (1, friend));
    let further = (10..20).flat_map(|friend| (1_000..1_500).map(move |other| (friend, other)));
    let edges: Vec<ImportEdge> = circle.chain(further).map(follow).collect();
    for some in edges.chunks(1_000) {
        server.store.apply(Write::edges(some.to_vec(), false)).await.unwrap();
    }
    let call = async |method: &str, body: serde_json::Value| {
        post_as(server.main, &token, &path(&format!("RelationService/{method}")), &body.to_string()).await
    };
    let suggestions = json!({ "viewer": "1", "kinds": ["FRIENDS_OF_FRIENDS"] });
    assert_eq!(call("ListSuggestions", suggestions).await.status, 200);
    // One for the call, and five for 5,000 follows.
    let counts = json!({ "uid": "1" });
    for _ in 0..3 {
        assert_eq!(call("GetCounts", counts.clone()).await.status, 200);
    }
    assert_eq!(call("GetCounts", counts).await.reason(), "RATE_LIMITED");
}

/// So is an export by its records, and a group's timeline by the posts that it passes over.
#[tokio::test]
async fn exports_and_group_timelines_cost_what_they_look_at() {
    let server = limited(RateLimits { reads_per_minute: 5, ..LIMITS }).await;
    let apply = async |write: Write| server.store.apply(write).await.unwrap();
    let terms = MuteTerms::default();
    let follow = |object| ImportEdge { subject: u(1), object: u(object), at: None, terms };
    let follows: Vec<ImportEdge> = (100..3_100).map(follow).collect();
    for some in follows.chunks(1_000) {
        apply(Write::edges(some.to_vec(), false)).await;
    }
    // The author has no friends, so all of it is passed over.
    let group = GroupId::new(1).unwrap();
    apply(Write::of(GroupCommand::Create { owner: u(2), name: "those".into() })).await;
    apply(Write::of(GroupCommand::AddMembers { owner: u(2), id: group, members: vec![u(3)] })).await;
    let post = |n: u64| ImportPost {
        id: None,
        key: n.to_string(),
        author: u(3),
        at_ms: START_MS - n,
        body: Body { text: "for friends".into(), attachments: Vec::new() },
        visibility: Visibility::Friends,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    let posts: Vec<ImportPost> = (1..=3_000).map(post).collect();
    for some in posts.chunks(500) {
        apply(Write::of(Command::ImportPosts(some.to_vec()))).await;
    }
    let export = async |token: &str| {
        let (bearer, body) = (format!("Bearer {token}"), enveloped(0, b"{}"));
        let headers = [("content-type", "application/connect+json"), ("authorization", &*bearer)];
        let answer = send(server.main, "POST", "/guanxi.v1.UserService/ExportUser", &headers, &body).await;
        assert!(answer.body.len() > 3_000 * 20, "all of it");
    };
    let timeline = async |token: &str| {
        let body = json!({ "viewer": "2", "groupId": group.get() }).to_string();
        let answer = post_as(server.main, token, &path("FeedService/GetGroupTimeline"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    for uid in [1, 2] {
        let token = server.user(uid).await;
        if uid == 1 {
            export(&token).await;
        } else {
            timeline(&token).await;
        }
        // One for the call, and three for 3,000 rows.
        let counts = json!({ "uid": uid.to_string() }).to_string();
        let get = async || post_as(server.main, &token, &path("RelationService/GetCounts"), &counts).await;
        assert_eq!((get().await.status, get().await.status), (200, 429), "user {uid}");
    }
}

#[tokio::test]
async fn a_service_is_limited_only_by_its_token() {
    let server = limited(RateLimits { reads_per_minute: 1, ..LIMITS }).await;
    let counts = json!({ "uid": "1" }).to_string();
    let get = path("RelationService/GetCounts");
    let free = server.token("free", Principal::Service(Scopes::all())).await;
    for _ in 0..20 {
        assert_eq!(post_as(server.main, &free, &get, &counts).await.status, 200);
    }
    let rate_per_minute = NonZeroU32::new(5);
    let hash = guanxi_api::hash_token("slow");
    let principal = Principal::Service(Scopes::all());
    let slow = Credential { hash, name: "slow".into(), principal, created_ms: 5, rate_per_minute };
    server.tokens.add(slow).await.unwrap();
    let mut passed = 0;
    while post_as(server.main, "slow", &get, &counts).await.status == 200 {
        passed += 1;
    }
    assert!((5..=6).contains(&passed), "{passed}");
    assert_eq!(post_as(server.main, &free, &get, &counts).await.status, 200);
}

#[tokio::test]
async fn whoever_tries_tokens_out_is_slowed_down_and_valid_ones_get_through() {
    let server = limited(RateLimits { unknown_per_minute: 4, ..LIMITS }).await;
    let token = server.user(1).await;
    let counts = json!({ "uid": "1" }).to_string();
    let mut reasons = Vec::new();
    for n in 0..8 {
        let answer =
            post_as(server.main, &format!("gx_{n}"), &path("RelationService/GetCounts"), &counts).await;
        reasons.push(answer.reason());
    }
    assert_eq!(reasons[..4], ["UNAUTHENTICATED"; 4]);
    assert!(reasons[5..].iter().all(|reason| reason == "RATE_LIMITED"), "{reasons:?}");
    let health = [("content-type", "application/json")];
    let open = send(server.main, "POST", "/grpc.health.v1.Health/Check", &health, b"{}").await;
    assert_eq!(open.status, 429, "calls that want no token are paid for by the address, too");
    let page = async |path| send(server.main, "GET", path, &[], b"").await.status;
    assert_eq!(page("/openapi.json").await, 429, "so is the one page that is large");
    assert_eq!(page("/healthz").await, 200, "and no other");
    let answer = post_as(server.main, &token, &path("RelationService/GetCounts"), &counts).await;
    assert_eq!(answer.status, 200, "a valid token is not refused for its address");
}

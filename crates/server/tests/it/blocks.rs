//! Every place where a block can show, asked by every kind of caller: one table.

use std::collections::HashMap;

use crate::http::{Answer, post_as};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

/// The caller. 1 blocks 2; 3 has nothing to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asker {
    /// 2, as itself.
    Blocked,
    /// 1, as itself.
    Blocker,
    /// A service, for 2.
    ServiceForBlocked,
    /// A service, for 1.
    ServiceForBlocker,
}

use Asker::{Blocked, Blocker, ServiceForBlocked, ServiceForBlocker};

const ASKERS: [Asker; 4] = [Blocked, Blocker, ServiceForBlocked, ServiceForBlocker];

impl Asker {
    /// For whom it asks, and about whom.
    fn pair(self) -> (&'static str, &'static str) {
        match self {
            Blocked | ServiceForBlocked => ("2", "1"),
            Blocker | ServiceForBlocker => ("1", "2"),
        }
    }
}

/// Posts of the world by name.
type Posts = HashMap<&'static str, String>;

/// A place: a method, what is asked of it by `me` about `other`, and what of the answer tells of a block.
struct Place {
    name: &'static str,
    method: &'static str,
    ask: fn(me: &str, other: &str, posts: &Posts) -> Value,
    tell: fn(&Answer) -> Value,
    /// What each of [`ASKERS`] is told, in their order.
    told: [Value; 4],
}

fn reason(answer: &Answer) -> Value {
    json!(answer.reason())
}

/// The flags of a relation that tell of blocks.
fn flags(relation: &Value) -> Value {
    json!([relation["blocking"] == true, relation["blockedBy"] == true])
}

fn uids(list: &Value) -> Value {
    list.as_array().into_iter().flatten().map(|item| item["uid"].clone()).collect()
}

/// The post of the other one of the pair.
fn post_of<'a>(other: &str, posts: &'a Posts) -> &'a str {
    &posts[if other == "1" { "of the blocker" } else { "of the blocked" }]
}

/// What one is told of the pair's relation: nothing to the blocked, of its own block to the blocker, all to services.
fn seen() -> [Value; 4] {
    [json!([false, false]), json!([true, false]), json!([false, true]), json!([true, false])]
}

fn objects(me: &str, other: &str, _: &Posts) -> Value {
    json!({ "subject": me, "objects": [other] })
}

fn pair(me: &str, other: &str, _: &Posts) -> Value {
    json!({ "subject": me, "object": other })
}

fn refusals() -> Vec<Place> {
    let refused = || [json!("NOT_ALLOWED"), json!("BLOCKED"), json!("BLOCKED"), json!("BLOCKED")];
    vec![
        Place {
            name: "a refused follow",
            method: "RelationService/Follow",
            ask: pair,
            tell: reason,
            told: refused(),
        },
        Place {
            name: "the repeat of a refused follow",
            method: "RelationService/Follow",
            ask: |me, other, _| json!({ "subject": me, "object": other, "requestId": format!("again {me}") }),
            tell: reason,
            told: refused(),
        },
        Place {
            name: "a refused follow of a batch",
            method: "RelationService/BatchFollow",
            ask: objects,
            tell: |answer| answer.json()["outcomes"][0]["error"]["reason"].clone(),
            told: refused(),
        },
        Place {
            name: "the relation beside a refused follow of a batch",
            method: "RelationService/BatchFollow",
            ask: objects,
            tell: |answer| flags(&answer.json()["outcomes"][0]["relation"]),
            told: seen(),
        },
        Place {
            name: "the relation beside an item of BatchUnfollow",
            method: "RelationService/BatchUnfollow",
            ask: objects,
            tell: |answer| flags(&answer.json()["outcomes"][0]["relation"]),
            told: seen(),
        },
        Place {
            name: "the relation beside an item of BatchApproveFollow",
            method: "RelationService/BatchApproveFollow",
            ask: objects,
            tell: |answer| flags(&answer.json()["outcomes"][0]["relation"]),
            told: seen(),
        },
        Place {
            name: "the relation beside an item of BatchRejectFollow",
            method: "RelationService/BatchRejectFollow",
            ask: objects,
            tell: |answer| flags(&answer.json()["outcomes"][0]["relation"]),
            told: seen(),
        },
    ]
}

fn relations() -> Vec<Place> {
    vec![
        Place {
            name: "a relation",
            method: "RelationService/GetRelation",
            ask: pair,
            tell: |answer| flags(&answer.json()["relation"]),
            told: seen(),
        },
        Place {
            name: "a relation from the other side",
            method: "RelationService/GetRelation",
            ask: |me, other, _| json!({ "subject": other, "object": me }),
            tell: |answer| flags(&answer.json()["relation"]),
            told: [json!([false, false]), json!([false, false]), json!([true, false]), json!([false, true])],
        },
        Place {
            name: "relations of a batch",
            method: "RelationService/BatchGetRelations",
            ask: objects,
            tell: |answer| flags(&answer.json()["relations"][0]),
            told: seen(),
        },
        Place {
            name: "pairs",
            method: "RelationService/BatchCheckPairs",
            ask: |me, other, _| json!({ "pairs": [{ "subject": me, "object": other }] }),
            tell: |answer| flags(&answer.json()["relations"][0]),
            told: seen(),
        },
        Place {
            name: "the relation to an item of a list",
            method: "RelationService/ListFollowing",
            // 9 follows both; the newest is the last followed.
            ask: |me, _, _| json!({ "uid": "9", "viewer": me }),
            tell: |answer| {
                let items = answer.json()["following"].clone();
                let flags = items.as_array().unwrap().iter().map(|item| flags(&item["relation"]));
                // Of oneself nothing is told, so what is set is of the other.
                json!(
                    flags.fold([false, false], |all, one| [
                        all[0] || one[0] == true,
                        all[1] || one[1] == true
                    ])
                )
            },
            told: seen(),
        },
    ]
}

fn private() -> Vec<Place> {
    vec![
        Place {
            name: "the list of blocks of the other",
            method: "RelationService/ListBlocks",
            ask: |_, other, _| json!({ "uid": other }),
            tell: |answer| {
                if answer.status == 200 { uids(&answer.json()["blocks"]) } else { json!(answer.reason()) }
            },
            told: [json!("PERMISSION_DENIED"), json!("PERMISSION_DENIED"), json!(["2"]), json!([])],
        },
        Place {
            name: "the list of blocks of one's own",
            method: "RelationService/ListBlocks",
            ask: |me, _, _| json!({ "uid": me }),
            tell: |answer| uids(&answer.json()["blocks"]),
            told: [json!([]), json!(["2"]), json!([]), json!(["2"])],
        },
        Place {
            name: "the number of blocks of the other",
            method: "RelationService/GetCounts",
            ask: |_, other, _| json!({ "uid": other }),
            tell: |answer| answer.json()["counts"]["blocks"].clone(),
            told: [json!(null), json!(null), json!(1), json!(0)],
        },
        Place {
            name: "numbers of blocks of a batch",
            method: "RelationService/BatchGetCounts",
            ask: |me, _, _| json!({ "uids": [me] }),
            tell: |answer| answer.json()["counts"][0]["blocks"].clone(),
            told: [json!(0), json!(1), json!(0), json!(1)],
        },
        Place {
            name: "why a post is not in a home",
            method: "FeedService/ExplainFeed",
            ask: |me, other, posts| json!({ "viewer": me, "postId": post_of(other, posts) }),
            tell: |answer| json!([answer.json()["verdict"], answer.json()["author"]]),
            told: [
                json!(["NOT_FOLLOWED", null]),
                json!(["BLOCKED", "2"]),
                json!(["BLOCKED", "1"]),
                json!(["BLOCKED", "2"]),
            ],
        },
    ]
}

/// Posts: a user on either side of a block is told the same, and nothing of why. Lists of users that are of a post.
fn lists_of_posts() -> Vec<Place> {
    let one = |me: &str, other: &str, posts: &Posts| json!({ "viewer": me, "postId": post_of(other, posts) });
    let forbidden = || std::array::from_fn(|_| json!("POST_FORBIDDEN"));
    vec![
        Place {
            name: "those who like a post",
            method: "PostService/ListLikers",
            // 1, 2 and 3 like it.
            ask: |me, _, posts| json!({ "viewer": me, "postId": posts["liked"] }),
            tell: |answer| uids(&answer.json()["users"]),
            told: [json!(["3", "2"]), json!(["3", "1"]), json!(["3", "2"]), json!(["3", "1"])],
        },
        Place {
            name: "those who repost a post",
            method: "PostService/ListReposters",
            // 1, 2 and 3 repost it.
            ask: |me, _, posts| json!({ "viewer": me, "postId": posts["liked"] }),
            tell: |answer| uids(&answer.json()["reposters"]),
            told: [json!(["3", "2"]), json!(["3", "1"]), json!(["3", "2"]), json!(["3", "1"])],
        },
        Place {
            name: "reposters of a hidden post",
            method: "PostService/ListReposters",
            ask: one,
            tell: reason,
            told: forbidden(),
        },
        Place {
            name: "likers of a hidden post",
            method: "PostService/ListLikers",
            ask: one,
            tell: reason,
            told: forbidden(),
        },
    ]
}

fn posts() -> Vec<Place> {
    let all = |told: Value| [told.clone(), told.clone(), told.clone(), told];
    let forbidden = || all(json!("POST_FORBIDDEN"));
    let one = |me: &str, other: &str, posts: &Posts| json!({ "viewer": me, "postId": post_of(other, posts) });
    let batch =
        |me: &str, other: &str, posts: &Posts| json!({ "viewer": me, "postIds": [post_of(other, posts)] });
    vec![
        Place { name: "a post", method: "PostService/GetPost", ask: one, tell: reason, told: forbidden() },
        Place {
            name: "earlier revisions of a post",
            method: "PostService/ListPostRevisions",
            ask: one,
            tell: reason,
            told: forbidden(),
        },
        Place {
            name: "posts of a batch",
            method: "PostService/BatchGetPosts",
            ask: batch,
            tell: |answer| answer.json()["posts"][0]["status"].clone(),
            told: all(json!("FORBIDDEN")),
        },
        Place {
            name: "counters of a batch",
            method: "PostService/BatchGetPostStats",
            ask: batch,
            tell: |answer| answer.json()["stats"][0]["status"].clone(),
            told: all(json!("FORBIDDEN")),
        },
        Place {
            name: "posts of an author",
            method: "PostService/ListAuthorPosts",
            ask: |me, other, _| json!({ "viewer": me, "author": other, "filter": "ALL" }),
            tell: |answer| answer.json()["posts"].as_array().map_or(0, Vec::len).into(),
            told: all(json!(0)),
        },
        Place {
            name: "a refused like",
            method: "PostService/LikePost",
            ask: |me, other, posts| json!({ "uid": me, "postId": post_of(other, posts) }),
            tell: reason,
            told: forbidden(),
        },
        Place {
            name: "a refused reply",
            method: "PostService/CreatePost",
            ask: |me, other, posts| json!({ "author": me, "text": "x", "replyTo": post_of(other, posts) }),
            tell: reason,
            told: forbidden(),
        },
    ]
}

#[tokio::test]
async fn each_caller_learns_of_a_block_what_is_its_to_know() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let service = server.service(&guanxi_model::Scope::FOR_USERS).await;
    let (one, two) = (server.user(1).await, server.user(2).await);
    let send = async |token: &str, method: &str, body: &Value| {
        post_as(server.main, token, &format!("/guanxi.v1.{method}"), &body.to_string()).await
    };
    let by_service = async |method: &str, body: Value| {
        let answer = send(&service, method, &body).await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.text());
        answer.json()
    };
    let write = async |author: &str| {
        let body = json!({ "author": author, "text": "a" });
        by_service("PostService/CreatePost", body).await["postId"].as_str().unwrap().to_owned()
    };
    let names = [("of the blocker", "1"), ("of the blocked", "2"), ("liked", "3")];
    let mut world = Posts::new();
    for (name, author) in names {
        world.insert(name, write(author).await);
    }
    for uid in ["1", "2", "3"] {
        by_service("PostService/LikePost", json!({ "uid": uid, "postId": world["liked"] })).await;
        by_service("PostService/CreatePost", json!({ "author": uid, "repostOf": world["liked"] })).await;
        by_service("RelationService/Follow", json!({ "subject": "9", "object": uid })).await;
    }
    by_service("RelationService/Follow", json!({ "subject": "2", "object": "1" })).await;
    by_service("RelationService/Block", json!({ "subject": "1", "object": "2" })).await;

    for Place { name, method, ask, tell, told } in
        [refusals(), relations(), private(), lists_of_posts(), posts()].into_iter().flatten()
    {
        for (asker, told) in ASKERS.into_iter().zip(told) {
            let (me, other) = asker.pair();
            let token = match asker {
                Blocked => &two,
                Blocker => &one,
                ServiceForBlocked | ServiceForBlocker => &service,
            };
            // Twice, since a repeat is answered from memory where there is a request id.
            for _ in 0..2 {
                let answer = send(token, method, &ask(me, other, &world)).await;
                assert_eq!(tell(&answer), told, "{name}, asked by {asker:?}: {}", answer.text());
            }
        }
    }
}

#[tokio::test]
async fn a_stranger_learns_nothing_and_a_service_that_acts_for_nobody_sees_posts() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let (service, three) = (server.service(&guanxi_model::Scope::FOR_USERS).await, server.user(3).await);
    let send = async |token: &str, method: &str, body: Value| {
        post_as(server.main, token, &format!("/guanxi.v1.{method}"), &body.to_string()).await
    };
    let id = send(&service, "PostService/CreatePost", json!({ "author": "1", "text": "a" })).await.json();
    send(&service, "RelationService/Block", json!({ "subject": "1", "object": "2" })).await;
    for (subject, object) in [("1", "2"), ("2", "1")] {
        let pair = json!({ "subject": subject, "object": object });
        let seen = send(&three, "RelationService/GetRelation", pair).await.json();
        assert_eq!(flags(&seen["relation"]), json!([false, false]));
    }
    let counts = send(&three, "RelationService/GetCounts", json!({ "uid": "1" })).await.json();
    assert!(counts["counts"].get("blocks").is_none());
    let got = send(&service, "PostService/GetPost", json!({ "postId": id["postId"] })).await;
    assert_eq!(got.status, 200, "{}", got.text());
}

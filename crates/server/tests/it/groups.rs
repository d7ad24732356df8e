//! Groups over the API: what the wire makes of them, and who is told what.

use crate::http::{Answer, post_as};
use guanxi_model::Scope;
use guanxi_proto::v1::event::Kind;
use guanxi_proto::{Wire, v1};
use guanxi_testkit::{Server, Setup};
use serde_json::{Value, json};

struct World {
    server: Server,
    /// A service with every scope.
    service: String,
    /// User 1.
    owner: String,
}

impl World {
    async fn start() -> Self {
        let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
        let (service, owner) = (server.service(&Scope::FOR_USERS).await, server.user(1).await);
        Self { server, service, owner }
    }

    async fn ask(&self, token: &str, method: &str, request: &Value) -> Answer {
        let service = match method {
            "ExplainFeed" | "GetGroupTimeline" | "GetHomeTimeline" => "FeedService",
            _ if method.contains("Post") => "PostService",
            _ => "RelationService",
        };
        let path = format!("/guanxi.v1.{service}/{method}");
        post_as(self.server.main, token, &path, &request.to_string()).await
    }

    /// What the owner is answered.
    async fn own(&self, method: &str, request: Value) -> Value {
        let answer = self.ask(&self.owner, method, &request).await;
        assert_eq!(answer.status, 200, "{method} {request}: {}", answer.text());
        answer.json()
    }

    /// Why the owner is refused.
    async fn refused(&self, method: &str, request: Value) -> String {
        self.ask(&self.owner, method, &request).await.reason()
    }

    async fn serve(&self, method: &str, request: Value) -> Value {
        let answer = self.ask(&self.service, method, &request).await;
        assert_eq!(answer.status, 200, "{method} {request}: {}", answer.text());
        answer.json()
    }
}

fn uids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|item| item["uid"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_post_for_a_group_says_which_to_its_author_alone() {
    let world = World::start().await;
    let member = world.server.user(2).await;
    world.own("CreateGroup", json!({ "name": "family" })).await;
    world.own("SetGroupMembers", json!({ "groupId": 1, "objects": ["2"] })).await;
    let group = json!({ "groupId": 1 });
    assert_eq!(world.own("GetGroup", group.clone()).await["group"]["audience"], Value::Null);
    for (request, reason) in [
        (json!({ "text": "a", "visibility": "GROUP" }), "MISSING_FIELD"),
        (json!({ "text": "a", "visibility": "FRIENDS", "groupId": 1 }), "INVALID_FIELD"),
        (json!({ "text": "a", "groupId": 1 }), "INVALID_FIELD"),
        (json!({ "text": "a", "visibility": "GROUP", "groupId": 2 }), "GROUP_NOT_FOUND"),
    ] {
        assert_eq!(world.refused("CreatePost", request.clone()).await, reason, "{request}");
    }
    let write = json!({ "text": "a", "visibility": "GROUP", "groupId": 1, "requestId": "r" });
    let post = world.own("CreatePost", write.clone()).await["postId"].clone();
    assert_eq!(world.own("CreatePost", write).await["postId"], post, "a repeat");
    world.own("CreateGroup", json!({ "name": "others" })).await;
    let other = json!({ "text": "a", "visibility": "GROUP", "groupId": 2, "requestId": "r" });
    assert_eq!(
        world.refused("CreatePost", other).await,
        "IDEMPOTENCY_MISMATCH",
        "another group, another post"
    );
    assert_eq!(world.own("GetGroup", group).await["group"]["audience"], true);
    let asked = json!({ "postId": post });
    let (author, service) =
        (world.own("GetPost", asked.clone()).await, world.serve("GetPost", asked.clone()).await);
    let member = world.ask(&member, "GetPost", &asked).await.json();
    for (answer, told) in [(&author, json!(1)), (&service, json!(1)), (&member, Value::Null)] {
        let post = &answer["item"]["post"];
        assert_eq!((&post["visibility"], &post["groupId"]), (&json!("GROUP"), &told));
    }
    let stranger = world.server.user(3).await;
    assert_eq!(world.ask(&stranger, "GetPost", &asked).await.reason(), "POST_FORBIDDEN");
    let update = json!({ "postId": post, "visibility": "GROUP", "groupId": 2 });
    assert_eq!(world.own("UpdatePost", update).await["changed"], true);
    let was = world.serve("ListPostRevisions", asked.clone()).await;
    assert_eq!(was["revisions"][0]["groupId"], 1);
    let why = world.serve("ExplainFeed", json!({ "viewer": "2", "postId": post })).await;
    assert_eq!(why["verdict"], "NOT_FOLLOWED");
    world.serve("Follow", json!({ "subject": "2", "object": "1" })).await;
    let why = world.serve("ExplainFeed", json!({ "viewer": "2", "postId": post })).await;
    assert_eq!(why["verdict"], "NOT_IN_GROUP");
}

#[tokio::test]
async fn an_owner_keeps_groups_and_is_told_of_them_alone() {
    let world = World::start().await;
    let create = json!({ "name": "家人", "requestId": "r" });
    let made = world.own("CreateGroup", create.clone()).await;
    assert_eq!((&made["changed"], &made["groupId"], &made["revision"]), (&json!(true), &json!(1), &json!(1)));
    assert_eq!(world.own("CreateGroup", create).await["groupId"], 1, "once under its request id");
    let other = json!({ "name": "other", "requestId": "r" });
    assert_eq!(world.refused("CreateGroup", other).await, "IDEMPOTENCY_MISMATCH");
    let set = |members: Value, revision: u32| json!({ "groupId": 1, "objects": members, "expectedRevision": revision });
    assert_eq!(world.own("SetGroupMembers", set(json!(["2", "3", "4"]), 1)).await["revision"], 2);
    let stale = world.ask(&world.owner, "SetGroupMembers", &set(json!(["2"]), 1)).await;
    let (_, info) = stale.error();
    assert_eq!((info.reason.as_str(), info.metadata["revision"].as_str()), ("REVISION_MISMATCH", "2"));
    let page = |token: &str| json!({ "groupId": 1, "pageSize": 2, "pageToken": token });
    let first = world.own("ListGroupMembers", page("")).await;
    assert_eq!((uids(&first["members"]), &first["revision"]), (vec!["4", "3"], &json!(2)));
    let next = first["nextPageToken"].as_str().unwrap().to_owned();
    let last = world.own("ListGroupMembers", page(&next)).await;
    assert_eq!((uids(&last["members"]), last.get("nextPageToken")), (vec!["2"], None));
    world.own("CreateGroup", json!({ "name": "second" })).await;
    let foreign = json!({ "groupId": 2, "pageToken": next });
    assert_eq!(world.refused("ListGroupMembers", foreign).await, "STALE_CURSOR");
    let groups = world.own("ListGroups", json!({})).await;
    let groups: Vec<_> = groups["groups"].as_array().unwrap().iter().map(|group| &group["name"]).collect();
    assert_eq!(groups, ["家人", "second"]);
    let with = world.own("ListGroupsWithMember", json!({ "objects": ["3", "9"] })).await;
    assert_eq!(with["users"][0], json!({ "uid": "3", "groupIds": [1] }));
    assert_eq!(with["users"][1]["uid"], "9");
    // A member sees nothing of the group that it is in, and only a service reads the groups of other users.
    let member = world.server.user(3).await;
    for method in ["ListGroups", "GetGroup", "ListGroupMembers", "GetGroupTimeline"] {
        let mut request = json!({ "groupId": 1 });
        if method == "ListGroups" {
            request = json!({});
        }
        let own = if method == "GetGroupTimeline" { "viewer" } else { "subject" };
        let itself = world.ask(&member, method, &request).await;
        if method == "ListGroups" {
            assert_eq!(itself.json()["groups"], json!([]));
        } else {
            assert_eq!(itself.reason(), "GROUP_NOT_FOUND", "{method}");
        }
        request[own] = json!("1");
        assert_eq!(world.ask(&member, method, &request).await.reason(), "PERMISSION_DENIED", "{method}");
        world.serve(method, request).await;
    }
    assert_eq!(world.refused("UpdateGroup", json!({ "groupId": 9, "name": "x" })).await, "GROUP_NOT_FOUND");
    assert_eq!(world.refused("GetGroup", json!({})).await, "MISSING_FIELD");
    assert_eq!(world.refused("AddGroupMembers", json!({ "groupId": 1, "objects": ["1"] })).await, "SELF");
    assert_eq!(world.own("SetGroupMembers", json!({ "groupId": 1 })).await["changed"], true, "emptied");
    assert_eq!(world.own("DeleteGroup", json!({ "groupId": 1 })).await.get("revision"), None, "it is gone");
    assert_eq!(world.own("DeleteGroup", json!({ "groupId": 1 })).await["changed"], false);
}

/// An end user is not told that a block separates the two, whichever of them set it; a service is. The log says which group
/// changed, and never its members.
#[tokio::test]
async fn a_block_is_no_news_to_an_owner_and_members_are_none_to_the_log() {
    let world = World::start().await;
    let before = world.serve("GetCounts", json!({ "uid": "1" })).await["token"].as_str().unwrap().to_owned();
    world.own("CreateGroup", json!({ "name": "friends" })).await;
    world.own("AddGroupMembers", json!({ "groupId": 1, "objects": ["2", "3", "71"] })).await;
    world.serve("Block", json!({ "subject": "2", "object": "1" })).await;
    world.own("Block", json!({ "object": "3" })).await;
    assert_eq!(uids(&world.own("ListGroupMembers", json!({ "groupId": 1 })).await["members"]), ["71"]);
    for member in ["2", "3"] {
        for method in ["AddGroupMembers", "SetGroupMembers"] {
            let mut request = json!({ "groupId": 1, "objects": ["71", member] });
            assert_eq!(world.refused(method, request.clone()).await, "NOT_ALLOWED", "{method} {member}");
            request["subject"] = json!("1");
            assert_eq!(world.ask(&world.service, method, &request).await.reason(), "BLOCKED");
        }
    }
    let client = world.server.client_as(Wire::Http1, &world.service);
    let request = v1::WatchRequest { token: before, uids: vec![71] };
    let mut of_member = client.relation_streams().watch(request.clone()).await.unwrap();
    let first = of_member.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert_eq!(first.events, [], "nobody who is watched is told to be in a group");
    let mut all =
        client.relation_streams().watch(v1::WatchRequest { uids: vec![1], ..request }).await.unwrap();
    let told = all.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    let kinds: Vec<_> = told
        .events
        .iter()
        .filter(|event| event.group_id > 0)
        .map(|event| (event.kind.as_known().unwrap(), event.subject, event.object, event.group_id))
        .collect();
    let changed = (Kind::GROUP_MEMBERS_CHANGED, 1, 0, 1);
    assert_eq!(kinds, [(Kind::GROUP_CREATED, 1, 0, 1), changed, changed, changed]);
}

/// The timeline of a group has its members' posts, followed or not, with ids or bodies, page by page; a token of one group
/// opens no other and no home.
#[tokio::test]
async fn a_groups_timeline_is_read_in_pages() {
    let world = World::start().await;
    let mut ids = Vec::new();
    for (author, text) in [("2", "a"), ("3", "b"), ("4", "c"), ("2", "d"), ("1", "e"), ("3", "f")] {
        let request = json!({ "author": author, "text": text });
        let written = world.serve("CreatePost", request).await;
        ids.push(written["postId"].as_str().unwrap().to_owned());
    }
    world.own("CreateGroup", json!({ "name": "friends" })).await;
    world.own("CreateGroup", json!({ "name": "others" })).await;
    let added = world.own("AddGroupMembers", json!({ "groupId": 1, "objects": ["2", "3"] })).await;
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let request = json!({
            "groupId": 1, "pageSize": 3, "pageToken": token, "view": "IDS", "token": added["token"],
        });
        let page = world.own("GetGroupTimeline", request).await;
        found.extend(page["postIds"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()));
        match page["nextPageToken"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
        for (method, request) in [
            ("GetGroupTimeline", json!({ "groupId": 2, "pageToken": token })),
            ("GetHomeTimeline", json!({ "pageToken": token })),
        ] {
            assert_eq!(world.refused(method, request).await, "STALE_CURSOR", "{method}");
        }
    }
    assert_eq!(found, [&*ids[5], &ids[3], &ids[1], &ids[0]]);
    let posts = world.own("GetGroupTimeline", json!({ "groupId": 1, "pageSize": 2 })).await;
    let texts: Vec<_> = posts["posts"].as_array().unwrap().iter().map(|item| &item["post"]["text"]).collect();
    assert_eq!(texts, ["f", "d"]);
    world.own("RemoveGroupMembers", json!({ "groupId": 1, "objects": ["3"] })).await;
    let page = world.own("GetGroupTimeline", json!({ "groupId": 1, "view": "IDS" })).await;
    assert_eq!(page["postIds"], json!([ids[3], ids[0]]));
    let empty = world.own("GetGroupTimeline", json!({ "groupId": 2 })).await;
    assert_eq!((&empty["posts"], empty.get("nextPageToken")), (&json!([]), None));
    assert_eq!(world.refused("GetGroupTimeline", json!({ "groupId": 3 })).await, "GROUP_NOT_FOUND");
    let large = json!({ "groupId": 1, "pageSize": 201 });
    assert_eq!(world.refused("GetGroupTimeline", large).await, "PAGE_TOO_LARGE");
}

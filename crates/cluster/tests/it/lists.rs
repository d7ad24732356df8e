//! Lists of a user need the database of that user, and no other: not to say how the listed users stand, nor to say their
//! relations to that user.

use crate::pair::{Pair, act, open, options, u};
use guanxi_centers::Viewer;
use guanxi_centers::group::GroupCenter;
use guanxi_centers::log_readers::Hub;
use guanxi_centers::relation::{ListedEdge, RelationCenter};
use guanxi_cluster::{CarryMode, ClusterStore};
use guanxi_model::user::{PrivacyPatch, UserCommand, UserStatus};
use guanxi_model::{
    Command, FriendRequest, Gene, GroupCommand, GroupId, List, Op, Page, Position, RequestDirection,
    RequestKind, Write,
};
use guanxi_ports::Facts as _;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Users of the first database: whose lists are read, and another one who reads them.
const OWNER: u64 = 2;
const READER: u64 = 4;

/// Users of both databases with whom the owner has to do in every way.
async fn set_up(store: &ClusterStore) -> GroupId {
    for object in [3, 5, READER, 6] {
        act(store, Op::Follow, OWNER, object).await.unwrap();
    }
    for subject in [3, 5, 7, READER] {
        act(store, Op::Follow, subject, OWNER).await.unwrap();
    }
    act(store, Op::Follow, READER, 3).await.unwrap();
    act(store, Op::Block, OWNER, 9).await.unwrap();
    act(store, Op::Mute, OWNER, 11).await.unwrap();
    let (message, ttl_ms) = (String::new(), None);
    let asks = FriendRequest { sender: u(13), receiver: u(OWNER), message, ttl_ms };
    store.apply(Write::of(Command::SendFriendRequest(asks))).await.unwrap();
    let create = GroupCommand::Create { owner: u(OWNER), name: "some".to_owned() };
    let id = store.apply(Write::of(create)).await.unwrap().group().unwrap().id.unwrap();
    let add = GroupCommand::AddMembers { owner: u(OWNER), id, members: vec![u(3), u(5)] };
    store.apply(Write::of(add)).await.unwrap();
    // Of the other database: one is gone, and one hides whom it follows.
    let gone = UserCommand::SetStatus { uid: u(5), status: UserStatus::Deactivated };
    store.apply(Write::of(gone)).await.unwrap();
    let patch = PrivacyPatch { hides_following: Some(true), ..PrivacyPatch::default() };
    store.apply(Write::of(UserCommand::SetPrivacy { uid: u(7), patch })).await.unwrap();
    store.settle().await.unwrap();
    id
}

/// What is read, and the shards that were asked for it.
type Answers = Vec<(String, String, BTreeSet<Gene>)>;

fn asked(position: &Position) -> BTreeSet<Gene> {
    position.marks().map(|(log, _)| Gene(log.0)).collect()
}

async fn read_all(store: &Arc<ClusterStore>, group: GroupId) -> Answers {
    let center = RelationCenter::new(store.clone(), Hub::new(store.clone()));
    let mut answers = Answers::new();
    let reader = Viewer::EndUser(u(READER));
    for viewer in [Viewer::Trusted, Viewer::EndUser(u(OWNER)), reader] {
        for list in List::ALL {
            if viewer == reader && matches!(list, List::Blocks | List::Mutes) {
                continue;
            }
            for subject in [None, Some(u(OWNER)), Some(u(READER))] {
                let listed = center.list(viewer, u(OWNER), list, Page::first(), subject, None).await.unwrap();
                let name = format!("{list:?} as {viewer:?} with {subject:?}");
                answers.push((name, format!("{:?}", listed.items), asked(&listed.position)));
            }
        }
        let objects = [u(3), u(5), u(7), u(READER)];
        let found = center.relations(viewer, u(OWNER), &objects, None).await.unwrap();
        let name = format!("relations as {viewer:?}");
        answers.push((name, format!("{:?}", found.relations), asked(&found.position)));
        let known = center.known_followers(viewer, u(READER), u(OWNER), Page::first(), None).await.unwrap();
        let mutual = center.mutual_following(viewer, u(READER), u(OWNER), Page::first(), None).await.unwrap();
        for (name, listed) in [("known followers", known), ("mutual", mutual)] {
            let name = format!("{name} as {viewer:?}");
            answers.push((name, format!("{:?}", listed.items), asked(&listed.position)));
        }
    }
    let (counts, position) = center.counts(Viewer::Trusted, &[u(OWNER)], None).await.unwrap();
    answers.push(("counts".to_owned(), format!("{counts:?}"), asked(&position)));
    let (ranked, of) = ((None, 10), (u(OWNER), List::Following));
    let ranked = center.ranked(Viewer::Trusted, of, ranked, Some(u(OWNER)), None).await.unwrap();
    answers.push(("ranked".to_owned(), format!("{:?}", ranked.items), asked(&ranked.position)));
    let (direction, kind) = (RequestDirection::Incoming, RequestKind::Friend);
    let requests = center.requests(Viewer::Trusted, u(OWNER), direction, kind, Page::first(), None).await;
    let requests = requests.unwrap();
    answers.push(("requests".to_owned(), format!("{:?}", requests.items), asked(&requests.position)));
    let groups = GroupCenter::new(store.clone());
    let (_, members) = groups.members(u(OWNER), group, Page::first(), None).await.unwrap();
    answers.push(("members".to_owned(), format!("{:?}", members.items), asked(&members.position)));
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_need_the_database_of_their_user_alone() {
    let pair = Pair::new().await;
    let store = open(&pair.lines, options(CarryMode::Log, true)).await;
    let group = set_up(&store).await;
    let before = read_all(&store, group).await;
    // Memory has the pages now, and then how their users stand.
    assert_eq!(read_all(&store, group).await, before);
    let homes = BTreeSet::from([u(OWNER).gene(), u(READER).gene()]);
    for (name, _, asked) in &before {
        assert!(asked.is_subset(&homes), "{name} asks {asked:?}");
    }
    pair.proxies[1].faults.is_down.store(true, Ordering::Relaxed);
    // The connections that are open are cut by the next question.
    act(&store, Op::Follow, 3, 8).await.unwrap_err();
    for _ in 0..2 {
        assert_eq!(read_all(&store, group).await, before);
    }
    // The answers say how users of the database stand that is away.
    let center = RelationCenter::new(store.clone(), Hub::new(store.clone()));
    let followers = async |viewer| {
        let listed = center.list(viewer, u(OWNER), List::Followers, Page::first(), None, None).await.unwrap();
        let told = |item: &ListedEdge| (item.edge.uid.get(), item.deactivated);
        listed.items.iter().map(told).collect::<BTreeSet<_>>()
    };
    let all = [(3, false), (5, true), (7, false), (READER, false)];
    assert_eq!(followers(Viewer::Trusted).await, all.into());
    assert_eq!(followers(Viewer::EndUser(u(READER))).await, [(3, false), (5, true), (READER, false)].into());
}

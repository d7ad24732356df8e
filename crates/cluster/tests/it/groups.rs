//! Groups whose owners and members lie in several databases, served by several processes.

use crate::world::{HISTORY, World, databases, laid_out};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::{
    Change, GroupChange, GroupCommand, GroupId, LogId, ManualClock, Op, Page, PageStart, PairCommand,
    Position, Reason, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Facts, Log, Store};
use std::sync::Arc;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A process that carries nothing by itself but what its own writes need.
async fn process(lines: &[String]) -> ClusterStore {
    let options = ClusterOptions { carrying: CarryMode::Log, apply_every: None, ..ClusterOptions::default() };
    let clock = Arc::new(ManualClock::new(1_750_000_000_000));
    ClusterStore::open(&databases(lines), options, clock).await.unwrap()
}

/// Makes a group of some users.
async fn group_of(store: &ClusterStore, owner: u64, members: &[u64]) -> GroupId {
    let create = GroupCommand::Create { owner: u(owner), name: "some".to_owned() };
    let id = store.apply(Write::of(create)).await.unwrap().group().unwrap().id.unwrap();
    assert_eq!(add(store, owner, id, members).await, Ok(true));
    id
}

async fn add(store: &ClusterStore, owner: u64, id: GroupId, members: &[u64]) -> Result<bool, Reason> {
    let members = members.iter().map(|uid| u(*uid)).collect();
    let command = GroupCommand::AddMembers { owner: u(owner), id, members };
    store.apply(Write::of(command)).await.unwrap().group().unwrap().result
}

async fn members(store: &ClusterStore, owner: u64, id: GroupId) -> Vec<u64> {
    let (view, page) = (store.view(None).await.unwrap(), Page::new(PageStart::Newest, 100).unwrap());
    let items = view.group_members(u(owner), id, page).await.unwrap().items;
    let mut uids: Vec<u64> = items.iter().map(|edge| edge.uid.get()).collect();
    uids.sort_unstable();
    let group = view.group(u(owner), id).await.unwrap().unwrap();
    assert_eq!(group.members as usize, uids.len());
    uids
}

/// How often the log of an owner tells that a group has other members.
async fn told(store: &ClusterStore, owner: u64, group: GroupId) -> usize {
    let origin = Position::beginning(HISTORY, store.logs());
    let batch = store.read(LogId(u(owner).gene().0), &origin, 1_000).await.unwrap();
    let wanted = Change::Group { id: group, kind: GroupChange::MembersChanged };
    batch.events.iter().filter(|event| event.subject == u(owner) && event.change == wanted).count()
}

/// A block stands at its answer for readers of every process: neither is in a group of the other, nor comes into one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_block_parts_groups_of_all_databases_at_its_answer() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3"]).await;
    laid_out(&lines).await;
    let (one, other) = (process(&lines).await, process(&lines).await);
    // Of three databases, of one database, and of one shard.
    for (a, b, third) in [(1_u64, 2_u64, 3_u64), (4, 7, 8), (16 + 1, 256 + 17, 9)] {
        let (mine, second) = (group_of(&one, a, &[b, third]).await, group_of(&other, a, &[b]).await);
        let theirs = group_of(&other, b, &[a, third]).await;
        let untouched = group_of(&one, third, &[a, b]).await;
        let block = |op| Write::of(PairCommand { op, subject: u(a), object: u(b) });
        one.apply(block(Op::Block)).await.unwrap();
        for store in [&other, &one] {
            assert_eq!(members(store, a, mine).await, [third], "{a} {b}");
            assert_eq!(members(store, a, second).await, [0; 0]);
            assert_eq!(members(store, b, theirs).await, [third]);
            assert_eq!(members(store, third, untouched).await, [a.min(b), a.max(b)]);
        }
        for (owner, id, member) in [(a, mine, b), (b, theirs, a)] {
            assert_eq!(add(&other, owner, id, &[member]).await, Err(Reason::Blocked));
            // Added, and taken out.
            assert_eq!(told(&one, owner, id).await, 2, "{owner}");
        }
        let view = other.view(None).await.unwrap();
        assert_eq!(view.memberships(u(b), Walk::new(None, 9)).await.unwrap(), [(u(third), untouched)]);
        assert_eq!(
            view.groups_with(u(third), &[u(b), u(third), u(a)]).await.unwrap(),
            [vec![untouched], vec![], vec![untouched]]
        );
        let asked = [(u(a), mine), (u(third), untouched), (u(b), theirs), (u(third), untouched)];
        let posts = other.view(None).await.unwrap();
        assert_eq!(posts.in_groups(u(b), &asked).await.unwrap(), [false, true, false, true]);
        drop((view, posts));
        one.apply(block(Op::Unblock)).await.unwrap();
        assert_eq!(add(&other, b, theirs, &[a]).await, Ok(true));
        assert_eq!(members(&one, a, mine).await, [third], "the end of a block restores nothing");
    }
}

/// A name that no text of PostgreSQL can be is refused, and nothing else with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_with_a_zero_is_refused() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = process(&lines).await;
    let id = group_of(&store, 1, &[2]).await;
    let create = GroupCommand::Create { owner: u(1), name: "a\0b".to_owned() };
    let update =
        GroupCommand::Update { owner: u(1), id, name: Some("\0".to_owned()), expected_revision: None };
    for command in [create, update] {
        let refused = store.apply(Write::of(command)).await.unwrap_err();
        assert_eq!(refused.reason, Reason::InvalidField { field: "name" });
    }
    assert_eq!(store.view(None).await.unwrap().groups(u(1)).await.unwrap().len(), 1);
}

//! Small worlds from end to end: the store in this process and PostgreSQL answer as the definition does.

use super::circles::{Circles, Kind};
use super::follows::{blocks_of, said_in, say};
use super::groups::Groups;
use super::in_process::{InProcess, Reach};
use super::postgres::{self, GROUPS_JOINED};
use super::right::{About, ranked, workload};
use super::{blocks_in, group_workloads};
use crate::calls::{Answer, Workload};
use crate::feed::store;
use crate::load::Plan;
use crate::peers::Target;
use crate::run::tests::place;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_model::{Command, ImportEdge, Stamp, Uid, Write};
use std::path::Path;
use std::time::Duration;

/// A store with a graph and what is said there.
fn inside(dir: &Path, graph: &FollowGraph, said: Vec<Command>) -> InProcess {
    let uid = |user| Uid::new(graph.uid(user)).unwrap();
    let edge = |edge: &guanxi_load::graph::DrawnFollow| ImportEdge {
        subject: uid(edge.subject),
        object: uid(edge.object),
        at: Some(Stamp::from_ms(edge.at_s * 1_000)),
        terms: guanxi_model::MuteTerms::default(),
    };
    let edges: Vec<ImportEdge> = graph.edges.iter().map(edge).collect();
    crate::machine::runtime().unwrap().block_on(async {
        let opened = store::open(dir).unwrap();
        for part in edges.chunks(10_000) {
            opened.backend.store.apply(Write::edges(part.to_vec(), false)).await.unwrap();
        }
        opened.close().await.unwrap();
        say(dir, said).await.unwrap();
    });
    InProcess::open(dir).unwrap()
}

fn are_found(workload: &Workload) {
    let full = workload.answers.iter().filter(|answer| match answer {
        Answer::Counted(users) => users.len() == 20,
        Answer::Ids(ids) => ids.len() >= 20,
        _ => false,
    });
    assert!(full.count() * 2 > workload.answers.len(), "pages are mostly full");
}

#[test]
fn circles_are_answered_alike() {
    let (_dir, place) = place();
    let kinds = [Kind { degree: 12, viewers: 5 }, Kind { degree: 25, viewers: 2 }];
    let circles = Circles::draw(&kinds, 1, 8_000, 5);
    let Circles { graph, index, blocks, viewers, .. } = &circles;
    let mut store = inside(&place.dir.join("data"), graph, said_in(&circles).unwrap());
    store.note_followed(graph, index, &viewers.concat()).unwrap();
    let postgres = postgres::of_circles(&place, &circles).unwrap();
    for kind in viewers {
        let friends = workload((graph, index, blocks), kind, About::FriendsOfFriends, 1, 30);
        are_found(&friends);
        store.compare(&friends, Reach::Whole, 30).unwrap();
        store.compare(&friends, Reach::Counts, 30).unwrap();
        postgres.target().compare(&friends).unwrap();
        let all = workload((graph, index, blocks), kind, About::Suggestions, 1, 30);
        store.compare(&all, Reach::Whole, 30).unwrap();
        let plan =
            Plan { connections: 1, warm_up: Duration::ZERO, measure: Duration::from_millis(50), rate: None };
        let figures = store.measure(&all, Reach::Whole, plan).unwrap();
        assert!(figures.latency.count > 0 && figures.per_s > 0.0);
    }
    let ranked = ranked(&circles, 1, 5);
    are_found(&ranked);
    store.compare(&ranked, Reach::Whole, 5).unwrap();
    postgres.target().compare(&ranked).unwrap();
}

#[test]
fn the_graph_is_answered_alike() {
    let (_dir, place) = place();
    let graph = FollowGraph::generate(1_500, 4);
    let index = Index::of(&graph);
    let blocks = blocks_in(&graph, &index, 4);
    assert!(blocks.pairs().len() > 20);
    let store = inside(&place.dir.join("data"), &graph, blocks_of(&graph, &blocks).unwrap());
    let (postgres, _) = postgres::of_follows(&place, &graph, &index, &blocks).unwrap();
    let viewers: Vec<u32> = graph.edges.iter().map(|edge| edge.subject).collect();
    let draw = |about| workload((&graph, &index, &blocks), &viewers, about, 2, 200);
    let friends = draw(About::FriendsOfFriends);
    are_found(&friends);
    store.compare(&friends, Reach::Whole, 200).unwrap();
    postgres.target().compare(&friends).unwrap();
    store.compare(&draw(About::Suggestions), Reach::Whole, 200).unwrap();
}

#[test]
fn groups_are_answered_alike_with_all_rules() {
    let (_dir, place) = place();
    let groups = Groups::draw(2_500, 4, 8_000, 3);
    let data = place.dir.join("data");
    crate::machine::runtime().unwrap().block_on(groups.create(&data)).unwrap();
    let store = InProcess::open(&data).unwrap();
    let postgres = postgres::of_groups(&place, &groups).unwrap();
    let [home, followed, others] = group_workloads(&groups, 20);
    store.compare(&home, Reach::Whole, 20).unwrap();
    for workload in [&followed, &others] {
        are_found(workload);
        store.compare(workload, Reach::Whole, 20).unwrap();
        postgres.target().compare(workload).unwrap();
        Target { protocol: &GROUPS_JOINED, ..postgres.target() }.compare(workload).unwrap();
    }
}

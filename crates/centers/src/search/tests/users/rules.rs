//! What a search for users refuses, and who is found beyond what an index proposes.

use super::world::{told, users};
use crate::search::tests::world::World;
use guanxi_model::user::{ProfilePatch, UserCommand};
use guanxi_model::{Op, PairCommand, Reason, Uid};
use guanxi_spec::conformance::u;
use std::future::ready;

async fn name(world: &World, uid: Uid, nickname: &str) {
    let patch = ProfilePatch { nickname: Some(nickname.to_owned()), ..ProfilePatch::default() };
    assert!(world.write(UserCommand::Update { uid, patch, expected_revision: None }).await);
}

#[tokio::test]
async fn whom_the_viewer_follows_is_found_behind_any_number_of_others() {
    let world = World::new(1);
    for n in 1..=1_300 {
        name(&world, u(n), "Ann").await;
    }
    assert!(world.write(PairCommand { op: Op::Follow, subject: u(2), object: u(1_290) }).await);
    assert!(world.write(PairCommand { op: Op::Follow, subject: u(3), object: u(1_280) }).await);
    let center = world.people_center(world.store.clone());
    let hits = told(&users(&center, "ann", Some(u(2)), None).await.unwrap());
    assert_eq!((hits.len(), hits[0].0, hits[1].0), (200, u(1_290), u(1)), "and who came first then");
    let hits = told(&center.suggest("a", Some(u(2)), 5, None, ready(())).await.unwrap());
    assert_eq!((hits.len(), hits[0].0, hits[1].0), (5, u(1_290), u(1)));
    let hits = told(&users(&center, "ann", None, None).await.unwrap());
    assert_eq!((hits.len(), hits[0].0), (200, u(1)));
}

#[tokio::test]
async fn a_query_for_users_is_plain_words() {
    let world = World::new(1);
    name(&world, u(1), "Ann").await;
    let center = world.people_center(world.store.clone());
    for query in ["-ann", "\"ann", "ann*", " Ann! "] {
        assert_eq!(users(&center, query, Some(u(2)), None).await.unwrap().hits.len(), 1, "{query}");
    }
    let nothing = users(&center, "!", Some(u(2)), None).await.unwrap_err();
    assert_eq!(nothing.reason, Reason::BadQuery { position: 0, expected: "a_word" });
    let long = users(&center, &"x".repeat(129), None, None).await.unwrap_err();
    assert_eq!(long.reason, Reason::BadQuery { position: 128, expected: "fewer_characters" });
}

//! What a search for users refuses, and who is found beyond what an index proposes.

use super::world::{told, users};
use crate::search::tests::world::World;
use guanxi_model::user::{ProfilePatch, UserCommand};
use guanxi_model::{HistoryId, Op, PairCommand, Position, Reason, Result, Uid};
use guanxi_ports::{BoxFuture, FoundUsers, Log as _, SearchIndex, UserAsk, UserSearch};
use guanxi_spec::conformance::u;
use std::future::{pending, ready};
use std::sync::Arc;

/// An index that stays at its position, and has no user.
struct Stuck(Position);

impl UserSearch for Stuck {
    fn search_users<'a>(&'a self, _ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        Box::pin(ready(Ok(FoundUsers { uids: Vec::new(), as_of: self.0.clone() })))
    }
}

impl SearchIndex for Stuck {
    fn as_of(&self) -> Result<Position> {
        Ok(self.0.clone())
    }

    fn wait<'a>(&'a self, _at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(pending())
    }
}

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

/// Posts have the longer test of the same wait.
#[tokio::test]
async fn a_search_for_users_waits_for_the_index_of_users() {
    let world = World::new(1);
    let before = world.store.head().await.unwrap();
    name(&world, u(1), "Ann").await;
    let after = world.store.head().await.unwrap();
    let center = world.people_center(Arc::new(Stuck(before.clone())));
    let hits = center.users("ann", None, Some(before.clone()), pending()).await.unwrap();
    assert_eq!((hits.as_of, hits.position), (before, after.clone()));
    let behind = center.suggest("ann", None, 1, Some(after), ready(())).await.unwrap_err();
    assert_eq!(behind.reason, Reason::SearchBehind { retry_after_ms: 500 });
    let other = Position::one(HistoryId(77), 1);
    let refused = center.users("ann", None, Some(other), pending()).await.unwrap_err();
    assert_eq!(refused.reason, Reason::TokenFromOtherHistory);
}

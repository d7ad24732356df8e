//! Histories of searches for users.

use super::{Bug, Length, Tally};
use crate::search::tests::indexed::Indexed;
use crate::search::tests::users::world::{people, told, users};
use crate::search::tests::world::World;
use guanxi_model::{Position, Uid, User};
use guanxi_ports::{Log as _, SearchIndex as _, Store as _};
use guanxi_search::UserIndexStore;
use std::collections::HashMap;

/// Each user as it was looked at last, and the head of the logs when it was found changed.
type Known = HashMap<Uid, (Option<User>, Position)>;

/// Notes which users have changed.
async fn note(world: &World, known: &mut Known) {
    let head = world.store.head().await.unwrap();
    let view = world.store.view(None).await.unwrap();
    for (uid, user) in people().into_iter().zip(view.users(&people()).await.unwrap()) {
        let is_same = known.get(&uid).is_some_and(|(known, _)| *known == user);
        if !is_same {
            known.insert(uid, (user, head.clone()));
        }
    }
}

/// Somebody does something, or an operator does.
async fn act(world: &mut World) {
    if world.below(8) == 0 {
        let uid = world.person();
        world.oversee_user(uid).await;
    } else {
        world.act_people().await;
    }
}

/// Plays one.
///
/// # Errors
/// What a search showed or left out, in words.
pub(super) async fn play(seed: u64, length: Length, bug: Bug) -> Result<Tally, String> {
    let mut world = World::new(seed);
    for _ in 0..world.below(60) {
        act(&mut world).await;
    }
    let mut indexed: Indexed<UserIndexStore> = Indexed::with(&world, bug).await;
    let (mut tally, mut known) = (Tally::default(), Known::new());
    note(&world, &mut known).await;
    for _ in 0..length.steps {
        for _ in 0..world.below(6) {
            act(&mut world).await;
            note(&world, &mut known).await;
        }
        let step = world.below(17);
        tally.step(step);
        match step {
            0..13 => indexed.step(&mut world, step).await,
            13 | 14 => indexed.keep(&world).await,
            _ => {}
        }
        for _ in 0..length.searches {
            // The first one is being built.
            if indexed.index().as_of().is_ok() {
                search(&mut world, &indexed, &known, &mut tally, None).await?;
            }
        }
    }
    indexed.keep(&world).await;
    let head = world.store.head().await.unwrap();
    for _ in 0..length.searches {
        search(&mut world, &indexed, &known, &mut tally, Some(head.clone())).await?;
    }
    Ok(tally)
}

/// One search, and suggestions for the same.
async fn search(
    world: &mut World,
    indexed: &Indexed<UserIndexStore>,
    known: &Known,
    tally: &mut Tally,
    at_least: Option<Position>,
) -> Result<(), String> {
    let (query, viewer) = world.ask_people();
    let said = format!("{query} of {viewer:?}");
    let index = indexed.index();
    let as_of = index.as_of().unwrap();
    let is_whole = at_least.is_some() || as_of.covers(&world.store.head().await.unwrap());
    let center = world.people_center(index);
    let hits = users(&center, query, viewer, at_least).await.map_err(|error| format!("{said}: {error:?}"))?;
    let (shown, expected) = (told(&hits), world.found_people(query, viewer, true).await);
    if is_whole && shown != expected {
        return Err(format!("{said}: {shown:?} in place of {expected:?}"));
    }
    if let Some(hit) = shown.iter().find(|hit| !expected.contains(hit)) {
        return Err(format!("{said}: {hit:?} is shown"));
    }
    let had_seen = |uid: &Uid| known.get(uid).is_some_and(|(_, changed)| as_of.covers(changed));
    if let Some(hit) = expected.iter().find(|hit| had_seen(&hit.0) && !shown.contains(hit)) {
        return Err(format!("{said}: {hit:?} is missing, which the index had seen: {shown:?}"));
    }
    // A user that is not found yet leaves the others in their order.
    let found: Vec<Uid> = shown.iter().map(|hit| hit.0).collect();
    let wanted = expected.iter().map(|hit| hit.0).filter(|uid| found.contains(uid));
    if !wanted.eq(found.iter().copied()) {
        return Err(format!("{said}: {found:?} are in another order than {expected:?}"));
    }
    tally.searches += 1;
    tally.hits += found.len() as u64;
    tally.late += u64::from(!is_whole);
    Ok(())
}

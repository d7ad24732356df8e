//! Histories of worlds that keep the rules of reading, and of worlds that break one.
//!
//! `GUANXI_MEMORY_HISTORIES` says how many histories of the first are played.

use crate::world::{Break, play};

/// Histories of the world that keeps the rules, unless the environment says otherwise.
const SEEDS: u64 = 2_500;

/// Histories of a world that breaks one, until one of them tells.
const SEEDS_OF_BREAK: u64 = 10_000;

#[test]
fn what_memory_tells_is_what_rows_tell() {
    let seeds =
        std::env::var("GUANXI_MEMORY_HISTORIES").map_or(SEEDS, |many| many.parse().expect("a number"));
    let (mut pages, mut compared) = ((0, 0, 0), 0);
    for seed in 0..seeds {
        let world = play(Break::Nothing, seed);
        let world = world.borrow();
        assert_eq!(world.found, [""; 0], "seed {seed}");
        compared += world.compared;
        pages = (pages.0 + world.pages.0, pages.1 + world.pages.1, pages.2 + world.pages.2);
    }
    let (left, given_up, posts) = pages;
    println!(
        "{seeds} histories: {left} pages with {posts} posts, {compared} comparisons of what memory tells"
    );
    assert!(
        left > 10 * seeds as usize && posts > seeds as usize,
        "{left} pages with {posts} posts tell nothing"
    );
    assert!(given_up * 100 < left, "{given_up} pages of {left} were given up");
    assert!(compared > 10 * seeds as usize, "memory told {compared} times");
}

/// Finds the first history that tells that a rule is broken.
fn first_telling(breaks: Break) -> Option<(u64, String)> {
    let tells = |seed| Some((seed, play(breaks, seed).borrow().found.first()?.clone()));
    (0..SEEDS_OF_BREAK).find_map(tells)
}

#[test]
fn a_world_that_breaks_a_rule_of_reading_is_found_out() {
    for breaks in Break::ALL {
        assert!(first_telling(breaks).is_some(), "{breaks:?}: no history tells");
    }
}

//! Each bug that is put in on purpose is found on every shape of the store that it harms.

use guanxi_model::FanoutMode;
use guanxi_sim::{Keeper, Mutation, Subject, generate, play};

/// Traces within which every bug must show: on the shapes of many logs as many as the campaign plays of them.
const TRACES_MAX: u64 = 600;

/// What histories among the regressions show, and chance too seldom: the fan-out runs within a fill over which a late
/// follow arrives; a block and a post come between the two moments of an answer.
const BY_HISTORY: [Mutation; 2] = [Mutation::AppliedAskedLate, Mutation::ConfirmForgotten];

/// Tells how many traces each took.
fn every_mutation_is_found(keeper: Keeper) -> Vec<String> {
    let (mut found, mut survivors) = (Vec::new(), Vec::new());
    // Where follows come late fewer inboxes are filled, and hardly any while its author posts.
    let is_rare = |bug: Mutation| keeper.lags() && bug == Mutation::BegunAtFill;
    let by_chance = |bug: &Mutation| keeper.is_harmed_by(*bug) && !BY_HISTORY.contains(bug) && !is_rare(*bug);
    for mutation in Mutation::ALL.into_iter().filter(by_chance) {
        let mode = Some(FanoutMode::Push);
        let subject = Subject { keeper, mode, mutation: Some(mutation) };
        let play = |seed| play(&generate::trace(seed), subject).failure.map(|_| seed);
        match (1..=TRACES_MAX).find_map(play) {
            Some(traces) => found.push(format!("{mutation:?}: {traces}")),
            None => survivors.push(mutation),
        }
    }
    assert!(
        survivors.is_empty(),
        "not found within {TRACES_MAX} traces on {keeper:?}: {survivors:?}; found: {found:?}"
    );
    found
}

#[test]
fn every_mutation_is_found_on_one_log() {
    println!("{:?}", every_mutation_is_found(Keeper::Memory));
}

#[test]
fn every_mutation_is_found_on_a_log_for_each_gene() {
    println!("{:?}", every_mutation_is_found(Keeper::MemoryByGene));
}

#[test]
fn every_mutation_is_found_with_delays() {
    println!("{:?}", every_mutation_is_found(Keeper::MemoryDelayed));
}

#[test]
fn every_mutation_is_found_with_delays_and_disorder() {
    println!("{:?}", every_mutation_is_found(Keeper::MemoryDisordered));
}

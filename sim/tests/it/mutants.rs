//! Each bug that is put in on purpose is found on every shape of the store that it harms.

use crate::{histories, steps};
use guanxi_model::FanoutMode;
use guanxi_sim::{Keeper, Mutation, Subject, Trace, generate, play};

/// Traces within which every bug must show by chance: on the shapes of many logs as many as the campaign plays of them, if
/// not fewer.
const TRACES_MAX: u64 = 300;

/// What chance shows too seldom, so that a history alone does.
const BY_HISTORY: [Mutation; 8] = [
    Mutation::SkipTakenBackWhole,
    Mutation::RulesAtFill,
    Mutation::BegunAtFill,
    Mutation::EchoForgotten,
    Mutation::AppliedAskedLate,
    Mutation::ConfirmForgotten,
    Mutation::MuteEndUntold,
    Mutation::AudienceUntold,
];

/// How often a history is played where what comes late, and when, is drawn from a seed.
const SEEDS: u64 = 30;

/// Returns whether a history or mutation is played. All are; with `GUANXI_SIM_TENTH`, each fifth one from there on.
fn is_played(nth: u64) -> bool {
    let tenth: Option<u64> =
        std::env::var("GUANXI_SIM_TENTH").ok().map(|text| text.parse().expect("a number"));
    tenth.is_none_or(|tenth| nth % 5 == tenth % 5)
}

/// Tells how many traces each took.
fn every_mutation_is_found(keeper: Keeper) -> Vec<String> {
    let (mut found, mut survivors) = (Vec::new(), Vec::new());
    let harming = Mutation::ALL.into_iter().filter(|bug| keeper.is_harmed_by(*bug));
    for (_, mutation) in (0..).zip(harming).filter(|(nth, _)| is_played(*nth)) {
        let subject = Subject { keeper, mode: Some(FanoutMode::Push), mutation: Some(mutation) };
        let fails = |trace: &Trace| play(trace, subject).failure.is_some();
        let histories = histories::of(mutation);
        if !histories.is_empty() {
            let seeds = if keeper.lags() { SEEDS.div_ceil(histories.len() as u64) } else { 1 };
            let played = (0..).zip(histories.iter().cycle()).take(histories.len() * seeds as usize);
            let shown =
                played.map(|(seed, steps)| Trace { seed, ..steps::trace(steps.clone()) }).any(|t| fails(&t));
            if !shown {
                survivors.push(format!("{mutation:?}, by its histories"));
            }
        }
        if BY_HISTORY.contains(&mutation) {
            continue;
        }
        match (1..=TRACES_MAX).find(|seed| fails(&generate::trace(*seed))) {
            Some(traces) => found.push(format!("{mutation:?}: {traces}")),
            None => survivors.push(format!("{mutation:?}, within {TRACES_MAX} traces")),
        }
    }
    assert!(survivors.is_empty(), "not found on {keeper:?}: {survivors:?}; found: {found:?}");
    found
}

#[test]
fn histories_go_right_without_the_bug() {
    for mutation in Mutation::ALL {
        // Those of one bug beyond are the same ones again.
        let histories = histories::of(mutation);
        let played = histories.iter().take(24).zip(0..).filter(|(_, nth)| is_played(*nth));
        played.for_each(|(steps, _)| steps::holds(steps));
    }
}

#[test]
fn what_chance_shows_too_seldom_has_histories() {
    assert!(BY_HISTORY.into_iter().all(|bug| !histories::of(bug).is_empty()));
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

//! Each bug that is put in on purpose is found.

use guanxi_model::FanoutMode;
use guanxi_sim::{Keeper, Mutation, Subject, generate, play};

/// Traces within which every bug must show.
const TRACES_MAX: u64 = 600;

#[test]
fn every_mutation_is_found() {
    let mut survivors = Vec::new();
    for mutation in Mutation::ALL {
        let mode = Some(FanoutMode::Push);
        let subject = Subject { keeper: Keeper::Memory, mode, mutation: Some(mutation) };
        let found = (1..=TRACES_MAX).find_map(|seed| {
            let failure = play(&generate::trace(seed), subject).failure?;
            Some((seed, failure))
        });
        match found {
            Some((traces, failure)) => println!("{mutation:?}: {traces} traces, {}", failure.what),
            None => survivors.push(mutation),
        }
    }
    assert!(survivors.is_empty(), "not found within {TRACES_MAX} traces: {survivors:?}");
}

//! Each bug that is put in on purpose is found.

use guanxi_model::FanoutMode;
use guanxi_sim::{Keeper, Mutation, Subject, generate, play};

/// Traces within which every bug must show.
const TRACES_MAX: u64 = 600;

#[test]
fn every_mutation_is_found() {
    let mut survivors = Vec::new();
    let keepers = [Keeper::Memory, Keeper::MemoryByGene];
    for (mutation, keeper) in Mutation::ALL.iter().flat_map(|bug| keepers.map(|keeper| (*bug, keeper))) {
        let mode = Some(FanoutMode::Push);
        let subject = Subject { keeper, mode, mutation: Some(mutation) };
        let found = (1..=TRACES_MAX).find_map(|seed| {
            let failure = play(&generate::trace(seed), subject).failure?;
            Some((seed, failure))
        });
        match found {
            Some((traces, failure)) => {
                println!("{mutation:?} on {keeper:?}: {traces} traces, {}", failure.what);
            }
            None => survivors.push((mutation, keeper)),
        }
    }
    assert!(survivors.is_empty(), "not found within {TRACES_MAX} traces: {survivors:?}");
}

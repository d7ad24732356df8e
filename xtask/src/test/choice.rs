//! A part of some cases, as a seed chooses: all of it from names and one number, so that a run can be repeated.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::steps::{output, root};

/// A case's number under a seed.
pub(super) fn hash(case: &str, seed: u64) -> u64 {
    // Without keys of its own, it is the same in every process.
    let mut hasher = DefaultHasher::new();
    (seed, case).hash(&mut hasher);
    hasher.finish()
}

/// One of so many parts of the cases, rounded up, so that a few cases are never none.
pub(super) fn part<'a>(cases: &[&'a str], parts: usize, seed: u64) -> Vec<&'a str> {
    let mut drawn = cases.to_vec();
    drawn.sort_by_key(|case| (hash(case, seed), *case));
    drawn.truncate(cases.len().div_ceil(parts));
    drawn
}

/// The seed of the commit that is checked out: a commit passes or fails as a whole.
///
/// # Errors
/// When this is no checkout of git.
pub(super) fn seed_of_head() -> Result<u64, String> {
    let mut command = std::process::Command::new("git");
    let head = output(command.args(["rev-parse", "HEAD"]).current_dir(root()));
    let head =
        head.map_err(|error| format!("{error}\ncases are chosen by the commit; give --seed N without one"))?;
    seed_of(&head).ok_or_else(|| format!("no commit: {head}"))
}

fn seed_of(commit: &str) -> Option<u64> {
    u64::from_str_radix(commit.get(..8)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_chooses_the_same_cases_each_time_and_another_one_others() {
        let names: Vec<String> = (0..274).map(|n| format!("conformance::case_{n}")).collect();
        let cases: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut backwards = cases.clone();
        backwards.reverse();
        assert_eq!(part(&cases, 10, 1).len(), 28);
        assert_eq!(part(&cases, 10, 1), part(&backwards, 10, 1));
        assert_ne!(part(&cases, 10, 1), part(&cases, 10, 2));
        assert_eq!(part(&cases, 2, 1).len(), 137);
    }

    #[test]
    fn every_case_is_chosen_by_some_commit() {
        let names: Vec<String> = (0..274).map(|n| format!("conformance::case_{n}")).collect();
        let cases: Vec<&str> = names.iter().map(String::as_str).collect();
        let chosen: BTreeSet<&str> = (0..120).flat_map(|seed| part(&cases, 10, seed)).collect();
        assert_eq!(chosen.len(), cases.len());
    }

    #[test]
    fn a_tenth_of_little_is_something() {
        assert_eq!(part(&["only"], 10, 3), ["only"]);
        assert_eq!(part(&[], 10, 3), [""; 0]);
    }

    #[test]
    fn a_commit_is_a_seed() {
        assert_eq!(seed_of("b54f42a3d1\n"), Some(0xb54f_42a3));
        assert_eq!(seed_of("no"), None);
    }
}

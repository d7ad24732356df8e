//! The words behind `cargo xtask test`.

use super::binaries::Compiler;
use super::choice;
use super::tier::Tier;

/// What `cargo xtask test --help` prints.
pub(super) const HELP: &str = "\
usage: cargo xtask test [--lints] [--seed N | --all]

Sets the machine up, then runs the tests of the workspace and the examples in the docs. Ends with what each suite
costs and what was left out.

  (nothing)   what is run at each change: every case on memory, the embedded store, a cluster, and through RPC; of
              worlds that repeat others, and of long shapes of a cluster, a tenth, which the commit chooses
  --seed N    the same, with the tenth of another commit: each run prints its seed
  --all       every world and every long shape: before a release, and after a change of the ports, the planner, the
              suite or the engine
  --lints     builds the tests by clippy, and refuses what its lints find: one build for both, as .ci/run wants it

Which is which stands in xtask/src/test/tier.rs. `cargo test` runs every case in its usual shape.
";

/// What the words ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Help,
    Run(Tier, Compiler),
}

/// Reads them.
///
/// # Errors
/// A word that is none. Without a seed, when there is no commit to take one from.
pub(super) fn parse(words: &[&str]) -> Result<Asked, String> {
    let (compiler, words) = match words {
        ["--lints", words @ ..] => (Compiler::Clippy, words),
        words => (Compiler::Rustc, words),
    };
    let tier = match words {
        ["--help" | "-h"] => return Ok(Asked::Help),
        [] => Tier::EachChange { seed: choice::seed_of_head()? },
        ["--all"] => Tier::All,
        ["--seed", seed] => {
            Tier::EachChange { seed: seed.parse().map_err(|_| format!("--seed {seed}: not a number"))? }
        }
        other => return Err(format!("no such options: {}\n\n{HELP}", other.join(" "))),
    };
    Ok(Asked::Run(tier, compiler))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_a_tier() {
        assert_eq!(parse(&["--all"]), Ok(Asked::Run(Tier::All, Compiler::Rustc)));
        let linted = Asked::Run(Tier::EachChange { seed: 12 }, Compiler::Clippy);
        assert_eq!(parse(&["--lints", "--seed", "12"]), Ok(linted));
        assert_eq!(parse(&["--help"]), Ok(Asked::Help));
        for bad in
            [&["--seed"][..], &["--seed", "x"], &["--all", "--seed", "1"], &["--most"], &["--all", "--lints"]]
        {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn without_words_the_commit_chooses() {
        let Ok(Asked::Run(Tier::EachChange { seed }, Compiler::Rustc)) = parse(&[]) else {
            panic!("no commit")
        };
        assert_eq!(Ok(seed), choice::seed_of_head());
    }
}

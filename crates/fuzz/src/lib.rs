//! Fuzzing in tests, on stable Rust and without dependencies.
//!
//! A target takes bytes, panics when something that it promises does not hold, and returns a number for what happened.
//! Inputs are made by changing others a little; one that comes to a number that was not seen before is kept and changed
//! further, which leads through a decoder's cases as coverage would, and needs no compiler of its own.
//!
//! The corpus of a target is `tests-data/fuzz/TARGET.txt`: an input a line, escaped as in Rust's byte strings. All of it
//! is run first. Then it goes on for [`SECONDS`], or as long as `cargo xtask fuzz` says, which sets the variables below.
//!
//! # What it is not
//!
//! - It measures no coverage. A target says by a number what an input led to, and a number that was not seen before is
//!   new.
//! - It has no targets. They are beside the decoders, most of them in files named `fuzz.rs`.
//! - It generates no typed values; tests with these use `proptest`. A target gets bytes, and a failing input is made
//!   shorter.
//!
//! # Example
//!
//! A target promises that a number that was read is written and read again as the same number.
//!
//! ```no_run
//! use guanxi_fuzz::{came_to, fuzz};
//!
//! fuzz("numbers", &[b"12", b"-1"], |bytes| {
//!     let text = std::str::from_utf8(bytes);
//!     let Ok(Ok(number)) = text.map(str::parse::<i64>) else { return 0 };
//!     assert_eq!(number.to_string().parse(), Ok(number));
//!     // Two inputs of the same sign and length are alike: the second one leads to nothing new.
//!     came_to((number.signum(), bytes.len()))
//! });
//! ```
//!
//! # Where to begin
//!
//! - [`fuzz()`]: what is done with a target, and what does a failure print?
//! - `pool.rs`: which inputs are kept, and how is a corpus read?
//! - `dice.rs`: how is an input changed?
//! - `crates/rows/src/fuzz.rs`: what does a whole target look like?
#![expect(clippy::print_stderr, reason = "only tests call it, and read its output when they fail")]

mod dice;
mod pool;

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

pub use dice::InputDice;
use pool::InputPool;

/// How many seconds a target runs in tests.
pub const SECONDS: u64 = 3;

/// Says another number of seconds.
pub const SECONDS_VARIABLE: &str = "GUANXI_FUZZ_SECONDS";

/// Says where the dice begin; without it they fall the same for each run.
pub const SEED_VARIABLE: &str = "GUANXI_FUZZ_SEED";

/// Set to anything, it has short inputs that came to something new written into the corpus.
pub const KEEP_VARIABLE: &str = "GUANXI_FUZZ_KEEP";

/// How long one input may take, on a machine that has other work as well: more is a hang.
const HANG: Duration = Duration::from_secs(10);

/// How often a failing input is tried with something left out.
const SHRINKS_MAX: usize = 500;

/// Returns the outcome of an input, as a number: the same for equal words.
pub fn came_to(words: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Runs a target: its corpus, the seeds, and what follows from them.
///
/// # Panics
/// When the target does, with the input in the form of the corpus, made as short as it could be; or when an input takes
/// longer than a hang.
pub fn fuzz(target: &str, seeds: &[&[u8]], check: impl Fn(&[u8]) -> u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let runs = Duration::from_secs(number(SECONDS_VARIABLE).unwrap_or(SECONDS));
    let seed = number(SEED_VARIABLE).unwrap_or(0);
    let mut pool = InputPool::read(target);
    pool.offer(seeds);
    let mut dice = InputDice::new(seed ^ came_to(target));
    for input in pool.begin() {
        pool.note(&input, run(target, &input, &check));
    }
    let (begun, mut tried) = (Instant::now(), 0_u64);
    while begun.elapsed() < runs {
        // Inputs take microseconds, as asking for the time does.
        for _ in 0..16 {
            let input = pool.next(&mut dice);
            pool.note(&input, run(target, &input, &check));
            tried += 1;
        }
    }
    eprintln!("fuzz {target}: {tried} inputs, {} kept", pool.len());
    if std::env::var_os(KEEP_VARIABLE).is_some() {
        pool.write(target);
    }
}

fn run(target: &str, input: &[u8], check: &impl Fn(&[u8]) -> u64) -> u64 {
    let begun = Instant::now();
    let Ok(outcome) = attempt(input, check) else {
        let shortest = shrunk(input, check);
        panic!(
            "fuzz {target} fails; once it is mended add this line to tests-data/fuzz/{target}.txt:\n{}",
            shortest.escape_ascii()
        );
    };
    assert!(begun.elapsed() < HANG, "fuzz {target} hangs with {}", input.escape_ascii());
    outcome
}

fn attempt(input: &[u8], check: &impl Fn(&[u8]) -> u64) -> std::thread::Result<u64> {
    catch_unwind(AssertUnwindSafe(|| check(input)))
}

/// The input with all left out that it fails without.
fn shrunk(input: &[u8], check: &impl Fn(&[u8]) -> u64) -> Vec<u8> {
    let (mut shortest, mut tries) = (input.to_vec(), 0);
    let mut length = shortest.len() / 2;
    while length > 0 && tries < SHRINKS_MAX {
        let mut at = 0;
        while at + length <= shortest.len() && tries < SHRINKS_MAX {
            let shorter = [&shortest[..at], &shortest[at + length..]].concat();
            tries += 1;
            if attempt(&shorter, check).is_err() {
                shortest = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_target_asks_for_step_by_step_are_found() {
        let found = std::cell::Cell::new(false);
        fuzz("selftest", &[b"guanxi"], |bytes| {
            let right = bytes.iter().zip(b"guan=xi").take_while(|(byte, wanted)| byte == wanted).count();
            found.set(found.get() || right == 7);
            right as u64
        });
        assert!(found.get());
    }

    #[test]
    fn a_failing_input_is_shown_short() {
        let failed = catch_unwind(|| {
            fuzz("selftest", &[b"long before ! long after"], |bytes| {
                assert!(!bytes.contains(&b'!'));
                0
            });
        });
        let message = *failed.unwrap_err().downcast::<String>().unwrap();
        assert!(message.ends_with("selftest.txt:\n!"), "{message}");
    }
}

//! Metrics of JWTs. They are there from the start, with or without JWTs, so that a rate begins at zero.

use metrics::{Counter, Gauge, counter, describe_counter, describe_gauge, gauge};

use super::problem::Problem;

const TOKENS: &str = "guanxi_jwt_tokens_total";
const READS: &str = "guanxi_jwt_key_reads_total";

const FAILING: &str = "guanxi_jwt_key_reads_failing";

/// How many keys are in force.
pub(super) const KEYS: &str = "guanxi_jwt_keys";
/// When keys were read last.
pub(super) const KEYS_READ: &str = "guanxi_jwt_keys_read_time_seconds";

/// Where keys were read.
#[derive(Clone, Copy)]
pub(super) enum Read {
    File,
    Url,
}

/// Describes the metrics.
pub(crate) fn describe() {
    describe_counter!(TOKENS, "JWTs by outcome: verified, or what was wrong with them.");
    describe_counter!(
        READS,
        "Times that changed keys for JWTs were read: ok, or failed (those before stay)."
    );
    describe_gauge!(KEYS, "Keys for JWTs in force.");
    describe_gauge!(KEYS_READ, "When keys for JWTs were read last, in Unix seconds; 0 without JWTs.");
    describe_gauge!(
        FAILING,
        "1 while keys for JWTs could not be read the last time, so that those before stay; else 0."
    );
    for outcome in Problem::ALL.map(Problem::name).into_iter().chain([VERIFIED]) {
        tokens(outcome).increment(0);
    }
    for read in [Read::File, Read::Url] {
        counted(read, true).increment(0);
        counted(read, false).increment(0);
        failing(read).increment(0.0);
    }
    // A value that was set before stays.
    gauge!(KEYS).increment(0.0);
    gauge!(KEYS_READ).increment(0.0);
}

const VERIFIED: &str = "verified";

/// Tokens that were verified.
pub(super) fn verified() -> Counter {
    tokens(VERIFIED)
}

/// Tokens that were refused.
pub(super) fn refused(problem: Problem) -> Counter {
    tokens(problem.name())
}

fn tokens(outcome: &'static str) -> Counter {
    counter!(TOKENS, "outcome" => outcome)
}

/// Notes a read of keys.
pub(super) fn note_read(read: Read, ok: bool) {
    counted(read, ok).increment(1);
    failing(read).set(if ok { 0.0 } else { 1.0 });
}

impl Read {
    const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Url => "url",
        }
    }
}

fn counted(read: Read, ok: bool) -> Counter {
    counter!(READS, "source" => read.name(), "outcome" => if ok { "ok" } else { "failed" })
}

fn failing(read: Read) -> Gauge {
    gauge!(FAILING, "source" => read.name())
}

//! The simulator's tests: many random traces, the bugs it must find, and the bugs of others by name.

mod campaign;
mod histories;
mod mutants;
mod regressions;
mod steps;
mod suggestions;

//! The simulator: random histories of posts and feeds, held against the definition of home.
//!
//! A seed becomes a [`Trace`], by [`generate`]; a trace is played against a [`Subject`] by [`play()`], on one thread and
//! a clock of its own, so that it goes the same way every time; a [`campaign`] plays many, and [`shrink`] makes one that
//! fails short. [`mutants`] says what the simulator must find.

pub mod campaign;
mod count;
pub mod generate;
pub mod mutants;
mod play;
mod ports;
pub mod shrink;
mod stage;
pub mod trace;
mod world;

pub use count::Counts;
pub use mutants::Mutation;
pub use play::{Answer, Failure, Played, play};
pub use trace::{Step, Trace};
pub use world::{Keeper, Subject};

//! The simulator: random histories of posts and feeds, held against the definition of home.
//!
//! A seed becomes a [`Trace`], by [`generate`]. A trace is played against a [`Subject`] by [`play()`], on one thread and
//! a clock of its own, so that it goes the same way every time. A [`campaign`] plays many traces, and [`shrink`] makes one
//! that fails short. [`mutants`] has the bugs that the simulator must find.
//!
//! # What it is not
//!
//! - It is not the definition of home. `guanxi-oracle` is.
//! - It is no test of a backend by itself. The suite in `guanxi-spec` is; here centers and a backend work together.
//! - It uses no network and no PostgreSQL. It plays on the memory backend in all its shapes, and on the embedded one. A test of
//!   another backend gives it that, as [`Given`].
//!
//! # Main types
//!
//! - A [`Trace`] is a history: [`Step`]s of users, operators, clocks and misfortunes. [`generate::trace`] makes it from
//!   a seed.
//! - A [`Subject`] is what it is played against: a [`Keeper`] of the posts, and perhaps a bug on purpose, a [`Mutation`].
//! - [`Played`] has every [`Answer`], and the [`Failure`] that ended it.
//! - A [`campaign::Plan`] plays many seeds. A failing trace is made short by [`shrink::shrink`].
//!
//! # Example
//!
//! The same seed goes the same way twice.
//!
//! ```
//! use guanxi_sim::{Keeper, Subject, generate, play};
//!
//! let trace = generate::trace(1);
//! let subject = Subject { keeper: Keeper::Memory, mode: None, mutation: None };
//! let played = play(&trace, subject);
//! assert_eq!(played.failure, None, "every answer was the oracle's");
//! assert_eq!(played.answers, play(&trace, subject).answers);
//! ```
//!
//! # Where to begin
//!
//! - `trace.rs`: what can happen in a history?
//! - `play/mod.rs`: what is compared with the oracle, and when?
//! - `stage.rs`: how do calls overlap in the same way in every run?
//! - `mutants/mod.rs`: which bugs must be found?

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
pub use play::{Answer, Failure, Played, play, play_given};
pub use trace::{Step, Trace};
pub use world::{Arrives, Given, GivenPorts, Keeper, Subject};

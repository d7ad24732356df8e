//! The definition of what a backend must do: the in-memory backend that is the specification of the ports, and the
//! conformance suite that every backend passes.
//!
//! Only tests build this crate, so that an edited case rebuilds no product code.
//!
//! # What it is not
//!
//! - It is not the traits. Those are in `guanxi-ports`.
//! - It is no test of the rules of the product. Those tests are beside the rules, in `guanxi-centers`, and in the
//!   simulator (`guanxi-sim`).
//! - It is no store for a product: it forgets all at its end, and is made to be read.
//!
//! # Main types
//!
//! - A [`memory::MemoryStore`] has the shape that [`memory::Options`] say: one log, or a log for each gene with late
//!   effects.
//! - A [`conformance::Case`] is a function over a [`conformance::World`], which is a store with the words that cases
//!   are written in.
//! - A [`conformance::Backend`] is the store under test. It names each [`conformance::Need`] that it cannot meet, with
//!   a reason.
//! - The macro [`conformance_suite!`] makes a test of each case.
//! - A [`viewed::Viewed`] is any store whose views a test wraps, such as [`viewed::faulty`], of which some rows cannot be
//!   read.
//!
//! # Example
//!
//! A store in memory, and one case of the suite on it.
//!
//! ```
//! use guanxi_spec::conformance::{Backend, Settings, blocks, run};
//! use guanxi_spec::memory::MemoryStore;
//! use std::sync::Arc;
//!
//! async fn make(settings: Settings) -> Backend {
//!     let options = settings.memory();
//!     let store = MemoryStore::new(settings.clock, options);
//!     Backend::of(Arc::new(store)).checking(settings.uids)
//! }
//!
//! // The case panics if the store does not do what it must, and so does the check of the whole store at its end.
//! let settings = Settings::usual();
//! run("a_block_cuts_both_ways", settings, make, |world| Box::pin(blocks::a_block_cuts_both_ways(world)));
//! ```
//!
//! # Where to begin
//!
//! - `conformance/mod.rs`: how does a backend plug into the suite, and what does every case check at its end?
//! - `conformance/suite.rs`: which cases are there?
//! - `conformance/pairs.rs`: what does a case look like?
//! - `memory/commit.rs` and `memory/relations.rs`: what does a write change, said in the simplest way?

pub mod conformance;
pub mod memory;
pub mod viewed;

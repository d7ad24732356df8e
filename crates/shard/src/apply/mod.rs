//! An event of another shard, applied here: the reverse edges, the marks of friends, and what a block, a friendship or an answer to
//! a request commands.

mod effects;
mod mark;
mod minter;
mod posts;
mod requests;

pub use effects::{Arriving, befriend, derive, derive_late, part, parts};
pub use mark::{AppliedMark, DueShards, Targets};
pub use minter::Minter;
pub use posts::Referring;
pub use requests::begin;

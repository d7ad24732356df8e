//! Two shards, one agreement: what is done in each of them for two users when a request may be between them.

mod others;
mod steps;
mod turns;

pub use others::{OtherShards, is_tried_again, looks_at_the_other};
pub use steps::{FinishWork, pair_of};
pub(crate) use steps::{ask, asks_to_follow, concerned, finish, keep, release, rows_between, take_back};
pub use turns::{Turn, Turns, turns};

//! Two shards, one agreement: what is done in each of them for two users when a request may be between them.

mod steps;

pub use steps::{FinishWork, pair_of};
pub(crate) use steps::{ask, asks_to_follow, concerned, finish, keep, release, rows_between, take_back};

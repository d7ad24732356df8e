//! The rows that plans read and change.

mod cell;
mod foreign;

pub use cell::{Cells, NotFetched};
pub use foreign::{ForeignKey, ForeignRows};

use guanxi_model::Uid;

/// Two users, the first of whom is of the shard.
pub type Pair = (Uid, Uid);

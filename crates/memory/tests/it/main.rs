//! Looks, ring, cuts, memory and pages of a cluster without a database, in histories with delay: what a cluster reads of memory is
//! played over the machine of its shards. Worlds that break a rule of reading must be found out.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "tests may panic; the helpers around them are tests, too"
)]

mod histories;
mod world;

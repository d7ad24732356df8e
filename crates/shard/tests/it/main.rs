//! Batches of one shard over tables in memory, held against the in-memory backend.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod planner;

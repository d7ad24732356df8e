//! The one-machine backend: an LSM engine, one writer with group commit, and indexes in memory.

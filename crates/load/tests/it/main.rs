//! The load shapes against the in-memory backend.

mod in_process;

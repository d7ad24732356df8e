//! The verbs of the binary, end to end: what they print, how they exit, what they leave behind.

mod affinity;
mod calls;
#[path = "../../../../api/tests/it/certs.rs"]
pub(crate) mod certs;
mod cluster;
mod compact;
mod config;
pub(crate) mod demo;
mod directory;
mod disk;
mod erased_rows;
mod erasure;
mod foreign_lists;
mod fork;
mod import;
mod jwks;
mod jwt;
mod logins;
mod malformed;
mod migrate;
mod moving;
mod moving_users;
mod namespace;
mod occupancy;
mod openapi;
mod overload;
mod own_ids;
mod page_tokens;
mod posts;
mod proof;
mod read_only;
mod retention;
pub(crate) mod run;
mod serve;
mod terminal;
mod tls;
mod users;

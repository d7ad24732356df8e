//! Searches: guanxi and PostgreSQL index the same posts and names in one run, answer the same, and are asked in turns.

mod ask;
mod back_office;
mod by_time;
mod contest;
mod dictionary;
mod fill;
mod options;
mod postgres;
mod run;
mod words;
mod world;
pub(crate) mod writes;

pub(crate) use ask::{Kind, POSTS_PAGE, SUGGESTED, SearchCall, USERS_PAGE, tsquery};
pub(crate) use options::Options;
pub(crate) use run::main;

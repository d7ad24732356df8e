//! Searches: posts and names that guanxi and PostgreSQL are to be asked for.
#![allow(dead_code, reason = "the systems that are asked follow")]

mod ask;
mod dictionary;
mod words;
mod world;

pub(crate) use ask::{Kind, POSTS_PAGE, SUGGESTED, SearchCall, USERS_PAGE, tsquery};

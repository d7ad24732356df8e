//! Searches: posts and names that guanxi and PostgreSQL are to be asked for.
#![allow(dead_code, reason = "the systems that are asked follow")]

mod dictionary;
mod words;
mod world;

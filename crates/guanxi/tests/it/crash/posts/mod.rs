//! Clients that write posts and read homes while the server is killed, each with a model of what must be shown.

mod model;
mod poster;

pub(crate) use poster::{Poster, fans};

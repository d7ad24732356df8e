//! Whom a search for users finds, against a look at every user.

mod histories;
mod rules;
pub(super) mod world;

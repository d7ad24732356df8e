//! What memory lacks is read from the tables, and kept.

mod affinities;
mod headers;
mod outboxes;
mod relations;
#[cfg(test)]
mod tests;

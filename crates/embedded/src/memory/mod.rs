//! What is in memory: caches of the tables, which the writer keeps true, and inboxes, which the disk knows nothing of.

pub(crate) mod affinities;
pub(crate) mod cache;
pub(crate) mod credentials;
pub(crate) mod cut;
pub(crate) mod first_pages;
pub(crate) mod headers;
pub(crate) mod inboxes;
pub(crate) mod lists;
pub(crate) mod outboxes;
pub(crate) mod recent_events;
pub(crate) mod relations;
pub(crate) mod table;
pub(crate) mod user_groups;
pub(crate) mod viewer_relations;

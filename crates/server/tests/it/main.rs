//! A server as its users meet it: over loopback, on the in-memory backend unless a test says otherwise.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod accounts;
mod actor;
mod admin;
mod affinity;
mod audit;
mod auth;
mod blocks;
mod calls;
mod conformance;
mod console;
mod console_attack;
mod console_history;
mod console_office;
mod console_try;
mod contacts;
mod cors;
mod credentials;
mod deletions;
mod events;
mod examples;
mod explain;
mod exports;
mod external_ids;
mod fanout;
mod framed;
mod groups;
mod history;
mod home;
mod home_stream;
mod hostile;
mod http;
mod import_posts;
mod input;
mod json;
mod jwt;
mod limits;
mod occupancy;
mod only_looks;
mod overview;
mod page_tokens;
mod pages;
mod passwords;
mod posts;
mod posts_input;
mod protocols;
mod rates;
mod rebound;
mod registration;
mod rows;
mod search;
mod sessions;
mod shutdown;
mod suggestions;
mod takedowns;
mod texts;
mod tls;
mod transport;
mod user_export;
mod watch;

/// How long a test waits for what must come: so long that only a hang reaches it, and less than the deadlines and limits of
/// half a minute that end most things without being asked.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

//! The limits of the console.

use std::time::Duration;

/// How long a session lasts at most.
pub const SESSION_LIFE: Duration = Duration::from_hours(8);

/// How long a session lasts without a request.
pub const SESSION_IDLE: Duration = Duration::from_mins(30);

/// Sessions at once. One more ends the session that was used least recently.
pub const SESSIONS_MAX: usize = 1_000;

/// Bytes of a form.
pub const FORM_BYTES_MAX: usize = 64 * 1_024;

/// How long a form may take to arrive.
pub const FORM_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of a token that signs in.
pub const TOKEN_LEN_MAX: usize = 256;

/// Live streams of fragments of one session: as many as a browser has tabs that an operator looks at.
pub const STREAMS_PER_SESSION_MAX: usize = 16;

/// How often a live region is drawn anew.
pub const LIVE_EVERY: Duration = Duration::from_secs(2);

/// Rows of a page of a list.
pub const PAGE_ROWS: i32 = 50;

/// Users on the picture of a user's surroundings.
pub const EGO_USERS_MAX: usize = 60;

/// Users on the picture of the demo's graph.
pub const GRAPH_USERS_MAX: usize = 300;

/// Follows on the picture of the demo's graph.
pub const GRAPH_FOLLOWS_MAX: usize = 3_000;

/// How long the picture of the demo's graph is kept: it takes a call for each of its users.
pub const GRAPH_KEPT: Duration = Duration::from_secs(30);

/// Characters of a text in a table; the page of the post has all of them.
pub const EXCERPT_CHARS_MAX: usize = 280;

/// Bytes of the reason of a change.
pub const REASON_LEN_MAX: usize = 1_000;

/// Bars of a chart; of more, the last ones are shown.
pub const BARS_MAX: usize = 60;

/// Differences that a check shows; it counts all of them.
pub const FINDINGS_MAX: usize = 100;

/// Rows and columns of the heat map: groups of genes.
pub const HEAT_GROUPS: usize = 16;

/// Backups that the page of consistency shows: the newest ones.
pub const BACKUPS_SHOWN: i32 = 5;

/// Homes that a check compares.
pub const CHECKED_HOMES: u32 = 100;

//! The metrics of refreshes.

use metrics::{Counter, describe_counter};

/// How refreshes ended, made once.
pub(super) struct SessionMeters {
    /// With new secrets.
    pub new: Counter,
    /// With those of the refresh before, repeated.
    pub again: Counter,
    /// With the end of the session.
    pub reused: Counter,
    /// There was no such session.
    pub unknown: Counter,
}

impl Default for SessionMeters {
    fn default() -> Self {
        describe_counter!(
            "guanxi_session_refreshes_total",
            "Refreshes of sessions, by outcome: new secrets, the same once more, a secret that two have (reused), none known."
        );
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_session_refreshes_total", "outcome" => outcome);
        Self {
            new: outcome("new"),
            again: outcome("again"),
            reused: outcome("reused"),
            unknown: outcome("unknown"),
        }
    }
}

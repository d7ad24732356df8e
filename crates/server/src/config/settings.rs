//! Settings as a whole, and their checks beyond numbers.

use super::table::{LISTEN_DEFAULT, Settings};
use super::words::ProcessRole;
use guanxi_api::{Origins, RateLimits};
use guanxi_centers::jobs::KeptFor;
use guanxi_centers::user::sessions::SessionTerms;
use guanxi_model::DAY_MS;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::Path;

/// The shortest key that an attacker cannot guess.
const TICKET_KEY_LEN_MIN: usize = 32;

impl Settings {
    /// Returns the rates at which callers may ask.
    pub(crate) const fn rates(&self) -> RateLimits {
        RateLimits {
            reads_per_minute: self.rate_reads_per_minute,
            writes_per_minute: self.rate_writes_per_minute,
            follows_per_hour: self.rate_follows_per_hour,
            posts_per_minute: self.rate_posts_per_minute,
            unknown_per_minute: self.rate_unknown_per_minute,
            logins_per_minute: self.rate_logins_per_minute,
            registrations_per_hour: self.rate_registrations_per_hour,
            keys_max: self.rate_keys_max as usize,
        }
    }

    /// How long the sessions of logins and their secrets are good for.
    pub(crate) const fn session_terms(&self) -> SessionTerms {
        let minute_ms = 60_000;
        SessionTerms {
            access_ms: self.session_access_minutes as u64 * minute_ms,
            idle_ms: self.session_idle_days as u64 * DAY_MS,
            whole_ms: self.session_max_days as u64 * DAY_MS,
        }
    }

    /// Returns whether this process has a role.
    pub fn has_role(&self, role: ProcessRole) -> bool {
        self.roles.contains(&role)
    }

    /// Where this process keeps the indexes of search of a cluster, if it does.
    pub(crate) fn index_place(&self) -> Option<&Path> {
        self.index_dir.as_deref().filter(|_| self.search && self.has_role(ProcessRole::Index))
    }

    /// Checks where the indexes of search are asked.
    fn check_index(&self) -> Result<(), (&'static str, String)> {
        let Some(listen) = &self.index_listen else {
            let why = || "says how others reach index_listen: set that, too".to_owned();
            return self.index_address.as_ref().map_or(Ok(()), |_| Err(("index_address", why())));
        };
        if self.index_dir.is_none() {
            return Err(("index_listen", "is where indexes are asked: set index_dir, where they are".into()));
        }
        let listen = address(listen).map_err(|error| ("index_listen", error))?;
        match &self.index_address {
            Some(told) if !is_place(told) => {
                Err(("index_address", format!("must be HOST:PORT, as others reach it, and is {told:?}")))
            }
            None if listen.ip().is_unspecified() => {
                let why = format!(
                    "is {listen}, which is no place to call: say by index_address how others reach it"
                );
                Err(("index_listen", why))
            }
            _ => Ok(()),
        }
    }

    /// How long what deleted users wrote and were called is kept.
    pub(crate) const fn deleted_users_ms(&self) -> u64 {
        self.deleted_users_days as u64 * DAY_MS
    }

    /// How long what is deleted otherwise is kept.
    pub(crate) fn kept_for(&self) -> KeptFor {
        let ms = |days: u32| u64::from(days) * DAY_MS;
        KeptFor {
            deleted_posts_ms: self.deleted_posts_days.map(ms),
            removed_follows_ms: self.removed_follows_days.map(ms),
            audit_ms: self.audit_days.filter(|days| *days != 0).map(ms),
        }
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// The key and what is wrong with its value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.roles.is_empty() {
            return Err((
                "roles",
                "is empty: name one or more of api, worker, repair, index, or leave it out for all"
                    .to_owned(),
            ));
        }
        if let Some((key, _, range)) = self.numbers().find(|(_, number, range)| !range.contains(number)) {
            return Err((key, format!("must be between {} and {}", range.start(), range.end())));
        }
        if let Some(endpoint) = &self.trace_endpoint {
            crate::telemetry::check_endpoint(endpoint).map_err(|error| ("trace_endpoint", error))?;
        }
        if self.stream_ticket_key.as_ref().is_some_and(|key| key.len() < TICKET_KEY_LEN_MIN) {
            return Err(("stream_ticket_key", format!("must have at least {TICKET_KEY_LEN_MIN} characters")));
        }
        Origins::parse(&self.cors_origins).map_err(|error| ("cors_origins", error))?;
        let listeners = [("listen", &self.listen), ("admin_listen", &self.admin_listen)];
        for (key, value) in listeners {
            let addr = address(value).map_err(|error| (key, error))?;
            if self.no_auth && !addr.ip().is_loopback() {
                let why = format!(
                    "is {value}, which others can reach; without authentication only 127.0.0.1 and ::1 are \
                     allowed (remove no_auth, or listen on 127.0.0.1)"
                );
                return Err((key, why));
            }
        }
        self.check_index()?;
        crate::telemetry::check_level(&self.log_level).map_err(|error| ("log_level", error))
    }
}

/// Reads `ADDRESS:PORT`; a name stands for its first address.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let resolved = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    resolved.ok_or_else(|| format!("must be ADDRESS:PORT, such as {LISTEN_DEFAULT}, and is {text:?}"))
}

/// Returns whether a text is a host and a port.
fn is_place(text: &str) -> bool {
    let parts = text.rsplit_once(':');
    parts.is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains(['/', '@', ' ']) && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

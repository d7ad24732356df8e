//! The hosts by which a browser may name this server, and any caller of one that asks for no credential.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The hosts. An address is always one of them: a name of another site can be bound to our address, and an address cannot.
/// `localhost` is one, too. Any other name is one of the settings.
#[derive(Clone, Debug, Default)]
pub struct Hosts(Arc<[String]>);

impl Hosts {
    /// Returns the hosts with the names of the settings, without ports.
    pub fn named(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Returns whether a Host header names this server.
    pub fn has(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, port)) => return is_port(port) && address.parse::<Ipv6Addr>().is_ok(),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        let port = &host[name.len()..];
        let is_known = name.eq_ignore_ascii_case("localhost")
            || name.parse::<Ipv4Addr>().is_ok()
            || self.0.iter().any(|known| name.eq_ignore_ascii_case(known));
        is_port(port) && is_known
    }
}

/// Nothing, or a colon and a port.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_localhost_and_names_of_the_settings_are_ours() {
        let hosts = Hosts::named(["Ops.Example".to_owned()]);
        for ours in [
            "127.0.0.1",
            "10.0.0.7:7421",
            "[::1]",
            "[::1]:7421",
            "localhost:1",
            "LocalHost",
            "ops.example",
            "OPS.example:443",
        ] {
            assert!(hosts.has(ours), "{ours}");
        }
        for other in [
            "",
            ":7421",
            "evil.example",
            "ops.example.evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "[::1",
            "[evil]",
            "localhost:x",
            "localhost:99999",
            "[::1]x",
            "ops.example:",
            "a@localhost",
            "2130706433",
        ] {
            assert!(!hosts.has(other), "{other}");
        }
    }
}

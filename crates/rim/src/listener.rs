//! The two listeners: which one a call came through, where they are, and who may learn of that.

use std::fmt;
use std::net::SocketAddr;

use http::{Extensions, HeaderMap};

use crate::peer::{CallerAddress, FORWARDED, X_FORWARDED_FOR};

/// Which listener a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// The listener for users and services.
    Main,
    /// The operator's listener.
    Admin,
}

/// Where a listener is, and what it speaks.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// Its address.
    pub address: SocketAddr,
    /// Whether it speaks TLS.
    pub tls: bool,
}

/// The addresses of the two listeners, so that a call of the wrong one is told of the other. Only callers on this machine are
/// told: an address behind a firewall is of no use to other callers.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The listener for users and services.
    pub main: Endpoint,
    /// The operator's listener.
    pub admin: Endpoint,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.address)
    }
}

impl Endpoint {
    /// A listener without TLS.
    pub const fn plain(address: SocketAddr) -> Self {
        Self { address, tls: false }
    }

    /// The endpoint, for a caller that may learn of it: one on this machine, for which no proxy speaks.
    pub(crate) fn told_to(self, of_request: &Extensions, headers: &HeaderMap) -> Option<Self> {
        let CallerAddress(address) = of_request.get()?;
        let is_forwarded = || [FORWARDED, X_FORWARDED_FOR].iter().any(|name| headers.contains_key(*name));
        (address.is_loopback() && !is_forwarded()).then_some(self)
    }
}

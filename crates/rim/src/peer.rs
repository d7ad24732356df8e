//! Where a call comes from: the address of the connection's other end, or what a trusted proxy says of its own.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use http::HeaderMap;
use ipnet::IpNet;

/// Where proxies say for whom they speak (RFC 7239).
pub(crate) const FORWARDED: &str = "forwarded";
/// The same as most proxies say it.
pub(crate) const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// Addresses in one header that are looked at, from the last on. No real chain has more proxies than that.
const HOPS_MAX: usize = 32;

/// The address of a call's sender, in the extensions of its request: what rate limits count by and logs tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallerAddress(pub IpAddr);

/// The proxies whose word about a caller's address is believed.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Reads addresses and networks, such as `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`.
    ///
    /// # Errors
    /// What is neither.
    pub fn parse<T: AsRef<str>>(networks: &[T]) -> Result<Self, String> {
        let network = |text: &T| {
            let text = text.as_ref().trim();
            let single = IpAddr::from_str(text).map(|address| IpNet::from(address.to_canonical()));
            single.or_else(|_| IpNet::from_str(text)).map_err(|_| {
                format!("{text:?} is neither an address nor a network, such as 10.0.0.7 or 10.0.0.0/8")
            })
        };
        networks.iter().map(network).collect::<Result<_, _>>().map(Self)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the address that sent a request: of the addresses that trusted proxies wrote, the rightmost that is not a
    /// trusted proxy's. The caller may have written any text to the left of it. If the two headers of a proxy disagree, one
    /// of them came through from outside, so neither is believed.
    pub(crate) fn caller(&self, peer: IpAddr, headers: &HeaderMap) -> CallerAddress {
        let peer = peer.to_canonical();
        if self.0.is_empty() || !self.trusts(peer) {
            return CallerAddress(peer);
        }
        let by_forwarded = self.rightmost(peer, headers, FORWARDED, forwarded_for);
        let by_x_forwarded = self.rightmost(peer, headers, X_FORWARDED_FOR, |hop| Some(hop.trim()));
        CallerAddress(match (by_forwarded, by_x_forwarded) {
            (Some(one), Some(other)) if one != other => peer,
            (Some(address), _) | (None, Some(address)) => address,
            (None, None) => peer,
        })
    }

    /// Returns the address of one header, if the header is there.
    fn rightmost(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &str,
        of_hop: impl Fn(&str) -> Option<&str>,
    ) -> Option<IpAddr> {
        let mut nearest = None;
        // Several lines are one list.
        let lines = headers.get_all(name).iter().rev();
        let hops = lines.flat_map(|line| line.to_str().unwrap_or("?").rsplit(','));
        for hop in hops.take(HOPS_MAX) {
            // Behind something unreadable nothing is known; the last trusted hop is what there is.
            let Some(address) = of_hop(hop).and_then(address) else { return nearest.or(Some(peer)) };
            if !self.trusts(address) {
                return Some(address);
            }
            nearest = Some(address);
        }
        nearest
    }
}

/// The `for` of one element of a Forwarded header.
fn forwarded_for(element: &str) -> Option<&str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, node) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    Some(node.trim().trim_matches('"'))
}

/// An address with or without a port; one of IPv6 in brackets or without.
fn address(text: &str) -> Option<IpAddr> {
    let found = text.parse::<IpAddr>().ok().or_else(|| {
        let of_brackets = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (host, port) = of_brackets.or_else(|| text.split_once(':'))?;
        let port = port.strip_prefix(':').unwrap_or(port);
        let has_port = port.is_empty() || port.parse::<u16>().is_ok();
        host.parse().ok().filter(|_| has_port)
    });
    found.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn nobody_but_a_trusted_proxy_is_believed() {
        let spoofed = headers(&[("x-forwarded-for", "1.2.3.4"), ("forwarded", "for=1.2.3.4")]);
        for networks in [&[][..], &["10.0.0.0/8"], &["fd00::/8"]] {
            let proxies = TrustedProxies::parse(networks).unwrap();
            assert_eq!(proxies.caller(ip("203.0.113.9"), &spoofed), CallerAddress(ip("203.0.113.9")));
        }
        let proxies = TrustedProxies::parse(&["10.0.0.7"]).unwrap();
        assert_eq!(proxies.caller(ip("10.0.0.8"), &spoofed).0, ip("10.0.0.8"));
        assert_eq!(proxies.caller(ip("10.0.0.7"), &spoofed).0, ip("1.2.3.4"));
        assert_eq!(proxies.caller(ip("::ffff:10.0.0.7"), &spoofed).0, ip("1.2.3.4"));
    }

    #[test]
    fn the_caller_is_the_rightmost_address_that_is_not_trusted() {
        let proxies = TrustedProxies::parse(&["10.0.0.0/8", "fd00::/8", "::1"]).unwrap();
        let proxy = ip("10.0.0.1");
        let cases: [(&[(&'static str, &str)], &str); 16] = [
            (&[], "10.0.0.1"),
            (&[("x-forwarded-for", "1.2.3.4")], "1.2.3.4"),
            (&[("x-forwarded-for", "6.6.6.6, 1.2.3.4")], "1.2.3.4"),
            (&[("x-forwarded-for", "6.6.6.6, 1.2.3.4, 10.9.9.9,fd00::2")], "1.2.3.4"),
            (&[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "1.2.3.4, 10.0.0.3")], "1.2.3.4"),
            (&[("x-forwarded-for", "1.2.3.4:5678")], "1.2.3.4"),
            (&[("x-forwarded-for", "[2001:db8::1]:5678, 10.0.0.3")], "2001:db8::1"),
            (&[("x-forwarded-for", "2001:db8::1")], "2001:db8::1"),
            (&[("x-forwarded-for", "::ffff:1.2.3.4")], "1.2.3.4"),
            (&[("x-forwarded-for", "10.0.0.5, 10.0.0.6")], "10.0.0.5"),
            (&[("x-forwarded-for", "6.6.6.6, unknown, 10.0.0.6")], "10.0.0.6"),
            (&[("x-forwarded-for", "6.6.6.6, what")], "10.0.0.1"),
            (&[("forwarded", "for=6.6.6.6, by=10.0.0.1;For=1.2.3.4;proto=https")], "1.2.3.4"),
            (&[("forwarded", "for=\"[2001:db8::1]:4711\", for=10.0.0.3")], "2001:db8::1"),
            (&[("forwarded", "for=1.2.3.4"), ("x-forwarded-for", "6.6.6.6, 1.2.3.4")], "1.2.3.4"),
            (&[("forwarded", "for=6.6.6.6"), ("x-forwarded-for", "1.2.3.4")], "10.0.0.1"),
        ];
        for (lines, expected) in cases {
            assert_eq!(proxies.caller(proxy, &headers(lines)).0, ip(expected), "{lines:?}");
        }
        let many = vec!["10.0.0.2"; HOPS_MAX].join(",");
        let many = headers(&[("x-forwarded-for", &format!("1.2.3.4,{many}"))]);
        assert_eq!(proxies.caller(proxy, &many).0, ip("10.0.0.2"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for bad in ["", "proxy", "10.0.0.0/33", "10.0.0.0/8,1.1.1.1", "*"] {
            assert!(TrustedProxies::parse(&[bad]).unwrap_err().contains("neither"), "{bad}");
        }
    }
}

//! The ports of the demo: those that it is told, else the usual ones, else the next free ones.

use super::super::complain;
use guanxi_server::config::address;
use guanxi_server::{Failure, Outcome};
use std::io;
use std::net::{SocketAddr, TcpListener};

/// Ports that are tried at most, from the usual one on.
const TRIES: u16 = 10;

/// Returns an address that is free, or tells before a load, not after it, that none is. Only the usual address gives way to
/// another one: an address that was asked for is taken or nothing is. `other` is that of the other listener.
pub(super) fn free(flag: &str, wanted: &str, usual: &str, other: &str) -> Outcome<String> {
    let tries = if wanted == usual { TRIES } else { 1 };
    match next_free(wanted, tries, other)? {
        Ok(found) if found == wanted => Ok(found),
        Ok(found) => {
            complain(format_args!(
                "{wanted} is taken by another program; the demo listens on {found} (--{flag})"
            ));
            Ok(found)
        }
        Err(error) => Err(Failure::new(format_args!("cannot listen on {wanted}: {error}"))
            .hint(format_args!("choose another with --{flag} 127.0.0.1:PORT (port 0 takes a free one)"))),
    }
}

/// Returns the first address that is free, or the error of the one that was wanted.
fn next_free(wanted: &str, tries: u16, other: &str) -> Outcome<io::Result<String>> {
    let first = address(wanted).map_err(Failure::usage)?;
    let Err(error) = TcpListener::bind(first) else { return Ok(Ok(wanted.to_owned())) };
    let later =
        (1..tries).filter_map(|step| Some(SocketAddr::new(first.ip(), first.port().checked_add(step)?)));
    let found = later.filter(|addr| addr.to_string() != other).find(|addr| TcpListener::bind(addr).is_ok());
    Ok(match found {
        Some(addr) if error.kind() == io::ErrorKind::AddrInUse => Ok(addr.to_string()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_port_that_is_taken_gives_way_and_one_that_was_asked_for_does_not() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let wanted = taken.local_addr().unwrap().to_string();
        assert!(free("listen", &wanted, "127.0.0.1:1", "127.0.0.1:2").is_err(), "it was asked for");
        let found = next_free(&wanted, TRIES, "127.0.0.1:2").unwrap().unwrap();
        assert_ne!(found, wanted);
        let other = next_free(&wanted, TRIES, &found).unwrap().unwrap();
        assert!(other != found && other != wanted, "the other listener has it: {other}");
        drop(taken);
        assert_eq!(free("listen", &wanted, &wanted, "127.0.0.1:2").unwrap(), wanted);
    }
}

//! Taking the address of a listener.

use crate::config::address;
use crate::failure::{Failure, Outcome};
use std::io;
use tokio::net::TcpListener;

/// Listens where a flag says, or says what to do about it.
pub(super) async fn bind(flag: &str, wanted: &str) -> Outcome<TcpListener> {
    let addr = address(wanted).map_err(Failure::usage)?;
    TcpListener::bind(addr).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => Failure::new(format_args!(
            "{addr} is taken by another program; choose another with --{flag} ADDR:PORT (port 0 takes a free one)"
        )),
        _ => Failure::new(format_args!("cannot listen on {addr}: {error}")).hint(format_args!("choose another --{flag}")),
    })
}

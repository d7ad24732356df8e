//! Connections that speak a system's protocol: one of many that a loop drives, and one that is waited for.

use super::{Protocol, Request, WireError};
use crate::calls::{Answer, Call};
use crate::machine::runtime;
use guanxi_load::connection::RawConnection;
use std::net::SocketAddr;
use tokio::runtime::Runtime;

/// A connection after its handshake.
pub(crate) struct Connection<'a> {
    line: RawConnection,
    protocol: &'a dyn Protocol,
}

impl<'a> Connection<'a> {
    /// Connects and shakes hands.
    pub(crate) async fn open(address: SocketAddr, protocol: &'a dyn Protocol) -> Result<Self, WireError> {
        let mut connection = Self { line: RawConnection::open(address).await?, protocol };
        for request in protocol.handshake() {
            connection.exchange(&request).await?;
        }
        Ok(connection)
    }

    /// Makes a call, of which `request` is the first request; the answer is decoded if it is `wanted` only.
    pub(crate) async fn call(
        &mut self,
        call: &Call,
        request: &Request,
        wanted: bool,
    ) -> Result<Option<Answer>, WireError> {
        let protocol = self.protocol;
        let mut steps = Vec::new();
        let mut keep = |replies: &[u8]| steps.extend(wanted.then(|| replies.to_vec()));
        let first = self.exchange(request).await?;
        keep(first);
        if let Some(second) = protocol.follow_up(call, first)? {
            keep(self.exchange(&second).await?);
        }
        wanted.then(|| protocol.decode(call, &steps)).transpose()
    }

    /// Sends a request and returns its replies, none of which is an error.
    async fn exchange(&mut self, request: &Request) -> Result<&[u8], WireError> {
        let protocol = self.protocol;
        self.line.exchange(&request.bytes, request.replies, |bytes| protocol.reply_len(bytes)).await
    }
}

/// A connection for single calls: loading, checking, asking for sizes.
pub(crate) struct Line<'a> {
    runtime: Runtime,
    connection: Connection<'a>,
}

impl<'a> Line<'a> {
    /// Connects and shakes hands.
    pub(crate) fn open(address: SocketAddr, protocol: &'a dyn Protocol) -> Result<Self, WireError> {
        let runtime = runtime()?;
        let connection = runtime.block_on(Connection::open(address, protocol))?;
        Ok(Self { runtime, connection })
    }

    /// Sends a request and returns the bytes of its replies, none of which is an error.
    pub(crate) fn exchange(&mut self, request: &Request) -> Result<Vec<u8>, WireError> {
        self.runtime.block_on(self.connection.exchange(request)).map(<[u8]>::to_vec)
    }

    /// The answer to a call.
    pub(crate) fn call(&mut self, call: &Call) -> Result<Answer, WireError> {
        let request = self.connection.protocol.request(call);
        let answer = self.runtime.block_on(self.connection.call(call, &request, true))?;
        answer.ok_or_else(|| "no answer".to_owned())
    }
}

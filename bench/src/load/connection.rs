//! One connection that speaks a system's protocol.

use crate::wire::{Protocol, Request};
use guanxi_load::connection::RawConnection;
use std::fmt::Debug;
use std::net::SocketAddr;

/// A connection after its handshake.
pub(super) struct Connection<'a, C, A> {
    line: RawConnection,
    protocol: &'a dyn Protocol<C, A>,
}

impl<'a, C, A: Debug + PartialEq> Connection<'a, C, A> {
    /// Connects and shakes hands.
    pub(super) async fn open(address: SocketAddr, protocol: &'a dyn Protocol<C, A>) -> Result<Self, String> {
        let mut connection = Self { line: RawConnection::open(address).await?, protocol };
        for request in protocol.handshake() {
            connection.exchange(&request).await?;
        }
        Ok(connection)
    }

    /// Makes a call and compares the answer with the right one, if it is given.
    pub(super) async fn call(
        &mut self,
        call: &C,
        request: &Request,
        right: Option<&A>,
    ) -> Result<(), String> {
        let protocol = self.protocol;
        let mut steps = Vec::new();
        let first = self.exchange(request).await?;
        let second = protocol.follow_up(call, first)?;
        if right.is_some() {
            steps.push(first.to_vec());
        }
        if let Some(second) = second {
            let replies = self.exchange(&second).await?;
            if right.is_some() {
                steps.push(replies.to_vec());
            }
        }
        let Some(right) = right else { return Ok(()) };
        let answer = protocol.decode(call, &steps)?;
        if answer == *right { Ok(()) } else { Err(format!("answered {answer:?} instead of {right:?}")) }
    }

    /// Sends a request and returns its replies, none of which is an error.
    async fn exchange(&mut self, request: &Request) -> Result<&[u8], String> {
        let protocol = self.protocol;
        let reply_len = |bytes: &[u8]| {
            let Some(len) = protocol.reply_len(bytes)? else { return Ok(None) };
            protocol.check(&bytes[..len]).map(|()| Some(len))
        };
        self.line.exchange(&request.bytes, request.replies, reply_len).await
    }
}

//! One connection: a call goes out in one write, and bytes come in until its replies are complete.

use crate::wire::{Protocol, Request};
use std::fmt::Debug;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Room for the replies of most calls; it grows for longer ones.
const BUFFER_BYTES: usize = 16 * 1024;

/// A connection after its handshake.
pub(super) struct Connection<'a, C, A> {
    stream: TcpStream,
    protocol: &'a dyn Protocol<C, A>,
    buffer: Vec<u8>,
}

impl<'a, C, A: Debug + PartialEq> Connection<'a, C, A> {
    /// Connects and shakes hands.
    pub(super) async fn open(address: SocketAddr, protocol: &'a dyn Protocol<C, A>) -> Result<Self, String> {
        let stream =
            TcpStream::connect(address).await.map_err(|error| format!("connect {address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| format!("nodelay: {error}"))?;
        let mut connection = Self { stream, protocol, buffer: vec![0; BUFFER_BYTES] };
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
        let len = self.exchange(request).await?;
        let second = self.protocol.follow_up(call, &self.buffer[..len])?;
        let mut steps = Vec::new();
        if right.is_some() {
            steps.push(self.buffer[..len].to_vec());
        }
        if let Some(second) = second {
            let len = self.exchange(&second).await?;
            if right.is_some() {
                steps.push(self.buffer[..len].to_vec());
            }
        }
        let Some(right) = right else { return Ok(()) };
        let answer = self.protocol.decode(call, &steps)?;
        if answer == *right { Ok(()) } else { Err(format!("answered {answer:?} instead of {right:?}")) }
    }

    /// Sends a request and answers how many bytes of the buffer its replies fill.
    async fn exchange(&mut self, request: &Request) -> Result<usize, String> {
        self.stream.write_all(&request.bytes).await.map_err(|error| format!("write: {error}"))?;
        let (mut filled, mut complete, mut replies) = (0, 0, 0);
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(filled * 2, 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await;
            match read.map_err(|error| format!("read: {error}"))? {
                0 => return Err("the server closed the connection".to_owned()),
                bytes => filled += bytes,
            }
            while replies < request.replies {
                let rest = &self.buffer[complete..filled];
                let Some(len) = self.protocol.reply_len(rest)? else { break };
                self.protocol.check(&rest[..len])?;
                complete += len;
                replies += 1;
            }
            if replies == request.replies {
                let more = filled - complete;
                return if more == 0 {
                    Ok(filled)
                } else {
                    Err(format!("{more} bytes that nobody asked for"))
                };
            }
        }
    }
}

//! A connection for everything that is not measured: loading, checking, asking for sizes.

use super::{Protocol, Request};
use crate::calls::{Answer, Call};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// One connection that waits for its answers.
pub(crate) struct Line<'a, C = Call, A = Answer> {
    stream: TcpStream,
    protocol: &'a dyn Protocol<C, A>,
    buffer: Vec<u8>,
}

impl<'a, C, A> Line<'a, C, A> {
    /// Connects without any handshake.
    pub(crate) fn open(address: SocketAddr, protocol: &'a dyn Protocol<C, A>) -> Result<Self, String> {
        let stream = TcpStream::connect(address).map_err(|error| format!("connect {address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| format!("nodelay: {error}"))?;
        Ok(Self { stream, protocol, buffer: Vec::new() })
    }

    /// Connects and shakes hands.
    pub(crate) fn ready(address: SocketAddr, protocol: &'a dyn Protocol<C, A>) -> Result<Self, String> {
        let mut line = Self::open(address, protocol)?;
        for request in protocol.handshake() {
            line.exchange(&request)?;
        }
        Ok(line)
    }

    /// Sends a request and answers the bytes of its replies, none of which is an error.
    pub(crate) fn exchange(&mut self, request: &Request) -> Result<Vec<u8>, String> {
        self.stream.write_all(&request.bytes).map_err(|error| format!("write: {error}"))?;
        let mut complete = 0;
        for _ in 0..request.replies {
            complete += self.reply(complete)?;
        }
        let rest = self.buffer.split_off(complete);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    /// The answer to a call.
    pub(crate) fn call(&mut self, call: &C) -> Result<A, String> {
        let mut steps = vec![self.exchange(&self.protocol.request(call))?];
        if let Some(second) = self.protocol.follow_up(call, &steps[0])? {
            steps.push(self.exchange(&second)?);
        }
        self.protocol.decode(call, &steps)
    }

    /// Reads until the reply that starts at `at` is complete, and answers its length.
    fn reply(&mut self, at: usize) -> Result<usize, String> {
        loop {
            if let Some(len) = self.protocol.reply_len(&self.buffer[at..])? {
                self.protocol.check(&self.buffer[at..at + len])?;
                return Ok(len);
            }
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk).map_err(|error| format!("read: {error}"))? {
                0 => return Err("the server closed the connection".to_owned()),
                bytes => self.buffer.extend_from_slice(&chunk[..bytes]),
            }
        }
    }
}

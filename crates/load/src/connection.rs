//! One kept connection: a request goes out in one write, and bytes come in until its replies are complete.

use crate::http1::WireError;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Room for the replies of most calls; it grows for longer ones.
const BUFFER_BYTES: usize = 16 << 10;

/// An open connection without a call under way.
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl RawConnection {
    /// Connects.
    ///
    /// # Errors
    /// When no server listens.
    pub async fn open(address: SocketAddr) -> Result<Self, WireError> {
        Self::open_from(address, None).await
    }

    /// Connects from a loopback address of this machine.
    ///
    /// # Errors
    /// When no server listens, or this machine has no such address.
    pub async fn open_from(address: SocketAddr, from: Option<Ipv4Addr>) -> Result<Self, WireError> {
        let connect = async {
            let Some(from) = from else { return TcpStream::connect(address).await };
            let socket = TcpSocket::new_v4()?;
            socket.bind((from, 0).into())?;
            socket.connect(address).await
        };
        let stream = connect.await.map_err(|error| format!("connect {address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| format!("nodelay: {error}"))?;
        Ok(Self { stream, buffer: vec![0; BUFFER_BYTES] })
    }

    /// Sends a request and returns the bytes of so many replies. `reply_len` tells how long the reply is that begins
    /// the bytes, once it is complete, and refuses what is no reply or an error.
    ///
    /// # Errors
    /// When the connection breaks, `reply_len` refuses, or more comes than was asked for.
    pub async fn exchange(
        &mut self,
        request: &[u8],
        replies: u32,
        reply_len: impl Fn(&[u8]) -> Result<Option<usize>, WireError>,
    ) -> Result<&[u8], WireError> {
        self.stream.write_all(request).await.map_err(|error| format!("write: {error}"))?;
        let (mut filled, mut complete) = (0, 0);
        for _ in 0..replies {
            complete += loop {
                if let Some(len) = reply_len(&self.buffer[complete..filled])? {
                    break len;
                }
                if filled == self.buffer.len() {
                    self.buffer.resize(filled * 2, 0);
                }
                let read = self.stream.read(&mut self.buffer[filled..]).await;
                match read.map_err(|error| format!("read: {error}"))? {
                    0 => return Err("the server closed the connection".to_owned()),
                    bytes => filled += bytes,
                }
            };
        }
        match filled - complete {
            0 => Ok(&self.buffer[..filled]),
            more => Err(format!("{more} bytes that nobody asked for")),
        }
    }
}

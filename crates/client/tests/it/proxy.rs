//! A proxy that loses answers and cuts connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A running proxy. It ends with the test's runtime.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    /// Answers that are lost, and their connections with them.
    lost: AtomicU32,
    /// How often the secret of a login was to be refreshed.
    refreshes: AtomicU32,
    /// How often ids were asked for.
    resolves: AtomicU32,
    cuts: watch::Sender<u32>,
}

impl Proxy {
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cuts = watch::Sender::new(0);
        let [lost, refreshes, resolves] = [const { AtomicU32::new(0) }; 3];
        let shared = Arc::new(Shared { lost, refreshes, resolves, cuts });
        let theirs = shared.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let server = TcpStream::connect(server).await.unwrap();
                tokio::spawn(pass(client, server, theirs.clone()));
            }
        });
        Self { address, shared }
    }

    /// Loses the next answers: the server has done what was asked, and no client learns of it.
    pub(crate) fn lose(&self, answers: u32) {
        self.shared.lost.store(answers, Ordering::SeqCst);
    }

    /// Closes all connections.
    pub(crate) fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }

    pub(crate) fn refreshes(&self) -> u32 {
        self.shared.refreshes.load(Ordering::SeqCst)
    }

    pub(crate) fn resolves(&self) -> u32 {
        self.shared.resolves.load(Ordering::SeqCst)
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, shared: Arc<Shared>) {
    let mut cuts = shared.cuts.subscribe();
    let (mut asked, mut told) = (vec![0; 16 << 10], vec![0; 16 << 10]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(read @ 1..) = read else { return };
                let names = |method: &[u8]| asked[..read].windows(method.len()).any(|bytes| bytes == method);
                shared.refreshes.fetch_add(u32::from(names(b"/RefreshSession")), Ordering::SeqCst);
                shared.resolves.fetch_add(u32::from(names(b"/ResolveIds")), Ordering::SeqCst);
                if server.write_all(&asked[..read]).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut told) => {
                let Ok(read @ 1..) = read else { return };
                let lose = |lost: u32| lost.checked_sub(1);
                if shared.lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, lose).is_ok() {
                    return;
                }
                if client.write_all(&told[..read]).await.is_err() {
                    return;
                }
            }
            _ = cuts.changed() => return,
        }
    }
}

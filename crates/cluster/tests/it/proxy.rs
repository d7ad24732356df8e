//! A way to a database that can be slow, silent or cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What a proxy does to what passes.
#[derive(Default)]
pub(crate) struct Faults {
    /// Nothing is let through, and what is open is cut.
    pub is_down: AtomicBool,
    /// Whether it lets everybody in and answers nothing, until it is not any more.
    pub is_silent: AtomicBool,
    /// Milliseconds by which answers are late.
    pub late_ms: AtomicU64,
    /// Milliseconds by which questions are late.
    pub asked_late_ms: AtomicU64,
    /// One of so many commits is cut off from its answer; 0 is none.
    pub cut_one_of: AtomicU64,
    /// Commits so far.
    pub commits: AtomicU64,
    /// Commits whose answer was cut.
    pub cuts: AtomicU64,
}

/// A listener that passes on to a server.
pub(crate) struct Proxy {
    pub address: SocketAddr,
    pub faults: Arc<Faults>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, faults) = (listener.local_addr().unwrap(), Arc::new(Faults::default()));
        let shared = faults.clone();
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                if !shared.is_down.load(Ordering::Relaxed) {
                    tokio::spawn(pass(client, server, shared.clone()));
                }
            }
        });
        Self { address, faults, task }
    }

    /// The line of a database behind it.
    pub(crate) fn line(&self, name: &str, database: &str) -> String {
        format!("{name}=postgresql://postgres@{}/{database}", self.address)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A simple query that ends a transaction, as the protocol has it.
const COMMIT: &[u8] = b"Q\0\0\0\x0bcommit\0";

/// How often it is looked whether a silence is over.
const SILENCE: Duration = Duration::from_millis(10);

async fn sleep_ms(ms: &AtomicU64) {
    let ms = ms.load(Ordering::Relaxed);
    if ms > 0 {
        sleep(Duration::from_millis(ms)).await;
    }
}

async fn pass(client: TcpStream, server: SocketAddr, faults: Arc<Faults>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let is_cut = Arc::new(AtomicBool::new(false));
    let (questions, cut) = (faults.clone(), is_cut.clone());
    let forth = tokio::spawn(async move {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = from_client.read(&mut buffer).await {
            if buffer[..read].ends_with(COMMIT) {
                let (commits, one_of) = (
                    questions.commits.fetch_add(1, Ordering::Relaxed) + 1,
                    questions.cut_one_of.load(Ordering::Relaxed),
                );
                if one_of > 0 && commits.is_multiple_of(one_of) {
                    questions.cuts.fetch_add(1, Ordering::Relaxed);
                    cut.store(true, Ordering::Relaxed);
                    // Half of those that are cut never come to the server.
                    if questions.cuts.load(Ordering::Relaxed).is_multiple_of(2) {
                        return;
                    }
                }
            }
            sleep_ms(&questions.asked_late_ms).await;
            if questions.is_down.load(Ordering::Relaxed)
                || to_server.write_all(&buffer[..read]).await.is_err()
            {
                return;
            }
        }
    });
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
        sleep_ms(&faults.late_ms).await;
        while faults.is_silent.load(Ordering::Relaxed) {
            sleep(SILENCE).await;
        }
        let ends = is_cut.load(Ordering::Relaxed) || faults.is_down.load(Ordering::Relaxed);
        if ends || to_client.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
    forth.abort();
}

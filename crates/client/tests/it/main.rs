//! The client against a server in this process, with a proxy between them that cuts connections.
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod calls;
#[path = "../../../../examples/rust/main.rs"]
#[allow(dead_code, unreachable_pub, reason = "its main is called by those who paste it")]
mod example;
mod external_ids;
mod proxy;
mod sessions;
mod streams;

use guanxi_client::{ApiClient, ApiOptions, Surroundings, Wire};
use guanxi_testkit::{START_MS, Server};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that stands, and numbers that are never the same twice.
fn surroundings() -> Surroundings {
    Surroundings::new(|| START_MS, random())
}

fn random() -> impl Fn() -> u64 + Send + Sync + 'static {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    || guanxi_model::random::mix(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A client that calls by HTTP/1.1, where an answer is what comes back first.
fn client(to: std::net::SocketAddr) -> ApiClient {
    let mut options = ApiOptions::new(format!("http://{to}"));
    options.wire = Wire::Http1;
    options.retry.first_pause = Duration::from_millis(5);
    ApiClient::new(&options, surroundings()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_says_what_it_promises() {
    let server = Server::open().await;
    let mut said = Vec::new();
    let url = format!("http://{}", server.main);
    example::run(&url, "", surroundings(), &mut said).await.unwrap();
    let said = String::from_utf8(said).unwrap();
    assert_eq!(said, "newly followed: true\n2: hello from Rust\nnew: 1 post\n1 of anna and bert is known\n");
}

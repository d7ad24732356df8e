//! A shutdown answers what is in flight, then closes.

use std::time::Duration;

use connectrpc::Protocol;
use connectrpc::client::{ClientConfig, HttpClient};
use connectrpc_health::HealthClient;
use connectrpc_health::wire::{HealthCheckRequest, HealthCheckResponse};
use guanxi_api::limits::DRAIN_TIMEOUT;
use guanxi_proto::{ErrorCode, Wire, v1};
use guanxi_testkit::{Server, Setup};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::http::post;

/// What ends by itself ends long before calls in flight are given up.
const IN_TIME: Duration = DRAIN_TIMEOUT.checked_div(2).unwrap();

#[tokio::test]
async fn calls_in_flight_are_answered_then_connections_close() {
    let setup = Setup { write_delay: Duration::from_millis(400), ..Setup::default() };
    let mut server = Server::start(setup).await;
    let main = server.main;
    let plain =
        tokio::spawn(
            async move { post(main, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#).await },
        );
    let grpc = server.client(Wire::Grpc);
    let grpc = tokio::spawn(async move {
        grpc.relation().follow(v1::FollowRequest { subject: 3, object: 4, ..Default::default() }).await
    });
    let mut idle = TcpStream::connect(main).await.unwrap();
    while server.load.calls_in_flight() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.stop();
    let plain = plain.await.unwrap();
    assert_eq!((plain.status, &plain.json()["changed"]), (200, &serde_json::json!(true)));
    assert_eq!(grpc.await.unwrap().unwrap().into_owned().changed, Some(true));
    tokio::time::timeout(IN_TIME, server.ended()).await.expect("it ends once all are answered");
    assert_eq!(idle.read(&mut [0; 8]).await.unwrap_or(0), 0, "idle connections are closed");
    assert!(TcpStream::connect(main).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn open_streams_end_with_a_reason_to_come_back() {
    let mut server = Server::open().await;
    let client = server.client(Wire::Http1);
    let mut stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    assert!(stream.message::<v1::WatchResponse>().await.unwrap().is_some());
    server.stop();
    let error = stream.message::<v1::WatchResponse>().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    tokio::time::timeout(IN_TIME, server.ended()).await.expect("no stream holds it up");
}

#[tokio::test]
async fn somebody_who_watches_our_health_does_not_hold_us_up() {
    let mut server = Server::open().await;
    let config = ClientConfig::new(format!("http://{}", server.main).parse().unwrap());
    let client = HealthClient::new(HttpClient::plaintext_http2_only(), config.with_protocol(Protocol::Grpc));
    let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap();
    assert!(stream.message::<HealthCheckResponse>().await.unwrap().is_some());
    server.stop();
    tokio::time::timeout(IN_TIME, server.ended()).await.expect("it ends");
    assert!(stream.message::<HealthCheckResponse>().await.is_ok_and(|said| said.is_none()), "and in order");
}

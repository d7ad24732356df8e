//! Deadlines, and writes whose client goes away.

use std::time::Duration;

use crate::http::{post, send};
use guanxi_testkit::{Server, Setup};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

async fn slow(ms: u64) -> Server {
    Server::start(Setup { write_delay: Duration::from_millis(ms), ..Setup::default() }).await
}

/// Waits until no call is in flight.
async fn until_idle(server: &Server) {
    let idle = async {
        while server.load.calls_in_flight() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(crate::PATIENCE, idle).await.expect("calls end");
}

#[tokio::test]
async fn a_deadline_is_kept_and_named() {
    let server = slow(5_000).await;
    let headers = [("content-type", "application/json"), ("connect-timeout-ms", "60")];
    let body = br#"{"subject":"1","object":"2"}"#;
    let answer = send(server.main, "POST", "/guanxi.v1.RelationService/Follow", &headers, body).await;
    let (code, info) = answer.error();
    assert_eq!((code.as_str(), info.reason.as_str()), ("deadline_exceeded", "DEADLINE_EXCEEDED"));
    assert_eq!(server.load.calls_in_flight(), 0);
}

#[tokio::test]
async fn a_call_without_a_deadline_gets_the_default() {
    let server = slow(60_000).await;
    let started = std::time::Instant::now();
    let answer = post(server.main, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#).await;
    assert_eq!(answer.reason(), "DEADLINE_EXCEEDED");
    let taken = started.elapsed();
    assert!(taken >= guanxi_api::limits::DEADLINE_DEFAULT && taken < Duration::from_secs(20), "{taken:?}");
}

#[tokio::test]
async fn a_batch_whose_client_goes_away_is_whole_or_absent() {
    let server = slow(40).await;
    let objects: Vec<String> = (2..=101_u32).map(|uid| uid.to_string()).collect();
    for wait in [0, 10, 35, 45, 80] {
        for subject in 1_000..1_010_u64 {
            let body =
                json!({ "subject": (subject + wait * 100).to_string(), "objects": objects }).to_string();
            let head = format!(
                "POST /guanxi.v1.RelationService/BatchFollow HTTP/1.1\r\nhost: localhost\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let mut stream = TcpStream::connect(server.main).await.unwrap();
            stream.write_all((head + &body).as_bytes()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(wait / 5)).await;
            drop(stream);
        }
    }
    until_idle(&server).await;
    let mut seen = [0_u32; 2];
    for wait in [0, 10, 35, 45, 80] {
        for subject in 1_000..1_010_u64 {
            let body = json!({ "uid": (subject + wait * 100).to_string() }).to_string();
            let counts = post(server.main, "RelationService/GetCounts", &body).await.json();
            match counts["counts"]["following"].as_u64().unwrap() {
                0 => seen[0] += 1,
                100 => seen[1] += 1,
                part => panic!("{part} of a batch were written"),
            }
        }
    }
    assert_eq!(seen[0] + seen[1], 50);
    until_idle(&server).await;
}

//! The loops against a server of a few lines that speaks RESP.

use super::*;
use crate::calls::Operation;
use crate::wire::redis::{Layout, Redis};
use guanxi_load::graph::{FollowGraph, Index};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

/// Answers every request on every connection with `reply` after `delay`.
fn server(reply: &'static [u8], delay: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(1..) = stream.read(&mut buffer) {
                    let (_keep, never) = std::sync::mpsc::channel::<()>();
                    let _elapsed = never.recv_timeout(delay);
                    if stream.write_all(reply).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

fn prepared(operation: Operation) -> Prepared {
    let graph = FollowGraph::generate(1_000, 1);
    let workload = Workload::draw(&graph, &Index::of(&graph), operation, 1, 100);
    Prepared::new(&Redis(Layout::SortedSets), &workload, operation.unit())
}

fn load(address: SocketAddr, prepared: &Prepared, rate: Option<f64>) -> Result<Figures, String> {
    let target = Target {
        name: "a server",
        address,
        protocol: &Redis(Layout::SortedSets),
        pid: std::process::id(),
        beside: None,
    };
    let plan = Plan {
        connections: 4,
        warm_up: Duration::from_millis(20),
        measure: Duration::from_millis(300),
        rate,
    };
    run(&target, prepared, plan)
}

#[test]
fn the_closed_loop_runs_as_fast_as_it_is_answered() {
    let prepared = prepared(Operation::Followers).without_answers();
    let slow = load(server(b"*0\r\n", Duration::from_millis(5)), &prepared, None).unwrap();
    // Four connections, at most 200 calls per second each.
    assert!(slow.per_s <= 800.0, "{slow:?}");
    assert!(slow.latency.p50_us >= 5_000.0, "{slow:?}");
}

#[test]
fn the_open_loop_keeps_its_rate_and_counts_the_waiting() {
    let prepared = prepared(Operation::Followers).without_answers();
    let calm = load(server(b"*0\r\n", Duration::ZERO), &prepared, Some(1_000.0)).unwrap();
    // Wide bounds: the machine may be busy with other tests.
    assert!((300.0..=1_500.0).contains(&calm.per_s), "{calm:?}");
    // Twice of what four connections of 200 calls per second can do: the queue grows, and so does the latency.
    let swamped = load(server(b"*0\r\n", Duration::from_millis(5)), &prepared, Some(1_600.0)).unwrap();
    assert!(swamped.latency.p99_us > 50_000.0, "{swamped:?}");
}

#[test]
fn errors_and_wrong_answers_end_the_run() {
    let prepared = prepared(Operation::Followers);
    let error = load(server(b"-ERR no\r\n", Duration::ZERO), &prepared, None).unwrap_err();
    assert!(error.contains("ERR no"), "{error}");
    let wrong = load(server(b"*0\r\n", Duration::ZERO), &prepared, None).unwrap_err();
    assert!(wrong.contains("instead of"), "{wrong}");
}

#[test]
fn a_feed_goes_through_its_own_units_only_and_around() {
    let prepared = prepared(Operation::Write);
    let mut feed = Feed { prepared: &prepared, next: 3 * 2, stride: 30 * 2 };
    let mut seen = Vec::new();
    for _ in 0..5 {
        let at = feed.next;
        feed.next();
        assert!(feed.inside_unit());
        feed.next();
        seen.push(at / 2);
    }
    assert_eq!(seen, [3, 33, 63, 93, 3]);
}

//! Watch: no gaps, no repeats, resumable.

use std::time::Duration;

use guanxi_model::{Op, PairCommand, Uid, Write};
use guanxi_ports::Facts as _;
use guanxi_proto::{Client, ErrorCode, Wire, v1};
use guanxi_testkit::{Server, Setup};

async fn follow(server: &Server, subject: u64, objects: impl Iterator<Item = u64>) -> String {
    let commands = objects.map(|object| PairCommand {
        op: Op::Follow,
        subject: Uid::new(subject).unwrap(),
        object: Uid::new(object).unwrap(),
    });
    let write = Write::all(commands);
    server.store.apply(write).await.unwrap().position.to_token()
}

/// The next answers until `count` events are there.
async fn collect(client: &Client, request: v1::WatchRequest, count: usize) -> (Vec<v1::Event>, String) {
    let mut stream = client.relation_streams().watch(request).await.unwrap();
    let (mut events, mut token) = (Vec::new(), String::new());
    let all = async {
        while events.len() < count {
            let answer = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
            assert!(answer.events.len() <= 256);
            events.extend(answer.events);
            token = answer.token;
        }
    };
    tokio::time::timeout(crate::PATIENCE, all).await.expect("the events come");
    (events, token)
}

#[tokio::test]
async fn a_reader_far_behind_catches_up_and_resumes_without_gap_or_repeat() {
    let server = Server::open().await;
    let start = follow(&server, 1, 2..3).await;
    for subject in 10..20 {
        follow(&server, subject, 1_000..1_300).await;
    }
    for wire in [Wire::Http1, Wire::Grpc] {
        let client = server.client(wire);
        let from = |token: &str| v1::WatchRequest { token: token.to_owned(), ..Default::default() };
        let (first, token) = collect(&client, from(&start), 1_000).await;
        let (second, _) = collect(&client, from(&token), 3_000 - first.len()).await;
        let seqs: Vec<u64> =
            first.iter().chain(&second).map(|event| event.place.as_option().unwrap().seq).collect();
        assert_eq!(seqs, (2..=3_001).collect::<Vec<_>>(), "{wire:?}");
        assert!(first[0].time.is_set() && first[0].follow_time.is_set());
        assert_eq!(first[0].kind, v1::event::Kind::FOLLOWED);
    }
}

#[tokio::test]
async fn a_listener_is_told_at_once_that_it_listens_and_woken_by_a_write() {
    let server = Server::open().await;
    let client = server.client(Wire::Http2);
    let mut stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    let first = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert!(first.events.is_empty() && !first.token.is_empty());
    let token = follow(&server, 1, 2..3).await;
    let second = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert_eq!((second.events.len(), second.events[0].object), (1, 2));
    assert_eq!(second.token, token);
}

#[tokio::test]
async fn a_filter_lets_through_what_concerns_its_users_and_says_how_far_it_is() {
    let server = Server::open().await;
    let start = follow(&server, 1, 2..3).await;
    follow(&server, 5, 100..400).await;
    follow(&server, 6, 5..6).await;
    let client = server.client(Wire::Http1);
    let request = v1::WatchRequest { token: start, uids: vec![399, 6] };
    let (events, _) = collect(&client, request, 2).await;
    let pairs: Vec<_> = events.iter().map(|event| (event.subject, event.object)).collect();
    assert_eq!(pairs, [(5, 399), (6, 5)]);
}

#[tokio::test]
async fn a_position_that_is_gone_says_so() {
    let mut setup = Setup::default();
    setup.store.log_events_max = 10;
    let server = Server::start(setup).await;
    let start = follow(&server, 1, 2..3).await;
    follow(&server, 2, 100..200).await;
    let client = server.client(Wire::Http1);
    let request = v1::WatchRequest { token: start, ..Default::default() };
    let mut stream = client.relation_streams().watch(request).await.unwrap();
    let error = stream.message::<v1::WatchResponse>().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfRange, "{error:?}");
}

#[tokio::test]
async fn a_stream_that_is_dropped_leaves_nothing_behind() {
    let server = Server::open().await;
    let client = server.client(Wire::Http1);
    let mut stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    stream.message::<v1::WatchResponse>().await.unwrap();
    assert_eq!(server.load.calls_in_flight(), 1);
    drop(stream);
    let gone = async {
        while server.load.calls_in_flight() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("the slot is given back");
}

#[tokio::test]
async fn a_stream_outlives_the_deadline_of_calls() {
    let server = Server::open().await;
    let client = server.client(Wire::Http1);
    let mut stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    stream.message::<v1::WatchResponse>().await.unwrap();
    tokio::time::sleep(guanxi_api::limits::DEADLINE_DEFAULT + Duration::from_millis(300)).await;
    follow(&server, 1, 2..3).await;
    let answer = stream.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert_eq!(answer.events.len(), 1);
}

//! Streams over connections that break.

use std::time::Duration;

use guanxi_client::v1;
use guanxi_model::Scope;
use guanxi_testkit::{Server, Setup};

use crate::client;
use crate::proxy::Proxy;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many events go by while connections are cut.
const EVENTS: u64 = 120;

fn follow(subject: u64, object: u64) -> v1::FollowRequest {
    v1::FollowRequest { subject, object, ..Default::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_has_every_event_once_and_in_order_whatever_is_cut() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let (direct, watcher) = (client(server.main), client(proxy.address));
    direct.call(follow(1, 2)).await.unwrap();
    let mut stream = watcher.watch(v1::WatchRequest { token: direct.position(), ..Default::default() });
    let writes = tokio::spawn(async move {
        for object in 0..EVENTS {
            direct.call(follow(3, 10 + object)).await.unwrap();
            if object % 10 == 5 {
                proxy.cut();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if object % 40 == 7 {
                proxy.lose(2);
            }
        }
        proxy
    });
    let mut seen = Vec::new();
    while (seen.len() as u64) < EVENTS {
        // Waiting is given up again and again, which loses nothing.
        if let Ok(answer) = tokio::time::timeout(Duration::from_millis(7), stream.next()).await {
            seen.extend(answer.unwrap().events.iter().map(|event| event.object));
        }
    }
    assert_eq!(seen, (10..10 + EVENTS).collect::<Vec<_>>());
    let proxy = writes.await.unwrap();
    assert_eq!(watcher.position(), stream.token(), "what a stream told is seen");
    // Another program goes on from there.
    let token = stream.token().to_owned();
    let mut later = client(proxy.address).watch(v1::WatchRequest { token, ..Default::default() });
    let nothing = tokio::time::timeout(Duration::from_millis(300), later.next()).await;
    assert!(nothing.is_err(), "nothing is repeated: {nothing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_tells_its_news_and_when_to_read_it_again() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let (direct, viewer) = (client(server.main), client(proxy.address));
    direct.call(follow(1, 2)).await.unwrap();
    viewer.take_in(&direct.position());
    let home = v1::GetHomeTimelineRequest { viewer: 1, ..Default::default() };
    let token = viewer.call(home).await.unwrap().token;
    let mut stream = viewer.stream_home(v1::StreamHomeTimelineRequest { viewer: 1, token });
    let (mut written, mut told) = (Vec::new(), Vec::<u64>::new());
    for number in 0..12 {
        let post = v1::CreatePostRequest { author: 2, text: format!("{number}"), ..Default::default() };
        written.push(direct.call(post).await.unwrap().post_id);
        if number % 3 == 1 {
            proxy.cut();
        }
        while told.len() < written.len() {
            let news = tokio::time::timeout(PATIENCE, stream.next()).await.expect("it is told").unwrap();
            assert!(!news.reset);
            told.extend(news.post_ids.iter().rev());
        }
    }
    assert_eq!(told, written);
    direct.call(follow(1, 3)).await.unwrap();
    let news = tokio::time::timeout(PATIENCE, stream.next()).await.expect("it is told").unwrap();
    assert!(news.reset, "whom the viewer follows has changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ends_a_stream_for_good_is_told() {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let nobody = client(server.main);
    let mut stream = nobody.watch(v1::WatchRequest::default());
    assert_eq!(stream.next().await.unwrap_err().reason, "UNAUTHENTICATED");
    let service = nobody.with_token(server.service(&[Scope::Watch]).await);
    let mut stream = service.watch(v1::WatchRequest { token: "no token".into(), ..Default::default() });
    assert_eq!(stream.next().await.unwrap_err().reason, "INVALID_TOKEN");
}

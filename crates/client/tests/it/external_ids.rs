//! Ids of another product: asked for in batches, once.

use guanxi_client::{ApiClient, ApiOptions, v1};
use guanxi_model::{HistoryId, Position};
use guanxi_testkit::Server;

use crate::proxy::Proxy;
use crate::{client, surroundings};

fn names(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|n| format!("user-{n}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_are_resolved_in_batches_both_ways_and_not_asked_again() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let client = client(proxy.address);
    // Each is named twice, and the first answers are lost: uids are made once all the same.
    let twice = [names(0..2_500), names(0..2_500)].concat();
    proxy.lose(2);
    let made = client.make_uids(&twice).await.unwrap();
    assert_eq!(proxy.resolves(), 2 + 3, "batches of 1,000");
    assert_eq!(made[..2_500], made[2_500..]);
    let mut distinct = made.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((distinct.len(), distinct[0] > 0), (2_500, true));
    // Known from both sides, to clones and to clients of other callers on the same connections.
    let other = client.clone().with_token("x");
    assert_eq!(other.uids_of(&["user-7", "user-2499"]).await.unwrap(), [Some(made[7]), Some(made[2_499])]);
    assert_eq!(other.external_ids_of(&[made[3]]).await.unwrap()[0].as_deref(), Some("user-3"));
    assert_eq!(proxy.resolves(), 5);
    // A client of its own is told the same.
    let fresh = crate::client(proxy.address);
    let told = fresh.external_ids_of(&made).await.unwrap();
    let told: Vec<&str> = told.iter().map(|id| id.as_deref().unwrap()).collect();
    assert_eq!(told, twice);
    assert_eq!(proxy.resolves(), 8);
    assert_eq!(fresh.make_uids(&twice).await.unwrap(), made);
    assert_eq!(proxy.resolves(), 8, "what was told one way is known the other way");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_is_asked_each_time() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let reader = client(proxy.address);
    assert_eq!(reader.uids_of(&["a", "b", "a"]).await.unwrap(), [None, None, None]);
    assert_eq!(reader.external_ids_of(&[5, 5]).await.unwrap(), [None, None]);
    assert_eq!(proxy.resolves(), 2);
    let writer = client(server.main);
    let made = writer.make_uids(&["a"]).await.unwrap()[0];
    reader.take_in(&writer.position());
    assert_eq!(reader.uids_of(&["a", "b"]).await.unwrap(), [Some(made), None]);
    assert_eq!(proxy.resolves(), 3);
    assert_eq!(reader.uids_of::<&str>(&[]).await.unwrap(), []);
    let error = reader.uids_of(&["a", ""]).await.unwrap_err();
    assert_eq!(error.reason, "MISSING_FIELD");
    assert_eq!(proxy.resolves(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_or_of_another_history_is_asked_again() {
    let server = Server::open().await;
    let proxy = Proxy::before(server.main).await;
    let client = client(proxy.address);
    let made = client.make_uids(&["a", "b"]).await.unwrap();
    client.forget_external_id(made[0]);
    assert_eq!(client.uids_of(&["b"]).await.unwrap(), [Some(made[1])]);
    assert_eq!(proxy.resolves(), 1);
    assert_eq!(client.external_ids_of(&made[..1]).await.unwrap()[0].as_deref(), Some("a"));
    assert_eq!(proxy.resolves(), 2);
    // The server was restored from a backup.
    client.take_in(&Position::one(HistoryId(8), 1).to_token());
    client.call(v1::GetCountsRequest { uid: 1, ..Default::default() }).await.unwrap();
    assert_eq!(client.uids_of(&["a", "b"]).await.unwrap(), [Some(made[0]), Some(made[1])]);
    assert_eq!(proxy.resolves(), 3);
    // A client that keeps nothing asks each time.
    let mut options = ApiOptions::new(format!("http://{}", proxy.address));
    options.wire = guanxi_client::Wire::Http1;
    options.external_ids_kept = 0;
    let forgetful = ApiClient::new(&options, surroundings()).unwrap();
    for asked in 4..6 {
        assert_eq!(forgetful.uids_of(&["a"]).await.unwrap(), [Some(made[0])]);
        assert_eq!(proxy.resolves(), asked);
    }
}

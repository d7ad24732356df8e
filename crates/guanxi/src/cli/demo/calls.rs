//! Calls of the demo's own API, as a program next to it makes them. The users of the demo live in this process. These calls
//! come over HTTP, so that the metrics of calls and the dashboard have something to show.

use super::{MOST_FOLLOWED, VIEWER};
use crate::remote::{self, TlsOptions};
use guanxi_api::Client;
use guanxi_server::Outcome;
use std::future::pending;
use std::time::Duration;

/// How often each call is made.
const EVERY: Duration = Duration::from_secs(1);

/// Makes calls until it is dropped. Refusals, as when the server ends, are ignored.
pub(super) async fn keep_calling(url: &str, rate: u32) -> Outcome {
    if rate == 0 {
        return pending().await;
    }
    let client = remote::client(url, None, &TlsOptions::default())?;
    let calls = [
        ("FeedService/GetHomeTimeline", format!(r#"{{"actor":"{VIEWER}","pageSize":20}}"#)),
        ("RelationService/ListFollowers", format!(r#"{{"uid":"{MOST_FOLLOWED}","pageSize":20}}"#)),
        ("RelationService/GetRelation", format!(r#"{{"subject":"{VIEWER}","object":"{MOST_FOLLOWED}"}}"#)),
        ("RelationService/GetCounts", format!(r#"{{"uid":"{MOST_FOLLOWED}"}}"#)),
    ];
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        ticks.tick().await;
        for (method, request) in &calls {
            call(&client, method, request).await;
        }
    }
}

async fn call(client: &Client, method: &str, request: &str) {
    let answers = client.call_json(&format!("guanxi.v1.{method}"), request, false).await;
    if let Ok(mut answers) = answers {
        // To its end, as a caller reads it.
        while let Ok(Some(_)) = answers.next().await {}
    }
}

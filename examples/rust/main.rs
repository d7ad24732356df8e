//! Follows, posts, reads a home, and listens to it: a client in Rust.

use guanxi_client::{ApiClient, ApiOptions, Surroundings, v1};
use std::error::Error;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs against a server; with an empty token against one that asks for none.
pub async fn run(
    url: &str,
    token: &str,
    of: Surroundings,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut client = ApiClient::new(&ApiOptions::new(url), of)?;
    if !token.is_empty() {
        client = client.with_token(token);
    }
    let follow = v1::FollowRequest { subject: 1, object: 2, ..Default::default() };
    writeln!(out, "newly followed: {}", client.call(follow).await?.changed.unwrap_or_default())?;
    let post = v1::CreatePostRequest { author: 2, text: "hello from Rust".into(), ..Default::default() };
    client.call(post).await?;
    // What was written is seen, whichever machine answers: the client carries the position along.
    let home = v1::GetHomeTimelineRequest { viewer: 1, ..Default::default() };
    let page = client.call(home).await?;
    for item in &page.posts {
        writeln!(out, "{}: {}", item.post.author, item.post.text)?;
    }
    // The stream goes on where the page ended, and again after every break.
    let mut news = client.stream_home(v1::StreamHomeTimelineRequest { viewer: 1, token: page.token });
    let post = v1::CreatePostRequest { author: 2, text: "and again".into(), ..Default::default() };
    client.call(post).await?;
    writeln!(out, "new: {} post", news.next().await?.post_ids.len())?;
    // Ids of your own, such as UUIDs, have uids: made once, and then known to the client.
    client.make_uids(&["anna"]).await?;
    let uids = client.uids_of(&["anna", "bert"]).await?;
    writeln!(out, "{} of anna and bert is known", uids.iter().flatten().count())?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let url = std::env::var("API_URL").unwrap_or_else(|_| "http://127.0.0.1:7420".to_owned());
    let random = || RandomState::new().hash_one(0);
    run(&url, &setting("TOKEN"), Surroundings::new(now_ms, random), &mut std::io::stdout()).await
}

#[allow(clippy::disallowed_methods, reason = "a program has a clock")]
fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

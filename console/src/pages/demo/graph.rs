//! The picture of the demo's graph: the two users, some of those around them, and the follows between all of these.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use guanxi_proto::v1;
use maud::{Markup, html};
use tokio::sync::Mutex;

use crate::DemoWorld;
use crate::answer::Trouble;
use crate::limits::{GRAPH_FOLLOWS_MAX, GRAPH_KEPT, GRAPH_USERS_MAX};
use crate::parts::number;
use crate::picture::{Dot, graph};
use crate::texts::Text;
use crate::visit::Visit;

/// [`GRAPH_USERS_MAX`] as the size of a page.
const USERS_ASKED: i32 = 300;

/// Calls for the picture at once.
const CALLS_AT_ONCE: usize = 8;

/// Follows of one user that are looked at.
const FOLLOWS_OF_USER: i32 = 1_000;

/// Users, and the follows between them.
#[derive(Debug)]
struct Graph {
    /// Each with its number of followers.
    users: Vec<(u64, u64)>,
    follows: Vec<(usize, usize)>,
}

/// The graph as it was a moment ago.
#[derive(Default)]
pub(crate) struct KeptGraph(Mutex<Option<(Instant, Arc<Graph>)>>);

/// Shows the graph.
pub(super) async fn section(visit: &Visit, world: DemoWorld) -> Result<Markup, Trouble> {
    let found = kept(visit, world).await?;
    let dot = |(uid, followers): &(u64, u64)| Dot {
        uid: *uid,
        name: (world.name)(*uid),
        followers: *followers,
        has_face: [world.reader, world.author].contains(uid),
    };
    let dots: Vec<Dot> = found.users.iter().map(dot).collect();
    let (users, follows) = (number(dots.len() as u64), number(found.follows.len() as u64));
    Ok(html! {
        section aria-labelledby="graph" {
            h2 #graph { (visit.say(Text::DemoGraph)) }
            p.soft { (visit.look.fill(Text::DemoGraphHint, &[&users, &follows])) }
            (graph(&dots, &found.follows, visit.say(Text::DemoGraph)))
        }
    })
}

async fn kept(visit: &Visit, world: DemoWorld) -> Result<Arc<Graph>, Trouble> {
    let mut kept = visit.console.graph.0.lock().await;
    if let Some((at, graph)) = kept.as_ref()
        && at.elapsed() < GRAPH_KEPT
    {
        return Ok(Arc::clone(graph));
    }
    let graph = Arc::new(load(visit, world).await?);
    *kept = Some((Instant::now(), Arc::clone(&graph)));
    Ok(graph)
}

async fn load(visit: &Visit, world: DemoWorld) -> Result<Graph, Trouble> {
    let calls = visit.calls.main.relation();
    let near = following(visit, world.reader, USERS_ASKED / 2).await?;
    let request =
        v1::ListFollowersRequest { uid: world.author, page_size: USERS_ASKED, ..Default::default() };
    let fans = calls.list_followers(request).await?.into_owned().followers;
    let (mut uids, mut places) = (Vec::new(), HashMap::new());
    for uid in [world.author, world.reader].into_iter().chain(near).chain(fans.iter().map(|fan| fan.uid)) {
        if uids.len() < GRAPH_USERS_MAX && !places.contains_key(&uid) {
            places.insert(uid, uids.len());
            uids.push(uid);
        }
    }
    let request = v1::BatchGetCountsRequest { uids: uids.clone(), ..Default::default() };
    let counts = calls.batch_get_counts(request).await?.into_owned().counts;
    let followers = counts.iter().map(|counts| u64::from(counts.followers.unwrap_or_default()));
    let users = uids.iter().copied().zip(followers).collect();
    let lists = stream::iter(uids.clone()).map(|uid| following(visit, uid, FOLLOWS_OF_USER));
    let lists: Vec<Vec<u64>> = lists.buffered(CALLS_AT_ONCE).try_collect().await?;
    let follows = lists.iter().enumerate().flat_map(|(from, list)| {
        list.iter().filter_map(|uid| places.get(uid)).map(move |to| (from, *to)).collect::<Vec<_>>()
    });
    Ok(Graph { users, follows: follows.take(GRAPH_FOLLOWS_MAX).collect() })
}

/// Returns the newest users that a user follows.
async fn following(visit: &Visit, uid: u64, page_size: i32) -> Result<Vec<u64>, Trouble> {
    let request = v1::ListFollowingRequest { uid, page_size, ..Default::default() };
    let found = visit.calls.main.relation().list_following(request).await?.into_owned().following;
    Ok(found.iter().map(|item| item.uid).collect())
}

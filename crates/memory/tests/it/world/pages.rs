//! A reader asks for a page: posts of some authors, as far as the viewer sees them.

use super::tables::Refused;
use super::view::View;
use super::{Shared, USERS, uid};
use guanxi_model::post::{Post, visible};
use guanxi_model::{Gene, PostHeader, Relation, Uid};
use guanxi_ports::ViewerRelations as _;
use std::collections::BTreeMap;

/// How often a page is made before it is given up.
const TRIES: usize = 8;

/// Posts of an author that a page has at most.
pub const POSTS_MAX: usize = 2;

/// A page that may leave.
pub struct Page {
    pub viewer: Uid,
    pub view: View,
    pub shown: Vec<Post>,
    /// When its last try began, and when it left.
    pub time: (u64, u64),
    /// Up to where the process knew the logs to be when it began.
    pub known: BTreeMap<Gene, u64>,
}

/// Someone reads, through a process.
pub async fn page(shared: Shared, process: usize) {
    let viewer = shared.borrow_mut().any_user();
    page_of(shared, process, viewer).await;
}

/// The same by one viewer.
pub async fn page_of(shared: Shared, process: usize, viewer: Uid) {
    let (authors, acted) = {
        let mut world = shared.borrow_mut();
        let (focus, others) = (world.focus, USERS.map(uid).into_iter().filter(|user| *user != viewer));
        let is_large = world.random.one_in(2);
        let mut is_asked = |user: &Uid| focus.contains(user) || is_large && world.random.one_in(2);
        let authors: Vec<Uid> = others.filter(&mut is_asked).collect();
        let seq = world.tables.shard(viewer.gene()).seq();
        let acted = (seq > 0 && world.random.one_in(4)).then_some((viewer.gene(), seq));
        (authors, acted)
    };
    for _ in 0..TRIES {
        let (began, known) = {
            let world = shared.borrow();
            (world.now, world.processes[process].heads.clone())
        };
        let mut view = View::new(&shared, process, acted);
        let answer = match attempt(&mut view, viewer, &authors).await {
            Ok(shown) => view.holds_still(viewer).await.map(|holds| holds.then_some(shown)),
            Err(refused) => Err(refused),
        };
        let mut world = shared.borrow_mut();
        match answer {
            Ok(Some(shown)) => {
                let time = (began, world.now);
                world.check_page(&Page { viewer, view, shown, time, known });
                return;
            }
            Ok(None) => {}
            Err(Refused::Moving) => return world.reload(process),
            Err(Refused::Away) => return,
        }
    }
    shared.borrow_mut().pages.1 += 1;
}

/// Makes a page once.
async fn attempt(view: &mut View, viewer: Uid, authors: &[Uid]) -> Result<Vec<Post>, Refused> {
    let said = view.viewer_relations(viewer).await?;
    let blocked_by = view.blocked_by(viewer, authors).await?;
    let follow = view.follow(authors, viewer).await?;
    let relation = |author: Uid| {
        let place = authors.iter().position(|one| *one == author).unwrap();
        Relation {
            following_since: said.follow(author).map(|(at, _)| at),
            followed_by: follow[place],
            blocking: said.blocks(author),
            blocked_by: blocked_by[place],
            ..Relation::default()
        }
    };
    let ids = view.outboxes(authors, POSTS_MAX).await?;
    let headers = view.headers(&ids).await?;
    // A database that lost posts may have given their ids to others.
    let of_authors = headers.iter().flatten().filter(|header| authors.contains(&header.author));
    let is_seen =
        |header: &&PostHeader| visible(header, &relation(header.author), None, viewer, |_, _| false).is_ok();
    let seen = of_authors.filter(is_seen);
    let seen: Vec<_> = seen.map(|header| header.id).collect();
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    Ok(view.posts(viewer, &seen).await?.into_iter().flatten().collect())
}

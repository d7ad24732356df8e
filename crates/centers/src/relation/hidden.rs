//! Lists that their users hide: an end user learns of an edge in one only if it is one of its ends, wherever the edge
//! would show. The counters stay as they are.

use guanxi_model::limits::{LIST_SCAN_MAX, PAGE_SIZE_MAX};
use guanxi_model::user::{Standing, hides_edge};
use guanxi_model::{Cursor, Edge, EdgePage, List, Page, PageStart, Relation, Result, Uid};
use guanxi_ports::RelationView;

/// Whether users of a list show in it is decided for so many at once, at least.
const STEP: usize = 50;

/// A page of a list as an end user is told of it.
pub(super) async fn list_told(
    view: &dyn RelationView,
    told: Uid,
    of: Uid,
    list: List,
    page: Page,
) -> Result<EdgePage> {
    if told == of || view.all_stand_by_default() {
        return view.list(of, list, page).await;
    }
    let standing = view.standings(&[of]).await?.pop().unwrap_or_default();
    let lister = Lister { view, told, of, standing, list };
    // Every user's place in a hidden list is hidden, but for the end user's own: it is not searched for.
    if lister.hides_others() { lister.own_place(page).await } else { lister.page(page).await }
}

/// Of some relations those that an end user is told of: what the others are of edges that it may not know of is left out.
pub(super) async fn relations_told(
    view: &dyn RelationView,
    told: Uid,
    pairs: &[(Uid, Uid)],
    relations: &mut [Relation],
) -> Result<()> {
    if view.all_stand_by_default() || pairs.iter().all(|(a, b)| told == *a || told == *b) {
        return Ok(());
    }
    let beside: Vec<(Uid, Uid)> = pairs.iter().flat_map(|(a, b)| [(*a, *a), (*a, *b)]).collect();
    let standings = view.standings_beside(&beside).await?;
    for (((a, b), of), relation) in pairs.iter().zip(standings.chunks_exact(2)).zip(relations) {
        let (of_a, of_b) = (of[0], of[1]);
        let there = hides_edge(told, (*a, of_a), (*b, of_b));
        let back = hides_edge(told, (*b, of_b), (*a, of_a));
        *relation = Relation {
            following_since: relation.following_since.filter(|_| !there),
            followed_by: relation.followed_by && !back,
            friends_since: relation.friends_since.filter(|_| !there && !back),
            ..*relation
        };
    }
    Ok(())
}

/// A list of another user, for an end user.
struct Lister<'a> {
    view: &'a dyn RelationView,
    told: Uid,
    of: Uid,
    standing: Standing,
    list: List,
}

impl Lister<'_> {
    /// Returns whether the user whose list it is hides all edges that it tells of.
    const fn hides_others(&self) -> bool {
        let privacy = &self.standing.privacy;
        match self.list {
            List::Following => privacy.hides_following,
            List::Followers => privacy.hides_followers,
            // A friendship is an edge each way.
            List::Friends => privacy.hides_following || privacy.hides_followers,
            List::Blocks | List::Mutes => false,
        }
    }

    /// Returns whether a user shows in the list.
    fn shows(&self, uid: Uid, standing: Standing) -> bool {
        let (of, other) = ((self.of, self.standing), (uid, standing));
        !match self.list {
            List::Following => hides_edge(self.told, of, other),
            List::Followers => hides_edge(self.told, other, of),
            List::Friends => hides_edge(self.told, of, other) || hides_edge(self.told, other, of),
            List::Blocks | List::Mutes => false,
        }
    }

    /// Returns the list with no user but the end user itself, if the list has it.
    async fn own_place(&self, page: Page) -> Result<EdgePage> {
        let relation = match self.list {
            List::Followers => self.view.relations(self.told, &[self.of]).await?,
            _ => self.view.relations(self.of, &[self.told]).await?,
        };
        let since = relation.first().and_then(|relation| match self.list {
            List::Friends => relation.friends_since,
            _ => relation.following_since,
        });
        let own = since.map(|at| Edge { at, uid: self.told });
        let own = own.filter(|edge| match page.start() {
            PageStart::Newest => true,
            PageStart::After(cursor) => *edge < cursor.0,
            PageStart::Offset(skip) => skip == 0,
        });
        Ok(EdgePage { items: own.into_iter().collect(), next: None })
    }

    /// Returns the list without the users that do not show in it. It ends early after [`LIST_SCAN_MAX`] users.
    async fn page(&self, page: Page) -> Result<EdgePage> {
        // Lists with offsets are bounded. Places are counted among the users that show.
        let (mut start, skip) = match page.start() {
            PageStart::Offset(skip) => (PageStart::Newest, skip as usize),
            start => (start, 0),
        };
        let wanted = skip + page.size() + 1;
        let (mut shown, mut scanned) = (Vec::new(), 0);
        let next = loop {
            let step = (wanted - shown.len()).clamp(STEP, PAGE_SIZE_MAX as usize);
            let step = Page::new(start, i32::try_from(step).unwrap_or(i32::MAX))?;
            let found = self.view.list(self.of, self.list, step).await?;
            scanned += found.items.len();
            let beside: Vec<(Uid, Uid)> = found.items.iter().map(|edge| (self.of, edge.uid)).collect();
            let standings = self.view.standings_beside(&beside).await?;
            let passing = found.items.into_iter().zip(standings);
            shown.extend(
                passing.filter(|(edge, standing)| self.shows(edge.uid, *standing)).map(|(edge, _)| edge),
            );
            match found.next {
                Some(cursor) if shown.len() < wanted && scanned < LIST_SCAN_MAX as usize => {
                    start = PageStart::After(cursor);
                }
                next => break next,
            }
        };
        let full = shown.len() >= wanted;
        let items: Vec<Edge> = shown.into_iter().skip(skip).take(page.size()).collect();
        let next = if full { items.last().copied().map(Cursor) } else { next };
        Ok(EdgePage { items, next })
    }
}

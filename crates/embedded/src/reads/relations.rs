//! Reads of relations.

use super::{PinnedView, page_of};
use crate::engine::EngineResult;
use crate::layout::CountersValue;
use crate::rows::{self, ListPart};
use guanxi_memory::relations::{RelationsEntry, RelationsProbe};
use guanxi_model::user::hides_edge;
use guanxi_model::{Counts, Edge, EdgePage, Error, List, Page, PageStart, Reason, Relation, Result, Uid};
use guanxi_ports::{KnownFollowers, MarkKind};

/// A target with at most this many times more followers than the viewer follows is answered by scanning its
/// followers: rows in sequence cost about a quarter of probes at random.
const SCAN_FOLLOWERS_FACTOR: u64 = 4;

impl PinnedView {
    /// The relation of one user to many. What memory holds is probed under one lock; only the rest is loaded.
    pub(super) fn relations_of(&self, subject: Uid, objects: &[Uid]) -> Result<Vec<Relation>> {
        let (mut relations, missing) = self.relations_in_memory(subject, objects);
        self.shared.relations.count_hits(objects.len() - missing.len());
        if !missing.is_empty() {
            let me = self.user(subject)?;
            let (me, is_asked) = (me.packed().probe(), me.asked() > 0);
            for index in missing {
                let object = objects[index];
                relations[index] = match own_side(subject, (me, is_asked), object) {
                    OwnSide::All(relation) => relation,
                    OwnSide::Half(relation) => whole(relation, subject, &self.user(object)?),
                };
            }
        }
        Ok(relations)
    }

    /// The relations that memory can tell, and the indexes of those that it cannot.
    fn relations_in_memory(&self, subject: Uid, objects: &[Uid]) -> (Vec<Relation>, Vec<usize>) {
        let users = self.shared.relations.read(self.view());
        let Some(me) = users.get(subject) else {
            return (vec![Relation::default(); objects.len()], (0..objects.len()).collect());
        };
        let (me, is_asked) = (me.packed().probe(), me.asked() > 0);
        let mut missing = Vec::new();
        let others = users.get_many(objects);
        let relation = |(index, (&object, other)): (usize, (&Uid, Option<&RelationsEntry>))| match (
            own_side(subject, (me, is_asked), object),
            other,
        ) {
            (OwnSide::All(relation), _) => relation,
            (OwnSide::Half(relation), Some(other)) => whole(relation, subject, other),
            (OwnSide::Half(_), None) => {
                missing.push(index);
                Relation::default()
            }
        };
        let relations = objects.iter().zip(others).enumerate().map(relation).collect();
        (relations, missing)
    }

    pub(super) fn relation(&self, subject: Uid, object: Uid) -> Result<Relation> {
        let me = self.user(subject)?;
        let (me, is_asked) = (me.packed().probe(), me.asked() > 0);
        match own_side(subject, (me, is_asked), object) {
            OwnSide::All(relation) => Ok(relation),
            OwnSide::Half(relation) => Ok(whole(relation, subject, &self.user(object)?)),
        }
    }

    pub(super) fn list_page(&self, of: Uid, list: List, page: Page) -> Result<EdgePage> {
        if list == List::Followers {
            return self.followers_page(of, page);
        }
        let user = self.user(of)?;
        let packed = user.packed();
        let (start, size) = (page.start(), page.size());
        Ok(match list {
            List::Friends => EdgePage::cut(packed.friends(start), size),
            List::Blocks => EdgePage::cut(packed.blocks(start), size),
            List::Mutes => EdgePage::cut(packed.mutes(start), size),
            List::Following | List::Followers => EdgePage::cut(packed.following(start), size),
        })
    }

    /// A page of followers: first pages come from memory, deeper ones from the table.
    fn followers_page(&self, of: Uid, page: Page) -> Result<EdgePage> {
        let (start, size) = (page.start(), page.size());
        let after = match start {
            PageStart::Newest => None,
            PageStart::After(cursor) => Some(cursor.0),
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
        };
        let followers = || Ok(self.counts_of(&[of])?[0].followers);
        let lists = &self.shared.lists;
        let edges =
            self.entries(&lists.followers, of, (after, size + 1), followers, rows::relations::followers)?;
        Ok(EdgePage::cut(edges, size))
    }

    pub(super) fn counters(&self, uid: Uid) -> Result<CountersValue> {
        Ok(rows::relations::counters(&self.view.snapshot, uid)?)
    }

    pub(super) fn known(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> Result<KnownFollowers> {
        let me = self.user(viewer)?;
        let following = u64::from(me.packed().counts().following);
        let followers = self.counts_of(&[target])?[0].followers;
        let known = if followers <= following.saturating_mul(SCAN_FOLLOWERS_FACTOR) {
            self.known_by_scan(&me, target)?
        } else {
            self.known_by_probes(&me, target)?
        };
        Ok(counted_page(&self.told_of(known, told, |uid| [(viewer, uid), (uid, target)]), page))
    }

    /// Returns users without the ends of edges that are hidden from an end user; `edges` are the edges that a user's
    /// place in the list tells of.
    fn told_of(
        &self,
        mut users: Vec<Edge>,
        told: Option<Uid>,
        edges: impl Fn(Uid) -> [(Uid, Uid); 2],
    ) -> Vec<Edge> {
        let standings = &self.view.standings;
        if let Some(told) = told
            && standings.len() > 0
        {
            let hides = |(a, b): (Uid, Uid)| hides_edge(told, (a, standings.of(a)), (b, standings.of(b)));
            users.retain(|user| !edges(user.uid).into_iter().any(hides));
        }
        users
    }

    /// For a target with few followers: which of them does the viewer follow?
    fn known_by_scan(&self, me: &RelationsEntry, target: Uid) -> Result<Vec<Edge>> {
        let mut known = Vec::new();
        for follower in rows::relations::followers(&self.view.snapshot, target, ListPart::ALL) {
            let uid = follower?.uid;
            known.extend(me.packed().follow(uid).map(|(at, _)| Edge { at, uid }));
        }
        known.sort_unstable_by(|a, b| b.cmp(a));
        Ok(known)
    }

    /// For a target with many followers: returns the users whom the viewer follows and who follow the target. Never
    /// reads the target's list.
    fn known_by_probes(&self, me: &RelationsEntry, target: Uid) -> Result<Vec<Edge>> {
        let following: Vec<Edge> = me.packed().following(PageStart::Newest).collect();
        let uids: Vec<Uid> = following.iter().map(|edge| edge.uid).collect();
        let follows: Vec<Option<bool>> = {
            let users = self.shared.relations.read(self.view());
            users.get_many(&uids).iter().map(|user| Some((*user)?.packed().follows(target))).collect()
        };
        let mut known = Vec::new();
        for (edge, follows) in following.into_iter().zip(follows) {
            let follows = match follows {
                Some(follows) => follows,
                None => self.user(edge.uid)?.packed().follows(target),
            };
            known.extend(follows.then_some(edge));
        }
        Ok(known)
    }

    /// Counters, from memory where it has the user, else by one point read: a fill would scan for nothing.
    pub(super) fn counts_of(&self, uids: &[Uid]) -> Result<Vec<Counts>> {
        let held: Vec<Option<Counts>> = {
            let users = self.shared.relations.read(self.view());
            users.get_many(uids).iter().map(|user| user.map(RelationsEntry::counts)).collect()
        };
        uids.iter()
            .zip(held)
            .map(|(uid, held)| held.map_or_else(|| Ok(self.counters(*uid)?.counts), Ok))
            .collect()
    }

    pub(super) fn markers(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> Result<Vec<Uid>> {
        let snapshot = &self.view.snapshot;
        let markers = rows::relations::marked_by(snapshot, object, kind, after);
        // The row of a follow that was removed stays when the follow comes back.
        let stands = |subject: &EngineResult<Uid>| match subject {
            Ok(subject) if kind == MarkKind::RemovedFollow => {
                rows::relations::follows_now(snapshot, *subject, object).map(|follows| !follows)
            }
            _ => Ok(true),
        };
        let standing = markers.filter_map(|marker| match stands(&marker) {
            Ok(true) => Some(marker),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        });
        standing.take(max).map(|marker| Ok(marker?)).collect()
    }

    pub(super) fn left_by(&self, subject: Uid, after: Option<Uid>, max: usize) -> Result<Vec<Edge>> {
        let user = self.user(subject)?;
        let left = rows::relations::removed_follows(&self.view.snapshot, subject, after);
        let again = |edge: &Edge| user.packed().follows(edge.uid);
        let standing = left.filter(|edge| !edge.as_ref().is_ok_and(again));
        standing.take(max).map(|edge| Ok(edge?)).collect()
    }

    pub(super) fn mutual(&self, a: Uid, b: Uid, page: Page, told: Option<Uid>) -> Result<KnownFollowers> {
        let (of_a, of_b) = (self.user(a)?, self.user(b)?);
        let both = of_a
            .packed()
            .following(PageStart::Newest)
            .filter(|edge| of_b.packed().follows(edge.uid))
            .collect();
        Ok(counted_page(&self.told_of(both, told, |uid| [(a, uid), (b, uid)]), page))
    }
}

/// What the subject's own facts tell of its relation to another user.
enum OwnSide {
    /// All of it.
    All(Relation),
    /// Its own half; the other's is to be asked.
    Half(Relation),
}

/// Returns the subject's side of its relation to another user. For a user that the subject follows this is all, unless the
/// subject may wait for an answer. A follow excludes a block on either side, its mutual mark says whether the other follows
/// back, and a friend sends no request. There is more to know only of a user that does not follow back, and only if the
/// subject has any requests.
fn own_side(subject: Uid, (me, is_asked): (RelationsProbe<'_>, bool), object: Uid) -> OwnSide {
    if subject == object {
        return OwnSide::All(Relation::default());
    }
    let muting = me.mutes(object).is_some();
    let Some(place) = me.place_of(object) else {
        let (blocking, requested) = (me.blocks(object), me.ask(object));
        return OwnSide::Half(Relation { blocking, muting, requested, ..Relation::default() });
    };
    let (at, mutual) = me.follow_at(place);
    let relation = Relation {
        following_since: Some(at),
        followed_by: mutual,
        friends_since: if mutual { me.friends_since_at(place) } else { None },
        muting,
        requested: if mutual { None } else { me.ask(object) },
        ..Relation::default()
    };
    if is_asked && !mutual { OwnSide::Half(relation) } else { OwnSide::All(relation) }
}

/// The relation to another user, whose half is added.
fn whole(own: Relation, subject: Uid, other: &RelationsEntry) -> Relation {
    let other = other.packed().probe();
    Relation {
        followed_by: other.follows(subject),
        blocked_by: other.blocks(subject),
        requested_by: other.ask(subject),
        ..own
    }
}

fn counted_page(edges: &[Edge], page: Page) -> KnownFollowers {
    KnownFollowers { count: edges.len() as u32, page: page_of(edges, page) }
}

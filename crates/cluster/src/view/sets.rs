//! What is common to the lists of several users.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{column, limit, stamp, uid_terms};
use guanxi_model::{Edge, EdgePage, Gene, Page, PageStart, Result, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk, KnownFollowers};
use guanxi_postgres::term;
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// All users whom some users follow, of each the newest.
const NEWEST: &str = "select k.uid, f.object, f.at from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select object, at from gx.follow t where t.gene = k.gene and t.subject = k.uid and t.active \
    order by t.at desc, t.object desc limit $3) f";

/// Which of some users follow another.
const AMONG_FANS: &str = "select k.subject from unnest($3::bigint[]) as k(subject) \
    cross join lateral (select * from gx.fan t \
    where t.gene = $1 and t.object = $2 and t.subject = k.subject limit 1) t where t.active";

impl ClusterView {
    /// Returns the users whom some users follow, of each the newest so many, newest first.
    async fn newest_followed(&self, subjects: &[Uid], newest: usize) -> Result<BTreeMap<Uid, Vec<Edge>>> {
        let keys: BTreeSet<(Gene, Uid)> = subjects.iter().map(|uid| (uid.gene(), *uid)).collect();
        let newest = limit(newest);
        let terms = |keys: &[(Gene, Uid)]| {
            let mut terms = uid_terms(keys);
            terms.push(term(newest));
            terms
        };
        let mut followed: BTreeMap<Uid, Vec<Edge>> = BTreeMap::new();
        for row in self.ask_each(keys, &[NEWEST], terms).await?.iter().flatten() {
            followed.entry(read_uid(row, 0)?).or_default().push(edge(row, 1)?);
        }
        followed.values_mut().for_each(|edges| edges.sort_unstable_by(|a, b| b.cmp(a)));
        Ok(followed)
    }

    async fn all_followed(&self, uid: Uid) -> Result<Vec<Edge>> {
        Ok(self.newest_followed(&[uid], usize::MAX).await?.remove(&uid).unwrap_or_default())
    }

    /// Returns the users whom a viewer follows and who follow a target.
    pub(super) async fn known_followers_of(
        &self,
        (viewer, target): (Uid, Uid),
        page: Page,
        told: Option<Uid>,
    ) -> Result<KnownFollowers> {
        let followed = self.all_followed(viewer).await?;
        let uids: Vec<i64> = followed.iter().map(|edge| column(edge.uid)).collect();
        let home = target.gene();
        let terms = vec![term(i16::from(home.0)), term(column(target)), term(uids)];
        let rows = self.ask_one(home, AMONG_FANS, terms).await?;
        let known = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<BTreeSet<Uid>>>()?;
        let common: Vec<Edge> = followed.into_iter().filter(|edge| known.contains(&edge.uid)).collect();
        let ends = |uid: Uid| [(viewer, uid), (uid, target)];
        self.told((viewer, common), ends, told, page).await
    }

    /// Returns the users whom two users follow.
    pub(super) async fn mutual_following_of(
        &self,
        (a, b): (Uid, Uid),
        page: Page,
        told: Option<Uid>,
    ) -> Result<KnownFollowers> {
        let mut followed = self.newest_followed(&[a, b], usize::MAX).await?;
        let mine = followed.get(&a).cloned().unwrap_or_default();
        let theirs: BTreeSet<Uid> =
            followed.remove(&b).unwrap_or_default().into_iter().map(|edge| edge.uid).collect();
        let common: Vec<Edge> = mine.into_iter().filter(|edge| theirs.contains(&edge.uid)).collect();
        self.told((a, common), |uid| [(a, uid), (b, uid)], told, page).await
    }

    /// Leaves out of a list of a user what is hidden from an end user: an edge is, unless it is one of the ends, when one of
    /// these hides it.
    async fn told(
        &self,
        (of, mut common): (Uid, Vec<Edge>),
        edges: impl Fn(Uid) -> [(Uid, Uid); 2],
        told: Option<Uid>,
        page: Page,
    ) -> Result<KnownFollowers> {
        if let Some(told) = told {
            let ends: BTreeSet<Uid> =
                common.iter().flat_map(|edge| edges(edge.uid)).flat_map(|(a, b)| [a, b]).collect();
            let ends: Vec<(Uid, Uid)> = ends.into_iter().map(|uid| (of, uid)).collect();
            let standings = self.standings_beside_of(&ends).await?;
            let standings: BTreeMap<Uid, _> = ends.iter().map(|(_, uid)| *uid).zip(standings).collect();
            let hides = |(subject, object): (Uid, Uid)| {
                let of = |uid: Uid| standings.get(&uid).map(|standing| standing.privacy).unwrap_or_default();
                let is_end = subject == told || object == told;
                !is_end && (of(subject).hides_following || of(object).hides_followers)
            };
            common.retain(|edge| !edges(edge.uid).into_iter().any(hides));
        }
        let count = u32::try_from(common.len()).unwrap_or(u32::MAX);
        Ok(KnownFollowers { count, page: cut(common, page) })
    }

    /// Returns the users whom some users follow, counted.
    pub(super) async fn count_followed_of(
        &self,
        ask: FollowsAsk<'_>,
        follows_max: usize,
    ) -> Result<FollowedCounts> {
        let followed = self.newest_followed(ask.subjects, ask.newest).await?;
        let (mut counts, mut looked_at, mut subjects) = (BTreeMap::<Uid, u32>::new(), 0, 0);
        for subject in ask.subjects {
            let edges = followed.get(subject).map_or(&[][..], Vec::as_slice);
            looked_at += edges.len();
            if looked_at > follows_max {
                break;
            }
            edges.iter().for_each(|edge| *counts.entry(edge.uid).or_default() += 1);
            subjects += 1;
        }
        Ok(FollowedCounts { users: counts.into_iter().collect(), subjects })
    }

    /// Returns which of some users follow each of others.
    pub(super) async fn who_follows_of(&self, ask: FollowsAsk<'_>, objects: &[Uid]) -> Result<Vec<Vec<u32>>> {
        let followed = self.newest_followed(ask.subjects, ask.newest).await?;
        let mut who: BTreeMap<Uid, Vec<u32>> = BTreeMap::new();
        for (place, subject) in (0..).zip(ask.subjects) {
            for edge in followed.get(subject).into_iter().flatten() {
                who.entry(edge.uid).or_default().push(place);
            }
        }
        Ok(objects.iter().map(|object| who.get(object).cloned().unwrap_or_default()).collect())
    }
}

/// An edge of two columns: the other user, and when.
pub(super) fn edge(row: &Row, index: usize) -> Result<Edge> {
    Ok(Edge { uid: read_uid(row, index)?, at: stamp(row, index + 1) })
}

/// A page of a list that is there as a whole.
fn cut(edges: Vec<Edge>, page: Page) -> EdgePage {
    match page.start() {
        PageStart::Newest => EdgePage::cut(edges, page.size()),
        PageStart::After(cursor) => {
            EdgePage::cut(edges.into_iter().filter(|edge| *edge < cursor.0), page.size())
        }
        PageStart::Offset(skip) => {
            EdgePage::cut(edges.into_iter().skip(usize::try_from(skip).unwrap_or(usize::MAX)), page.size())
        }
    }
}

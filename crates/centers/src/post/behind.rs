//! The facts behind some posts: the originals that they share, and the viewer's relation to every user concerned.

use crate::turn::yield_now;
use guanxi_model::post::Kind;
use guanxi_model::{GroupId, PostHeader, PostId, Relation, Result, Uid};
use guanxi_ports::PostView;
use std::collections::{HashMap, HashSet};

/// Groups asked about before others have a turn: each is a look at a row.
const GROUPS_AT_ONCE: usize = 256;

/// Which originals are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Originals {
    /// The originals of plain reposts, which the rules ask for.
    OfReposts,
    /// The originals of quotes, too, which an answer with posts shows.
    OfAll,
}

impl Originals {
    /// The original of a post, if it is one of these, and whose it is.
    pub(crate) const fn of(self, kind: Kind) -> Option<(PostId, Uid)> {
        match (self, kind) {
            (Self::OfReposts, Kind::Repost { of, author }) => Some((of, author)),
            (Self::OfReposts, _) => None,
            (Self::OfAll, kind) => kind.shared(),
        }
    }
}

/// Originals that some posts share, and the viewer's relations.
#[derive(Debug, Default)]
pub(crate) struct Behind {
    /// The originals that exist.
    pub originals: HashMap<PostId, PostHeader>,
    /// The viewer's relation to others; empty without a viewer.
    pub relations: HashMap<Uid, Relation>,
    /// Gone authors.
    pub gone: HashSet<Uid>,
    /// Groups that posts are for and the viewer is in, with their owners.
    pub groups: HashSet<(Uid, GroupId)>,
}

/// The users and posts that some posts name, and that are needed to judge these. All may be named more than once.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    /// The originals that they share.
    pub originals: Vec<PostId>,
    /// The users to whom the viewer's relation decides.
    pub users: Vec<Uid>,
    /// The authors who may be gone.
    pub authors: Vec<Uid>,
    /// The groups that they are for, with their owners.
    pub groups: Vec<(Uid, GroupId)>,
}

impl Lookups {
    pub(crate) const fn is_empty(&self) -> bool {
        let Self { originals, users, authors, groups } = self;
        originals.is_empty() && users.is_empty() && authors.is_empty() && groups.is_empty()
    }
}

impl Behind {
    /// Looks up originals, relations, which authors are not there, and in which groups the viewer is, at the same time. Only
    /// for whom an original is shows with its header, so that a group of that is asked afterwards.
    pub(crate) async fn read(view: &dyn PostView, viewer: Option<Uid>, asked: Lookups) -> Result<Self> {
        let Lookups { mut originals, users, authors, groups } = asked;
        originals.sort_unstable();
        originals.dedup();
        let headers =
            async { if originals.is_empty() { Ok(Vec::new()) } else { view.headers(&originals).await } };
        let (headers, relations, gone, groups) = tokio::try_join!(
            headers,
            relations(view, viewer, users),
            gone(view, &authors),
            groups_of(view, viewer, groups)
        )?;
        let deeper = headers.iter().flatten().filter_map(PostHeader::audience).collect();
        let mut behind = Self { originals: HashMap::new(), relations, gone, groups };
        behind.groups.extend(groups_of(view, viewer, deeper).await?);
        let found = originals.into_iter().zip(headers);
        behind.originals = found.filter_map(|(id, header)| Some((id, behind.as_found(header?)))).collect();
        Ok(behind)
    }

    /// Returns a post as readers find it: posts of gone authors are as good as deleted.
    pub(crate) fn as_found(&self, header: PostHeader) -> PostHeader {
        let gone = !self.gone.is_empty() && self.gone.contains(&header.author);
        PostHeader { deleted: header.deleted || gone, taken_down: header.taken_down && !gone, ..header }
    }

    /// Adds the facts behind other posts.
    pub(crate) fn extend(&mut self, other: Self) {
        self.originals.extend(other.originals);
        self.relations.extend(other.relations);
        self.gone.extend(other.gone);
        self.groups.extend(other.groups);
    }

    /// Returns whether the viewer is in a group of another user, of the groups that were looked up.
    pub(crate) fn is_in(&self, owner: Uid, id: GroupId) -> bool {
        self.groups.contains(&(owner, id))
    }

    /// The viewer's relation to a user.
    pub(crate) fn relation(&self, uid: Uid) -> Relation {
        self.relations.get(&uid).copied().unwrap_or_default()
    }
}

/// Returns the gone ones among some users, who may be named more than once. No query is made where all users are known to be
/// there.
pub(crate) async fn gone(view: &dyn PostView, users: &[Uid]) -> Result<HashSet<Uid>> {
    if users.is_empty() || view.all_stand_by_default() {
        return Ok(HashSet::new());
    }
    let mut users = users.to_vec();
    users.sort_unstable();
    users.dedup();
    let standings = view.standings(&users).await?;
    Ok(users
        .into_iter()
        .zip(standings)
        .filter(|(_, standing)| standing.is_gone())
        .map(|(uid, _)| uid)
        .collect())
}

/// Returns the groups among some that the viewer is in, which may be named more than once. The viewer's own groups are left
/// out: it need not be a member of them.
pub(crate) async fn groups_of(
    view: &dyn PostView,
    viewer: Option<Uid>,
    mut groups: Vec<(Uid, GroupId)>,
) -> Result<HashSet<(Uid, GroupId)>> {
    let Some(viewer) = viewer else { return Ok(HashSet::new()) };
    groups.retain(|(owner, _)| *owner != viewer);
    if groups.is_empty() {
        return Ok(HashSet::new());
    }
    groups.sort_unstable();
    groups.dedup();
    let mut found = HashSet::new();
    for (piece, some) in groups.chunks(GROUPS_AT_ONCE).enumerate() {
        if piece > 0 {
            yield_now().await;
        }
        let is_in = view.in_groups(viewer, some).await?;
        found.extend(some.iter().zip(is_in).filter(|(_, is_in)| *is_in).map(|(group, _)| *group));
    }
    Ok(found)
}

/// The viewer's relation to each of some users, who may be named more than once.
pub(crate) async fn relations(
    view: &dyn PostView,
    viewer: Option<Uid>,
    mut users: Vec<Uid>,
) -> Result<HashMap<Uid, Relation>> {
    let Some(viewer) = viewer else { return Ok(HashMap::new()) };
    users.sort_unstable();
    users.dedup();
    users.retain(|uid| *uid != viewer);
    if users.is_empty() {
        return Ok(HashMap::new());
    }
    let relations = if view.mirrors_are_exact() {
        view.relations(viewer, &users).await?
    } else {
        with_own_facts(view, viewer, &users).await?
    };
    Ok(users.into_iter().zip(relations).collect())
}

/// Relations of which the others' part is what they say themselves: who blocks the viewer, and who follows it.
async fn with_own_facts(view: &dyn PostView, viewer: Uid, users: &[Uid]) -> Result<Vec<Relation>> {
    let (mut relations, blocked_by, follow) = tokio::try_join!(
        view.relations(viewer, users),
        view.blocked_by(viewer, users),
        view.follow(users, viewer),
    )?;
    for ((relation, blocked_by), follow) in relations.iter_mut().zip(blocked_by).zip(follow) {
        relation.blocked_by |= blocked_by;
        relation.followed_by = follow;
    }
    Ok(relations)
}

//! Export of one user: everything that is kept of it, record by record.
//!
//! Each part is read at a view of its own, at least as new as the one before. So a reader may take its time and nothing is
//! held for it. Rows that do not change meanwhile are there exactly once; rows that change may be there as before or as
//! after. Settings of others on the user belong to these others, and are not here.

mod posts;

#[cfg(test)]
mod tests;

use crate::HeavyWork;
use crate::turn::yield_now;
use guanxi_model::limits::{GROUP_MEMBERS_MAX, PAGE_SIZE_MAX, SESSION_PAGE_MAX};
use guanxi_model::post::Revision;
use guanxi_model::{
    Counts, Cursor, Edge, ExternalId, GroupId, List, MuteTerms, Page, PageStart, Position, Post, PostId,
    RelationRequest, RequestDirection, RequestKind, Result, Session, SessionCursor, Uid, User, UserGroup,
};
use guanxi_ports::{Credentials, Sessions, Store, StoreView, UserLike, UserNotes, Walk};
use posts::PostsPart;
use std::sync::Arc;

/// Edges, likes and names that are read at once.
const READ_MAX: usize = PAGE_SIZE_MAX as usize;

/// The lists of a user, in the order in which they are exported.
const LISTS: [List; 4] = [List::Following, List::Followers, List::Blocks, List::Mutes];

/// The lists of requests of a user, in the order in which they are exported.
const REQUESTS: [(RequestDirection, RequestKind); 4] = [
    (RequestDirection::Outgoing, RequestKind::Friend),
    (RequestDirection::Outgoing, RequestKind::Follow),
    (RequestDirection::Incoming, RequestKind::Friend),
    (RequestDirection::Incoming, RequestKind::Follow),
];

/// One record of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserRecord {
    /// The account; the first of all.
    Account(Box<ExportedAccount>),
    /// Where the user is logged in.
    Session(Box<ExportedSession>),
    /// An edge of a list: a user that it follows, that follows it, or that it blocks.
    Edge(List, Edge),
    /// A user that it mutes, and on which terms.
    Mute(Edge, MuteTerms),
    /// A request that waits, of the user or to it.
    Request(Box<RelationRequest>),
    /// A user whose request it has rejected and that may not ask again yet, and until when, in Unix milliseconds.
    Rejection(Uid, u64),
    /// A user that it once followed, and when that ended.
    RemovedFollow(Edge),
    /// A user that it does not want suggested, and since when.
    Dismissed(Edge),
    /// A user with whom it has a score, in the order of their uids. The score itself is not exported.
    Affinity(Uid),
    /// A group of it, with the members.
    Group(Box<ExportedGroup>),
    /// A name under which one of its posts was imported.
    ImportedName(String, PostId),
    /// A post, deleted ones too; with revision 0 when nothing of it is kept but that it was.
    Post(Box<Post>),
    /// An earlier revision of the post that came before.
    Revision {
        /// Of which post.
        id: PostId,
        /// When that was written, in Unix milliseconds.
        create_ms: u64,
        /// The earlier revision.
        revision: Box<Revision>,
    },
    /// A post that it likes.
    Like(UserLike),
    /// The end; the last of all, and without it something is missing.
    End {
        /// How many records came before.
        records: u64,
        /// Where the end stands.
        position: Position,
    },
}

/// The facts of a user beside its relations and posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedAccount {
    /// Login name, profile, privacy, contacts; as of a new user if nothing is kept.
    pub user: User,
    /// The id that the user has elsewhere.
    pub external_id: Option<ExternalId>,
    /// The follow limit that an operator set for this user.
    pub follow_limit: Option<u32>,
    /// The counters.
    pub counts: Counts,
    /// Up to where the user has seen its home.
    pub seen: Position,
    /// Up to where it has seen the requests to it, and when it signed out everywhere.
    pub notes: UserNotes,
    /// Where this stands.
    pub position: Position,
}

/// A session, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedSession {
    /// Which, and since when.
    pub session: Session,
    /// The name of an operator's token.
    pub token_name: Option<String>,
}

/// A group with all of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedGroup {
    /// Which.
    pub group: UserGroup,
    /// The members, the newest first.
    pub members: Vec<Edge>,
}

/// Exports users. Cheap to clone.
#[derive(Clone)]
pub struct UserExports {
    store: Arc<dyn Store>,
    sessions: Arc<dyn Sessions>,
    credentials: Option<Arc<dyn Credentials>>,
    heavy: HeavyWork,
}

crate::opaque_debug!(UserExports);

/// The next part of an export.
enum Part {
    Account,
    Sessions(Option<SessionCursor>),
    List(usize, Option<Cursor>),
    Requests(usize, Option<Cursor>),
    Rejections(Option<Uid>),
    RemovedFollows(Option<Uid>),
    Dismissed,
    Affinities,
    Groups(Option<GroupId>),
    ImportedNames(Option<String>),
    Posts(PostsPart),
    Likes(Option<PostId>),
    End,
    Over,
}

/// An export under way: how far it is, and nothing that the store has to hold for it.
pub struct UserExport {
    center: UserExports,
    uid: Uid,
    part: Part,
    at: Option<Position>,
    records: u64,
}

/// The records that a step has read, and the part that follows.
type Step = (Vec<UserRecord>, Part);

impl UserExports {
    /// Exports of a backend. Without credentials no session has the name of a token.
    pub fn new(
        store: Arc<dyn Store>,
        sessions: Arc<dyn Sessions>,
        credentials: Option<Arc<dyn Credentials>>,
    ) -> Self {
        Self { store, sessions, credentials, heavy: HeavyWork::default() }
    }

    /// With places for heavy calls that others share.
    #[must_use]
    pub fn sharing(self, heavy: HeavyWork) -> Self {
        Self { heavy, ..self }
    }

    /// Starts the export of a user; nothing is read yet.
    pub fn start(&self, uid: Uid, at_least: Option<Position>) -> UserExport {
        UserExport { center: self.clone(), uid, part: Part::Account, at: at_least, records: 0 }
    }
}

impl UserExport {
    /// The next records, which may be none; `None` after the end.
    ///
    /// # Errors
    /// When the store cannot be read; those of a position that it does not reach; `OVERLOADED` without a place for a heavy call.
    /// What was read so far is kept, so that the next call goes on.
    pub async fn next(&mut self) -> Result<Option<Vec<UserRecord>>> {
        if matches!(self.part, Part::Over) {
            return Ok(None);
        }
        // A place for each step, so that a slow reader keeps no other caller from it.
        let _place = self.center.heavy.begin(self.uid).await?;
        let part = std::mem::replace(&mut self.part, Part::Over);
        let (records, part) = self.step(part).await?;
        self.part = part;
        self.records += records.len() as u64;
        Ok(Some(records))
    }

    async fn step(&mut self, part: Part) -> Result<Step> {
        // A stream to a fast reader is always ready, and others are to have their turn.
        yield_now().await;
        let view = self.center.store.view(self.at.as_ref()).await?;
        let uid = self.uid;
        let step = match part {
            Part::Account => {
                let account = self.account(&*view).await?;
                (vec![UserRecord::Account(Box::new(account))], Part::Sessions(None))
            }
            Part::Sessions(after) => self.sessions(after).await?,
            Part::List(list, after) => list_step(&*view, uid, list, after).await?,
            Part::Requests(list, after) => requests_step(&*view, uid, list, after).await?,
            Part::Rejections(after) => {
                let found = view.rejections(uid, Walk::new(after, READ_MAX)).await?;
                let next = goes_on(&found).map(|(other, _)| Part::Rejections(Some(*other)));
                let records = found.into_iter().map(|(other, until)| UserRecord::Rejection(other, until));
                (records.collect(), next.unwrap_or(Part::RemovedFollows(None)))
            }
            Part::RemovedFollows(after) => {
                let left = view.removed_follows(uid, Walk::new(after, READ_MAX)).await?;
                let next = goes_on(&left).map(|edge| Part::RemovedFollows(Some(edge.uid)));
                let records = left.into_iter().map(UserRecord::RemovedFollow).collect();
                (records, next.unwrap_or(Part::Dismissed))
            }
            Part::Dismissed => {
                let dismissed = view.dismissed(uid).await?.into_iter().map(UserRecord::Dismissed);
                (dismissed.collect(), Part::Affinities)
            }
            Part::Affinities => {
                let affinities = view.affinities(uid).await?;
                let mut uids: Vec<Uid> = affinities.all.iter().map(|known| known.uid).collect();
                uids.sort_unstable();
                (uids.into_iter().map(UserRecord::Affinity).collect(), Part::Groups(None))
            }
            Part::Groups(after) => groups_step(&*view, uid, after).await?,
            Part::ImportedNames(after) => {
                let names = view.imported_names(uid, Walk::new(after.as_deref(), READ_MAX)).await?;
                let next = goes_on(&names).map(|(name, _)| Part::ImportedNames(Some(name.clone())));
                let records = names.into_iter().map(|(name, id)| UserRecord::ImportedName(name, id));
                (records.collect(), next.unwrap_or_else(|| Part::Posts(PostsPart::default())))
            }
            Part::Posts(mut posts) => {
                let records = posts.next(&*view, uid).await?;
                (
                    records.unwrap_or_default(),
                    if posts.is_over() { Part::Likes(None) } else { Part::Posts(posts) },
                )
            }
            Part::Likes(after) => {
                let likes = view.likes_by(uid, Walk::new(after, READ_MAX)).await?;
                let next = goes_on(&likes).map(|like| Part::Likes(Some(like.id)));
                (likes.into_iter().map(UserRecord::Like).collect(), next.unwrap_or(Part::End))
            }
            Part::End => {
                let position = self.at.clone().unwrap_or_else(|| view.position());
                (vec![UserRecord::End { records: self.records, position }], Part::Over)
            }
            Part::Over => (Vec::new(), Part::Over),
        };
        self.at = Some(view.position().joined(self.at.as_ref()));
        Ok(step)
    }

    async fn account(&self, view: &dyn StoreView) -> Result<ExportedAccount> {
        let uid = [self.uid];
        let user = view.users(&uid).await?.pop().flatten();
        Ok(ExportedAccount {
            user: user.unwrap_or_else(|| User::unknown(self.uid)),
            external_id: view.external_ids(&uid).await?.pop().flatten(),
            follow_limit: view.follow_limit(self.uid).await?.own,
            counts: view.counts(&uid).await?.pop().unwrap_or_default(),
            seen: view.seen(self.uid).await?,
            notes: view.user_notes(self.uid).await?,
            position: view.position(),
        })
    }

    async fn sessions(&self, after: Option<SessionCursor>) -> Result<Step> {
        let UserExports { sessions, credentials, .. } = &self.center;
        let page = sessions.list(self.uid, after, SESSION_PAGE_MAX as usize).await?;
        let mut records = Vec::with_capacity(page.sessions.len());
        for session in page.sessions {
            // A token that an operator made is found by what names its session, too.
            let token = match credentials {
                Some(credentials) if session.rotation.is_none() => credentials.find(session.id).await?,
                _ => None,
            };
            let token_name = token.map(|token| token.name);
            records.push(UserRecord::Session(Box::new(ExportedSession { session, token_name })));
        }
        Ok((records, page.next.map_or(Part::List(0, None), |next| Part::Sessions(Some(next)))))
    }
}

async fn list_step(view: &dyn StoreView, uid: Uid, at: usize, after: Option<Cursor>) -> Result<Step> {
    let Some(list) = LISTS.get(at) else { return Ok((Vec::new(), Part::Requests(0, None))) };
    let start = after.map_or(PageStart::Newest, PageStart::After);
    let page = view.list(uid, *list, Page::new(start, PAGE_SIZE_MAX.cast_signed())?).await?;
    let next = page.next.map_or(Part::List(at + 1, None), |next| Part::List(at, Some(next)));
    if *list != List::Mutes {
        return Ok((page.items.into_iter().map(|edge| UserRecord::Edge(*list, edge)).collect(), next));
    }
    let muted: Vec<Uid> = page.items.iter().map(|edge| edge.uid).collect();
    let terms = view.mute_terms(uid, &muted).await?;
    let records = page.items.into_iter().zip(terms);
    Ok((records.map(|(edge, terms)| UserRecord::Mute(edge, terms)).collect(), next))
}

/// Requests of both kinds and directions, one list after the other.
async fn requests_step(view: &dyn StoreView, uid: Uid, at: usize, after: Option<Cursor>) -> Result<Step> {
    let Some((direction, kind)) = REQUESTS.get(at) else {
        return Ok((Vec::new(), Part::Rejections(None)));
    };
    let start = after.map_or(PageStart::Newest, PageStart::After);
    let page = view.requests(uid, *direction, *kind, Page::new(start, PAGE_SIZE_MAX.cast_signed())?).await?;
    let next = page.next.map_or(Part::Requests(at + 1, None), |next| Part::Requests(at, Some(next)));
    Ok((page.items.into_iter().map(|request| UserRecord::Request(Box::new(request))).collect(), next))
}

/// The next group: a group may have hundreds of members, so each is a step of its own.
async fn groups_step(view: &dyn StoreView, uid: Uid, after: Option<GroupId>) -> Result<Step> {
    let groups = view.groups(uid).await?;
    let next = groups.into_iter().find(|group| after.is_none_or(|after| group.id > after));
    let Some(group) = next else { return Ok((Vec::new(), Part::ImportedNames(None))) };
    let (id, page) = (group.id, Page::new(PageStart::Newest, GROUP_MEMBERS_MAX.cast_signed())?);
    let members = view.group_members(uid, id, page).await?.items;
    let record = UserRecord::Group(Box::new(ExportedGroup { group, members }));
    Ok((vec![record], Part::Groups(Some(id))))
}

/// The last of a page after which there may be others.
fn goes_on<T>(page: &[T]) -> Option<&T> {
    page.last().filter(|_| page.len() == READ_MAX)
}

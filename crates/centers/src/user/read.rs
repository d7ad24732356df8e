//! Reads of the user center.

use super::UserCenter;
use crate::Viewer;
use crate::answer_room::{AnswerRoom, json_bytes};
use guanxi_model::limits::USERS_MAX;
use guanxi_model::user::{Contact, ContactKind, Identifier};
use guanxi_model::{Error, Position, Reason, Result, Uid, User};

/// Users that are read at once.
const USERS_READ: usize = 100;

/// More than the names and numbers of a user take in JSON.
const USER_BYTES: usize = 512;
/// More than the signs around an attribute take in JSON.
const ATTRIBUTE_BYTES: usize = 16;

/// A user as a viewer may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownUser {
    /// The row of the user.
    pub user: User,
    /// Whether the viewer may know what is for the user itself and for services: login name, last login, privacy. For a gone
    /// user it says whether the viewer may know anything at all.
    pub whole: bool,
}

/// The answer for one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GotUser {
    /// The part that the viewer may see.
    Shown(Box<ShownUser>),
    /// Nothing is kept of the user.
    Nothing,
    /// The answer had no room for it.
    Omitted,
}

/// The answer to a question about users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GotUsers {
    /// One per question, in order.
    pub users: Vec<GotUser>,
    /// Where the answer stands.
    pub position: Position,
}

/// Returns the bytes of a user in JSON, who may be one of whom nothing is kept.
fn bytes(user: Option<&User>) -> usize {
    let Some(User { login_name, profile, contacts, .. }) = user else { return USER_BYTES };
    let texts = [&profile.nickname, &profile.bio, &profile.avatar].map(|text| json_bytes(text));
    let attributes = profile.attributes.iter();
    let attributes = attributes.map(|(name, value)| ATTRIBUTE_BYTES + json_bytes(name) + json_bytes(value));
    let name = login_name.as_ref().map_or(0, |name| json_bytes(name.as_str()));
    let reached =
        ContactKind::ALL.map(|kind| contacts.of(kind).map_or(0, |text| json_bytes(Contact::expose(text))));
    USER_BYTES
        + name
        + reached.iter().sum::<usize>()
        + texts.iter().sum::<usize>()
        + attributes.sum::<usize>()
}

impl UserCenter {
    /// Checks that a user is not one that was deleted.
    ///
    /// # Errors
    /// `USER_DELETED`; those of pinning a view.
    pub async fn require_not_deleted(&self, uid: Uid) -> Result<()> {
        let view = self.store.view(None).await?;
        let standing = view.standings(&[uid]).await?.pop().unwrap_or_default();
        if standing.status.is_deleted() { Err(Error::new(Reason::UserDeleted)) } else { Ok(()) }
    }

    /// Up to [`USERS_MAX`] users, as the viewer may see them. From the first on that the answer has no room for they are
    /// [`GotUser::Omitted`]; the first of all never is.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn get(&self, viewer: Viewer, uids: &[Uid], at_least: Option<Position>) -> Result<GotUsers> {
        if uids.len() > USERS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: USERS_MAX }));
        }
        let view = self.store.view(at_least.as_ref()).await?;
        let show = |user: User| {
            let whole = viewer.knows_private_of(user.uid);
            GotUser::Shown(Box::new(ShownUser { user, whole }))
        };
        let (mut users, mut room) = (Vec::with_capacity(uids.len()), AnswerRoom::new());
        // What has no room is not read, but for the rest of one step.
        for step in uids.chunks(USERS_READ) {
            let before = users.len();
            let found =
                view.users(step).await?.into_iter().take_while(|user| room.take(bytes(user.as_ref())));
            users.extend(found.map(|user| user.map_or(GotUser::Nothing, show)));
            if users.len() < before + step.len() {
                break;
            }
        }
        users.resize(uids.len(), GotUser::Omitted);
        Ok(GotUsers { users, position: view.position() })
    }

    /// Returns the user of a login name or contact, if there is one and the viewer may find it. Services find all users. An
    /// end user finds itself, and discoverable users that are not gone, by their login names alone. The answer for a user
    /// that may not be found is the same as for one that does not exist.
    ///
    /// # Errors
    /// `USER_NOT_FOUND`; `PERMISSION_DENIED` when an end user asks by a contact, for any owner of it.
    pub async fn lookup(
        &self,
        viewer: Viewer,
        who: &Identifier,
        at_least: Option<Position>,
    ) -> Result<(ShownUser, Position)> {
        if matches!(who, Identifier::Contact(_)) && viewer != Viewer::Trusted {
            return Err(Error::new(Reason::PermissionDenied));
        }
        let (found, view) = self.find(who, at_least.as_ref()).await?;
        let shown = found.map(|user| ShownUser { whole: viewer.knows_private_of(user.uid), user });
        let may_find = |user: &User| user.privacy.discoverable && !user.standing().is_gone();
        let shown = shown.filter(|shown| shown.whole || may_find(&shown.user));
        let shown = shown.ok_or(Error::new(Reason::UserNotFound))?;
        Ok((shown, view.position()))
    }
}

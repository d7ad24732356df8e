//! Reads of the user center.

use super::UserCenter;
use crate::Viewer;
use guanxi_model::limits::USERS_MAX;
use guanxi_model::{Error, LoginName, Position, Reason, Result, Uid, User};

/// A user as a viewer may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownUser {
    /// What is kept of the user.
    pub user: User,
    /// Whether the viewer may know what is for the user itself and for services: login name, last login, privacy.
    pub whole: bool,
}

/// What a question about users answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GotUsers {
    /// One per question, in order; `None` of whom nothing is kept.
    pub users: Vec<Option<ShownUser>>,
    /// Where the answer stands.
    pub position: Position,
}

impl UserCenter {
    /// Up to [`USERS_MAX`] users, as the viewer may see them.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn get(&self, viewer: Viewer, uids: &[Uid], at_least: Option<Position>) -> Result<GotUsers> {
        if uids.len() > USERS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: USERS_MAX }));
        }
        let view = self.graph.view(at_least.as_ref()).await?;
        let show = |user: User| ShownUser { whole: viewer.knows_private_of(user.uid), user };
        let users = view.users(uids).await?.into_iter().map(|user| user.map(show)).collect();
        Ok(GotUsers { users, position: view.position() })
    }

    /// The user of a login name, if there is one and the viewer may find it: services find everybody, an end user
    /// itself and those who are discoverable. Who may not be found is answered as who is not there.
    ///
    /// # Errors
    /// `USER_NOT_FOUND`.
    pub async fn lookup(
        &self,
        viewer: Viewer,
        name: &LoginName,
        at_least: Option<Position>,
    ) -> Result<(ShownUser, Position)> {
        let view = self.graph.view(at_least.as_ref()).await?;
        let found = match view.uid_of(name).await? {
            Some(uid) => view.users(&[uid]).await?.pop().flatten(),
            None => None,
        };
        let shown = found.map(|user| ShownUser { whole: viewer.knows_private_of(user.uid), user });
        let shown = shown.filter(|shown| shown.whole || shown.user.privacy.discoverable);
        let shown = shown.ok_or(Error::new(Reason::UserNotFound))?;
        Ok((shown, view.position()))
    }
}

//! What an index of users is made of.

use crate::search::indexer::{IndexChanges, IndexSource};
use guanxi_model::event::UserChange;
use guanxi_model::limits::USERS_MAX;
use guanxi_model::user::UserStatus;
use guanxi_model::{Change, Event, Result, Uid, User};
use guanxi_ports::{BoxFuture, IndexChange, StoreView, UserDoc};

/// Users, which an index is made of.
#[derive(Clone, Copy, Debug)]
pub struct UserSource;

impl IndexSource for UserSource {
    type Doc = UserDoc;

    const WALK_AT_ONCE: usize = USERS_MAX as usize;

    fn changed(event: &Event) -> Option<Uid> {
        match event.change {
            Change::User(change) if event.echo.is_none() && is_told(change) => Some(event.subject),
            _ => None,
        }
    }

    fn all(view: &dyn StoreView, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        Box::pin(async move {
            let users = view.all_users(after, max).await?;
            Ok(users.iter().map(|user| user.uid).collect())
        })
    }

    fn changes<'a>(view: &'a dyn StoreView, ids: &'a [Uid]) -> BoxFuture<'a, Result<IndexChanges<Self>>> {
        Box::pin(async move {
            let mut changes = Vec::with_capacity(ids.len());
            for some in ids.chunks(USERS_MAX as usize) {
                let users = view.users(some).await?;
                changes.extend(some.iter().zip(users).map(|(uid, user)| match user {
                    Some(user) if !matches!(user.status, UserStatus::Erased { .. }) => {
                        document(user).map_or(IndexChange::Remove(*uid), IndexChange::Put)
                    }
                    _ => IndexChange::Erase(*uid),
                }));
            }
            Ok(changes)
        })
    }
}

/// Whether a change may be one of the document: names and status are in it, and privacy is not.
const fn is_told(change: UserChange) -> bool {
    match change {
        UserChange::Registered
        | UserChange::ProfileUpdated
        | UserChange::Deactivated
        | UserChange::Reactivated
        | UserChange::TakenDown
        | UserChange::Reinstated
        | UserChange::Deleted
        | UserChange::Erased => true,
        UserChange::PrivacySet
        | UserChange::PasswordSet
        | UserChange::PhoneSet
        | UserChange::EmailSet
        | UserChange::ExternalIdAssigned
        | UserChange::SignedOut => false,
    }
}

/// The document of a user: none of one who is deleted or has no name.
fn document(user: User) -> Option<UserDoc> {
    let has_name = user.login_name.is_some() || !user.profile.nickname.is_empty();
    if user.status.is_deleted() || !has_name {
        return None;
    }
    Some(UserDoc {
        uid: user.uid,
        is_active: user.status == UserStatus::Active,
        digest: user.search_digest(),
        nickname: user.profile.nickname,
        login_name: user.login_name,
    })
}

//! The source of an index of users.

use crate::search::indexer::{IndexChanges, IndexSource};
use crate::turn::yield_now;
use guanxi_model::event::{PairChange, UserChange};
use guanxi_model::limits::USERS_MAX;
use guanxi_model::user::{LoginName, Profile, UserStatus};
use guanxi_model::{Change, Counts, DigestParts, Event, Result, Uid, User};
use guanxi_ports::search::{UserState, sex_number};
use guanxi_ports::{BoxFuture, IndexChange, OutboxAsk, StoreView, UnreadableEvent, UserDoc, Walk};

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

    fn named(event: &UnreadableEvent) -> Option<Uid> {
        event.subject
    }

    /// Returns the two ends of a follow, the user of a login, or the author of a post that comes or goes. A deletion ends
    /// follows by events of their own.
    fn counted(event: &Event) -> [Option<Uid>; 2] {
        match event.change {
            Change::Pair { object, kind: PairChange::Followed { .. } | PairChange::Unfollowed, .. } => {
                [Some(event.subject), Some(object)]
            }
            Change::User(UserChange::LoggedIn) | Change::Post { .. } => [Some(event.subject), None],
            _ => [None, None],
        }
    }

    fn all(view: &dyn StoreView, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        Box::pin(async move {
            let users = view.all_users(Walk::new(after, max)).await?;
            Ok(users.iter().map(|user| user.uid).collect())
        })
    }

    fn changes<'a>(view: &'a dyn StoreView, ids: &'a [Uid]) -> BoxFuture<'a, Result<IndexChanges<Self>>> {
        Box::pin(async move {
            let mut changes = Vec::with_capacity(ids.len());
            for some in ids.chunks(USERS_MAX as usize) {
                let (users, counts) = tokio::try_join!(view.users(some), view.counts(some))?;
                let mut posts = Vec::with_capacity(some.len());
                for user in &users {
                    posts.push(match user {
                        Some(user) => posts_of(view, user.uid).await?,
                        None => 0,
                    });
                }
                let found = some.iter().zip(users).zip(counts).zip(posts);
                changes.extend(found.map(|(((uid, user), counts), posts)| match user {
                    Some(user) if matches!(user.status, UserStatus::Erased { .. }) => {
                        IndexChange::Erase(*uid)
                    }
                    Some(user) => IndexChange::Put(document(user, counts, posts)),
                    // One without an account or a profile, who follows or is followed: nothing was ever known of it, and
                    // taking that for an erasure would end walks with every follow.
                    None => IndexChange::Remove(*uid),
                }));
            }
            Ok(changes)
        })
    }
}

/// Posts of one user that are counted: a user with more has so many or more.
const POSTS_COUNTED_MAX: u64 = 100_000;

/// Headers that are read at once to count them.
const HEADERS_AT_ONCE: usize = 1_000;

/// How many posts of a user stand. They are read past all caches, which are for readers.
async fn posts_of(view: &dyn StoreView, author: Uid) -> Result<u64> {
    let (mut posts, mut below) = (0, None);
    while posts < POSTS_COUNTED_MAX {
        let headers = view.stored_headers(OutboxAsk { author, below }, HEADERS_AT_ONCE).await?;
        let Some(last) = headers.last() else { break };
        below = Some(last.id);
        posts += headers.iter().filter(|header| !header.deleted).count() as u64;
        yield_now().await;
    }
    Ok(posts.min(POSTS_COUNTED_MAX))
}

/// Returns whether a change may be one of the document: names and status are in it, and privacy is not.
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
        | UserChange::SignedOut
        | UserChange::LoggedIn
        | UserChange::SessionEnded => false,
    }
}

/// The document of a user.
pub(super) fn document(user: User, counts: Counts, posts: u64) -> UserDoc {
    let state = match user.status {
        UserStatus::Deleted { .. } | UserStatus::Erased { .. } => UserState::Deleted,
        _ if user.takedown.is_some() => UserState::TakenDown,
        UserStatus::Deactivated => UserState::Deactivated,
        UserStatus::Active => UserState::Active,
    };
    let digest = digest(&user, state);
    let User { uid, login_name, registered_ms, profile, login_day, .. } = user;
    let Profile { nickname, sex, birth_year, attributes, .. } = profile;
    UserDoc {
        uid,
        state,
        nickname,
        login_name,
        attributes,
        sex,
        birth_year,
        registered_ms,
        login_day,
        counts,
        posts,
        digest,
    }
}

/// A digest of all that a document says of a user, but for counters and logins.
fn digest(user: &User, state: UserState) -> u64 {
    let Profile { nickname, sex, birth_year, attributes, .. } = &user.profile;
    let login_name = user.login_name.as_ref().map(LoginName::to_stored).unwrap_or_default();
    let mut parts = DigestParts::default().text(nickname).text(&login_name).number(sex_number(*sex));
    parts = parts.maybe(birth_year.map(u64::from)).maybe(user.registered_ms).number(state as u64);
    for (name, value) in attributes {
        parts = parts.text(name).text(value);
    }
    parts.digest()
}

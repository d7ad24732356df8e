//! Searching users, as specified: every user is looked at, and its names say whether it fits.

use super::MemoryStore;
use guanxi_model::limits::USERS_MAX;
use guanxi_model::{Result, Uid, User};
use guanxi_ports::Walk;
use guanxi_ports::{BoxFuture, FoundUsers, NameAsker, StoreView, UserAsk, UserSearch};
use guanxi_text::MatchKind;

impl UserSearch for MemoryStore {
    fn search_users<'a>(&'a self, ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        Box::pin(async move {
            let as_of = self.shared.head();
            let view = self.view_now(Some(&as_of)).await?;
            let mut uids = scan_users(&view, &ask).await?;
            uids.truncate(ask.max);
            Ok(FoundUsers { uids, as_of })
        })
    }
}

/// All users of a view who fit, however many are asked for: the best kind of match first.
///
/// # Errors
/// Those of the view.
pub async fn scan_users(view: &dyn StoreView, ask: &UserAsk<'_>) -> Result<Vec<Uid>> {
    let users = all(view).await?;
    let mut found: Vec<(MatchKind, Uid)> =
        users.iter().filter_map(|user| Some((fits(user, ask)?, user.uid))).collect();
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, uid)| uid).collect())
}

/// All users, by rising uids.
pub(super) async fn all(view: &dyn StoreView) -> Result<Vec<User>> {
    let mut users: Vec<User> = Vec::new();
    loop {
        let some = view.all_users(Walk::new(users.last().map(|user| user.uid), USERS_MAX as usize)).await?;
        if some.is_empty() {
            return Ok(users);
        }
        users.extend(some);
    }
}

fn fits(user: &User, ask: &UserAsk<'_>) -> Option<MatchKind> {
    let is_service = ask.asks == NameAsker::Service;
    if user.status.is_deleted() || user.standing().is_gone() && !is_service {
        return None;
    }
    if ask.among.is_some_and(|among| !among.contains(&user.uid)) {
        return None;
    }
    let login_name = user.login_name.as_ref();
    let typed = login_name.filter(|name| name.is_typed(ask.typed)).map(|_| MatchKind::Exact);
    let alike = login_name.filter(|_| is_service).and_then(|name| ask.query.matches(name.shown()));
    ask.query.matches(&user.profile.nickname).into_iter().chain(typed).chain(alike).min()
}

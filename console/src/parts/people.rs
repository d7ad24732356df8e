//! Users on pages: face, name and a link. Names are asked for in one call for a page.

use std::collections::HashMap;

use guanxi_proto::v1;
use maud::{Markup, html};

use crate::answer::Trouble;
use crate::picture::avatar;
use crate::texts::Text;
use crate::visit::Visit;

/// Users that one call is asked for.
const BATCH: usize = 500;

/// What a page knows of the users that it names.
pub(crate) struct People {
    users: HashMap<u64, v1::User>,
    /// Names of users without a profile, in the demo.
    made_up: Option<fn(u64) -> String>,
}

impl People {
    /// Asks for users, each once.
    ///
    /// # Errors
    /// That of the call.
    pub(crate) async fn load(visit: &Visit, uids: impl IntoIterator<Item = u64>) -> Result<Self, Trouble> {
        let mut uids: Vec<u64> = uids.into_iter().filter(|uid| *uid != 0).collect();
        uids.sort_unstable();
        uids.dedup();
        let mut people = HashMap::with_capacity(uids.len());
        for batch in uids.chunks(BATCH) {
            let request = v1::BatchGetUsersRequest { uids: batch.to_vec(), ..Default::default() };
            let found = visit.calls.main.user().batch_get_users(request).await?.into_owned().users;
            people.extend(found.into_iter().map(|user| (user.uid, user)));
        }
        Ok(Self { users: people, made_up: visit.console.demo.map(|world| world.name) })
    }

    /// Returns a name of a user: nickname, else login name, else the uid.
    pub(crate) fn name(&self, uid: u64) -> String {
        match (self.users.get(&uid).filter(|user| named(user)), self.made_up) {
            (Some(user), _) => name(user),
            (None, Some(made_up)) => made_up(uid),
            (None, None) => uid.to_string(),
        }
    }

    fn is_named(&self, uid: u64) -> bool {
        self.made_up.is_some() || self.users.get(&uid).is_some_and(named)
    }

    /// Shows a user.
    pub(crate) fn show(&self, uid: u64) -> Markup {
        html! {
            a.person href={ "/user/" (uid) } {
                (avatar(uid, 22))
                bdi.name { (self.name(uid)) }
            }
            @if self.is_named(uid) { " " span.soft { (uid) } }
        }
    }
}

/// Returns a name of a user.
pub(crate) fn name(user: &v1::User) -> String {
    let names = [&user.nickname, &user.login_name];
    names.into_iter().find(|name| !name.is_empty()).cloned().unwrap_or_else(|| user.uid.to_string())
}

fn named(user: &v1::User) -> bool {
    !(user.nickname.is_empty() && user.login_name.is_empty())
}

/// Shows a relation in words.
pub(crate) fn relation(visit: &Visit, relation: &v1::Relation) -> Markup {
    use v1::relation::State;
    let state = match relation.state.as_known() {
        Some(State::FOLLOWING) => Text::StateFollowing,
        Some(State::FOLLOWED_BY) => Text::StateFollowedBy,
        Some(State::MUTUAL) => Text::StateMutual,
        _ => Text::StateNone,
    };
    let marks = [
        (relation.blocking, Text::Blocking),
        (relation.blocked_by, Text::BlockedBy),
        (relation.muting, Text::Muting),
    ];
    html! {
        span.badge { (visit.say(state)) }
        @for (_, text) in marks.into_iter().filter(|(holds, _)| *holds) { " " span.badge.warn { (visit.say(text)) } }
    }
}

//! Two test users side by side. They are made by a button and erased by another one, and are users of the server like any others.

use guanxi_proto::v1;
use maud::{Markup, html};

use super::pair::{Pair, Side};
use crate::answer::{Answer, Trouble};
use crate::layout::csrf;
use crate::live;
use crate::parts::{Called, Value, deed, equivalents, question};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// The path of the page.
pub(crate) const ROOT: &str = "/try";

/// The external ids of the two, and their names.
const USERS: [(&str, &str); 2] =
    [("guanxi-console-try-a", "Ada (test user)"), ("guanxi-console-try-b", "Bo (test user)")];

/// The attribute that marks them. No other user is touched or erased here.
const MARK: (&str, &str) = ("guanxi_console", "try");

/// The test users of a server.
enum Tested {
    None,
    /// They are deleted, and a job removes what they had.
    Erasing,
    There(Pair),
}

impl Tested {
    async fn find(visit: &Visit) -> Result<Self, Trouble> {
        let external_ids = USERS.map(|(id, _)| id.to_owned()).to_vec();
        let ids = v1::ResolveIdsRequest { external_ids, ..Default::default() };
        let ids = visit.calls.main.user().resolve_ids(ids).await?.into_owned().by_external_id;
        let &[a, b] = ids.iter().map(|id| id.uid).collect::<Vec<_>>().as_slice() else {
            return Ok(Self::None);
        };
        if a == 0 || b == 0 {
            return Ok(Self::None);
        }
        let request = v1::BatchGetUsersRequest { uids: vec![a, b], ..Default::default() };
        let users = visit.calls.main.user().batch_get_users(request).await?.into_owned().users;
        if users.iter().any(|user| user.status.as_known() == Some(v1::user::Status::DELETED)) {
            return Ok(Self::Erasing);
        }
        let (name, value) = MARK;
        let is_ours =
            |user: &v1::User| user.attributes.get(name).is_some_and(|found| found.as_str() == value);
        let are_ours = users.len() == 2 && users.iter().all(is_ours);
        Ok(if are_ours { Self::There(Pair { root: ROOT, uids: [a, b] }) } else { Self::None })
    }

    fn pair(self) -> Result<Pair, Trouble> {
        match self {
            Self::There(pair) => Ok(pair),
            Self::None | Self::Erasing => Err(Trouble::Bad(Text::TryNone, String::new())),
        }
    }
}

pub(super) async fn page(visit: &Visit) -> Shown {
    let body = match Tested::find(visit).await? {
        Tested::None => html! {
            p { (visit.say(Text::TryNone)) }
            @if visit.operator().may_change() {
                form method="post" action="/try/make" {
                    (csrf(&visit.session.csrf))
                    button.strong { (visit.say(Text::TryMake)) }
                }
            }
        },
        Tested::Erasing => html! {
            p { (visit.say(Text::TryErasing)) }
            p { a href=(ROOT) { (visit.say(Text::TryIt)) } }
        },
        Tested::There(pair) => there(visit, pair).await?,
    };
    let body = html! { p.soft { (visit.say(Text::TryHint)) } (body) };
    Ok(visit.page(visit.say(Text::TryIt), &body))
}

async fn there(visit: &Visit, pair: Pair) -> Result<Markup, Trouble> {
    let called = if visit.query.get("did") == "make" { making() } else { vec![] };
    let called = if called.is_empty() { pair.called(visit).await?.into_iter().collect() } else { called };
    Ok(html! {
        (pair.shown(visit).await?)
        @if !called.is_empty() { (equivalents(visit, &called)) }
        p.row { (deed(visit, "/try/erase", Text::TryErase)) }
    })
}

/// The call that makes the users.
fn making() -> Vec<Called> {
    let ids = Value::Texts(USERS.map(|(id, _)| id.to_owned()).to_vec());
    let fields = vec![("externalIds", ids), ("create", Value::True)];
    vec![Called { service: "UserService", method: "ResolveIds", fields }]
}

/// The first posts of the home of one of the two, as they change.
pub(super) async fn live(visit: &Visit) -> Shown {
    Side::of(visit.part("side"))?;
    Ok(live::redrawn(visit, |visit| {
        Box::pin(async move {
            let side = Side::of(visit.part("side"))?;
            Tested::find(visit).await?.pair()?.home(visit, side).await
        })
    }))
}

/// Makes the users, or what is missing of them.
pub(super) async fn make(visit: &Visit) -> Shown {
    visit.may_change()?;
    let users = visit.calls.main.user();
    let external_ids = USERS.map(|(id, _)| id.to_owned()).to_vec();
    let request = v1::ResolveIdsRequest { external_ids, create: true, ..Default::default() };
    let made = users.resolve_ids(request).await?.into_owned().by_external_id;
    for (id, (_, nickname)) in made.iter().zip(USERS) {
        let (name, value) = MARK;
        let request = v1::UpdateUserRequest {
            uid: id.uid,
            nickname: nickname.to_owned(),
            attributes: [(name.to_owned(), value.to_owned())].into_iter().collect(),
            ..Default::default()
        };
        visit.looked("UpdateUser", id.uid, async { users.update_user(request).await.map(drop) }).await?;
    }
    Ok(Answer::to("/try?did=make#did"))
}

/// Does what the form of one of the two asks for.
pub(super) async fn act(visit: &Visit) -> Shown {
    visit.may_change()?;
    Tested::find(visit).await?.pair()?.act(visit).await
}

/// Asks before the users are erased.
pub(super) async fn ask(visit: &Visit) -> Shown {
    visit.may_change()?;
    let [a, b] = Tested::find(visit).await?.pair()?.uids;
    let words = visit.look.fill(Text::TryEraseQuestion, &[&a, &b]);
    Ok(visit.page(visit.say(Text::TryErase), &question(visit, &words, false, ROOT)))
}

/// Erases the users.
pub(super) async fn erase(visit: &Visit) -> Shown {
    visit.may_change()?;
    for uid in Tested::find(visit).await?.pair()?.uids {
        let request = v1::EraseUserRequest { uid, ..Default::default() };
        let users = visit.calls.main.user();
        visit.looked("EraseUser", uid, async { users.erase_user(request).await.map(drop) }).await?;
    }
    Ok(Answer::to(ROOT))
}

//! Finding users: by uid, login name, external id, phone, mail, or by words of their names.

use guanxi_proto::v1;
use maud::html;

use crate::answer::{Answer, Trouble};
use crate::limits::PAGE_ROWS;
use crate::parts::{People, pager, relation};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let query = visit.query.get("q");
    if query.is_empty() {
        return Ok(visit.page(visit.say(Text::Users), &form(visit)));
    }
    if visit.query.get("page").is_empty()
        && let Some(uid) = exactly(visit, query).await?
    {
        return Ok(Answer::to(&format!("/user/{uid}")));
    }
    let request = v1::SearchUsersRequest {
        query: query.to_owned(),
        page_size: PAGE_ROWS,
        page_token: visit.query.get("page").to_owned(),
        ..Default::default()
    };
    let found = match visit.calls.main.search().search_users(request).await {
        Ok(found) => found.into_owned(),
        Err(error) => {
            let trouble = Trouble::from(error);
            let body = html! { (form(visit)) p.wrong { (trouble.words(visit.look)) } };
            return Ok(visit.page(visit.say(Text::Users), &body));
        }
    };
    let people = People::load(visit, found.users.iter().map(|found| found.user.uid)).await?;
    let body = html! {
        (form(visit))
        @if found.users.is_empty() {
            p { (visit.look.fill(Text::NoUserFound, &[&query])) }
        } @else {
            ul { @for found in &found.users {
                li { (people.show(found.user.uid)) " " @if let Some(to) = found.relation.as_option() { (relation(visit, to)) } }
            } }
        }
        (pager(visit, &found.next_page_token))
    };
    Ok(visit.page(visit.say(Text::Users), &body))
}

fn form(visit: &Visit) -> maud::Markup {
    html! {
        form.row action="/users" method="get" {
            label for="q" { (visit.say(Text::FindUser)) }
            input #q name="q" type="search" value=(visit.query.get("q")) maxlength="320" size="40";
            button { (visit.say(Text::Find)) }
            a href="/rows/users" { (visit.say(Text::AllUsers)) }
        }
    }
}

/// Returns the user that a text names exactly: its uid, else its login name, phone or mail address, else its external id.
async fn exactly(visit: &Visit, text: &str) -> Result<Option<u64>, Trouble> {
    if let Ok(uid) = crate::visit::uid(text) {
        return Ok(Some(uid));
    }
    let mut request = v1::LookupUserRequest::default();
    match text {
        mail if mail.contains('@') => request.email = mail.to_owned(),
        phone if phone.starts_with('+') => request.phone = phone.to_owned(),
        name => request.login_name = name.to_owned(),
    }
    // A text that no name can be is no name of anybody: the search goes on with it.
    if let Ok(found) = visit.calls.main.user().lookup_user(request).await {
        return Ok(Some(found.into_owned().user.uid));
    }
    let request = v1::ResolveIdsRequest { external_ids: vec![text.to_owned()], ..Default::default() };
    let Ok(found) = visit.calls.main.user().resolve_ids(request).await else { return Ok(None) };
    Ok(found.into_owned().by_external_id.first().map(|found| found.uid).filter(|uid| *uid != 0))
}

//! All users, by state, time of registration, counters and the beginning of their names, from the index of the back office, with sums
//! over them.

use guanxi_proto::v1;
use guanxi_proto::v1::row_sum_request::Step;
use guanxi_proto::v1::{UserColumn, UserState};
use maud::{Markup, html};

use super::filters::{self, Choice};
use super::sums::Shape;
use crate::answer::Trouble;
use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, nothing, number, pager};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

const STATES: &[Choice<UserState>] = &[
    ("active", Text::UserActive, UserState::USER_ACTIVE),
    ("deactivated", Text::UserDeactivated, UserState::USER_DEACTIVATED),
    ("taken-down", Text::StateTakenDown, UserState::USER_TAKEN_DOWN),
    ("deleted", Text::UserDeleted, UserState::USER_DELETED),
];

const ORDERS: &[Choice<UserColumn>] = &[
    ("registered", Text::Created, UserColumn::USER_REGISTERED),
    ("last-login", Text::LastLogin, UserColumn::USER_LAST_LOGIN),
    ("followers", Text::Followers, UserColumn::USER_FOLLOWERS),
    ("following", Text::Following, UserColumn::USER_FOLLOWING),
    ("friends", Text::Friends, UserColumn::USER_FRIENDS),
    ("posts", Text::Posts, UserColumn::USER_POSTS),
];

/// The names of the numbers of states, in their order from 0.
const STATE_NAMES: &[Text] =
    &[Text::UserActive, Text::UserDeactivated, Text::StateTakenDown, Text::UserDeleted];

const CHARTS: &[Choice<(UserColumn, Shape)>] = &[
    ("day", Text::ChartDays, (UserColumn::USER_REGISTERED, Shape::Times(Step::DAY))),
    ("week", Text::ChartWeeks, (UserColumn::USER_REGISTERED, Shape::Times(Step::WEEK))),
    ("month", Text::ChartMonths, (UserColumn::USER_REGISTERED, Shape::Times(Step::MONTH))),
    ("state", Text::State, (UserColumn::USER_STATE, Shape::Named(STATE_NAMES))),
    ("followers", Text::Followers, (UserColumn::USER_FOLLOWERS, Shape::Numbers)),
    ("following", Text::Following, (UserColumn::USER_FOLLOWING, Shape::Numbers)),
    ("friends", Text::Friends, (UserColumn::USER_FRIENDS, Shape::Numbers)),
    ("posts", Text::Posts, (UserColumn::USER_POSTS, Shape::Numbers)),
];

pub(super) async fn page(visit: &Visit) -> Shown {
    let body = match rows(visit).await {
        Ok(rows) => html! { (form(visit)) (rows) },
        Err(trouble @ (Trouble::Call(_) | Trouble::Bad(..))) => {
            html! { (form(visit)) p.problem.warn { (trouble.words(visit.look)) } }
        }
        Err(other) => return Err(other),
    };
    Ok(visit.page(visit.say(Text::AllUsers), &body))
}

fn form(visit: &Visit) -> Markup {
    html! {
        form action="/rows/users" method="get" {
            p.row {
                label for="name" { (visit.say(Text::NameBegins)) }
                input #name name="name" type="search" value=(visit.query.get("name")) maxlength="128";
                button { (visit.say(Text::Find)) }
                a href="/users" { (visit.say(Text::FindUser)) }
            }
            details open[!filters::carried(visit).is_empty()] {
                summary { (visit.say(Text::MoreFilters)) }
                (filters::boxes(visit, "state", Text::State, STATES))
                (filters::time_fields(visit, "registered", Text::Created))
                (filters::number_fields(visit, "followers", Text::Followers))
                (filters::number_fields(visit, "following", Text::Following))
                (filters::number_fields(visit, "posts", Text::Posts))
                (super::sums::order_and_chart(visit, Text::Newest, ORDERS, CHARTS))
            }
        }
    }
}

/// Returns the query that the reader has set, without its page: that of the list, and of an export.
pub(super) fn query(visit: &Visit) -> Result<v1::QueryUsersRequest, Trouble> {
    let filter = v1::UserFilter {
        states: filters::ticked(visit, "state", STATES).into_iter().map(Into::into).collect(),
        registered: filters::times(visit, "registered")?.into(),
        followers: filters::numbers(visit, "followers")?.into(),
        following: filters::numbers(visit, "following")?.into(),
        posts: filters::numbers(visit, "posts")?.into(),
        name: visit.query.get("name").to_owned(),
        ..Default::default()
    };
    let order_by = filters::selected(visit, "order", ORDERS).unwrap_or(UserColumn::USER_COLUMN_UNSPECIFIED);
    let descending = visit.query.get("rising").is_empty();
    Ok(v1::QueryUsersRequest {
        filter: filter.into(),
        order_by: order_by.into(),
        descending,
        ..Default::default()
    })
}

async fn rows(visit: &Visit) -> Result<Markup, Trouble> {
    let page = visit.query.get("page");
    // Sums are over all pages: the first one shows them.
    let chart = filters::selected(visit, "chart", CHARTS).filter(|_| page.is_empty());
    let sums = chart
        .map(|(column, shape)| v1::RowSumRequest { of_users: column.into(), ..shape.request() })
        .into_iter()
        .collect();
    let request =
        v1::QueryUsersRequest { page_size: PAGE_ROWS, page_token: page.to_owned(), sums, ..query(visit)? };
    let found = visit.calls.admin.admin().query_users(request).await?.into_owned();
    let people = People::load(visit, found.users.iter().map(|row| row.uid)).await?;
    Ok(html! {
        p.row {
            span.soft { (visit.look.fill(Text::Total, &[&number(found.total)])) }
            (filters::start_link(visit, "users"))
        }
        @if let Some(((_, shape), sum)) = chart.zip(found.sums.first()) {
            (shape.draw(visit, visit.say(Text::Chart), sum, &people))
        }
        (table(visit, &people, &found.users))
        (pager(visit, &found.next_page_token))
    })
}

fn table(visit: &Visit, people: &People, rows: &[v1::UserRow]) -> Markup {
    html! {
        @if rows.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::User, Text::State, Text::Created] { th scope="col" { (visit.say(text)) } }
                    @for text in [Text::Followers, Text::Following, Text::Friends, Text::Posts] { th.number scope="col" { (visit.say(text)) } }
                } }
                tbody { @for row in rows { tr {
                    td { (people.show(row.uid)) }
                    td { (state(visit, row)) }
                    td { (clock(visit.look, row.user.as_option().and_then(|user| user.create_time.as_option()))) }
                    @for count in [row.followers, row.following, row.friends, row.posts] { td.number { (number(count)) } }
                } } }
            } }
        }
    }
}

fn state(visit: &Visit, row: &v1::UserRow) -> &'static str {
    let found = STATES.iter().find(|(.., state)| Some(*state) == row.state.as_known());
    found.map_or("-", |(_, text, _)| visit.say(*text))
}

//! All posts, by words, state, form, visibility, time and counters, from the index of the back office, with sums over them.

use guanxi_proto::v1;
use guanxi_proto::v1::row_sum_request::Step;
use guanxi_proto::v1::{PostColumn, PostForm, PostState, post::Visibility};
use maud::{Markup, html};

use super::filters::{self, Choice};
use super::sums::Shape;
use crate::answer::Trouble;
use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, excerpt, nothing, number, pager};
use crate::texts::Text;
use crate::visit::{Shown, Visit, uid};

const STATES: &[Choice<PostState>] = &[
    ("live", Text::PostLive, PostState::POST_LIVE),
    ("deleted", Text::PostGone, PostState::POST_DELETED),
    ("taken-down", Text::StateTakenDown, PostState::POST_TAKEN_DOWN),
];

const FORMS: &[Choice<PostForm>] = &[
    ("plain", Text::FormPlain, PostForm::POST_PLAIN),
    ("reply", Text::FormReply, PostForm::POST_REPLY),
    ("quote", Text::FormQuote, PostForm::POST_QUOTE),
];

const VISIBILITIES: &[Choice<Visibility>] = &[
    ("public", Text::VisiblePublic, Visibility::PUBLIC),
    ("followers", Text::VisibleFollowers, Visibility::FOLLOWERS),
    ("friends", Text::VisibleFriends, Visibility::FRIENDS),
    ("group", Text::VisibleAnyGroup, Visibility::GROUP),
];

const ORDERS: &[Choice<PostColumn>] = &[
    ("created", Text::Time, PostColumn::POST_CREATED),
    ("likes", Text::Likes, PostColumn::POST_LIKES),
    ("replies", Text::Replies, PostColumn::POST_REPLIES),
    ("reposts", Text::Reposts, PostColumn::POST_REPOSTS),
    ("author", Text::Author, PostColumn::POST_AUTHOR),
];

/// The names of a column's numbers, in their order from 0.
const STATE_NAMES: &[Text] = &[Text::PostLive, Text::PostGone, Text::StateTakenDown];
const FORM_NAMES: &[Text] = &[Text::FormPlain, Text::FormReply, Text::FormQuote];
const VISIBILITY_NAMES: &[Text] =
    &[Text::VisiblePublic, Text::VisibleFollowers, Text::VisibleFriends, Text::VisibleAnyGroup];

const CHARTS: &[Choice<(PostColumn, Shape)>] = &[
    ("day", Text::ChartDays, (PostColumn::POST_CREATED, Shape::Times(Step::DAY))),
    ("week", Text::ChartWeeks, (PostColumn::POST_CREATED, Shape::Times(Step::WEEK))),
    ("month", Text::ChartMonths, (PostColumn::POST_CREATED, Shape::Times(Step::MONTH))),
    ("state", Text::State, (PostColumn::POST_STATE, Shape::Named(STATE_NAMES))),
    ("form", Text::PostKind, (PostColumn::POST_FORM, Shape::Named(FORM_NAMES))),
    ("visibility", Text::VisibleTo, (PostColumn::POST_VISIBILITY, Shape::Named(VISIBILITY_NAMES))),
    ("author", Text::Author, (PostColumn::POST_AUTHOR, Shape::People)),
    ("likes", Text::Likes, (PostColumn::POST_LIKES, Shape::Numbers)),
    ("replies", Text::Replies, (PostColumn::POST_REPLIES, Shape::Numbers)),
    ("reposts", Text::Reposts, (PostColumn::POST_REPOSTS, Shape::Numbers)),
];

pub(super) async fn page(visit: &Visit) -> Shown {
    let body = match rows(visit).await {
        Ok(rows) => html! { (form(visit)) (rows) },
        Err(trouble @ (Trouble::Call(_) | Trouble::Bad(..))) => {
            html! { (form(visit)) p.problem.warn { (trouble.words(visit.look)) } }
        }
        Err(other) => return Err(other),
    };
    Ok(visit.page(visit.say(Text::Posts), &body))
}

fn form(visit: &Visit) -> Markup {
    html! {
        form action="/posts" method="get" {
            p.row {
                label for="words" { (visit.say(Text::Words)) }
                input #words name="words" type="search" value=(visit.query.get("words")) maxlength="200";
                label for="author" { (visit.say(Text::Author)) }
                input #author name="author" inputmode="numeric" value=(visit.query.get("author")) size="20";
                button { (visit.say(Text::Find)) }
            }
            details open[!filters::carried(visit).is_empty()] {
                summary { (visit.say(Text::MoreFilters)) }
                (filters::boxes(visit, "state", Text::State, STATES))
                (filters::boxes(visit, "form", Text::PostKind, FORMS))
                (filters::boxes(visit, "visibility", Text::VisibleTo, VISIBILITIES))
                (filters::time_fields(visit, "created", Text::Time))
                (filters::number_fields(visit, "likes", Text::Likes))
                (filters::number_fields(visit, "replies", Text::Replies))
                (filters::number_fields(visit, "reposts", Text::Reposts))
                (super::sums::order_and_chart(visit, Text::Newest, ORDERS, CHARTS))
            }
        }
    }
}

/// Returns the query that the reader has set, without its page: that of the list, and of an export.
pub(super) fn query(visit: &Visit) -> Result<v1::QueryPostsRequest, Trouble> {
    let author = visit.query.get("author");
    let filter = v1::PostFilter {
        states: filters::ticked(visit, "state", STATES).into_iter().map(Into::into).collect(),
        authors: if author.is_empty() { Vec::new() } else { vec![uid(author)?] },
        forms: filters::ticked(visit, "form", FORMS).into_iter().map(Into::into).collect(),
        visibilities: filters::ticked(visit, "visibility", VISIBILITIES)
            .into_iter()
            .map(Into::into)
            .collect(),
        created: filters::times(visit, "created")?.into(),
        likes: filters::numbers(visit, "likes")?.into(),
        replies: filters::numbers(visit, "replies")?.into(),
        reposts: filters::numbers(visit, "reposts")?.into(),
        text: visit.query.get("words").to_owned(),
    };
    let order_by = filters::selected(visit, "order", ORDERS).unwrap_or(PostColumn::POST_COLUMN_UNSPECIFIED);
    let descending = visit.query.get("rising").is_empty();
    Ok(v1::QueryPostsRequest {
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
        .map(|(column, shape)| v1::RowSumRequest { of_posts: column.into(), ..shape.request() })
        .into_iter()
        .collect();
    let request =
        v1::QueryPostsRequest { page_size: PAGE_ROWS, page_token: page.to_owned(), sums, ..query(visit)? };
    let found = visit.calls.admin.admin().query_posts(request).await?.into_owned();
    let summed = chart.zip(found.sums.first());
    let of_sum = summed.map(|((_, shape), sum)| shape.people(sum)).unwrap_or_default();
    let people = People::load(visit, found.posts.iter().map(|row| row.author).chain(of_sum)).await?;
    Ok(html! {
        p.row {
            span.soft { (visit.look.fill(Text::Total, &[&number(found.total)])) }
            (filters::start_link(visit, "posts"))
        }
        @if let Some(((_, shape), sum)) = summed {
            (shape.draw(visit, visit.say(Text::Chart), sum, &people))
        }
        (table(visit, &people, &found.posts))
        (pager(visit, &found.next_page_token))
    })
}

fn table(visit: &Visit, people: &People, rows: &[v1::PostRow]) -> Markup {
    html! {
        @if rows.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::Post, Text::Author, Text::State, Text::PostKind, Text::PostBody, Text::Time] { th scope="col" { (visit.say(text)) } }
                    @for text in [Text::Likes, Text::Replies, Text::Reposts] { th.number scope="col" { (visit.say(text)) } }
                } }
                tbody { @for row in rows { tr {
                    td { a href={ "/post/" (row.post_id) } { (row.post_id) } }
                    td { (people.show(row.author)) }
                    td { (named(visit, STATES, row.state.as_known())) }
                    td { (named(visit, FORMS, row.form.as_known())) }
                    td.text dir="auto" { (excerpt(&row.text)) }
                    td { (clock(visit.look, row.create_time.as_option())) }
                    @for count in [row.likes, row.replies, row.reposts] { td.number { (number(count)) } }
                } } }
            } }
        }
    }
}

/// The name of a value among the choices of a filter.
fn named<T: Copy + PartialEq>(visit: &Visit, choices: &[Choice<T>], value: Option<T>) -> &'static str {
    let found = choices.iter().find(|(.., stands_for)| Some(*stands_for) == value);
    found.map_or("-", |(_, text, _)| visit.say(*text))
}

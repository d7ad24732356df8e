//! All posts, by words and state, from the index of the back office.

use guanxi_proto::v1;
use maud::{Markup, html};

use crate::answer::Trouble;
use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, excerpt, nothing, number, pager};
use crate::texts::Text;
use crate::visit::{Shown, Visit, uid};

pub(super) async fn page(visit: &Visit) -> Shown {
    let body = match rows(visit).await {
        Ok(rows) => html! { (form(visit)) (rows) },
        Err(Trouble::Call(error)) => {
            html! { (form(visit)) p.problem.warn { (Trouble::Call(error).words(visit.look)) } }
        }
        Err(other) => return Err(other),
    };
    Ok(visit.page(visit.say(Text::Posts), &body))
}

fn form(visit: &Visit) -> Markup {
    html! {
        form.row action="/posts" method="get" {
            label for="words" { (visit.say(Text::Words)) }
            input #words name="words" type="search" value=(visit.query.get("words")) maxlength="200";
            label for="author" { (visit.say(Text::Author)) }
            input #author name="author" inputmode="numeric" value=(visit.query.get("author")) size="20";
            button { (visit.say(Text::Find)) }
        }
    }
}

async fn rows(visit: &Visit) -> Result<Markup, Trouble> {
    let author = visit.query.get("author");
    let authors = if author.is_empty() { Vec::new() } else { vec![uid(author)?] };
    let filter = v1::PostFilter { text: visit.query.get("words").to_owned(), authors, ..Default::default() };
    let request = v1::QueryPostsRequest {
        filter: filter.into(),
        page_size: PAGE_ROWS,
        page_token: visit.query.get("page").to_owned(),
        ..Default::default()
    };
    let found = visit.calls.admin.admin().query_posts(request).await?.into_owned();
    let people = People::load(visit, found.posts.iter().map(|row| row.author)).await?;
    Ok(html! {
        p.soft { (visit.look.fill(Text::Total, &[&number(found.total)])) }
        @if found.posts.is_empty() { (nothing(visit)) } @else {
            div.scroll { table {
                thead { tr {
                    @for text in [Text::Post, Text::Author, Text::PostBody, Text::Time] { th scope="col" { (visit.say(text)) } }
                    @for text in [Text::Likes, Text::Replies, Text::Reposts] { th.number scope="col" { (visit.say(text)) } }
                } }
                tbody { @for row in &found.posts { tr {
                    td { a href={ "/post/" (row.post_id) } { (row.post_id) } }
                    td { (people.show(row.author)) }
                    td.text dir="auto" { (excerpt(&row.text)) }
                    td { (clock(visit.look, row.create_time.as_option())) }
                    @for count in [row.likes, row.replies, row.reposts] { td.number { (number(count)) } }
                } } }
            } }
        }
        (pager(visit, &found.next_page_token))
    })
}

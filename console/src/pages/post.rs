//! One post: its text, counters, earlier revisions and those who like it.

use guanxi_proto::v1;
use http::StatusCode;
use maud::{Markup, html};

use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, deed, nothing, post};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let post_id = visit.post_id()?;
    let calls = visit.calls.main.post();
    let request = v1::GetPostRequest { post_id, ..Default::default() };
    let found = match visit.looked_at_post("GetPost", post_id, calls.get_post(request)).await {
        Ok(found) => found.into_owned(),
        Err(trouble) if trouble.status() == StatusCode::NOT_FOUND => return gone(visit, post_id).await,
        Err(trouble) => return Err(trouble),
    };
    let revisions = v1::ListPostRevisionsRequest { post_id, page_size: PAGE_ROWS, ..Default::default() };
    let likers = v1::ListLikersRequest { post_id, page_size: PAGE_ROWS, ..Default::default() };
    let (revisions, likers) = tokio::join!(calls.list_post_revisions(revisions), calls.list_likers(likers));
    // Of a deleted post there is neither.
    let revisions = revisions.map(|found| found.into_owned().revisions).unwrap_or_default();
    let likers = likers.map(|found| found.into_owned().users).unwrap_or_default();
    let item = found.item.as_option().cloned().unwrap_or_default();
    let author = item.post.as_option().map_or(0, |post| post.author);
    let original =
        item.original.as_option().and_then(|item| item.post.as_option()).map_or(0, |post| post.author);
    let people = People::load(visit, likers.iter().map(|liker| liker.uid).chain([author, original])).await?;
    let is_taken_down = item.post.as_option().is_some_and(|post| !post.takedown_reason.is_empty());
    let body = html! {
        (post(visit, &people, &item, &html! {}))
        @if let Some(whole) = item.post.as_option() {
            p.text dir="auto" { (whole.text) }
        }
        p.row {
            @if is_taken_down {
                (deed(visit, &format!("/do/reinstate-post/{post_id}"), Text::Reinstate))
            } @else {
                (deed(visit, &format!("/do/take-down-post/{post_id}"), Text::TakeDown))
            }
        }
        (revised(visit, &revisions))
        h2 { (visit.say(Text::Likes)) }
        @if likers.is_empty() { (nothing(visit)) }
        ul { @for liker in &likers { li { (people.show(liker.uid)) } } }
    };
    Ok(visit.page(&format!("{} {post_id}", visit.say(Text::Post)), &body))
}

/// A post that is shown to its author alone, or to no user: what operators did about it, and the way back.
async fn gone(visit: &Visit, post_id: u64) -> Shown {
    let request = v1::ListAuditEntriesRequest {
        target: format!("post:{post_id}"),
        page_size: PAGE_ROWS,
        ..Default::default()
    };
    let found = visit.calls.admin.admin().list_audit_entries(request).await?.into_owned();
    let body = html! {
        p.problem.warn { (visit.say(Text::PostGoneHint)) }
        p.row { (deed(visit, &format!("/do/reinstate-post/{post_id}"), Text::Reinstate)) }
        h2 { (visit.say(Text::AuditLog)) }
        (super::audit::table(visit, &found.entries))
    };
    Ok(visit.page(&format!("{} {post_id}", visit.say(Text::Post)), &body))
}

fn revised(visit: &Visit, revisions: &[v1::Post]) -> Markup {
    html! {
        @if !revisions.is_empty() {
            h2 { (visit.say(Text::Revisions)) }
            ol reversed { @for revision in revisions {
                li {
                    span.soft { (visit.say(Text::Revision)) " " (revision.revision) " " (clock(visit.look, revision.update_time.as_option())) }
                    p.text dir="auto" { (revision.text) }
                }
            } }
        }
    }
}

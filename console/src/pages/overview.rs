//! The first page: what is wrong, and how the process has done in the last minutes.

use guanxi_api::overview::shown;
use guanxi_proto::v1;
use maud::{Markup, html};

use crate::answer::Trouble;
use crate::live;
use crate::parts::{clock, copied, number};
use crate::picture::spark;
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// The series of the page, by group. What is not here is in `guanxi top --json` and in the metrics.
const GROUPS: &[(Text, &[(&str, Text)])] = &[
    (
        Text::GroupCalls,
        &[
            ("calls.rate", Text::CallsRate),
            ("calls.p50", Text::CallsP50),
            ("calls.p99", Text::CallsP99),
            ("calls.errors_server", Text::ErrorsOfServer),
            ("calls.errors_refused", Text::ErrorsRefused),
            ("load.wait", Text::LoadWait),
            ("load.connections", Text::Connections),
            ("load.calls", Text::CallsInFlight),
            ("load.streams", Text::Streams),
        ],
    ),
    (
        Text::GroupWrites,
        &[
            ("log.events", Text::EventsRate),
            ("writes.commits", Text::Commits),
            ("writes.per_commit", Text::WritesPerCommit),
            ("writes.commit_p99", Text::CommitP99),
            ("writes.fsync_p99", Text::FsyncP99),
        ],
    ),
    (
        Text::GroupHomes,
        &[
            ("homes.from_inbox", Text::FromInbox),
            ("homes.from_pull", Text::Pulled),
            ("fanout.deliveries", Text::Delivered),
            ("fanout.behind", Text::FanoutBehind),
            ("fanout.lag_p99", Text::FanoutLag),
            ("search.posts_behind", Text::SearchPostsBehind),
            ("search.users_behind", Text::SearchUsersBehind),
        ],
    ),
    (
        Text::GroupCaches,
        &[
            ("hits.users", Text::HitsUsers),
            ("hits.authors", Text::HitsAuthors),
            ("hits.items", Text::HitsItems),
            ("hits.first_pages", Text::HitsFirstPages),
            ("hits.sessions", Text::HitsSessions),
        ],
    ),
    (
        Text::GroupProcess,
        &[
            ("process.cpu", Text::ProcessCpu),
            ("process.resident", Text::ProcessResident),
            ("memory.inboxes", Text::MemoryInboxes),
            ("memory.users", Text::MemoryUsers),
            ("memory.authors", Text::MemoryAuthors),
            ("memory.items", Text::MemoryItems),
            ("process.open_files", Text::OpenFiles),
            ("disk.free", Text::DiskFree),
        ],
    ),
];

pub(super) async fn page(visit: &Visit) -> Shown {
    let region = region(visit).await?;
    Ok(visit.page(
        visit.say(Text::Overview),
        &html! {
            div data-live="/live/overview" { (region) }
        },
    ))
}

/// The region that is drawn anew while somebody looks.
pub(super) async fn live(visit: &Visit) -> Shown {
    Ok(live::redrawn(visit, |visit| Box::pin(region(visit))))
}

async fn region(visit: &Visit) -> Result<Markup, Trouble> {
    let admin = visit.calls.admin.admin();
    let (overview, fanout) = tokio::try_join!(
        admin.get_overview(v1::GetOverviewRequest::default()),
        admin.get_fanout_status(v1::GetFanoutStatusRequest::default())
    )?;
    let (overview, fanout) = (overview.into_owned(), fanout.into_owned());
    Ok(html! {
        (problems(visit, &overview.problems))
        p.soft {
            "guanxi " (overview.version) " · "
            (visit.say(Text::Since)) " " (clock(visit.look, overview.start_time.as_option()))
            " · " (overview.roles.join(", "))
        }
        @for (group, rows) in GROUPS { (cards(visit, *group, rows, &overview.series)) }
        (fanned_out(visit, &fanout))
    })
}

/// What is wrong, the worst first, with the command that mends it.
fn problems(visit: &Visit, problems: &[v1::OverviewProblem]) -> Markup {
    use v1::overview_problem::Severity;
    html! {
        section aria-labelledby="wrong" {
            h2 #wrong { (visit.say(Text::WhatIsWrong)) }
            @if problems.is_empty() { p.fine { (visit.say(Text::NothingIsWrong)) } }
            @for problem in problems {
                @let is_bad = problem.severity.as_known() == Some(Severity::CRITICAL);
                div.problem.warn[!is_bad] {
                    p { strong { (problem.name) } ": " (problem.text) }
                    p { (copied(visit, &problem.remedy)) }
                }
            }
        }
    }
}

/// A group of series. One that the process does not have is left out.
fn cards(visit: &Visit, group: Text, rows: &[(&str, Text)], series: &[v1::OverviewSeries]) -> Markup {
    let found =
        rows.iter().filter_map(|(name, text)| Some((text, series.iter().find(|of| of.name == *name)?)));
    html! {
        section {
            h2 { (visit.say(group)) }
            div.cards { @for (text, series) in found { (card(visit, *text, series)) } }
        }
    }
}

/// Shows a series: its newest value, and a line of the last minutes.
pub(super) fn card(visit: &Visit, title: Text, series: &v1::OverviewSeries) -> Markup {
    let values: Vec<Option<f64>> = series.values.iter().map(|value| value.value).collect();
    let now = values.last().copied().flatten();
    let said = now.map_or_else(|| "-".to_owned(), |now| shown(&series.unit, now));
    html! {
        div.card {
            h3 { (visit.say(title)) }
            div.number {
                (said)
                @if let Some(maximum) = series.maximum { " " span.small { "/ " (shown(&series.unit, maximum)) } }
            }
            @if let (Some(now), Some(maximum)) = (now, series.maximum) {
                meter min="0" max=(maximum) high=(maximum * 0.9) value=(now) aria-label=(visit.say(title)) {}
            }
            (spark(&values, &format!("{}: {said}", visit.say(title))))
        }
    }
}

fn fanned_out(visit: &Visit, fanout: &v1::GetFanoutStatusResponse) -> Markup {
    use v1::fanout_policy::Mode;
    let mode = fanout.policy.as_option().map(|policy| match policy.mode.as_known() {
        Some(Mode::PUSH) => "push",
        Some(Mode::HYBRID) => "hybrid",
        _ => "pull",
    });
    let count = |text: Text, value: Option<u64>| {
        html! {
            @if let Some(value) = value {
                div.card { h3 { (visit.say(text)) } div.number { (number(value)) } }
            }
        }
    };
    html! {
        section aria-labelledby="fanout" {
            h2 #fanout { (visit.say(Text::Fanout)) }
            div.cards {
                div.card {
                    h3 { (visit.say(Text::FanoutMode)) }
                    div.number { (mode.unwrap_or("-")) }
                    p.small { (copied(visit, "guanxi fanout set --mode hybrid")) }
                }
                (count(Text::FanoutQueued, fanout.queued))
                (count(Text::InboxesKept, fanout.inboxes))
                (count(Text::Delivered, fanout.delivered))
            }
        }
    }
}

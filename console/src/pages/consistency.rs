//! Checks: of stored rows against each other, of homes, and of the search indexes, as they go on; and how to mend what they find.

use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use guanxi_proto::v1;
use maud::{Markup, html};

use super::tally::Tally;
use super::{audit, mends};
use crate::answer::Trouble;
use crate::limits::{BACKUPS_SHOWN, CHECKED_HOMES};
use crate::live;
use crate::parts::copied;
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Stored rows with each other.
    Facts,
    /// Homes with their definition.
    Homes,
    /// The search indexes with users and posts.
    Search,
}

impl Check {
    const ALL: [Self; 3] = [Self::Facts, Self::Homes, Self::Search];

    fn of(name: &str) -> Result<Self, Trouble> {
        Self::ALL.into_iter().find(|check| check.name() == name).ok_or(Trouble::NotFound)
    }

    /// Its name in addresses.
    const fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Homes => "homes",
            Self::Search => "search",
        }
    }

    const fn title(self) -> Text {
        match self {
            Self::Facts => Text::CheckFacts,
            Self::Homes => Text::CheckHomes,
            Self::Search => Text::CheckSearch,
        }
    }

    const fn hint(self) -> Text {
        match self {
            Self::Facts => Text::CheckHint,
            Self::Homes => Text::CheckHomesHint,
            Self::Search => Text::CheckSearchHint,
        }
    }

    /// How to mend what it finds.
    pub(super) const fn mend(self) -> (Text, &'static [&'static str]) {
        match self {
            Self::Facts => (Text::MendFacts, &["guanxi repair --server URL", "guanxi --config FILE repair"]),
            Self::Homes => (
                Text::MendHomes,
                &[
                    "guanxi fanout policy --mode pull --server URL",
                    "guanxi fanout policy --mode hybrid --server URL",
                ],
            ),
            Self::Search => (Text::MendSearch, &["guanxi repair rebuild search --server URL"]),
        }
    }
}

/// The page. A check begins when the reader asks for one; with script it is watched here, without it the page answers at its end.
pub(super) async fn page(visit: &Visit) -> Shown {
    let begun = visit.query.get("check");
    let begun = if begun.is_empty() { None } else { Some(Check::of(begun)?) };
    let asked = v1::ListAuditEntriesRequest {
        action: "Backup".to_owned(),
        page_size: BACKUPS_SHOWN,
        ..Default::default()
    };
    let made = visit.calls.admin.admin().list_audit_entries(asked).await?.into_owned().entries;
    let body = html! {
        @for check in Check::ALL {
            section {
                h2 { (visit.say(check.title())) }
                p { (visit.say(check.hint())) }
                form action="/consistency" method="get" {
                    input type="hidden" name="check" value=(check.name());
                    button.strong { (visit.say(Text::StartCheck)) }
                }
                @if begun == Some(check) { (watched(visit, check)) }
                (mending(visit, check))
            }
            @if check == Check::Facts { (mends::section(visit)) }
        }
        (backups(visit, &made))
    };
    Ok(visit.page(visit.say(Text::Consistency), &body))
}

fn watched(visit: &Visit, check: Check) -> Markup {
    let at = format!("/consistency/check?of={}", check.name());
    html! {
        div data-live=(at) data-once aria-live="polite" aria-busy="true" {
            noscript { p { a href={ (at) "&whole=1" } { (visit.say(Text::StartCheck)) } } }
            p.soft { (visit.say(Text::Loading)) }
        }
    }
}

fn mending(visit: &Visit, check: Check) -> Markup {
    let (text, commands) = check.mend();
    html! {
        details {
            summary { (visit.say(Text::HowToMend)) }
            p { (visit.say(text)) }
            @for command in commands { p { (copied(visit, command)) } }
        }
    }
}

/// The newest backups that the audit log knows of, and how to make one.
fn backups(visit: &Visit, made: &[v1::AuditEntry]) -> Markup {
    html! {
        section {
            h2 { (visit.say(Text::Backups)) }
            @if made.is_empty() {
                p.problem.warn { (visit.say(Text::NoBackupKnown)) }
            } @else {
                p { (visit.say(Text::BackupsKnown)) }
                (audit::table(visit, made))
            }
            p { (visit.say(Text::RestoreState)) }
            p { (visit.say(Text::BackupsHint)) }
            p { (copied(visit, "guanxi backup FILE --server URL --token-file FILE")) }
        }
    }
}

/// A check, as a stream of its progress; for a browser without script, as a page at its end.
pub(super) async fn check(visit: &Visit) -> Shown {
    let check = Check::of(visit.query.get("of"))?;
    let begun = match live::place(visit) {
        Ok(place) => steps(visit, check).await.map(|steps| (place, steps)),
        Err(trouble) => Err(trouble),
    };
    if !visit.query.get("whole").is_empty() {
        let (_place, mut steps) = begun?;
        let mut last = html! {};
        while let Some(step) = steps.next().await {
            last = step?;
        }
        return Ok(visit.page(visit.say(check.title()), &html! { (last) (mending(visit, check)) }));
    }
    let (place, steps) = match begun {
        Ok(begun) => begun,
        Err(trouble) => return Ok(live::refused(visit, &trouble)),
    };
    let look = visit.look;
    let fragments = steps.map(move |step| {
        let drawn = step.unwrap_or_else(|trouble| html! { p.wrong { (trouble.words(look)) } });
        live::event("fragment", &drawn.into_string())
    });
    Ok(live::events(visit, place, fragments.boxed()))
}

/// What a check has found so far, drawn at each of its steps and at its end.
type Steps = BoxStream<'static, Result<Markup, Trouble>>;

async fn steps(visit: &Visit, check: Check) -> Result<Steps, Trouble> {
    let calls = visit.calls.admin.admin_streams();
    macro_rules! drawn {
        ($messages:expr, $message:ty, $take:ident) => {
            stream::unfold(Some(($messages, visit.clone(), Tally::default())), |state| async move {
                let (mut messages, visit, mut tally) = state?;
                match messages.message::<$message>().await {
                    Ok(Some(step)) => {
                        tally.$take(&visit, &step.to_owned_message());
                        Some((Ok(tally.draw(&visit, false)), Some((messages, visit, tally))))
                    }
                    Ok(None) => Some((Ok(tally.draw(&visit, true)), None)),
                    Err(error) => Some((Err(Trouble::from(error)), None)),
                }
            })
            .boxed()
        };
    }
    Ok(match check {
        Check::Facts => drawn!(calls.verify(v1::VerifyRequest::default()).await?, v1::VerifyResponse, facts),
        Check::Homes => {
            let request = v1::VerifyFeedRequest { sample: CHECKED_HOMES, ..Default::default() };
            drawn!(calls.verify_feed(request).await?, v1::VerifyFeedResponse, homes)
        }
        Check::Search => {
            let request = v1::VerifySearchRequest::default();
            drawn!(calls.verify_search(request).await?, v1::VerifySearchResponse, search)
        }
    })
}

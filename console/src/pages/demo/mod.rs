//! The page of `guanxi demo`: two users of its world, how posts get to homes, and the graph.

mod graph;

use guanxi_proto::v1;
use guanxi_proto::v1::fanout_policy::Mode;
use maud::{Markup, html};

use super::overview::card;
use super::pair::{Pair, Side};
use crate::DemoWorld;
use crate::answer::{Answer, Trouble};
use crate::layout::csrf;
use crate::live;
use crate::parts::{admin_equivalent, equivalents, number};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(crate) use graph::KeptGraph;

/// The path of the page.
pub(crate) const ROOT: &str = "/demo";

/// The policies, by the names of their buttons.
const POLICIES: [(&str, Mode, Text); 3] = [
    ("pull", Mode::PULL, Text::PolicyPull),
    ("push", Mode::PUSH, Text::PolicyPush),
    ("hybrid", Mode::HYBRID, Text::PolicyHybrid),
];

/// What shows where the work is done.
const SERIES: [(&str, Text); 3] = [
    ("fanout.deliveries", Text::Delivered),
    ("homes.from_inbox", Text::FromInbox),
    ("homes.from_pull", Text::Pulled),
];

/// The world of the demo. Any other server has no such page.
fn world(visit: &Visit) -> Result<DemoWorld, Trouble> {
    visit.console.demo.ok_or(Trouble::NotFound)
}

fn pair(visit: &Visit) -> Result<Pair, Trouble> {
    let world = world(visit)?;
    Ok(Pair { root: ROOT, uids: [world.reader, world.author] })
}

pub(super) async fn page(visit: &Visit) -> Shown {
    let (world, pair) = (world(visit)?, pair(visit)?);
    let called = pair.called(visit).await?;
    let body = html! {
        p.soft { (visit.say(Text::DemoHint)) }
        (pair.shown(visit).await?)
        @if let Some(called) = called { (equivalents(visit, &[called])) }
        section aria-labelledby="policy" {
            h2 #policy { (visit.say(Text::DemoPolicy)) }
            p.soft { (visit.say(Text::DemoPolicyHint)) }
            @if visit.operator().may_change() { (switch(visit)) }
            @if visit.query.get("did") == "policy" { (policy_call(visit).await?) }
            div data-live="/demo/live/fanout" { (fanout(visit).await?) }
        }
        (graph::section(visit, world).await?)
    };
    Ok(visit.page(visit.say(Text::Demo), &body))
}

/// A part of the page, as it changes.
pub(super) async fn live(visit: &Visit) -> Shown {
    world(visit)?;
    if visit.part("part") == "fanout" {
        return Ok(live::redrawn(visit, |visit| Box::pin(fanout(visit))));
    }
    Side::of(visit.part("part"))?;
    Ok(live::redrawn(visit, |visit| {
        Box::pin(async move { pair(visit)?.home(visit, Side::of(visit.part("part"))?).await })
    }))
}

/// Does what the form of one of the two asks for.
pub(super) async fn act(visit: &Visit) -> Shown {
    visit.may_change()?;
    pair(visit)?.act(visit).await
}

/// The buttons of the policies.
fn switch(visit: &Visit) -> Markup {
    html! {
        form.row method="post" action="/demo/policy" {
            (csrf(&visit.session.csrf))
            @for (name, _, text) in POLICIES {
                button name="mode" value=(name) { (visit.say(text)) }
            }
        }
    }
}

async fn fanout(visit: &Visit) -> Result<Markup, Trouble> {
    let admin = visit.calls.admin.admin();
    let (overview, status) = tokio::try_join!(
        admin.get_overview(v1::GetOverviewRequest::default()),
        admin.get_fanout_status(v1::GetFanoutStatusRequest::default())
    )?;
    let (overview, status) = (overview.into_owned(), status.into_owned());
    let mode = status.policy.as_option().and_then(|policy| policy.mode.as_known());
    let policy =
        POLICIES.iter().find(|(_, of, _)| mode == Some(*of)).map_or(Text::PolicyPull, |found| found.2);
    let of = |name: &str| overview.series.iter().find(|series| series.name == name);
    Ok(html! {
        div.cards {
            div.card { h3 { (visit.say(Text::FanoutMode)) } div.number { (visit.say(policy)) } }
            @for (text, count) in [(Text::Delivered, status.delivered), (Text::InboxesKept, status.inboxes)] {
                @if let Some(count) = count {
                    div.card { h3 { (visit.say(text)) } div.number { (number(count)) } }
                }
            }
            @for (name, text) in SERIES { @if let Some(series) = of(name) { (card(visit, text, series)) } }
        }
    })
}

/// The policy in effect, with another mode.
async fn with_mode(visit: &Visit, mode: Mode) -> Result<v1::FanoutPolicy, Trouble> {
    let request = v1::GetFanoutPolicyRequest::default();
    let found = visit.calls.admin.admin().get_fanout_policy(request).await?.into_owned();
    let mut policy = found.policy.as_option().cloned().unwrap_or_default();
    policy.mode = mode.into();
    Ok(policy)
}

/// Changes the policy.
pub(super) async fn policy(visit: &Visit) -> Shown {
    world(visit)?;
    visit.may_change()?;
    let asked = visit.form.get("mode");
    let (_, mode, _) = POLICIES.into_iter().find(|(name, ..)| *name == asked).ok_or(Trouble::NotFound)?;
    let policy = with_mode(visit, mode).await?.into();
    drop(visit.calls.admin.admin().put_fanout_policy(v1::PutFanoutPolicyRequest { policy }).await?);
    Ok(Answer::to("/demo?did=policy#did"))
}

/// The call that sets the policy in effect.
async fn policy_call(visit: &Visit) -> Result<Markup, Trouble> {
    let request = v1::GetFanoutPolicyRequest::default();
    let found = visit.calls.admin.admin().get_fanout_policy(request).await?.into_owned();
    let policy = found.policy.as_option().cloned().unwrap_or_default();
    let mode = match policy.mode.as_known() {
        Some(Mode::PUSH) => "PUSH",
        Some(Mode::HYBRID) => "HYBRID",
        _ => "PULL",
    };
    let celebrity = policy.celebrity_followers.unwrap_or_default();
    let body = format!(r#"{{"policy":{{"mode":"{mode}","celebrityFollowers":"{celebrity}"}}}}"#);
    Ok(admin_equivalent(visit, "PutFanoutPolicy", &body))
}

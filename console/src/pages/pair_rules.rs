//! What is between two users, and what each operation of one on the other would answer, as the pair table decides.

use guanxi_model::limits::{BLOCK_LIMIT, MUTE_LIMIT, SENT_REQUESTS_MAX};
use guanxi_model::pair::{Effect, GuardedCount, Op, PairInputs, PairState, RULES, When, decide};
use guanxi_model::{Direction, Reason, RequestKind};
use guanxi_proto::v1;
use maud::{Markup, html};

use super::pair_words::{condition, effect, refusal};
use super::user::{of_user, question};
use crate::answer::Trouble;
use crate::parts::{People, number, relation};
use crate::texts::Text;
use crate::visit::{Shown, Visit, uid};

/// Requests of one call.
const REQUESTS_PAGE: i32 = 200;

/// One of two users, as far as it matters to the other.
struct Side {
    uid: u64,
    user: Option<v1::User>,
    counts: v1::Counts,
    /// Requests that it sent and that wait. Each holds a place among its follows.
    asked: u32,
    follow_limit: u32,
}

impl Side {
    async fn load(visit: &Visit, uid: u64) -> Result<Self, Trouble> {
        let (main, admin) = (&visit.calls.main, &visit.calls.admin);
        let user = main.user().get_user(v1::GetUserRequest { uid, ..Default::default() });
        let counts = main.relation().get_counts(v1::GetCountsRequest { uid, ..Default::default() });
        let limit = admin.admin().get_follow_limit(v1::GetFollowLimitRequest { uid, ..Default::default() });
        let (user, counts, limit, asked) = tokio::join!(user, counts, limit, asked(visit, uid));
        Ok(Self {
            uid,
            user: user?.into_owned().user.as_option().cloned(),
            counts: counts?.into_owned().counts.as_option().cloned().unwrap_or_default(),
            asked: asked?,
            follow_limit: limit?.into_owned().effective.unwrap_or(u32::MAX),
        })
    }

    /// Places that follows and requests take.
    fn places(&self) -> u32 {
        self.counts.following.unwrap_or(0).saturating_add(self.asked)
    }

    fn is_locked(&self) -> bool {
        let privacy = self.user.as_ref().and_then(|user| user.privacy.as_option());
        privacy.is_some_and(|privacy| privacy.locked == Some(true))
    }

    fn is_deleted(&self) -> bool {
        use v1::user::Status;
        let status = self.user.as_ref().and_then(|user| user.status.as_known());
        matches!(status, Some(Status::DELETED | Status::ERASED))
    }

    fn is_active(&self) -> bool {
        use v1::user::Status;
        self.user.as_ref().is_none_or(|user| {
            let is_off = matches!(user.status.as_known(), Some(Status::DEACTIVATED));
            !is_off && !self.is_deleted() && user.takedown_reason.is_empty()
        })
    }

    /// Returns the limit of what an operation adds to, if the user has reached it.
    fn at_limit(&self, op: Op) -> Option<u32> {
        let (count, limit) = match op.guard()? {
            GuardedCount::Follows => (self.places(), self.follow_limit),
            GuardedCount::Blocks => (self.counts.blocks.unwrap_or(0), BLOCK_LIMIT),
            GuardedCount::Mutes => (self.counts.mutes.unwrap_or(0), MUTE_LIMIT),
        };
        (count >= limit).then_some(limit)
    }
}

/// Returns how many requests of a user wait.
async fn asked(visit: &Visit, uid: u64) -> Result<u32, Trouble> {
    let calls = visit.calls.main.relation();
    let mut asked = 0;
    macro_rules! count {
        ($call:ident($request:ident)) => {{
            let mut page_token = String::new();
            loop {
                let request = v1::$request {
                    uid,
                    outgoing: true,
                    page_size: REQUESTS_PAGE,
                    page_token,
                    ..Default::default()
                };
                let found = calls.$call(request).await?.into_owned();
                asked += u32::try_from(found.requests.len()).unwrap_or(u32::MAX);
                if found.next_page_token.is_empty() || asked >= SENT_REQUESTS_MAX {
                    break;
                }
                page_token = found.next_page_token;
            }
        }};
    }
    count!(list_follow_requests(ListFollowRequestsRequest));
    count!(list_friend_requests(ListFriendRequestsRequest));
    Ok(asked)
}

/// The page: the state of the pair, both users, and the answer of each operation.
pub(super) async fn page(visit: &Visit) -> Shown {
    let (subject, object) = (visit.uid()?, uid(visit.query.get("to"))?);
    let of = |subject, object| v1::GetRelationRequest { subject, object, ..Default::default() };
    let calls = visit.calls.main.relation();
    let (there, back) =
        tokio::try_join!(calls.get_relation(of(subject, object)), calls.get_relation(of(object, subject)))?;
    let (there, back) = (there.into_owned().relation, back.into_owned().relation);
    let (there, back) = (there.as_option().cloned(), back.as_option().cloned());
    let (there, back) = (there.unwrap_or_default(), back.unwrap_or_default());
    let people = People::load(visit, [subject, object]).await?;
    let (a, b) = tokio::try_join!(Side::load(visit, subject), Side::load(visit, object))?;
    let state = PairState { forward: direction(&there), backward: direction(&back) };
    let body = html! {
        (of_user(visit, subject))
        @if subject == object { p.problem.warn { (visit.say(Text::SamePair)) } } @else { (answer(visit, state, &a, &b)) }
        h2 { (visit.say(Text::PairState)) }
        @for (from, to, relation_of) in [(subject, object, &there), (object, subject, &back)] {
            p {
                (people.show(from)) " \u{2192} " (people.show(to)) ": " (relation(visit, relation_of))
                @if let Some(kind) = direction(relation_of).asks { " " span.badge { (visit.say(asks(kind))) } }
            }
        }
        div.two { @for (letter, side) in [("A", &a), ("B", &b)] { (side_of(visit, &people, letter, side)) } }
        @if subject != object { (operations(visit, state, &a, &b)) }
        (question(visit, subject))
    };
    Ok(visit.page(visit.say(Text::RelationTo), &body))
}

/// What the subject of a relation has said about the other.
fn direction(of: &v1::Relation) -> Direction {
    use v1::relation::{Request, State};
    Direction {
        follows: matches!(of.state.as_known(), Some(State::FOLLOWING | State::MUTUAL)),
        blocks: of.blocking,
        mutes: of.muting,
        asks: match of.requested.as_known() {
            Some(Request::FOLLOW) => Some(RequestKind::Follow),
            Some(Request::FRIEND) => Some(RequestKind::Friend),
            _ => None,
        },
    }
}

const fn asks(kind: RequestKind) -> Text {
    match kind {
        RequestKind::Follow => Text::AsksToFollow,
        RequestKind::Friend => Text::AsksToBeFriends,
    }
}

/// One user: what of it an operation looks at.
fn side_of(visit: &Visit, people: &People, letter: &str, side: &Side) -> Markup {
    let limit = number(side.follow_limit.into());
    html! {
        section {
            h3 { (letter) ": " (people.show(side.uid)) }
            p { @match &side.user {
                Some(user) => { (super::user::state(visit, user)) }
                None => { span.badge { (visit.say(Text::NoAccount)) } }
            } }
            @if side.is_locked() { p { span.badge.warn { (visit.say(Text::PrivacyLocked)) } } }
            p {
                (visit.look.fill(Text::PlacesTaken, &[&number(side.places().into()), &limit]))
                @if side.at_limit(Op::Follow).is_some() { " " span.badge.bad { (visit.say(Text::AtFollowLimit)) } }
            }
        }
    }
}

/// How an operation would end, and why.
struct Outlook {
    result: Result<bool, Reason>,
    effects: Vec<Effect>,
    why: Text,
}

impl Outlook {
    /// Decides an operation of a on b, as the server would.
    fn of(op: Op, state: PairState, a: &Side, b: &Side) -> Self {
        let inputs = PairInputs {
            at_limit: a.at_limit(op),
            is_locked: op == Op::Follow && b.is_locked(),
            ..PairInputs::default()
        };
        let rule = RULES.iter().find(|rule| rule.op == op && rule.when.fits(&state, &inputs));
        let why = condition(rule.map_or(When::Otherwise, |rule| rule.when));
        let decision = decide(state, op, &inputs);
        let refused = |reason, why| Self { result: Err(reason), effects: Vec::new(), why };
        let (begins, joins) =
            (decision.effects.iter().any(|it| it.begins()), decision.effects.iter().any(|it| it.joins()));
        let asks_more = decision.state.forward.asks.is_some() && state.forward.asks.is_none();
        if begins && (a.is_deleted() || b.is_deleted()) {
            return refused(Reason::UserDeleted, Text::WhyDeleted);
        }
        if joins && !a.is_active() {
            return refused(Reason::UserDeactivated, Text::WhyANotActive);
        }
        if joins && !b.is_active() {
            return refused(Reason::UserDeactivated, Text::WhyBNotActive);
        }
        if asks_more && a.asked >= SENT_REQUESTS_MAX {
            return refused(Reason::LimitReached { limit: SENT_REQUESTS_MAX }, Text::WhyManyRequests);
        }
        Self { result: decision.result, effects: decision.effects, why }
    }

    fn show(&self, visit: &Visit) -> Markup {
        html! {
            @match &self.result {
                Ok(true) => {
                    span.badge.good { (visit.say(Text::WouldChange)) }
                    ul { @for it in &self.effects { li { (visit.say(effect(*it))) } } }
                }
                Ok(false) => { span.badge { (visit.say(Text::WouldNotChange)) } }
                Err(reason) => {
                    span.badge.bad { (visit.look.fill(Text::OutcomeRefused, &[&reason.name()])) }
                    @if let Some(text) = refusal(reason) { p.soft { (visit.say(text)) } }
                }
            }
        }
    }
}

/// The answer to the question of the page: whether a can follow b.
fn answer(visit: &Visit, state: PairState, a: &Side, b: &Side) -> Markup {
    let outlook = Outlook::of(Op::Follow, state, a, b);
    let (class, text) = match &outlook.result {
        Ok(true) if outlook.effects.contains(&Effect::Follow) => ("fine", Text::CanFollow),
        Ok(true) => ("problem warn", Text::CanAsk),
        Ok(false) if state.forward.follows => ("fine", Text::FollowsAlready),
        Ok(false) => ("problem warn", Text::AsksAlready),
        Err(_) => ("wrong", Text::CannotFollow),
    };
    html! { p class=(class) { (visit.say(text)) " " (visit.say(outlook.why)) } }
}

/// Every operation of a user, with how it would end.
fn operations(visit: &Visit, state: PairState, a: &Side, b: &Side) -> Markup {
    html! {
        h2 { (visit.say(Text::PairOperations)) }
        p.soft { (visit.say(Text::PairHint)) }
        div.scroll tabindex="0" { table {
            thead { tr { @for text in [Text::Operation, Text::Outcome, Text::Reason] { th scope="col" { (visit.say(text)) } } } }
            tbody { @for op in Op::ALL.into_iter().filter(|op| !op.is_of_server()) {
                @let outlook = Outlook::of(op, state, a, b);
                tr {
                    th scope="row" { code { (op.title()) } }
                    td { (outlook.show(visit)) }
                    td { (visit.say(outlook.why)) }
                }
            } }
        } }
    }
}

//! Two users side by side: the home of each, and what each does to the other.

mod acts;

use guanxi_proto::v1;
use maud::{Markup, html};

use super::home::{Shelf, shelf};
use crate::answer::{Answer, Trouble};
use crate::layout::csrf;
use crate::parts::{Called, People, nothing, relation};
use crate::texts::Text;
use crate::visit::{Shown, Visit, post_id};

use acts::Act;

/// Posts of each home: what fits beside the other one.
const PAIR_POSTS: i32 = 8;

/// Characters of a post that is written here.
const TEXT_CHARS_MAX: u32 = 5_000;

/// Two users on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The path of the page.
    pub(super) root: &'static str,
    pub(super) uids: [u64; 2],
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

impl Side {
    const ALL: [Self; 2] = [Self::A, Self::B];

    pub(super) fn of(name: &str) -> Result<Self, Trouble> {
        Self::ALL.into_iter().find(|side| side.name() == name).ok_or(Trouble::NotFound)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// Returns the names of what one user does to the other, as paths have them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    Act::ALL.into_iter().map(Act::name)
}

impl Pair {
    /// Returns a user, and the other one.
    const fn of(self, side: Side) -> (u64, u64) {
        let [a, b] = self.uids;
        match side {
            Side::A => (a, b),
            Side::B => (b, a),
        }
    }

    /// The two, as a page shows them. The looks are noted.
    pub(super) async fn shown(self, visit: &Visit) -> Result<Markup, Trouble> {
        let people = People::load(visit, self.uids).await?;
        let mut sides = Vec::with_capacity(2);
        for side in Side::ALL {
            let (own, _) = self.of(side);
            let home = visit.looked("GetHomeTimeline", own, self.home(visit, side)).await?;
            sides.push((side, self.between(visit, side).await?, home));
        }
        Ok(html! {
            div.two {
                @for (side, between, home) in &sides { (self.side(visit, &people, *side, between, home)) }
            }
        })
    }

    fn side(
        self,
        visit: &Visit,
        people: &People,
        side: Side,
        between: &v1::Relation,
        home: &Markup,
    ) -> Markup {
        let (own, other) = self.of(side);
        let live = format!("{}/live/{}", self.root, side.name());
        html! {
            section.card aria-labelledby={ "side-" (side.name()) } {
                h2 id={ "side-" (side.name()) } { (people.show(own)) }
                p { (relation(visit, between)) " \u{2192} " (people.show(other)) }
                @if visit.operator().may_change() {
                    (self.writing(visit, side))
                    (self.buttons(visit, side, between, &people.name(other)))
                }
                h3 { (visit.say(Text::Home)) }
                div data-live=(live) { (home) }
            }
        }
    }

    fn writing(self, visit: &Visit, side: Side) -> Markup {
        let id = format!("text-{}", side.name());
        html! {
            form method="post" action=(self.path(Act::Post, side)) {
                (csrf(&visit.session.csrf))
                label for=(id) { (visit.say(Text::WritePost)) }
                textarea.full id=(id) name="text" rows="2" required maxlength=(TEXT_CHARS_MAX) dir="auto" {}
                button.strong { (visit.say(Text::DoPost)) }
            }
        }
    }

    fn buttons(self, visit: &Visit, side: Side, between: &v1::Relation, other: &str) -> Markup {
        use v1::relation::State;
        let follows = matches!(between.state.as_known(), Some(State::FOLLOWING | State::MUTUAL));
        let acts = [
            if follows { Act::Unfollow } else { Act::Follow },
            Act::Like,
            if between.blocking { Act::Unblock } else { Act::Block },
        ];
        html! {
            div.row {
                @for act in acts {
                    form method="post" action=(self.path(act, side)) {
                        (csrf(&visit.session.csrf))
                        button { (visit.look.fill(act.text(), &[&other])) }
                    }
                }
            }
        }
    }

    fn path(self, act: Act, side: Side) -> String {
        format!("{}/do/{}/{}", self.root, act.name(), side.name())
    }

    /// What is between a user and the other one.
    async fn between(self, visit: &Visit, side: Side) -> Result<v1::Relation, Trouble> {
        let (subject, object) = self.of(side);
        let request = v1::GetRelationRequest { subject, object, ..Default::default() };
        let found = visit.calls.main.relation().get_relation(request).await?.into_owned();
        Ok(found.relation.as_option().cloned().unwrap_or_default())
    }

    /// The newest posts of a home, each with a button that likes it.
    pub(super) async fn home(self, visit: &Visit, side: Side) -> Result<Markup, Trouble> {
        let (own, _) = self.of(side);
        let like = |item: &v1::PostItem| {
            html! {
                @if visit.operator().may_change() {
                    form method="post" action=(self.path(Act::Like, side)) {
                        (csrf(&visit.session.csrf))
                        input type="hidden" name="post" value=(item.post_id);
                        button { (visit.say(Text::DoLike)) }
                    }
                }
            }
        };
        let Shelf { posts, .. } = shelf(visit, own, PAIR_POSTS, "", like).await?;
        Ok(posts.unwrap_or_else(|| nothing(visit)))
    }

    /// Does what a form asks for, and goes back to the page, which shows the call.
    pub(super) async fn act(self, visit: &Visit) -> Shown {
        visit.may_change()?;
        let (act, side) = (Act::of(visit.part("act"))?, Side::of(visit.part("side"))?);
        let (own, other) = self.of(side);
        let post = acts::done(visit, act, own, other).await?;
        let (root, act, side) = (self.root, act.name(), side.name());
        Ok(Answer::to(&format!("{root}?did={act}&side={side}&post={post}#did")))
    }

    /// Returns the call of the act that was done last, as the address of the page says.
    pub(super) async fn called(self, visit: &Visit) -> Result<Option<Called>, Trouble> {
        let of = |name: &str| visit.query.get(name);
        let (Ok(act), Ok(side)) = (Act::of(of("did")), Side::of(of("side"))) else { return Ok(None) };
        let post = post_id(of("post")).unwrap_or_default();
        let (own, other) = self.of(side);
        acts::called(visit, act, own, other, post).await
    }
}

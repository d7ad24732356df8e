//! Changes on behalf of a user, by calls of the main listener: each asks first, and is noted in the audit log.

use guanxi_proto::v1;

use crate::answer::{Answer, Trouble};
use crate::parts::question;
use crate::texts::Text;
use crate::visit::{Shown, Visit, uid};

/// A change on behalf of a user.
#[derive(Clone, Copy)]
enum Deed {
    Unfollow,
    RemoveFollower,
    Unblock,
    Unmute,
    EndSession,
}

/// Returns the names of all changes, as paths have them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    Deed::ALL.into_iter().map(Deed::name)
}

impl Deed {
    const ALL: [Self; 5] =
        [Self::Unfollow, Self::RemoveFollower, Self::Unblock, Self::Unmute, Self::EndSession];

    fn of(name: &str) -> Result<Self, Trouble> {
        Self::ALL.into_iter().find(|deed| deed.name() == name).ok_or(Trouble::NotFound)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Unfollow => "unfollow",
            Self::RemoveFollower => "remove-follower",
            Self::Unblock => "unblock",
            Self::Unmute => "unmute",
            Self::EndSession => "end-session",
        }
    }

    const fn title(self) -> Text {
        match self {
            Self::Unfollow => Text::Unfollow,
            Self::RemoveFollower => Text::RemoveFollower,
            Self::Unblock => Text::Unblock,
            Self::Unmute => Text::Unmute,
            Self::EndSession => Text::EndSession,
        }
    }

    /// The question. Its values are the user, and what the change is about.
    const fn words(self) -> Text {
        match self {
            Self::Unfollow => Text::UnfollowQuestion,
            Self::RemoveFollower => Text::RemoveFollowerQuestion,
            Self::Unblock => Text::UnblockQuestion,
            Self::Unmute => Text::UnmuteQuestion,
            Self::EndSession => Text::EndSessionQuestion,
        }
    }

    /// The page that shows what has become of it, unless the reader came from another page of the user.
    const fn list(self) -> &'static str {
        match self {
            Self::Unfollow => "list/following",
            Self::RemoveFollower => "list/followers",
            Self::Unblock => "list/blocks",
            Self::Unmute => "list/mutes",
            Self::EndSession => "sessions",
        }
    }
}

/// Where the reader goes back to: the page that it came from, if that is one of users.
fn back(visit: &Visit, deed: Deed, of: u64) -> String {
    let from = visit.query.get("back");
    if from.starts_with("/user/") { from.to_owned() } else { format!("/user/{of}/{}", deed.list()) }
}

/// The question.
pub(super) async fn ask(visit: &Visit) -> Shown {
    visit.may_change()?;
    let (deed, user) = (Deed::of(visit.part("deed"))?, visit.uid()?);
    let words = visit.look.fill(deed.words(), &[&user, &visit.part("of")]);
    Ok(visit.page(visit.say(deed.title()), &question(visit, &words, false, &back(visit, deed, user))))
}

/// The change itself.
pub(super) async fn act(visit: &Visit) -> Shown {
    visit.may_change()?;
    let (deed, subject, of) = (Deed::of(visit.part("deed"))?, visit.uid()?, visit.part("of"));
    let calls = visit.calls.main.relation();
    match deed {
        Deed::Unfollow => {
            let object = uid(of)?;
            let call = calls.unfollow(v1::UnfollowRequest { subject, object, ..Default::default() });
            drop(visit.acted("Unfollow", [subject, object], call).await?);
        }
        Deed::RemoveFollower => {
            let object = uid(of)?;
            let call =
                calls.remove_follower(v1::RemoveFollowerRequest { subject, object, ..Default::default() });
            drop(visit.acted("RemoveFollower", [subject, object], call).await?);
        }
        Deed::Unblock => {
            let object = uid(of)?;
            let call = calls.unblock(v1::UnblockRequest { subject, object, ..Default::default() });
            drop(visit.acted("Unblock", [subject, object], call).await?);
        }
        Deed::Unmute => {
            let object = uid(of)?;
            let call = calls.unmute(v1::UnmuteRequest { subject, object, ..Default::default() });
            drop(visit.acted("Unmute", [subject, object], call).await?);
        }
        Deed::EndSession => {
            let request =
                v1::RevokeSessionRequest { uid: subject, session_id: of.to_owned(), ..Default::default() };
            let call = visit.calls.main.user().revoke_session(request);
            drop(visit.acted("RevokeSession", [subject], call).await?);
        }
    }
    Ok(Answer::to(&back(visit, deed, subject)))
}

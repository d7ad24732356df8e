//! Changes: each asks first, and is then done by a call of AdminService, which notes it in the audit log.

use guanxi_proto::v1;

use crate::answer::{Answer, Trouble};
use crate::limits::REASON_LEN_MAX;
use crate::parts::question;
use crate::texts::Text;
use crate::visit::{Shown, Visit, post_id, uid};

/// A change.
#[derive(Clone, Copy)]
enum Deed {
    TakeDownPost,
    ReinstatePost,
    TakeDownUser,
    ReinstateUser,
    RevokeToken,
    CancelExport,
}

/// Returns the names of all changes, as paths have them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    Deed::ALL.into_iter().map(Deed::name)
}

impl Deed {
    const ALL: [Self; 6] = [
        Self::TakeDownPost,
        Self::ReinstatePost,
        Self::TakeDownUser,
        Self::ReinstateUser,
        Self::RevokeToken,
        Self::CancelExport,
    ];

    fn of(name: &str) -> Result<Self, Trouble> {
        Self::ALL.into_iter().find(|deed| deed.name() == name).ok_or(Trouble::NotFound)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::TakeDownPost => "take-down-post",
            Self::ReinstatePost => "reinstate-post",
            Self::TakeDownUser => "take-down-user",
            Self::ReinstateUser => "reinstate-user",
            Self::RevokeToken => "revoke-token",
            Self::CancelExport => "cancel-export",
        }
    }

    const fn title(self) -> Text {
        match self {
            Self::TakeDownPost | Self::TakeDownUser => Text::TakeDown,
            Self::ReinstatePost | Self::ReinstateUser => Text::Reinstate,
            Self::RevokeToken => Text::RevokeToken,
            Self::CancelExport => Text::CancelExport,
        }
    }

    const fn words(self) -> Text {
        match self {
            Self::TakeDownPost => Text::TakeDownPostQuestion,
            Self::ReinstatePost => Text::ReinstatePostQuestion,
            Self::TakeDownUser => Text::TakeDownUserQuestion,
            Self::ReinstateUser => Text::ReinstateUserQuestion,
            Self::RevokeToken => Text::RevokeTokenQuestion,
            Self::CancelExport => Text::CancelExportQuestion,
        }
    }

    const fn wants_reason(self) -> bool {
        matches!(self, Self::TakeDownPost | Self::TakeDownUser)
    }

    /// Where the reader comes from, and goes back to.
    fn back(self, of: &str) -> Result<String, Trouble> {
        Ok(match self {
            Self::TakeDownPost | Self::ReinstatePost => format!("/post/{}", post_id(of)?),
            Self::TakeDownUser | Self::ReinstateUser => format!("/user/{}", uid(of)?),
            Self::RevokeToken => "/tokens".to_owned(),
            Self::CancelExport => "/exports".to_owned(),
        })
    }
}

/// The question.
pub(super) async fn ask(visit: &Visit) -> Shown {
    visit.may_change()?;
    let (deed, of) = (Deed::of(visit.part("deed"))?, visit.part("of"));
    let back = deed.back(of)?;
    let words = visit.look.fill(deed.words(), &[&of]);
    Ok(visit.page(visit.say(deed.title()), &question(visit, &words, deed.wants_reason(), &back)))
}

/// The change itself.
pub(super) async fn act(visit: &Visit) -> Shown {
    visit.may_change()?;
    let (deed, of) = (Deed::of(visit.part("deed"))?, visit.part("of"));
    let back = deed.back(of)?;
    let admin = visit.calls.admin.admin();
    let mut reason = visit.form.get("reason").to_owned();
    // The server bounds it as well; a browser is told by the form.
    reason.truncate(reason.floor_char_boundary(REASON_LEN_MAX));
    match deed {
        Deed::TakeDownPost => {
            let post_id = post_id(of)?;
            drop(admin.take_down_post(v1::TakeDownPostRequest { post_id, reason }).await?);
        }
        Deed::ReinstatePost => {
            let post_id = post_id(of)?;
            drop(admin.reinstate_post(v1::ReinstatePostRequest { post_id }).await?);
        }
        Deed::TakeDownUser => {
            let uid = uid(of)?;
            drop(admin.take_down_user(v1::TakeDownUserRequest { uid, reason }).await?);
        }
        Deed::ReinstateUser => {
            let uid = uid(of)?;
            drop(admin.reinstate_user(v1::ReinstateUserRequest { uid }).await?);
        }
        Deed::RevokeToken => {
            let name = of.to_owned();
            drop(admin.revoke_token(v1::RevokeTokenRequest { name }).await?);
        }
        Deed::CancelExport => {
            let job = of.to_owned();
            drop(admin.cancel_export(v1::CancelExportRequest { job }).await?);
        }
    }
    Ok(Answer::to(&back))
}

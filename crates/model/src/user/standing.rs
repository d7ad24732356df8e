//! What readers ask of each user whom they show: whether the user is there, and what others may know of it.

use crate::error::{Reason, Result};
use crate::id::Uid;

/// Whether a user is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UserStatus {
    /// It is.
    #[default]
    Active,
    /// It went, and may come back: its profile, posts and likes are hidden, its edges stay in lists and counts.
    Deactivated,
    /// It went for good: what others see of it is removed, one by one, and then everything else.
    Deleted {
        /// When the rest is erased, in Unix milliseconds; its names are its own until then.
        erase_at_ms: u64,
    },
    /// Nothing is kept of it but that its uid is never used again.
    Erased {
        /// The time of the erasure, in Unix milliseconds.
        at_ms: u64,
    },
}

impl UserStatus {
    /// Returns whether the user does not come back.
    pub const fn is_deleted(self) -> bool {
        matches!(self, Self::Deleted { .. } | Self::Erased { .. })
    }

    /// Returns what a user becomes who is to be `wanted`; `None` if that changes nothing. Of two times to be erased at the
    /// earlier one holds, and what is erased stays so.
    ///
    /// # Errors
    /// `USER_DELETED` for one that is to come back; `INVALID_FIELD` for one that is to be erased before it is deleted.
    pub fn towards(self, wanted: Self) -> Result<Option<Self>, Reason> {
        let new = match (self, wanted) {
            (Self::Deleted { .. } | Self::Erased { .. }, Self::Active | Self::Deactivated) => {
                return Err(Reason::UserDeleted);
            }
            (Self::Active | Self::Deactivated, Self::Erased { .. }) => {
                return Err(Reason::InvalidField { field: "status" });
            }
            (Self::Erased { .. }, Self::Deleted { .. } | Self::Erased { .. }) => self,
            (Self::Deleted { erase_at_ms: before }, Self::Deleted { erase_at_ms }) => {
                Self::Deleted { erase_at_ms: erase_at_ms.min(before) }
            }
            (Self::Deleted { .. }, Self::Erased { .. })
            | (Self::Active | Self::Deactivated, Self::Active | Self::Deactivated | Self::Deleted { .. }) => {
                wanted
            }
        };
        Ok((new != self).then_some(new))
    }
}

/// What others may know of a user.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own, in any combination")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Privacy {
    /// Whether other end users find the user, by its login name or when they search. Services always do.
    pub discoverable: bool,
    /// Whether the user takes no new followers. Its followers go on.
    pub locked: bool,
    /// Whether other end users do not learn whom the user follows.
    pub hides_following: bool,
    /// Whether other end users do not learn who follows the user.
    pub hides_followers: bool,
}

impl Default for Privacy {
    fn default() -> Self {
        Self { discoverable: true, locked: false, hides_following: false, hides_followers: false }
    }
}

/// A change of [`Privacy`]; what is `None` stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PrivacyPatch {
    /// See [`Privacy::discoverable`].
    pub discoverable: Option<bool>,
    /// See [`Privacy::locked`].
    pub locked: Option<bool>,
    /// See [`Privacy::hides_following`].
    pub hides_following: Option<bool>,
    /// See [`Privacy::hides_followers`].
    pub hides_followers: Option<bool>,
}

impl PrivacyPatch {
    /// Returns a privacy with the change made.
    pub fn apply(self, privacy: Privacy) -> Privacy {
        Privacy {
            discoverable: self.discoverable.unwrap_or(privacy.discoverable),
            locked: self.locked.unwrap_or(privacy.locked),
            hides_following: self.hides_following.unwrap_or(privacy.hides_following),
            hides_followers: self.hides_followers.unwrap_or(privacy.hides_followers),
        }
    }
}

/// What readers ask of each user whom they show. Most users stand as the default says, and backends keep only the
/// others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Standing {
    /// Whether the user is there.
    pub status: UserStatus,
    /// What others may know.
    pub privacy: Privacy,
    /// Whether an operator has taken the user down. It is as deactivated then, for every status below; once it is reinstated it
    /// has that status again. A deleted user is not taken down.
    pub taken_down: bool,
}

impl Standing {
    /// Returns whether the user's profile, posts and likes are hidden from everybody.
    pub const fn is_gone(&self) -> bool {
        self.taken_down || !matches!(self.status, UserStatus::Active)
    }

    /// Returns why nothing new is done by the user or to it, if it is not there.
    pub const fn refusal(&self) -> Option<Reason> {
        match self.status {
            UserStatus::Active if !self.taken_down => None,
            UserStatus::Active | UserStatus::Deactivated => Some(Reason::UserDeactivated),
            UserStatus::Deleted { .. } | UserStatus::Erased { .. } => Some(Reason::UserDeleted),
        }
    }
}

/// Returns whether an end user who is neither end of an edge does not learn of it: one that either end's list hides.
pub fn hides_edge(
    viewer: Uid,
    (subject, of_subject): (Uid, Standing),
    (object, of_object): (Uid, Standing),
) -> bool {
    viewer != subject
        && viewer != object
        && (of_subject.privacy.hides_following || of_object.privacy.hides_followers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_changes_what_it_names() {
        let locked = PrivacyPatch { locked: Some(true), ..PrivacyPatch::default() };
        let before = Privacy { hides_followers: true, ..Privacy::default() };
        assert_eq!(locked.apply(before), Privacy { locked: true, ..before });
        assert_eq!(PrivacyPatch::default().apply(before), before);
    }

    #[test]
    fn whoever_is_deleted_does_not_come_back() {
        use UserStatus::{Active, Deactivated, Deleted, Erased};
        let (soon, later, erased) =
            (Deleted { erase_at_ms: 1 }, Deleted { erase_at_ms: 2 }, Erased { at_ms: 3 });
        let invalid = Err(Reason::InvalidField { field: "status" });
        let deleted = Err(Reason::UserDeleted);
        for (from, to, becomes) in [
            (Active, Deactivated, Ok(Some(Deactivated))),
            (Deactivated, Active, Ok(Some(Active))),
            (Active, Active, Ok(None)),
            (Active, later, Ok(Some(later))),
            (Deactivated, later, Ok(Some(later))),
            (later, soon, Ok(Some(soon))),
            (soon, later, Ok(None)),
            (soon, Active, deleted.clone()),
            (soon, Deactivated, deleted.clone()),
            (Active, erased, invalid.clone()),
            (Deactivated, erased, invalid),
            (soon, erased, Ok(Some(erased))),
            (erased, Erased { at_ms: 4 }, Ok(None)),
            (erased, soon, Ok(None)),
            (erased, Active, deleted.clone()),
            (erased, Deactivated, deleted),
        ] {
            assert_eq!(from.towards(to), becomes, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn a_hidden_edge_is_known_to_its_ends() {
        let uid = |raw| Uid::new(raw).unwrap();
        let open = Standing::default();
        let following = Privacy { hides_following: true, ..Privacy::default() };
        let followers = Privacy { hides_followers: true, ..Privacy::default() };
        let [following, followers] = [following, followers].map(|privacy| Standing { privacy, ..open });
        for (viewer, subject, object, hidden) in [
            (3, open, open, false),
            (3, following, open, true),
            (3, open, followers, true),
            (3, followers, following, false),
            (1, following, followers, false),
            (2, following, followers, false),
        ] {
            assert_eq!(hides_edge(uid(viewer), (uid(1), subject), (uid(2), object)), hidden);
        }
    }
}

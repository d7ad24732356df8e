//! What readers ask of everybody whom they show: whether a user is there, and what others may know of it.

use crate::id::Uid;

/// Whether a user is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UserStatus {
    /// It is.
    #[default]
    Active,
    /// It went, and may come back: its profile, posts and likes are hidden, its edges stay in lists and counts.
    Deactivated,
}

/// What others may know of a user.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own, in any combination")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Privacy {
    /// Whether other end users find the user by its login name. Services always do.
    pub discoverable: bool,
    /// Whether nobody begins to follow the user. Whoever follows it already goes on.
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

/// What readers ask of everybody whom they show. Most users stand as the default says, and backends keep only those who
/// do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Standing {
    /// Whether the user is there.
    pub status: UserStatus,
    /// What others may know.
    pub privacy: Privacy,
}

impl Standing {
    /// Whether the user's profile, posts and likes are hidden from everybody.
    pub const fn is_gone(&self) -> bool {
        matches!(self.status, UserStatus::Deactivated)
    }
}

/// Whether an end user who is neither end of an edge does not learn of it: one that either end's list hides.
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

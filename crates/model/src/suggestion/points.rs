//! How suggestions are ordered: whole numbers, so that the same data have the same order everywhere.

use super::SuggestionKind;

/// For each user whom the viewer follows that follows the suggested one.
const FOLLOWED_BY_POINTS: u64 = 100;

/// Beside that, for each of them whose follow of it is among its latest.
const LATELY_POINTS: u64 = 150;

/// For the viewer's newest follower. The one a [`FOLLOWER_PLACES`] places below has half of it.
const FOLLOWER_POINTS: u64 = 400;

/// For each hundredth of the viewer's highest score that the viewer has with the suggested one itself.
const AFFINITY_POINTS: u64 = 2;

/// After how many places in the followers list its points are halved, a third after as many again, and so on.
const FOLLOWER_PLACES: u64 = 100;

/// What speaks for suggesting somebody to a viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// How many users whom the viewer follows follow it.
    pub followed_by: u32,
    /// The sum of the scores that the viewer has with these, in hundredths of its highest score: a point each.
    pub closeness: u64,
    /// For how many of them that is one of their latest follows.
    pub lately_by: u32,
    /// Its place in the viewer's followers list, from 0, if it is in the part that is looked at.
    pub follower_place: Option<u32>,
    /// The score that the viewer has with the user, in hundredths of its highest one. It is no reason by itself.
    pub affinity: u64,
}

impl Evidence {
    /// Returns the points of one reason; 0 if it does not speak for the user.
    pub fn points_of(&self, kind: SuggestionKind) -> u64 {
        match kind {
            SuggestionKind::FriendsOfFriends => {
                u64::from(self.followed_by) * FOLLOWED_BY_POINTS + self.closeness
            }
            SuggestionKind::FollowsYou => self
                .follower_place
                .map_or(0, |place| FOLLOWER_POINTS * FOLLOWER_PLACES / (FOLLOWER_PLACES + u64::from(place))),
            SuggestionKind::Popular => u64::from(self.lately_by) * LATELY_POINTS,
        }
    }

    /// Returns the points of all reasons, and of the viewer's affinity to the user if there is any; 0 for a user without
    /// a reason. The user with more points is suggested first; of two with as many, the one with the lower uid.
    pub fn points(&self) -> u64 {
        let reasons: u64 = SuggestionKind::ALL.into_iter().map(|kind| self.points_of(kind)).sum();
        if reasons == 0 { 0 } else { reasons + self.affinity * AFFINITY_POINTS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_anything_is_more() {
        let weak = Evidence { followed_by: 2, lately_by: 2, follower_place: Some(90), ..Evidence::default() };
        let stronger = [
            Evidence { followed_by: 3, ..weak },
            Evidence { lately_by: 3, ..weak },
            Evidence { follower_place: Some(0), ..weak },
            Evidence { closeness: 1, ..weak },
            Evidence { affinity: 1, ..weak },
        ];
        for strong in stronger {
            assert!(strong.points() > weak.points(), "{strong:?}");
        }
        assert_eq!(Evidence::default().points(), 0);
        assert_eq!(Evidence { affinity: 100, ..Evidence::default() }.points(), 0, "no reason by itself");
        let follower = |place| Evidence { follower_place: Some(place), ..Evidence::default() }.points();
        assert_eq!((follower(0), follower(100), follower(300)), (400, 200, 100));
    }
}

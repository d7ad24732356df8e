//! What one viewer has said about others, held still for many questions.

use crate::facts::User;
use guanxi_model::{Stamp, Uid};
use guanxi_ports::Audience;

/// A viewer's facts at one commit.
pub(crate) struct Held {
    user: User,
    following: Vec<Uid>,
}

impl Held {
    pub fn new(user: User) -> Self {
        let following = user.image().following(0).map(|edge| edge.uid).collect();
        Self { user, following }
    }
}

impl Audience for Held {
    /// The commit that last changed the viewer, or a later one at which the viewer was read.
    fn version(&self) -> u64 {
        self.user.as_of()
    }

    fn following(&self) -> &[Uid] {
        &self.following
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.user.image().follow(uid)
    }

    fn mutes(&self, uid: Uid) -> bool {
        self.user.image().mutes_user(uid)
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.user.image().blocks_user(uid)
    }
}

//! What one viewer has said about others, held still for many questions.

use crate::facts::{Probe, Shape, User};
use guanxi_model::{Stamp, Uid};
use guanxi_ports::Audience;

/// A viewer's facts at one commit: the packed user, whose header is read once.
pub(crate) struct Held {
    user: User,
    shape: Shape,
    following: Vec<Uid>,
}

impl Held {
    pub fn new(user: User) -> Self {
        let probe = user.image().probe();
        let (shape, following) = (probe.shape(), probe.uids());
        Self { user, shape, following }
    }

    fn probe(&self) -> Probe<'_> {
        self.user.image().probe_again(self.shape)
    }
}

impl Audience for Held {
    fn version(&self) -> u64 {
        self.user.version()
    }

    fn following(&self) -> &[Uid] {
        &self.following
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.probe().follow(uid)
    }

    fn mutes(&self, uid: Uid) -> bool {
        self.probe().mutes(uid)
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.probe().blocks(uid)
    }
}

//! Users.

use crate::engine::{EngineResult, Snapshot};
use crate::rows;
use crate::shared::Shared;
use crate::view::View;
use guanxi_memory::relations::RelationsEntry;
use guanxi_model::Uid;

impl Shared {
    /// A user as of a view.
    pub(crate) fn user_at(&self, uid: Uid, view: &View) -> EngineResult<RelationsEntry> {
        let user = self.latest_user(uid)?;
        if user.as_of() <= view.seq {
            return Ok(user);
        }
        self.relations.count_conflict();
        self.load_user(&view.snapshot, uid, view.seq)
    }

    /// A user as of the last commit, or the one under way.
    pub(crate) fn latest_user(&self, uid: Uid) -> EngineResult<RelationsEntry> {
        if let Some(user) = self.relations.latest(uid) {
            return Ok(user);
        }
        let fill = self.relations.begin_fill(uid);
        let snapshot = self.engine.snapshot();
        let user = self.load_user(&snapshot, uid, self.committing.seq())?;
        fill.keep([Some(user.clone())]);
        Ok(user)
    }

    /// Reads a user from the tables.
    fn load_user(&self, snapshot: &Snapshot, uid: Uid, as_of: u64) -> EngineResult<RelationsEntry> {
        let Some(user) = rows::relations::user(snapshot, uid)? else { return Ok(RelationsEntry::default()) };
        let changed = user.changed.max(self.unnoted);
        Ok(RelationsEntry::new(as_of, changed, (user.followers, user.asked), &user.relations))
    }
}

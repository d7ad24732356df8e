//! The dictionary of external ids.

use super::state::{Commit, Maps};
use guanxi_model::event::UserChange;
use guanxi_model::user::UserOutcome;
use guanxi_model::{Change, Counts, ExternalId, Reason, Uid};

impl Maps {
    pub(super) fn assign_external_id(
        &mut self,
        uid: Uid,
        id: &ExternalId,
        listed: bool,
        commit: &mut Commit<'_>,
    ) -> UserOutcome {
        let known = self.external_ids.uids.get(id).copied();
        let result = match known {
            Some(_) => Ok(false),
            None if uid.gene() != id.gene() => Err(Reason::InvalidField { field: "uid" }),
            None if listed && self.external_ids.erased.contains(id) => Err(Reason::UserDeleted),
            None if self.is_used(uid) => Err(Reason::UidInUse),
            None => {
                self.external_ids.uids.insert(id.clone(), uid);
                let version = self.hlc.tick(commit.now_ms);
                self.log(version, uid, Change::User(UserChange::ExternalIdAssigned), commit);
                if self.external_ids.erased.contains(id) {
                    self.log_user(uid, UserChange::SignedOut, commit);
                }
                Ok(true)
            }
        };
        UserOutcome { result, uid: known.unwrap_or(uid), revision: 0 }
    }

    /// Returns whether a uid has an account, edges, posts, groups or an external id.
    pub(super) fn is_used(&self, uid: Uid) -> bool {
        self.posts.posts.values().any(|post| post.header.author == uid)
            || self.counts(uid) != Counts::default()
            || self.users.knows(uid)
            || self.groups.has_given(uid)
            || self.external_ids.id_of(uid).is_some()
    }
}

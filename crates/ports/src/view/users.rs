//! Questions about users, their ids, and settings.

use super::BaseView;
use super::questions::questions;
use crate::settings::FollowLimit;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{AuditEntry, AuditId, ExternalId, FanoutPolicy, LoginName, Position, Uid, User};

questions! {
    /// Accounts, profiles, passwords, contacts and external ids; limits, policies, read markers, where imports stand, and the audit log.
    pub trait UserView: BaseView, layer UserLayer, meters users: UserMeters {
        user {
            /// Returns users, in the order of the question; `None` for a user of whom nothing is kept. At most
            /// [`USERS_MAX`](guanxi_model::limits::USERS_MAX).
            fn users(uids: &'a [Uid]) -> Vec<Option<User>>;

            /// Returns the user who has a login name.
            fn uid_of(name: &'a LoginName) -> Option<Uid>;

            /// Returns the hash of a user's password, for a caller that verifies one.
            fn password(uid: Uid) -> Option<PasswordHash>;

            /// Returns the claim of a contact. The contact is the user's only if the user has it, too.
            fn claim_of(contact: &'a Contact) -> Option<ContactClaim>;

            /// Returns the uids of external ids, in the order of the question; `None` for an id without a user. An id keeps its uid until
            /// the user is erased. At most
            /// [`RESOLVE_IDS_MAX`](guanxi_model::limits::RESOLVE_IDS_MAX).
            fn uids_of(ids: &'a [ExternalId]) -> Vec<Option<Uid>>;

            /// Returns the external ids of users, in the order of the question; `None` for a user without one. At most
            /// [`RESOLVE_IDS_MAX`](guanxi_model::limits::RESOLVE_IDS_MAX).
            fn external_ids(uids: &'a [Uid]) -> Vec<Option<ExternalId>>;

            /// Returns entries of the audit log, newest first, below an entry, which may be gone already; at most `max`.
            fn audit_entries(below: Option<AuditId>, max: usize) -> Vec<AuditEntry>;
        }

        graph {
            /// Returns the follow limit of a user.
            fn follow_limit(uid: Uid) -> FollowLimit;

            /// Returns the position of an import job; `None` for a job that never began.
            fn import_position(job: &'a str) -> Option<u64>;
        }

        post {
            /// Returns the read marker of a user, the position up to which it has seen its home; the beginning if it has set none.
            fn seen(uid: Uid) -> Position;

            /// Returns the policy of the fan-out; the default until one is set.
            fn fanout_policy() -> FanoutPolicy;
        }
    }
}

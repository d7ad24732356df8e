//! Calls of users.

use super::MeteredView;
use crate::{BoxFuture, ExternalIdView, UserView};
use guanxi_model::user::{Contact, ContactClaim, ContactCommand, PasswordHash, UserCommand};
use guanxi_model::{CredentialCommand, ExternalId, LoginName, Result, SessionCommand, Uid, User};

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Call {
    Register,
    Import,
    Update,
    SetPrivacy,
    SetStatus,
    SetPassword,
    TakeDown,
    Reinstate,
    BeginSession,
    RefreshSession,
    EndSession,
    SignOut,
    AddCredential,
    RevokeCredential,
    Users,
    UidOf,
    Password,
    ReserveContact,
    BindContact,
    ConfirmContact,
    UnbindContact,
    ReleaseContact,
    ClaimOf,
    Claims,
    AllUsers,
    DeletedUsers,
    ErasedUsers,
    AssignExternalId,
    UidsOf,
    ExternalIds,
    WriteAudit,
    AuditEntries,
}

/// The label of each call, in the order of [`Call`].
pub const LABELS: [&str; Call::AuditEntries as usize + 1] = [
    "register",
    "import_user",
    "update",
    "set_privacy",
    "set_status",
    "set_password",
    "take_down_user",
    "reinstate_user",
    "begin_session",
    "refresh_session",
    "end_session",
    "sign_out",
    "add_credential",
    "revoke_credential",
    "users",
    "uid_of",
    "password",
    "reserve_contact",
    "bind_contact",
    "confirm_contact",
    "unbind_contact",
    "release_contact",
    "claim_of",
    "claims",
    "all_users",
    "deleted_users",
    "erased_users",
    "assign_external_id",
    "uids_of",
    "external_ids",
    "write_audit",
    "audit_entries",
];

/// What a write of a user is counted as.
pub(super) const fn of_command(command: &UserCommand) -> Call {
    match command {
        UserCommand::Register(_) => Call::Register,
        UserCommand::Import { .. } => Call::Import,
        UserCommand::Update { .. } => Call::Update,
        UserCommand::SetPrivacy { .. } => Call::SetPrivacy,
        UserCommand::SetStatus { .. } => Call::SetStatus,
        UserCommand::SetPassword { .. } => Call::SetPassword,
        UserCommand::TakeDown { .. } => Call::TakeDown,
        UserCommand::Reinstate { .. } => Call::Reinstate,
        UserCommand::Contact(ContactCommand::Reserve { .. }) => Call::ReserveContact,
        UserCommand::Contact(ContactCommand::Bind { .. }) => Call::BindContact,
        UserCommand::Contact(ContactCommand::Confirm { .. }) => Call::ConfirmContact,
        UserCommand::Contact(ContactCommand::Unbind { .. }) => Call::UnbindContact,
        UserCommand::Contact(ContactCommand::Release { .. }) => Call::ReleaseContact,
        UserCommand::AssignExternalId { .. } => Call::AssignExternalId,
    }
}

/// What a write of sessions is counted as.
pub(super) const fn of_session(command: &SessionCommand) -> Call {
    match command {
        SessionCommand::Begin(_) => Call::BeginSession,
        SessionCommand::Refresh(_) => Call::RefreshSession,
        SessionCommand::End { .. } => Call::EndSession,
        SessionCommand::SignOut { .. } => Call::SignOut,
    }
}

/// What a write of credentials is counted as.
pub(super) const fn of_credential(command: &CredentialCommand) -> Call {
    match command {
        CredentialCommand::Add(_) => Call::AddCredential,
        CredentialCommand::Revoke { .. } => Call::RevokeCredential,
    }
}

impl MeteredView {
    pub(super) fn time_users<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        answer: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.meters.users[call as usize].time(answer))
    }
}

impl UserView for MeteredView {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        self.time_users(Call::Users, self.inner.users(uids))
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        self.time_users(Call::UidOf, self.inner.uid_of(name))
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        self.time_users(Call::Password, self.inner.password(uid))
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        self.time_users(Call::ClaimOf, self.inner.claim_of(contact))
    }

    fn claims<'a>(
        &'a self,
        after: Option<&'a Contact>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        self.time_users(Call::Claims, self.inner.claims(after, max))
    }

    fn all_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<User>>> {
        self.time_users(Call::AllUsers, self.inner.all_users(after, max))
    }

    fn deleted_users(&self, after: Option<(u64, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        self.time_users(Call::DeletedUsers, self.inner.deleted_users(after, max))
    }

    fn erased_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        self.time_users(Call::ErasedUsers, self.inner.erased_users(after, max))
    }
}

impl ExternalIdView for MeteredView {
    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        self.time_users(Call::UidsOf, self.inner.uids_of(ids))
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        self.time_users(Call::ExternalIds, self.inner.external_ids(uids))
    }
}

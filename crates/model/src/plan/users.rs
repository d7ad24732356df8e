//! Accounts, profiles and passwords.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::affinity::Affinities;
use crate::error::Reason;
use crate::event::{Change, UserChange};
use crate::id::Uid;
use crate::log::EventAt;
use crate::user::{
    Contacts, LoginName, PasswordHash, PrivacyPatch, Profile, ProfilePatch, Registration, User, UserCommand,
    UserOutcome, UserStatus,
};

impl<S: State> Planner<'_, S> {
    /// Plans one operation on a user.
    pub(super) fn user_command(&mut self, command: UserCommand) -> Planning<UserOutcome, S> {
        let uid = command.uid();
        let decided = match command {
            UserCommand::Contact(command) => return self.contact_command(command),
            UserCommand::AssignExternalId { uid, external_id, listed } => {
                return self.assign_external_id(uid, &external_id, listed);
            }
            UserCommand::Register(registration) => self.register(registration),
            UserCommand::Import { user, reserved } => self.import_user(*user, reserved),
            UserCommand::Update { uid, patch, expected_revision } => {
                self.update_profile(uid, patch, expected_revision)
            }
            UserCommand::SetPrivacy { uid, patch } => self.set_privacy(uid, patch),
            UserCommand::SetStatus { uid, status } => self.set_status(uid, status),
            UserCommand::TakeDown { uid, reason } => self.take_user_down(uid, reason),
            UserCommand::Reinstate { uid } => self.reinstate_user(uid),
            UserCommand::SetPassword { uid, password, replaces } => {
                self.set_password(uid, &password, replaces.as_ref())
            }
        };
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let revision = self.state.user(uid)?.map_or(0, |user| user.revision);
        Ok(UserOutcome { result, uid, revision })
    }

    /// Makes an account of an unused uid, under an unused name.
    fn register(&mut self, registration: Registration) -> Deciding<bool, S> {
        let Registration { uid, login_name, password, profile } = registration;
        profile.check()?;
        self.take_name(uid, &login_name, password.as_ref())?;
        let user = User {
            login_name: Some(login_name),
            registered_ms: Some(self.now_ms),
            profile,
            revision: 1,
            ..User::unknown(uid)
        };
        failed(self.put_user(user, UserChange::Registered))?;
        Ok(true)
    }

    /// Gives an unused uid an unused name, with its password.
    pub(super) fn take_name(
        &mut self,
        uid: Uid,
        login_name: &LoginName,
        password: Option<&PasswordHash>,
    ) -> Deciding<(), S> {
        if uid.gene() != login_name.gene() {
            return Err(Reason::InvalidField { field: "uid" }.into());
        }
        if failed(self.state.login_name(login_name))?.is_some() {
            return Err(Reason::LoginNameTaken.into());
        }
        if failed(self.state.is_used(uid))? {
            return Err(Reason::UidInUse.into());
        }
        failed(self.state.put_login_name(login_name, uid))?;
        if let Some(password) = password {
            failed(self.state.put_password(uid, password))?;
        }
        Ok(())
    }

    fn update_profile(
        &mut self,
        uid: Uid,
        patch: ProfilePatch,
        expected_revision: Option<u32>,
    ) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        let old = failed(self.user_or_unknown(uid))?;
        if expected_revision.is_some_and(|expected| expected != old.revision) {
            return Err(Reason::RevisionMismatch { revision: old.revision }.into());
        }
        let profile: Profile = patch.apply(&old.profile);
        profile.check()?;
        if profile == old.profile {
            return Ok(false);
        }
        failed(
            self.put_user(User { profile, revision: old.revision + 1, ..old }, UserChange::ProfileUpdated),
        )?;
        Ok(true)
    }

    fn set_privacy(&mut self, uid: Uid, patch: PrivacyPatch) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        let old = failed(self.user_or_unknown(uid))?;
        let privacy = patch.apply(old.privacy);
        if privacy == old.privacy {
            return Ok(false);
        }
        if privacy.locked != old.privacy.locked {
            // The users that wait to follow are approved, a few at a time, unless the user locks itself again before.
            let since = (!privacy.locked).then(|| self.state.stamp(uid, self.now_ms));
            self.state.put_unlocking(uid, since);
        }
        failed(self.put_user(User { privacy, revision: old.revision + 1, ..old }, UserChange::PrivacySet))?;
        Ok(true)
    }

    /// Hides a user and its posts, or shows them again. Readers of its posts learn of it as of a change of a post.
    fn set_status(&mut self, uid: Uid, wanted: UserStatus) -> Deciding<bool, S> {
        if wanted == UserStatus::Active {
            self.check_not_taken_down(uid)?;
        }
        let old = failed(self.user_or_unknown(uid))?;
        let Some(status) = old.status.towards(wanted)? else {
            // An operator may have made tokens of a deactivated user since.
            if wanted != UserStatus::Active {
                failed(self.end_sessions(uid))?;
            }
            return Ok(false);
        };
        let (change, resets) = match status {
            UserStatus::Active => (UserChange::Reactivated, true),
            UserStatus::Deactivated => (UserChange::Deactivated, !old.standing().taken_down),
            UserStatus::Deleted { .. } => (UserChange::Deleted, !old.standing().is_gone()),
            UserStatus::Erased { .. } => (UserChange::Erased, false),
        };
        let revision = old.revision + 1;
        let user = if matches!(status, UserStatus::Erased { .. }) {
            // Their claims lie in other shards, and would be left over.
            if old.contacts != Contacts::default() {
                return Err(Reason::InvalidField { field: "status" }.into());
            }
            failed(self.forget(&old))?;
            User { status, revision, ..User::unknown(uid) }
        } else {
            // A deleted user does not come back, so that nothing is to be reinstated.
            let takedown = if status.is_deleted() { None } else { old.takedown.clone() };
            User { status, revision, takedown, ..old }
        };
        let event = failed(self.put_user(user, change))?;
        if status != UserStatus::Active {
            failed(self.end_sessions(uid))?;
        }
        if resets {
            failed(self.reset_author(uid, event))?;
        }
        Ok(true)
    }

    /// Makes the readers of a user's posts learn of an event of the user as of a change of a post.
    pub(super) fn reset_author(&mut self, uid: Uid, event: EventAt) -> Planning<(), S> {
        let mut author = self.state.author(uid)?;
        if author.head.last_id.is_some() {
            (author.head.last, author.head.changed) = (event, event);
            self.state.put_author(uid, author)?;
        }
        Ok(())
    }

    /// Removes what is kept of a user in rows of its own.
    fn forget(&mut self, user: &User) -> Planning<(), S> {
        let uid = user.uid;
        if let Some(name) = &user.login_name {
            self.state.remove_login_name(name)?;
        }
        self.state.remove_password(uid)?;
        self.state.erase_external_id(uid)?;
        self.state.remove_sources(uid)?;
        self.state.remove_seen(uid)?;
        self.state.remove_requests_seen(uid);
        self.state.put_unlocking(uid, None);
        self.forget_dismissed(uid)?;
        self.state.put_affinities(uid, Affinities::default())?;
        if self.state.owned_groups(uid)?.0 == 0 {
            self.state.forget_group_numbers(uid)?;
        }
        self.set_follow_limit(uid, None)
    }

    /// Refuses what a user does that is not there; what undoes is never refused.
    pub(super) fn check_is_there(&mut self, uid: Uid) -> Deciding<(), S> {
        failed(self.state.standing(uid))?.refusal().map_or(Ok(()), |reason| Err(reason.into()))
    }

    /// Refuses new data of a user who is deleted, since the data of that user is to be erased. A deactivated user may
    /// come back, and keeps what is imported meanwhile.
    pub(super) fn check_not_deleted(&mut self, uid: Uid) -> Deciding<(), S> {
        if self.is_deleted(uid)? { Err(Reason::UserDeleted.into()) } else { Ok(()) }
    }

    pub(super) fn is_deleted(&mut self, uid: Uid) -> Deciding<bool, S> {
        Ok(failed(self.state.standing(uid))?.status.is_deleted())
    }

    fn set_password(
        &mut self,
        uid: Uid,
        password: &PasswordHash,
        replaces: Option<&PasswordHash>,
    ) -> Deciding<bool, S> {
        let Some(user) = failed(self.state.user(uid))?.filter(|user| user.login_name.is_some()) else {
            return Err(Reason::UserNotFound.into());
        };
        self.check_not_deleted(uid)?;
        let old = failed(self.state.password(uid))?;
        if replaces.is_some() && replaces != old.as_ref() || old.as_ref() == Some(password) {
            return Ok(false);
        }
        failed(self.state.put_password(uid, password))?;
        failed(self.put_user(user, UserChange::PasswordSet))?;
        failed(self.end_sessions(uid))?;
        Ok(true)
    }

    pub(super) fn user_or_unknown(&mut self, uid: Uid) -> Planning<User, S> {
        Ok(self.state.user(uid)?.unwrap_or_else(|| User::unknown(uid)))
    }

    /// Keeps a user, and logs what changed.
    pub(super) fn put_user(&mut self, user: User, change: UserChange) -> Planning<EventAt, S> {
        let uid = user.uid;
        self.state.put_user(user)?;
        self.log_user(uid, change)
    }

    /// Logs the change of a user. If the change signs the user out, the time of the sign-out never goes back. It is the
    /// time of the clock, and not of the version: after a version that was ahead of the clock, the user could not log
    /// in for as long.
    pub(super) fn log_user(&mut self, uid: Uid, change: UserChange) -> Planning<EventAt, S> {
        if change.signs_out() {
            let before = self.state.signed_out(uid)?;
            if before.is_none_or(|before| before < self.now_ms) {
                self.state.put_signed_out(uid, self.now_ms)?;
            }
        }
        let version = self.state.stamp(uid, self.now_ms);
        Ok(self.state.log(version, uid, Change::User(change)))
    }
}

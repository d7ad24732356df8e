//! What a write does to users, and what a read answers.

use super::state::{Commit, Maps};
use super::view::MemoryView;
use guanxi_model::event::UserChange;
use guanxi_model::limits::{CONTACT_BIND_MS, FACT_AHEAD_MAX_MS};
use guanxi_model::user::{
    Contacts, ImportUser, PasswordHash, Registration, Standing, UserCommand, UserOutcome, UserStatus,
};
use guanxi_model::{Change, Reason, Result, Stamp, Uid, User};

impl Maps {
    pub(super) fn user_command(&mut self, command: &UserCommand, commit: &mut Commit<'_>) -> UserOutcome {
        let uid = command.uid();
        let result = match command {
            UserCommand::Contact(command) => return self.contact_command(command, commit),
            UserCommand::AssignExternalId { external_id, listed, .. } => {
                return self.assign_external_id(uid, external_id, *listed, commit);
            }
            UserCommand::Register(registration) => self.register(registration, commit),
            UserCommand::Import { user, reserved } => self.import_user(user, *reserved, commit),
            UserCommand::Update { .. }
            | UserCommand::SetPrivacy { .. }
            | UserCommand::TakeDown { .. }
            | UserCommand::Reinstate { .. }
                if self.is_deleted(uid) =>
            {
                Err(Reason::UserDeleted)
            }
            UserCommand::Update { patch, expected_revision, .. } => {
                let old = self.user(uid);
                if expected_revision.is_some_and(|expected| expected != old.revision) {
                    Err(Reason::RevisionMismatch { revision: old.revision })
                } else {
                    let profile = patch.clone().apply(&old.profile);
                    profile
                        .check()
                        .map(|()| self.change(User { profile, ..old }, UserChange::ProfileUpdated, commit))
                }
            }
            UserCommand::SetPrivacy { patch, .. } => {
                let old = self.user(uid);
                let privacy = patch.apply(old.privacy);
                if old.privacy.locked && !privacy.locked {
                    let since = self.hlc.tick(commit.now_ms);
                    self.waiting.unlocking.insert(uid, since);
                } else if !old.privacy.locked && privacy.locked {
                    self.waiting.unlocking.remove(&uid);
                }
                Ok(self.change(User { privacy, ..old }, UserChange::PrivacySet, commit))
            }
            UserCommand::SetStatus { status, .. } => {
                let user = self.user(uid);
                let result = match user.takedown.filter(|_| *status == UserStatus::Active) {
                    Some(reason) => Err(Reason::UserTakenDown { reason }),
                    None => self.set_status(uid, *status, commit),
                };
                if result.is_ok() && *status != UserStatus::Active {
                    self.end_sessions(uid, commit.now_ms);
                }
                result
            }
            UserCommand::TakeDown { reason, .. } => {
                self.end_sessions(uid, commit.now_ms);
                let takedown = self.user(uid).takedown.or_else(|| Some(reason.clone()));
                Ok(self.set_takedown(uid, takedown, UserChange::TakenDown, commit))
            }
            UserCommand::Reinstate { .. } => Ok(self.set_takedown(uid, None, UserChange::Reinstated, commit)),
            UserCommand::SetPassword { password, replaces, .. } => {
                self.set_password(uid, (password, replaces.as_ref()), commit)
            }
        };
        UserOutcome { result, uid, revision: self.user(uid).revision }
    }

    pub(super) fn user(&self, uid: Uid) -> User {
        self.users.users.get(&uid).cloned().unwrap_or_else(|| User::unknown(uid))
    }

    /// Returns from when on what others issue to a user must have been issued: after it signed out everywhere.
    pub(super) fn not_before_ms(&self, uid: Uid) -> u64 {
        self.users.signed_out.get(&uid).map_or(0, |at_ms| at_ms + 1)
    }

    /// Returns whether a user is there, and what others may know of it: a fact of its own shard.
    pub(super) fn standing(&self, uid: Uid) -> Standing {
        self.user(uid).standing()
    }

    /// Hides a user, shows it again, deletes or erases it. Its posts go or come with it, which its head tells.
    fn set_status(&mut self, uid: Uid, wanted: UserStatus, commit: &mut Commit<'_>) -> Result<bool, Reason> {
        let old = self.user(uid);
        let Some(status) = old.status.towards(wanted)? else { return Ok(false) };
        let was_there = !old.standing().is_gone();
        let change = match status {
            UserStatus::Active => UserChange::Reactivated,
            UserStatus::Deactivated => UserChange::Deactivated,
            UserStatus::Deleted { .. } => UserChange::Deleted,
            UserStatus::Erased { .. } if old.contacts != Contacts::default() => {
                return Err(Reason::InvalidField { field: "status" });
            }
            UserStatus::Erased { .. } => return Ok(self.erase(&old, status, commit)),
        };
        let at = self.next_at(uid, commit.options.logs);
        let takedown = if status.is_deleted() { None } else { old.takedown.clone() };
        self.change(User { status, takedown, ..old }, change, commit);
        let moved = was_there || status == UserStatus::Active;
        if let Some(head) = self.posts.heads.get_mut(&uid).filter(|_| moved) {
            (head.last, head.changed) = (at, at);
        }
        Ok(true)
    }

    /// Hides a user, or shows it again, for every status.
    fn set_takedown(
        &mut self,
        uid: Uid,
        takedown: Option<String>,
        change: UserChange,
        commit: &mut Commit<'_>,
    ) -> bool {
        let old = self.user(uid);
        let (was_gone, at) = (old.standing().is_gone(), self.next_at(uid, commit.options.logs));
        let changed = self.change(User { takedown, ..old }, change, commit);
        let moved = self.standing(uid).is_gone() != was_gone;
        if let Some(head) = self.posts.heads.get_mut(&uid).filter(|_| moved) {
            (head.last, head.changed) = (at, at);
        }
        changed
    }

    /// Keeps nothing of a user but its status.
    fn erase(&mut self, old: &User, status: UserStatus, commit: &mut Commit<'_>) -> bool {
        let uid = old.uid;
        self.users.login_names.retain(|_, owner| *owner != uid);
        self.scores.remove(&uid);
        self.dismissed.retain(|(viewer, _), _| *viewer != uid);
        self.users.passwords.remove(&uid);
        self.external_ids.erase(uid);
        self.posts.sources.retain(|(author, _), _| *author != uid);
        self.posts.seen.remove(&uid);
        self.waiting.seen.remove(&uid);
        self.waiting.unlocking.remove(&uid);
        self.groups.forget(uid);
        if self.limits.remove(&uid).is_some() {
            let version = self.hlc.tick(commit.now_ms);
            self.log(version, uid, Change::FollowLimit(None), commit);
        }
        self.change(User { status, revision: old.revision, ..User::unknown(uid) }, UserChange::Erased, commit)
    }

    /// Returns whether a user is deleted or erased.
    pub(super) fn is_deleted(&self, uid: Uid) -> bool {
        self.standing(uid).status.is_deleted()
    }

    fn register(&mut self, registration: &Registration, commit: &mut Commit<'_>) -> Result<bool, Reason> {
        let Registration { uid, login_name, password, profile } = registration;
        profile.check()?;
        if uid.gene() != login_name.gene() {
            return Err(Reason::InvalidField { field: "uid" });
        }
        if self.users.login_names.contains_key(login_name) {
            return Err(Reason::LoginNameTaken);
        }
        if self.is_used(*uid) {
            return Err(Reason::UidInUse);
        }
        self.users.login_names.insert(login_name.clone(), *uid);
        if let Some(password) = password {
            self.users.passwords.insert(*uid, password.clone());
        }
        let user = User {
            login_name: Some(login_name.clone()),
            registered_ms: Some(commit.now_ms),
            profile: profile.clone(),
            ..User::unknown(*uid)
        };
        Ok(self.change(user, UserChange::Registered, commit))
    }

    /// Keeps a user from elsewhere by what its parts would do one after the other, once nothing refuses any of them.
    fn import_user(
        &mut self,
        user: &ImportUser,
        reserved: [Option<Stamp>; 2],
        commit: &mut Commit<'_>,
    ) -> Result<bool, Reason> {
        let (uid, contacts) = (user.uid, [&user.contacts.phone, &user.contacts.email]);
        user.profile.check()?;
        if user.registered_ms.is_some_and(|ms| ms > commit.now_ms + FACT_AHEAD_MAX_MS) {
            return Err(Reason::TimeOutOfRange);
        }
        let is_late = |at: Stamp| commit.now_ms >= at.ms() + CONTACT_BIND_MS;
        if contacts.iter().zip(reserved).any(|(contact, at)| contact.is_some() && at.is_none_or(is_late)) {
            return Err(Reason::DeadlineExceeded);
        }
        match (&user.login_name, &user.external_id) {
            (Some(_), Some(_)) => return Err(Reason::InvalidField { field: "external_id" }),
            (None, Some(id)) if id.gene() != uid.gene() => return Err(Reason::InvalidField { field: "uid" }),
            (None, _) if self.is_deleted(uid) => return Err(Reason::UserDeleted),
            (None, _) if self.users.knows(uid) => return Ok(false),
            _ => {}
        }
        let mut changed = false;
        if let Some(id) = &user.external_id {
            let assigned = self.assign_external_id(uid, id, true, commit);
            changed = assigned.result?;
            if assigned.uid != uid {
                return Err(Reason::InvalidField { field: "external_id" });
            }
        }
        let profile = user.profile.clone();
        changed |= match &user.login_name {
            Some(name) => {
                let (login_name, password) = (name.clone(), user.password.clone());
                self.register(&Registration { uid, login_name, password, profile }, commit)?
            }
            None => self.change(User { profile, ..self.user(uid) }, UserChange::ProfileUpdated, commit),
        };
        let privacy = user.privacy;
        changed |= self.change(User { privacy, ..self.user(uid) }, UserChange::PrivacySet, commit);
        for contact in contacts.into_iter().flatten() {
            changed |= self.set_contact(uid, contact, true, commit);
        }
        if let (Some(ms), Some(kept)) = (user.registered_ms, self.users.users.get_mut(&uid)) {
            kept.registered_ms = kept.registered_ms.map(|now| ms.min(now));
        }
        if user.is_deactivated {
            changed |= self.set_status(uid, UserStatus::Deactivated, commit)?;
            self.end_sessions(uid, commit.now_ms);
        }
        Ok(changed)
    }

    fn set_password(
        &mut self,
        uid: Uid,
        (password, replaces): (&PasswordHash, Option<&PasswordHash>),
        commit: &mut Commit<'_>,
    ) -> Result<bool, Reason> {
        if self.user(uid).login_name.is_none() {
            return Err(Reason::UserNotFound);
        }
        if self.is_deleted(uid) {
            return Err(Reason::UserDeleted);
        }
        let old = self.users.passwords.get(&uid);
        if old == Some(password) || replaces.is_some() && old != replaces {
            return Ok(false);
        }
        self.users.passwords.insert(uid, password.clone());
        self.log_user(uid, UserChange::PasswordSet, commit);
        self.end_sessions(uid, commit.now_ms);
        Ok(true)
    }

    /// Keeps a user who differs from what is kept, as another revision. Returns whether it does.
    pub(super) fn change(&mut self, user: User, change: UserChange, commit: &mut Commit<'_>) -> bool {
        let (uid, old) = (user.uid, self.user(user.uid));
        if user == old {
            return false;
        }
        self.users.users.insert(uid, User { revision: old.revision + 1, ..user });
        self.log_user(uid, change, commit);
        true
    }

    pub(super) fn log_user(&mut self, uid: Uid, change: UserChange, commit: &mut Commit<'_>) {
        let version = self.hlc.tick(commit.now_ms);
        if change.signs_out() {
            // It never goes back, though the clock may.
            let at_ms = self.users.signed_out.entry(uid).or_default();
            *at_ms = commit.now_ms.max(*at_ms);
        }
        self.log(version, uid, Change::User(change), commit);
    }
}

impl MemoryView {
    /// Returns what is said of some users of all shards, in its order, after one; at most `max`.
    pub(super) fn users_after<T: Copy + Ord>(
        &self,
        of: impl Fn(&User) -> Option<T>,
        after: Option<T>,
        max: usize,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for (state, is_own) in self.states() {
            found.extend(state.users.users.values().filter(|user| is_own(user.uid)).filter_map(&of));
        }
        found.retain(|user| after.is_none_or(|after| *user > after));
        found.sort_unstable();
        found.truncate(max);
        found
    }
}

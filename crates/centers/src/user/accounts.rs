//! Accounts: who registers, logs in, and changes a password.

use super::UserCenter;
use super::export::UserExports;
use super::external_ids::ExternalIdCenter;
use super::passwords::{Password, PasswordVerdict, Passwords};
use super::sessions::{IssuedSession, SessionCenter};
use super::write::UserWritten;
use crate::Random;
use crate::random::number_of;
use guanxi_model::id::ID_EPOCH_MS;
use guanxi_model::limits::DELETED_USERS_RETENTION_MS;
use guanxi_model::user::{
    Identifier, PasswordHash, Profile, Registration, UidPolicy, UserCommand, UserStatus,
};
use guanxi_model::{Clock, Error, LoginName, Position, Reason, RequestKey, Result, Uid, User, Write};
use guanxi_ports::Credentials;
use std::sync::Arc;

/// Uids that are proposed for one registration. One is used already about once in 16,384 registrations of a
/// millisecond; as many as this in a row are a fault.
const PROPOSALS_MAX: usize = 8;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 3_600 * 1_000;

/// An account to make.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The name to log in with.
    pub login_name: LoginName,
    /// The password; without one nobody logs in until one is set.
    pub password: Option<Password>,
    /// What others see at first.
    pub profile: Profile,
}

/// Makes accounts, and lets their users in. Cheap to clone.
#[derive(Clone)]
pub struct AccountCenter {
    users: UserCenter,
    passwords: Passwords,
    sessions: SessionCenter,
    clock: Arc<dyn Clock>,
    random: Random,
    deleted_retention_ms: u64,
    uids: UidPolicy,
}

impl std::fmt::Debug for AccountCenter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountCenter").finish_non_exhaustive()
    }
}

impl AccountCenter {
    /// A center over the users of a backend, what hashes passwords, and the sessions of logins.
    pub const fn new(
        users: UserCenter,
        passwords: Passwords,
        sessions: SessionCenter,
        clock: Arc<dyn Clock>,
        random: Random,
    ) -> Self {
        let deleted_retention_ms = DELETED_USERS_RETENTION_MS;
        let uids = UidPolicy::Both;
        Self { users, passwords, sessions, clock, random, deleted_retention_ms, uids }
    }

    /// The same, which mints uids by a policy.
    #[must_use]
    pub fn minting(self, uids: UidPolicy) -> Self {
        Self { uids, ..self }
    }

    /// The same, with another time than [`DELETED_USERS_RETENTION_MS`] for which a deleted user's content and names are kept.
    #[must_use]
    pub fn keeping_deleted_for(self, deleted_retention_ms: u64) -> Self {
        Self { deleted_retention_ms, ..self }
    }

    /// The sessions of logins.
    pub const fn sessions(&self) -> &SessionCenter {
        &self.sessions
    }

    /// The dictionary of external ids.
    pub fn external_ids(&self) -> ExternalIdCenter {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        ExternalIdCenter::new(self.users.graph.clone(), clock, random).minting(self.uids)
    }

    /// Exports of users. With credentials the sessions among them have the names of operators' tokens.
    pub fn exports(&self, credentials: Option<Arc<dyn Credentials>>) -> UserExports {
        UserExports::new(self.users.graph.clone(), self.sessions.port(), credentials)
    }

    /// What hashes passwords.
    pub const fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Returns for whom a registration acts before it has a uid: requests of one shard are told apart by their ids and
    /// what they ask for.
    pub fn registrar(name: &LoginName) -> Uid {
        Uid::minted(ID_EPOCH_MS + 1, 0, name.gene()).unwrap_or(Uid::MIN)
    }

    /// Makes an account with a uid that nobody has used, of the shard of its name.
    ///
    /// # Errors
    /// `LOGIN_NAME_TAKEN`; those of the profile; `OVERLOADED` when too many passwords wait to be hashed.
    pub async fn register(&self, account: NewAccount, request: Option<RequestKey>) -> Result<UserWritten> {
        let NewAccount { login_name, password, profile } = account;
        let password = match password {
            Some(password) => Some(self.hash(password).await?),
            None => None,
        };
        let mut tried = 0;
        loop {
            let registration = Registration {
                uid: self.propose(&login_name)?,
                login_name: login_name.clone(),
                password: password.clone(),
                profile: profile.clone(),
            };
            tried += 1;
            match self.users.command(UserCommand::Register(registration), request.clone()).await {
                // Under a request id the refusal would be remembered.
                Err(error)
                    if error.reason == Reason::UidInUse && request.is_none() && tried < PROPOSALS_MAX => {}
                answer => return answer,
            }
        }
    }

    /// Lets a user in who proves to be the one of a login name or contact, on a device that it may name. What nobody can
    /// have is `None`.
    ///
    /// What nobody has, a user without a password and a wrong password are the same answer, and the same hash is run for
    /// each.
    ///
    /// # Errors
    /// `LOGIN_FAILED`; `USER_DEACTIVATED` for who proves it and is not there; `OVERLOADED` when too many passwords wait to
    /// be hashed; those of the device.
    pub async fn login(
        &self,
        who: Option<&Identifier>,
        password: Password,
        device: Option<&str>,
    ) -> Result<IssuedSession> {
        let known = self.known(who).await?;
        let right = self.verify(password.clone(), known.as_ref().map(|(_, stored)| stored)).await?;
        let Some(((uid, stored), renew)) = known.zip(right) else {
            return Err(Error::new(Reason::LoginFailed));
        };
        let stored = if renew { self.renew(uid, stored, password.clone()).await? } else { stored };
        let issued = self.let_in(uid, stored, password, device).await?;
        let day = u32::try_from(self.clock.now_ms() / DAY_MS).unwrap_or(u32::MAX);
        self.users.graph.apply(Write::of(UserCommand::NoteLogin { uid, day })).await?;
        Ok(issued)
    }

    /// Changes the password of a user who knows it, ends all sessions, and begins one on this device.
    ///
    /// # Errors
    /// `LOGIN_FAILED` when the old password is wrong or was changed meanwhile; `OVERLOADED`; those of the device.
    pub async fn change_password(
        &self,
        uid: Uid,
        old: Password,
        new: Password,
        device: Option<&str>,
    ) -> Result<IssuedSession> {
        let stored = self.users.graph.view(None).await?.password(uid).await?;
        let right = self.verify(old, stored.as_ref()).await?;
        let Some((stored, _)) = stored.zip(right) else { return Err(Error::new(Reason::LoginFailed)) };
        let password = self.hash(new.clone()).await?;
        let replaces = Some(stored);
        let set = UserCommand::SetPassword { uid, password: password.clone(), replaces, renewed: false };
        if !self.users.command(set, None).await?.changed {
            return Err(Error::new(Reason::LoginFailed));
        }
        self.sessions.revoke_all(uid).await?;
        self.let_in(uid, password, new, device).await
    }

    /// Whether a user has a password.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn has_password(&self, uid: Uid) -> Result<bool> {
        Ok(self.users.graph.view(None).await?.password(uid).await?.is_some())
    }

    /// Whether whoever acts for a user knows its password, before something that cannot be undone.
    ///
    /// # Errors
    /// `LOGIN_FAILED` when it is wrong, or there is none; `OVERLOADED` when too many passwords wait to be verified.
    pub async fn prove(&self, uid: Uid, password: Password) -> Result<()> {
        let stored = self.users.graph.view(None).await?.password(uid).await?;
        match self.verify(password, stored.as_ref()).await? {
            Some(_) => Ok(()),
            None => Err(Error::new(Reason::LoginFailed)),
        }
    }

    /// Sets the password of an account for a service that knows its user otherwise, and ends all sessions. A repeat after
    /// an answer that was lost does both again.
    ///
    /// # Errors
    /// `USER_NOT_FOUND`; `OVERLOADED`.
    pub async fn set_password(&self, uid: Uid, password: Password) -> Result<Position> {
        let password = self.hash(password).await?;
        let set = UserCommand::SetPassword { uid, password, replaces: None, renewed: false };
        let written = self.users.command(set, None).await?;
        self.sessions.revoke_all(uid).await?;
        Ok(written.position)
    }

    /// Who has a login name or contact, with the password, if there is one.
    async fn known(&self, who: Option<&Identifier>) -> Result<Option<(Uid, PasswordHash)>> {
        let Some(who) = who else { return Ok(None) };
        let (user, view) = self.users.find(who, None).await?;
        let Some(User { uid, .. }) = user else { return Ok(None) };
        Ok(view.password(uid).await?.map(|stored| (uid, stored)))
    }

    /// Begins a session of a user whose password was right when `stored` was kept.
    ///
    /// Whoever sets another password ends the sessions that there are then, so it is looked at once more behind the new
    /// one. Another hash may be of the same password, renewed by a login beside this one: then that is verified.
    async fn let_in(
        &self,
        uid: Uid,
        stored: PasswordHash,
        password: Password,
        device: Option<&str>,
    ) -> Result<IssuedSession> {
        let issued = self.sessions.begin(uid, device).await?;
        match self.is_still(uid, stored, password).await {
            Ok(true) => Ok(issued),
            answer => {
                self.sessions.revoke(uid, issued.session.id).await?;
                answer.and(Err(Error::new(Reason::LoginFailed)))
            }
        }
    }

    /// Whether a password that `stored` is of is the user's now.
    ///
    /// # Errors
    /// `USER_DEACTIVATED`, `USER_DELETED`; what the session ends with that was begun before.
    async fn is_still(&self, uid: Uid, mut stored: PasswordHash, password: Password) -> Result<bool> {
        loop {
            let view = self.users.graph.view(None).await?;
            let standings = view.standings(&[uid]).await?;
            if let Some(reason) = standings.first().and_then(|standing| standing.status.refusal()) {
                return Err(Error::new(reason));
            }
            match view.password(uid).await? {
                Some(now) if now == stored => return Ok(true),
                Some(now) if self.verify(password.clone(), Some(&now)).await?.is_some() => stored = now,
                _ => return Ok(false),
            }
        }
    }

    /// Hides a user, and ends all its sessions. A repeat after an answer that was lost does both again.
    ///
    /// # Errors
    /// Those of the store. Then the user may be hidden already, and nothing that its sessions ask for is answered.
    pub async fn deactivate(&self, uid: Uid, request: Option<RequestKey>) -> Result<UserWritten> {
        let written = self.users.set_status(uid, UserStatus::Deactivated, request).await?;
        self.sessions.revoke_all(uid).await?;
        Ok(written)
    }

    /// Signs a user out everywhere: ends all its sessions, and whatever others have issued to it. Returns how many sessions
    /// there were. A repeat after an answer that was lost does both again.
    ///
    /// # Errors
    /// Those of the store. Then what others issued may have ended already, and sessions not yet.
    pub async fn sign_out(&self, uid: Uid) -> Result<(u64, Position)> {
        let written = self.users.command(UserCommand::SignOut { uid }, None).await?;
        Ok((self.sessions.revoke_all(uid).await?, written.position))
    }

    /// Shows a user again, who logs in as before.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn reactivate(&self, uid: Uid, request: Option<RequestKey>) -> Result<UserWritten> {
        self.users.set_status(uid, UserStatus::Active, request).await
    }

    /// Deletes a user for good, and ends all its sessions; what it wrote and its names are erased once the retention is
    /// over. A repeat after an answer that was lost does both again.
    ///
    /// # Errors
    /// Those of the store. Then the user may be hidden already, and nothing that its sessions ask for is answered.
    pub async fn delete(&self, uid: Uid, request: Option<RequestKey>) -> Result<UserWritten> {
        let erase_at_ms = self.clock.now_ms().saturating_add(self.deleted_retention_ms);
        self.delete_until(uid, erase_at_ms, request).await
    }

    /// Deletes a user for good, to be erased at once.
    ///
    /// # Errors
    /// As above.
    pub async fn erase(&self, uid: Uid, request: Option<RequestKey>) -> Result<UserWritten> {
        self.delete_until(uid, self.clock.now_ms(), request).await
    }

    async fn delete_until(
        &self,
        uid: Uid,
        erase_at_ms: u64,
        request: Option<RequestKey>,
    ) -> Result<UserWritten> {
        let written = self.users.set_status(uid, UserStatus::Deleted { erase_at_ms }, request).await?;
        self.sessions.revoke_all(uid).await?;
        Ok(written)
    }

    async fn hash(&self, password: Password) -> Result<PasswordHash> {
        self.passwords.hash(password).await
    }

    /// Whether a password is right; then whether its hash is of another day.
    async fn verify(&self, password: Password, stored: Option<&PasswordHash>) -> Result<Option<bool>> {
        match self.passwords.verify(password, stored.cloned()).await? {
            PasswordVerdict::Right { renew } => Ok(Some(renew)),
            PasswordVerdict::Wrong => Ok(None),
            PasswordVerdict::Unusable => {
                tracing::warn!("a stored password cannot be verified: its user needs a new one");
                Ok(None)
            }
        }
    }

    /// Hashes a right password as is done today, and keeps that if the password is still the same. Returns what is kept.
    async fn renew(&self, uid: Uid, stored: PasswordHash, password: Password) -> Result<PasswordHash> {
        // Whoever logs in need not wait for it when others do.
        let Ok(password) = self.hash(password).await else { return Ok(stored) };
        let replaces = Some(stored.clone());
        let set = UserCommand::SetPassword { uid, password: password.clone(), replaces, renewed: true };
        let changed = self.users.command(set, None).await?.changed;
        Ok(if changed { password } else { stored })
    }

    /// A uid of this moment in the shard of a name.
    fn propose(&self, name: &LoginName) -> Result<Uid> {
        let random = (self.random)();
        self.uids.mint(self.clock.now_ms(), number_of(random), name.gene())
    }
}

//! Accounts: who registers, logs in, and changes a password.

use super::UserCenter;
use super::export::UserExports;
use super::external_ids::ExternalIdCenter;
use super::familiar::{FamiliarNetworks, Network};
use super::passwords::{Password, PasswordQueue, PasswordTurn, PasswordVerdict, Passwords};
use super::sessions::{IssuedSession, SessionCenter};
use super::write::written;
use crate::Random;
use crate::random::number_of;
use guanxi_model::id::ID_EPOCH_MS;
use guanxi_model::limits::DELETED_USERS_RETENTION_MS;
use guanxi_model::user::{
    Identifier, PasswordHash, Profile, Registration, UidPolicy, UserCommand, UserStatus,
};
use guanxi_model::{
    Clock, Command, DAY_MS, Error, Login, LoginName, Position, Reason, RequestKey, Result, SessionCommand,
    Uid, User, Write,
};
use guanxi_ports::{Credentials, Revised};
use std::sync::Arc;
use std::time::Duration;

/// Uids that are proposed for one registration. About once in 16,384 registrations of a millisecond a proposed uid is used
/// already; as many in a row as this are a fault.
const PROPOSALS_MAX: usize = 8;

/// How often a login is tried whose hash is renewed by others meanwhile: each of them has renewed it once.
const LOGIN_TRIES_MAX: usize = 8;

/// An account to make.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The name to log in with.
    pub login_name: LoginName,
    /// The password. Without one the user cannot log in until one is set.
    pub password: Option<Password>,
    /// The first profile.
    pub profile: Profile,
}

/// A user that wants to log in.
#[derive(Clone, Debug)]
pub struct LoginAttempt<'a> {
    /// The login name or contact; `None` for a text that no user can have.
    pub who: Option<&'a Identifier>,
    /// The password as given.
    pub password: Password,
    /// The name of the device.
    pub device: Option<&'a str>,
    /// From where it comes, if that is known.
    pub network: Option<Network>,
    /// The rest of the call's deadline.
    pub time_left: Option<Duration>,
}

/// Makes accounts, and lets their users in. Cheap to clone.
#[derive(Clone)]
pub struct AccountCenter {
    users: UserCenter,
    passwords: Passwords,
    sessions: SessionCenter,
    familiar: FamiliarNetworks,
    clock: Arc<dyn Clock>,
    random: Random,
    deleted_retention_ms: u64,
    uids: UidPolicy,
}

crate::opaque_debug!(AccountCenter);

impl AccountCenter {
    /// A center over the users of a backend, what hashes passwords, and the sessions of logins.
    pub fn new(
        users: UserCenter,
        passwords: Passwords,
        sessions: SessionCenter,
        clock: Arc<dyn Clock>,
        random: Random,
    ) -> Self {
        let deleted_retention_ms = DELETED_USERS_RETENTION_MS;
        let uids = UidPolicy::Both;
        let familiar = FamiliarNetworks::new(clock.clone());
        Self { users, passwords, sessions, familiar, clock, random, deleted_retention_ms, uids }
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
        ExternalIdCenter::new(self.users.store.clone(), clock, random).minting(self.uids)
    }

    /// Exports of users. With credentials the sessions among them have the names of operators' tokens.
    pub fn exports(&self, credentials: Option<Arc<dyn Credentials>>) -> UserExports {
        UserExports::new(self.users.store.clone(), self.sessions.port(), credentials)
    }

    /// From where users came lately.
    pub const fn familiar(&self) -> &FamiliarNetworks {
        &self.familiar
    }

    /// Returns the threads that hash passwords.
    pub const fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Returns for whom a registration acts before it has a uid: requests of one shard are told apart by their ids and
    /// what they ask for.
    pub fn registrar(name: &LoginName) -> Uid {
        Uid::minted(ID_EPOCH_MS + 1, 0, name.gene()).unwrap_or(Uid::MIN)
    }

    /// Makes an account with an unused uid of the shard of its name. A repeat under the same request key gives the same
    /// answer only with the same password.
    ///
    /// # Errors
    /// `LOGIN_NAME_TAKEN`; `PASSWORD_TOO_COMMON` for the login name as the password; `IDEMPOTENCY_MISMATCH` for another
    /// password than that of the account; those of the profile; `OVERLOADED` when too many passwords wait to be hashed.
    pub async fn register(
        &self,
        account: NewAccount,
        request: Option<RequestKey>,
        turn: PasswordTurn,
    ) -> Result<Revised<Uid>> {
        let NewAccount { login_name, password: chosen, profile } = account;
        let password = match chosen.clone() {
            Some(password) => {
                password.check_is_not(&login_name)?;
                Some(self.passwords.hash(password, turn).await?)
            }
            None => None,
        };
        let mut tried = 0;
        loop {
            let uid = self.propose(&login_name)?;
            let registration = Registration {
                uid,
                login_name: login_name.clone(),
                password: password.clone(),
                profile: profile.clone(),
            };
            tried += 1;
            match self.users.command(UserCommand::Register(registration), request.clone()).await {
                // Under a request id the refusal would be remembered.
                Err(error)
                    if error.reason == Reason::UidInUse && request.is_none() && tried < PROPOSALS_MAX => {}
                // An answer that is remembered is of the uid that was proposed then.
                Ok(written) if written.id != uid => {
                    return self.registered_before(written, (chosen, turn)).await;
                }
                answer => return answer,
            }
        }
    }

    /// A registration that is repeated: the password is compared with the account's hash, since nothing else of it is kept.
    async fn registered_before(
        &self,
        written: Revised<Uid>,
        (password, turn): (Option<Password>, PasswordTurn),
    ) -> Result<Revised<Uid>> {
        let stored = self.users.store.view(Some(&written.position)).await?.password(written.id).await?;
        let is_same = match (password, stored) {
            (None, stored) => stored.is_none(),
            (Some(password), stored) => self.verify(password, stored.as_ref(), turn).await?.is_some(),
        };
        is_same.then_some(written).ok_or(Error::new(Reason::IdempotencyMismatch))
    }

    /// Logs in a user that proves to own a login name or contact, on a device that it may name.
    ///
    /// A user who came from this network lately waits apart from strangers. An unknown name, a user without a password and a
    /// wrong password get the same answer, and the same hash is run for each.
    ///
    /// # Errors
    /// `LOGIN_FAILED`; `USER_DEACTIVATED` for a user that proves it and is gone; `OVERLOADED` when too many passwords wait to
    /// be hashed, or this one cannot be in the time that is left; those of the device.
    pub async fn login(&self, attempt: LoginAttempt<'_>) -> Result<IssuedSession> {
        let LoginAttempt { who, password, device, network, time_left } = attempt;
        let known = self.known(who).await?;
        let pair = known.as_ref().map(|(uid, _)| *uid).zip(network);
        let is_familiar = pair.is_some_and(|(uid, network)| self.familiar.knows(uid, network));
        let queue = if is_familiar { PasswordQueue::Familiar } else { PasswordQueue::Strangers };
        let turn = PasswordTurn { queue, time_left };
        let right = self.verify(password.clone(), known.as_ref().map(|(_, stored)| stored), turn).await?;
        let Some(((uid, stored), renew)) = known.zip(right) else {
            return Err(Error::new(Reason::LoginFailed));
        };
        // A user who logs in need not wait for it when others do.
        let renewed = if renew { self.passwords.hash(password.clone(), turn).await.ok() } else { None };
        let issued = self.let_in(uid, (stored, renewed), (password, turn), device).await?;
        if let Some(network) = network {
            self.familiar.note(uid, network);
        }
        Ok(issued)
    }

    /// Changes the password of a user who knows it, ends all sessions, and begins one on this device.
    ///
    /// # Errors
    /// `LOGIN_FAILED` when the old password is wrong or was changed meanwhile; `PASSWORD_TOO_COMMON` for the login name as the
    /// new one; `OVERLOADED`; those of the device.
    pub async fn change_password(
        &self,
        uid: Uid,
        old: Password,
        new: Password,
        device: Option<&str>,
        time_left: Option<Duration>,
    ) -> Result<IssuedSession> {
        let turn = PasswordTurn { queue: PasswordQueue::Familiar, time_left };
        let stored = self.users.store.view(None).await?.password(uid).await?;
        let right = self.verify(old, stored.as_ref(), turn).await?;
        let Some((stored, _)) = stored.zip(right) else { return Err(Error::new(Reason::LoginFailed)) };
        self.check_is_not_name(uid, &new).await?;
        let password = self.passwords.hash(new, turn).await?;
        let issued = self.sessions.issue(uid, device)?;
        let login = Login { stored: password.clone(), renewed: None, day: self.today() };
        let begin = SessionCommand::login(issued.session.clone(), login);
        let set = UserCommand::SetPassword { uid, password, replaces: Some(stored) };
        let applied = self.sessions.port().apply(Write::all([Command::from(set), begin.into()])).await?;
        for outcome in applied.outcomes {
            if !outcome.result().map_err(Error::new)? {
                return Err(Error::new(Reason::LoginFailed));
            }
        }
        Ok(issued)
    }

    /// Returns whether a user has a password.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn has_password(&self, uid: Uid) -> Result<bool> {
        Ok(self.users.store.view(None).await?.password(uid).await?.is_some())
    }

    /// Verifies that the caller that acts for a user knows its password, before something that cannot be undone.
    ///
    /// # Errors
    /// `LOGIN_FAILED` when it is wrong, or there is none; `OVERLOADED` when too many passwords wait to be verified.
    pub async fn prove(&self, uid: Uid, password: Password, time_left: Option<Duration>) -> Result<()> {
        let turn = PasswordTurn { queue: PasswordQueue::Familiar, time_left };
        let stored = self.users.store.view(None).await?.password(uid).await?;
        match self.verify(password, stored.as_ref(), turn).await? {
            Some(_) => Ok(()),
            None => Err(Error::new(Reason::LoginFailed)),
        }
    }

    /// Sets the password of an account for a service that knows its user otherwise, and ends all sessions, in one commit.
    ///
    /// # Errors
    /// `USER_NOT_FOUND`; `PASSWORD_TOO_COMMON` for the login name; `OVERLOADED`.
    pub async fn set_password(
        &self,
        uid: Uid,
        password: Password,
        time_left: Option<Duration>,
    ) -> Result<Position> {
        let turn = PasswordTurn { queue: PasswordQueue::Familiar, time_left };
        self.check_is_not_name(uid, &password).await?;
        let password = self.passwords.hash(password, turn).await?;
        let set = UserCommand::SetPassword { uid, password, replaces: None };
        Ok(self.ending(set, None).await?.position)
    }

    /// Checks a new password against the login name of its user, if it has one.
    async fn check_is_not_name(&self, uid: Uid, password: &Password) -> Result<()> {
        let user = self.users.store.view(None).await?.users(&[uid]).await?.pop().flatten();
        let name = user.and_then(|user| user.login_name);
        name.map_or(Ok(()), |name| password.check_is_not(&name))
    }

    /// Returns the user that has a login name or contact, with the password, if there is one.
    async fn known(&self, who: Option<&Identifier>) -> Result<Option<(Uid, PasswordHash)>> {
        let Some(who) = who else { return Ok(None) };
        let (user, view) = self.users.find(who, None).await?;
        let Some(User { uid, .. }) = user else { return Ok(None) };
        Ok(view.password(uid).await?.map(|stored| (uid, stored)))
    }

    /// Begins a session of a user whose password was right when `stored` was kept, in the same commit as what is noted of the
    /// login. Another hash may be of the same password, renewed by a login beside this one: then that is verified.
    async fn let_in(
        &self,
        uid: Uid,
        (mut stored, mut renewed): (PasswordHash, Option<PasswordHash>),
        (password, turn): (Password, PasswordTurn),
        device: Option<&str>,
    ) -> Result<IssuedSession> {
        let issued = self.sessions.issue(uid, device)?;
        for _ in 0..LOGIN_TRIES_MAX {
            let login = Login { stored: stored.clone(), renewed: renewed.take(), day: self.today() };
            match self.sessions.log_in(issued.session.clone(), login).await {
                Err(error) if error.reason == Reason::LoginFailed => {}
                begun => return begun.map(|()| issued),
            }
            let now = self.users.store.view(None).await?.password(uid).await?;
            let Some(now) = now.filter(|now| *now != stored) else { break };
            if self.verify(password.clone(), Some(&now), turn).await?.is_none() {
                break;
            }
            stored = now;
        }
        Err(Error::new(Reason::LoginFailed))
    }

    /// The day of now, in days since 1970-01-01 UTC.
    fn today(&self) -> u32 {
        u32::try_from(self.clock.now_ms() / DAY_MS).unwrap_or(u32::MAX)
    }

    /// Does what ends all sessions of a user.
    async fn ending(&self, command: UserCommand, request: Option<RequestKey>) -> Result<Revised<Uid>> {
        written(&*self.sessions.port(), command, request).await
    }

    /// Hides a user, and ends all its sessions, in one commit.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn deactivate(&self, uid: Uid, request: Option<RequestKey>) -> Result<Revised<Uid>> {
        self.ending(UserCommand::SetStatus { uid, status: UserStatus::Deactivated }, request).await
    }

    /// Signs a user out everywhere, in one commit: ends all its sessions, and all credentials that others have issued to it.
    /// Returns how many sessions there were.
    ///
    /// # Errors
    /// `USER_DELETED`; those of the store.
    pub async fn sign_out(&self, uid: Uid) -> Result<(u64, Position)> {
        let applied = self.sessions.port().apply(Write::of(SessionCommand::SignOut { uid })).await?;
        let position = applied.position.clone();
        let outcome = applied.session()?;
        outcome.result.map_err(Error::new)?;
        Ok((outcome.ended.len() as u64, position))
    }

    /// Shows a user again, who logs in as before.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn reactivate(&self, uid: Uid, request: Option<RequestKey>) -> Result<Revised<Uid>> {
        self.users.command(UserCommand::SetStatus { uid, status: UserStatus::Active }, request).await
    }

    /// Deletes a user for good, and ends all its sessions, in one commit; what it wrote and its names are erased once the
    /// retention is over.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn delete(&self, uid: Uid, request: Option<RequestKey>) -> Result<Revised<Uid>> {
        let erase_at_ms = self.clock.now_ms().saturating_add(self.deleted_retention_ms);
        self.delete_until(uid, erase_at_ms, request).await
    }

    /// Deletes a user for good, to be erased at once.
    ///
    /// # Errors
    /// As above.
    pub async fn erase(&self, uid: Uid, request: Option<RequestKey>) -> Result<Revised<Uid>> {
        self.delete_until(uid, self.clock.now_ms(), request).await
    }

    async fn delete_until(
        &self,
        uid: Uid,
        erase_at_ms: u64,
        request: Option<RequestKey>,
    ) -> Result<Revised<Uid>> {
        self.ending(UserCommand::SetStatus { uid, status: UserStatus::Deleted { erase_at_ms } }, request)
            .await
    }

    /// Returns whether a password is right; then whether its hash is of another day.
    async fn verify(
        &self,
        password: Password,
        stored: Option<&PasswordHash>,
        turn: PasswordTurn,
    ) -> Result<Option<bool>> {
        match self.passwords.verify(password, stored.cloned(), turn).await? {
            PasswordVerdict::Right { renew } => Ok(Some(renew)),
            PasswordVerdict::Wrong => Ok(None),
            PasswordVerdict::Unusable => {
                tracing::warn!("a stored password cannot be verified: its user needs a new one");
                Ok(None)
            }
        }
    }

    /// A uid of this moment in the shard of a name.
    fn propose(&self, name: &LoginName) -> Result<Uid> {
        let random = (self.random)();
        self.uids.mint(self.clock.now_ms(), number_of(random), name.gene())
    }
}

//! Import of users: each is kept whole, in one step, or stays as it is.

use super::OperatorCenter;
use super::import::{Imported, Sorted, check, put_back, write_of};
use crate::apply_all::do_all;
use crate::user::UserCenter;
use crate::user::passwords::Passwords;
use guanxi_model::limits::IMPORT_USERS_MAX;
use guanxi_model::user::{Contact, ImportUser, UidPolicy, UserCommand, UserOutcome};
use guanxi_model::{Command, Error, ImportCursor, Outcome, Reason, Result, Stamp, Uid, User};
use guanxi_ports::StoreView;
use std::collections::{BTreeMap, BTreeSet};

/// For whom each contact of a batch was reserved, and as which version, or why it cannot be.
type Reserved = BTreeMap<Contact, (Uid, Result<Stamp, Reason>)>;

impl OperatorCenter {
    /// Imports users from elsewhere in one commit: accounts, profiles, and what else is known of each. Existing values stay
    /// as they are. A row is refused if it is an error, if its password cannot be verified here, or if another user has its
    /// phone number or mail address. A refused row keeps no other row from being written.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; those of the cursor; a whole-request error of the store.
    pub async fn import_users(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportUser>>,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<UserOutcome>> {
        let sound = |user: ImportUser| sound(user, self.uids);
        let sorted = Sorted::new(batch.map(|row| row.and_then(sound)), IMPORT_USERS_MAX)?;
        check(cursor.as_ref())?;
        let view = self.ports.store.view(None).await?;
        let mut there = Vec::with_capacity(sorted.rows.len());
        for user in &sorted.rows {
            there.push(is_there(&*view, user).await?);
        }
        drop(view);
        let users = UserCenter::new(self.ports.store.clone(), self.ports.clock.clone());
        let new = sorted.rows.iter().enumerate().filter(|(place, _)| !there[*place]);
        let wanted = new.flat_map(|(_, user)| {
            let contacts = [&user.contacts.phone, &user.contacts.email].into_iter().flatten();
            contacts.map(|contact| (contact.clone(), user.uid))
        });
        let reserved = reserve(&users, wanted.collect()).await?;
        let (mut outcomes, mut commands) = (Vec::with_capacity(there.len()), Vec::new());
        for (user, there) in sorted.rows.into_iter().zip(there) {
            let uid = user.uid;
            let outcome = |result| Some(UserOutcome { result, uid, revision: 0 });
            outcomes.push(if there {
                outcome(Ok(false))
            } else {
                match versions(&user, &reserved) {
                    Err(reason) => outcome(Err(reason)),
                    Ok(reserved) => {
                        commands.push(Command::User(UserCommand::Import { user: Box::new(user), reserved }));
                        None
                    }
                }
            });
        }
        let written = self.ports.store.apply(write_of(commands, cursor)).await?;
        let position = written.position.clone();
        let mut written = written.outcomes.into_iter().filter_map(Outcome::user);
        let missing = || Error::with_detail(Reason::Internal, "an imported user has no outcome");
        let mut all = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            all.push(match outcome {
                Some(outcome) => outcome,
                None => written.next().ok_or_else(missing)?,
            });
        }
        settle(&users, &all, reserved).await?;
        put_back(sorted.refusals, all, position)
    }
}

/// Returns whether a user is kept already.
async fn is_there(view: &dyn StoreView, user: &ImportUser) -> Result<bool> {
    Ok(match &user.login_name {
        Some(name) => view.uid_of(name).await? == Some(user.uid),
        None => view.users(&[user.uid]).await?.pop().flatten().is_some(),
    })
}

/// Reserves contacts for users, side by side. Of two users who want one contact the first gets it.
async fn reserve(users: &UserCenter, wanted: Vec<(Contact, Uid)>) -> Result<Reserved> {
    let mut first: BTreeMap<Contact, Uid> = BTreeMap::new();
    for (contact, uid) in wanted {
        first.entry(contact).or_insert(uid);
    }
    let one = |(contact, uid): (Contact, Uid)| {
        let users = users.clone();
        async move {
            match users.reserve(&User::unknown(uid), &contact).await {
                Ok(version) => Ok((contact, (uid, Ok(version)))),
                Err(Error { reason: reason @ Reason::ContactTaken, .. }) => Ok((contact, (uid, Err(reason)))),
                Err(error) => Err(error),
            }
        }
    };
    Ok(do_all(first.into_iter().map(one)).await?.into_iter().collect())
}

/// As which versions the contacts of a user are reserved for it.
fn versions(user: &ImportUser, reserved: &Reserved) -> Result<[Option<Stamp>; 2], Reason> {
    let version = |contact: &Option<Contact>| {
        let Some(contact) = contact else { return Ok(None) };
        match reserved.get(contact) {
            Some((uid, version)) if *uid == user.uid => version.clone().map(Some),
            _ => Err(Reason::ContactTaken),
        }
    };
    Ok([version(&user.contacts.phone)?, version(&user.contacts.email)?])
}

/// Ends the reservations: an imported user has its contacts for good, and those of a refused one are free again.
async fn settle(users: &UserCenter, outcomes: &[UserOutcome], reserved: Reserved) -> Result<()> {
    let kept = outcomes.iter().filter(|outcome| outcome.result == Ok(true));
    let kept: BTreeSet<Uid> = kept.map(|outcome| outcome.uid).collect();
    let steps = reserved.into_iter().filter_map(|(contact, (uid, version))| {
        let (users, version, is_bound) = (users.clone(), version.ok()?, kept.contains(&uid));
        Some(async move {
            users.end_reservation(contact, uid, version, is_bound).await;
            Ok(())
        })
    });
    do_all(steps).await.map(drop)
}

/// Refuses what no store need see. A uid that is made of the name is made as the policy says, and a given one is one that
/// the policy admits.
fn sound(mut user: ImportUser, uids: UidPolicy) -> Result<ImportUser> {
    if let (true, Some(name)) = (user.is_minted, &user.login_name) {
        user.uid = uids.imported(name)?;
    } else if !uids.admits(user.uid) {
        return Err(Error::new(Reason::UidNotMinted));
    }
    match (&user.password, &user.login_name) {
        (Some(_), None) => return Err(Error::new(Reason::MissingField { field: "login_name" })),
        (Some(hash), Some(_)) => Passwords::check_hash(hash.expose())?,
        (None, None) if user.registered_ms.is_some() => {
            return Err(Error::new(Reason::MissingField { field: "login_name" }));
        }
        (None, _) => {}
    }
    Ok(user)
}

//! Users of a group: what the planner reads of them, and the rows that its changes come to.

use super::changes::{PlanRows, planned};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    ERASED_USER, EXTERNAL_ID, GROUP_NUMBER, PASSWORD, SIGNED_OUT, STANDING, USER, claim_key,
    deleted_user_key, encode_claim, encode_number, encode_standing, encode_user, login_name_key, user_key,
};
use crate::rows;
use guanxi_model::plan::UserRows;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing, UserStatus};
use guanxi_model::{Counts, LoginName, Uid, User};

impl UserRows for PlanRows<'_> {
    fn user(&mut self, uid: Uid) -> EngineResult<Option<User>> {
        match self.users.users.get(&uid) {
            Some(user) => Ok(Some(user.clone())),
            None => rows::users::user(&self.snapshot, uid),
        }
    }

    fn standing(&mut self, uid: Uid) -> EngineResult<Standing> {
        Ok(self.users.users.get(&uid).map_or_else(|| self.standings.of(uid), User::standing))
    }

    fn is_used(&mut self, uid: Uid) -> EngineResult<bool> {
        // What the group has changed goes before what the tables hold.
        let snapshot = self.used.may_have_record(&self.snapshot, uid)?.then_some(&self.snapshot);
        let counts = match (self.relations.get(&uid), snapshot) {
            (Some(working), _) => working.counts(),
            (None, Some(snapshot)) => rows::relations::counters(snapshot, uid)?.counts,
            (None, None) => Counts::default(),
        };
        if counts != Counts::default() || self.posts.has_posts(snapshot, uid)? || self.users.has(uid) {
            return Ok(true);
        }
        let has =
            |prefix| snapshot.map_or(Ok(false), |rows| rows.contains(Table::Records, &user_key(prefix, uid)));
        let has_groups = self.user_groups.has_given(uid).map_or_else(|| has(GROUP_NUMBER), Ok)?;
        Ok(has_groups || has(USER)? || self.external_ids.has_id(uid).map_or_else(|| has(EXTERNAL_ID), Ok)?)
    }

    fn put_user(&mut self, user: User) -> EngineResult<()> {
        self.batch.put(Table::Records, &user_key(USER, user.uid), &encode_user(&user));
        let (was, standing) = (self.standing(user.uid)?, user.standing());
        if was != standing {
            self.batch.set(Table::Records, &user_key(STANDING, user.uid), encode_standing(standing));
            if let UserStatus::Deleted { erase_at_ms } = was.status {
                self.batch.remove(Table::Records, &deleted_user_key(erase_at_ms, user.uid));
            }
            if let UserStatus::Deleted { erase_at_ms } = standing.status {
                self.batch.put(Table::Records, &deleted_user_key(erase_at_ms, user.uid), &[]);
            }
            if let UserStatus::Erased { at_ms } = standing.status {
                self.batch.put(Table::Records, &user_key(ERASED_USER, user.uid), &encode_number(at_ms));
            }
        }
        self.users.users.insert(user.uid, user);
        Ok(())
    }

    fn login_name(&mut self, name: &LoginName) -> EngineResult<Option<Uid>> {
        planned(self.users.login_names.get(name), || rows::users::uid_of(&self.snapshot, name))
    }

    fn put_login_name(&mut self, name: &LoginName, uid: Uid) -> EngineResult<()> {
        self.batch.put(Table::Records, &login_name_key(name), &encode_number(uid.get()));
        self.users.login_names.insert(name.clone(), Some(uid));
        Ok(())
    }

    fn password(&mut self, uid: Uid) -> EngineResult<Option<PasswordHash>> {
        planned(self.users.passwords.get(&uid), || rows::users::password(&self.snapshot, uid))
    }

    fn put_password(&mut self, uid: Uid, password: &PasswordHash) -> EngineResult<()> {
        self.batch.put(Table::Records, &user_key(PASSWORD, uid), password.expose().as_bytes());
        self.users.passwords.insert(uid, Some(password.clone()));
        Ok(())
    }

    fn remove_login_name(&mut self, name: &LoginName) -> EngineResult<()> {
        self.batch.remove(Table::Records, &login_name_key(name));
        self.users.login_names.insert(name.clone(), None);
        Ok(())
    }

    fn remove_password(&mut self, uid: Uid) -> EngineResult<()> {
        self.batch.remove(Table::Records, &user_key(PASSWORD, uid));
        self.users.passwords.insert(uid, None);
        Ok(())
    }

    fn signed_out(&mut self, uid: Uid) -> EngineResult<Option<u64>> {
        Ok(self.users.signed_out.get(&uid).copied().or_else(|| self.shared.signed_out.of(uid)))
    }

    fn put_signed_out(&mut self, uid: Uid, at_ms: u64) -> EngineResult<()> {
        self.batch.put(Table::Records, &user_key(SIGNED_OUT, uid), &encode_number(at_ms));
        self.users.signed_out.insert(uid, at_ms);
        Ok(())
    }

    fn claim(&mut self, contact: &Contact) -> EngineResult<Option<ContactClaim>> {
        planned(self.users.claims.get(contact), || rows::users::claim(&self.snapshot, contact))
    }

    fn put_claim(&mut self, contact: &Contact, claim: Option<ContactClaim>) -> EngineResult<()> {
        self.batch.set(Table::Records, &claim_key(contact), claim.as_ref().map(encode_claim));
        self.users.claims.insert(contact.clone(), claim);
        Ok(())
    }
}

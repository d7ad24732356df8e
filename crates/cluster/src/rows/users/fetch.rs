//! Fetching rows of users: one statement per table, and one for how users of other shards stand.

use super::columns::{
    REPEATED_STANDINGS, account_columns, kind_column, read_account, read_claim, read_standing,
};
use crate::rows::columns::{column, column_of, damaged, keyed, uid};
use crate::rows::{Answered, Rows};
use guanxi_model::user::{Contact, LoginName, PasswordHash};
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Fault, Statements, Term, term};
use std::collections::BTreeSet;

const ACCOUNTS: &str = concat!(
    "select ",
    account_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.account t where t.gene = k.gene and t.uid = k.uid limit 1) t"
);
const LOGIN_NAMES: &str = "select t.name, t.uid from unnest($1::smallint[], $2::text[]) as k(gene, name) \
    cross join lateral (select * from gx.login_name t where t.gene = k.gene and t.name = k.name limit 1) t";
const PASSWORDS: &str = "select t.uid, t.hash from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.password t where t.gene = k.gene and t.uid = k.uid limit 1) t";
const SIGNED_OUT: &str = "select t.uid, t.at_ms from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.signed_out t where t.gene = k.gene and t.uid = k.uid limit 1) t";
const CLAIMS: &str = "select t.kind, t.contact, t.uid, t.version, t.confirmed \
    from unnest($1::smallint[], $2::text[], $3::text[]) as k(gene, kind, contact) \
    cross join lateral (select * from gx.contact_claim t \
    where t.gene = k.gene and t.kind = k.kind and t.contact = k.contact limit 1) t";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct UserFetch {
    accounts: BTreeSet<Uid>,
    standings: BTreeSet<Uid>,
    login_names: BTreeSet<LoginName>,
    passwords: BTreeSet<Uid>,
    signed_out: BTreeSet<Uid>,
    claims: BTreeSet<Contact>,
}

impl UserFetch {
    /// What is kept of a user, in its own shard; how it stands, in another.
    pub(in crate::rows) fn account(&mut self, home: Gene, uid: Uid) {
        let users = if uid.gene() == home { &mut self.accounts } else { &mut self.standings };
        users.insert(uid);
    }

    /// Asks for the user of a login name.
    pub(in crate::rows) fn login_name(&mut self, name: &LoginName) {
        self.login_names.insert(name.clone());
    }

    /// A password.
    pub(in crate::rows) fn password(&mut self, uid: Uid) {
        self.passwords.insert(uid);
    }

    /// When a user signed out everywhere.
    pub(in crate::rows) fn signed_out(&mut self, uid: Uid) {
        self.signed_out.insert(uid);
    }

    /// Asks for the claim of a contact.
    pub(in crate::rows) fn claim(&mut self, contact: &Contact) {
        self.claims.insert(contact.clone());
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        let cells = &rows.accounts;
        self.accounts.retain(|uid| !cells.accounts.has(*uid));
        self.standings.retain(|uid| !cells.standings.has(*uid));
        self.login_names.retain(|name| !cells.login_names.has(name));
        self.passwords.retain(|uid| !cells.passwords.has(*uid));
        self.signed_out.retain(|uid| !cells.signed_out.has(*uid));
        self.claims.retain(|contact| !cells.claims.has(contact));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        let of_users =
            [(&self.accounts, ACCOUNTS), (&self.passwords, PASSWORDS), (&self.signed_out, SIGNED_OUT)];
        for (users, sql) in of_users {
            if let Some(keys) = keyed(users.iter().map(|uid| (uid.gene(), *uid))) {
                statements.add(sql, vec![genes(&keys), column_of!(keys, (_, uid) => column(*uid))]);
            }
        }
        let names = self.login_names.iter().map(|name| (name.gene(), name));
        if let Some(keys) = keyed(names) {
            let names = column_of!(keys, (_, name) => name.as_str().to_owned());
            statements.add(LOGIN_NAMES, vec![genes(&keys), names]);
        }
        let claims = self.claims.iter().map(|contact| (contact.gene(), contact));
        if let Some(keys) = keyed(claims) {
            let kinds = column_of!(keys, (_, contact) => kind_column(contact.kind()));
            let texts = column_of!(keys, (_, contact) => contact.expose().to_owned());
            statements.add(CLAIMS, vec![genes(&keys), kinds, texts]);
        }
        if !self.standings.is_empty() {
            statements.add(REPEATED_STANDINGS, vec![column_of!(self.standings, uid => column(*uid))]);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let cells = &mut rows.accounts;
        let users = |users: &BTreeSet<Uid>| usize::from(!users.is_empty());
        let mut found = |statements: usize| answers.by_ref().take(statements).flatten().collect::<Vec<_>>();
        let accounts = found(users(&self.accounts));
        let passwords = found(users(&self.passwords));
        let signed_out = found(users(&self.signed_out));
        let names = found(usize::from(!self.login_names.is_empty()));
        let claims = found(usize::from(!self.claims.is_empty()));
        let standings = found(usize::from(!self.standings.is_empty()));
        self.accounts.into_iter().for_each(|uid| cells.accounts.fetched(uid));
        for row in &accounts {
            let user = read_account(row)?;
            cells.accounts.found(user.uid, Some(user));
        }
        self.passwords.into_iter().for_each(|uid| cells.passwords.fetched(uid));
        for row in &passwords {
            let hash = PasswordHash::new(row.get(1)).map_err(|_| damaged("a password"))?;
            cells.passwords.found(uid(row, 0)?, Some(hash));
        }
        self.signed_out.into_iter().for_each(|uid| cells.signed_out.fetched(uid));
        for row in &signed_out {
            cells.signed_out.found(uid(row, 0)?, Some(row.get::<_, i64>(1).cast_unsigned()));
        }
        self.login_names.into_iter().for_each(|name| cells.login_names.fetched(name));
        for row in &names {
            cells.login_names.found(LoginName::stored(row.get(0)), Some(uid(row, 1)?));
        }
        self.claims.into_iter().for_each(|contact| cells.claims.fetched(contact));
        for row in &claims {
            let (contact, claim) = read_claim(row)?;
            cells.claims.found(contact, Some(claim));
        }
        self.standings.into_iter().for_each(|uid| cells.standings.fetched(uid));
        for row in &standings {
            cells.standings.found(uid(row, 0)?, read_standing(row, 1)?.1);
        }
        Ok(())
    }
}

/// The genes of keys, as a column.
fn genes<K>(keys: &[(Gene, K)]) -> Term {
    term(keys.iter().map(|(gene, _)| i16::from(gene.0)).collect::<Vec<_>>())
}

//! Writing back rows of users: one statement per table, and one for what goes away.

use super::columns::{UserStanding, kind_column, put_standings, sex_column, status_columns};
use crate::rows::Rows;
use crate::rows::columns::{column, column_of, gene_column, keyed, stamp_column, text_array, text_column};
use guanxi_model::user::{Contact, User};
use guanxi_model::{LoginName, Uid};
use guanxi_postgres::{Statements, Term};

const ACCOUNTS: &str = "insert into gx.account \
    (gene, uid, login_name, registered_ms, nickname, sex, birth_year, bio, avatar, attribute_names, attribute_values, \
    revision, status, status_ms, discoverable, locked, hides_following, hides_followers, login_day, phone, email, takedown) \
    select gene, uid, login_name, registered_ms, nickname, sex, birth_year, bio, avatar, names::text[], texts::text[], \
    revision, status, status_ms, discoverable, locked, hides_following, hides_followers, login_day, phone, email, \
    takedown from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::text[], \
    $9::text[], $10::text[], $11::text[], $12::int[], $13::text[], $14::bigint[], $15::bool[], $16::bool[], $17::bool[], \
    $18::bool[], $19::int[], $20::text[], $21::text[], $22::text[]) as v(gene, uid, login_name, registered_ms, nickname, sex, \
    birth_year, bio, avatar, names, texts, revision, status, status_ms, discoverable, locked, hides_following, \
    hides_followers, login_day, phone, email, takedown) \
    on conflict (gene, uid) do update set login_name = excluded.login_name, registered_ms = excluded.registered_ms, \
    nickname = excluded.nickname, sex = excluded.sex, birth_year = excluded.birth_year, bio = excluded.bio, \
    avatar = excluded.avatar, attribute_names = excluded.attribute_names, attribute_values = excluded.attribute_values, \
    revision = excluded.revision, status = excluded.status, status_ms = excluded.status_ms, \
    discoverable = excluded.discoverable, locked = excluded.locked, hides_following = excluded.hides_following, \
    hides_followers = excluded.hides_followers, login_day = excluded.login_day, phone = excluded.phone, \
    email = excluded.email, takedown = excluded.takedown";
const LOGIN_NAMES: &str = "insert into gx.login_name (gene, name, uid) \
    select * from unnest($1::smallint[], $2::text[], $3::bigint[]) \
    on conflict (gene, name) do update set uid = excluded.uid";
const GONE_LOGIN_NAMES: &str = "delete from gx.login_name t \
    using (select * from unnest($1::smallint[], $2::text[]) limit cardinality($1)) as k(gene, name) \
    where t.gene = k.gene and t.name = k.name";
const PASSWORDS: &str = "insert into gx.password (gene, uid, hash) \
    select * from unnest($1::smallint[], $2::bigint[], $3::text[]) \
    on conflict (gene, uid) do update set hash = excluded.hash";
const GONE_PASSWORDS: &str = "delete from gx.password t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as k(gene, uid) \
    where t.gene = k.gene and t.uid = k.uid";
const SIGNED_OUT: &str = "insert into gx.signed_out (gene, uid, at_ms) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    on conflict (gene, uid) do update set at_ms = excluded.at_ms";
const CLAIMS: &str = "insert into gx.contact_claim (gene, kind, contact, uid, version, confirmed) \
    select * from unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bool[]) \
    on conflict (kind, contact, gene) do update set uid = excluded.uid, version = excluded.version, \
    confirmed = excluded.confirmed";
const GONE_CLAIMS: &str = "delete from gx.contact_claim t \
    using (select * from unnest($1::smallint[], $2::text[], $3::text[]) \
    limit cardinality($1)) as k(gene, kind, contact) \
    where t.gene = k.gene and t.kind = k.kind and t.contact = k.contact";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_accounts(batch: &Rows, statements: &mut Statements) {
    let users: Vec<User> = batch.accounts.accounts.changed().filter_map(|(_, user)| user.clone()).collect();
    if !users.is_empty() {
        statements.add(ACCOUNTS, account_terms(&users));
        put_standings(&changed_standings(batch), statements);
    }
    put_login_names(batch, statements);
    put_passwords(batch, statements);
    put_claims(batch, statements);
    let rows: Vec<(Uid, u64)> =
        batch.accounts.signed_out.changed().filter_map(|(uid, at_ms)| Some((uid, (*at_ms)?))).collect();
    if !rows.is_empty() {
        statements.add(
            SIGNED_OUT,
            vec![
                column_of!(rows, (uid, _) => gene_column(*uid)),
                column_of!(rows, (uid, _) => column(*uid)),
                column_of!(rows, (_, at_ms) => at_ms.cast_signed()),
            ],
        );
    }
}

/// Returns which users stand otherwise than before.
fn changed_standings(batch: &Rows) -> Vec<UserStanding> {
    let users = batch.accounts.accounts.compared();
    let standing = |user: &Option<User>| user.as_ref().map(User::standing).unwrap_or_default();
    let changed = users.filter(|(_, before, after)| standing(before) != standing(after));
    let revision = |user: &Option<User>| user.as_ref().map_or(0, |user| user.revision);
    changed
        .map(|(uid, _, after)| UserStanding { uid, revision: revision(after), standing: standing(after) })
        .collect()
}

fn put_login_names(batch: &Rows, statements: &mut Statements) {
    let (mut gone, mut rows) = (Vec::new(), Vec::new());
    for (name, uid) in batch.accounts.login_names.changed() {
        match uid {
            Some(uid) => rows.push((name, *uid)),
            None => gone.push((name.gene(), name)),
        }
    }
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, name) => name.as_str().to_owned()),
        ];
        statements.add(GONE_LOGIN_NAMES, terms);
    }
    if !rows.is_empty() {
        let terms = vec![
            column_of!(rows, (name, _) => i16::from(name.gene().0)),
            column_of!(rows, (name, _) => name.as_str().to_owned()),
            column_of!(rows, (_, uid) => column(*uid)),
        ];
        statements.add(LOGIN_NAMES, terms);
    }
}

fn put_passwords(batch: &Rows, statements: &mut Statements) {
    let (mut gone, mut rows) = (Vec::new(), Vec::new());
    for (uid, hash) in batch.accounts.passwords.changed() {
        match hash {
            Some(hash) => rows.push((uid, hash.expose().to_owned())),
            None => gone.push((uid.gene(), uid)),
        }
    }
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, uid) => column(*uid)),
        ];
        statements.add(GONE_PASSWORDS, terms);
    }
    if !rows.is_empty() {
        let terms = vec![
            column_of!(rows, (uid, _) => gene_column(*uid)),
            column_of!(rows, (uid, _) => column(*uid)),
            column_of!(rows, (_, hash) => hash.clone()),
        ];
        statements.add(PASSWORDS, terms);
    }
}

fn put_claims(batch: &Rows, statements: &mut Statements) {
    let (mut gone, mut rows) = (Vec::new(), Vec::new());
    for (contact, claim) in batch.accounts.claims.changed() {
        match claim {
            Some(claim) => rows.push((contact, *claim)),
            None => gone.push((contact.gene(), contact)),
        }
    }
    if let Some(keys) = keyed(gone) {
        let terms = vec![
            column_of!(keys, (gene, _) => i16::from(gene.0)),
            column_of!(keys, (_, contact) => kind_column(contact.kind())),
            column_of!(keys, (_, contact) => contact.expose().to_owned()),
        ];
        statements.add(GONE_CLAIMS, terms);
    }
    if !rows.is_empty() {
        let terms = vec![
            column_of!(rows, (contact, _) => i16::from(contact.gene().0)),
            column_of!(rows, (contact, _) => kind_column(contact.kind())),
            column_of!(rows, (contact, _) => contact.expose().to_owned()),
            column_of!(rows, (_, claim) => column(claim.uid)),
            column_of!(rows, (_, claim) => stamp_column(claim.version)),
            column_of!(rows, (_, claim) => claim.confirmed),
        ];
        statements.add(CLAIMS, terms);
    }
}

/// The columns of accounts.
fn account_terms(users: &[User]) -> Vec<Term> {
    let contact = |contact: Option<&Contact>| contact.map(|contact| contact.expose().to_owned());
    vec![
        column_of!(users, user => gene_column(user.uid)),
        column_of!(users, user => column(user.uid)),
        column_of!(users, user => user.login_name.as_ref().map(LoginName::to_stored)),
        column_of!(users, user => user.registered_ms.map(u64::cast_signed)),
        column_of!(users, user => text_column(&user.profile.nickname)),
        column_of!(users, user => sex_column(user.profile.sex)),
        column_of!(users, user => user.profile.birth_year.map(i32::from)),
        column_of!(users, user => text_column(&user.profile.bio)),
        column_of!(users, user => text_column(&user.profile.avatar)),
        column_of!(users, user => text_array(user.profile.attributes.keys().map(String::as_str))),
        column_of!(users, user => text_array(user.profile.attributes.values().map(String::as_str))),
        column_of!(users, user => user.revision.cast_signed()),
        column_of!(users, user => status_columns(user.status).0),
        column_of!(users, user => status_columns(user.status).1),
        column_of!(users, user => user.privacy.discoverable),
        column_of!(users, user => user.privacy.locked),
        column_of!(users, user => user.privacy.hides_following),
        column_of!(users, user => user.privacy.hides_followers),
        column_of!(users, user => user.login_day.map(u32::cast_signed)),
        column_of!(users, user => contact(user.contacts.phone.as_ref())),
        column_of!(users, user => contact(user.contacts.email.as_ref())),
        column_of!(users, user => user.takedown.as_deref().map(text_column)),
    ]
}

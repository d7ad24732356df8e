//! Users as the columns of tables have them.

use crate::rows::columns::{column, column_of, damaged, elements, stamp, text_of, uid};
use guanxi_model::Uid;
use guanxi_model::user::{
    Contact, ContactClaim, ContactKind, Contacts, LoginName, Privacy, Profile, Sex, Standing, User,
    UserStatus,
};
use guanxi_postgres::{Fault, Statements, term};
use tokio_postgres::Row;

/// The columns of how a user stands, in the order in which [`read_standing`] reads them.
macro_rules! standing_columns {
    () => {
        "t.revision, t.status, t.status_ms, t.discoverable, t.locked, t.hides_following, t.hides_followers, \
         t.takedown is not null"
    };
}
pub(crate) use standing_columns;

/// The columns of an account, in the order in which [`read_account`] reads them.
macro_rules! account_columns {
    () => {
        concat!(
            "t.uid, ",
            $crate::rows::standing_columns!(),
            ", t.login_name, t.registered_ms, t.nickname, t.sex, t.birth_year, t.bio, t.avatar, ",
            "t.attribute_names, t.attribute_values, t.login_day, t.phone, t.email, t.takedown"
        )
    };
}
pub(crate) use account_columns;

/// How users stand, each as its own shard says.
pub(crate) const STANDINGS: &str = concat!(
    "select k.uid, ",
    standing_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.account t where t.gene = k.gene and t.uid = k.uid limit 1) t"
);

/// How users stand, as every database repeats it; of its own users it says so in the same commit.
pub(crate) const REPEATED_STANDINGS: &str =
    concat!("select t.uid, ", standing_columns!(), " from gx.standing t where t.uid = any($1)");

const PUT_STANDINGS: &str = "insert into gx.standing as s \
    (uid, revision, status, status_ms, discoverable, locked, hides_following, hides_followers, takedown) \
    select * from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bool[], $6::bool[], $7::bool[], $8::bool[], \
    $9::bool[]) \
    on conflict (uid) do update set revision = excluded.revision, status = excluded.status, \
    status_ms = excluded.status_ms, discoverable = excluded.discoverable, locked = excluded.locked, \
    hides_following = excluded.hides_following, hides_followers = excluded.hides_followers, takedown = excluded.takedown \
    where s.revision < excluded.revision";

/// Replaces the standing of a user in a database, unless its revision differs from the one that was seen.
const SET_STANDING: &str = "insert into gx.standing as s \
    (uid, revision, status, status_ms, discoverable, locked, hides_following, hides_followers, takedown) \
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
    on conflict (uid) do update set revision = excluded.revision, status = excluded.status, \
    status_ms = excluded.status_ms, discoverable = excluded.discoverable, locked = excluded.locked, \
    hides_following = excluded.hides_following, hides_followers = excluded.hides_followers, takedown = excluded.takedown \
    where s.revision = $10 returning s.uid";

/// How a user stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserStanding {
    /// The user.
    pub uid: Uid,
    /// The revision of the user that it is of; the higher one is newer.
    pub revision: u32,
    /// How.
    pub standing: Standing,
}

impl UserStanding {
    /// Returns how an account stands, unless it stands as the default says.
    pub(crate) fn of_account(user: &User) -> Option<Self> {
        let standing = user.standing();
        let is_default = standing == Standing::default();
        (!is_default).then_some(Self { uid: user.uid, revision: user.revision, standing })
    }
}

/// Reads how a user stands from the columns from one on.
pub(crate) fn read_standing(row: &Row, first: usize) -> Result<(u32, Standing), Fault> {
    let ms = row.get::<_, Option<i64>>(first + 2).map(i64::cast_unsigned);
    let status = match (row.get::<_, &str>(first + 1), ms) {
        ("active", None) => UserStatus::Active,
        ("deactivated", None) => UserStatus::Deactivated,
        ("deleted", Some(erase_at_ms)) => UserStatus::Deleted { erase_at_ms },
        ("erased", Some(at_ms)) => UserStatus::Erased { at_ms },
        _ => return Err(damaged("a status")),
    };
    let privacy = Privacy {
        discoverable: row.get(first + 3),
        locked: row.get(first + 4),
        hides_following: row.get(first + 5),
        hides_followers: row.get(first + 6),
    };
    let taken_down = row.get(first + 7);
    Ok((row.get::<_, i32>(first).cast_unsigned(), Standing { status, privacy, taken_down }))
}

/// The columns of a status: its name, and its time.
pub(super) fn status_columns(status: UserStatus) -> (&'static str, Option<i64>) {
    match status {
        UserStatus::Active => ("active", None),
        UserStatus::Deactivated => ("deactivated", None),
        UserStatus::Deleted { erase_at_ms } => ("deleted", Some(erase_at_ms.cast_signed())),
        UserStatus::Erased { at_ms } => ("erased", Some(at_ms.cast_signed())),
    }
}

/// Reads an account.
pub(crate) fn read_account(row: &Row) -> Result<User, Fault> {
    let (revision, Standing { status, privacy, .. }) = read_standing(row, 1)?;
    let text = |index: usize| text_of(row.get(index));
    let (names, values) = (elements::<String>(row, 16)?, elements::<String>(row, 17)?);
    if names.len() != values.len() {
        return Err(damaged("the attributes of a profile"));
    }
    let birth_year = row.get::<_, Option<i32>>(13).map(u16::try_from).transpose();
    let contact = |index: usize, kind: ContactKind| {
        row.get::<_, Option<String>>(index).map(|stored| Contact::stored(kind, stored))
    };
    let profile = Profile {
        nickname: text(11),
        sex: sex_of(row.get(12)).ok_or_else(|| damaged("a sex"))?,
        birth_year: birth_year.map_err(|_| damaged("a year of birth"))?,
        bio: text(14),
        avatar: text(15),
        attributes: names.into_iter().map(text_of).zip(values.into_iter().map(text_of)).collect(),
    };
    Ok(User {
        uid: uid(row, 0)?,
        login_name: row.get::<_, Option<String>>(9).map(LoginName::stored),
        registered_ms: row.get::<_, Option<i64>>(10).map(i64::cast_unsigned),
        profile,
        privacy,
        status,
        revision,
        login_day: row.get::<_, Option<i32>>(18).map(i32::cast_unsigned),
        contacts: Contacts { phone: contact(19, ContactKind::Phone), email: contact(20, ContactKind::Email) },
        takedown: row.get::<_, Option<String>>(21).map(text_of),
    })
}

/// The column of a sex.
pub(super) const fn sex_column(sex: Sex) -> &'static str {
    match sex {
        Sex::Unspecified => "unspecified",
        Sex::Female => "female",
        Sex::Male => "male",
        Sex::Other => "other",
    }
}

fn sex_of(column: &str) -> Option<Sex> {
    let all = [Sex::Unspecified, Sex::Female, Sex::Male, Sex::Other];
    all.into_iter().find(|sex| sex_column(*sex) == column)
}

/// The column of a kind of contact; columns have the order of the kinds' codes.
pub(crate) const fn kind_column(kind: ContactKind) -> &'static str {
    kind.field()
}

/// The kind of contact of a column.
fn contact_kind(column: &str) -> Option<ContactKind> {
    ContactKind::ALL.into_iter().find(|kind| kind_column(*kind) == column)
}

/// Reads a claim from the columns kind, contact, uid, version and confirmed.
pub(crate) fn read_claim(row: &Row) -> Result<(Contact, ContactClaim), Fault> {
    let kind = contact_kind(row.get(0)).ok_or_else(|| damaged("a kind of contact"))?;
    let claim = ContactClaim { uid: uid(row, 2)?, version: stamp(row, 3), confirmed: row.get(4) };
    Ok((Contact::stored(kind, row.get(1)), claim))
}

/// Adds the statement that repeats in a database how users stand; the newer one stays.
pub(crate) fn put_standings(rows: &[UserStanding], statements: &mut Statements) {
    if rows.is_empty() {
        return;
    }
    statements.add(
        PUT_STANDINGS,
        vec![
            column_of!(rows, row => column(row.uid)),
            column_of!(rows, row => row.revision.cast_signed()),
            column_of!(rows, row => status_columns(row.standing.status).0),
            column_of!(rows, row => status_columns(row.standing.status).1),
            column_of!(rows, row => row.standing.privacy.discoverable),
            column_of!(rows, row => row.standing.privacy.locked),
            column_of!(rows, row => row.standing.privacy.hides_following),
            column_of!(rows, row => row.standing.privacy.hides_followers),
            column_of!(rows, row => row.standing.taken_down.then_some(true)),
        ],
    );
}

/// Adds the statement that has a database say how a user stands, unless it says anything of another revision than the one that
/// was seen; `None` is for nothing at all. It has a row if it changed something.
pub(crate) fn set_standing(user: UserStanding, seen: Option<u32>, statements: &mut Statements) {
    let UserStanding { uid, revision, standing } = user;
    let (status, status_ms) = status_columns(standing.status);
    let terms = vec![
        term(column(uid)),
        term(revision.cast_signed()),
        term(status),
        term(status_ms),
        term(standing.privacy.discoverable),
        term(standing.privacy.locked),
        term(standing.privacy.hides_following),
        term(standing.privacy.hides_followers),
        term(standing.taken_down.then_some(true)),
        // None has a revision below 0.
        term(seen.map_or(-1, u32::cast_signed)),
    ];
    statements.add(SET_STANDING, terms);
}

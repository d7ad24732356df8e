//! A session as columns have it.

use crate::rows::{column, damaged, gene_column, uid};
use guanxi_model::{ReplacedSecrets, Rotation, Session, SessionSecrets};
use guanxi_postgres::{Fault, Term, term};
use tokio_postgres::Row;

macro_rules! columns {
    () => {
        "id, uid, created_ms, expires_ms, used_ms, device, ends_ms, since_ms, access, access_expires_ms, refresh, \
         replaced_access, replaced_access_expires_ms, replaced_refresh, nonce"
    };
}

/// One by its id.
pub(crate) const BY_ID: &str = concat!("select ", columns!(), " from gx.session where gene = $1 and id = $2");

/// All of a database.
pub(crate) const ALL: &str = concat!("select ", columns!(), " from gx.session");

/// Some by their ids.
pub(super) const BY_IDS: &str = concat!(
    "select ",
    columns!(),
    " from (select t.* from unnest($1::smallint[], $2::bytea[]) as k(gene, id) \
     cross join lateral (select * from gx.session t where t.gene = k.gene and t.id = k.id limit 1) t) t"
);

/// All of some users, expired ones too.
pub(super) const OF_USERS: &str = concat!(
    "select ",
    columns!(),
    " from (select t.* from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
     cross join lateral (select * from gx.session t where t.uid = k.uid and (t.gene = k.gene) is true offset 0) t) t"
);

/// Those of a user that are valid at a time, after a place.
pub(crate) const PAGE: &str = concat!(
    "select ",
    columns!(),
    " from gx.session where (gene = $1) is true and uid = $2 and (expires_ms is null or expires_ms > $3) \
     and created_ms <= $4 and (created_ms < $4 or id > $5) order by created_ms desc, id limit $6"
);

/// Stores one, in the place of itself if it is there. A use that was noted meanwhile stays.
pub(crate) const PUT: &str = concat!(
    "insert into gx.session (gene, ",
    columns!(),
    ") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
     on conflict (gene, id) do update set expires_ms = excluded.expires_ms, \
     used_ms = greatest(session.used_ms, excluded.used_ms), \
     ends_ms = excluded.ends_ms, since_ms = excluded.since_ms, access = excluded.access, \
     access_expires_ms = excluded.access_expires_ms, refresh = excluded.refresh, \
     replaced_access = excluded.replaced_access, replaced_access_expires_ms = excluded.replaced_access_expires_ms, \
     replaced_refresh = excluded.replaced_refresh, nonce = excluded.nonce"
);

/// Returns what [`PUT`] is given.
pub(crate) fn put_terms(session: &Session) -> Vec<Term> {
    // Times are compared in the database; a later one than it can say never comes.
    let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let bytes = |hash: [u8; 32]| hash.to_vec();
    let rotation = session.rotation.as_deref();
    let secrets = rotation.map(|rotation| rotation.secrets);
    let replaced = rotation.and_then(|rotation| rotation.replaced);
    let before = replaced.map(|replaced| replaced.secrets);
    vec![
        term(gene_column(session.uid)),
        term(bytes(session.id)),
        term(column(session.uid)),
        term(ms(session.created_ms)),
        term(session.expires_ms.map(ms)),
        term(ms(session.used_ms)),
        term(session.device.as_deref().map(ToOwned::to_owned)),
        term(rotation.map(|rotation| ms(rotation.ends_ms))),
        term(rotation.map(|rotation| ms(rotation.since_ms))),
        term(secrets.map(|secrets| bytes(secrets.access))),
        term(secrets.map(|secrets| ms(secrets.access_expires_ms))),
        term(secrets.map(|secrets| bytes(secrets.refresh))),
        term(before.map(|secrets| bytes(secrets.access))),
        term(before.map(|secrets| ms(secrets.access_expires_ms))),
        term(before.map(|secrets| bytes(secrets.refresh))),
        term(replaced.map(|replaced| bytes(replaced.nonce))),
    ]
}

/// The session of a row.
pub(crate) fn read_session(row: &Row) -> Result<Session, Fault> {
    let ms = |index: usize| row.get::<_, i64>(index).cast_unsigned();
    let maybe_ms = |index: usize| row.get::<_, Option<i64>>(index).map(i64::cast_unsigned);
    let secrets = |first: usize| -> Result<Option<SessionSecrets>, Fault> {
        let Some(access) = hash(row, first)? else { return Ok(None) };
        let secrets = maybe_ms(first + 1).zip(hash(row, first + 2)?);
        let (access_expires_ms, refresh) = secrets.ok_or_else(|| damaged("a session"))?;
        Ok(Some(SessionSecrets { access, access_expires_ms, refresh }))
    };
    let rotation = match (maybe_ms(6), maybe_ms(7), secrets(8)?) {
        (Some(ends_ms), Some(since_ms), Some(in_force)) => {
            let replaced = secrets(11)?.zip(hash(row, 14)?);
            let replaced = replaced.map(|(secrets, nonce)| ReplacedSecrets { secrets, nonce });
            Some(Box::new(Rotation { ends_ms, secrets: in_force, since_ms, replaced }))
        }
        (None, None, None) => None,
        _ => return Err(damaged("a session")),
    };
    Ok(Session {
        id: hash(row, 0)?.ok_or_else(|| damaged("a session"))?,
        uid: uid(row, 1)?,
        created_ms: ms(2),
        expires_ms: maybe_ms(3),
        used_ms: ms(4),
        device: row.get::<_, Option<String>>(5).map(Into::into),
        rotation,
    })
}

/// The hash of a column, if there is one.
fn hash(row: &Row, index: usize) -> Result<Option<[u8; 32]>, Fault> {
    let bytes = row.get::<_, Option<&[u8]>>(index);
    bytes.map(|bytes| bytes.try_into().map_err(|_| damaged("a hash"))).transpose()
}

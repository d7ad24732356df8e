//! Accounts, login names, passwords and contacts.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{
    REPEATED_STANDINGS, STANDINGS, account_columns, column, column_of, kind_column, limit, number,
    read_account, read_claim, read_standing, uid_terms,
};
use futures_util::future::try_join_all;
use guanxi_memory::known::KnownEntry;
use guanxi_model::user::{Contact, ContactClaim, LoginName, PasswordHash, Standing, User};
use guanxi_model::{Error, Gene, Reason, Result, Uid};
use guanxi_postgres::{Fault, Statements, term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{MutexGuard, PoisonError};
use tokio_postgres::Row;

const ACCOUNTS: &str = concat!(
    "select ",
    account_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.account t where t.gene = k.gene and t.uid = k.uid limit 1) t"
);
const ALL: &str =
    concat!("select ", account_columns!(), " from gx.account t where t.uid > $1 order by t.uid limit $2");
const NAMED: &str = "select uid from gx.login_name where gene = $1 and name = $2";
const PASSWORD: &str = "select hash from gx.password where gene = $1 and uid = $2";
const CLAIM: &str = "select kind, contact, uid, version, confirmed from gx.contact_claim \
    where gene = $1 and kind = $2 and contact = $3";
const CLAIMS: &str = "select kind, contact, uid, version, confirmed from gx.contact_claim \
    where (kind, contact) > ($1, $2) order by kind, contact limit $3";
const DELETED: &str = "select uid, status_ms from gx.account \
    where status = 'deleted' and (status_ms, uid) > ($1, $2) order by status_ms, uid limit $3";
const ERASED: &str = "select uid, status_ms from gx.account \
    where status = 'erased' and uid > $1 order by uid limit $2";

impl ClusterView {
    pub(super) async fn users_of(&self, uids: &[Uid]) -> Result<Vec<Option<User>>> {
        let mut found: BTreeMap<Uid, User> = BTreeMap::new();
        for row in self.ask_each(keys_of(uids), &[ACCOUNTS], uid_terms).await?.iter().flatten() {
            let user = read_account(row)?;
            found.insert(user.uid, user);
        }
        Ok(uids.iter().map(|uid| found.get(uid).cloned()).collect())
    }

    pub(super) async fn all_after(&self, after: Option<Uid>, max: usize) -> Result<Vec<User>> {
        let after = after.map_or(0, column);
        let rows = self.ask_all(ALL, || vec![term(after), term(limit(max))]).await?;
        let mut users = rows.iter().map(read_account).collect::<Result<Vec<_>, Fault>>()?;
        users.sort_unstable_by_key(|user| user.uid);
        users.truncate(max);
        Ok(users)
    }

    /// Returns how users stand, each as its own shard says: from memory where that tells it.
    pub(super) async fn standings_of(&self, uids: &[Uid]) -> Result<Vec<Standing>> {
        let Some(cut) = self.cut_of(uids.iter().map(|uid| uid.gene())).await? else {
            return self.standing_rows(uids).await;
        };
        let pool = &self.shared().memory.standings;
        let mut standings = pool.at(uids, &cut);
        let missing: Vec<Uid> =
            uids.iter().zip(&standings).filter(|(_, told)| told.is_none()).map(|(uid, _)| *uid).collect();
        self.note_told(
            uids.iter().zip(&standings).filter(|(_, told)| told.is_some()).map(|(uid, _)| *uid),
            [],
        );
        if !missing.is_empty() {
            let fills = pool.begin_fills(missing.iter().copied());
            let told = self.told_of(missing.iter().map(|uid| uid.gene()));
            let mut found = BTreeMap::new();
            for row in self.ask_each(keys_of(&missing), &[STANDINGS], uid_terms).await?.iter().flatten() {
                found.insert(read_uid(row, 0)?, read_standing(row, 1)?.1);
            }
            self.catch_up(&told).await?;
            let standing = |uid: &Uid| found.get(uid).copied().unwrap_or_default();
            fills.keep(missing.iter().map(|uid| {
                let seq = self.seq_of(uid.gene())?;
                self.may_keep(&told, uid.gene(), seq).then(|| KnownEntry::new(seq, standing(uid)))
            }));
            let unknown = standings.iter_mut().zip(uids).filter(|(told, _)| told.is_none());
            unknown.for_each(|(told, uid)| *told = Some(standing(uid)));
        }
        Ok(standings.into_iter().flatten().collect())
    }

    /// The same as the databases of their shards repeat it.
    async fn standing_rows(&self, uids: &[Uid]) -> Result<Vec<Standing>> {
        let pairs: Vec<(Uid, Uid)> = uids.iter().map(|uid| (*uid, *uid)).collect();
        self.standings_beside_of(&pairs).await
    }

    /// Returns how the second users of pairs stand, each as the database of the first says: every database repeats it of all
    /// users. A page asks about its authors more than once, and each database is asked once about a user.
    pub(super) async fn standings_beside_of(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Standing>> {
        let map = self.shared.map();
        let place = |(of, uid): &(Uid, Uid)| (map.database(of.gene()), *uid);
        let unknown: Vec<(Uid, Uid)> = {
            let known = self.known_standings();
            pairs.iter().filter(|pair| !known.contains_key(&place(pair))).copied().collect()
        };
        let asks =
            map.by_database(unknown, |(of, _)| of.gene()).into_iter().map(async |(database, pairs)| {
                let uids: BTreeSet<Uid> = pairs.iter().map(|(_, uid)| *uid).collect();
                let asked = Statements::one(REPEATED_STANDINGS, vec![column_of!(uids, uid => column(*uid))]);
                let genes = pairs.iter().map(|(of, _)| of.gene()).collect();
                Ok::<_, Error>((database, uids, self.ask(database, genes, asked).await?))
            });
        for (database, uids, rows) in try_join_all(asks).await? {
            let found = rows.iter().flatten().map(|row| Ok((read_uid(row, 0)?, read_standing(row, 1)?.1)));
            let found = found.collect::<Result<BTreeMap<Uid, Standing>>>()?;
            let told = uids.iter().map(|uid| (*uid, found.get(uid).copied().unwrap_or_default()));
            self.known_standings().extend(told.map(|(uid, standing)| ((database, uid), standing)));
        }
        let known = self.known_standings();
        Ok(pairs.iter().map(|pair| known.get(&place(pair)).copied().unwrap_or_default()).collect())
    }

    fn known_standings(&self) -> MutexGuard<'_, BTreeMap<(usize, Uid), Standing>> {
        self.standings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn named(&self, name: &LoginName) -> Result<Option<Uid>> {
        let terms = vec![term(i16::from(name.gene().0)), term(name.as_str().to_owned())];
        let rows = self.ask_one(name.gene(), NAMED, terms).await?;
        rows.first().map(|row| read_uid(row, 0)).transpose()
    }

    pub(super) async fn password_of(&self, uid: Uid) -> Result<Option<PasswordHash>> {
        let terms = vec![term(i16::from(uid.gene().0)), term(column(uid))];
        let rows = self.ask_one(uid.gene(), PASSWORD, terms).await?;
        let stored = rows.first().map(|row| PasswordHash::new(row.get(0))).transpose();
        stored.map_err(|_| Error::with_detail(Reason::Internal, "a password in a row is too long"))
    }

    pub(super) async fn claimed(&self, contact: &Contact) -> Result<Option<ContactClaim>> {
        let terms = vec![
            term(i16::from(contact.gene().0)),
            term(kind_column(contact.kind())),
            term(contact.expose().to_owned()),
        ];
        let rows = self.ask_one(contact.gene(), CLAIM, terms).await?;
        Ok(rows.first().map(read_claim).transpose()?.map(|(_, claim)| claim))
    }

    pub(super) async fn claims_after(
        &self,
        after: Option<&Contact>,
        max: usize,
    ) -> Result<Vec<(Contact, ContactClaim)>> {
        let (kind, text) = after.map_or(("", ""), |contact| (kind_column(contact.kind()), contact.expose()));
        let terms = || vec![term(kind), term(text.to_owned()), term(limit(max))];
        let rows = self.ask_all(CLAIMS, terms).await?;
        let mut claims = rows.iter().map(read_claim).collect::<Result<Vec<_>, Fault>>()?;
        claims.sort_by(|(a, _), (b, _)| (a.kind().code(), a.expose()).cmp(&(b.kind().code(), b.expose())));
        claims.truncate(max);
        Ok(claims)
    }

    pub(super) async fn deleted_after(
        &self,
        after: Option<(u64, Uid)>,
        max: usize,
    ) -> Result<Vec<(u64, Uid)>> {
        let (ms, uid) = after.map_or((-1, 0), |(ms, uid)| (ms.cast_signed(), column(uid)));
        let rows = self.ask_all(DELETED, || vec![term(ms), term(uid), term(limit(max))]).await?;
        let mut users = rows.iter().map(read_time).collect::<Result<Vec<_>>>()?;
        users.sort_unstable_by_key(|(uid, ms)| (*ms, *uid));
        users.truncate(max);
        Ok(users.into_iter().map(|(uid, ms)| (ms, uid)).collect())
    }

    pub(super) async fn erased_after(&self, after: Option<Uid>, max: usize) -> Result<Vec<(Uid, u64)>> {
        let after = after.map_or(0, column);
        let rows = self.ask_all(ERASED, || vec![term(after), term(limit(max))]).await?;
        let mut users = rows.iter().map(read_time).collect::<Result<Vec<_>>>()?;
        users.sort_unstable();
        users.truncate(max);
        Ok(users)
    }
}

/// Users by their shards, each once.
fn keys_of(uids: &[Uid]) -> Vec<(Gene, Uid)> {
    let mut keys: Vec<(Gene, Uid)> = uids.iter().map(|uid| (uid.gene(), *uid)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A user, and the time of its status.
fn read_time(row: &Row) -> Result<(Uid, u64)> {
    Ok((read_uid(row, 0)?, number(row, 1)))
}

//! Users: a login name leads to the account that has it and back, a password is of an account, and every database says how users
//! stand as their own shards do.

use super::Checker;
use super::look::Looked;
use super::tables::{TableKey, TablePages};
use crate::rows::{
    REPEATED_STANDINGS, STANDINGS, UserStanding, account_columns, column, column_of, gene_column, limit,
    read_account, read_standing, set_standing, uid, uid_terms,
};
use guanxi_model::user::Standing;
use guanxi_model::{Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// A page of accounts, each with what its other rows say at the same moment. An account's `login_name` is the stored form,
/// which begins with the key.
const PAGE: &str = concat!(
    "select ",
    account_columns!(),
    ", t.gene, t.login_name is not null and n.uid is distinct from t.uid, \
    t.login_name is null and p.uid is not null \
    from (select * from gx.account where (gene, uid) > ($1, $2) order by gene, uid limit $3) t \
    left join lateral (select * from gx.login_name n \
    where n.gene = t.gene and n.name = split_part(t.login_name, E'\\n', 1) limit 1) n on true \
    left join lateral (select * from gx.password p where p.gene = t.gene and p.uid = t.uid limit 1) p on true \
    order by t.gene, t.uid"
);

/// Where the gene of an account is in a page, behind what an account is read from.
const GENE: usize = 22;

/// Login names and passwords without an account, of a whole database.
const LOST_NAMES: &str = "select t.uid, t.gene from gx.login_name t \
    left join lateral (select * from gx.account a where a.gene = t.gene and a.uid = t.uid \
    and split_part(a.login_name, E'\\n', 1) = t.name limit 1) a on true where a.uid is null limit $1";
const LOST_PASSWORDS: &str = "select t.uid, t.gene from gx.password t \
    left join lateral (select * from gx.account a where a.gene = t.gene and a.uid = t.uid limit 1) a on true \
    where a.uid is null limit $1";

/// How many of those are named.
const LOST_MAX: i64 = 1_000;

/// The users whose standing a database repeats.
const REPEATED: &str = "select uid from gx.standing where uid > $1 order by uid limit $2";

/// Removes what is repeated of them.
const REMOVE_REPEATED: &str = "delete from gx.standing where uid = any($1) returning uid";

/// A user in a database that says otherwise how it stands.
type Place = (usize, Uid);

/// What a row says of how a user stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SaidStanding {
    /// The revision of the user that it is of.
    pub revision: u32,
    /// How; none if that cannot be read.
    pub standing: Option<Standing>,
}

impl SaidStanding {
    /// Of a user without an account.
    fn of_nobody() -> Self {
        Self { revision: 0, standing: Some(Standing::default()) }
    }
}

/// What its own shard says of a user, and what a database repeats, if it repeats anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenStanding {
    own: SaidStanding,
    mirror: Option<SaidStanding>,
}

impl SeenStanding {
    /// Nothing is wrong with a copy of what cannot be read. A copy is never newer than what was read later.
    fn is_wrong(&self) -> bool {
        let mirror = self.mirror.unwrap_or_else(SaidStanding::of_nobody);
        self.own.standing.is_some()
            && (mirror.standing != self.own.standing || mirror.revision > self.own.revision)
    }
}

pub(super) type SaidStandings = BTreeMap<Uid, SaidStanding>;

impl Checker<'_> {
    /// A page of accounts; returns where the next one begins, if there is one.
    pub(super) async fn users(&mut self, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        if after == TableKey::START {
            self.lost(database).await?;
            if database == 0 {
                self.repeated_of_nobody().await?;
            }
        }
        let pages = TablePages::of_rows(PAGE, (GENE, 0));
        let (rows, next) = self.page("account", pages, (database, after), self.terms.page_rows).await?;
        self.report.compared += rows.len() as u64;
        let (mut own, mut held) = (SaidStandings::new(), BTreeMap::new());
        for row in &rows {
            let account = read_account(row);
            let Some(account) =
                account.ok().filter(|account| gene_column(account.uid) == row.get::<_, i16>(GENE))
            else {
                self.unreadable_row(&pages.key_of(row).named("account"));
                continue;
            };
            let (user, standing) = (account.uid, Some(account.standing()));
            own.insert(user, SaidStanding { revision: account.revision, standing });
            let contacts = [account.contacts.phone, account.contacts.email];
            held.extend(contacts.into_iter().flatten().map(|contact| (contact, user)));
            if row.get(GENE + 1) {
                self.wrong_user(user, "a user whose login name leads to somebody else, or to nobody");
            }
            if row.get(GENE + 2) {
                self.wrong_user(user, "a password of no account");
            }
        }
        self.judge_standings(own).await?;
        self.contacts(held).await?;
        Ok(next)
    }

    /// Login names and passwords that no account has.
    async fn lost(&mut self, database: usize) -> Result<()> {
        let of_names = "a login name of a user who has another, or none";
        for (sql, detail) in [(LOST_NAMES, of_names), (LOST_PASSWORDS, "a password of no account")] {
            let rows = self.ask(database, sql, vec![term(LOST_MAX)]).await?;
            for row in &rows {
                let detail = format!("row {} {}: {detail}", row.get::<_, i16>(1), row.get::<_, i64>(0));
                self.report.add_of(DifferenceKind::AccountCopy, uid(row, 0).ok(), None, detail);
            }
        }
        Ok(())
    }

    fn wrong_user(&mut self, user: Uid, detail: &str) {
        self.report.add(DifferenceKind::AccountCopy, user, None, detail.to_owned());
    }

    /// What databases repeat of users who have no account: they stand by default.
    async fn repeated_of_nobody(&mut self) -> Result<()> {
        let limit = limit(self.terms.page_rows);
        for database in 0..self.readers.len() {
            let mut after = Some(i64::MIN);
            while let Some(place) = after {
                let repeated = Statements::one(REPEATED, vec![term(place), term(limit)]);
                let rows = repeated.rows(&self.readers[database]).await?;
                let uids: BTreeSet<Uid> = rows.iter().filter_map(|row| uid(row, 0).ok()).collect();
                let no_uids = rows.iter().filter(|row| uid(row, 0).is_err()).map(|row| row.get(0)).collect();
                self.of_no_users(database, no_uids).await?;
                let accounts = self.own_standings(uids.clone()).await?;
                let nobody = uids.into_iter().filter(|uid| !accounts.contains_key(uid));
                self.judge_standings(nobody.map(|uid| (uid, SaidStanding::of_nobody())).collect()).await?;
                after =
                    rows.last().filter(|_| rows.len() as u64 >= limit.cast_unsigned()).map(|row| row.get(0));
            }
        }
        Ok(())
    }

    /// Reports rows that repeat how somebody stands whose number no user can have, and removes them.
    async fn of_no_users(&mut self, database: usize, no_uids: Vec<i64>) -> Result<()> {
        for number in &no_uids {
            self.unreadable_row(&format!("row {number} of standing"));
        }
        if self.terms.mends && !no_uids.is_empty() {
            let removed = Statements::one(REMOVE_REPEATED, vec![term(no_uids)]);
            self.report.mended += removed.rows(&self.writers[database]).await?.len() as u64;
        }
        Ok(())
    }

    /// Looks up the standings of users in every database. Reports standings that are still wrong after everything under way was
    /// applied, and mends them.
    pub(super) async fn judge_standings(&mut self, own: SaidStandings) -> Result<()> {
        let mut before: BTreeMap<Place, SeenStanding> = BTreeMap::new();
        let uids: Vec<Uid> = own.keys().copied().collect();
        for database in 0..self.readers.len() {
            let mirrors = self.mirrors(database, &uids).await?;
            before.extend(own.iter().map(|(uid, own)| {
                ((database, *uid), SeenStanding { own: *own, mirror: mirrors.get(uid).copied() })
            }));
        }
        before.retain(|_, seen| seen.is_wrong());
        let looked = self.look_again(before, |places| self.look_at_standings(places)).await?;
        let Looked { standing, unsettled, .. } = looked;
        self.report.unsettled += unsettled;
        for (place, seen) in standing {
            self.wrong_user(place.1, "a database says otherwise how the user stands");
            if self.terms.mends {
                self.report.mended += self.mend_standing(place, seen).await?;
            }
        }
        Ok(())
    }

    /// What is repeated is read first: it is never newer than what the user's own shard says later.
    async fn look_at_standings(&self, places: BTreeSet<Place>) -> Result<BTreeMap<Place, SeenStanding>> {
        let mut mirrors: BTreeMap<usize, SaidStandings> = BTreeMap::new();
        for database in 0..self.readers.len() {
            let uids: Vec<Uid> =
                places.iter().filter(|place| place.0 == database).map(|place| place.1).collect();
            if !uids.is_empty() {
                mirrors.insert(database, self.mirrors(database, &uids).await?);
            }
        }
        let own = self.own_standings(places.iter().map(|place| place.1).collect()).await?;
        let seen = |place: Place| {
            let mirror = mirrors.get(&place.0).and_then(|mirrors| mirrors.get(&place.1)).copied();
            (
                place,
                SeenStanding {
                    own: own.get(&place.1).copied().unwrap_or_else(SaidStanding::of_nobody),
                    mirror,
                },
            )
        };
        Ok(places.into_iter().map(seen).filter(|(_, seen)| seen.is_wrong()).collect())
    }

    /// Returns what a database repeats of users.
    async fn mirrors(&self, database: usize, uids: &[Uid]) -> Result<SaidStandings, Fault> {
        let asked = Statements::one(REPEATED_STANDINGS, vec![column_of!(uids, uid => column(*uid))]);
        standings(&asked.rows(&self.readers[database]).await?)
    }

    /// Returns what their own shards say of users.
    async fn own_standings(&self, uids: BTreeSet<Uid>) -> Result<SaidStandings, Fault> {
        let uids = uids.into_iter().map(|uid| (uid.gene(), uid));
        standings(&self.ask_each(STANDINGS, uids, uid_terms).await?)
    }

    /// Has a database say how a user stands now, unless what it says has moved on since it was seen.
    async fn mend_standing(&self, (database, uid): Place, seen: SeenStanding) -> Result<u64, Fault> {
        let own = self.own_standings(BTreeSet::from([uid])).await?;
        let SaidStanding { revision, standing } =
            own.get(&uid).copied().unwrap_or_else(SaidStanding::of_nobody);
        let Some(standing) = standing else { return Ok(0) };
        let mut statements = Statements::default();
        let seen = seen.mirror.map(|mirror| mirror.revision);
        set_standing(UserStanding { uid, revision, standing }, seen, &mut statements);
        Ok(statements.rows(&self.writers[database]).await?.len() as u64)
    }
}

/// Returns how the users of rows stand, each with its revision, which can always be read.
fn standings(rows: &[Row]) -> Result<SaidStandings, Fault> {
    let said = |row: &Row| {
        let (revision, standing) = (row.get::<_, i32>(1).cast_unsigned(), read_standing(row, 1).ok());
        Ok((uid(row, 0)?, SaidStanding { revision, standing: standing.map(|(_, standing)| standing) }))
    };
    rows.iter().map(said).collect()
}

//! Counters of users against their rows, counted in one moment.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::rows::{Rows, column, column_of, fetch_users, gene_column, not_fetched, number, uid};
use crate::store::in_shards;
use guanxi_model::{Counts, Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Connection, Fault, Statements};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// Users of a page at most: each has many rows.
const USERS_MAX: usize = 512;

/// Where the gene of a user is, behind what is stored and what is counted.
const GENE: usize = 15;

/// What is stored, and what is counted.
macro_rules! counted {
    ($users:literal, $order:literal) => {
        concat!(
            "select k.uid, k.following, k.followers, k.friends, k.blocks, k.mutes, k.sent, k.asking, \
            (select count(*) from gx.follow t where t.gene = k.gene and t.subject = k.uid and t.active), \
            (select count(*) from gx.fan t where t.gene = k.gene and t.object = k.uid and t.active), \
            (select count(*) from gx.follow t where t.gene = k.gene and t.subject = k.uid and t.active and t.friend_at is not null), \
            (select count(*) from gx.block t where t.gene = k.gene and t.subject = k.uid and t.active), \
            (select count(*) from gx.mute t where t.gene = k.gene and t.subject = k.uid and t.active), \
            (select count(*) from gx.sent t where t.gene = k.gene and t.sender = k.uid and t.kind is not null), \
            (select count(*) from gx.sent t left join lateral (select f.active from gx.follow f \
            where f.gene = t.gene and f.subject = t.sender and f.object = t.receiver limit 1) f on true \
            where t.gene = k.gene and t.sender = k.uid and t.kind is not null and f.active is not true), \
            k.gene from ",
            $users,
            " k ",
            $order
        )
    };
}

/// A page of the users that have a row of counters.
const PAGE: &str = counted!(
    "(select gene, uid, following, followers, friends, blocks, mutes, sent, asking from gx.user_state \
    where (gene, uid) > ($1, $2) order by gene, uid limit $3)",
    "order by k.gene, k.uid"
);

/// Given users, with a row of counters or without.
const GIVEN: &str = counted!(
    "(select g.gene, g.uid, coalesce(u.following, 0) as following, coalesce(u.followers, 0) as followers, \
    coalesce(u.friends, 0) as friends, coalesce(u.blocks, 0) as blocks, coalesce(u.mutes, 0) as mutes, \
    coalesce(u.sent, 0) as sent, coalesce(u.asking, 0) as asking \
    from unnest($1::smallint[], $2::bigint[]) as g(gene, uid) \
    left join lateral (select * from gx.user_state u where u.gene = g.gene and u.uid = g.uid limit 1) u on true)",
    ""
);

/// The counters of a user: as stored, and as counted.
#[derive(Clone, Copy, Debug)]
struct CountedUser {
    uid: Uid,
    stored: Counts,
    counted: Counts,
    /// Requests that are not over, and those of them that hold a place.
    requests_stored: (u32, u32),
    requests_counted: (u32, u32),
}

impl CountedUser {
    fn of(row: &Row) -> Result<Self, Fault> {
        let stored = |index: usize| row.get::<_, i32>(index).cast_unsigned();
        let counted = |index: usize| number(row, index);
        let small = |index: usize| u32::try_from(counted(index)).unwrap_or(u32::MAX);
        Ok(Self {
            uid: uid(row, 0)?,
            stored: Counts {
                following: stored(1),
                followers: counted(2),
                friends: stored(3),
                blocks: stored(4),
                mutes: stored(5),
            },
            counted: Counts {
                following: small(8),
                followers: counted(9),
                friends: small(10),
                blocks: small(11),
                mutes: small(12),
            },
            requests_stored: (stored(6), stored(7)),
            requests_counted: (small(13), small(14)),
        })
    }

    /// Returns which counters are wrong, with what is stored and what was counted.
    fn differences(&self) -> Vec<(DifferenceKind, u64, u64)> {
        let (stored, counted) = (self.stored, self.counted);
        let all = [
            (DifferenceKind::FollowingCount, stored.following.into(), counted.following.into()),
            (DifferenceKind::FollowersCount, stored.followers, counted.followers),
            (DifferenceKind::FriendsCount, stored.friends.into(), counted.friends.into()),
            (DifferenceKind::BlocksCount, stored.blocks.into(), counted.blocks.into()),
            (DifferenceKind::MutesCount, stored.mutes.into(), counted.mutes.into()),
            (DifferenceKind::RequestsCount, self.requests_stored.0.into(), self.requests_counted.0.into()),
            (DifferenceKind::RequestsCount, self.requests_stored.1.into(), self.requests_counted.1.into()),
        ];
        all.into_iter().filter(|(_, stored, counted)| stored != counted).collect()
    }
}

impl Checker<'_> {
    /// A page of users; returns where the next one begins, if there is one.
    pub(super) async fn counters(&mut self, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        let users_max = self.terms.page_rows.min(USERS_MAX);
        let pages = TablePages::of_rows(PAGE, (GENE, 0));
        let (rows, next) = self.page("user_state", pages, (database, after), users_max).await?;
        let mut users = Vec::with_capacity(rows.len());
        for row in &rows {
            match CountedUser::of(row) {
                Ok(user) if gene_column(user.uid) == row.get::<_, i16>(GENE) => users.push(user),
                _ => self.unreadable_row(&pages.key_of(row).named("user_state")),
            }
        }
        self.judge_counters(users).await?;
        Ok(next)
    }

    /// Users who have rows and no row of counters: those are all zero.
    pub(super) async fn uncounted(&mut self, database: usize, mut uids: BTreeSet<Uid>) -> Result<()> {
        uids.retain(|uid| self.met.insert(*uid));
        self.recount(database, uids).await
    }

    /// Compares the counters of given users of a database.
    pub(super) async fn recount(&mut self, database: usize, uids: BTreeSet<Uid>) -> Result<()> {
        let uids: Vec<Uid> = uids.into_iter().collect();
        for uids in uids.chunks(USERS_MAX) {
            let users = given(&self.readers[database], uids).await?;
            self.judge_counters(users).await?;
        }
        Ok(())
    }

    /// What is stored and what is counted were read in one moment, so that nothing is under way between them.
    async fn judge_counters(&mut self, users: Vec<CountedUser>) -> Result<()> {
        self.report.counters += users.len() as u64;
        self.report.compared += users.len() as u64;
        let mut wrong = BTreeSet::new();
        for user in users {
            for (kind, stored, counted) in user.differences() {
                self.report.add(kind, user.uid, None, format!("stored {stored}, expected {counted}"));
                wrong.insert(user.uid);
            }
        }
        if !self.terms.mends || wrong.is_empty() {
            return Ok(());
        }
        let mend = |database, uids| self.mend_counters(database, uids);
        self.report.mended += self.mend_each(wrong, |uid| uid.gene(), mend).await?;
        Ok(())
    }

    /// Counts anew under the locks of the shards, and stores that.
    async fn mend_counters(&self, database: usize, uids: Vec<Uid>) -> Result<u64, Fault> {
        let (writer, uids) = (&self.writers[database], &uids);
        let mend = async |mut rows: Rows| {
            fetch_users(writer, &mut rows, uids.iter().copied()).await?;
            let mut mended = 0;
            for user in given(writer, uids).await? {
                let differences = user.differences().len() as u64;
                if differences > 0 {
                    let row = rows.users.change(user.uid).map_err(not_fetched)?;
                    row.counts = user.counted;
                    (row.sent, row.asking) = user.requests_counted;
                    mended += differences;
                }
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, uids.iter().map(|uid| uid.gene()), mend).await
    }
}

/// The counters of given users.
async fn given(connection: &Connection, uids: &[Uid]) -> Result<Vec<CountedUser>, Fault> {
    let terms = vec![column_of!(uids, uid => gene_column(*uid)), column_of!(uids, uid => column(*uid))];
    let rows = Statements::one(GIVEN, terms).rows(connection).await?;
    let users: BTreeMap<Uid, CountedUser> = rows
        .iter()
        .map(|row| CountedUser::of(row).map(|user| (user.uid, user)))
        .collect::<Result<_, Fault>>()?;
    Ok(users.into_values().collect())
}

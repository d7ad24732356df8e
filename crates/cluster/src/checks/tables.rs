//! Tables that are walked: those of facts, and those of what follows from them.
//!
//! A page has, of each row: the gene, the user whose shard it is, the other one, its place, its version and whether it stands.
//! Then come whether its user has no row of counters, whether it is to be looked at for every state of the other table, and
//! whether it is a mark of friends. Keys are asked for with all of `$1` gene, `$2` user and `$3` other, after which the page
//! begins, and `$4` rows at most.

use super::sides::PairedRow;
use crate::rows::{DigestKind, damaged, gene, uid};
use guanxi_model::{Gene, Uid};
use guanxi_postgres::Fault;
use tokio_postgres::Row;

/// Where a walk of a table is: behind a row, or before the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableKey {
    /// The gene of the row.
    pub gene: i16,
    /// The user of the shard.
    pub owner: i64,
    /// The other user.
    pub other: i64,
}

impl TableKey {
    /// Before every row.
    pub(super) const START: Self = Self { gene: i16::MIN, owner: i64::MIN, other: i64::MIN };

    /// The row, in words.
    pub(super) fn named(&self, table: &str) -> String {
        format!("row {} {} {} of {table}", self.gene, self.owner, self.other)
    }

    /// The place of a row, whose first columns are its key.
    pub(super) fn of(row: &Row) -> Self {
        Self { gene: row.get(0), owner: row.get(1), other: row.get(2) }
    }
}

/// How a table is read page by page: `sql` returns the rows behind a key, in the order of their keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct TablePages {
    /// A page. Its terms are the parts of the key, and how many rows it has at most.
    pub sql: &'static str,
    /// The column of the gene.
    pub gene: usize,
    /// The column of the user, the post or the event that follows it in the key.
    pub owner: usize,
    /// The column of what is last in the key, if that has three parts.
    pub other: Option<usize>,
    /// The first and the last gene whose rows are read, which are the last terms; none if the page knows no such terms.
    pub genes: Option<(i16, i16)>,
}

/// All genes, also those that are none.
pub(super) const EVERY_GENE: (i16, i16) = (i16::MIN, i16::MAX);

impl TablePages {
    /// Pages whose first columns are gene, owner and other.
    pub(super) const fn of_pairs(sql: &'static str) -> Self {
        Self { sql, gene: 0, owner: 1, other: Some(2), genes: None }
    }

    /// Pages of a table, of some genes alone.
    pub(super) const fn of_genes(sql: &'static str, genes: (i16, i16)) -> Self {
        Self { genes: Some(genes), ..Self::of_pairs(sql) }
    }

    /// Pages whose keys have two parts, in these columns.
    pub(super) const fn of_rows(sql: &'static str, (gene, owner): (usize, usize)) -> Self {
        Self { sql, gene, owner, other: None, genes: None }
    }

    /// The key of a row.
    pub(super) fn key_of(self, row: &Row) -> TableKey {
        let other = self.other.map_or(0, |other| row.get(other));
        TableKey { gene: row.get(self.gene), owner: row.get(self.owner), other }
    }
}

/// How one table is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkedTable {
    /// What it is called.
    pub name: &'static str,
    /// A page of rows.
    pub page: &'static str,
    /// Rows by their keys: place, version, and whether each stands, behind the two users. None if nothing follows from the
    /// table and it follows from none.
    pub by_key: Option<&'static str>,
    /// What its rows are counted as.
    pub counted_as: CountedAs,
}

/// What rows that stand are counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountedAs {
    /// Facts that are follows.
    Forward,
    /// What shards know of follows.
    Reverse,
    /// Blocks and mutes.
    Marks,
    /// Nothing that a report names.
    Rows,
}

/// A table of facts, and what follows from it in the shards of the other users.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairedTables {
    /// What their digests are of.
    pub kind: DigestKind,
    /// The facts.
    pub facts: &'static WalkedTable,
    /// What follows.
    pub mirrors: &'static WalkedTable,
}

const FOLLOW: WalkedTable = WalkedTable {
    name: "follow",
    page: "select t.gene, t.subject, t.object, t.at, t.version, t.active, u.uid is null, \
        t.friend_at is distinct from case when t.active and f.active then greatest(t.at, f.at) end \
        or t.active and (b.active is true or y.active is true), \
        t.active and f.active is true \
        from (select * from gx.follow \
        where (subject, object, gene) > ($2, $3, $1) and gene between $5 and $6 \
        order by subject, object, gene limit $4) t \
        left join lateral (select * from gx.user_state u \
        where u.gene = t.gene and u.uid = t.subject limit 1) u on true \
        left join lateral (select * from gx.fan f \
        where f.gene = t.gene and f.object = t.subject and f.subject = t.object limit 1) f on true \
        left join lateral (select * from gx.block b \
        where b.subject = t.subject and b.object = t.object and b.gene = t.gene limit 1) b on true \
        left join lateral (select * from gx.blocked_by y \
        where y.gene = t.gene and y.object = t.subject and y.subject = t.object limit 1) y on true \
        order by t.subject, t.object, t.gene",
    by_key: Some(
        "select k.a, k.b, t.at, t.version, t.active \
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
        cross join lateral (select * from gx.follow t \
        where t.gene = k.gene and t.subject = k.a and t.object = k.b limit 1) t",
    ),
    counted_as: CountedAs::Forward,
};

const FAN: WalkedTable = WalkedTable {
    name: "fan",
    page: "select t.gene, t.object, t.subject, t.at, t.version, t.active, u.uid is null, false, false \
        from (select * from gx.fan where (gene, object, subject) > ($1, $2, $3) and gene between $5 and $6 \
        order by gene, object, subject limit $4) t \
        left join lateral (select * from gx.user_state u \
        where u.gene = t.gene and u.uid = t.object limit 1) u on true \
        order by t.gene, t.object, t.subject",
    by_key: Some(
        "select k.a, k.b, t.at, t.version, t.active \
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
        cross join lateral (select * from gx.fan t \
        where t.gene = k.gene and t.object = k.a and t.subject = k.b limit 1) t",
    ),
    counted_as: CountedAs::Reverse,
};

const BLOCK: WalkedTable = WalkedTable {
    name: "block",
    page: "select t.gene, t.subject, t.object, 0::bigint, t.version, t.active, u.uid is null, false, false \
        from (select * from gx.block \
        where (subject, object, gene) > ($2, $3, $1) and gene between $5 and $6 \
        order by subject, object, gene limit $4) t \
        left join lateral (select * from gx.user_state u \
        where u.gene = t.gene and u.uid = t.subject limit 1) u on true \
        order by t.subject, t.object, t.gene",
    by_key: Some(
        "select k.a, k.b, 0::bigint, t.version, t.active \
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
        cross join lateral (select * from gx.block t \
        where t.gene = k.gene and t.subject = k.a and t.object = k.b limit 1) t",
    ),
    counted_as: CountedAs::Marks,
};

const BLOCKED_BY: WalkedTable = WalkedTable {
    name: "blocked_by",
    page: "select t.gene, t.object, t.subject, 0::bigint, t.version, t.active, false, false, false \
        from gx.blocked_by t where (t.gene, t.object, t.subject) > ($1, $2, $3) and t.gene between $5 and $6 \
        order by t.gene, t.object, t.subject limit $4",
    by_key: Some(
        "select k.a, k.b, 0::bigint, t.version, t.active \
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
        cross join lateral (select * from gx.blocked_by t \
        where t.gene = k.gene and t.object = k.a and t.subject = k.b limit 1) t",
    ),
    counted_as: CountedAs::Rows,
};

/// Mutes concern no other user: they are only counted.
pub(super) const MUTE: WalkedTable = WalkedTable {
    name: "mute",
    page: "select t.gene, t.subject, t.object, t.at, t.version, t.active, u.uid is null, false, false \
        from (select * from gx.mute where (subject, object, gene) > ($2, $3, $1) and gene between $5 and $6 \
        order by subject, object, gene limit $4) t \
        left join lateral (select * from gx.user_state u \
        where u.gene = t.gene and u.uid = t.subject limit 1) u on true \
        order by t.subject, t.object, t.gene",
    by_key: None,
    counted_as: CountedAs::Marks,
};

/// Requests and rejections. They are few, and last for days: each is looked at.
pub(super) const REQUEST: WalkedTable = WalkedTable {
    name: "request",
    page: "select t.gene, t.receiver, t.sender, 0::bigint, 0::bigint, t.kind is not null or t.cooling_ms is not null, \
        false, true, false \
        from gx.request t where (t.gene, t.receiver, t.sender) > ($1, $2, $3) and t.gene between $5 and $6 \
        order by t.gene, t.receiver, t.sender limit $4",
    by_key: None,
    counted_as: CountedAs::Rows,
};

/// What is known of them in the shards of the senders.
pub(super) const SENT: WalkedTable = WalkedTable {
    name: "sent",
    page: "select t.gene, t.sender, t.receiver, 0::bigint, 0::bigint, t.kind is not null, u.uid is null, true, \
        false \
        from (select * from gx.sent where (gene, sender, receiver) > ($1, $2, $3) and gene between $5 and $6 \
        order by gene, sender, receiver limit $4) t \
        left join lateral (select * from gx.user_state u \
        where u.gene = t.gene and u.uid = t.sender limit 1) u on true \
        order by t.gene, t.sender, t.receiver",
    by_key: None,
    counted_as: CountedAs::Rows,
};

/// All pairs of tables.
pub(super) const PAIRED: [PairedTables; 2] = [
    PairedTables { kind: DigestKind::Follows, facts: &FOLLOW, mirrors: &FAN },
    PairedTables { kind: DigestKind::Blocks, facts: &BLOCK, mirrors: &BLOCKED_BY },
];

/// A row of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkedRow {
    /// The gene that it is stored under.
    pub gene: Gene,
    /// The user of the shard.
    pub owner: Uid,
    /// The other user.
    pub other: Uid,
    /// What the two tables have to agree on.
    pub paired: PairedRow,
    /// Its user has no row of counters.
    pub is_uncounted: bool,
    /// It is wrong for every state of the other table, as far as this look tells.
    pub is_suspect: bool,
    /// It is a mark of friends.
    pub is_mutual: bool,
}

impl WalkedRow {
    /// Reads a row of a page.
    pub(super) fn of(row: &Row) -> Result<Self, Fault> {
        let read = Self {
            gene: gene(row, 0)?,
            owner: uid(row, 1)?,
            other: uid(row, 2)?,
            paired: PairedRow::of(row, 3),
            is_uncounted: row.get(6),
            is_suspect: row.get(7),
            is_mutual: row.get(8),
        };
        if read.owner.gene() != read.gene {
            return Err(damaged("the gene of a user"));
        }
        if read.owner == read.other {
            return Err(damaged("a user of itself"));
        }
        Ok(read)
    }
}

/// A page of a table.
#[derive(Debug)]
pub(super) struct TablePage {
    /// Its rows, but for those that cannot be read.
    pub rows: Vec<WalkedRow>,
    /// Where those are.
    pub unreadable: Vec<TableKey>,
    /// Behind which row the next page begins, if there is one.
    pub next: Option<TableKey>,
}

impl TablePage {
    /// Reads the rows of a page.
    pub(super) fn of(found: &[Row], next: Option<TableKey>) -> Self {
        let (mut rows, mut unreadable) = (Vec::with_capacity(found.len()), Vec::new());
        for row in found {
            match WalkedRow::of(row) {
                Ok(read) => rows.push(read),
                Err(_) => unreadable.push(TableKey::of(row)),
            }
        }
        Self { rows, unreadable, next }
    }
}

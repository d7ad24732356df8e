//! How checks walk tables. The check of every row: each table of what follows, then that of its facts, page by page; then the
//! counters.

use super::Checker;
use super::posts::CheckedPostTable;
use super::run::RunPlace;
use super::tables::{
    CountedAs, EVERY_GENE, MUTE, PAIRED, PairedTables, REQUEST, SENT, TableKey, TablePage, TablePages,
    WalkedRow, WalkedTable,
};
use crate::rows::{Pair, column, number};
use guanxi_model::{Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that there are about, as the server's statistics have it.
const ESTIMATE: &str = "select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint from pg_class c \
    where c.oid in \
    ('gx.follow'::regclass, 'gx.fan'::regclass, 'gx.block'::regclass, 'gx.blocked_by'::regclass, \
    'gx.mute'::regclass, 'gx.user_state'::regclass, 'gx.account'::regclass, \
    'gx.liked'::regclass, 'gx.liker'::regclass, 'gx.post_ref'::regclass, 'gx.post'::regclass, \
    'gx.post_stats'::regclass, 'gx.log'::regclass)";

/// What one walk of a table compares with.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableWalk {
    /// What follows, with its facts.
    Mirrors(PairedTables),
    /// Facts, with what follows.
    Facts(PairedTables),
    /// A table that is only counted.
    Alone(&'static WalkedTable),
    /// Requests, as their receivers have them.
    Requests,
    /// Requests, as their senders know them.
    Sent,
    /// The counters of users.
    Counters,
    /// Accounts, with what other rows say of them.
    Users,
    /// Likes, or what the shards of posts know of these and of other posts.
    OfPosts(CheckedPostTable),
    /// Posts, with the heads of their authors and with what follows from them.
    Posts,
    /// The heads of outboxes, with posts and logs.
    Heads,
    /// The counters of posts.
    PostCounters,
    /// The logs.
    Log,
    /// Digests, with each other, and with the rows that they are of: those rows are compared where digests are wrong.
    Cells(PairedTables),
    /// Digests, with the rows that they are of, which were compared before.
    Digests(PairedTables),
}

/// The walks of a full check, in order.
fn walks() -> Vec<TableWalk> {
    let pairs = PAIRED.into_iter().flat_map(|tables| [TableWalk::Mirrors(tables), TableWalk::Facts(tables)]);
    let others = [
        TableWalk::Alone(&MUTE),
        TableWalk::Requests,
        TableWalk::Sent,
        TableWalk::Counters,
        TableWalk::Users,
        TableWalk::OfPosts(CheckedPostTable::Likers),
        TableWalk::OfPosts(CheckedPostTable::Liked),
        TableWalk::OfPosts(CheckedPostTable::References),
        TableWalk::Posts,
        TableWalk::Heads,
        TableWalk::PostCounters,
        TableWalk::Log,
    ];
    // Last, for a mend of damaged rows changes them, too.
    pairs.chain(others).chain(PAIRED.map(TableWalk::Digests)).collect()
}

impl Checker<'_> {
    /// Walks all tables of all databases.
    pub(super) async fn full(&mut self) -> Result<()> {
        self.estimate().await?;
        self.walk(&walks()).await
    }

    /// Does walks, in their order, each through all databases. Goes on where an earlier run was cut off.
    pub(super) async fn walk(&mut self, walks: &[TableWalk]) -> Result<()> {
        let mut place = self.begin_run(walks.len()).await?;
        while let Some(walk) = walks.get(usize::from(place.phase)) {
            while usize::from(place.database) < self.readers.len() {
                let database = usize::from(place.database);
                let next = self.step(*walk, database, place.key).await?;
                place.database += u16::from(next.is_none());
                place.key = next.unwrap_or(TableKey::START);
                self.note_run(&place).await?;
                self.tell();
                self.pace.rest().await;
            }
            place = RunPlace { phase: place.phase + 1, database: 0, key: TableKey::START };
        }
        self.end_run().await
    }

    async fn estimate(&mut self) -> Result<()> {
        for connection in &self.readers {
            let rows = Statements::one(ESTIMATE, Vec::new()).rows(connection).await?;
            self.total += rows.iter().map(|row| number(row, 0)).sum::<u64>();
        }
        Ok(())
    }

    /// Does one page; returns where the next one begins, if there is one.
    async fn step(&mut self, walk: TableWalk, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        let table = match walk {
            TableWalk::Counters => return self.counters(database, after).await,
            TableWalk::Users => return self.users(database, after).await,
            TableWalk::OfPosts(table) => return self.of_posts(table, database, after).await,
            TableWalk::Posts => return self.posts(database, after).await,
            TableWalk::Heads => return self.heads(database, after).await,
            TableWalk::PostCounters => return self.post_counters(database, after).await,
            TableWalk::Log => return self.logs(database, after).await,
            TableWalk::Cells(tables) => return self.cells(tables, (database, after), true).await,
            TableWalk::Digests(tables) => return self.cells(tables, (database, after), false).await,
            TableWalk::Mirrors(tables) => tables.mirrors,
            TableWalk::Facts(tables) => tables.facts,
            TableWalk::Alone(table) => table,
            TableWalk::Requests => &REQUEST,
            TableWalk::Sent => &SENT,
        };
        let page = self.readable_rows(table, EVERY_GENE, (database, after)).await?;
        self.count(table.counted_as, &page.rows);
        let suspects = self.suspects(walk, &page.rows).await?;
        self.judge(suspects).await?;
        let uncounted = page.rows.iter().filter(|row| row.is_uncounted && row.paired.active);
        let uncounted: BTreeSet<Uid> = uncounted.map(|row| row.owner).collect();
        self.uncounted(database, uncounted).await?;
        Ok(page.next)
    }

    /// The pairs of a page that may differ.
    pub(super) async fn suspects(
        &self,
        walk: TableWalk,
        page: &[WalkedRow],
    ) -> Result<BTreeSet<Pair>, Fault> {
        match walk {
            TableWalk::Mirrors(tables) => self.without_fact(tables, page).await,
            TableWalk::Facts(tables) => self.without_echo(tables, page).await,
            // The shard of the sender is that of the first user of a pair.
            TableWalk::Requests => Ok(page.iter().map(|row| (row.other, row.owner)).collect()),
            TableWalk::Sent => Ok(page.iter().map(|row| (row.owner, row.other)).collect()),
            _ => Ok(BTreeSet::new()),
        }
    }

    /// A page of some genes of a table, behind a place. Rows that cannot be read are reported, and left out.
    pub(super) async fn readable_rows(
        &mut self,
        table: &WalkedTable,
        genes: (i16, i16),
        place: (usize, TableKey),
    ) -> Result<TablePage, Fault> {
        let pages = TablePages::of_genes(table.page, genes);
        let (found, next) = self.page(table.name, pages, place, self.terms.page_rows).await?;
        let page = TablePage::of(&found, next);
        for key in &page.unreadable {
            self.unreadable_row(&key.named(table.name));
        }
        Ok(page)
    }

    /// Reports a row that cannot be read. It stays as it is: its right content is not known.
    pub(super) fn unreadable_row(&mut self, what: &str) {
        self.wrong_row(format!("{what} cannot be read"));
    }

    /// Reports a row that is wrong by itself.
    pub(super) fn wrong_row(&mut self, detail: String) {
        self.report.compared += 1;
        self.report.add_of(DifferenceKind::Undecodable, None, None, detail);
    }

    /// The same, without a report.
    pub(super) async fn rows_of(
        &self,
        table: &WalkedTable,
        genes: (i16, i16),
        place: (usize, TableKey),
    ) -> Result<TablePage, Fault> {
        let pages = TablePages::of_genes(table.page, genes);
        let (found, next) = self.any_page(pages, place, self.terms.page_rows).await?;
        Ok(TablePage::of(&found, next))
    }

    fn count(&mut self, counted_as: CountedAs, page: &[WalkedRow]) {
        let standing = page.iter().filter(|row| row.paired.active).count() as u64;
        self.report.compared += page.len() as u64;
        self.report.mutual += page.iter().filter(|row| row.is_mutual).count() as u64;
        match counted_as {
            CountedAs::Forward => self.report.forward += standing,
            CountedAs::Reverse => self.report.reverse += standing,
            CountedAs::Marks => self.report.marks += standing,
            CountedAs::Rows => {}
        }
    }

    /// Pairs of which something stands that no fact is there for. Where there is one, the walk of the facts compares both.
    async fn without_fact(&self, tables: PairedTables, page: &[WalkedRow]) -> Result<BTreeSet<Pair>, Fault> {
        let pairs = page.iter().filter(|row| row.paired.active).map(|row| (row.other, row.owner));
        let pairs: Vec<Pair> = pairs.collect();
        let facts = self.by_key(tables.facts, pairs.iter().copied()).await?;
        Ok(pairs.into_iter().filter(|pair| !facts.contains_key(pair)).collect())
    }

    /// Pairs of which what follows is not what it has to be, and those that are wrong by themselves.
    async fn without_echo(&self, tables: PairedTables, page: &[WalkedRow]) -> Result<BTreeSet<Pair>, Fault> {
        let mirrors = self.by_key(tables.mirrors, page.iter().map(|row| (row.other, row.owner))).await?;
        let is_wrong = |row: &&WalkedRow| {
            let mirror = mirrors.get(&(row.other, row.owner)).copied().unwrap_or_default();
            row.is_suspect || row.paired.differs_from(mirror)
        };
        Ok(page.iter().filter(is_wrong).map(|row| (row.owner, row.other)).collect())
    }

    /// Rows of a table by their keys, from whichever databases have them.
    async fn by_key(
        &self,
        table: &WalkedTable,
        keys: impl Iterator<Item = Pair>,
    ) -> Result<BTreeMap<Pair, super::sides::PairedRow>, Fault> {
        let Some(sql) = table.by_key else { return Ok(BTreeMap::new()) };
        let pairs: Vec<Pair> = keys.collect();
        let place = |pair: &Pair| (column(pair.0), column(pair.1));
        let found = self.keyed(sql, pairs.iter().map(|pair| (pair.0.gene(), place(pair)))).await?;
        Ok(pairs.into_iter().filter_map(|pair| Some((pair, *found.get(&place(&pair))?))).collect())
    }
}

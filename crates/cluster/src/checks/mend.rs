//! Mending: what follows is written from the fact as it is now, under the lock of the shard that it belongs to.

use super::Checker;
use super::look::WrongPairs;
use super::sides::{PairSide, SeenPair, request_difference};
use crate::rows::{FanRow, MirrorRow, NotFetched, Pair, Rows, fetch_pairs, not_fetched};
use crate::store::in_shards;
use guanxi_model::event::PairChange;
use guanxi_model::limits::FACT_AHEAD_MAX_MS;
use guanxi_model::{Change, Event, EventAt, Gene, Logs, Op, Result, Stamp, Uid};
use guanxi_postgres::{Connection, Fault};
use guanxi_shard::apply::{befriend, part};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Rows that are mended in one transaction.
const MENDS_MAX: usize = 256;

impl Checker<'_> {
    /// Mends pairs, and returns the number of differences. A row that has changed since it was seen is left alone.
    pub(super) async fn mend(&mut self, standing: &WrongPairs) -> Result<u64> {
        let pairs = || standing.keys().copied();
        let mirrors = |database, pairs| self.mend_mirrors(database, pairs, standing);
        let own = |database, pairs| self.mend_own(database, pairs, standing);
        let mut mended = self.mend_each(pairs(), |pair| pair.1.gene(), mirrors).await?;
        mended += self.mend_each(pairs(), |pair| pair.0.gene(), own).await?;
        // Rows that damage took or left are counted wrong still; those of a lost event were counted with the mend.
        let uids: BTreeSet<Uid> = standing.keys().flat_map(|(a, b)| [*a, *b]).collect();
        for (database, uids) in self.shared.map().by_database(uids, |uid| uid.gene()) {
            self.recount(database, uids.into_iter().collect()).await?;
        }
        Ok(mended)
    }

    /// Has rows mended, those of one database after the other, some in each transaction. Returns the number of differences. Where
    /// rows cannot be mended together, each is by itself, and those that cannot be stay as they are.
    pub(super) async fn mend_each<K: Copy + Debug, F: Future<Output = Result<u64, Fault>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        gene_of: impl Fn(&K) -> Gene,
        mend: impl Fn(usize, Vec<K>) -> F,
    ) -> Result<u64> {
        let mut mended = 0;
        for (database, keys) in self.shared.map().by_database(keys, gene_of) {
            for keys in keys.chunks(MENDS_MAX) {
                match mend(database, keys.to_vec()).await {
                    Err(fault) if fault.lies_in_rows() => {}
                    together => {
                        mended += together?;
                        continue;
                    }
                }
                for key in keys {
                    match mend(database, vec![*key]).await {
                        Err(fault) if fault.lies_in_rows() => {
                            let (check, problem) = (self.check.name(), fault.told());
                            tracing::warn!(check, ?key, %problem, "a row cannot be mended");
                        }
                        alone => mended += alone?,
                    }
                }
            }
        }
        Ok(mended)
    }

    /// Returns up to which version a fact is taken for what it says: a shard that mends what follows from a fact moves its clock
    /// past the fact's version, and everything that is written later would have the time of a damaged one.
    pub(super) fn sound_until(&self) -> Stamp {
        let ahead = Stamp::from_ms(self.shared.clock.now_ms().saturating_add(FACT_AHEAD_MAX_MS));
        self.shared.stamps.last().max(ahead)
    }

    /// What follows in the shards of the second users. The facts are read while those shards are locked: an event that is later
    /// than what was read is not applied yet, and is newer than what is written.
    async fn mend_mirrors(
        &self,
        database: usize,
        pairs: Vec<Pair>,
        standing: &WrongPairs,
    ) -> Result<u64, Fault> {
        let (writer, pairs) = (&self.writers[database], &pairs);
        let mend = async |mut rows: Rows| {
            let back: Vec<Pair> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
            fetch_seen_from(writer, &mut rows, &back).await?;
            let facts: BTreeSet<Pair> = pairs.iter().copied().collect();
            let facts = self.sides(&facts).await.map_err(|error| Fault::Again(error.to_string()))?;
            let (now_ms, until, mut mended) = (self.shared.clock.now_ms(), self.sound_until(), 0);
            for pair in pairs {
                let own = facts.get(pair).cloned().unwrap_or_default();
                let Some(seen) = standing.get(pair) else { continue };
                if own.follow.version.max(own.block.version) <= until {
                    mended += mend_mirror(&mut rows, *pair, seen, own, now_ms).map_err(not_fetched)?;
                }
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, pairs.iter().map(|pair| pair.1.gene()), mend).await
    }

    /// What is wrong in the shards of the first users by themselves.
    async fn mend_own(&self, database: usize, pairs: Vec<Pair>, standing: &WrongPairs) -> Result<u64, Fault> {
        let (writer, pairs) = (&self.writers[database], &pairs);
        let mend = async |mut rows: Rows| {
            fetch_seen_from(writer, &mut rows, pairs).await?;
            let reverse: BTreeSet<Pair> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
            let their = self.sides(&reverse).await.map_err(|error| Fault::Again(error.to_string()))?;
            let (now_ms, mut mended) = (self.shared.clock.now_ms(), 0);
            for pair in pairs {
                let Some(their) = their.get(&(pair.1, pair.0)) else { continue };
                mended += mend_one(&mut rows, *pair, their.block.active, now_ms).map_err(not_fetched)?;
                let Some(seen) = standing.get(pair) else { continue };
                mended += mend_sent(&mut rows, *pair, seen, (their, now_ms)).map_err(not_fetched)?;
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, pairs.iter().map(|pair| pair.0.gene()), mend).await
    }
}

/// Fetches pairs, each as the shard of its first user has it, and of two users of one shard both ways.
async fn fetch_seen_from(writer: &Connection, rows: &mut Rows, pairs: &[Pair]) -> Result<(), Fault> {
    let same = pairs.iter().filter(|(a, b)| a.gene() == b.gene()).map(|(a, b)| (*b, *a));
    fetch_pairs(writer, rows, pairs.iter().copied().chain(same)).await
}

/// What follows in the shard of the second user of a pair. A row that is not as it was seen has moved on.
fn mend_mirror(
    rows: &mut Rows,
    pair: Pair,
    seen: &SeenPair,
    own: PairSide,
    now_ms: u64,
) -> Result<u64, NotFetched> {
    let (a, b) = pair;
    let (back, home) = ((b, a), b.gene());
    let (their, mut mended) = (PairSide::of(rows, back)?, 0);
    let now = SeenPair { own, their };
    rows.enter(home);
    let (fact, mirror) = now.follows();
    if now.their.fan == seen.their.fan && fact.differs_from(mirror) {
        let follow = now.own.follow;
        rows.shards.observe(home, follow.version);
        rows.change_fan(back, |row| {
            *row = FanRow { at: follow.at, version: follow.version, active: follow.active };
        })?;
        let is_mutual = befriend(rows, back, follow.active.then_some(follow.at))?;
        tell(rows, pair, home, follow.version, changed_follow(follow.active, follow.at, is_mutual));
        mended += 1;
    }
    let (fact, mirror) = now.blocks();
    if now.their.blocked_by == seen.their.blocked_by && fact.differs_from(mirror) {
        let block = now.own.block;
        rows.shards.observe(home, block.version);
        *rows.blocked_by.change(back)? = MirrorRow { version: block.version, active: block.active };
        rows.users.change(b)?.blocked_seq = rows.shards.seq(home) + 1;
        let kind = if block.active { PairChange::Blocked { at: block.at } } else { PairChange::Unblocked };
        tell(rows, pair, home, block.version, (kind, Op::Block));
        if block.active {
            end_follow(rows, back, now_ms)?;
        }
        mended += 1;
    }
    Ok(mended)
}

/// What is wrong in the shard of the first user of a pair by itself: a follow across a block, and a mark of friends.
fn mend_one(rows: &mut Rows, pair: Pair, is_blocked: bool, now_ms: u64) -> Result<u64, NotFetched> {
    let (a, b) = pair;
    let (home, mut mended) = (a.gene(), 0);
    rows.enter(home);
    let own = PairSide::of(rows, pair)?;
    if own.follow.active && (own.block.active || is_blocked) {
        end_follow(rows, pair, now_ms)?;
        mended += 1;
    }
    let own = PairSide::of(rows, pair)?;
    let friend_at = own.friends_since();
    if own.follow.friend_at != friend_at {
        rows.change_follow(pair, |row| row.friend_at = friend_at)?;
        let (at, version) = (own.fan.at, own.fan.version);
        tell(rows, (b, a), home, version, changed_follow(own.fan.active, at, friend_at.is_some()));
        mended += 1;
    }
    Ok(mended)
}

/// What the shard of the first user of a pair knows of its request to the second. A row that is not as it was seen has moved on.
fn mend_sent(
    rows: &mut Rows,
    pair: Pair,
    seen: &SeenPair,
    (their, now_ms): (&PairSide, u64),
) -> Result<u64, NotFetched> {
    let sent = rows.sent.get(pair)?;
    if *sent != seen.own.sent || request_difference(&their.request, sent, now_ms).is_none() {
        return Ok(0);
    }
    let fact = their.request.clone();
    let rejected_until_ms = fact.rejected_until_ms();
    rows.change_sent(pair, |row| {
        let reserved = row.asked.take().filter(|_| !row.waits);
        row.waits = fact.asked.is_some();
        row.asked = fact.asked.or(reserved);
    })?;
    rows.sent.change(pair)?.cooling_ms = rejected_until_ms;
    Ok(1)
}

/// Ends a follow as a block does. What follows in another shard is carried there.
fn end_follow(rows: &mut Rows, pair: Pair, now_ms: u64) -> Result<(), NotFetched> {
    let (a, b) = pair;
    let stood = rows.follows.get(pair)?.active;
    part(rows, pair, now_ms)?;
    if stood && a.gene() == b.gene() {
        let version = rows.follows.get(pair)?.version;
        rows.change_fan((b, a), |row| (row.version, row.active) = (version, false))?;
        befriend(rows, (b, a), None)?;
    }
    Ok(())
}

/// Returns what a follow has become.
fn changed_follow(active: bool, at: Stamp, mutual: bool) -> (PairChange, Op) {
    if active {
        (PairChange::Followed { at, mutual }, Op::Follow)
    } else {
        (PairChange::Unfollowed, Op::Unfollow)
    }
}

/// Tells of a mend in the log of its shard, as the echo would have told that was lost. It names its own place, for the event
/// that it should follow from may be trimmed, or have an echo.
fn tell(rows: &mut Rows, (a, b): Pair, home: Gene, version: Stamp, (kind, cause): (PairChange, Op)) {
    let at = EventAt::new(Logs::PerGene.of_gene(home), rows.shards.seq(home) + 1);
    let change = Change::Pair { object: b, kind, cause };
    rows.shards.log(home, Event { at, version, subject: a, change, echo: Some(at) }, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{FollowRow, ProcessClock, RowTerms, ShardRow, Shards};
    use guanxi_model::HistoryId;
    use guanxi_model::plan::FactLimits;
    use std::sync::Arc;

    fn at(n: u64) -> Stamp {
        Stamp::from_raw(n)
    }

    fn fan(version: u64, active: bool) -> FanRow {
        FanRow { at: at(5), version: at(version), active }
    }

    /// Returns what the shard of the second of two users has, as it is locked.
    fn rows(pair: Pair, row: FanRow) -> Rows {
        let back = (pair.1, pair.0);
        let shard = ShardRow { seq: 3, stamp: at(9), post_high: 0 };
        let shards = Shards::new([(pair.1.gene(), shard)], Arc::new(ProcessClock::default()));
        let limits = FactLimits { follows: 10, blocks: 10, mutes: 10 };
        let mut rows = Rows::new(RowTerms::new(HistoryId(1), limits), shards);
        rows.follows.fetched(back);
        rows.fans.found(back, row);
        rows.blocks.fetched(back);
        rows.blocked_by.fetched(back);
        rows.requests.fetched(back);
        rows.sent.fetched(back);
        rows.users.fetched(pair.1);
        rows
    }

    #[test]
    fn a_mend_undoes_nothing_that_came_since_it_looked() {
        let pair = (Uid::new(1).unwrap(), Uid::new(2).unwrap());
        let back = (pair.1, pair.0);
        let fact = |version, active| PairSide {
            follow: FollowRow { at: at(5), version: at(version), active, friend_at: None },
            ..PairSide::default()
        };
        let damaged = PairSide { fan: fan(5, false), ..PairSide::default() };
        let seen = SeenPair { own: fact(5, true), their: damaged };
        for (name, row, own, wanted) in [
            ("as it was seen", fan(5, false), fact(5, true), (1, fan(5, true))),
            ("ended and applied since", fan(7, false), fact(7, false), (0, fan(7, false))),
            (
                "ended and applied since, the fact read before",
                fan(7, false),
                fact(5, true),
                (0, fan(7, false)),
            ),
            ("ended since, and not applied yet", fan(5, false), fact(7, false), (0, fan(5, false))),
            ("ended and begun anew since", fan(5, false), fact(8, true), (1, fan(8, true))),
        ] {
            let mut rows = rows(pair, row);
            let mended = mend_mirror(&mut rows, pair, &seen, own, 1).unwrap();
            assert_eq!((mended, *rows.fans.get(back).unwrap()), wanted, "{name}");
            assert_eq!(rows.shards.events().len() as u64, mended, "{name}");
        }
    }
}

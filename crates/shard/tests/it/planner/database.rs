//! One shard of a database in memory: each batch gets the rows that its write names, and no others.

use super::GENE;
use guanxi_model::plan::{FactLimits, Remembered};
use guanxi_model::{Event, Result, Stamp, Write};
use guanxi_ports::Applied;
use guanxi_shard::batch::{ShardWork, missing_rows, one};
use guanxi_shard::cells::{AnswerKey, Cells, ErasedIds, RowTerms, Rows, ShardRow, Shards};
use guanxi_spec::memory::Options;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Rounds of fetching that no write exceeds, the last one of which names nothing new.
const ROUNDS_MAX: usize = 6;

/// What batches have written so far.
pub(super) struct Database {
    row: ShardRow,
    pub(super) log: Vec<Event>,
    pub(super) answers: BTreeMap<AnswerKey, Remembered>,
    /// The rows of all other tables.
    pub(super) tables: Rows,
}

impl Database {
    pub(super) fn new(options: &Options) -> Self {
        let limits = FactLimits {
            follows: options.follow_limit,
            blocks: options.block_limit,
            mutes: options.mute_limit,
        };
        let erased_ids = ErasedIds::new([0; 32], |_, id| {
            let mut hash = [0; 16];
            hash[..id.as_str().len()].copy_from_slice(id.as_str().as_bytes());
            hash
        });
        let terms = RowTerms { erased_ids, ..RowTerms::new(options.history, limits) };
        Self {
            row: ShardRow { seq: 0, stamp: Stamp::ZERO, post_high: 0 },
            log: Vec::new(),
            answers: BTreeMap::new(),
            tables: Rows::new(terms, Shards::new([], Arc::default())),
        }
    }

    /// A batch that has no rows yet. Its clock knows what the shard knows, and nothing of batches that were refused.
    pub(super) fn batch(&self) -> Rows {
        Rows::new(*self.tables.terms(), Shards::new([(GENE, self.row)], Arc::default()))
    }

    /// Applies a write in a batch of its own. Nothing stays of one that is refused.
    pub(super) fn apply(&mut self, write: &Write, now_ms: u64) -> Result<Applied> {
        let work = [(GENE, ShardWork::Write(write.clone()))];
        let mut batch = self.batch();
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "{write:?} asks for more rows in every round");
            let missing = missing_rows(&mut batch, &work);
            if missing.is_empty() {
                break;
            }
            missing.iter().for_each(|(_, key)| self.fetch(key, &mut batch));
            batch.note_fetched(missing);
        }
        let answer = one(&mut batch, GENE, &work[0].1, now_ms);
        let answer = answer.unwrap_or_else(|missing| panic!("{missing:?} was not fetched for {write:?}"))?;
        self.put(&batch);
        let position = answer.planned.repeated.unwrap_or(answer.position);
        Ok(Applied { position, outcomes: answer.planned.outcomes })
    }

    /// Takes in what a batch has changed.
    fn put(&mut self, batch: &Rows) {
        self.log.extend(batch.shards.events().iter().map(|logged| logged.event));
        self.row = batch.shards.changed().next().map_or(self.row, |(_, row)| row);
        self.answers.extend(batch.new_answers().map(|(key, answer)| (key.clone(), answer.clone())));
        let tables = &mut self.tables;
        for (pair, follow) in batch.follows.changed() {
            // What forgets a follow that has ended need not know whether it stands.
            let stands = tables.follows.get(pair).is_ok_and(|known| known.active);
            if follow.version > Stamp::ZERO || !stands {
                tables.follows.found(pair, *follow);
            }
        }
        put(&batch.fans, &mut tables.fans);
        put(&batch.blocks, &mut tables.blocks);
        put(&batch.blocked_by, &mut tables.blocked_by);
        put(&batch.mutes, &mut tables.mutes);
        put(&batch.users, &mut tables.users);
        put(&batch.requests, &mut tables.requests);
        put(&batch.sent, &mut tables.sent);
        put(&batch.unlocking, &mut tables.unlocking);
        put(&batch.feed.seen, &mut tables.feed.seen);
        put(&batch.accounts.accounts, &mut tables.accounts.accounts);
        put(&batch.accounts.login_names, &mut tables.accounts.login_names);
        put(&batch.accounts.passwords, &mut tables.accounts.passwords);
        put(&batch.accounts.signed_out, &mut tables.accounts.signed_out);
        put(&batch.accounts.claims, &mut tables.accounts.claims);
        put(&batch.sessions.by_id, &mut tables.sessions.by_id);
        put(&batch.dictionary.uids, &mut tables.dictionary.uids);
        put(&batch.dictionary.ids, &mut tables.dictionary.ids);
        put(&batch.dictionary.erased, &mut tables.dictionary.erased);
        put(&batch.groups.groups, &mut tables.groups.groups);
        put(&batch.groups.owned, &mut tables.groups.owned);
        put(&batch.groups.members, &mut tables.groups.members);
        put(&batch.suggestions.dismissed, &mut tables.suggestions.dismissed);
        put(&batch.suggestions.affinities, &mut tables.suggestions.affinities);
        put(&batch.settings.credentials, &mut tables.settings.credentials);
        put(&batch.settings.audit, &mut tables.settings.audit);
        tables.settings.policy = batch.settings.policy.or(tables.settings.policy);
        self.put_posts(batch);
    }

    fn put_posts(&mut self, batch: &Rows) {
        let (batch, tables) = (&batch.posts, &mut self.tables.posts);
        put(&batch.posts, &mut tables.posts);
        put(&batch.stats, &mut tables.stats);
        put(&batch.liked, &mut tables.liked);
        put(&batch.likers, &mut tables.likers);
        put(&batch.references, &mut tables.references);
        put(&batch.authors, &mut tables.authors);
        tables.sources.reset(|(author, _)| batch.forgotten.contains(author));
        put(&batch.sources, &mut tables.sources);
        tables.also_named.extend(batch.also_named.iter().cloned());
        tables.revisions.extend(batch.revisions.iter().map(|(key, revision)| (*key, revision.clone())));
    }
}

/// Writes the changed rows of a batch to a table.
fn put<K: Ord + Clone + Debug, V: Default + Clone>(batch: &Cells<K, V>, table: &mut Cells<K, V>) {
    batch.changed().for_each(|(key, row)| table.found(key, row.clone()));
}

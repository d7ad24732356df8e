//! Fetching what was answered under request ids.

use crate::rows::columns::{column, column_of, damaged, gene, keyed, uid};
use crate::rows::{AnswerKey, Answered, Rows};
use guanxi_model::plan::Remembered;
use guanxi_model::stored::decode_outcomes;
use guanxi_model::{Gene, LogMark, Logs, RequestId};
use guanxi_postgres::{Fault, Statements, term};
use guanxi_rows::layout::answer_hash;
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

const ANSWERS: &str = "select k.gene, k.actor, k.key, t.fingerprint, t.at_ms, t.seq, t.answer, t.other, \
    t.other_seq, t.others \
    from unnest($1::smallint[], $2::bigint[], $3::text[]) as k(gene, actor, key) \
    cross join lateral (select * from gx.answer t \
    where t.gene = k.gene and t.actor = k.actor and t.key = k.key limit 1) t";

/// The same of what is no user's: of no shard.
const OF_SETTINGS: &str = "select 0::smallint, t.actor, t.key, t.fingerprint, t.at_ms, 0::bigint, t.answer, \
    null::smallint, null::bigint, null::text \
    from unnest($1::bigint[], $2::text[]) as k(actor, key) \
    cross join lateral (select * from gx.setting_answer t where t.actor = k.actor and t.key = k.key limit 1) t";

/// What was answered before the cluster was filled from a dump: dumps have the hashes of ids alone.
const LOADED: &str =
    "select hash, fingerprint, at_ms, seq, answer from gx.loaded_answer where hash = any($1::bytea[])";

/// Answers to be fetched.
#[derive(Default)]
pub(in crate::rows) struct AnswerFetch(BTreeSet<AnswerKey>);

impl AnswerFetch {
    /// What was answered under a request id in a shard.
    pub(in crate::rows) fn answer(&mut self, key: AnswerKey) {
        self.0.insert(key);
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, rows: &Rows, statements: &mut Statements) {
        if rows.settings.are_here() {
            self.ask_settings(statements);
        } else {
            self.ask_shards(statements);
        }
        if !self.0.is_empty() {
            let hashes = self.0.iter().map(|key| answer_hash(key.1, &key.2.stored()).to_be_bytes().to_vec());
            statements.add(LOADED, vec![term(hashes.collect::<Vec<_>>())]);
        }
    }

    fn ask_settings(&self, statements: &mut Statements) {
        if !self.0.is_empty() {
            let terms = vec![
                column_of!(self.0, key => column(key.1)),
                column_of!(self.0, key => key.2.stored().into_owned()),
            ];
            statements.add(OF_SETTINGS, terms);
        }
    }

    fn ask_shards(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.0.iter().map(|key| (key.0, key))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, key) => column(key.1)),
                column_of!(keys, (_, key) => key.2.stored().into_owned()),
            ];
            statements.add(ANSWERS, terms);
        }
    }

    /// Returns how many statements there are beside the one of what a dump has brought.
    fn statements(&self, rows: &Rows) -> usize {
        if rows.settings.are_here() {
            return usize::from(!self.0.is_empty());
        }
        usize::from(!self.0.is_empty())
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let statements = self.statements(rows);
        let of_hash =
            |key: &AnswerKey| (answer_hash(key.1, &key.2.stored()).to_be_bytes().to_vec(), key.clone());
        let keys: BTreeMap<Vec<u8>, AnswerKey> = self.0.iter().map(of_hash).collect();
        self.0.into_iter().for_each(|key| rows.fetched_answer(key));
        let found: Vec<Vec<Row>> = answers.by_ref().take(statements).collect();
        // What was answered since is newer.
        for row in answers.by_ref().take(usize::from(!keys.is_empty())).flatten() {
            if let Some(key) = keys.get(row.get::<_, &[u8]>(0)) {
                take_loaded(rows, key, &row)?;
            }
        }
        found.iter().flatten().try_for_each(|row| take_answer(rows, row))
    }
}

fn take_answer(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    let home = gene(row, 0)?;
    let outcomes = decode_outcomes(row.get(6)).ok_or_else(|| damaged("an answer"))?;
    let seq = row.get::<_, i64>(5).cast_unsigned();
    let mark = |gene: Gene, seq: u64| (Logs::PerGene.of_gene(gene), LogMark { seen: seq, acted: seq });
    let other = row.get::<_, Option<i16>>(7).and_then(|other| u8::try_from(other).ok());
    let other_seq = row.get::<_, Option<i64>>(8).map(i64::cast_unsigned);
    let other = other.zip(other_seq).map(|(other, seq)| mark(Gene(other), seq));
    let others = others(row.get(9)).ok_or_else(|| damaged("where an answer stands"))?;
    let others = others.into_iter().map(|(other, seq)| mark(other, seq));
    let answer = Remembered {
        fingerprint: row.get::<_, i64>(3).cast_unsigned(),
        ms: row.get::<_, i64>(4).cast_unsigned(),
        position: rows.answered_at(home, seq, other.into_iter().chain(others)),
        outcomes,
    };
    rows.found_answer((home, uid(row, 1)?, RequestId::of_stored(row.get(2))), answer);
    Ok(())
}

fn take_loaded(rows: &mut Rows, key: &AnswerKey, row: &Row) -> Result<(), Fault> {
    let number = |index: usize| row.get::<_, i64>(index).cast_unsigned();
    let answer = Remembered {
        fingerprint: number(1),
        ms: number(2),
        position: rows.answered_at(key.0, number(3), []),
        outcomes: decode_outcomes(row.get(4)).ok_or_else(|| damaged("an answer"))?,
    };
    rows.found_answer(key.clone(), answer);
    Ok(())
}

/// The further logs of a column, each with the place of an event.
fn others(column: Option<&str>) -> Option<Vec<(Gene, u64)>> {
    let other = |text: &str| {
        let (gene, seq) = text.split_once(':')?;
        Some((Gene(gene.parse().ok()?), seq.parse().ok()?))
    };
    column.into_iter().flat_map(|column| column.split(',')).map(other).collect()
}

//! Writing what was answered under request ids.

use crate::rows::Rows;
use crate::rows::columns::{column, column_of};
use guanxi_model::plan::Remembered;
use guanxi_model::stored::encode_outcomes;
use guanxi_model::{Gene, Logs};
use guanxi_postgres::Statements;

const ANSWERS: &str = "insert into gx.answer (gene, actor, key, fingerprint, at_ms, seq, answer, other, other_seq, others) \
    select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::smallint[], $9::bigint[], $10::text[]) \
    on conflict (gene, actor, key) do update set fingerprint = excluded.fingerprint, at_ms = excluded.at_ms, \
    seq = excluded.seq, answer = excluded.answer, other = excluded.other, other_seq = excluded.other_seq, \
    others = excluded.others";

/// The same of what is no user's.
const OF_SETTINGS: &str = "insert into gx.setting_answer (actor, key, fingerprint, at_ms, answer) \
    select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[]) \
    on conflict (actor, key) do update set fingerprint = excluded.fingerprint, at_ms = excluded.at_ms, \
    answer = excluded.answer";

/// Adds the statement that writes new answers.
pub(in crate::rows) fn put_answers(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.new_answers().collect();
    if rows.is_empty() {
        return;
    }
    if batch.settings.are_here() {
        statements.add(
            OF_SETTINGS,
            vec![
                column_of!(rows, ((_, actor, _), _) => column(*actor)),
                column_of!(rows, ((.., key), _) => key.stored().into_owned()),
                column_of!(rows, (_, answer) => answer.fingerprint.cast_signed()),
                column_of!(rows, (_, answer) => answer.ms.cast_signed()),
                column_of!(rows, (_, answer) => encode_outcomes(&answer.outcomes)),
            ],
        );
        return;
    }
    let seq = |home: Gene, answer: &Remembered| {
        answer.position.in_log(Logs::PerGene.of_gene(home)).seq().cast_signed()
    };
    let other = |home: Gene, answer: &Remembered| {
        let other = answer.position.marks().find(|(log, _)| log.0 != home.0);
        other.map(|(log, mark)| (log, mark.seen.cast_signed()))
    };
    let others = |home: Gene, answer: &Remembered| {
        let others = answer.position.marks().filter(|(log, _)| log.0 != home.0).skip(1);
        let others: Vec<String> = others.map(|(log, mark)| format!("{}:{}", log.0, mark.seen)).collect();
        (!others.is_empty()).then(|| others.join(","))
    };
    statements.add(
        ANSWERS,
        vec![
            column_of!(rows, ((home, _, _), _) => i16::from(home.0)),
            column_of!(rows, ((_, actor, _), _) => column(*actor)),
            column_of!(rows, ((_, _, key), _) => key.stored().into_owned()),
            column_of!(rows, (_, answer) => answer.fingerprint.cast_signed()),
            column_of!(rows, (_, answer) => answer.ms.cast_signed()),
            column_of!(rows, ((home, _, _), answer) => seq(*home, answer)),
            column_of!(rows, (_, answer) => encode_outcomes(&answer.outcomes)),
            column_of!(rows, ((home, _, _), answer) => other(*home, answer).map(|(log, _)| i16::from(log.0))),
            column_of!(rows, ((home, _, _), answer) => other(*home, answer).map(|(_, seq)| seq)),
            column_of!(rows, ((home, _, _), answer) => others(*home, answer)),
        ],
    );
}

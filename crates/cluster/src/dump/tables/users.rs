//! Accounts, sessions, groups, suggestions, answers, and what is one for the whole cluster.

use super::{DumpRowError, DumpedTable};
use crate::dump::merge::DumpRows;
use crate::rows::{
    ALL_AUDIT, ALL_CREDENTIALS, ALL_SESSIONS, POLICY, number, read_audit, read_credential, read_policy,
    read_session,
};
use crate::rows::{
    account_columns, damaged, group_number, read_account, read_claim, read_erased_id, read_group, stamp, uid,
};
use guanxi_model::ExternalId;
use guanxi_model::stored::{decode_outcomes, encode_audit_entry};
use guanxi_model::user::UserStatus;
use guanxi_rows::layout::{
    AFFINITY, AnswerValue, CREDENTIAL, DISMISSED, ERASED_ID_KEY, ERASED_USER, EXTERNAL_ID, ErasedIdKey,
    FORGOTTEN_KEY, GROUP_NUMBER, JOB, LOGIN_NAME, PASSWORD, POLICY_KEY, SIGNED_OUT, STANDING, USER,
    USER_GROUP, answer_hash, answer_key, answer_time_key, audit_key, claim_key, deleted_user_key,
    dismissed_by_key, encode_claim, encode_credential, encode_group, encode_group_number, encode_number,
    encode_policy, encode_session, encode_stamp, encode_standing, encode_user, erased_id_key,
    external_uid_key, group_key, group_member_key, member_of_key, named_key, pair_key, scored_by_key,
    session_end_key, session_key, session_of_user_key, user_key,
};
use tokio_postgres::Row;

pub(super) const TABLES: &[DumpedTable] = &[
    DumpedTable::new(concat!("select ", account_columns!(), " from gx.account t"), account),
    DumpedTable::new("select name, uid from gx.login_name", login_name),
    DumpedTable::new("select uid, hash from gx.password", password),
    DumpedTable::new("select kind, contact, uid, version, confirmed from gx.contact_claim", claim),
    DumpedTable::new("select external_id, uid from gx.external_id", external_id),
    DumpedTable::new("select gene, hash from gx.erased_id", erased_id),
    DumpedTable::new("select uid, at_ms from gx.signed_out", signed_out),
    DumpedTable::new("select at_ms from gx.forgotten_sign_out", forgotten_sign_out),
    DumpedTable::new(ALL_SESSIONS, session),
    DumpedTable::new(
        "select owner, id, name, created, revision, members, audience from gx.user_group",
        group,
    ),
    DumpedTable::new("select owner, last from gx.group_number", last_group),
    DumpedTable::new("select owner, id, member, at from gx.group_member", member),
    DumpedTable::new("select viewer, uid, at from gx.dismissed", dismissed),
    DumpedTable::new("select actor, uid, score from gx.affinity", affinity),
    DumpedTable::new("select actor, half_life_ms from gx.affinity_half_life", half_life),
    DumpedTable::new("select fingerprint, at_ms, seq, answer, actor, key from gx.answer", answer),
    DumpedTable::new("select fingerprint, at_ms, seq, answer, hash from gx.loaded_answer", loaded_answer),
];

pub(super) const IN_FIRST: &[DumpedTable] = &[
    DumpedTable::new(ALL_CREDENTIALS, credential),
    DumpedTable::new(ALL_AUDIT, audit),
    DumpedTable::new("select job, position from gx.import_job", job),
    DumpedTable::new(POLICY, policy),
    DumpedTable::new("select key from gx.erased_id_key", key_of_erased),
    DumpedTable::new(
        "select fingerprint, at_ms, 0::bigint, answer, actor, key from gx.setting_answer",
        answer,
    ),
];

fn account(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let user = read_account(row)?;
    rows.record(&user_key(USER, user.uid), encode_user(&user))?;
    if let Some(standing) = encode_standing(user.standing()) {
        rows.record(&user_key(STANDING, user.uid), standing)?;
    }
    match user.status {
        UserStatus::Deleted { erase_at_ms } => {
            rows.record(&deleted_user_key(erase_at_ms, user.uid), Vec::new())?;
        }
        UserStatus::Erased { at_ms } => {
            rows.record(&user_key(ERASED_USER, user.uid), encode_number(at_ms).to_vec())?;
        }
        UserStatus::Active | UserStatus::Deactivated => {}
    }
    Ok(())
}

fn login_name(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let key = named_key(LOGIN_NAME, row.get(0));
    Ok(rows.record(&key, encode_number(uid(row, 1)?.get()).to_vec())?)
}

fn password(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    Ok(rows.record(&user_key(PASSWORD, uid(row, 0)?), row.get::<_, String>(1).into_bytes())?)
}

fn claim(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (contact, claim) = read_claim(row)?;
    Ok(rows.record(&claim_key(&contact), encode_claim(&claim))?)
}

fn external_id(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let id = ExternalId::new(row.get::<_, &str>(0), "external_id").map_err(|_| damaged("an external id"))?;
    let uid = uid(row, 1)?;
    rows.record(&external_uid_key(&id), encode_number(uid.get()).to_vec())?;
    Ok(rows.record(&user_key(EXTERNAL_ID, uid), id.as_str().as_bytes().to_vec())?)
}

fn erased_id(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (gene, hash) = read_erased_id(row)?;
    Ok(rows.record(&erased_id_key(gene, hash), Vec::new())?)
}

fn key_of_erased(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let key = ErasedIdKey::decode(row.get(0)).ok_or_else(|| damaged("the key of hashes of erased ids"))?;
    Ok(rows.record(ERASED_ID_KEY, key.0.to_vec())?)
}

fn signed_out(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let at_ms = number(row, 1);
    Ok(rows.record(&user_key(SIGNED_OUT, uid(row, 0)?), encode_number(at_ms).to_vec())?)
}

fn forgotten_sign_out(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let at_ms = number(row, 0);
    Ok(rows.record(FORGOTTEN_KEY, encode_number(at_ms).to_vec())?)
}

fn session(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let session = read_session(row)?;
    rows.record(&session_key(session.id), encode_session(&session))?;
    rows.record(&session_of_user_key(session.uid, session.cursor()), Vec::new())?;
    if let Some(expires_ms) = session.expires_ms {
        rows.record(&session_end_key(expires_ms, session.id), Vec::new())?;
    }
    Ok(())
}

fn group(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let group = read_group(row)?;
    Ok(rows.record(&group_key(USER_GROUP, group.owner, group.id), encode_group(&group))?)
}

fn last_group(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let last = group_number(row.get(1))?;
    Ok(rows.record(&user_key(GROUP_NUMBER, uid(row, 0)?), encode_group_number(last).to_vec())?)
}

fn member(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (owner, id, member) = (uid(row, 0)?, group_number(row.get(1))?, uid(row, 2)?);
    rows.record(&group_member_key(owner, id, member), encode_stamp(stamp(row, 3)).to_vec())?;
    Ok(rows.record(&member_of_key(member, owner, id), Vec::new())?)
}

fn dismissed(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (viewer, uid) = (uid(row, 0)?, uid(row, 1)?);
    rows.record(&pair_key(DISMISSED, viewer, uid), encode_stamp(stamp(row, 2)).to_vec())?;
    Ok(rows.record(&dismissed_by_key(uid, viewer), Vec::new())?)
}

fn affinity(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (actor, uid) = (uid(row, 0)?, uid(row, 1)?);
    let score = number(row, 2);
    rows.record(&pair_key(AFFINITY, actor, uid), encode_number(score).to_vec())?;
    Ok(rows.record(&scored_by_key(uid, actor), Vec::new())?)
}

fn half_life(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let half_life_ms = number(row, 1);
    Ok(rows.record(&user_key(AFFINITY, uid(row, 0)?), encode_number(half_life_ms).to_vec())?)
}

fn answer(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let hash = answer_hash(uid(row, 4)?, row.get(5));
    remembered(row, hash, rows)
}

fn loaded_answer(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let hash = row.get::<_, &[u8]>(4).try_into().map_err(|_| damaged("the hash of an answer"))?;
    remembered(row, u128::from_be_bytes(hash), rows)
}

fn remembered(row: &Row, hash: u128, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let number = |index: usize| number(row, index);
    let outcomes = decode_outcomes(row.get(3)).ok_or_else(|| damaged("an answer"))?;
    let answer = AnswerValue { fingerprint: number(0), ms: number(1), seq: number(2), outcomes };
    rows.record(&answer_key(hash), answer.encode())?;
    Ok(rows.record(&answer_time_key(answer.ms, hash), Vec::new())?)
}

fn credential(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let credential = read_credential(row)?;
    Ok(rows.record(&named_key(CREDENTIAL, &credential.name), encode_credential(&credential))?)
}

fn audit(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let entry = read_audit(row)?;
    Ok(rows.record(&audit_key(entry.id), encode_audit_entry(&entry))?)
}

fn job(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let position = number(row, 1);
    Ok(rows.record(&named_key(JOB, row.get(0)), encode_number(position).to_vec())?)
}

fn policy(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    Ok(rows.record(POLICY_KEY, encode_policy(&read_policy(row)?))?)
}

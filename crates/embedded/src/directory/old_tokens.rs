//! Tokens of end users from before sessions.
//!
//! Until format 3 such a token was a credential and nothing else. Each becomes a session here, and its credential the
//! operator's name for that session. One batch does both for a token, so a death in between leaves some to be done at
//! the next opening and none undone twice: a session that is revoked later does not come back.

use crate::engine::{Engine, EngineError, RowBatch, Table, Wait};
use crate::layout::{CREDENTIAL, decode_credential, encode_credential, is_old_end_user};
use crate::rows::sessions::{put_session, stored_session};
use guanxi_model::{Principal, Session};

/// Tokens of one batch: bounds its size. There are 100,000 at most.
const SLICE: usize = 1_000;

/// Moves what is to be moved, and returns how many tokens that were.
pub(super) fn move_to_sessions(engine: &Engine) -> Result<usize, EngineError> {
    let snapshot = engine.snapshot();
    let (mut batch, mut moved) = (engine.batch(), 0);
    for row in snapshot.prefix(Table::Records, &[CREDENTIAL]) {
        let (key, value) = row?;
        if !is_old_end_user(&value) {
            continue;
        }
        let damaged = || EngineError::Damaged("a credential cannot be decoded".into());
        let credential = decode_credential(&key[1..], &value).ok_or_else(damaged)?;
        let Principal::EndUser(uid) = credential.principal else { return Err(damaged()) };
        batch.put(Table::Records, &key, &encode_credential(&credential));
        let (hash, created_ms) = (credential.hash, credential.created_ms);
        if stored_session(&snapshot, hash)?.is_none() {
            put_session(&mut batch, &Session::lone(uid, hash, created_ms));
        }
        moved += 1;
        if moved % SLICE == 0 {
            std::mem::replace(&mut batch, engine.batch()).commit(Wait::Disk)?;
        }
    }
    commit(batch)?;
    Ok(moved)
}

fn commit(batch: RowBatch) -> Result<(), EngineError> {
    if batch.is_empty() { Ok(()) } else { batch.commit(Wait::Disk) }
}

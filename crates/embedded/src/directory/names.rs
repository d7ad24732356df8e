//! Giving imported posts the rows of their names, which an export asks for.
//!
//! A directory of before those rows gets them at its first opening, and a mark that they are there. Each step is one
//! commit; one that was cut off is done again, which changes nothing.

use crate::engine::{Engine, EngineError, Table, Wait};
use crate::layout::{
    NAME, NAMED_KEY, SOURCE, decode_header, decode_number, of_post_key, parse_source_key, post_key,
};
use guanxi_model::PostId;
use std::collections::BTreeMap;

/// Names of one batch: bounds its size.
const SLICE: usize = 20_000;

/// Adds the rows that are missing, once.
pub(super) fn add(engine: &Engine) -> Result<(), EngineError> {
    let mut found = 0_u64;
    let snapshot = engine.snapshot();
    if snapshot.contains(Table::Records, NAMED_KEY)? {
        return Ok(());
    }
    let mut names: BTreeMap<PostId, String> = BTreeMap::new();
    for row in snapshot.prefix(Table::Records, &[SOURCE]) {
        let (key, value) = row?;
        // What cannot be decoded is named by a verification, and is no post's name.
        let id = decode_number(&value).and_then(|raw| PostId::new(raw).ok());
        let (Some(id), Some((_, name))) = (id, parse_source_key(&key)) else { continue };
        let post = snapshot.get(Table::Posts, &post_key(id))?;
        let header = post.and_then(|bytes| Some(decode_header(id, &bytes)?.0));
        // A plain repost that was written here may stand for one that was imported; its name is its id.
        if header.is_some_and(|header| header.event.is_none()) {
            // Of several names of one post the first has come to be its own.
            found += 1;
            names.entry(id).or_insert_with(|| name.to_owned());
        }
        if names.len() == SLICE {
            put(engine, &std::mem::take(&mut names))?;
        }
    }
    put(engine, &names)?;
    if found > 0 {
        tracing::info!(found, "imported posts have rows of their names now");
    }
    let mut batch = engine.batch();
    batch.put(Table::Records, NAMED_KEY, &[]);
    batch.commit(Wait::Disk)
}

fn put(engine: &Engine, names: &BTreeMap<PostId, String>) -> Result<(), EngineError> {
    let snapshot = engine.snapshot();
    let mut batch = engine.batch();
    for (id, name) in names {
        let key = of_post_key(NAME, *id);
        if !snapshot.contains(Table::Records, &key)? {
            batch.put(Table::Records, &key, name.as_bytes());
        }
    }
    if batch.is_empty() { Ok(()) } else { batch.commit(Wait::Os) }
}

//! Damage that tests of other crates inject into a directory that no store has open: derived rows that do not follow from the facts.

use crate::directory::open::{OpenError, claim, open_engine};
use crate::engine::{EngineResult, Table, Wait};
use crate::layout::{COUNTERS, ForwardValue, forward_key, reverse_key, user_key};
use crate::options::Options;
use crate::rows;
use guanxi_model::{Edge, Uid};
use std::path::Path;

/// A derived row that is made wrong.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// The reverse edge of a follow is lost.
    ReverseLost {
        /// Who follows.
        subject: Uid,
        /// Who is followed.
        object: Uid,
    },
    /// The counter of a user's followers has another number.
    Followers {
        /// The user.
        uid: Uid,
        /// The number.
        count: u64,
    },
}

/// Makes rows wrong.
///
/// # Errors
/// When the directory cannot be opened or written.
pub fn inject(dir: &Path, all: &[Damage]) -> Result<(), OpenError> {
    let _lock = claim(dir)?;
    let engine = open_engine(dir, &Options::default())?;
    let injected = || -> EngineResult<()> {
        let (snapshot, mut batch) = (engine.snapshot(), engine.batch());
        for damage in all {
            match *damage {
                Damage::ReverseLost { subject, object } => {
                    let row = snapshot.get(Table::Forward, &forward_key(subject, object))?;
                    if let Some(follow) = row.and_then(|bytes| ForwardValue::decode(&bytes)) {
                        let edge = Edge { at: follow.at, uid: subject };
                        batch.remove(Table::Reverse, &reverse_key(object, edge));
                    }
                }
                Damage::Followers { uid, count } => {
                    let mut value = rows::relations::counters(&snapshot, uid)?;
                    value.counts.followers = count;
                    batch.put(Table::Records, &user_key(COUNTERS, uid), &value.encode());
                }
            }
        }
        batch.commit(Wait::Disk)?;
        engine.flush()
    };
    injected().map_err(|error| OpenError::engine(dir, error))
}

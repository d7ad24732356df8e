//! Versions of what follows from events.

use crate::cells::Rows;
use guanxi_model::plan::EventRows as _;
use guanxi_model::{Stamp, Uid};

/// Mints versions in the shard that an event arrives in. The one that was minted where the event comes from is taken if it is
/// newer than all that was there before: so events are in the order in which their plan has made them, whichever logs they are in.
pub struct Minter {
    /// The newest version before.
    floor: Stamp,
    now_ms: u64,
}

impl Minter {
    /// Of a shard as it is before what arrives.
    pub fn new(rows: &Rows, home: Uid, now_ms: u64) -> Self {
        Self { floor: rows.shards.stamp_of(home.gene()), now_ms }
    }

    /// The version of the end of a follow that has one: the newer of a follow wins, so that nothing else need be older.
    pub(super) fn end_version(
        &mut self,
        rows: &mut Rows,
        home: Uid,
        (minted, known): (Option<Stamp>, Stamp),
    ) -> Stamp {
        match minted.filter(|minted| *minted > known) {
            Some(minted) => {
                self.floor = self.floor.max(minted);
                rows.shards.observe(home.gene(), minted);
                minted
            }
            None => self.version(rows, home, None),
        }
    }

    /// The version of a change of a user of the shard.
    pub fn version(&mut self, rows: &mut Rows, home: Uid, minted: Option<Stamp>) -> Stamp {
        self.floor = match minted.filter(|minted| *minted > self.floor) {
            Some(minted) => {
                rows.shards.observe(home.gene(), minted);
                minted
            }
            None => rows.stamp(home, self.now_ms),
        };
        self.floor
    }
}

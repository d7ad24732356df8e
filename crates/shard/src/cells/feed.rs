//! What readers and operators note of feeds: up to where homes were seen.

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::FeedRows;
use guanxi_model::{FanoutPolicy, Position, Uid};

/// The rows of feeds.
#[derive(Debug, Default)]
pub struct FeedTables {
    /// Up to where users have seen their homes.
    pub seen: Cells<Uid, Option<Position>>,
}

impl FeedRows for Rows {
    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> Result<(), NotFetched> {
        match self.feed.seen.change(uid)? {
            Some(known) => known.join(seen),
            none => *none = Some(seen.clone()),
        }
        Ok(())
    }

    fn remove_seen(&mut self, uid: Uid) -> Result<(), NotFetched> {
        self.feed.seen.put(uid, None);
        Ok(())
    }

    fn put_policy(&mut self, policy: &FanoutPolicy) {
        self.settings.set_policy(*policy);
    }
}

//! Events that a database has passed over, although it says that they are applied there.

use super::commit::fetch;
use super::source::SourceRead;
use crate::rows::{Rows, not_fetched};
use guanxi_model::{Event, Gene};
use guanxi_postgres::{Connection, Fault};
use guanxi_shard::apply::{Arriving, derive_late};
use std::collections::{BTreeMap, BTreeSet};

/// A log, and the place of an event in it.
pub(crate) type LogPlace = (Gene, u64);

/// The place of an event.
pub(crate) const fn place_of(event: &Event) -> LogPlace {
    (Gene(event.at.log().0), event.at.seq())
}

/// The events of logs that the shards of others have to take in, of those that are given, in the order of the logs.
pub(crate) fn arriving(read: &BTreeMap<Gene, SourceRead>, of: &BTreeSet<LogPlace>) -> Vec<Arriving> {
    let all = read.values().flat_map(SourceRead::arriving);
    all.filter(|one| of.contains(&place_of(&one.event))).collect()
}

/// Takes events in that may have been passed over, as far as there is nothing newer. Returns the events that change
/// anything. The rows are changed here, and written by the caller that holds their locks.
pub(crate) async fn take_in_late(
    connection: &Connection,
    rows: &mut Rows,
    arriving: &[Arriving],
    now_ms: u64,
) -> Result<BTreeSet<LogPlace>, Fault> {
    fetch(connection, rows, arriving).await?;
    let mut changing = BTreeSet::new();
    for one in arriving {
        if derive_late(rows, *one, now_ms).map_err(not_fetched)? {
            changing.insert(place_of(&one.event));
        }
    }
    Ok(changing)
}

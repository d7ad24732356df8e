//! Shards that are not as the map of the cluster says: no process reads them or writes to them.

use crate::map::ShardMap;
use guanxi_model::Gene;
use tokio_postgres::Row;

/// The shards of a database: what [`misplaced`] reads.
pub(crate) const SHARDS: &str = "select gene, epoch, writable from gx.shard";

/// A shard whose users cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misplaced {
    /// Its gene.
    pub gene: Gene,
    /// What is wrong, in words.
    pub problem: String,
}

/// Returns the shards that the map has in a database, and that are not there as the map says. One that moves is as it has to be.
pub(crate) fn misplaced(map: &ShardMap, database: &str, shards: &[Row]) -> Vec<Misplaced> {
    let there = |gene: u8| shards.iter().find(|row| row.get::<_, i16>(0) == i16::from(gene));
    let open = map.places.iter().filter(|place| place.database == database && place.state == "open");
    let wrong = open.filter_map(|place| {
        let gene = place.gene;
        let problem = match there(gene).map(|row| (row.get::<_, i64>(1), row.get::<_, bool>(2))) {
            None => format!("gx.shard has no row of gene {gene:02x}"),
            Some((epoch, _)) if epoch != place.epoch => {
                format!("gx.shard has epoch {epoch} for gene {gene:02x}, and the map has {}", place.epoch)
            }
            Some((_, false)) => format!("gx.shard says that gene {gene:02x} is not written to"),
            Some(_) => return None,
        };
        Some(Misplaced { gene: Gene(gene), problem })
    });
    wrong.collect()
}

//! `guanxi shard`: where the shards of a cluster are.

use super::{print, print_json};
use clap::{Args, Subcommand};
use guanxi_server::config::Settings;
use guanxi_server::{Outcome, shard_map};
use std::collections::BTreeMap;

/// Shows where the shards of a cluster are.
#[derive(Debug, Args)]
pub(super) struct Shard {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the databases of a cluster, with their genes
    List(List),
}

#[derive(Debug, Args)]
struct List {
    /// Print a line of JSON for each gene
    #[arg(long)]
    json: bool,
}

impl Shard {
    /// Prints them.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let What::List(List { json }) = self.what;
        let map = shard_map(settings).await?;
        if json {
            return map.places.iter().try_for_each(|place| {
                print_json(&serde_json::json!({
                    "gene": place.gene, "database": place.database,
                    "epoch": place.epoch, "state": place.state,
                }))
            });
        }
        let mut alike: BTreeMap<(&str, i64, &str), Vec<String>> = BTreeMap::new();
        for place in &map.places {
            let key = (place.database.as_str(), place.epoch, place.state.as_str());
            alike.entry(key).or_default().push(place.gene.to_string());
        }
        let width = map.databases.iter().map(String::len).max().unwrap_or(0).max("DATABASE".len());
        print(format_args!("{:width$}  EPOCH  STATE   GENES", "DATABASE"))?;
        for ((database, epoch, state), genes) in alike {
            print(format_args!("{database:width$}  {epoch:5}  {state:6}  {}", genes.join(" ")))?;
        }
        Ok(())
    }
}

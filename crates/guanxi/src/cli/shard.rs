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
    /// List the schemas of a cluster, with their genes and databases
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
                    "gene": place.gene, "schema": place.schema, "database": place.database,
                    "epoch": place.epoch, "state": place.state,
                }))
            });
        }
        let mut schemas: BTreeMap<&str, (Vec<String>, &str, i64, &str)> = BTreeMap::new();
        for place in &map.places {
            let of_schema = (Vec::new(), place.database.as_str(), place.epoch, place.state.as_str());
            schemas.entry(&place.schema).or_insert(of_schema).0.push(place.gene.to_string());
        }
        let width = map.databases.iter().map(String::len).max().unwrap_or(0).max("DATABASE".len());
        print(format_args!("SCHEMA  {:width$}  EPOCH  STATE   GENES", "DATABASE"))?;
        for (schema, (genes, database, epoch, state)) in schemas {
            print(format_args!("{schema:6}  {database:width$}  {epoch:5}  {state:6}  {}", genes.join(" ")))?;
        }
        Ok(())
    }
}

//! Where the shards are.

use std::time::Duration;

use buffa::{EnumValue, MessageField};
use buffa_types::google::protobuf;
use guanxi_model::Result;
use guanxi_ports::shards::{SeenDatabase, SeenProcess, SeenShard, SeenState, ShardReport};
use guanxi_proto::v1;

use super::AdminApi;

pub(super) async fn get_shard_map(
    api: &AdminApi,
    _request: &v1::GetShardMapRequestView<'_>,
) -> Result<v1::GetShardMapResponse> {
    let report = api.operator.shards().await?;
    let ShardReport { is_of_cluster, databases, shards, processes } = &report;
    Ok(v1::GetShardMapResponse {
        cluster: *is_of_cluster,
        databases: (0..)
            .zip(databases)
            .map(|(index, database)| database_shown(index, database, shards))
            .collect(),
        shards: shards.iter().map(|shard| shard_shown(shard, databases)).collect(),
        processes: processes.iter().map(process_shown).collect(),
    })
}

fn database_shown(index: usize, database: &SeenDatabase, shards: &[SeenShard]) -> v1::ShardDatabase {
    let SeenDatabase { name, answered_in, behind } = database;
    let genes = shards.iter().filter(|shard| shard.database == index).count();
    v1::ShardDatabase {
        name: name.clone(),
        answer_time: answered_in
            .as_ref()
            .map_or_else(MessageField::none, |took| MessageField::some(exact(*took))),
        behind: *behind,
        genes: u32::try_from(genes).ok(),
    }
}

fn shard_shown(shard: &SeenShard, databases: &[SeenDatabase]) -> v1::Shard {
    let SeenShard { gene, database, epoch, state, events } = *shard;
    let state = match state {
        Some(SeenState::Open) => v1::shard::State::OPEN,
        Some(SeenState::Moving) => v1::shard::State::MOVING,
        None => v1::shard::State::STATE_UNSPECIFIED,
    };
    v1::Shard {
        gene: Some(u32::from(gene.0)),
        database: databases.get(database).map_or_else(String::new, |database| database.name.clone()),
        epoch,
        state: EnumValue::from(state),
        events,
    }
}

fn process_shown(process: &SeenProcess) -> v1::ShardProcess {
    let SeenProcess { number, program, roles, clock_ahead_ms, host, pid } = process;
    v1::ShardProcess {
        number: *number,
        version: program.clone(),
        roles: roles.clone(),
        clock_ahead_ms: *clock_ahead_ms,
        host: host.clone(),
        pid: *pid,
    }
}

/// A time that may be below a millisecond.
fn exact(time: Duration) -> protobuf::Duration {
    protobuf::Duration {
        seconds: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        nanos: time.subsec_nanos().cast_signed(),
        ..Default::default()
    }
}

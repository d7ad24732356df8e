//! A bare call: what the RPC stack costs when there is nothing to do.
//!
//! A server of the same stack (connectrpc on its own accept loop) answers BatchGetRelations with as many relations
//! as it is asked for, of which as many carry times as in the real answers, so that request and response have the
//! size of the real ones. It looks nothing up, checks nothing, and counts nothing.

use super::Server;
use crate::calls::{Answer, Workload};
use crate::run::Place;
use crate::wire::guanxi::Guanxi;
use connectrpc::{Response, Router, view_handler_fn};
use guanxi_proto::v1::{BatchGetRelationsRequestView, BatchGetRelationsResponse, Relation};
use guanxi_servers::{Process, free_address};
use rustix::process::Signal;
use std::net::SocketAddr;
use std::process::Command;

/// What the report calls it.
pub(crate) const NAME: &str = "bare call";

/// What an answer looks like.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Shape {
    /// Relations that carry the time of a follow.
    #[arg(long)]
    follow_times: usize,
    /// Relations that carry the time of a friendship.
    #[arg(long)]
    friend_times: usize,
    /// Bytes of the answer's token.
    #[arg(long)]
    token_bytes: usize,
}

impl Shape {
    /// The shape of the mean answer to a workload of relation checks.
    pub(crate) fn of(workload: &Workload, token_bytes: usize) -> Self {
        let mean = |wanted: fn(u8) -> bool| {
            let states = workload.answers.iter().flat_map(|answer| match answer {
                Answer::Relations(states) => states.as_slice(),
                _ => &[],
            });
            let found = states.filter(|&&state| wanted(state)).count();
            (found as f64 / workload.answers.len().max(1) as f64).round() as usize
        };
        Self {
            follow_times: mean(|state| state & 2 != 0),
            friend_times: mean(|state| state == 3),
            token_bytes,
        }
    }
}

/// Starts the server as a process of its own.
pub(crate) fn start(place: &Place, shape: Shape) -> Result<Server, String> {
    let binary = std::env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
    let address = free_address()?;
    let mut command = Command::new(binary);
    command.args(["bare-server", "--listen", &address.to_string()]);
    command.args(["--follow-times", &shape.follow_times.to_string()]);
    command.args(["--friend-times", &shape.friend_times.to_string()]);
    command.args(["--token-bytes", &shape.token_bytes.to_string()]);
    let mut process = Process::start(&command, place.is_pinned, &place.log("bare"), Signal::KILL)?;
    process.wait_listening(address)?;
    Ok(Server {
        name: NAME,
        version: "connectrpc".to_owned(),
        settings: vec![format!("{shape:?}")],
        address,
        protocol: Box::new(Guanxi::default()),
        process,
        beside: None,
    })
}

/// Serves until the process is killed.
pub(crate) fn serve(address: SocketAddr, shape: Shape) -> Result<(), String> {
    // The same kind of runtime as the real server: as many threads as it may use cores.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let handler = view_handler_fn(
        move |_context, request: buffa::OwnedView<BatchGetRelationsRequestView<'static>>, format| async move {
            let answer = answer(request.reborrow(), shape);
            Response::new(answer).encode::<BatchGetRelationsResponse>(format)
        },
    );
    let router =
        Router::new().route_view_idempotent("guanxi.v1.RelationService", "BatchGetRelations", handler);
    runtime.block_on(async {
        let server = connectrpc::Server::bind(address).await.map_err(|error| error.to_string())?;
        server.serve(router).await.map_err(|error| error.to_string())
    })
}

fn answer(request: &BatchGetRelationsRequestView<'_>, shape: Shape) -> BatchGetRelationsResponse {
    let time = || buffa_types::google::protobuf::Timestamp {
        seconds: 1_700_000_000,
        nanos: 1_000,
        ..Default::default()
    };
    let relation = |(place, uid): (usize, &u64)| Relation {
        uid: *uid,
        state: if place < shape.friend_times { 4 } else { 1 }.into(),
        follow_time: (place < shape.follow_times).then(time).into(),
        friend_time: (place < shape.friend_times).then(time).into(),
        ..Default::default()
    };
    let relations = request.objects.iter().enumerate().map(relation).collect();
    BatchGetRelationsResponse { relations, token: "t".repeat(shape.token_bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Operation;
    use guanxi_load::graph::{FollowGraph, Index};

    #[test]
    fn the_shape_is_that_of_the_mean_answer() {
        let graph = FollowGraph::generate(2_000, 1);
        let workload = Workload::draw(&graph, &Index::of(&graph), Operation::Check, 1, 200);
        let shape = Shape::of(&workload, 30);
        assert!((2..=10).contains(&shape.follow_times), "{shape:?}");
        assert!(shape.friend_times <= shape.follow_times);
    }
}

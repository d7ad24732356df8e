//! The fast way into an empty directory.

use super::directory::{explain, options};
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use guanxi_embedded::{BulkEdge, BulkError, BulkLimits, BulkReport, load};
use guanxi_model::{Clock as _, ImportEdge, Stamp};
use guanxi_ports::Progress;
use std::io;
use std::path::Path;

/// The result of a load, without the rows that its caller refused before.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Edges that are in the store now.
    pub accepted: u64,
    /// Edges that an earlier one of the list had made.
    pub already_there: u64,
    /// All refused edges by reason.
    pub refused_counts: Vec<(&'static str, u64)>,
    /// The first refused edges by line, with their reasons.
    pub refused: Vec<(u64, &'static str)>,
}

/// Returns whether a directory can be loaded: it is new, empty, or left by an interrupted load.
pub fn loadable(dir: &Path) -> bool {
    guanxi_embedded::loadable(dir)
}

/// Loads edges with their lines into an empty directory, and returns when they are on the disk. Blocks. After a
/// failure the directory does not open, and loading again starts over.
pub fn bulk_load(
    dir: &Path,
    settings: &Settings,
    edges: impl Iterator<Item = io::Result<(u64, ImportEdge)>>,
    progress: &mut dyn FnMut(Progress),
) -> Outcome<Loaded> {
    let options = options(settings)?;
    let now = Stamp::from_ms(SystemClock.now_ms());
    let edges = edges.map(|edge| {
        edge.map(|(line, ImportEdge { subject, object, at, .. })| BulkEdge { line, subject, object, at })
    });
    match load(dir, &options, now, edges, None, BulkLimits::default(), progress) {
        Ok(report) => Ok(Loaded::of(&report)),
        Err(BulkError::Open(error)) => Err(explain(error, dir)),
        Err(error) => Err(Failure::from(error).hint("run the same command again to start over")),
    }
}

impl Loaded {
    fn of(report: &BulkReport) -> Self {
        let self_relation = guanxi_model::Reason::SelfRelation.name();
        let time_out_of_range = guanxi_model::Reason::TimeOutOfRange.name();
        let limit_reached = guanxi_model::Reason::LimitReached { limit: 0 }.name();
        Self {
            accepted: report.accepted,
            already_there: report.already_there,
            refused_counts: vec![
                (self_relation, report.self_refused),
                (time_out_of_range, report.ahead_refused),
                (limit_reached, report.over_limit),
            ],
            refused: report.refused.iter().map(|edge| (edge.line, edge.reason.name())).collect(),
        }
    }
}

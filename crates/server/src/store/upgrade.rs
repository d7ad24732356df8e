//! The effect that a start of this program would have on data that another version may have written. Nothing is changed.

use super::layout::databases;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use guanxi_cluster::{TABLES_FIRST, TABLES_SERVED, TABLES_VERSION, TablesFound, TablesStart};
use guanxi_embedded::{FORMATS_READ, OpenError};
use std::ops::RangeInclusive;
use std::path::Path;

/// The kind of data, whose versions are counted by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// A data directory; its version is a format.
    Directory,
    /// The databases of a cluster; their version is that of the tables.
    Cluster,
}

/// The effect of a start on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartEffect {
    /// The data is served as it is.
    None,
    /// The data is brought up to this program's version: a directory by the start itself, a cluster by `guanxi cluster init`
    /// before it.
    Upgrade,
    /// The start is refused. The text says why, and what to do.
    Refused(String),
}

/// A directory or a database, and the effect of a start on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFound {
    /// The path of the directory, or the name of the database.
    pub name: String,
    /// Its version, if it can be read.
    pub version: Option<u32>,
    /// The effect of a start.
    pub effect: StartEffect,
}

/// The effect that a start of this program would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartReport {
    /// The kind of data.
    pub kind: DataKind,
    /// The versions that this program serves as they are or brings up.
    pub reads: RangeInclusive<u32>,
    /// The version that it writes.
    pub writes: u32,
    /// The directory, or each database.
    pub found: Vec<DataFound>,
    /// What else an operator should know, one sentence each.
    pub notes: Vec<String>,
}

/// Returns the effect that serving a data directory would have. A server may have it open.
///
/// # Errors
/// When there is no data in it, or it cannot be read.
pub fn start_of_directory(dir: &Path) -> Outcome<StartReport> {
    let (version, effect) = match guanxi_embedded::format_of(dir) {
        Ok(found) if found == *FORMATS_READ.end() => (Some(found), StartEffect::None),
        Ok(found) => (Some(found), StartEffect::Upgrade),
        Err(error @ (OpenError::Missing(_) | OpenError::Foreign(_) | OpenError::Io { .. })) => {
            return Err(Failure::from(error));
        }
        Err(error) => {
            let found = match error {
                OpenError::Newer { found, .. } | OpenError::Older { found, .. } => Some(found),
                _ => None,
            };
            (found, StartEffect::Refused(error.to_string()))
        }
    };
    Ok(StartReport {
        kind: DataKind::Directory,
        reads: FORMATS_READ,
        writes: *FORMATS_READ.end(),
        found: vec![DataFound { name: dir.display().to_string(), version, effect }],
        notes: Vec::new(),
    })
}

/// Returns the effect that serving the databases of the settings would have.
///
/// # Errors
/// When the list of databases is none.
pub async fn start_of_cluster(settings: &Settings) -> Outcome<StartReport> {
    let report = guanxi_cluster::tables(&databases(settings)?).await;
    let processes = report.processes.iter().map(|process| format!("{process} serves the cluster"));
    let mut notes: Vec<String> = processes.collect();
    notes.extend(report.left_behind.iter().cloned());
    if !report.unseen.is_empty() {
        let unseen = report.unseen.join(", ");
        notes.push(format!(
            "the cluster is also on {unseen}, which `databases` does not name and which was not checked"
        ));
    }
    let found = |TablesFound { database, version, start }| DataFound {
        name: database,
        version: version.map(i32::unsigned_abs),
        effect: match start {
            TablesStart::Serves => StartEffect::None,
            TablesStart::AfterInit => StartEffect::Upgrade,
            TablesStart::Refuses(problem) => StartEffect::Refused(problem),
        },
    };
    Ok(StartReport {
        kind: DataKind::Cluster,
        reads: TABLES_FIRST.unsigned_abs()..=TABLES_SERVED.end().unsigned_abs(),
        writes: TABLES_VERSION.unsigned_abs(),
        found: report.databases.into_iter().map(found).collect(),
        notes,
    })
}

//! `guanxi serve`: the server.

use crate::config::{SettingFlags, Settings};
use crate::failure::{Failure, Outcome};
use crate::telemetry;
use crate::wire::{self, Local};
use clap::Args;
use std::path::PathBuf;

/// Serves a data directory until it is interrupted. The first start writes an admin token into the directory and
/// says where.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The data directory; made if it is new
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

impl Serve {
    /// Serves.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say what to serve: --data DIR"))?;
        telemetry::install_logs(&settings.log_level, settings.log_format)?;
        let metrics = telemetry::install_metrics()?;
        let local = Local::open(dir, settings)?;
        wire::serve(local, dir, settings, metrics, async |_| Ok(())).await
    }
}

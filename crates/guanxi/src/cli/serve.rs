//! `guanxi serve`: the server.

use clap::Args;
use guanxi_server::config::{ProcessRole, SettingFlags, Settings};
use guanxi_server::telemetry;
use guanxi_server::{Cluster, Context as _, Directory, Failure, OpenStore, Outcome};
use std::fs;
use std::path::PathBuf;

/// Serves a data directory until it is interrupted. If the settings name `databases`, it serves a cluster, beside any number of
/// other processes. The first start writes an admin token into the directory and prints its place.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The data directory. It is made if it does not exist. For a process of a cluster it has the first admin token, and the addresses of its listeners
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

impl Serve {
    /// Serves.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say what to serve: --data DIR"))?;
        if settings.databases.is_empty() && !ProcessRole::ALL.iter().all(|role| settings.has_role(*role)) {
            return Err(Failure::usage(
                "a data directory is served by one process in all roles: leave `roles` out, or name the `databases` of a \
                 cluster in the --config file",
            ));
        }
        if settings.databases.is_empty() && settings.index_dir.is_some() {
            return Err(Failure::usage(
                "a data directory has its indexes of search in `search/`: leave `index_dir` out, or name the `databases` of \
                 a cluster in the --config file",
            ));
        }
        telemetry::install_logs(&settings.log_level, settings.log_format)?;
        let metrics = telemetry::install_metrics()?;
        let opened = if settings.databases.is_empty() {
            OpenStore::Directory(Directory::open(dir, settings)?)
        } else {
            fs::create_dir_all(dir).context(format_args!("cannot make {}", dir.display()))?;
            OpenStore::Cluster(Cluster::open(settings).await?)
        };
        guanxi_server::serve(opened, dir, settings, metrics, None, async |_| Ok(())).await
    }
}

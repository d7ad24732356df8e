//! What a verb works on: a data directory, or a running server.

use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::wire::{self, Local};
use clap::Args;
use guanxi_api::remote::Remote;
use guanxi_ports::Graph;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a verb finds the graph.
#[derive(Clone, Debug, Args)]
pub struct TargetArgs {
    /// A data directory that no server has open
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub data: Option<PathBuf>,
    /// A running server, by the URL of its admin listener, such as http://127.0.0.1:7421
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// A file with the token for --server [default: GUANXI_TOKEN, or admin-token of a configured data directory]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
}

/// What a verb works on.
pub enum Target {
    /// An opened data directory.
    Data(Local),
    /// A server.
    Server(Arc<Remote>),
}

impl TargetArgs {
    /// Opens the directory, or makes ready to call the server.
    pub async fn open(&self, settings: &Settings) -> Outcome<Target> {
        if let Some(url) = &self.server {
            let remote = wire::connect(url, self.token(settings)?).await?;
            return Ok(Target::Server(Arc::new(remote)));
        }
        let dir = data_dir(settings)?;
        if is_missing(dir) {
            return Err(Failure::new(format_args!(
                "there is no graph in {}; check the path (`guanxi serve` and `guanxi import` make a new one)",
                dir.display()
            )));
        }
        Ok(Target::Data(Local::open(dir, settings)?))
    }

    /// The token to send, if there is one: a `--no-auth` server wants none.
    fn token(&self, settings: &Settings) -> Outcome<Option<String>> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map(|text| Some(text.trim().to_owned())).map_err(|error| {
                Failure::new(format_args!("cannot read the token in {}: {error}", path.display()))
            })
        };
        if let Some(path) = &self.token_file {
            return read(path);
        }
        if settings.token.is_some() {
            return Ok(settings.token.clone());
        }
        match settings.data.as_ref().map(|dir| dir.join(wire::ADMIN_TOKEN_FILE)) {
            Some(path) if path.exists() => read(&path),
            _ => Ok(None),
        }
    }
}

impl Target {
    /// The graph.
    pub fn graph(&self) -> Arc<dyn Graph> {
        match self {
            Self::Data(local) => local.graph(),
            Self::Server(remote) => remote.clone(),
        }
    }

    /// Closes a directory.
    pub async fn close(&self) -> Outcome {
        match self {
            Self::Data(local) => local.close().await,
            Self::Server(_) => Ok(()),
        }
    }
}

/// Whether a directory does not exist or is empty. Opening it would make a new graph, which nobody means who asks
/// for what is in it.
fn is_missing(dir: &Path) -> bool {
    match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// The directory that is meant when no server is.
pub fn data_dir(settings: &Settings) -> Outcome<&Path> {
    settings.data.as_deref().ok_or_else(|| {
        Failure::usage("say where the graph is: --data DIR, or --server URL of an admin listener")
    })
}

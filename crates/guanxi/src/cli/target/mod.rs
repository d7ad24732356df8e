//! The target of a verb: a data directory, or a running server.

use super::complain;
use crate::remote::{self, TlsOptions};
use clap::Args;
use guanxi_api::Client;
use guanxi_api::admin_client::OperatorClient;
use guanxi_model::Result;
use guanxi_server::config::Settings;
use guanxi_server::{Cluster, Context, Directory, Endpoints, Failure, OpenStore, Outcome, StorePorts};
use std::io;
use std::path::{Path, PathBuf};

/// Where a verb finds the graph.
#[derive(Clone, Debug, Args)]
pub(super) struct TargetArgs {
    /// A data directory that no server has open
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub data: Option<PathBuf>,
    /// A running server, by the URL of its admin listener, such as http://127.0.0.1:7421 or https://guanxi.example:7421
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// A file with the token for --server [default: GUANXI_TOKEN, or admin-token of a configured data directory]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
    /// A file with the CAs to trust at an https:// server [default: those that this machine trusts]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub ca: Option<PathBuf>,
    /// A client certificate, for a server that requires one
    #[arg(long, value_name = "FILE", requires = "server", requires = "client_key")]
    pub client_cert: Option<PathBuf>,
    /// The key of --client-cert
    #[arg(long, value_name = "FILE", requires = "client_cert")]
    pub client_key: Option<PathBuf>,
}

/// The target of a verb: a server, or an opened data directory or the databases of a cluster, which this process asks in the same
/// way.
pub(super) struct Target {
    /// The calls of operators.
    pub operator: OperatorClient,
    /// Whether a server answers them.
    pub is_server: bool,
}

impl Target {
    /// Returns the calls of a server. Without one, `why` is the failure, since only a server does what is asked.
    pub(super) fn server(&self, why: &str) -> Outcome<&OperatorClient> {
        if self.is_server { Ok(&self.operator) } else { Err(Failure::usage(why)) }
    }

    /// Adds which task of this process failed. A server says so itself.
    pub(super) fn task<T>(&self, done: Result<T>, what: &str) -> Outcome<T> {
        if self.is_server { Ok(done?) } else { done.context(what) }
    }
}

impl TargetArgs {
    /// Opens the target, does something with it, and closes it even if that fails.
    pub(super) async fn with<T>(
        &self,
        settings: &Settings,
        work: impl AsyncFnOnce(&Target) -> Outcome<T>,
    ) -> Outcome<T> {
        self.check_present(settings)?;
        self.with_new(settings, work).await
    }

    /// As [`Self::with`], for work that only reads: also in a directory that cannot be written.
    pub(super) async fn with_reading<T>(
        &self,
        settings: &Settings,
        work: impl AsyncFnOnce(&Target) -> Outcome<T>,
    ) -> Outcome<T> {
        self.check_present(settings)?;
        if self.server.is_some() || self.is_cluster(settings)? {
            return self.with_new(settings, work).await;
        }
        let dir = data_dir(settings)?;
        let local = Directory::open_to_read(dir, settings)?;
        if let Some(copies) = local.mirrored() {
            complain(format_args!(
                "{} cannot be written; its journals are copied to {} to be read",
                dir.display(),
                copies.display()
            ));
        }
        on_store(local, work).await
    }

    /// As [`Self::with`], and makes a directory that does not exist.
    pub(super) async fn with_new<T>(
        &self,
        settings: &Settings,
        work: impl AsyncFnOnce(&Target) -> Outcome<T>,
    ) -> Outcome<T> {
        if let Some(url) = &self.server {
            let server = remote::connect(url, self.token(settings)?, &self.tls(settings)).await?;
            return work(&Target { operator: server, is_server: true }).await;
        }
        if self.is_cluster(settings)? {
            let cluster = Cluster::open_to_work(settings).await?;
            return on_store(cluster, work).await;
        }
        on_store(Directory::open(data_dir(settings)?, settings)?, work).await
    }

    /// Returns whether a cluster is meant: by its databases, and not through a server.
    ///
    /// # Errors
    /// When a directory is named, too: that of a process of the cluster has no graph.
    pub(super) fn is_cluster(&self, settings: &Settings) -> Outcome<bool> {
        if self.server.is_some() || settings.databases.is_empty() {
            return Ok(false);
        }
        if self.data.is_some() {
            return Err(Failure::usage(
                "the settings name the `databases` of a cluster: leave --data out to work on it, or use a configuration without",
            ));
        }
        Ok(true)
    }

    /// Returns a client of the server: of the listener at its URL, or of the listener of a method at the server that has the
    /// directory open.
    pub(super) fn client(&self, settings: &Settings, admin: bool) -> Outcome<Client> {
        remote::client(&self.url(settings, admin)?, self.token(settings)?, &self.tls(settings))
    }

    /// Returns the address of the listener that [`Self::client`] calls.
    pub(super) fn url(&self, settings: &Settings, admin: bool) -> Outcome<String> {
        if let Some(url) = &self.server {
            return Ok(url.clone());
        }
        let dir = data_dir(settings)?;
        let endpoints = Endpoints::read(dir).ok_or_else(|| {
            let dir = dir.display();
            Failure::new(format_args!("no server has {dir} open; start one, or say which with --server URL"))
        })?;
        Ok(if admin { endpoints.admin_url() } else { endpoints.api_url() })
    }

    fn check_present(&self, settings: &Settings) -> Outcome {
        if self.server.is_some() || self.is_cluster(settings)? || !is_missing(data_dir(settings)?) {
            return Ok(());
        }
        Err(Failure::new(format_args!(
            "there is no graph in {}; check the path (`guanxi serve` and `guanxi import` make a new one)",
            data_dir(settings)?.display()
        )))
    }

    /// Returns the certificates to trust and to show: those of the flags, else those of the settings.
    fn tls(&self, settings: &Settings) -> TlsOptions {
        let own = self.client_cert.clone().zip(self.client_key.clone());
        let identity = own.or_else(|| settings.client_cert.clone().zip(settings.client_key.clone()));
        TlsOptions { ca: self.ca.clone().or_else(|| settings.ca.clone()), identity }
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
        match settings.data.as_ref().map(|dir| dir.join(guanxi_server::ADMIN_TOKEN_FILE)) {
            Some(path) if path.exists() => read(&path),
            _ => Ok(None),
        }
    }
}

/// Does something with an open store, and closes it even if that fails.
async fn on_store<T>(
    store: impl Into<OpenStore>,
    work: impl AsyncFnOnce(&Target) -> Outcome<T>,
) -> Outcome<T> {
    let store = store.into();
    let done = on_ports(store.ports(), work).await;
    store.close().await?;
    done
}

/// Does something by the ports of an open store.
async fn on_ports<T>(ports: &StorePorts, work: impl AsyncFnOnce(&Target) -> Outcome<T>) -> Outcome<T> {
    let feed = ports.centers().feed;
    feed.start().await?;
    let operator = OperatorClient::in_process(ports.operator(&feed));
    work(&Target { operator, is_server: false }).await
}

/// Returns whether a directory does not exist or is empty. Opening it would make a new graph, which a caller that wants to
/// read its content does not intend.
fn is_missing(dir: &Path) -> bool {
    match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// The directory that is meant when no server is.
pub(super) fn data_dir(settings: &Settings) -> Outcome<&Path> {
    settings.data.as_deref().ok_or_else(|| {
        Failure::usage(
            "say where the graph is: --data DIR, --server URL of an admin listener, or --config FILE with the `databases` of a \
             cluster",
        )
    })
}

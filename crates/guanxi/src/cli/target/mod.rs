//! The target of a verb: a data directory, or a running server.

mod audit;
mod exports;
mod takedowns;

use super::complain;
use crate::remote::{self, TlsOptions};
use clap::Args;
use guanxi_api::Client;
use guanxi_api::admin_client::OperatorClient;
use guanxi_centers::feed::{FanoutStatus, FeedReport, PostFanout};
use guanxi_centers::operator::{HomesAsked, OperatorCenter, SearchProofStep};
use guanxi_lists::output::Output;
use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::post::{ImportLike, ImportPost};
use guanxi_model::user::ImportUser;
use guanxi_model::{
    Credential, ExternalId, FanoutPolicy, ImportCursor, ImportEdge, ImportRequest, Position, PostId,
    Principal, Reason, RestrictionKind, Result, Uid,
};
use guanxi_ports::{FollowLimit, Progress, VerifyReport};
use guanxi_server::config::Settings;
use guanxi_server::{Cluster, Context, Directory, Endpoints, Failure, OpenStore, Outcome, StorePorts};
use std::io;
use std::num::NonZeroU32;
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

/// The target of a verb.
pub(super) enum Target {
    /// An opened data directory, or a cluster by its databases.
    Data(Box<OperatorCenter>),
    /// A server.
    Server(OperatorClient),
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
            return work(&Target::Server(server)).await;
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
        let url = if let Some(url) = &self.server {
            url.clone()
        } else {
            let dir = data_dir(settings)?;
            let endpoints = Endpoints::read(dir).ok_or_else(|| {
                let dir = dir.display();
                Failure::new(format_args!(
                    "no server has {dir} open; start one, or say which with --server URL"
                ))
            })?;
            if admin { endpoints.admin_url() } else { endpoints.api_url() }
        };
        remote::client(&url, self.token(settings)?, &self.tls(settings))
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
    work(&Target::Data(Box::new(ports.operator(&feed)))).await
}

/// The calls that a directory and a server answer alike. The same verb on either is one call here, and does the same: a
/// server asks its own operator center.
impl Target {
    /// Writes follows with given times in one commit, and returns the result of each.
    pub(super) async fn import_edges(
        &self,
        edges: Vec<ImportEdge>,
        revive: bool,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let outcomes = match self {
            Self::Data(operator) => {
                operator.import_edges(edges.into_iter().map(Ok), revive, cursor).await?.outcomes
            }
            Self::Server(server) => server.import_edges(None, &edges, revive, cursor).await?.pairs(),
        };
        Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
    }

    /// Writes blocks or mutes with given times in one commit, and returns the result of each.
    pub(super) async fn import_restrictions(
        &self,
        kind: RestrictionKind,
        restrictions: Vec<ImportEdge>,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let outcomes = match self {
            Self::Data(operator) => {
                operator.import_restrictions(kind, restrictions.into_iter().map(Ok), cursor).await?.outcomes
            }
            Self::Server(server) => {
                server.import_edges(Some(kind), &restrictions, false, cursor).await?.pairs()
            }
        };
        Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
    }

    /// Writes posts with given times in one commit, and returns the result of each.
    pub(super) async fn import_posts(
        &self,
        posts: Vec<ImportPost>,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let outcomes = match self {
            Self::Data(operator) => operator.import_posts(posts.into_iter().map(Ok), cursor).await?.outcomes,
            Self::Server(server) => server.import_posts(&posts, cursor).await?.posts(),
        };
        Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
    }

    /// Writes likes with given times in one commit, and returns the result of each.
    pub(super) async fn import_likes(
        &self,
        likes: Vec<ImportLike>,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let outcomes = match self {
            Self::Data(operator) => operator.import_likes(likes.into_iter().map(Ok), cursor).await?.outcomes,
            Self::Server(server) => server.import_likes(likes, cursor).await?.posts(),
        };
        Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
    }

    /// The uids of ids from elsewhere that a list names, which are made where there are none: but for those of users who are
    /// erased.
    pub(super) async fn uids_of_list(&self, ids: &[ExternalId]) -> Result<Vec<Option<Uid>>> {
        let mut uids = Vec::with_capacity(ids.len());
        for ids in ids.chunks(RESOLVE_IDS_MAX as usize) {
            match self {
                Self::Data(operator) => {
                    let found = operator.external_ids().resolve_list(ids, &[], None).await?;
                    uids.extend(found.uids.into_iter().map(|known| known.uid));
                }
                Self::Server(server) => uids.extend(server.uids_of_list(ids).await?),
            }
        }
        Ok(uids)
    }

    /// The ids that users have elsewhere.
    pub(super) async fn external_ids(&self, uids: &[Uid]) -> Result<Vec<Option<ExternalId>>> {
        match self {
            Self::Data(operator) => operator.external_ids().of_users(uids).await,
            Self::Server(server) => server.external_ids(uids).await,
        }
    }

    /// Imports users from elsewhere in one commit, and returns the result of each.
    pub(super) async fn import_users(
        &self,
        users: Vec<ImportUser>,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        match self {
            Self::Data(operator) => {
                let outcomes = operator.import_users(users.into_iter().map(Ok), cursor).await?.outcomes;
                Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
            }
            Self::Server(server) => server.import_users(&users, cursor).await,
        }
    }

    /// Sends again requests that wait elsewhere, in one commit, and returns the result of each.
    pub(super) async fn import_requests(
        &self,
        requests: Vec<ImportRequest>,
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        match self {
            Self::Data(operator) => {
                let outcomes = operator.import_requests(requests.into_iter().map(Ok), cursor).await?.outcomes;
                Ok(outcomes.into_iter().map(|outcome| outcome.result).collect())
            }
            Self::Server(server) => server.import_requests(&requests, cursor).await,
        }
    }

    /// Where an import job stands; `None` for one that never began.
    pub(super) async fn import_position(&self, job: &str) -> Result<Option<u64>> {
        match self {
            Self::Data(operator) => operator.import_position(job).await,
            Self::Server(server) => server.import_position(job).await,
        }
    }

    /// Sets a user's own follow limit; `None` is that of all users.
    pub(super) async fn set_follow_limit(&self, uid: Uid, limit: Option<u32>) -> Result<Position> {
        match self {
            Self::Data(operator) => operator.set_follow_limit(uid, limit).await,
            Self::Server(server) => server.set_follow_limit(uid, limit).await,
        }
    }

    /// The follow limit of a user.
    pub(super) async fn follow_limit(&self, uid: Uid, at_least: Option<Position>) -> Result<FollowLimit> {
        match self {
            Self::Data(operator) => Ok(operator.follow_limit(uid, at_least).await?.0),
            Self::Server(server) => server.follow_limit(uid, at_least.as_ref()).await,
        }
    }

    /// How home timelines are pushed.
    pub(super) async fn fanout_policy(&self) -> Result<FanoutPolicy> {
        match self {
            Self::Data(operator) => operator.fanout_policy().await,
            Self::Server(server) => server.fanout_policy().await,
        }
    }

    /// Sets how home timelines are pushed.
    pub(super) async fn put_fanout_policy(&self, policy: FanoutPolicy) -> Result<Position> {
        match self {
            Self::Data(operator) => operator.put_fanout_policy(policy).await,
            Self::Server(server) => server.set_fanout_policy(&policy).await,
        }
    }

    /// Compares all tables at one snapshot.
    pub(super) async fn verify(
        &self,
        mut progress: impl FnMut(Progress) + Send + 'static,
    ) -> Outcome<VerifyReport> {
        match self {
            Self::Data(operator) => {
                let task = operator.long_task()?;
                let report = tokio::task::spawn_blocking(move || task.verify(&mut progress)).await?;
                report.context("cannot verify")
            }
            Self::Server(server) => Ok(server.verify(&mut progress).await?),
        }
    }

    /// Writes a dump, and gives the output back to be finished.
    pub(super) async fn dump(
        &self,
        mut output: Output,
        mut progress: impl FnMut(Progress) + Send + 'static,
    ) -> Outcome<(Output, Position)> {
        match self {
            Self::Data(operator) => {
                let task = operator.long_task()?;
                let dump = move || task.backup(&mut output, &mut progress).map(|position| (output, position));
                tokio::task::spawn_blocking(dump).await?.context("cannot back up")
            }
            Self::Server(server) => {
                let position = server.backup(&mut output, &mut progress).await?;
                Ok((output, position))
            }
        }
    }

    /// Compares homes with their definition: those of `viewers`, or without any those of `sample` users picked at
    /// random.
    pub(super) async fn verify_feed(
        &self,
        viewers: &[Uid],
        sample: u32,
        each: &mut (dyn FnMut(FeedReport, Progress) + Send),
    ) -> Outcome {
        match self {
            Self::Data(operator) => {
                let asked = HomesAsked { viewers: viewers.to_vec(), sample, max_items: 0 };
                let mut proof = operator.long_task()?.homes(asked).await?;
                while let Some((report, progress)) = proof.next().await? {
                    each(report, progress);
                }
                Ok(())
            }
            Self::Server(server) => Ok(server.verify_feed(viewers, sample, each).await?),
        }
    }

    /// Compares the search indexes of a server with the facts.
    pub(super) async fn verify_search(&self, each: &mut (dyn FnMut(SearchProofStep) + Send)) -> Outcome {
        match self {
            Self::Data(_) => {
                Err(Failure::usage("a server keeps search indexes: say which with --server URL"))
            }
            Self::Server(server) => Ok(server.verify_search(each).await?),
        }
    }

    /// Returns the state of the fan-out, and of a post's fan-out.
    pub(super) async fn fanout_status(
        &self,
        post: Option<PostId>,
    ) -> Outcome<(FanoutStatus, Option<PostFanout>)> {
        match self {
            Self::Data(_) => Err(Failure::usage("the fan-out runs in a server: say which with --server URL")),
            Self::Server(server) => Ok(server.fanout_status(post).await?),
        }
    }

    /// Makes a token; answers its secret.
    pub(super) async fn create_token(
        &self,
        name: &str,
        principal: &Principal,
        rate: Option<NonZeroU32>,
    ) -> Outcome<String> {
        match self {
            Self::Data(operator) => Ok(operator.create_token(name, principal.clone(), rate).await?),
            Self::Server(server) => Ok(server.create_token(name, principal, rate).await?),
        }
    }

    /// All tokens.
    pub(super) async fn list_tokens(&self) -> Outcome<Vec<Credential>> {
        match self {
            Self::Data(operator) => Ok(operator.tokens().await?),
            Self::Server(server) => Ok(server.list_tokens().await?),
        }
    }

    /// Revokes a token; whether there was one of this name.
    pub(super) async fn revoke_token(&self, name: &str) -> Outcome<bool> {
        match self {
            Self::Data(operator) => Ok(operator.revoke_token(name).await?),
            Self::Server(server) => Ok(server.revoke_token(name).await?),
        }
    }
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

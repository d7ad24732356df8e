//! The rows that exports read of a directory or a server.

use super::Target;
use guanxi_api::ExportLine;
use guanxi_centers::operator::{Export, ListedRows, PostsPlace};
use guanxi_model::post::ImportPost;
use guanxi_model::user::ImportUser;
use guanxi_model::{ImportRequest, RestrictionKind, Uid};
use guanxi_ports::{ExportEdge, ExportLike};
use guanxi_server::Outcome;
use std::io;

/// Edges, likes, requests or erased users read at once by an export; at most as many as one answer of the API holds.
const EXPORT_CHUNK: usize = 10_000;
/// Users read at once by an export: 24 MB of the longest.
const EXPORT_USERS_CHUNK: usize = 1_000;

/// Takes a chunk of users who are erased, with the time of each.
type EachErased<'a> = dyn FnMut(&[(Uid, u64)]) -> io::Result<()> + Send + 'a;

/// Hands on all rows of an export, at most `max` at once. Returns how many were left out.
async fn read<R: ListedRows>(
    mut export: Export<R>,
    max: usize,
    each: &mut (dyn FnMut(&[R::Row]) -> io::Result<()> + Send),
) -> Outcome<u64> {
    let mut left_out = 0;
    while let Some(rows) = export.next(max).await? {
        each(&rows)?;
        left_out += export.left_out();
    }
    Ok(left_out)
}

impl Target {
    /// Hands on all follows, or restrictions of a kind, in the order of subject and object. Answers how many were left out, since
    /// they name users who are deleted.
    pub(in crate::cli) async fn export(
        &self,
        kind: Option<RestrictionKind>,
        each: &mut (dyn FnMut(&[ExportEdge]) -> io::Result<()> + Send),
    ) -> Outcome<u64> {
        match self {
            Self::Data(operator) => {
                read(operator.export(kind, None, u64::MAX, None).await?, EXPORT_CHUNK, each).await
            }
            Self::Server(server) => Ok(server.export_edges(kind, None, None, None, each).await?.left_out),
        }
    }

    /// Hands on all posts, each after what it refers to. Answers how many were left out, since they name users who are deleted
    /// or hang on what such users wrote.
    pub(in crate::cli) async fn export_posts(
        &self,
        each: &mut (dyn FnMut(&[ImportPost]) -> io::Result<()> + Send),
    ) -> Outcome<u64> {
        match self {
            Self::Data(operator) => {
                read(operator.export_posts(PostsPlace::default(), u64::MAX, None).await?, EXPORT_CHUNK, each)
                    .await
            }
            Self::Server(server) => Ok(server.export_posts(None, each).await?.left_out),
        }
    }

    /// Hands on all likes, in the order of post and user. Answers how many were left out.
    pub(in crate::cli) async fn export_likes(
        &self,
        each: &mut (dyn FnMut(&[ExportLike]) -> io::Result<()> + Send),
    ) -> Outcome<u64> {
        match self {
            Self::Data(operator) => {
                read(operator.export_likes(None, u64::MAX, None).await?, EXPORT_CHUNK, each).await
            }
            Self::Server(server) => Ok(server.export_likes(None, None, None, each).await?.left_out),
        }
    }

    /// Hands on all users of whom anything is kept, in the order of uids. Answers how many were left out, since they are deleted.
    pub(in crate::cli) async fn export_users(
        &self,
        each: &mut (dyn FnMut(&[ImportUser]) -> io::Result<()> + Send),
    ) -> Outcome<u64> {
        match self {
            Self::Data(operator) => {
                read(operator.export_users(None, None).await?, EXPORT_USERS_CHUNK, each).await
            }
            Self::Server(server) => Ok(server.export_users(None, None, each).await?.left_out),
        }
    }

    /// Hands on all requests that wait. Answers how many were left out, since they name users who are deleted.
    pub(in crate::cli) async fn export_requests(
        &self,
        each: &mut (dyn FnMut(&[ImportRequest]) -> io::Result<()> + Send),
    ) -> Outcome<u64> {
        match self {
            Self::Data(operator) => read(operator.export_requests(None).await?, EXPORT_CHUNK, each).await,
            Self::Server(server) => Ok(server.export_requests(None, each).await?.left_out),
        }
    }

    /// Reads the erased users, chunk by chunk, in the order of uids.
    pub(in crate::cli) async fn export_erased(&self, each: &mut EachErased<'_>) -> Outcome {
        let mut after = None;
        loop {
            let users = match self {
                Self::Data(operator) => operator.erased_users(after, EXPORT_CHUNK).await?,
                Self::Server(server) => server.erased_users(after, EXPORT_CHUNK).await?,
            };
            each(&users)?;
            after = users.last().map(|(uid, _)| *uid);
            if users.len() < EXPORT_CHUNK {
                return Ok(());
            }
        }
    }

    /// Hands on everything that is kept of a user, record by record.
    pub(in crate::cli) async fn export_user(
        &self,
        uid: Uid,
        each: &mut (dyn FnMut(&ExportLine) -> io::Result<()> + Send),
    ) -> Outcome {
        match self {
            Self::Data(operator) => {
                let mut export = operator.user_exports().start(uid, None);
                while let Some(records) = export.next().await? {
                    for record in &records {
                        each(&ExportLine::of(record)?)?;
                    }
                }
                Ok(())
            }
            Self::Server(server) => Ok(server.export_user(uid, each).await?),
        }
    }
}

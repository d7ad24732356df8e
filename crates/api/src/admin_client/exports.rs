//! Exports: follows, blocks, mutes, posts and likes at one position; erased users, and all that is kept of a user.

use std::io;
use std::num::NonZeroU64;

use buffa::EnumValue;
use guanxi_model::post::{Attachment, Body, ImportPost};
use guanxi_model::user::ImportUser;
use guanxi_model::{
    Edge, Error, ImportRequest, MuteTerms, Position, PostId, Reason, RestrictionKind, Result, Stamp, Uid,
};
use guanxi_ports::{ExportEdge, ExportLike};
use guanxi_proto::v1::{self, export_edges_request::Kind};
use guanxi_rim::errors::from_wire;

use super::{OperatorClient, token};
use crate::admin::{requests, users};
use crate::client_side::{broken, call};
use crate::convert::stamp;
use crate::post::shape::{attachment_kind, optional_post, visibility};
use crate::user::export::ExportLine;

/// Takes chunks of what is exported.
type Each<'a, T> = &'a mut (dyn FnMut(&[T]) -> io::Result<()> + Send);

/// Calls a stream of chunks, reads it to its end, and hands the rows of each chunk on. Answers how many rows were left out,
/// since they name users who are deleted.
macro_rules! read_chunks {
    ($client:ident.$method:ident($request:expr), $chunk:ident, $rows:ident, $back:expr, $each:ident) => {{
        let streams = $client.0.admin_streams();
        let mut stream = streams.$method($request).await.map_err(|error| from_wire(&error))?;
        let (mut token, mut left_out) = (String::new(), 0);
        while let Some(chunk) = stream.message::<v1::$chunk>().await.map_err(|error| from_wire(&error))? {
            let chunk = chunk.to_owned_message();
            let rows = chunk.$rows.into_iter().map($back).collect::<Result<Vec<_>>>()?;
            $each(&rows).map_err(not_taken)?;
            token = chunk.token;
            left_out += chunk.left_out;
        }
        // Every answer has one chunk at least, and each says where all of it stands.
        Position::from_token(&token)?;
        Ok(left_out)
    }};
}

impl OperatorClient {
    /// Reads follows, or restrictions of a kind, at one position, chunk by chunk: all of them, or at most `max` after
    /// one. Answers how many were left out.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_edges(
        &self,
        kind: Option<RestrictionKind>,
        after: Option<(Uid, Uid)>,
        max: Option<NonZeroU64>,
        at_least: Option<&Position>,
        each: Each<'_, ExportEdge>,
    ) -> Result<u64> {
        let request = v1::ExportEdgesRequest {
            after_source: after.map_or(0, |(source, _)| source.get()),
            after_target: after.map_or(0, |(_, target)| target.get()),
            max_edges: max.map_or(0, NonZeroU64::get),
            token: token(at_least),
            kind: kind_shown(kind),
        };
        read_chunks!(self.export_edges(request), ExportEdgesResponse, edges, |edge| edge_back(&edge), each)
    }

    /// Reads all posts at one position, chunk by chunk, each after what it refers to. Answers how many were left out.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_posts(&self, at_least: Option<&Position>, each: Each<'_, ImportPost>) -> Result<u64> {
        let request = v1::ExportPostsRequest { token: token(at_least), ..Default::default() };
        read_chunks!(self.export_posts(request), ExportPostsResponse, posts, post_back, each)
    }

    /// Reads likes at one position, chunk by chunk: all of them, or at most `max` after one. Answers how many were left out.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_likes(
        &self,
        after: Option<(PostId, Uid)>,
        max: Option<NonZeroU64>,
        at_least: Option<&Position>,
        each: Each<'_, ExportLike>,
    ) -> Result<u64> {
        let request = v1::ExportLikesRequest {
            after_post_id: after.map_or(0, |(id, _)| id.get()),
            after_user: after.map_or(0, |(_, uid)| uid.get()),
            max_likes: max.map_or(0, NonZeroU64::get),
            token: token(at_least),
        };
        read_chunks!(self.export_likes(request), ExportLikesResponse, likes, like_back, each)
    }

    /// Reads all users of whom anything is kept at one position, chunk by chunk, in the order of uids. Answers how many were
    /// left out.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_users(&self, each: Each<'_, ImportUser>) -> Result<u64> {
        let request = v1::ExportUsersRequest::default();
        let back = |user| users::import_back(&user);
        read_chunks!(self.export_users(request), ExportUsersResponse, users, back, each)
    }

    /// Reads all requests that wait at one position, chunk by chunk. Answers how many were left out.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_requests(&self, each: Each<'_, ImportRequest>) -> Result<u64> {
        let request = v1::ExportRequestsRequest::default();
        let back = |request| requests::back(&request);
        read_chunks!(self.export_requests(request), ExportRequestsResponse, requests, back, each)
    }

    /// Reads everything that is kept of a user, record by record.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_user(
        &self,
        uid: Uid,
        each: &mut (dyn FnMut(&ExportLine) -> io::Result<()> + Send),
    ) -> Result<()> {
        let request = v1::ExportUserRequest { uid: uid.get(), ..Default::default() };
        let streams = self.0.admin_streams();
        let mut stream = streams.export_user(request).await.map_err(|error| from_wire(&error))?;
        while let Some(record) =
            stream.message::<v1::ExportUserResponse>().await.map_err(|error| from_wire(&error))?
        {
            let line = ExportLine::of(&record.to_owned_message())?;
            each(&line).map_err(not_taken)?;
        }
        Ok(())
    }

    /// Returns users who are erased, and since when in Unix milliseconds, in the order of uids, after one; at most
    /// `max`.
    ///
    /// # Errors
    /// When the server cannot be reached; `PAGE_TOO_LARGE`.
    pub async fn erased_users(&self, after: Option<Uid>, max: usize) -> Result<Vec<(Uid, u64)>> {
        let request = v1::ListErasedUsersRequest {
            after_user: after.map_or(0, Uid::get),
            max_users: u32::try_from(max).unwrap_or(u32::MAX),
        };
        let answer = call(self.0.admin().list_erased_users(request).await)?;
        let told = |user: &v1::ErasedUser| {
            let at = user.erase_time.as_option().and_then(stamp);
            let at = at.ok_or_else(|| broken("an erased user without a time"))?;
            Ok((Uid::new(user.uid)?, at.ms()))
        };
        answer.users.iter().map(told).collect()
    }
}

fn not_taken(error: io::Error) -> Error {
    Error::with_detail(Reason::Internal, error)
}

/// Returns the kind of edges, as the wire has it.
pub(super) fn kind_shown(kind: Option<RestrictionKind>) -> EnumValue<Kind> {
    EnumValue::from(match kind {
        None => Kind::FOLLOW,
        Some(RestrictionKind::Block) => Kind::BLOCK,
        Some(RestrictionKind::Mute) => Kind::MUTE,
    })
}

fn edge_back(edge: &v1::ExportEdge) -> Result<ExportEdge> {
    let at = Stamp::from_raw(Stamp::from_ms(edge.unix_ms).raw() | u64::from(edge.tick & 0xffff));
    let terms = MuteTerms { reposts_only: edge.reposts_only, until_ms: edge.until_unix_ms };
    Ok(ExportEdge { subject: Uid::new(edge.source)?, object: Uid::new(edge.target)?, at, terms })
}

fn post_back(post: v1::ImportPost) -> Result<ImportPost> {
    let key = |key: Option<&v1::PostKey>| -> Result<Option<(Uid, String)>> {
        key.map(|key| Ok((Uid::new(key.author)?, key.key.clone()))).transpose()
    };
    let attachment = |given: v1::Attachment| {
        let reference = given.reference;
        attachment_kind(given.kind).map(|kind| Attachment { kind, reference })
    };
    let attachments = post.attachments.into_iter().map(attachment).collect::<Result<_>>()?;
    Ok(ImportPost {
        id: optional_post(post.post_id)?,
        key: post.key,
        author: Uid::new(post.author)?,
        at_ms: post.unix_ms,
        body: Body { text: post.text, attachments },
        visibility: visibility(post.visibility, post.group_id)?
            .ok_or_else(|| broken("a post without a visibility"))?,
        reply_to: key(post.reply_to.as_option())?,
        repost_of: key(post.repost_of.as_option())?,
        deleted: post.deleted,
    })
}

fn like_back(like: v1::ExportedLike) -> Result<ExportLike> {
    let at = Stamp::from_raw(Stamp::from_ms(like.unix_ms).raw() | u64::from(like.tick & 0xffff));
    Ok(ExportLike {
        id: PostId::new(like.post_id)?,
        like: Edge { at, uid: Uid::new(like.user)? },
        author: Uid::new(like.author)?,
        key: like.key,
    })
}

//! Export of posts and likes: as methods for the binary, and for the views of the conformance suite.

use std::io;

use guanxi_model::post::{Attachment, Body, ImportPost};
use guanxi_model::{Edge, Error, Position, PostId, Reason, Result, Stamp, Uid};
use guanxi_ports::ExportLike;
use guanxi_proto::{Client, v1};

use super::view::RemoteView;
use super::{Remote, broken};
use crate::error::from_wire;
use crate::post::shape::{attachment_kind, optional_post, visibility};
use crate::user::export::ExportLine;

/// Takes chunks of what is exported.
type Each<'a, T> = &'a mut (dyn FnMut(&[T]) -> io::Result<()> + Send);

impl Remote {
    /// Reads all posts at one position, chunk by chunk, each after what it refers to, and answers the position.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_posts(&self, each: Each<'_, ImportPost>) -> Result<Position> {
        let token = posts(self.operator()?, v1::ExportPostsRequest::default(), each).await?;
        self.saw(&token)
    }

    /// Reads all likes at one position, chunk by chunk, and answers the position.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export_likes(&self, each: Each<'_, ExportLike>) -> Result<Position> {
        let token = likes(self.operator()?, v1::ExportLikesRequest::default(), each).await?;
        self.saw(&token)
    }
}

impl Remote {
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
        let streams = self.operator()?.admin_streams();
        let mut stream = streams.export_user(request).await.map_err(|error| from_wire(&error))?;
        while let Some(record) =
            stream.message::<v1::ExportUserResponse>().await.map_err(|error| from_wire(&error))?
        {
            let line = ExportLine::of_message(&record.to_owned_message())?;
            each(&line).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        }
        Ok(())
    }
}

impl RemoteView {
    /// The API has posts in rounds, so that all of them have to be read to put some in the order of ids.
    pub(super) async fn exported_posts(&self, after: Option<PostId>, max: usize) -> Result<Vec<ImportPost>> {
        let mut all: Vec<ImportPost> = Vec::new();
        let request = v1::ExportPostsRequest { token: self.token(), ..Default::default() };
        let mut keep = |chunk: &[ImportPost]| {
            all.extend_from_slice(chunk);
            Ok(())
        };
        posts(self.admin()?, request, &mut keep).await?;
        all.retain(|post| post.id > after);
        all.sort_unstable_by_key(|post| post.id);
        all.truncate(max);
        Ok(all)
    }

    pub(super) async fn exported_likes(
        &self,
        after: Option<(PostId, Uid)>,
        max: usize,
    ) -> Result<Vec<ExportLike>> {
        let mut found: Vec<ExportLike> = Vec::new();
        if max == 0 {
            return Ok(found);
        }
        let request = v1::ExportLikesRequest {
            after_post_id: after.map_or(0, |(id, _)| id.get()),
            after_user: after.map_or(0, |(_, uid)| uid.get()),
            max_likes: max as u64,
            token: self.token(),
        };
        let mut keep = |chunk: &[ExportLike]| {
            found.extend_from_slice(chunk);
            Ok(())
        };
        likes(self.admin()?, request, &mut keep).await?;
        Ok(found)
    }
}

/// Reads a stream of posts, and answers the token of its position.
async fn posts(
    admin: &Client,
    request: v1::ExportPostsRequest,
    each: Each<'_, ImportPost>,
) -> Result<String> {
    let streams = admin.admin_streams();
    let mut stream = streams.export_posts(request).await.map_err(|error| from_wire(&error))?;
    let mut token = String::new();
    while let Some(chunk) =
        stream.message::<v1::ExportPostsResponse>().await.map_err(|error| from_wire(&error))?
    {
        let chunk = chunk.to_owned_message();
        let found = chunk.posts.into_iter().map(post_back).collect::<Result<Vec<_>>>()?;
        each(&found).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        token = chunk.token;
    }
    Ok(token)
}

/// Reads a stream of likes, and answers the token of its position.
async fn likes(
    admin: &Client,
    request: v1::ExportLikesRequest,
    each: Each<'_, ExportLike>,
) -> Result<String> {
    let streams = admin.admin_streams();
    let mut stream = streams.export_likes(request).await.map_err(|error| from_wire(&error))?;
    let mut token = String::new();
    while let Some(chunk) =
        stream.message::<v1::ExportLikesResponse>().await.map_err(|error| from_wire(&error))?
    {
        let chunk = chunk.to_owned_message();
        let found = chunk.likes.into_iter().map(like_back).collect::<Result<Vec<_>>>()?;
        each(&found).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        token = chunk.token;
    }
    Ok(token)
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

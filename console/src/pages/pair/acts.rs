//! What a user of a pair can do: the calls, and how programs make them.

use guanxi_proto::v1;

use crate::answer::Trouble;
use crate::parts::{Called, Value};
use crate::texts::Text;
use crate::visit::{Visit, post_id};

/// What one user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Post,
    Follow,
    Unfollow,
    Like,
    Block,
    Unblock,
}

impl Act {
    pub(super) const ALL: [Self; 6] =
        [Self::Post, Self::Follow, Self::Unfollow, Self::Like, Self::Block, Self::Unblock];

    pub(super) fn of(name: &str) -> Result<Self, Trouble> {
        Self::ALL.into_iter().find(|act| act.name() == name).ok_or(Trouble::NotFound)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Follow => "follow",
            Self::Unfollow => "unfollow",
            Self::Like => "like",
            Self::Block => "block",
            Self::Unblock => "unblock",
        }
    }

    /// The text of its button, with a place for the other user.
    pub(super) const fn text(self) -> Text {
        match self {
            Self::Post => Text::DoPost,
            Self::Follow => Text::DoFollow,
            Self::Unfollow => Text::DoUnfollow,
            Self::Like => Text::DoLikeNewest,
            Self::Block => Text::DoBlock,
            Self::Unblock => Text::DoUnblock,
        }
    }

    /// Its service and method.
    const fn call(self) -> (&'static str, &'static str) {
        match self {
            Self::Post => ("PostService", "CreatePost"),
            Self::Like => ("PostService", "LikePost"),
            Self::Follow => ("RelationService", "Follow"),
            Self::Unfollow => ("RelationService", "Unfollow"),
            Self::Block => ("RelationService", "Block"),
            Self::Unblock => ("RelationService", "Unblock"),
        }
    }
}

/// Does what the form asks for, noted in the audit log, and returns the post that it is about; 0 for none.
pub(super) async fn done(visit: &Visit, act: Act, own: u64, other: u64) -> Result<u64, Trouble> {
    let (_, method) = act.call();
    visit.looked(method, own, calling(visit, act, own, other)).await
}

async fn calling(visit: &Visit, act: Act, subject: u64, object: u64) -> Result<u64, Trouble> {
    let (posts, relations) = (visit.calls.main.post(), visit.calls.main.relation());
    match act {
        Act::Post => {
            let text = visit.form.get("text").replace("\r\n", "\n");
            let request = v1::CreatePostRequest { author: subject, text, ..Default::default() };
            return Ok(posts.create_post(request).await?.into_owned().post_id);
        }
        Act::Like => {
            let post_id = match visit.form.get("post") {
                "" => newest(visit, object, subject).await?,
                given => post_id(given)?,
            };
            let request = v1::LikePostRequest { uid: subject, post_id, ..Default::default() };
            drop(posts.like_post(request).await?);
            return Ok(post_id);
        }
        Act::Follow => {
            drop(relations.follow(v1::FollowRequest { subject, object, ..Default::default() }).await?);
        }
        Act::Unfollow => {
            drop(relations.unfollow(v1::UnfollowRequest { subject, object, ..Default::default() }).await?);
        }
        Act::Block => {
            drop(relations.block(v1::BlockRequest { subject, object, ..Default::default() }).await?);
        }
        Act::Unblock => {
            drop(relations.unblock(v1::UnblockRequest { subject, object, ..Default::default() }).await?);
        }
    }
    Ok(0)
}

/// Returns the newest post of an author that a viewer sees.
async fn newest(visit: &Visit, author: u64, viewer: u64) -> Result<u64, Trouble> {
    let request = v1::ListAuthorPostsRequest { author, viewer, page_size: 1, ..Default::default() };
    let found = visit.calls.main.post().list_author_posts(request).await?.into_owned();
    let newest = found.posts.first().map(|item| item.post_id);
    newest.ok_or_else(|| Trouble::Bad(Text::NothingToLike, String::new()))
}

/// Returns the call of an act.
pub(super) async fn called(
    visit: &Visit,
    act: Act,
    own: u64,
    other: u64,
    post: u64,
) -> Result<Option<Called>, Trouble> {
    let (service, method) = act.call();
    let fields = match act {
        Act::Post => {
            let request = v1::GetPostRequest { post_id: post, viewer: own, ..Default::default() };
            let Ok(found) = visit.calls.main.post().get_post(request).await else { return Ok(None) };
            let item = found.into_owned().item;
            let written = item.as_option().and_then(|item| item.post.as_option());
            // The address of the page is of the reader's making: it shows no post but one of the two.
            let Some(written) = written.filter(|post| post.author == own) else { return Ok(None) };
            vec![("author", own.into()), ("text", Value::Text(written.text.clone()))]
        }
        Act::Like => vec![("uid", own.into()), ("postId", post.into())],
        _ => vec![("subject", own.into()), ("object", other.into())],
    };
    Ok(Some(Called { service, method, fields }))
}

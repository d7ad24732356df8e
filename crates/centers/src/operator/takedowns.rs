//! Taking posts and users down, and reinstating them.
//!
//! No request ids are needed: a repeat is a no-op, and keeps the first reason.

use super::OperatorCenter;
use guanxi_model::post::{PostCommand, check_takedown_reason};
use guanxi_model::user::UserCommand;
use guanxi_model::{Error, PostId, Reason, Result, Uid, Write};
use guanxi_ports::{Facts as _, Revised};

impl OperatorCenter {
    /// Takes a post down: to others it is as deleted, and its author may only delete it.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`; `POST_NOT_FOUND`; `POST_DELETED` if nothing is kept of the post.
    pub async fn take_down_post(&self, id: PostId, reason: String) -> Result<Revised<PostId>> {
        check_takedown_reason(&reason)?;
        let author = self.author_of(id).await?;
        self.write_of_post(PostCommand::TakeDown { author, id, reason }).await
    }

    /// Ends that a post is taken down.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`.
    pub async fn reinstate_post(&self, id: PostId) -> Result<Revised<PostId>> {
        let author = self.author_of(id).await?;
        self.write_of_post(PostCommand::Reinstate { author, id }).await
    }

    /// Takes a user down: it is as deactivated, and all its sessions end, in one commit.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`; `USER_DELETED`.
    pub async fn take_down_user(&self, uid: Uid, reason: String) -> Result<Revised<Uid>> {
        check_takedown_reason(&reason)?;
        self.write_of_user(UserCommand::TakeDown { uid, reason }).await
    }

    /// Ends that a user is taken down: it is active or deactivated, as it is below.
    ///
    /// # Errors
    /// `USER_DELETED`.
    pub async fn reinstate_user(&self, uid: Uid) -> Result<Revised<Uid>> {
        self.write_of_user(UserCommand::Reinstate { uid }).await
    }

    /// Returns the author of a post, who never changes.
    async fn author_of(&self, id: PostId) -> Result<Uid> {
        let view = self.ports.store.view(None).await?;
        let header = view.headers(&[id]).await?.pop().flatten();
        Ok(header.ok_or(Error::new(Reason::PostNotFound))?.author)
    }

    async fn write_of_post(&self, command: PostCommand) -> Result<Revised<PostId>> {
        self.ports.store.apply(Write::of(command)).await?.revised()
    }

    /// Writes through the port of sessions, so that processes that hold the user's sessions in memory, or stream with one,
    /// are told.
    async fn write_of_user(&self, command: UserCommand) -> Result<Revised<Uid>> {
        self.own.sessions.apply(Write::of(command)).await?.revised()
    }
}

//! Queueing writes of posts, and pinning views for reads of them.

use crate::rows;
use crate::store::Store;
use crate::writer::Job;
use guanxi_model::post::{Draft, PostAnswer, PostCommand};
use guanxi_model::{EventAt, Position, PostId, PostWrite, Result, Uid};
use guanxi_ports::{BoxFuture, PostView, Posts};

impl Posts for Store {
    fn write_posts(&self, write: PostWrite) -> BoxFuture<'_, Result<PostAnswer>> {
        Box::pin(async move {
            if let PostWrite::Command { command, .. } = &write {
                self.warm_post(command);
            }
            self.ask(|answer| Job::Posts(write, answer)).await
        })
    }

    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn PostView>>> {
        Box::pin(async move { Ok(Box::new(self.pin(at_least).await?) as Box<dyn PostView>) })
    }

    /// A follow and its reverse edge are of one commit.
    fn is_applied(&self, _uid: Uid, _at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(std::future::ready(Ok(true)))
    }
}

impl Store {
    /// Fills the cache with the two users whose relation decides a command, so that the writer finds them in memory.
    fn warm_post(&self, command: &PostCommand) {
        let (uid, id): (Uid, PostId) = match command {
            PostCommand::Create(
                Draft { author, reply_to: Some(id), .. } | Draft { author, repost_of: Some(id), .. },
            ) => (*author, *id),
            PostCommand::Like { uid, id } => (*uid, *id),
            _ => return,
        };
        let shared = self.shared();
        let view = shared.published.pin();
        // A failed read shows again, and is reported, when the writer plans.
        if let Ok(Some((header, _))) = rows::posts::header(&view.snapshot, id) {
            for uid in [uid, header.author] {
                drop(shared.relations.latest(uid, &shared.engine));
            }
        }
    }
}

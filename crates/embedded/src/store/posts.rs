//! Pinning views for reads of posts, and who decides about a write.

use crate::rows;
use crate::store::EmbeddedStore;
use guanxi_model::post::{Draft, PostCommand};
use guanxi_model::{EventAt, Position, PostId, Result, Uid};
use guanxi_ports::{BoxFuture, StoreView};

impl guanxi_ports::Store for EmbeddedStore {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move { Ok(Box::new(self.pin(at_least).await?) as Box<dyn StoreView>) })
    }

    /// A follow and its reverse edge are of one commit.
    fn is_applied(&self, _uid: Uid, _at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(std::future::ready(Ok(true)))
    }
}

impl EmbeddedStore {
    /// The two users whose relation decides a command, so that the writer finds them in memory.
    pub(crate) fn deciding(&self, command: &PostCommand) -> Option<[Uid; 2]> {
        let (uid, id): (Uid, PostId) = match command {
            PostCommand::Create(
                Draft { author, reply_to: Some(id), .. } | Draft { author, repost_of: Some(id), .. },
            ) => (*author, *id),
            PostCommand::Like { uid, id } => (*uid, *id),
            _ => return None,
        };
        let shared = self.shared();
        let view = shared.published.pin();
        // A failed read shows again, and is reported, when the writer plans.
        let (header, _) = rows::posts::header(&view.snapshot, id).ok()??;
        Some([uid, header.author])
    }
}

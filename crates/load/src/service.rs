//! What load is put on: the centers of this process, or a server over the wire.

use guanxi_model::{PostId, Result, Uid};
use std::future::Future;

/// An open home stream.
pub trait Streamed: Send + 'static {
    /// Waits for news, and answers the new items, newest first.
    ///
    /// # Errors
    /// When the stream ends.
    fn next_ids(&mut self) -> impl Future<Output = Result<Vec<PostId>>> + Send;
}

/// A service of posts and homes. A clone is one more caller, with a connection of its own where there are any.
pub trait Service: Clone + Send + 'static {
    /// Its home streams.
    type Stream: Streamed;

    /// The newest page of a home: 20 ids.
    ///
    /// # Errors
    /// When the call fails.
    fn home(&mut self, viewer: Uid) -> impl Future<Output = Result<Vec<PostId>>> + Send;

    /// Writes a public post; it is durable when this answers.
    ///
    /// # Errors
    /// When the call fails.
    fn create(&mut self, author: Uid, text: String) -> impl Future<Output = Result<PostId>> + Send;

    /// Reads one post; whether the viewer may see it.
    ///
    /// # Errors
    /// When the call fails.
    fn get(&mut self, id: PostId, viewer: Uid) -> impl Future<Output = Result<bool>> + Send;

    /// Lists an author's newest 20 posts; how many there are.
    ///
    /// # Errors
    /// When the call fails.
    fn list_author(&mut self, author: Uid, viewer: Uid) -> impl Future<Output = Result<usize>> + Send;

    /// Follows a home from now on.
    ///
    /// # Errors
    /// When the call fails.
    fn stream(&mut self, viewer: Uid) -> impl Future<Output = Result<Self::Stream>> + Send;
}

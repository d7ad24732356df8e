//! Keys of posts and of what goes with them; the table of all keys is in `layout/mod.rs`.

use crate::layout::keys::{parse_uid, user_key};
use crate::layout::parts::keys;
use guanxi_model::{Edge, PostId, Uid};

/// Prefix of the heads of outboxes.
pub const AUTHOR: u8 = b'A';
/// Prefix of likes by post and user.
pub const LIKE: u8 = b'L';
/// Prefix of the source's names of imported posts.
pub const SOURCE: u8 = b'N';
/// Prefix of deleted posts by the time of that.
pub const DELETED_POST: u8 = b'D';
/// Prefix of reposts and quotes by what they share.
pub const REPOST_OF: u8 = b'f';
/// The key of where post ids go on.
pub const IDS_KEY: &[u8] = b"P";
/// Prefix of the names that imported posts came with.
pub const NAME: u8 = b'n';
/// Prefix of earlier revisions.
pub const REVISION: u8 = b'R';
/// Prefix of the counters of posts.
pub const POST_STATS: u8 = b'S';
/// Prefix of likes by user and post.
pub const LIKE_OF_USER: u8 = b'k';
/// Prefix of likes by post and time.
pub const LIKE_TIME: u8 = b'l';
/// Prefix of the index of plain reposts.
pub const REPOSTED: u8 = b'r';

/// `post`, the key of a post.
pub const fn post_key(id: PostId) -> [u8; 8] {
    id.get().to_be_bytes()
}

/// Reads the key of a post.
pub fn parse_post_key(key: &[u8]) -> Option<PostId> {
    PostId::new(u64::from_be_bytes(key.try_into().ok()?)).ok()
}

/// `author !post`, the key of a place in an outbox.
pub fn outbox_key(author: Uid, id: PostId) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&author.get().to_be_bytes());
    key[8..].copy_from_slice(&(!id.get()).to_be_bytes());
    key
}

/// Reads the key of a place in an outbox.
pub fn parse_outbox_key(key: &[u8]) -> Option<(Uid, PostId)> {
    let (author, id) = key.split_at_checked(8)?;
    Some((parse_uid(author)?, PostId::new(!u64::from_be_bytes(id.try_into().ok()?)).ok()?))
}

/// `prefix post`, the key of a post's counters and the start of its likes and revisions.
pub fn of_post_key(prefix: u8, id: PostId) -> [u8; 9] {
    let mut key = [prefix; 9];
    key[1..].copy_from_slice(&post_key(id));
    key
}

/// Reads the key of a post's counters.
pub fn parse_of_post_key(key: &[u8]) -> Option<PostId> {
    parse_post_key(key.get(1..)?)
}

keys! {
    /// `ms post`, the key of a post that was deleted at a time, in Unix milliseconds.
    deleted_post_key, parse_deleted_post_key = [DELETED_POST] (at_ms: u64, id: PostId);
    /// `post user`, the key of a like.
    like_key, parse_like_key = [LIKE] (id: PostId, user: Uid);
    /// `user post`, the key of a like among those of its user.
    like_of_user_key, parse_like_of_user_key = [LIKE_OF_USER] (user: Uid, id: PostId);
    /// `user original`, the key of a user's plain reposts of an original.
    reposted_key, parse_reposted_key = [REPOSTED] (user: Uid, original: PostId);
    /// `post !at !user`, the key of a like in the list of a post's likes.
    like_time_key, parse_like_time_key = [LIKE_TIME] (id: PostId, like: Edge);
}

/// `original !post`, the key of a repost or quote in the list of those of its original.
pub fn repost_of_key(original: PostId, repost: PostId) -> [u8; 17] {
    let mut key = [REPOST_OF; 17];
    key[1..9].copy_from_slice(&post_key(original));
    key[9..].copy_from_slice(&(!repost.get()).to_be_bytes());
    key
}

/// Reads the key of a repost or quote in the list of those of its original.
pub fn parse_repost_of_key(key: &[u8]) -> Option<(PostId, PostId)> {
    let (original, repost) = key.get(1..)?.split_at_checked(8)?;
    let repost = PostId::new(!u64::from_be_bytes(repost.try_into().ok()?)).ok()?;
    Some((parse_post_key(original)?, repost))
}

/// `post !revision`, the key of an earlier revision.
pub fn revision_key(id: PostId, revision: u32) -> [u8; 13] {
    let mut key = [REVISION; 13];
    key[1..9].copy_from_slice(&post_key(id));
    key[9..].copy_from_slice(&(!revision).to_be_bytes());
    key
}

/// Reads the key of an earlier revision.
pub fn parse_revision_key(key: &[u8]) -> Option<(PostId, u32)> {
    let (id, revision) = key.get(1..)?.split_at_checked(8)?;
    Some((parse_post_key(id)?, !u32::from_be_bytes(revision.try_into().ok()?)))
}

/// `author name`, the key of an imported post by the source's name for it.
pub fn source_key(author: Uid, name: &str) -> Vec<u8> {
    let mut key = user_key(SOURCE, author).to_vec();
    key.extend(name.as_bytes());
    key
}

/// Reads a source key: the author, and the name, which is not empty.
pub fn parse_source_key(key: &[u8]) -> Option<(Uid, &str)> {
    let (author, name) = key.get(1..)?.split_at_checked(8)?;
    Some((parse_uid(author)?, parse_name(name)?))
}

/// `post name`, the key of another name under which a post that stood already was imported; the name is not empty.
pub fn other_name_key(id: PostId, name: &str) -> Vec<u8> {
    let mut key = of_post_key(NAME, id).to_vec();
    key.extend_from_slice(name.as_bytes());
    key
}

/// Reads the key of another name of a post.
pub fn parse_other_name_key(key: &[u8]) -> Option<(PostId, &str)> {
    let (id, name) = key.get(1..)?.split_at_checked(8)?;
    Some((parse_post_key(id)?, parse_name(name)?))
}

/// Reads the name of an imported post, which is not empty.
pub fn parse_name(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|name| !name.is_empty())
}

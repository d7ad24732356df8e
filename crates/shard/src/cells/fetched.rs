//! What of the rows that were fetched leads to others.

use super::Rows;
use guanxi_model::plan::Fetched;
use guanxi_model::{Gene, GroupId, PostHeader, PostId, Uid};

impl Fetched for Rows {
    fn header(&self, id: PostId) -> Option<PostHeader> {
        self.post_header(id)
    }

    fn source(&self, author: Uid, key: &str) -> Option<PostId> {
        self.source_of(author, key)
    }

    fn taken_at(&self, author: Uid, ms: u64) -> usize {
        self.ids_taken_at(author, ms)
    }

    fn is_taken(&self, id: PostId) -> bool {
        self.is_id_taken(id)
    }

    fn reposts(&self, user: Uid, original: PostId) -> &[PostId] {
        self.reposts_of(user, original)
    }

    /// A request is fetched with everything else that two users have said about each other.
    fn asks(&self, _sender: Uid, _receiver: Uid) -> bool {
        false
    }

    fn session_user(&self, gene: Gene, id: [u8; 32]) -> Option<Uid> {
        self.known_session_user(gene, id)
    }

    fn groups_with(&self, owner: Uid, member: Uid) -> Vec<GroupId> {
        self.groups.known_with(owner, member)
    }
}

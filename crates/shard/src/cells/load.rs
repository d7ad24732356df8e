//! Rows that come from a dump: put as they are, into shards that have nothing yet.

use super::posts::{StoredPost, kind_code};
use super::suggestions::WholeRow;
use super::{
    BlockRow, ErasedHash, FanRow, FollowRow, LikeRow, MirrorRow, MuteRow, Pair, ReferenceRow, Rows, UserRow,
};
use guanxi_model::affinity::{Affinities, Affinity, Score};
use guanxi_model::post::{AuthorRow, Post, PostStats, Revision};
use guanxi_model::user::{Contact, ContactClaim, ExternalId, LoginName, PasswordHash};
use guanxi_model::{Gene, GroupId, MuteTerms, Position, PostId, Stamp, Uid, User, UserGroup};

/// Fills the shards of one database. The caller says of whose shard a row is.
impl Rows {
    /// A follow, in the shard of the follower.
    pub fn load_follow(&mut self, pair: Pair, row: FollowRow) {
        self.follows.put(pair, row);
    }

    /// The copy of a follow in the shard of the followed user.
    pub fn load_fan(&mut self, (subject, object): Pair, row: FanRow) {
        self.fans.put((object, subject), row);
    }

    /// A block.
    pub fn load_block(&mut self, pair: Pair, at: Stamp) {
        self.blocks.put(pair, BlockRow { at, version: at, active: true });
    }

    /// The copy of a block in the shard of the blocked user.
    pub fn load_blocked_by(&mut self, (subject, object): Pair, at: Stamp) {
        self.blocked_by.put((object, subject), MirrorRow { version: at, active: true });
    }

    /// A mute.
    pub fn load_mute(&mut self, pair: Pair, at: Stamp, terms: MuteTerms) {
        self.mutes.put(pair, MuteRow { at, version: at, active: true, terms });
    }

    /// The counters of a user.
    pub fn load_user(&mut self, uid: Uid, row: UserRow) {
        self.users.put(uid, row);
    }

    /// An account.
    pub fn load_account(&mut self, user: User) {
        self.accounts.accounts.put(user.uid, Some(user));
    }

    /// The user of a login name.
    pub fn load_login_name(&mut self, name: LoginName, uid: Uid) {
        self.accounts.login_names.put(name, Some(uid));
    }

    /// A password.
    pub fn load_password(&mut self, uid: Uid, hash: PasswordHash) {
        self.accounts.passwords.put(uid, Some(hash));
    }

    /// When a user signed out everywhere.
    pub fn load_signed_out(&mut self, uid: Uid, at_ms: u64) {
        self.accounts.signed_out.put(uid, Some(at_ms));
    }

    /// The claim of a contact.
    pub fn load_claim(&mut self, contact: Contact, claim: ContactClaim) {
        self.accounts.claims.put(contact, Some(claim));
    }

    /// The user of an external id.
    pub fn load_external_id(&mut self, id: ExternalId, uid: Uid) {
        self.dictionary.uids.put(id, Some(uid));
    }

    /// What stays of the id of a user who is erased.
    pub fn load_erased_id(&mut self, gene: Gene, hash: ErasedHash) {
        self.dictionary.erased.put((gene, hash), true);
    }

    /// The time since when a user approves the users that wait to follow it.
    pub fn load_unlocking(&mut self, uid: Uid, since: Stamp) {
        self.unlocking.put(uid, Some(since));
    }

    /// A group.
    pub fn load_group(&mut self, group: UserGroup) {
        self.groups.groups.put((group.owner, group.id), Some(group));
    }

    /// The last number that an owner has given to a group.
    pub fn load_group_number(&mut self, owner: Uid, last: GroupId) {
        self.groups.owned.put(owner, super::groups::OwnedGroups { many: 0, last: Some(last) });
    }

    /// A member of a group.
    pub fn load_member(&mut self, owner: Uid, id: GroupId, member: Uid, at: Stamp) {
        self.groups.members.put((owner, id, member), Some(at));
    }

    /// The users whom a user has dismissed.
    pub fn load_dismissed(&mut self, viewer: Uid, uid: Uid, at: Stamp) {
        let cells = &mut self.suggestions.dismissed;
        cells.fetched(viewer);
        if let Ok(WholeRow { now, .. }) = cells.change(viewer) {
            now.insert(uid, at);
        }
    }

    /// A score.
    pub fn load_affinity(&mut self, actor: Uid, uid: Uid, score: Score) {
        self.change_affinities(actor, |now| now.all.push(Affinity { uid, score }));
    }

    /// In which time the scores of a user halve.
    pub fn load_half_life(&mut self, actor: Uid, half_life_ms: u64) {
        self.change_affinities(actor, |now| now.half_life_ms = half_life_ms);
    }

    fn change_affinities(&mut self, actor: Uid, change: impl FnOnce(&mut Affinities)) {
        let cells = &mut self.suggestions.affinities;
        cells.fetched(actor);
        if let Ok(WholeRow { now, .. }) = cells.change(actor) {
            change(now);
        }
    }

    /// A post, with the name that it was imported under.
    pub fn load_post(&mut self, post: Post, name: Option<String>) {
        self.posts.posts.put(post.header.id, StoredPost { post: Some(post), name });
    }

    /// What the shard of an original knows of a post that answers or shares it.
    pub fn load_reference(&mut self, original: PostId, post: &Post, version: Stamp) {
        let kind = kind_code(post.header.kind);
        self.posts.references.put((original, post.header.id), ReferenceRow { kind, version, active: true });
    }

    /// An earlier revision of a post.
    pub fn load_revision(&mut self, id: PostId, revision: Revision) {
        self.posts.revisions.insert((id, revision.revision), Some(revision));
    }

    /// The counters of a post.
    pub fn load_stats(&mut self, id: PostId, stats: PostStats) {
        self.posts.stats.put(id, stats);
    }

    /// A like, in the shard of the user that likes.
    pub fn load_liked(&mut self, uid: Uid, id: PostId, at: Stamp) {
        self.posts.liked.put((uid, id), LikeRow { at, version: at, active: true });
    }

    /// What the shard of the post knows of it.
    pub fn load_liker(&mut self, uid: Uid, id: PostId, at: Stamp) {
        self.posts.likers.put((id, uid), LikeRow { at, version: at, active: true });
    }

    /// What is kept of an author.
    pub fn load_author(&mut self, uid: Uid, author: AuthorRow) {
        self.posts.authors.put(uid, author.into());
    }

    /// The name that a source has for a post.
    pub fn load_source(&mut self, author: Uid, name: String, id: PostId) {
        self.posts.sources.put((author, name), Some(id));
    }

    /// Up to where a user has seen its home.
    pub fn load_seen(&mut self, uid: Uid, seen: Position) {
        self.feed.seen.put(uid, Some(seen));
    }
}

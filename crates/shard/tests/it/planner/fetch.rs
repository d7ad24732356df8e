//! The cells of a batch that a row of the planner is made of, as the cluster fetches them.

use super::GENE;
use super::database::Database;
use guanxi_model::limits::IMPORT_SPILL_MS;
use guanxi_model::plan::RowKey;
use guanxi_model::post::Kind;
use guanxi_model::{GroupId, PostId, Uid};
use guanxi_shard::cells::{Cells, OwnedGroups, Pair, Rows, SettingState};
use std::fmt::Debug;
use std::ops::Range;

impl Database {
    /// Fetches the row of a key into a batch.
    pub(super) fn fetch(&self, key: &RowKey, batch: &mut Rows) {
        let from = &self.tables;
        match key {
            RowKey::Said(a, b) | RowKey::Request(a, b) | RowKey::Cooldown(a, b) => {
                self.fetch_pair((*a, *b), batch);
                self.fetch_pair((*b, *a), batch);
            }
            RowKey::Removed(a, b) | RowKey::Mute(a, b) => self.fetch_pair((*a, *b), batch),
            RowKey::User(uid) | RowKey::RequestsSeen(uid) => copy(&from.users, &mut batch.users, uid),
            RowKey::Unlocking(uid) => copy(&from.unlocking, &mut batch.unlocking, uid),
            RowKey::Account(uid) => copy(&from.accounts.accounts, &mut batch.accounts.accounts, uid),
            RowKey::LoginName(name) => {
                copy(&from.accounts.login_names, &mut batch.accounts.login_names, name);
            }
            RowKey::Password(uid) => copy(&from.accounts.passwords, &mut batch.accounts.passwords, uid),
            RowKey::SignedOut(uid) => copy(&from.accounts.signed_out, &mut batch.accounts.signed_out, uid),
            RowKey::Claim(contact) => copy(&from.accounts.claims, &mut batch.accounts.claims, contact),
            RowKey::Session(gene, id) => copy(&from.sessions.by_id, &mut batch.sessions.by_id, &(*gene, *id)),
            RowKey::Sessions(uid) => self.fetch_sessions(*uid, batch),
            RowKey::ExternalUid(id) => copy(&from.dictionary.uids, &mut batch.dictionary.uids, id),
            RowKey::ExternalId(uid) => copy(&from.dictionary.ids, &mut batch.dictionary.ids, uid),
            RowKey::ErasedId(id) => {
                copy(&from.dictionary.erased, &mut batch.dictionary.erased, &from.terms().erased(id));
            }
            RowKey::Credential(name) => {
                copy(&from.settings.credentials, &mut batch.settings.credentials, name);
            }
            RowKey::Credentials => {
                let all = from.settings.credentials.range(..).filter(|(_, row)| row.is_some());
                let many = i64::try_from(all.count()).unwrap();
                batch.settings.state = Some(SettingState { change: 0, many });
            }
            RowKey::Audit(id) => copy(&from.settings.audit, &mut batch.settings.audit, id),
            RowKey::Seen(uid) => copy(&from.feed.seen, &mut batch.feed.seen, uid),
            RowKey::Dismissed(uid) => {
                copy(&from.suggestions.dismissed, &mut batch.suggestions.dismissed, uid);
            }
            RowKey::Affinities(uid) => {
                copy(&from.suggestions.affinities, &mut batch.suggestions.affinities, uid);
            }
            RowKey::Answer(actor, id) => {
                let key = (GENE, *actor, id.clone());
                match self.answers.get(&key) {
                    Some(answer) => batch.found_answer(key, answer.clone()),
                    None => batch.fetched_answer(key),
                }
            }
            _ => {
                if !self.fetch_of_posts(key, batch) {
                    self.fetch_of_groups(key, batch);
                }
            }
        }
    }

    /// Fetches everything that the first of two users knows of the second.
    fn fetch_pair(&self, pair: Pair, batch: &mut Rows) {
        let from = &self.tables;
        copy(&from.follows, &mut batch.follows, &pair);
        copy(&from.fans, &mut batch.fans, &pair);
        copy(&from.blocks, &mut batch.blocks, &pair);
        copy(&from.blocked_by, &mut batch.blocked_by, &pair);
        copy(&from.mutes, &mut batch.mutes, &pair);
        copy(&from.requests, &mut batch.requests, &pair);
        copy(&from.sent, &mut batch.sent, &pair);
    }

    fn fetch_sessions(&self, uid: Uid, batch: &mut Rows) {
        let ids = batch.sessions.of_users.entry(uid).or_default();
        for (key, session) in self.tables.sessions.by_id.range(..) {
            if session.as_ref().is_some_and(|session| session.uid == uid) {
                ids.insert(key.1);
                batch.sessions.by_id.found(key, session.clone());
            }
        }
    }

    /// Fetches a row of posts. Returns whether the key is of one.
    fn fetch_of_posts(&self, key: &RowKey, batch: &mut Rows) -> bool {
        let (from, to) = (&self.tables.posts, &mut batch.posts);
        match key {
            RowKey::Post(id) => copy(&from.posts, &mut to.posts, id),
            RowKey::Name(id) => {
                copy(&from.posts, &mut to.posts, id);
                to.named.insert(*id);
                let others = from
                    .sources
                    .range(..)
                    .filter(|(name, of)| **of == Some(*id) && from.also_named.contains(name));
                others.for_each(|(name, of)| to.sources.found(name, *of));
            }
            RowKey::Stats(id) => copy(&from.stats, &mut to.stats, id),
            RowKey::Like(id, uid) => copy(&from.liked, &mut to.liked, &(*uid, *id)),
            RowKey::Author(uid) => copy(&from.authors, &mut to.authors, uid),
            RowKey::Source(uid, name) => copy(&from.sources, &mut to.sources, &(*uid, name.clone())),
            RowKey::Reposts(uid, original) => {
                let posts = from.posts.range(..).filter_map(|(_, stored)| stored.post.as_ref());
                let stands = posts.map(|post| post.header).filter(|header| {
                    header.author == *uid
                        && !header.deleted
                        && matches!(header.kind, Kind::Repost { of, .. } if of == *original)
                });
                to.reposts.found((*uid, *original), stands.map(|header| header.id).collect());
            }
            RowKey::Taken(_, ms) => self.fetch_taken(*ms..ms + 1, batch),
            RowKey::TakenLater(_, ms) => self.fetch_taken(ms + 1..ms + IMPORT_SPILL_MS, batch),
            _ => return false,
        }
        true
    }

    /// Fetches which ids are taken at some milliseconds.
    fn fetch_taken(&self, at: Range<u64>, batch: &mut Rows) {
        let ids: Vec<PostId> = self.tables.posts.posts.range(..).map(|(id, _)| id).collect();
        for ms in at.clone() {
            batch.posts.taken.entry((GENE, ms)).or_default();
        }
        for id in ids.into_iter().filter(|id| at.contains(&id.ms())) {
            batch.posts.taken.entry((GENE, id.ms())).or_default().insert(id);
        }
    }

    fn fetch_of_groups(&self, key: &RowKey, batch: &mut Rows) {
        let (from, to) = (&self.tables.groups, &mut batch.groups);
        match *key {
            RowKey::OwnedGroups(owner) => {
                let of_owner = from.groups.range((owner, GroupId::MIN)..=(owner, GroupId::MAX));
                let many = of_owner.filter(|(_, group)| group.is_some()).count();
                let last = from.owned.get(owner).ok().and_then(|owned| owned.last);
                to.owned.found(owner, OwnedGroups { many, last });
            }
            RowKey::Group(owner, id) => copy(&from.groups, &mut to.groups, &(owner, id)),
            RowKey::GroupMember(owner, id, member) => {
                copy(&from.members, &mut to.members, &(owner, id, member));
            }
            RowKey::GroupMembers(owner, id) => {
                to.whole.insert((owner, id));
                let all = from.members.range((owner, id, Uid::MIN)..=(owner, id, Uid::MAX));
                all.filter(|(_, at)| at.is_some()).for_each(|(place, at)| to.members.found(place, *at));
            }
            RowKey::GroupsWith(owner, member) => {
                to.with.insert((owner, member));
                let of_owner =
                    from.members.range((owner, GroupId::MIN, Uid::MIN)..=(owner, GroupId::MAX, Uid::MAX));
                for (place, at) in of_owner.filter(|((.., uid), at)| *uid == member && at.is_some()) {
                    to.members.found(place, *at);
                }
            }
            // Where imports stand lies in another database.
            _ => assert!(matches!(key, RowKey::Job(_)), "{key:?} has no table"),
        }
    }
}

/// Copies a row of a table.
fn copy<K: Ord + Clone + Debug, V: Default + Clone>(table: &Cells<K, V>, batch: &mut Cells<K, V>, key: &K) {
    batch.found(key.clone(), table.get(key).cloned().unwrap_or_default());
}

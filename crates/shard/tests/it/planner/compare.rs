//! Everything that the tables of a database say must be what the in-memory backend says.

use super::database::Database;
use super::{GENE, USERS, u};
use guanxi_model::post::Kind;
use guanxi_model::{
    AuditEntry, Credential, Edge, GroupId, HistoryId, List, Logs, Page, PageStart, PairEnd, PairEndKind,
    Position, PostId, RelationRequest, RequestDirection, RequestKind, Session, Stamp, Uid,
};
use guanxi_ports::{Credentials, DueEnd, EndedUsers, Log, Sessions, Store as _, StoreView, UserLike, Walk};
use guanxi_shard::cells::{Cells, Pair, Rows};
use guanxi_spec::conformance::external_ids_world::{RandomExternalIds, dictionary};
use guanxi_spec::conformance::groups_world::groups_of;
use guanxi_spec::conformance::users_world::{RandomUsers, portraits};
use guanxi_spec::memory::MemoryStore;
use std::cmp::Reverse;
use std::fmt::Debug;

pub(super) async fn compare(database: &Database, model: &MemoryStore, (seed, now_ms): (u64, u64)) {
    let head = model.head().await.unwrap();
    let (mut events, mut at) = (Vec::new(), Position::beginning(head.history(), head.logs()));
    let log = Logs::PerGene.of_gene(GENE);
    while at.in_log(log) != head.in_log(log) {
        let batch = Log::read(model, log, &at, 1_000).await.unwrap();
        events.extend(batch.events);
        at = batch.position;
    }
    assert_eq!(database.log, events, "seed {seed}");
    let (rows, view) = (&database.tables, model.view(None).await.unwrap());
    for uid in (1..=USERS).map(u) {
        compare_relations(rows, &*view, uid).await;
        compare_own(rows, &*view, uid).await;
    }
    compare_waiting(rows, &*view).await;
    compare_groups(rows, &*view).await;
    compare_users(rows, &*view, model).await;
    compare_sessions(rows, model, now_ms).await;
    let credentials = rows.settings.credentials.range(..).filter_map(|(_, credential)| credential.clone());
    assert_eq!(credentials.collect::<Vec<Credential>>(), Credentials::list(model).await.unwrap());
    let mut audit: Vec<AuditEntry> =
        rows.settings.audit.range(..).filter_map(|(_, entry)| entry.clone()).collect();
    audit.reverse();
    assert_eq!(audit, view.audit_entries(None, usize::MAX).await.unwrap());
    assert_eq!(rows.settings.policy.unwrap_or_default(), view.fanout_policy().await.unwrap());
    let uids = RandomExternalIds::ids().into_iter().map(|id| row(&rows.dictionary.uids, id));
    let ids = RandomExternalIds::uids().into_iter().map(|uid| row(&rows.dictionary.ids, uid));
    let ours = (uids.collect::<Vec<_>>(), ids.collect::<Vec<_>>());
    assert!(ours.0.iter().any(Option::is_some), "some ids have a uid in every run");
    assert_eq!(ours, dictionary(&*view).await);
    compare_posts(rows, &*view).await;
}

/// A row of a table.
fn row<K: Ord + Clone + Debug, V: Default + Clone>(table: &Cells<K, V>, key: K) -> V {
    table.get(key).cloned().unwrap_or_default()
}

/// The rows of a user by the other user, newest first.
fn edges<V: Default + Clone>(
    table: &Cells<Pair, V>,
    uid: Uid,
    at: impl Fn(&V) -> Option<Stamp>,
) -> Vec<Edge> {
    let of_user = table.range((uid, Uid::MIN)..=(uid, Uid::MAX));
    newest_first(of_user.filter_map(|((_, other), row)| Some((other, at(row)?))))
}

/// Users by times.
fn newest_first(users: impl Iterator<Item = (Uid, Stamp)>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = users.map(|(uid, at)| Edge { at, uid }).collect();
    edges.sort_unstable_by_key(|edge| Reverse(*edge));
    edges
}

/// What a user and others have said about each other.
async fn compare_relations(rows: &Rows, view: &dyn StoreView, uid: Uid) {
    let user = row(&rows.users, uid);
    assert_eq!(user.counts, view.counts(&[uid]).await.unwrap()[0], "counts of {uid}");
    assert_eq!(user.follow_limit, view.follow_limit(uid).await.unwrap().own);
    for (list, ours) in [
        (List::Following, edges(&rows.follows, uid, |row| row.active.then_some(row.at))),
        (List::Followers, edges(&rows.fans, uid, |row| row.active.then_some(row.at))),
        (List::Friends, edges(&rows.follows, uid, |row| row.friend_at)),
        (List::Blocks, edges(&rows.blocks, uid, |row| row.active.then_some(row.at))),
        (List::Mutes, edges(&rows.mutes, uid, |row| row.active.then_some(row.at))),
    ] {
        let page = Page::new(PageStart::Newest, 1_000).unwrap();
        assert_eq!(ours, view.list(uid, list, page).await.unwrap().items, "{list:?} of {uid}");
    }
    let mut left =
        edges(&rows.follows, uid, |row| (!row.active && row.version > Stamp::ZERO).then_some(row.version));
    left.sort_unstable_by_key(|edge| edge.uid);
    let removed = view.removed_follows(uid, Walk::new(None, usize::MAX)).await.unwrap();
    assert_eq!(left, removed, "whom {uid} has left");
}

/// What a user has alone.
async fn compare_own(rows: &Rows, view: &dyn StoreView, uid: Uid) {
    let author = row(&rows.posts.authors, uid).of(uid);
    assert_eq!(author.head, view.heads(&[uid]).await.unwrap()[0], "head of {uid}");
    assert_eq!(author.created_from, view.created_from(&[uid]).await.unwrap()[0], "first post of {uid}");
    let scores = row(&rows.suggestions.affinities, uid).now.ranked();
    assert_eq!(scores, view.affinities(uid).await.unwrap(), "scores of {uid}");
    let dismissed = newest_first(row(&rows.suggestions.dismissed, uid).now.into_iter());
    assert_eq!(dismissed, view.dismissed(uid).await.unwrap(), "whom {uid} has dismissed");
    let likes = rows.posts.liked.range((uid, PostId::MIN)..=(uid, PostId::MAX));
    let likes = likes.filter(|(_, like)| like.active).map(|((_, id), like)| UserLike { id, at: like.at });
    let theirs = view.likes_by(uid, Walk::new(None, usize::MAX)).await.unwrap();
    assert_eq!(likes.collect::<Vec<_>>(), theirs, "likes of {uid}");
    let names =
        rows.posts.sources.range((uid, String::new())..).take_while(|((author, _), _)| *author == uid);
    let names: Vec<_> = names.filter_map(|((_, name), id)| Some((name, (*id)?))).collect();
    let theirs = view.imported_names(uid, Walk::new(None, usize::MAX)).await.unwrap();
    assert_eq!(names, theirs, "names of the posts of {uid}");
    let seen = row(&rows.feed.seen, uid).unwrap_or_else(|| Position::beginning(HistoryId(1), Logs::PerGene));
    assert_eq!(seen, view.seen(uid).await.unwrap(), "what {uid} has seen");
    let requests_seen = Some(row(&rows.users, uid).requests_seen).filter(|seen| *seen > Stamp::ZERO);
    assert_eq!(
        requests_seen,
        view.user_notes(uid).await.unwrap().requests_seen,
        "requests that {uid} has seen"
    );
}

/// What waits, and what ends when.
async fn compare_waiting(rows: &Rows, view: &dyn StoreView) {
    let page = Page::new(PageStart::Newest, 1_000).unwrap();
    let (mut ours, mut theirs, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for receiver in (1..=USERS).map(u) {
        for kind in RequestKind::ALL {
            let asked = view.requests(receiver, RequestDirection::Incoming, kind, page).await.unwrap();
            theirs.extend(asked.items);
        }
    }
    for ((receiver, sender), row) in rows.requests.range(..) {
        let end = |at_ms, kind| DueEnd { at_ms, end: PairEnd { kind, owner: receiver, other: sender } };
        if let Some(asked) = row.asked.clone() {
            let (kind, at, expires_ms, message) = (asked.kind, asked.at, asked.expires_ms, asked.message);
            ours.push(RelationRequest { sender, receiver, kind, at, expires_ms, message });
            ends.push(end(expires_ms, PairEndKind::Request));
        }
        ends.extend(row.past.map(|row| end(row.past.until_ms(), PairEndKind::Cooldown)));
    }
    theirs.sort_unstable_by_key(|request| (request.receiver, request.sender));
    assert_eq!(ours, theirs, "who has asked whom");
    for ((owner, other), mute) in rows.mutes.range(..).filter(|(_, mute)| mute.active) {
        let end = PairEnd { kind: PairEndKind::Mute, owner, other };
        ends.extend(mute.terms.until_ms.map(|at_ms| DueEnd { at_ms, end }));
    }
    ends.sort_unstable();
    assert_eq!(ends, view.due_ends(u64::MAX, Walk::new(None, usize::MAX)).await.unwrap());
    let unlocking: Vec<_> = rows.unlocking.range(..).filter_map(|(uid, at)| Some((uid, (*at)?))).collect();
    assert_eq!(unlocking, view.unlocking(Walk::new(None, usize::MAX)).await.unwrap());
}

/// Groups and who is in them.
async fn compare_groups(rows: &Rows, view: &dyn StoreView) {
    let owners: Vec<Uid> = (1..=USERS).map(u).collect();
    let of_owner = |owner: &Uid| rows.groups.groups.range((*owner, GroupId::MIN)..=(*owner, GroupId::MAX));
    let mut ours = Vec::new();
    for group in owners.iter().flat_map(of_owner).filter_map(|(_, group)| group.clone()) {
        let (owner, id) = (group.owner, group.id);
        let members = rows.groups.members.range((owner, id, Uid::MIN)..=(owner, id, Uid::MAX));
        let members = newest_first(members.filter_map(|((.., uid), at)| Some((uid, (*at)?))));
        ours.push((group, members));
    }
    assert!(ours.iter().any(|(group, _)| group.members > 0), "some groups have members in every run");
    assert_eq!(ours, groups_of(view, &owners).await, "groups");
    for member in owners {
        let all = rows.groups.members.range(..).filter(|((.., uid), at)| *uid == member && at.is_some());
        let ours: Vec<_> = all.map(|((owner, id, _), _)| (owner, id)).collect();
        assert_eq!(ours, view.memberships(member, Walk::new(None, usize::MAX)).await.unwrap());
    }
}

/// Accounts, and what finds them.
async fn compare_users(rows: &Rows, view: &dyn StoreView, model: &MemoryStore) {
    let everybody = RandomUsers::everybody(Some(GENE));
    let cells = &rows.accounts;
    for (uid, (user, _, named, password)) in everybody.iter().zip(portraits(view, &everybody, true).await) {
        assert_eq!(row(&cells.accounts, *uid), user, "user {uid}");
        let name = user.and_then(|user| user.login_name);
        assert_eq!(name.and_then(|name| row(&cells.login_names, name)), named, "login name of {uid}");
        assert_eq!(row(&cells.passwords, *uid), password, "password of {uid}");
        if !EndedUsers::is_gone(model, *uid) {
            let not_before_ms = row(&cells.signed_out, *uid).map_or(0, |at_ms| at_ms + 1);
            assert_eq!(not_before_ms, model.not_before_ms(*uid), "sign-out of {uid}");
        }
    }
    for contact in RandomUsers::contacts() {
        let claim = view.claim_of(&contact).await.unwrap();
        assert_eq!(row(&cells.claims, contact.clone()), claim, "{contact:?}");
    }
}

/// Valid sessions.
async fn compare_sessions(rows: &Rows, model: &MemoryStore, now_ms: u64) {
    let sessions: &dyn Sessions = model;
    for uid in RandomUsers::everybody(Some(GENE)) {
        let all = rows.sessions.by_id.range(..).filter_map(|(_, session)| session.clone());
        let live = all.filter(|session| session.uid == uid && session.is_live(now_ms));
        let mut live: Vec<Session> = live.collect();
        live.sort_by_key(|session| (Reverse(session.created_ms), session.id));
        assert_eq!(live, sessions.list(uid, None, 100).await.unwrap().sessions, "sessions of {uid}");
    }
}

/// Posts, who likes them, and what shares them.
async fn compare_posts(rows: &Rows, view: &dyn StoreView) {
    let tables = &rows.posts;
    for (id, stored) in tables.posts.range(..).filter(|(_, stored)| stored.post.is_some()) {
        assert_eq!(stored.post, view.posts(&[id]).await.unwrap()[0], "post {id}");
        assert_eq!(row(&tables.stats, id), view.stats(&[id]).await.unwrap()[0], "counters of {id}");
        let likers = tables.likers.range((id, Uid::MIN)..=(id, Uid::MAX));
        let likers = likers.filter(|(_, like)| like.active).map(|((_, uid), like)| (uid, like.at));
        let page = Page::new(PageStart::Newest, 1_000).unwrap();
        assert_eq!(newest_first(likers), view.likers(id, page).await.unwrap().items, "likers of {id}");
        let answers = tables.references.range((id, PostId::MIN)..=(id, PostId::MAX));
        let is_share = |id: PostId| {
            let post = row(&tables.posts, id).post.unwrap();
            matches!(post.header.kind, Kind::Repost { .. } | Kind::Quote { .. })
        };
        let shares = answers.filter(|((_, id), row)| row.active && is_share(*id));
        let mut reposts: Vec<PostId> = shares.map(|((_, id), _)| id).collect();
        reposts.reverse();
        assert_eq!(reposts, view.reposts_of(id, None, usize::MAX).await.unwrap(), "reposts of {id}");
        let revisions = tables.revisions.range((id, 0)..=(id, u32::MAX));
        let mut revisions: Vec<_> = revisions.filter_map(|(_, revision)| revision.clone()).collect();
        revisions.reverse();
        assert_eq!(revisions, view.revisions(id, None, usize::MAX).await.unwrap(), "revisions of {id}");
    }
}

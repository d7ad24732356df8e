//! Every call is counted, under its own name.

use guanxi_model::affinity::AffinityCommand;
use guanxi_model::post::{Body, Draft, Edit, PostCommand};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::user::{ImportUser, UserCommand};
use guanxi_model::{
    AuditCommand, Command, Credential, CredentialCommand, EventAt, FanoutPolicy, GroupCommand, GroupId,
    HistoryId, List, ManualClock, Op, Page, PairCommand, Position, PostId, Principal, RequestDirection,
    RequestKind, Session, SessionCommand, Uid, Visibility, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::metered::ops;
use guanxi_ports::{Facts as _, FollowsAsk, MarkKind, Metered, OutboxAsk, Store};
use guanxi_spec::memory::{MemoryStore, Options};
use metrics::{Counter, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const GRAPH: [&str; 3] = ["guanxi_graph_ops_total", "guanxi_graph_seconds", "guanxi_graph_errors_total"];
const GROUPS: [&str; 3] = ["guanxi_group_ops_total", "guanxi_group_seconds", "guanxi_group_errors_total"];
const USERS: [&str; 3] = ["guanxi_user_ops_total", "guanxi_user_seconds", "guanxi_user_errors_total"];
const POSTS: [&str; 3] = ["guanxi_post_ops_total", "guanxi_post_seconds", "guanxi_post_errors_total"];

/// Returns the labels of a family.
fn ops_of(family: &'static str) -> impl Iterator<Item = &'static str> {
    ops().into_iter().filter(move |(of, _)| *of == family).map(|(_, op)| op)
}

/// Dashboards and alerts name metrics and labels: they stay as they are, and this list says which they are.
#[test]
fn names_and_labels_are_those_of_the_golden_list() {
    let golden = include_str!("../../../../tests-data/metric-ops.txt");
    let mut ours: Vec<String> = ops().iter().map(|(family, op)| format!("{family} {op}")).collect();
    ours.sort();
    assert_eq!(ours.iter().map(String::as_str).collect::<Vec<_>>(), golden.lines().collect::<Vec<_>>());
}

/// Counts increments and samples by metric and label.
#[derive(Default)]
struct Counting(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

struct Samples(Arc<AtomicU64>);

impl metrics::HistogramFn for Samples {
    fn record(&self, seconds: f64) {
        assert!((0.0..60.0).contains(&seconds), "{seconds} are seconds");
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counting {
    fn cell(&self, key: &Key) -> Arc<AtomicU64> {
        let op = key.labels().next().map(|label| label.value().to_owned()).unwrap_or_default();
        self.0
            .lock()
            .expect("nobody panics while counting")
            .entry(format!("{} {op}", key.name()))
            .or_default()
            .clone()
    }

    fn of(&self, names: [&str; 3], op: &str) -> [u64; 3] {
        let cells = self.0.lock().expect("nobody panics while counting");
        names.map(|name| cells[&format!("{name} {op}")].load(Ordering::Relaxed))
    }
}

impl Recorder for Counting {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> metrics::Gauge {
        metrics::Gauge::noop()
    }
    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Samples(self.cell(key))))
    }
}

#[tokio::test]
async fn every_call_is_counted_and_timed_under_its_name() {
    let recorder = Counting::default();
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
    let graph = metrics::with_local_recorder(&recorder, || Metered::new(store));
    let [a, b] = [1, 2].map(|n| Uid::new(n).unwrap());
    for op in Op::ALL {
        graph.apply(Write::of(PairCommand { op, subject: a, object: b })).await.unwrap();
    }
    graph.apply(Write::default()).await.unwrap();
    graph.apply(Write::edges(vec![], false)).await.unwrap();
    graph.apply(Write::of(Command::FollowLimit { uid: a, limit: None })).await.unwrap();
    let view = graph.view(None).await.unwrap();
    view.relations(a, &[b]).await.unwrap();
    view.pairs(&[(a, b)]).await.unwrap();
    for list in List::ALL {
        view.list(a, list, Page::first()).await.unwrap();
    }
    view.counts(&[a]).await.unwrap();
    view.known_followers(a, b, Page::first(), None).await.unwrap();
    view.mutual_following(a, b, Page::first(), None).await.unwrap();
    let ask = FollowsAsk { subjects: &[a], newest: 1 };
    view.count_followed(ask, 1).await.unwrap();
    view.who_follows(ask, &[b]).await.unwrap();
    view.standings(&[a]).await.unwrap();
    view.standings_beside(&[(a, b)]).await.unwrap();
    view.follow_limit(a).await.unwrap();
    view.import_position("job").await.unwrap();
    view.edges(Walk::new(None, 1)).await.unwrap();
    view.restrictions(guanxi_model::RestrictionKind::Block, Walk::new(None, 1)).await.unwrap();
    view.marked_by(a, MarkKind::Mute, Walk::new(None, 1)).await.unwrap();
    view.removed_follows(a, Walk::new(None, 1)).await.unwrap();
    view.all_removed_follows(Walk::new(None, 1)).await.unwrap();
    view.affinities(a).await.unwrap();
    view.scored_by(a, Walk::new(None, 1)).await.unwrap();
    graph.apply(Write::of(AffinityCommand::forget(a, []))).await.unwrap();
    view.dismissed(a).await.unwrap();
    view.dismissed_by(a, Walk::new(None, 1)).await.unwrap();
    graph.apply(Write::of(DismissCommand { viewer: a, uid: b, dismissed: true })).await.unwrap();
    graph.apply(Write::of(Command::DropTombstones { pairs: vec![], until: None })).await.unwrap();
    graph.apply(Write::of(Command::ForgetRejection { owner: a, other: b })).await.unwrap();
    graph.apply(Write::of(Command::EndUnlock { uid: a, since: guanxi_model::Stamp::ZERO })).await.unwrap();
    graph.apply(Write::of(Command::MarkRequestsSeen { uid: a, seen: None })).await.unwrap();
    view.requests(a, RequestDirection::Incoming, RequestKind::Friend, Page::first()).await.unwrap();
    view.unseen_requests(a, RequestKind::Friend, 1).await.unwrap();
    view.rejections(a, Walk::new(None, 1)).await.unwrap();
    view.user_notes(a).await.unwrap();
    view.mute_terms(a, &[b]).await.unwrap();
    view.due_ends(1, Walk::new(None, 1)).await.unwrap();
    view.unlocking(Walk::new(None, 1)).await.unwrap();
    for op in ops_of("graph") {
        assert_eq!(recorder.of(GRAPH, op), [1, 1, 0], "{op}");
    }
    view.pairs(&[(a, b)]).await.unwrap();
    assert_eq!(recorder.of(GRAPH, "pairs"), [2, 2, 0]);
    let offset = Page::new(guanxi_model::PageStart::Offset(1), 1).unwrap();
    view.list(a, List::Followers, offset).await.unwrap_err();
    assert_eq!(recorder.of(GRAPH, "list_followers"), [2, 2, 1]);
}

#[tokio::test]
async fn every_call_of_posts_is_counted_and_timed_under_its_name() {
    let recorder = Counting::default();
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
    let posts = metrics::with_local_recorder(&recorder, || Metered::new(store));
    let (uid, id) = (Uid::MIN, PostId::MIN);
    let visibility = Visibility::Public;
    let draft = Draft { author: uid, body: Body::default(), visibility, reply_to: None, repost_of: None };
    let edit = Edit { text: None, attachments: None, visibility: None, expected_revision: None };
    for command in [
        PostCommand::Create(draft),
        PostCommand::Update { author: uid, id, edit },
        PostCommand::Delete { author: uid, id },
        PostCommand::Restore { author: uid, id },
        PostCommand::Like { uid, id },
        PostCommand::Unlike { uid, id },
        PostCommand::UndoRepost { uid, id },
        PostCommand::Purge { author: uid, id, deleted_until: None },
        PostCommand::EndPurge { author: uid, id },
        PostCommand::TakeDown { author: uid, id, reason: "spam".to_owned() },
        PostCommand::Reinstate { author: uid, id },
    ] {
        posts.apply(Write::of(command)).await.unwrap();
    }
    posts.apply(Write::of(Command::ImportPosts(vec![]))).await.unwrap();
    posts.apply(Write::of(Command::ImportLikes(vec![]))).await.unwrap();
    posts.apply(Write::of(Command::MarkSeen { uid, seen: Position::one(HistoryId(1), 0) })).await.unwrap();
    posts.apply(Write::of(Command::FanoutPolicy(FanoutPolicy::default()))).await.unwrap();
    let view = posts.view(None).await.unwrap();
    view.viewer_relations(uid).await.unwrap();
    view.heads(&[uid]).await.unwrap();
    view.created_from(&[uid]).await.unwrap();
    view.outboxes(&[], 1).await.unwrap();
    view.headers(&[id]).await.unwrap();
    view.posts(&[id]).await.unwrap();
    view.revisions(id, None, 1).await.unwrap();
    view.stats(&[id]).await.unwrap();
    view.shown(Some(uid), &[id]).await.unwrap();
    view.likers(id, Page::first()).await.unwrap();
    view.reposts_of(id, None, 1).await.unwrap();
    view.all_posts(Walk::new(None, 1)).await.unwrap();
    view.all_likes(Walk::new(None, 1)).await.unwrap();
    view.likes_by(uid, Walk::new(None, 1)).await.unwrap();
    view.imported_names(uid, Walk::new(None, 1)).await.unwrap();
    view.deleted_posts(Walk::new(None, 1)).await.unwrap();
    view.follow(&[uid], uid).await.unwrap();
    view.blocked_by(uid, &[uid]).await.unwrap();
    view.in_groups(uid, &[]).await.unwrap();
    view.confirm(uid).await.unwrap();
    posts.is_applied(uid, EventAt::default()).await.unwrap();
    view.seen(uid).await.unwrap();
    view.fanout_policy().await.unwrap();
    view.stored_headers(OutboxAsk { author: uid, below: None }, 1).await.unwrap();
    for op in ops_of("post") {
        assert_eq!(recorder.of(POSTS, op), [1, 1, 0], "{op}");
    }
    view.relations(uid, &[uid]).await.unwrap();
    assert_eq!(recorder.of(GRAPH, "relations"), [1, 1, 0]);
    posts
        .apply(Write::of(Command::MarkSeen { uid, seen: Position::one(HistoryId(1), 1) }))
        .await
        .unwrap_err();
    assert_eq!(recorder.of(POSTS, "mark_seen"), [2, 2, 1]);
}

#[tokio::test]
async fn every_call_of_groups_is_counted_and_timed_under_its_name() {
    let recorder = Counting::default();
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
    let graph = metrics::with_local_recorder(&recorder, || Metered::new(store));
    let (owner, id, members) = (Uid::MIN, GroupId::MIN, || vec![Uid::MAX]);
    let create = |name: &str| GroupCommand::Create { owner, name: name.to_owned() };
    for command in [
        create("friends"),
        GroupCommand::Update { owner, id, name: None, expected_revision: None },
        GroupCommand::SetMembers { owner, id, members: members(), expected_revision: None },
        GroupCommand::AddMembers { owner, id, members: members() },
        GroupCommand::RemoveMembers { owner, id, members: members() },
        GroupCommand::Delete { owner, id },
    ] {
        graph.apply(Write::of(command)).await.unwrap();
    }
    let view = graph.view(None).await.unwrap();
    view.groups(owner).await.unwrap();
    view.group(owner, id).await.unwrap();
    view.group_members(owner, id, Page::first()).await.unwrap();
    view.group_uids(owner, id).await.unwrap();
    view.groups_with(owner, &[Uid::MAX]).await.unwrap();
    view.memberships(Uid::MAX, Walk::new(None, 1)).await.unwrap();
    for op in ops_of("group") {
        assert_eq!(recorder.of(GROUPS, op), [1, 1, 0], "{op}");
    }
    graph.apply(Write::of(create(""))).await.unwrap_err();
    assert_eq!(recorder.of(GROUPS, "create"), [2, 2, 1]);
}

#[tokio::test]
async fn users_who_come_and_go_in_lists_are_counted_and_timed() {
    let recorder = Counting::default();
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
    let graph = metrics::with_local_recorder(&recorder, || Metered::new(store));
    let user = Box::new(ImportUser::unknown(Uid::MIN));
    graph.apply(Write::of(UserCommand::Import { user, reserved: [None, None] })).await.unwrap();
    assert_eq!(recorder.of(USERS, "import_user"), [1, 1, 0]);
    graph.view(None).await.unwrap().all_users(Walk::new(None, 1)).await.unwrap();
    assert_eq!(recorder.of(USERS, "all_users"), [1, 1, 0]);
}

#[tokio::test]
async fn writes_of_sessions_and_tokens_are_counted_and_timed_under_their_names() {
    let recorder = Counting::default();
    let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
    let graph = metrics::with_local_recorder(&recorder, || Metered::new(store));
    let (uid, hash) = (Uid::MIN, [1; 32]);
    let (name, principal) = ("ops".to_owned(), Principal::Admin);
    let credential = Credential { hash, name: name.clone(), principal, created_ms: 1, rate_per_minute: None };
    for (op, command) in [
        ("begin_session", Command::from(SessionCommand::begin(Session::lone(uid, hash, 1)))),
        ("end_session", SessionCommand::End { uid, id: hash }.into()),
        ("sign_out", SessionCommand::SignOut { uid }.into()),
        ("add_credential", CredentialCommand::Add(credential).into()),
        ("revoke_credential", CredentialCommand::Revoke { name }.into()),
        ("write_audit", AuditCommand::Forget { ids: Vec::new() }.into()),
    ] {
        graph.apply(Write::of(command)).await.unwrap();
        assert_eq!(recorder.of(USERS, op), [1, 1, 0], "{op}");
    }
    graph.view(None).await.unwrap().audit_entries(None, 1).await.unwrap();
    assert_eq!(recorder.of(USERS, "audit_entries"), [1, 1, 0]);
}

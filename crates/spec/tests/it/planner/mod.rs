//! The planner of the model over rows that were fetched beforehand, held against the in-memory backend.
//!
//! It is the way of a backend behind a network: fetch what [`needed`] names until it names nothing new, plan over these rows
//! alone, write what changed. A row that was not named cannot be read here, so a plan that reads it fails the run.

mod audit;
mod credentials;
mod external_ids;
mod groups;
mod rows;
mod sessions;
mod suggestions;
mod users;
mod waiting;

use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::plan::{Planned, Planner, needed};
use guanxi_model::post::{AuthorRow, Body, Draft, ImportPost, PostCommand, Visibility};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{
    AuditEntry, Clock as _, Command, Credential, GroupCommand, GroupId, ImportEdge, List, LogId, ManualClock,
    Op, Outcome, Page, PageStart, PairCommand, Position, PostId, Reason, RequestDirection, RequestKey,
    RequestKind, Result, Session, Stamp, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Applied, Credentials, EndedUsers, Facts as _, Log, Sessions, Store as _, StoreView};
use guanxi_spec::conformance::Rng;
use guanxi_spec::conformance::audit::RandomAudit;
use guanxi_spec::conformance::credentials::RandomCredentials;
use guanxi_spec::conformance::external_ids_world::{RandomExternalIds, dictionary};
use guanxi_spec::conformance::groups_world::{RandomGroups, groups_of};
use guanxi_spec::conformance::model_check::random_waiting;
use guanxi_spec::conformance::posts_model_check::RandomPosts;
use guanxi_spec::conformance::session_writes::RandomSessions;
use guanxi_spec::conformance::users_world::{RandomUsers, portraits};
use guanxi_spec::memory::{MemoryStore, Options};
use rows::{Rows, Selected};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const USERS: u64 = 7;
const START_MS: u64 = 1_700_000_000_000;

/// Rounds of fetching that no write exceeds, the last one of which names nothing new.
const ROUNDS_MAX: usize = 6;

/// Limits so low that they are reached.
fn options() -> Options {
    Options { follow_limit: 4, block_limit: 2, mute_limit: 2, ..Options::default() }
}

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// Applies a write to rows as such a backend would.
fn apply(rows: &mut Rows, write: &Write, now_ms: u64) -> Result<Applied> {
    let mut fetched = BTreeSet::new();
    for round in 0.. {
        assert!(round < ROUNDS_MAX, "{write:?} asks for more rows in every round");
        let named = needed(write, &Selected::of(&*rows, &fetched));
        if named.is_subset(&fetched) {
            break;
        }
        fetched.extend(named);
    }
    let mut planned_rows = rows.clone();
    let mut state = Selected::of(&mut planned_rows, &fetched);
    let planned = Planner::new(&mut state, now_ms).write(write.clone());
    match planned.unwrap_or_else(|missing| panic!("{missing:?} was not fetched for {write:?}")) {
        Ok(Planned { outcomes, repeated }) => {
            *rows = planned_rows;
            Ok(Applied { position: repeated.unwrap_or_else(|| rows.position()), outcomes })
        }
        Err(error) => {
            assert_eq!(&planned_rows, rows, "a refused write leaves no trace: {write:?}");
            Err(error)
        }
    }
}

/// Writes of relations: single ones and batches, imports, limits, some of them repeated under their request id.
struct RandomRelations {
    rng: Rng,
    asked: Vec<Write>,
    /// Since when users unlock themselves.
    unlocking: BTreeMap<Uid, Stamp>,
}

impl RandomRelations {
    fn user(&mut self) -> Uid {
        u(1 + self.rng.below(USERS))
    }

    fn command(&mut self) -> Command {
        match self.rng.below(20) {
            5 => {
                let addition = |play: &mut Self| {
                    let (at, weight) = (START_MS - play.rng.below(1 << 40), play.rng.below(50));
                    (play.user(), Score::of(weight, at, 86_400_000))
                };
                let additions = (0..=self.rng.below(4)).map(|_| addition(self)).collect();
                let (actor, half_life_ms) =
                    (self.user(), [0, 86_400_000, 86_400_000, 1 << 30][self.rng.below(4) as usize]);
                let is_fact = self.rng.below(2) == 0;
                Command::Affinity(AffinityCommand { actor, half_life_ms, additions, is_fact })
            }
            4 => {
                let (viewer, uid, dismissed) = (self.user(), self.user(), self.rng.below(3) > 0);
                Command::Dismiss(DismissCommand { viewer, uid, dismissed })
            }
            16..20 => {
                let (subject, object) = (self.user(), self.user());
                match self.rng.below(8) {
                    0 => Command::ForgetRejection { owner: subject, other: object },
                    1 => {
                        let since = self.unlocking.get(&subject).copied().unwrap_or(Stamp::ZERO);
                        Command::EndUnlock { uid: subject, since }
                    }
                    _ => random_waiting(&mut self.rng, subject, object, None),
                }
            }
            0 => {
                let (uid, limit) = (self.user(), self.rng.below(6) as u32);
                Command::FollowLimit { uid, limit: (limit < 5).then_some(limit) }
            }
            3 => {
                let pairs = (0..self.rng.below(4)).map(|_| (self.user(), self.user())).collect();
                let until = Some(Stamp::from_ms(self.rng.below(4_000))).filter(|_| self.rng.below(2) == 0);
                Command::DropTombstones { pairs, until }
            }
            1 | 2 => {
                let edge = |play: &mut Self| ImportEdge::new(play.user(), play.user(), None);
                let edges = (0..self.rng.below(5)).map(|_| edge(self)).collect();
                Command::ImportEdges { edges, revive: self.rng.below(2) == 0 }
            }
            _ => {
                let op = if self.rng.below(2) == 0 { Op::Follow } else { *self.rng.pick(&Op::ALL) };
                Command::Pair(PairCommand { op, subject: self.user(), object: self.user() })
            }
        }
    }

    fn write(&mut self) -> Write {
        if !self.asked.is_empty() && self.rng.below(8) == 0 {
            let mut again = self.rng.pick(&self.asked).clone();
            if self.rng.below(3) == 0 {
                again.request.as_mut().unwrap().fingerprint += 1;
            }
            return again;
        }
        let commands: Vec<Command> = (0..=self.rng.below(4)).map(|_| self.command()).collect();
        let write = Write::all(commands);
        if self.rng.below(4) > 0 {
            return write;
        }
        let (actor, id, fingerprint) = (self.user(), format!("r{}", self.rng.below(40)), self.rng.bits());
        let write = write.under(Some(RequestKey { actor, id, fingerprint }));
        self.asked.push(write.clone());
        write
    }
}

async fn lockstep(seed: u64) {
    let clock = Arc::new(ManualClock::new(START_MS));
    let model = MemoryStore::new(clock.clone(), options());
    let mut rows = Rows::new(&options());
    let (mut posts, mut relations) = (
        RandomPosts::new(seed, false, None),
        RandomRelations { rng: Rng::new(!seed), asked: Vec::new(), unlocking: BTreeMap::new() },
    );
    let mut users = RandomUsers::new(Rng::new(seed ^ 0xa11ce), None);
    let mut sessions = RandomSessions::new(Rng::new(seed ^ 0x5e55), RandomUsers::everybody(None));
    let mut credentials = RandomCredentials::new(Rng::new(seed ^ 0xc4ed));
    let mut audit = RandomAudit::new(Rng::new(seed ^ 0xa0d1));
    let mut external_ids = RandomExternalIds::new(Rng::new(seed ^ 0xe47));
    let mut groups = RandomGroups::new(Rng::new(seed ^ 0x97), USERS, None);
    for step in 0..480 {
        let write = match relations.rng.below(8) {
            0 | 1 => relations.write(),
            6 | 7 => Write::all((0..=relations.rng.below(2)).map(|_| groups.command())),
            2 if step % 3 == 0 => Write::of(external_ids.command()),
            2 if step % 12 == 4 => Write::all((0..3).map(|_| audit.command())),
            2 if step % 6 == 1 => Write::all((0..3).map(|_| credentials.command())),
            2 if step % 3 == 1 => Write::of(sessions.command(clock.now_ms())),
            2 => Write::of(users.command(clock.now_ms())),
            _ => {
                let head = model.head().await.unwrap();
                posts.write(clock.now_ms(), &head)
            }
        };
        let (ours, theirs) = (apply(&mut rows, &write, clock.now_ms()), model.apply(write.clone()).await);
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => {
                assert_eq!(ours.outcomes, theirs.outcomes, "seed {seed}, step {step}: {write:?}");
                posts.note(&write, ours);
            }
            _ => assert_eq!(
                ours.as_ref().map_err(|error| error.reason.clone()),
                theirs.as_ref().map_err(|error| error.reason.clone()),
                "seed {seed}, step {step}: {write:?}"
            ),
        }
        let unlocking = model.view(None).await.unwrap().unlocking(Walk::new(None, usize::MAX)).await.unwrap();
        relations.unlocking = unlocking.into_iter().collect();
        let days = if relations.rng.below(20) == 0 { 8 * 24 * 3_600_000 } else { 1_000 };
        clock.set(clock.now_ms() + relations.rng.below(days));
    }
    compare(&rows, &model, (seed, clock.now_ms())).await;
}

/// Everything that the rows say must be what the model says.
async fn compare(rows: &Rows, model: &MemoryStore, (seed, now_ms): (u64, u64)) {
    let head = model.head().await.unwrap();
    let beginning = Position::beginning(head.history(), head.logs());
    let (mut events, mut at) = (Vec::new(), beginning);
    while !at.covers(&head) {
        let batch = Log::read(model, LogId(0), &at, 1_000).await.unwrap();
        events.extend(batch.events);
        at = batch.position;
    }
    assert_eq!(rows.events, events, "seed {seed}");
    let view = model.view(None).await.unwrap();
    let posts = model.view(None).await.unwrap();
    for uid in (1..=USERS).map(u) {
        assert_eq!(rows.counts(uid), view.counts(&[uid]).await.unwrap()[0], "counts of {uid}");
        let AuthorRow { head, created_from } = rows.author(uid);
        assert_eq!(head, posts.heads(&[uid]).await.unwrap()[0], "head of {uid}");
        assert_eq!(created_from, posts.created_from(&[uid]).await.unwrap()[0], "first post of {uid}");
        let page = Page::new(PageStart::Newest, 1_000).unwrap();
        assert_eq!(rows.followers(uid), view.list(uid, List::Followers, page).await.unwrap().items);
        assert_eq!(rows.following(uid), view.list(uid, List::Following, page).await.unwrap().items);
        let scores = rows.affinities.get(&uid).cloned().unwrap_or_default().ranked();
        assert_eq!(scores, view.affinities(uid).await.unwrap(), "scores of {uid}");
        assert_eq!(rows.dismissed_of(uid), view.dismissed(uid).await.unwrap(), "whom {uid} has dismissed");
        assert_eq!(rows.limit(uid), view.follow_limit(uid).await.unwrap().own);
        let removed = view.removed_follows(uid, Walk::new(None, usize::MAX)).await.unwrap();
        assert_eq!(rows.removed_follows(uid), removed, "whom {uid} has left");
        assert_eq!(
            rows.likes_by(uid),
            posts.likes_by(uid, Walk::new(None, usize::MAX)).await.unwrap(),
            "likes of {uid}"
        );
    }
    compare_waiting(rows, &*view).await;
    compare_groups(rows, &*view).await;
    let everybody = RandomUsers::everybody(None);
    for (uid, (user, _, named, password)) in everybody.iter().zip(portraits(&*view, &everybody, true).await) {
        assert_eq!(rows.users.user(*uid), user.as_ref(), "user {uid}");
        let name = user.as_ref().and_then(|user| user.login_name.as_ref());
        assert_eq!(name.and_then(|name| rows.users.uid_of(name)), named, "login name of {uid}");
        assert_eq!(rows.users.password(*uid), password.as_ref(), "password of {uid}");
        if !EndedUsers::is_gone(model, *uid) {
            assert_eq!(rows.users.not_before_ms(*uid), model.not_before_ms(*uid), "sign-out of {uid}");
        }
    }
    compare_sessions(rows, model, now_ms).await;
    let credentials: Vec<Credential> = rows.credentials.values().cloned().collect();
    assert_eq!(credentials, Credentials::list(model).await.unwrap());
    let audit: Vec<AuditEntry> = rows.audit.values().rev().cloned().collect();
    assert_eq!(audit, view.audit_entries(None, usize::MAX).await.unwrap());
    for contact in RandomUsers::contacts() {
        assert_eq!(rows.users.claim(&contact), view.claim_of(&contact).await.unwrap(), "{contact:?}");
    }
    let uids = RandomExternalIds::ids().into_iter().map(|id| rows.external_ids.uid_of(&id));
    let ids = RandomExternalIds::uids().into_iter().map(|uid| rows.external_ids.id_of(uid).cloned());
    let ours = (uids.collect::<Vec<_>>(), ids.collect::<Vec<_>>());
    assert!(ours.0.iter().any(Option::is_some), "some ids have a uid in every run");
    assert_eq!(ours, dictionary(&*view).await);
    for id in rows.posts() {
        assert_eq!(rows.stats(id), posts.stats(&[id]).await.unwrap()[0], "counters of {id}");
        let page = Page::new(PageStart::Newest, 1_000).unwrap();
        assert_eq!(rows.likers(id), posts.likers(id, page).await.unwrap().items, "likers of {id}");
        let reposts = posts.reposts_of(id, None, usize::MAX).await.unwrap();
        assert_eq!(rows.reposts_of(id), reposts, "reposts of {id}");
        assert_eq!(
            rows.revisions(id),
            posts.revisions(id, None, usize::MAX).await.unwrap(),
            "revisions of {id}"
        );
    }
}

/// Valid sessions.
async fn compare_sessions(rows: &Rows, model: &MemoryStore, now_ms: u64) {
    let sessions: &dyn Sessions = model;
    for uid in RandomUsers::everybody(None) {
        let live = rows.sessions.values().filter(|session| session.uid == uid);
        let mut live: Vec<Session> = live.filter(|session| session.is_live(now_ms)).cloned().collect();
        live.sort_by_key(|session| (std::cmp::Reverse(session.created_ms), session.id));
        assert_eq!(live, sessions.list(uid, None, 100).await.unwrap().sessions, "sessions of {uid}");
    }
}

/// What waits, and what ends when.
async fn compare_waiting(rows: &Rows, view: &dyn StoreView) {
    let page = Page::new(PageStart::Newest, 1_000).unwrap();
    for uid in (1..=USERS).map(u) {
        let mut asked = Vec::new();
        for kind in RequestKind::ALL {
            asked.extend(view.requests(uid, RequestDirection::Incoming, kind, page).await.unwrap().items);
        }
        asked.sort_unstable_by_key(|request| request.sender);
        assert_eq!(rows.waiting.requests_to(uid), asked, "who has asked {uid}");
    }
    assert_eq!(rows.waiting.ends(), view.due_ends(u64::MAX, Walk::new(None, usize::MAX)).await.unwrap());
    assert_eq!(rows.waiting.unlocking(), view.unlocking(Walk::new(None, usize::MAX)).await.unwrap());
}

/// Groups and who is in them.
async fn compare_groups(rows: &Rows, view: &dyn StoreView) {
    let owners: Vec<Uid> = (1..=USERS).map(u).collect();
    let mut ours = Vec::new();
    for group in owners.iter().flat_map(|owner| rows.groups.of(*owner)) {
        let mut members = rows.groups.members(group.owner, group.id);
        members.sort_unstable_by(|a, b| b.cmp(a));
        ours.push((group, members));
    }
    assert!(ours.iter().any(|(group, _)| group.members > 0), "some groups have members in every run");
    assert_eq!(ours, groups_of(view, &owners).await, "groups");
}

#[tokio::test]
async fn a_plan_over_fetched_rows_does_what_the_model_does() {
    for seed in 0..12 {
        lockstep(seed).await;
    }
}

#[tokio::test]
async fn rows_come_in_rounds_and_an_unknown_post_ends_them() {
    let mut rows = Rows::new(&options());
    let follow = PairCommand { op: Op::Follow, subject: u(1), object: u(2) };
    let named = needed(&Write::of(follow), &Selected::of(&rows, &BTreeSet::new()));
    assert_eq!(named.len(), 8, "both directions, both users, how these stand, and two rejections: {named:?}");
    let like = PostCommand::Like { uid: u(1), id: PostId::MAX };
    let applied = apply(&mut rows, &Write::of(like), START_MS).unwrap();
    assert_eq!(applied.outcomes[0].result(), Err(Reason::PostNotFound));
}

#[tokio::test]
async fn posts_of_one_import_refer_to_each_other_by_name() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let model = MemoryStore::new(clock, options());
    let mut rows = Rows::new(&options());
    let source = |author: u64| Some((u(author), format!("post of {author}")));
    let post = |author: u64, text: &str| ImportPost {
        id: None,
        key: format!("post of {author}"),
        author: u(author),
        at_ms: START_MS - 1_000 + author,
        body: Body { text: text.to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    let posts = vec![
        post(1, "first"),
        ImportPost { repost_of: source(1), ..post(2, "") },
        ImportPost { repost_of: source(2), ..post(3, "") },
        ImportPost { reply_to: source(3), ..post(4, "answers the first") },
        ImportPost { repost_of: source(6), ..post(5, "") },
        ImportPost { repost_of: source(5), ..post(6, "") },
    ];
    let write = Write::of(Command::ImportPosts(posts));
    let theirs = model.apply(write.clone()).await.unwrap().posts();
    let ours = apply(&mut rows, &write, START_MS).unwrap().posts();
    assert_eq!(ours, theirs);
    let results: Vec<_> = ours.into_iter().map(|outcome| outcome.result).collect();
    let unknown = || Err(Reason::PostNotFound);
    assert_eq!(results, [Ok(true), Ok(true), Ok(true), Ok(true), unknown(), unknown()]);
}

#[tokio::test]
async fn posts_for_groups_name_every_row_that_they_read() {
    let model = MemoryStore::new(Arc::new(ManualClock::new(START_MS)), options());
    let mut rows = Rows::new(&options());
    let (owner, id) = (u(1), GroupId::MIN);
    let ours = Visibility::Group(id);
    let source = |author: u64, key: &str| Some((u(author), key.to_owned()));
    let old = |author: u64, key: &str| ImportPost {
        id: None,
        key: key.to_owned(),
        author: u(author),
        at_ms: START_MS - 1_000,
        body: Body { text: key.to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    // All of one write, so that nothing that they refer to was there before.
    let imports = vec![
        ImportPost { visibility: ours, ..old(1, "first") },
        ImportPost { repost_of: source(1, "first"), body: Body::default(), ..old(1, "shared") },
        ImportPost { reply_to: source(1, "first"), ..old(2, "by a member") },
        ImportPost { reply_to: source(1, "shared"), ..old(2, "by a member, too") },
        ImportPost { reply_to: source(1, "first"), ..old(3, "by a stranger") },
        ImportPost { reply_to: source(1, "shared"), ..old(3, "by a stranger, too") },
        ImportPost {
            id: PostId::at_ms(u(2), START_MS - 7).next(),
            visibility: ours,
            ..old(2, "of one gone")
        },
    ];
    let mut post = None;
    let draft = Draft {
        author: owner,
        body: Body { text: "among us".into(), attachments: Vec::new() },
        visibility: ours,
        reply_to: None,
        repost_of: None,
    };
    for step in 0..8 {
        let on = |id| PostCommand::Like { uid: u(2 + step % 2), id };
        let write = match step {
            0 => Write::of(GroupCommand::Create { owner, name: "us".into() }),
            1 => Write::of(GroupCommand::AddMembers { owner, id, members: vec![u(2)] }),
            2 => Write::of(Command::ImportPosts(imports.clone())),
            3 => Write::of(PostCommand::Create(draft.clone())),
            6 => Write::of(PairCommand { op: Op::Block, subject: u(2), object: owner }),
            _ => Write::of(on(post.expect("it was written by then"))),
        };
        let theirs = model.apply(write.clone()).await.unwrap().outcomes;
        let ours = apply(&mut rows, &write, START_MS).unwrap().outcomes;
        assert_eq!(ours, theirs, "{step}");
        if let [Outcome::Post(written)] = &ours[..] {
            post = post.or(written.id);
        }
        match step {
            2 => {
                let allowed: Vec<bool> = ours.iter().map(|outcome| outcome.result().is_ok()).collect();
                assert_eq!(allowed, [true, true, true, true, false, false, true]);
            }
            4 => assert_eq!(ours[0].result(), Ok(true), "a member"),
            5 => assert_eq!(ours[0].result(), Err(Reason::PostForbidden), "a stranger"),
            _ => {}
        }
    }
}

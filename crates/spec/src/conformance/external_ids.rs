//! The dictionary of ids from elsewhere.

use super::external_ids_world::{RandomExternalIds, assign, dictionary, external, uid_of_gene};
use super::model_check::{model, same_answer, same_logs};
use super::users_world::{account, name, uid_for};
use super::{Need, Rng, World, draft, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::user::{ProfilePatch, Registration, UserCommand};
use guanxi_model::{Change, Command, ExternalId, Op, Outcome, PairCommand, Reason, Uid, Write};
use guanxi_ports::{Facts as _, Store as _};
use std::collections::BTreeSet;

/// An id has one uid, of its own shard, and the other way round. A caller that asks for it again gets the same.
pub async fn an_external_id_has_one_uid_for_ever(world: &World) {
    let id = external("0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60");
    let first = world.user(assign(&id, 1)).await;
    assert_eq!((first.result, first.revision), (Ok(true), 0));
    assert_eq!(first.uid.gene(), id.gene());
    let again = world.user(assign(&id, 2)).await;
    assert_eq!((again.result, again.uid), (Ok(false), first.uid));
    let view = world.view().await;
    let other_case = external("0192D3A4-7B1C-7E55-8F00-1B2C3D4E5F60");
    let ids = [other_case, id.clone(), external("nobody"), id.clone()];
    assert_eq!(view.uids_of(&ids).await.unwrap(), [None, Some(first.uid), None, Some(first.uid)]);
    let uids = [first.uid, u(7), first.uid];
    assert_eq!(view.external_ids(&uids).await.unwrap(), [Some(id.clone()), None, Some(id)]);
    assert_eq!(view.uids_of(&[]).await.unwrap(), []);
    assert_eq!(view.users(&[first.uid]).await.unwrap(), [None], "an id is neither a profile nor an account");
}

/// Ids that are given uids in one write may repeat: each has one uid, and as many as a batch holds are one commit.
pub async fn a_batch_of_external_ids_is_one_write(world: &World) {
    let (a, b) = (external("a"), external("b"));
    let write = Write::all([assign(&a, 1), assign(&b, 1), assign(&a, 2)]);
    let outcomes = world.write(write).await.outcomes;
    let outcomes: Vec<_> = outcomes.into_iter().map(|outcome| outcome.user().unwrap()).collect();
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    assert_eq!(results, [Ok(true), Ok(true), Ok(false)]);
    assert_eq!(outcomes[0].uid, outcomes[2].uid);
    assert_ne!(outcomes[0].uid, outcomes[1].uid);
    let many: Vec<ExternalId> = (0..RESOLVE_IDS_MAX).map(|n| external(&format!("user-{n}"))).collect();
    let write = Write::all((0..).zip(&many).map(|(salt, id)| assign(id, salt)));
    let answer = world.write(write).await;
    assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)));
    let view = world.view().await;
    let uids: Vec<Uid> = view.uids_of(&many).await.unwrap().into_iter().map(Option::unwrap).collect();
    assert_eq!(uids.iter().collect::<BTreeSet<_>>().len(), many.len());
    let back: Vec<ExternalId> = view.external_ids(&uids).await.unwrap().into_iter().flatten().collect();
    assert_eq!(back, many);
}

/// A caller that has looked before others wrote learns of their writes: an earlier look is no licence to make another
/// uid.
pub async fn a_look_of_before_makes_no_second_uid(world: &World) {
    let looked_at = world.view().await.position();
    let ids: Vec<ExternalId> = (0..5).map(|n| external(&format!("looked-up-{n}"))).collect();
    let made = world.write(Write::all(ids[..3].iter().map(|id| assign(id, 1)))).await;
    let write = Write::all(ids.iter().map(|id| assign(id, 2))).unknown_at(looked_at);
    for (new, write) in [(true, write.clone()), (false, write)] {
        let outcomes = world.write(write).await.outcomes;
        let results: Vec<_> = outcomes.iter().map(Outcome::result).collect();
        assert_eq!(results, [Ok(false), Ok(false), Ok(false), Ok(new), Ok(new)]);
        let uids: Vec<_> = outcomes.into_iter().map(|outcome| outcome.user().unwrap().uid).collect();
        let first = made.outcomes.iter().cloned().map(|outcome| outcome.user().unwrap().uid);
        assert_eq!(uids[..3], first.collect::<Vec<_>>());
        let kept = world.view().await.uids_of(&ids).await.unwrap();
        assert_eq!(kept, uids.into_iter().map(Some).collect::<Vec<_>>());
    }
}

/// If callers bring the same new ids at once, all get the same uids.
pub async fn racing_resolvers_agree(world: &World) {
    let ids: Vec<ExternalId> = (0..7).map(|n| external(&format!("raced-{n}"))).collect();
    let looked_at = world.view().await.position();
    let resolve = |salt: u16| {
        let facts = world.backend.store.clone();
        let write = Write::all(ids.iter().map(|id| assign(id, salt))).unknown_at(looked_at.clone());
        tokio::spawn(async move { facts.apply(write).await.unwrap() })
    };
    let racing: Vec<_> = (0..12).map(resolve).collect();
    let (mut answers, mut made) = (BTreeSet::new(), 0);
    for answer in racing {
        let answer = answer.await.unwrap();
        world.saw(&answer.position);
        let outcomes = answer.outcomes.into_iter().map(|outcome| outcome.user().unwrap());
        let uids = outcomes.map(|outcome| {
            made += usize::from(outcome.result.unwrap());
            outcome.uid
        });
        answers.insert(uids.collect::<Vec<_>>());
    }
    assert_eq!((answers.len(), made), (1, ids.len()), "{answers:?}");
    let kept = world.view().await.uids_of(&ids).await.unwrap();
    assert_eq!(answers.pop_first().unwrap().into_iter().map(Some).collect::<Vec<_>>(), kept);
}

/// A proposed uid that anything is kept of is refused, and one that has an external id is used.
pub async fn used_uids_get_no_external_id(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let ids = RandomExternalIds::ids_of_gene(uid.gene());
    let refused = async |uid: Uid| {
        let external_id = ids[0].clone();
        world.user(UserCommand::AssignExternalId { uid, external_id, listed: false }).await.result
    };
    let [followed, following, profiled, taken] = [2, 3, 4, 5].map(|salt| uid_of_gene(uid.gene(), salt));
    world.change(&[PairCommand { op: Op::Follow, subject: following, object: followed }]).await;
    world.settle([followed.get()]).await;
    let patch = ProfilePatch { bio: Some("a foreign user".into()), ..ProfilePatch::default() };
    world.user(UserCommand::Update { uid: profiled, patch, expected_revision: None }).await;
    let external_id = ids[1].clone();
    let assigned = world.user(UserCommand::AssignExternalId { uid: taken, external_id, listed: false }).await;
    assert_eq!(assigned.result, Ok(true));
    for uid in [uid, followed, following, profiled, taken] {
        assert_eq!(refused(uid).await, Err(Reason::UidInUse), "{uid}");
    }
    if !world.lacks_posts() {
        let author = uid_of_gene(uid.gene(), 6);
        world.post(draft(author.get(), "before there was an id")).await;
        assert_eq!(refused(author).await, Err(Reason::UidInUse));
    }
    assert_eq!(refused(u(uid.get() ^ 1)).await, Err(Reason::InvalidField { field: "uid" }));
    assert_eq!(world.view().await.uids_of(&ids[..1]).await.unwrap(), [None], "a refusal leaves no trace");
    assert_eq!(refused(uid_of_gene(uid.gene(), 7)).await, Ok(true));
    let same_gene = (0..9_999).map(|n| name(&format!("n{n}"))).find(|other| other.gene() == uid.gene());
    let login_name = same_gene.unwrap();
    assert_eq!(uid_for(&login_name, 5), taken);
    let registration = Registration { uid: taken, login_name, ..account("x", 1) };
    let registered = world.user(UserCommand::Register(registration)).await;
    assert_eq!(registered.result, Err(Reason::UidInUse), "an account never meets the uid of another user");
}

/// However many uids a batch proposes, those that are used by then are refused, and no others.
pub async fn a_batch_gives_no_used_uid(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let gene = name("alice").gene();
    let uid = |salt: u64| uid_of_gene(gene, salt as u16).get();
    let ids = (0..99_999).map(|n| external(&format!("one of many {n}"))).filter(|id| id.gene() == gene);
    let ids = &ids.take(120).collect::<Vec<ExternalId>>();
    let give = |salts: std::ops::Range<u64>| {
        let give = move |n: u64| UserCommand::AssignExternalId {
            uid: u(uid(n)),
            external_id: ids[n as usize].clone(),
            listed: false,
        };
        salts.map(give).map(Command::from).collect::<Vec<_>>()
    };
    world.register(account("alice", 1)).await;
    let patch = ProfilePatch { bio: Some("a foreign user".into()), ..ProfilePatch::default() };
    world.user(UserCommand::Update { uid: u(uid(30)), patch, expected_revision: None }).await;
    world.build(&format!("{}->{} {}-x7 {}-m7", uid(20), uid(21), uid(22), uid(23))).await;
    // What is kept of these is no use of them.
    world.build(&format!("{}->{1} {0}-/{1}", uid(24), uid(25))).await;
    world.set_limit(uid(26), Some(9)).await;
    world.settle([uid(21), uid(25)]).await;
    let mut used = vec![1, 20, 21, 22, 23, 30];
    if !world.lacks_posts() {
        world.post(draft(uid(31), "before there was an id")).await;
        used.push(31);
    }
    let refused = async |commands: Vec<Command>, first: u64| {
        let outcomes = world.write(Write { commands, ..Write::default() }).await.outcomes;
        let refused = (first..).zip(outcomes).filter(|(_, outcome)| outcome.result() != Ok(true));
        let refused = refused.map(|(salt, outcome)| (salt, outcome.result().unwrap_err()));
        refused.collect::<Vec<_>>()
    };
    let in_use = |salts: Vec<u64>| salts.into_iter().map(|salt| (salt, Reason::UidInUse)).collect::<Vec<_>>();
    assert_eq!(refused(give(0..60), 0).await, in_use(used));
    let given: Vec<Command> = give(60..120)
        .into_iter()
        .zip(give(0..60))
        .map(|(mut new, old)| {
            let (Command::User(UserCommand::AssignExternalId { uid, .. }), Command::User(old)) =
                (&mut new, old)
            else {
                panic!("these are external ids")
            };
            *uid = old.uid();
            new
        })
        .collect();
    assert_eq!(refused(given, 0).await, in_use((0..60).collect()), "all of them are used now");
    if !world.lacks(Need::MixedBatches) {
        // What the batch itself does counts as well.
        let follow = PairCommand { op: Op::Follow, subject: u(uid(110)), object: u(7) };
        let commands = std::iter::once(Command::from(follow)).chain(give(80..120)).collect();
        assert_eq!(refused(commands, 79).await, in_use(vec![110]));
    }
}

/// Each new uid is an event of its user; an id that has one already is none.
pub async fn new_external_ids_are_logged(world: &World) {
    let before = world.last();
    let id = external("auth0|5f7c8ec7c33c6c004bbafe82");
    let uid = world.user(assign(&id, 1)).await.uid;
    world.user(assign(&id, 2)).await;
    let events = world.events_since(&before).await;
    let changes: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    assert_eq!(changes, [(uid, Change::User(UserChange::ExternalIdAssigned))]);
}

/// Random ids and accounts that want the same uids, given to the backend and to the model: every answer is equal.
pub async fn random_external_ids(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let model = model(world);
    for seed in 1..=3 {
        let mut play = RandomExternalIds::new(Rng::new(seed));
        for step in 0..120 {
            let write = Write::of(play.command());
            let context = format!("seed {seed}, step {step}: {write:?}");
            let (ours, theirs) = (world.try_write(write.clone()).await, model.apply(write).await);
            same_answer(world, &ours, &theirs.map_err(|error| error.reason), &context);
            let (view, other) = (world.view().await, model.view(Some(&world.last())).await.unwrap());
            assert_eq!(dictionary(&*view).await, dictionary(&*other).await, "{context}");
            world.clock().set(world.now_ms() + 1_000);
        }
    }
    same_logs(world, &model, 0).await;
}

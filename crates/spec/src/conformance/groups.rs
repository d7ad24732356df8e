//! Groups: names, members, blocks, revisions, limits.

use super::groups_world::{g, groups_of, members_of, us};
use super::users_world::{account, name, uid_for};
use super::{Need, World, u};
use guanxi_model::limits::{BATCH_MAX, GROUP_MEMBERS_MAX, GROUP_NAME_LEN_MAX, GROUPS_MAX};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Change, Command, Edge, GroupChange, GroupCommand, GroupOutcome, ImportEdge, Op, Outcome, Reason,
    RequestKey, RestrictionKind, UserGroup, Write,
};
use guanxi_ports::Walk;

/// A group is its owner's: it has a number, a name, the time it was made at, and a revision that rises with each change and
/// with nothing else. Numbers are not given twice.
pub async fn a_group_is_as_it_was_made(world: &World) {
    let create = |name: &str| GroupCommand::Create { owner: u(1), name: name.to_owned() };
    let update = |name: Option<&str>, expected_revision| GroupCommand::Update {
        owner: u(1),
        id: g(1),
        name: name.map(ToOwned::to_owned),
        expected_revision,
    };
    assert_eq!(
        world.group(create("friends")).await,
        GroupOutcome { result: Ok(true), id: Some(g(1)), revision: 1 }
    );
    let created = world.last_change().await.version;
    world.clock().advance(5);
    for (command, result, revision) in [
        (update(Some("family"), Some(2)), Err(Reason::RevisionMismatch { revision: 1 }), 1),
        (update(None, Some(1)), Ok(false), 1),
        (update(Some("friends"), None), Ok(false), 1),
        (update(Some("family"), Some(1)), Ok(true), 2),
    ] {
        let outcome = GroupOutcome { result, id: Some(g(1)), revision };
        assert_eq!(world.group(command.clone()).await, outcome, "{command:?}");
    }
    let group = UserGroup {
        owner: u(1),
        id: g(1),
        name: "family".to_owned(),
        created,
        revision: 2,
        members: 0,
        audience: false,
    };
    assert_eq!(world.view().await.groups(u(1)).await.unwrap(), [group]);
    assert_eq!(world.view().await.groups(u(2)).await.unwrap(), []);
    assert_eq!(world.view().await.group(u(2), g(1)).await.unwrap(), None);
    assert_eq!(world.group(create("family")).await.id, Some(g(2)), "names may be equal");
    assert_eq!(world.delete_group(1, g(2)).await, Ok(true));
    assert_eq!(world.delete_group(1, g(2)).await, Ok(false), "a repeat changes nothing");
    assert_eq!(world.group(create("others")).await.id, Some(g(3)));
    for command in [
        GroupCommand::Update { owner: u(1), id: g(2), name: None, expected_revision: None },
        GroupCommand::AddMembers { owner: u(1), id: g(2), members: us(&[2]) },
        GroupCommand::SetMembers { owner: u(2), id: g(1), members: us(&[3]), expected_revision: None },
        GroupCommand::RemoveMembers { owner: u(2), id: g(1), members: us(&[3]) },
    ] {
        let id = match &command {
            GroupCommand::Update { id, .. } | GroupCommand::AddMembers { id, .. } => *id,
            _ => g(1),
        };
        let outcome = GroupOutcome { result: Err(Reason::GroupNotFound), id: Some(id), revision: 0 };
        assert_eq!(world.group(command.clone()).await, outcome, "{command:?}");
    }
}

/// Members are a set: repeats change nothing, who stays keeps its place, who comes back stands first; a set is exact, and
/// guarded by the revision that the caller saw.
pub async fn members_are_an_exact_set(world: &World) {
    let id = world.group_of(1, &[5, 3]).await;
    world.clock().advance(7);
    assert_eq!(world.members(1, id).await, [5, 3], "of one moment, by uid");
    let outcome = |result, revision| GroupOutcome { result, id: Some(id), revision };
    assert_eq!(world.add_members(1, id, &[3, 5, 3]).await, outcome(Ok(false), 2));
    assert_eq!(world.add_members(1, id, &[4, 3, 4]).await, outcome(Ok(true), 3));
    assert_eq!(world.members(1, id).await, [4, 5, 3]);
    assert_eq!(world.remove_members(1, id, &[9]).await, outcome(Ok(false), 3));
    assert_eq!(world.remove_members(1, id, &[5, 5]).await, outcome(Ok(true), 4));
    let mismatch = Err(Reason::RevisionMismatch { revision: 4 });
    assert_eq!(world.set_members(1, id, &[6], Some(3)).await, outcome(mismatch, 4));
    world.clock().advance(7);
    assert_eq!(world.set_members(1, id, &[5, 3, 7, 7], Some(4)).await, outcome(Ok(true), 5));
    assert_eq!(world.members(1, id).await, [7, 5, 3]);
    assert_eq!(world.set_members(1, id, &[3, 7, 5], None).await, outcome(Ok(false), 5));
    let other = world.group_of(1, &[7]).await;
    let with = world.view().await.groups_with(u(1), &us(&[7, 4, 3])).await.unwrap();
    assert_eq!(with, [vec![id, other], vec![], vec![id]]);
    assert_eq!(world.view().await.groups_with(u(7), &us(&[1])).await.unwrap(), [vec![]]);
    assert_eq!(world.set_members(1, id, &[], None).await, outcome(Ok(true), 6));
    assert_eq!(world.members(1, id).await, [] as [u64; 0]);
    assert_eq!(world.members(1, other).await, [7]);
    assert_eq!(world.delete_group(1, other).await, Ok(true));
    assert_eq!(world.members(1, other).await, [] as [u64; 0], "a group goes with its members");
    assert_eq!(world.view().await.groups_with(u(1), &us(&[7])).await.unwrap(), [vec![]]);
}

/// No user is in its own group, or in a group of an owner whom a block parts it from; one such member refuses the whole
/// operation. Members need not be followed.
pub async fn who_may_not_be_a_member_refuses_the_whole(world: &World) {
    let id = world.group_of(1, &[2]).await;
    world.build("1-x3 4-x1 1-m6").await;
    for (member, reason) in [(1, Reason::SelfRelation), (3, Reason::Blocked), (4, Reason::Blocked)] {
        for outcome in
            [world.add_members(1, id, &[5, member]).await, world.set_members(1, id, &[5, member], None).await]
        {
            assert_eq!((outcome.result, outcome.revision), (Err(reason.clone()), 2), "{member}");
        }
    }
    assert_eq!(world.remove_members(1, id, &[1, 3, 4]).await.result, Ok(false));
    assert_eq!(world.members(1, id).await, [2]);
    world.build("1-o3 4-o1").await;
    assert_eq!(world.set_members(1, id, &[3, 4, 6], None).await.result, Ok(true));
}

/// A block takes both out of each other's groups, in its own commit, in either direction; its end puts neither back. The
/// log of each owner tells it, without a name.
pub async fn a_block_takes_both_out_of_each_others_groups(world: &World) {
    for (blocks, imported) in [((1, 2), false), ((2, 1), false), ((2, 1), true)] {
        let (mine, theirs) = (world.group_of(1, &[2, 3]).await, world.group_of(2, &[1, 4]).await);
        let second = world.group_of(1, &[2]).await;
        let untouched = world.group_of(3, &[1, 2]).await;
        let before = world.last();
        let (subject, object) = (u(blocks.0), u(blocks.1));
        if imported {
            let restrictions = vec![ImportEdge::new(subject, object, None)];
            let kind = RestrictionKind::Block;
            world.write(Write::of(Command::ImportRestrictions { kind, restrictions })).await;
        } else {
            world.act(Op::Block, blocks.0, blocks.1).await;
        }
        assert_eq!(world.members(1, mine).await, [3]);
        assert_eq!(world.members(1, second).await, [] as [u64; 0]);
        assert_eq!(world.members(2, theirs).await, [4]);
        assert_eq!(world.members(3, untouched).await, [2, 1]);
        let kind = GroupChange::MembersChanged;
        let told = |owner, id| (u(owner), Change::Group { id, kind });
        let mut wanted = if blocks.0 == 1 {
            vec![told(1, mine), told(1, second), told(2, theirs)]
        } else {
            vec![told(2, theirs), told(1, mine), told(1, second)]
        };
        let events = world.events_since(&before).await;
        let found: Vec<_> = events
            .iter()
            .map(|event| (event.subject, event.change))
            .filter(|(_, change)| matches!(change, Change::Group { .. }))
            .collect();
        assert_eq!(found, wanted);
        wanted.clear();
        let groups = groups_of(&*world.view().await, &us(&[1, 2, 3])).await;
        let revision = |owner, id| {
            let found = groups.iter().find(|(group, _)| (group.owner, group.id) == (u(owner), id));
            found.unwrap().0.revision
        };
        assert_eq!([revision(1, mine), revision(2, theirs), revision(3, untouched)], [3, 3, 2]);
        assert_eq!(world.act(Op::Unblock, blocks.0, blocks.1).await.result, Ok(true));
        assert_eq!(world.members(1, mine).await, [3], "the end of a block restores nothing");
    }
}

/// A deleted user makes no group and comes into none. It is taken out of groups and loses its own only when an operation
/// does so, which is never refused.
pub async fn nothing_of_groups_begins_with_who_is_deleted(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let (mine, theirs) = (world.group_of(1, &[2, 3]).await, world.group_of(2, &[1]).await);
    let erase_at_ms = world.now_ms() + 9;
    assert_eq!(world.set_user_status(u(2), UserStatus::Deleted { erase_at_ms }).await, Ok(true));
    assert_eq!(world.members(1, mine).await, [3, 2], "what stands is left to the job that erases");
    assert_eq!(world.set_members(1, mine, &[2], None).await.result, Ok(true));
    let create = GroupCommand::Create { owner: u(2), name: "more".to_owned() };
    let update = GroupCommand::Update {
        owner: u(2),
        id: theirs,
        name: Some("other".to_owned()),
        expected_revision: None,
    };
    for command in [
        create,
        update,
        GroupCommand::AddMembers { owner: u(2), id: theirs, members: us(&[4]) },
        GroupCommand::SetMembers { owner: u(2), id: theirs, members: us(&[4]), expected_revision: None },
    ] {
        assert_eq!(world.group(command.clone()).await.result, Err(Reason::UserDeleted), "{command:?}");
    }
    assert_eq!(world.remove_members(1, mine, &[2]).await.result, Ok(true));
    assert_eq!(world.add_members(1, mine, &[4, 2]).await.result, Err(Reason::UserDeleted));
    assert_eq!(world.remove_members(2, theirs, &[1]).await.result, Ok(true));
    assert_eq!(world.delete_group(2, theirs).await, Ok(true));
    // A uid with groups is used: no new user gets that uid and what is in the groups.
    let taken = uid_for(&name("alice"), 2);
    world.group_of(taken.get(), &[3]).await;
    let refused = world.user(UserCommand::Register(account("alice", 2))).await;
    assert_eq!(refused.result, Err(Reason::UidInUse));
    // An erased user has no numbers any more, and an account with that uid shows none of before.
    let uid = world.register(account("alice", 1)).await;
    assert_eq!(uid, uid_for(&name("alice"), 1));
    let id = world.group_of(uid.get(), &[3]).await;
    assert_eq!(world.delete_group(uid.get(), id).await, Ok(true));
    for status in [UserStatus::Deleted { erase_at_ms }, UserStatus::Erased { at_ms: 7 }] {
        assert_eq!(world.set_user_status(uid, status).await, Ok(true));
    }
    assert_eq!(world.view().await.groups(uid).await.unwrap(), []);
}

/// Groups and members are bounded, also within one write; what is too long or too many is refused before anything is done.
pub async fn groups_are_bounded(world: &World) {
    let refusal = async |command: GroupCommand| world.try_write(Write::of(command)).await.unwrap_err();
    let create = |len: u32| GroupCommand::Create { owner: u(1), name: "n".repeat(len as usize) };
    let limit = GROUP_NAME_LEN_MAX;
    assert_eq!(refusal(create(limit + 1)).await, Reason::TooLong { field: "name", limit });
    assert_eq!(refusal(create(0)).await, Reason::MissingField { field: "name" });
    for _ in 0..GROUPS_MAX {
        assert_eq!(world.group(create(limit)).await.result, Ok(true));
    }
    let limit = GROUPS_MAX;
    assert_eq!(
        world.group(create(1)).await,
        GroupOutcome { result: Err(Reason::LimitReached { limit }), id: None, revision: 0 }
    );
    assert_eq!(world.delete_group(1, g(7)).await, Ok(true));
    assert_eq!(world.group(create(1)).await.id, Some(g(GROUPS_MAX + 1)));
    let limit = GROUP_MEMBERS_MAX;
    let many: Vec<u64> = (2..).take(limit as usize).collect();
    let more = GroupCommand::AddMembers { owner: u(1), id: g(1), members: us(&[&many[..], &[9]].concat()) };
    assert_eq!(refusal(more).await, Reason::BatchTooLarge { limit });
    assert_eq!(world.add_members(1, g(1), &many[1..]).await.result, Ok(true));
    assert_eq!(
        world.add_members(1, g(1), &[many[0], 9_999]).await.result,
        Err(Reason::LimitReached { limit })
    );
    assert_eq!(world.add_members(1, g(1), &[many[1], many[0]]).await.result, Ok(true));
    let group = world.view().await.group(u(1), g(1)).await.unwrap().unwrap();
    assert_eq!((group.members, group.revision), (limit, 3));
    assert_eq!(members_of(&*world.view().await, u(1), g(1)).await.len(), limit as usize);
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let remove = |n: u32| GroupCommand::RemoveMembers { owner: u(1), id: g(n), members: us(&many) };
    let refused = world.try_write(Write::all((1..4).map(remove))).await.unwrap_err();
    assert_eq!(refused, Reason::BatchTooLarge { limit: BATCH_MAX });
}

/// Under a request id a group is made once, and a repeat has the number and revision of the first.
pub async fn a_group_is_made_once_per_request(world: &World) {
    let request = |fingerprint| Some(RequestKey { actor: u(1), id: "once".into(), fingerprint });
    let create = || Write::of(GroupCommand::Create { owner: u(1), name: "friends".to_owned() });
    let first = world.write(create().under(request(7))).await;
    assert_eq!(world.add_members(1, g(1), &[2]).await.revision, 2);
    assert_eq!(world.write(create().under(request(7))).await.outcomes, first.outcomes);
    assert_eq!(world.view().await.groups(u(1)).await.unwrap().len(), 1);
    let refused = GroupCommand::Update {
        owner: u(1),
        id: g(1),
        name: Some("x".to_owned()),
        expected_revision: Some(9),
    };
    let refused =
        Write::of(refused).under(Some(RequestKey { actor: u(1), id: "two".into(), fingerprint: 1 }));
    let outcome = Outcome::Group(GroupOutcome {
        result: Err(Reason::RevisionMismatch { revision: 2 }),
        id: Some(g(1)),
        revision: 2,
    });
    for _ in 0..2 {
        assert_eq!(world.write(refused.clone()).await.outcomes, std::slice::from_ref(&outcome));
    }
}

/// From a user lead the groups that it is in, whosever they are.
pub async fn memberships_are_found_from_the_member(world: &World) {
    if world.lacks(Need::Traces) {
        return;
    }
    let mut places = Vec::new();
    for owner in [2, 3, 0x0104, 5] {
        for members in [&[1_u64][..], &[9], &[9, 1]] {
            let id = world.group_of(owner, members).await;
            if members.contains(&1) {
                places.push((u(owner), id));
            }
        }
    }
    places.sort_unstable();
    assert_eq!(world.delete_group(3, g(1)).await, Ok(true));
    places.retain(|place| *place != (u(3), g(1)));
    let view = world.view().await;
    for max in [1, 2, 100] {
        let mut found = Vec::new();
        loop {
            let more = view.memberships(u(1), Walk::new(found.last().copied(), max)).await.unwrap();
            found.extend(&more);
            if more.len() < max {
                break;
            }
        }
        assert_eq!(found, places, "in pages of {max}");
    }
    assert_eq!(view.memberships(u(2), Walk::new(None, 9)).await.unwrap(), []);
}

/// A view of before stands; one write of several operations is one commit, and each sees what came before it.
pub async fn a_view_of_groups_stands_still(world: &World) {
    let id = world.group_of(1, &[2, 3]).await;
    let before = world.view().await;
    let was = groups_of(&*before, &us(&[1, 2, 3])).await;
    assert_eq!(world.set_members(1, id, &[4], None).await.result, Ok(true));
    if !world.lacks(Need::PinnedViews) {
        assert_eq!(groups_of(&*before, &us(&[1, 2, 3])).await, was);
    }
    if world.lacks(Need::MixedBatches) {
        return;
    }
    let id = g(id.get() + 1);
    let answer = world
        .write(Write::all([
            Command::from(GroupCommand::Create { owner: u(1), name: "new".to_owned() }),
            GroupCommand::AddMembers { owner: u(1), id, members: us(&[2, 3]) }.into(),
            guanxi_model::PairCommand { op: Op::Block, subject: u(3), object: u(1) }.into(),
            GroupCommand::SetMembers { owner: u(1), id, members: us(&[2, 4]), expected_revision: Some(3) }
                .into(),
            GroupCommand::AddMembers { owner: u(1), id, members: us(&[3]) }.into(),
        ]))
        .await;
    let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
    assert_eq!(results, [Ok(true), Ok(true), Ok(true), Ok(true), Err(Reason::Blocked)]);
    assert_eq!(world.members(1, id).await, [4, 2]);
    let members = members_of(&*world.view().await, u(1), id).await;
    assert!(matches!(&members[..], [Edge { at, .. }, second] if *at > second.at), "{members:?}");
}

/// Owners and blockers do anything at the same time. No user is left in a group of an owner whom a block parts it from,
/// and each change has a revision of its own. No more groups are made than there may be, none of them twice.
pub async fn racing_owners_and_blockers_agree(world: &World) {
    const GROUPS: u32 = GROUPS_MAX + 7;
    for owner in [1, 2] {
        world.group_of(owner, &[]).await;
    }
    let racer = |commands: Vec<Command>| {
        let graph = world.backend.store.clone();
        tokio::spawn(async move {
            let mut answers = Vec::new();
            for command in commands {
                answers.push(graph.apply(Write::of(command)).await.unwrap());
            }
            answers
        })
    };
    let group = |owner: u64, round: u64| -> Command {
        let (id, members) = (g(1), us(&[3 - owner, 3 + round % 4]));
        match round % 3 {
            0 => GroupCommand::AddMembers { owner: u(owner), id, members },
            1 => GroupCommand::SetMembers { owner: u(owner), id, members, expected_revision: None },
            _ => GroupCommand::RemoveMembers { owner: u(owner), id, members },
        }
        .into()
    };
    let block = |subject: u64, object: u64, round: u64| -> Command {
        let op = if round.is_multiple_of(2) { Op::Block } else { Op::Unblock };
        guanxi_model::PairCommand { op, subject: u(subject), object: u(object) }.into()
    };
    let create = || Command::from(GroupCommand::Create { owner: u(9), name: "one of many".to_owned() });
    let racers = [
        racer((0..40).map(|round| group(1, round)).collect()),
        racer((0..40).map(|round| group(2, round)).collect()),
        racer((0..40).map(|round| block(1, 2, round)).collect()),
        racer((0..40).map(|round| block(3 + round % 4, 1, round / 4)).collect()),
        racer((0..GROUPS / 2).map(|_| create()).collect()),
        racer((GROUPS / 2..GROUPS).map(|_| create()).collect()),
    ];
    let mut made = Vec::new();
    for racer in racers {
        for answer in racer.await.unwrap() {
            world.saw(&answer.position);
            for outcome in answer.outcomes.into_iter().filter_map(Outcome::group) {
                match outcome {
                    GroupOutcome { result: Ok(true), id: Some(id), revision: 1 } => made.push(id),
                    GroupOutcome { id: None, result, .. } => {
                        assert_eq!(result, Err(Reason::LimitReached { limit: GROUPS_MAX }));
                    }
                    _ => {}
                }
            }
        }
    }
    made.sort_unstable();
    assert_eq!(made, (1..=GROUPS_MAX).map(g).collect::<Vec<_>>());
    let (view, owners) = (world.view().await, us(&[1, 2, 3, 4, 5, 6]));
    let groups = groups_of(&*view, &owners).await;
    let events = world.events_since(&world.origin).await;
    for (group, members) in groups {
        let is_it = |event: &&guanxi_model::Event| matches!(event.change, Change::Group { id, .. } if (event.subject, id) == (group.owner, group.id));
        assert_eq!(events.iter().filter(is_it).count(), group.revision as usize, "{group:?}");
        let uids: Vec<_> = members.iter().map(|edge| edge.uid).collect();
        for (uid, relation) in uids.iter().zip(view.relations(group.owner, &uids).await.unwrap()) {
            assert!(!relation.is_apart(), "{uid} is in {group:?}, across a block");
        }
    }
}

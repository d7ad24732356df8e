//! Import: follows with a given time, and a position that moves in the same commit.

use super::{Need, World, follow, u};
use guanxi_model::event::PairChange;
use guanxi_model::limits::{FACT_AHEAD_MAX_MS, IMPORT_BATCH_MAX, JOB_NAME_LEN_MAX, MUTE_DURATION_MAX_MS};
use guanxi_model::{
    Change, Command, ImportCursor, ImportEdge, List, MuteTerms, Op, Outcome, Reason, RelationState,
    RestrictionKind, Stamp, Write,
};
use guanxi_ports::Walk;

fn edge(subject: u64, object: u64, ms: Option<u64>) -> ImportEdge {
    ImportEdge::new(u(subject), u(object), ms.map(Stamp::from_ms))
}

async fn import(world: &World, edges: &[ImportEdge], revive: bool) -> Vec<Result<bool, Reason>> {
    let answer = world.write(Write::edges(edges.to_vec(), revive)).await;
    answer.outcomes.iter().map(Outcome::result).collect()
}

async fn marked(world: &World, edges: &[ImportEdge], job: &str, from: u64, to: u64) -> Result<(), Reason> {
    let mark = Some(ImportCursor { job: job.to_owned(), from, to });
    world.try_write(Write::edges(edges.to_vec(), false).at(mark)).await.map(drop)
}

async fn stands(world: &World, job: &str) -> Option<u64> {
    world.view().await.import_position(job).await.unwrap()
}

/// An imported edge stands at its given time, in lists, relations and export; without one, at now.
pub async fn imported_edges_keep_their_time(world: &World) {
    world.build("1->9").await;
    let edges = [edge(1, 2, Some(5_000)), edge(1, 3, Some(9_000)), edge(1, 4, Some(7_000)), edge(1, 5, None)];
    assert_eq!(import(world, &edges, false).await, [const { Ok(true) }; 4]);
    assert_eq!(world.uids(1, List::Following).await, [5, 9, 3, 4, 2]);
    assert_eq!(world.relation(1, 2).await.following_since, Some(Stamp::from_ms(5_000)));
    assert_eq!(world.relation(1, 5).await.following_since.unwrap().ms(), super::START_MS);
    assert_eq!(world.walk(2, List::Followers, 5).await[0].at, Stamp::from_ms(5_000));
    let exported = world.export().await;
    assert_eq!(exported.iter().map(|edge| edge.at.ms()).collect::<Vec<_>>()[..3], [5_000, 9_000, 7_000]);
}

/// An imported block or mute stands at its given time and does what the operation does; a repeat changes nothing.
pub async fn imported_restrictions_keep_their_time(world: &World) {
    world.build("1->2 2->1 1->4").await;
    for (kind, state) in
        [(RestrictionKind::Mute, RelationState::Mutual), (RestrictionKind::Block, RelationState::None)]
    {
        let restrictions =
            vec![edge(1, 2, Some(7_000)), edge(1, 3, Some(5_000)), edge(1, 1, None), edge(2, 3, Some(6_000))];
        for new in [true, false] {
            let write = Write::of(Command::ImportRestrictions { kind, restrictions: restrictions.clone() });
            let answer = world.write(write).await;
            let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
            assert_eq!(results, [Ok(new), Ok(new), Err(Reason::SelfRelation), Ok(new)], "{kind:?}");
        }
        assert_eq!(world.uids(1, kind.list()).await, [2, 3]);
        let times: Vec<_> = world.walk(1, kind.list(), 1).await.iter().map(|edge| edge.at.ms()).collect();
        assert_eq!(times, [7_000, 5_000]);
        assert_eq!(world.relation(1, 2).await.state(), state);
    }
    assert_eq!(world.uids(1, List::Following).await, [4]);
}

/// An imported mute has the terms that it had, which its export says; one that is over is not set, and one that stands keeps
/// its own.
pub async fn imported_mutes_keep_their_terms(world: &World) {
    let now = super::START_MS;
    let mute = |object, reposts_only, until_ms| ImportEdge {
        terms: MuteTerms { reposts_only, until_ms },
        ..edge(1, object, Some(5_000))
    };
    let far = now + MUTE_DURATION_MAX_MS;
    let mutes = [
        mute(2, true, None),
        mute(3, false, Some(now + 9_000)),
        mute(4, true, Some(far)),
        mute(5, false, None),
        mute(6, false, Some(now)),
        mute(7, true, Some(far + 1)),
        mute(8, false, Some(u64::MAX)),
    ];
    let import = async |restrictions: Vec<ImportEdge>| {
        let kind = RestrictionKind::Mute;
        let answer = world.write(Write::of(Command::ImportRestrictions { kind, restrictions })).await;
        answer.outcomes.iter().map(Outcome::result).collect::<Vec<_>>()
    };
    let late = Err(Reason::TimeOutOfRange);
    let results = import(mutes.to_vec()).await;
    let expected = [Ok(true), Ok(true), Ok(true), Ok(true), Ok(false), late.clone(), late];
    assert_eq!(results, expected);
    let others = mutes.map(|mute| ImportEdge { terms: MuteTerms::default(), ..mute });
    assert_eq!(import(others[..4].to_vec()).await, [const { Ok(false) }; 4], "what stands keeps its terms");
    let view = world.view().await;
    let exported = view.restrictions(RestrictionKind::Mute, Walk::new(None, 9)).await.unwrap();
    let exported: Vec<_> = exported.iter().map(|mute| (mute.object, mute.at.ms(), mute.terms)).collect();
    let standing: Vec<_> = mutes[..4].iter().map(|mute| (mute.object, 5_000, mute.terms)).collect();
    assert_eq!(exported, standing);
    let objects = [2, 3, 4, 5].map(u);
    let terms = view.mute_terms(u(1), &objects).await.unwrap();
    assert_eq!(terms, mutes[..4].iter().map(|mute| mute.terms).collect::<Vec<_>>());
}

/// Blocks and mutes of all users are exported apart, in the order of (subject, object), from any place on.
pub async fn restrictions_are_exported_from_any_place_on(world: &World) {
    world.build("1->2 1-x3 1-x4 2-m9 300-x1 300-m2 7-m8").await;
    let view = world.view().await;
    for (kind, expected) in [
        (RestrictionKind::Block, vec![(1, 3), (1, 4), (300, 1)]),
        (RestrictionKind::Mute, vec![(2, 9), (7, 8), (300, 2)]),
    ] {
        let all = view.restrictions(kind, Walk::new(None, 100)).await.unwrap();
        let pairs: Vec<_> = all.iter().map(|edge| (edge.subject.get(), edge.object.get())).collect();
        assert_eq!(pairs, expected, "{kind:?}");
        for (n, edge) in all.iter().enumerate() {
            let rest =
                view.restrictions(kind, Walk::new(Some((edge.subject, edge.object)), 2)).await.unwrap();
            assert_eq!(rest, all[n + 1..].iter().take(2).copied().collect::<Vec<_>>());
            let listed = world.walk(edge.subject.get(), kind.list(), 5).await;
            assert!(listed.iter().any(|listed| (listed.uid, listed.at) == (edge.object, edge.at)));
        }
    }
}

/// A friend's time is the later of the two, whichever order they come in.
pub async fn imported_friends_date_from_the_later_follow(world: &World) {
    let edges = [
        edge(1, 2, Some(5_000)),
        edge(2, 1, Some(8_000)),
        edge(1, 3, Some(9_000)),
        edge(3, 1, Some(2_000)),
        edge(1, 4, Some(6_000)),
        edge(4, 1, Some(6_000)),
    ];
    assert!(import(world, &edges, false).await.iter().all(|result| *result == Ok(true)));
    let friends = world.walk(1, List::Friends, 2).await;
    let friends: Vec<_> = friends.iter().map(|edge| (edge.uid.get(), edge.at.ms())).collect();
    assert_eq!(friends, [(3, 9_000), (2, 8_000), (4, 6_000)]);
    for (friend, ms) in friends {
        assert_eq!(world.walk(friend, List::Friends, 2).await[0].at.ms(), ms, "the same on the other side");
    }
}

/// The log tells an imported follow from its time, and says it was a follow.
pub async fn imports_are_logged_as_follows(world: &World) {
    import(world, &[edge(1, 2, Some(5_000)), edge(1, 1, None)], false).await;
    world.settle([2]).await;
    import(world, &[edge(2, 1, Some(4_000))], false).await;
    let events = world.events_since(&world.origin).await;
    let change = |object, ms, mutual| Change::Pair {
        object: u(object),
        kind: PairChange::Followed { at: Stamp::from_ms(ms), mutual },
        cause: Op::Follow,
    };
    assert_eq!((events[0].subject, events[0].change), (u(1), change(2, 5_000, false)));
    assert_eq!((events[1].subject, events[1].change), (u(2), change(1, 4_000, true)));
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event.version.ms() >= super::START_MS), "versions are of the import");
}

/// A time that is a little ahead, as a clock elsewhere may be, counts as now; what is further ahead would stay on top of
/// lists, and is refused. So it is for every fact that comes with a time of its own.
pub async fn imported_times_lie_not_ahead(world: &World) {
    let now = super::START_MS;
    let (near, far) = (now + FACT_AHEAD_MAX_MS, now + FACT_AHEAD_MAX_MS + 1);
    let edges =
        [edge(1, 2, Some(near)), edge(1, 3, Some(far)), edge(1, 4, Some(now)), edge(1, 5, Some(now + 1))];
    let refused = Err(Reason::TimeOutOfRange);
    assert_eq!(import(world, &edges, false).await, [Ok(true), refused.clone(), Ok(true), Ok(true)]);
    let mut following = world.uids(1, List::Following).await;
    following.sort_unstable();
    assert_eq!(following, [2, 4, 5]);
    for object in following {
        assert_eq!(world.relation(1, object).await.following_since.unwrap().ms(), now);
    }
    for kind in [RestrictionKind::Mute, RestrictionKind::Block] {
        let restrictions = vec![edge(6, 7, Some(near)), edge(6, 8, Some(far))];
        let answer = world.write(Write::of(Command::ImportRestrictions { kind, restrictions })).await;
        let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
        assert_eq!(results, [Ok(true), refused.clone()], "{kind:?}");
        assert_eq!(world.walk(6, kind.list(), 5).await[0].at.ms(), now);
    }
    world.clock().set(now + 1);
    world.build("1->9").await;
    assert_eq!(world.uids(1, List::Following).await[0], 9, "what follows later stands above");
}

/// A repeat changes nothing, for every time that it gives.
pub async fn an_edge_that_stands_is_already_there(world: &World) {
    world.build("1->2").await;
    let since = world.relation(1, 2).await.following_since;
    let edges = [edge(1, 2, Some(1_000)), edge(3, 4, Some(2_000)), edge(3, 4, Some(3_000))];
    assert_eq!(import(world, &edges, false).await, [Ok(false), Ok(true), Ok(false)]);
    assert_eq!(import(world, &edges, true).await, [const { Ok(false) }; 3]);
    assert_eq!(world.relation(1, 2).await.following_since, since);
    assert_eq!(world.relation(3, 4).await.following_since, Some(Stamp::from_ms(2_000)));
}

/// An edge that was removed stays removed, however it was, unless the import revives.
pub async fn a_removed_edge_stays_removed(world: &World) {
    world.build("1->2 1-/2 1->3 3-r1 1->4 4-x1 4-o1 1->5 1-/5 1->5").await;
    let edges = [edge(1, 2, Some(10)), edge(1, 3, Some(20)), edge(1, 4, Some(30)), edge(1, 5, Some(40))];
    assert_eq!(import(world, &edges, false).await, [const { Ok(false) }; 4]);
    assert_eq!(world.uids(1, List::Following).await, [5]);
    assert_eq!(import(world, &edges, true).await, [Ok(true), Ok(true), Ok(true), Ok(false)]);
    assert_eq!(world.uids(1, List::Following).await, [5, 4, 3, 2]);
    assert_eq!(world.relation(1, 2).await.following_since, Some(Stamp::from_ms(10)));
    world.build("1-/2").await;
    assert_eq!(import(world, &edges[..1], false).await, [Ok(false)], "removed again, it stays removed again");
    assert_eq!(
        import(world, &[edge(2, 1, None)], false).await,
        [Ok(true)],
        "the other direction is another edge"
    );
}

/// Refused edges say why, one by one, and do not hold up the others.
pub async fn refused_edges_say_why(world: &World) {
    world.set_limit(1, Some(2)).await;
    world.build("2-x3").await;
    let edges = [
        edge(1, 10, Some(1)),
        edge(1, 1, Some(1)),
        edge(1, 11, Some(2)),
        edge(1, 12, Some(3)),
        edge(1, 10, Some(4)),
        edge(2, 3, Some(5)),
        edge(3, 2, Some(6)),
        edge(3, 4, Some(7)),
    ];
    let full = Err(Reason::LimitReached { limit: 2 });
    let (me, blocked) = (Err(Reason::SelfRelation), Err(Reason::Blocked));
    let results = import(world, &edges, false).await;
    assert_eq!(results, [Ok(true), me, Ok(true), full, Ok(false), blocked.clone(), blocked, Ok(true)]);
    assert_eq!(world.relation(2, 3).await.state(), RelationState::None);
}

/// A job stands where its last batch ended; it never began at `None`.
pub async fn a_job_moves_with_its_edges(world: &World) {
    assert_eq!(stands(world, "a").await, None);
    assert_eq!(marked(world, &[edge(1, 2, None)], "a", 0, 100).await, Ok(()));
    assert_eq!(stands(world, "a").await, Some(100));
    assert_eq!(marked(world, &[edge(1, 3, None)], "a", 100, 250).await, Ok(()));
    assert_eq!(stands(world, "a").await, Some(250));
    assert_eq!(stands(world, "b").await, None, "jobs are told apart by name");
    assert_eq!(marked(world, &[], "b", 0, 7).await, Ok(()));
    assert_eq!(stands(world, "b").await, Some(7), "a batch without edges moves its job, too");
    assert_eq!(marked(world, &[edge(1, 2, None)], "a", 250, 300).await, Ok(()));
    assert_eq!(stands(world, "a").await, Some(300), "edges that are already there count as done");
}

/// A batch from another place than the job's is refused as a whole, and told where the job stands.
pub async fn a_batch_out_of_place_is_refused(world: &World) {
    let mismatch = |position| Err(Reason::ImportPositionMismatch { position });
    assert_eq!(marked(world, &[edge(1, 2, None)], "a", 5, 10).await, mismatch(0));
    assert_eq!(stands(world, "a").await, None);
    marked(world, &[edge(1, 2, None)], "a", 0, 100).await.unwrap();
    let before = world.last();
    for from in [0, 99, 101] {
        assert_eq!(marked(world, &[edge(1, 3, None)], "a", from, 200).await, mismatch(100), "{from}");
    }
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(stands(world, "a").await, Some(100));
    assert_eq!(world.uids(1, List::Following).await, [2]);
}

/// Two importers of one job: only one gets through with each batch.
pub async fn racing_importers_of_a_job_do_not_repeat(world: &World) {
    let is_one_commit = !world.lacks(Need::MixedBatches);
    let importers: Vec<_> = (0..3)
        .map(|_| {
            let graph = world.backend.store.clone();
            tokio::spawn(async move {
                let mut through = 0;
                for batch in 0..20 {
                    let edges = vec![edge(1 + batch, 100 + batch, Some(batch))];
                    let mark = Some(ImportCursor { job: "race".into(), from: batch, to: batch + 1 });
                    match graph.apply(Write::edges(edges, false).at(mark)).await {
                        Ok(answer) => {
                            // Where edges and mark are of two commits, a rival may have begun the same.
                            assert!(!is_one_commit || answer.outcomes[0].result() == Ok(true));
                            through += 1;
                        }
                        Err(error) => {
                            assert!(matches!(error.reason, Reason::ImportPositionMismatch { .. }), "{error}");
                        }
                    }
                }
                through
            })
        })
        .collect();
    let mut through = 0;
    for importer in importers {
        through += importer.await.unwrap();
    }
    world.saw(&world.backend.log.head().await.unwrap());
    assert_eq!((through, stands(world, "race").await), (20, Some(20)));
    assert_eq!(world.events_since(&world.origin).await.len(), 20);
}

/// The largest batch is accepted, one more edge is refused as a whole, and so is too long a name.
pub async fn imports_are_bounded(world: &World) {
    let edges: Vec<_> = (0..=u64::from(IMPORT_BATCH_MAX)).map(|n| edge(10 + n, 1, Some(n))).collect();
    let write = Write::edges(edges.clone(), false);
    assert_eq!(world.try_write(write).await, Err(Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX }));
    let too_long = "x".repeat(JOB_NAME_LEN_MAX as usize + 1);
    let reason = marked(world, &edges[..1], &too_long, 0, 1).await.unwrap_err();
    assert_eq!(reason, Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX });
    assert_eq!(world.events_since(&world.origin).await, []);
    assert_eq!(marked(world, &edges[1..], &too_long[1..], 0, 1).await, Ok(()));
    assert_eq!(stands(world, &too_long[1..]).await, Some(1));
    assert_eq!(world.counts(1).await.followers, u64::from(IMPORT_BATCH_MAX));
}

/// An imported edge is an edge like any other.
pub async fn imported_edges_can_be_removed_and_followed_again(world: &World) {
    import(world, &[edge(1, 2, Some(5)), edge(2, 1, Some(6)), edge(3, 1, Some(7))], false).await;
    assert_eq!(world.batch(&[follow(1, 2)]).await[0].result, Ok(false));
    world.build("1-/2 1->2 1-r3 3->1").await;
    assert_eq!(world.relation(1, 2).await.following_since.unwrap().ms(), super::START_MS);
    assert_eq!(world.uids(1, List::Followers).await, [3, 2]);
}

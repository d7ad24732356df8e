//! The policy of uids: what a store does behind the check that every server has in front of it.

use super::external_ids_world::external;
use super::users_world::account;
use super::{Need, START_MS, World, draft, follow, old_post, u};
use guanxi_model::post::PostCommand;
use guanxi_model::user::{ProfilePatch, Registration, UserCommand};
use guanxi_model::{
    Command, Gene, ImportCursor, ImportEdge, List, Outcome, Reason, RestrictionKind, Uid, Write,
};

/// A uid of the range that was minted, as far as can be told.
fn minted(world: &World, salt: u64) -> u64 {
    world.settings.uids.mint(START_MS, salt, Gene(1)).unwrap().get()
}

/// Returns a uid of the range that was never minted.
fn not_minted(world: &World) -> u64 {
    let (first, _) = world.settings.range().ends();
    let mut uids = (first + 1..).map(u).filter(|uid| !world.settings.uids.admits(*uid));
    uids.next().unwrap().get()
}

fn edge((subject, object): (u64, u64)) -> ImportEdge {
    ImportEdge::new(u(subject), u(object), None)
}

async fn results(world: &World, write: Write) -> Vec<Result<bool, Reason>> {
    world.write(write).await.outcomes.iter().map(Outcome::result).collect()
}

/// A write that names a user of the range who was not minted is refused as a whole, for every command and all other
/// users in it.
pub async fn who_was_not_minted_is_not_named(world: &World) {
    let (good, bad) = (minted(world, 5), not_minted(world));
    world.change(&[follow(7, good), follow(good, 7)]).await;
    let before = world.last();
    let patch = ProfilePatch { bio: Some("a foreign user".into()), ..ProfilePatch::default() };
    let mut writes = vec![
        Write::of(follow(7, bad)),
        Write::of(follow(bad, 7)),
        Write::all([follow(7, 8), follow(7, bad), follow(7, 9)]),
        Write::of(Command::FollowLimit { uid: u(bad), limit: Some(3) }),
        Write::of(UserCommand::Update { uid: u(bad), patch, expected_revision: None }),
    ];
    if !world.lacks_posts() {
        writes.push(Write::of(PostCommand::Create(draft(bad, "hello"))));
    }
    for write in writes {
        assert_eq!(world.try_write(write.clone()).await, Err(Reason::UidNotMinted), "{write:?}");
    }
    assert_eq!(world.events_since(&before).await, []);
    assert_eq!(world.uids(7, List::Following).await, [good], "nothing of a refused batch is done");
}

/// A row of an import that names such a user is refused, and keeps no other from being written; the job goes on.
pub async fn imports_leave_out_who_was_not_minted(world: &World) {
    let (good, bad) = (minted(world, 5), not_minted(world));
    let refused = Err(Reason::UidNotMinted);
    let import = |pairs: &[(u64, u64)], from, to| {
        let mark = Some(ImportCursor { job: "edges".to_owned(), from, to });
        Write::edges(pairs.iter().copied().map(edge).collect(), false).at(mark)
    };
    let pairs = [(7, 8), (7, bad), (bad, 7), (7, good), (8, 8), (9, 7)];
    for (new, from) in [(true, 0), (false, 6)] {
        let found = results(world, import(&pairs, from, from + 6)).await;
        let own = Err(Reason::SelfRelation);
        assert_eq!(found, [Ok(new), refused.clone(), refused.clone(), Ok(new), own, Ok(new)]);
    }
    assert_eq!(results(world, import(&[(bad, 1)], 12, 13)).await, [Err(Reason::UidNotMinted)]);
    assert_eq!(world.view().await.import_position("edges").await.unwrap(), Some(13));
    let exported = world.export().await;
    let follows: Vec<_> = exported.iter().map(|edge| (edge.subject.get(), edge.object.get())).collect();
    assert_eq!(follows, [(7, 8), (7, good), (9, 7)]);
    for kind in [RestrictionKind::Block, RestrictionKind::Mute] {
        let restrictions = [(1, bad), (1, 2), (bad, 2)].map(edge).to_vec();
        let found = results(world, Write::of(Command::ImportRestrictions { kind, restrictions })).await;
        assert_eq!(found, [refused.clone(), Ok(true), refused.clone()], "{kind:?}");
    }
}

/// The same of posts, and of likes by or of such a user.
pub async fn imported_posts_leave_out_who_was_not_minted(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let (good, bad) = (minted(world, 5), not_minted(world));
    let at = START_MS - 1_000;
    let posts = [old_post(bad, "a", at), old_post(7, "b", at), old_post(good, "c", at)];
    for new in [true, false] {
        let outcomes = world.import_posts(&posts).await;
        let found: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
        assert_eq!(found, [Err(Reason::UidNotMinted), Ok(new), Ok(new)]);
        let has_id: Vec<bool> = outcomes.iter().map(|outcome| outcome.id.is_some()).collect();
        assert_eq!(has_id, [false, true, true]);
    }
    let likes = [(8, 7, "b", at), (bad, 7, "b", at), (8, bad, "a", at), (7, good, "c", at)];
    let outcomes = world.import_likes(&likes).await;
    let found: Vec<_> = outcomes.into_iter().map(|outcome| outcome.result).collect();
    assert_eq!(found, [Ok(true), Err(Reason::UidNotMinted), Err(Reason::UidNotMinted), Ok(true)]);
}

/// What is minted for external ids and accounts lies in the range, and nothing else is taken for it.
pub async fn new_users_are_of_the_range(world: &World) {
    let id = external("0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60");
    let uids = world.settings.uids;
    let assign = |uid: Uid| UserCommand::AssignExternalId { uid, external_id: id.clone(), listed: false };
    let uid = world.user(assign(uids.mint(START_MS, 1, id.gene()).unwrap())).await.uid;
    let (first, last) = world.settings.range().ends();
    assert!((first..=last).contains(&uid.get()) && uids.admits(uid), "{uid}");
    assert_eq!(world.view().await.external_ids(&[uid]).await.unwrap(), [Some(id.clone())]);
    if world.lacks(Need::Accounts) {
        return;
    }
    let bad = u(not_minted(world));
    let account = account("alice", 1);
    for command in [assign(bad), UserCommand::Register(Registration { uid: bad, ..account.clone() })] {
        assert_eq!(world.try_write(Write::of(command)).await, Err(Reason::UidNotMinted));
    }
    let uid = uids.mint(START_MS, 2, account.login_name.gene()).unwrap();
    assert_eq!(world.register(Registration { uid, ..account }).await, uid);
}

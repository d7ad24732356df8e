//! Users who are deleted: nothing new is done by them or to them, what undoes is not refused, and nothing is kept of them
//! in the end.

use super::external_ids_world::{external, uid_of_gene};
use super::posts_world::{draft, old_post, text};
use super::users_world::{account, email, hash, hidden_from_lookup, name, uid_for};
use super::{Need, World, u};
use guanxi_model::command::{ImportEdge, RestrictionKind};
use guanxi_model::event::UserChange;
use guanxi_model::user::{ContactCommand, ProfilePatch, Registration, UserCommand, UserStatus};
use guanxi_model::{Change, Command, ExternalId, Op, Outcome, Reason, Uid, User, Write};
use guanxi_ports::Walk;

/// Before everything that the cases do.
const OLD_MS: u64 = 1_000_000_000_000;

/// Long after everything that the cases do.
const LATER_MS: u64 = 4_000_000_000_000;

impl World {
    async fn delete_user(&self, uid: Uid, erase_at_ms: u64) -> Result<bool, Reason> {
        self.set_user_status(uid, UserStatus::Deleted { erase_at_ms }).await
    }

    pub(super) async fn set_user_status(&self, uid: Uid, status: UserStatus) -> Result<bool, Reason> {
        self.user(UserCommand::SetStatus { uid, status }).await.result
    }

    async fn deleted(&self) -> Vec<(u64, Uid)> {
        self.view().await.deleted_users(Walk::new(None, 100)).await.unwrap()
    }

    async fn command_result(&self, command: impl Into<Command>) -> Result<bool, Reason> {
        self.write(Write::of(command)).await.outcomes.remove(0).result()
    }
}

/// A deleted user is on the list of users to erase until it is erased, by the earliest time that was said.
pub async fn who_is_deleted_is_listed_until_it_is_erased(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    assert_eq!(world.deleted().await, []);
    for (uid, at) in [(1, LATER_MS), (2, 5), (3, LATER_MS), (4, 5)] {
        assert_eq!(world.delete_user(u(uid), at).await, Ok(true));
    }
    assert_eq!(world.delete_user(u(1), LATER_MS + 1).await, Ok(false), "not later");
    assert_eq!(world.delete_user(u(3), 7).await, Ok(true), "sooner");
    let all = [(5, u(2)), (5, u(4)), (7, u(3)), (LATER_MS, u(1))];
    assert_eq!(world.deleted().await, all);
    let view = world.view().await;
    for at in 0..all.len() {
        let rest = view.deleted_users(Walk::new(Some(all[at]), 2)).await.unwrap();
        assert_eq!(rest, all[at + 1..].iter().copied().take(2).collect::<Vec<_>>());
    }
    for back in [UserStatus::Active, UserStatus::Deactivated] {
        assert_eq!(world.set_user_status(u(1), back).await, Err(Reason::UserDeleted));
    }
    let erased = UserStatus::Erased { at_ms: 9 };
    let invalid = Err(Reason::InvalidField { field: "status" });
    assert_eq!(world.set_user_status(u(5), erased).await, invalid, "not before it is deleted");
    assert_eq!(world.set_user_status(u(2), erased).await, Ok(true));
    assert_eq!(world.set_user_status(u(2), UserStatus::Erased { at_ms: 10 }).await, Ok(false));
    assert_eq!(world.delete_user(u(2), 1).await, Ok(false));
    assert_eq!(world.deleted().await, all[1..]);
    assert_eq!(world.set_user_status(u(4), UserStatus::Erased { at_ms: 8 }).await, Ok(true));
    let view = world.view().await;
    assert_eq!(view.erased_users(Walk::new(None, 9)).await.unwrap(), [(u(2), 9), (u(4), 8)]);
    assert_eq!(view.erased_users(Walk::new(None, 1)).await.unwrap(), [(u(2), 9)]);
    assert_eq!(view.erased_users(Walk::new(Some(u(2)), 9)).await.unwrap(), [(u(4), 8)]);
    let kept = world.view().await.users(&[u(2)]).await.unwrap().remove(0);
    assert_eq!(kept, Some(User { status: erased, revision: 2, ..User::unknown(u(2)) }));
}

/// Nothing begins between a user who is deleted and anybody else; what there was can be undone.
pub async fn nothing_begins_with_who_is_deleted(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    world.build("1->2 2->1 1->3 3->1").await;
    world.act(Op::Block, 4, 1).await;
    world.act(Op::Mute, 1, 5).await;
    assert_eq!(world.delete_user(u(1), LATER_MS).await, Ok(true));
    let refused = Err(Reason::UserDeleted);
    for op in [Op::Follow, Op::Block, Op::Mute] {
        assert_eq!(world.result(op, 1, 6).await, refused, "{op:?} by it");
        assert_eq!(world.result(op, 6, 1).await, refused, "{op:?} of it");
    }
    assert_eq!(world.result(Op::Follow, 2, 1).await, Ok(false), "what is there already is no news");
    assert_eq!(world.result(Op::Follow, 4, 1).await, Err(Reason::Blocked), "a block is named first");
    if !world.lacks(Need::MixedBatches) {
        for (subject, object) in [(1, 6), (6, 1)] {
            let edge = ImportEdge::new(u(subject), u(object), None);
            let edges = vec![edge];
            assert_eq!(
                world.command_result(Command::ImportEdges { edges: edges.clone(), revive: true }).await,
                refused
            );
            for kind in [RestrictionKind::Block, RestrictionKind::Mute] {
                let restrictions = edges.clone();
                let import = Command::ImportRestrictions { kind, restrictions };
                assert_eq!(world.command_result(import).await, refused);
            }
        }
    }
    for (op, subject, object) in [
        (Op::Unfollow, 1, 2),
        (Op::Unfollow, 2, 1),
        (Op::RemoveFollower, 1, 3),
        (Op::Unfollow, 1, 3),
        (Op::Unblock, 4, 1),
        (Op::Unmute, 1, 5),
    ] {
        assert_eq!(world.result(op, subject, object).await, Ok(true), "{op:?} {subject} {object}");
    }
    world.settle([1, 2, 3]).await;
    assert_eq!(world.counts(1).await, guanxi_model::Counts::default());
}

/// Nothing is written or liked by a user who is deleted, imported neither, and nothing new is kept of it beside.
pub async fn nothing_is_written_by_who_is_deleted(world: &World) {
    if world.lacks(Need::Accounts) || world.lacks_posts() {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let author = uid.get();
    let (mine, theirs) = (world.post(draft(author, "mine")).await, world.post(draft(2, "theirs")).await);
    assert_eq!(world.like(author, theirs).await, Ok(true));
    assert_eq!(world.import_posts(&[old_post(2, "old", OLD_MS)]).await[0].result, Ok(true));
    assert_eq!(world.delete_user(uid, LATER_MS).await, Ok(true));
    let refused = Err(Reason::UserDeleted);
    assert_eq!(world.try_post(draft(author, "more")).await, Err(Reason::UserDeleted));
    assert_eq!(world.edit(author, mine, text("other")).await, refused);
    assert_eq!(world.like(3, mine).await, Err(Reason::PostDeleted));
    assert_eq!(world.like(author, theirs).await, refused);
    assert_eq!(world.import_posts(&[old_post(author, "k", OLD_MS)]).await[0].result, refused);
    assert_eq!(world.import_likes(&[(author, 2, "old", OLD_MS)]).await[0].result, refused);
    assert_eq!(world.import_likes(&[(3, author, &mine.to_string(), OLD_MS)]).await[0].result, refused);
    let patch = ProfilePatch { bio: Some("words".into()), ..ProfilePatch::default() };
    let revision = world.view().await.users(&[uid]).await.unwrap().remove(0).unwrap().revision;
    for command in [
        UserCommand::Update { uid, patch, expected_revision: None },
        UserCommand::SetPrivacy { uid, patch: hidden_from_lookup() },
        UserCommand::SetPassword { uid, password: hash("2"), replaces: None },
        UserCommand::Contact(ContactCommand::Bind {
            uid,
            contact: email(1),
            expected_revision: revision,
            reserved: guanxi_model::Stamp::from_ms(world.now_ms()),
        }),
    ] {
        let outcome = world.user(command.clone()).await;
        assert_eq!((outcome.result, outcome.revision), (refused.clone(), revision), "{command:?}");
    }
    assert_eq!(world.delete(author, mine).await, Ok(true));
    assert_eq!(world.restore(author, mine).await, refused);
    assert_eq!(world.unlike(author, theirs).await, Ok(true));
}

/// Marks and limits are not kept of a deleted user: the write is refused with the reason.
pub async fn nothing_is_kept_of_who_is_deleted(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    assert_eq!(world.delete_user(uid, LATER_MS).await, Ok(true));
    let before = world.last();
    for command in [
        Command::MarkSeen { uid, seen: before.clone() },
        Command::MarkRequestsSeen { uid, seen: None },
        Command::FollowLimit { uid, limit: Some(7) },
    ] {
        let answer = world.write(Write::of(command.clone())).await;
        assert_eq!(answer.outcomes, [Outcome::Plain(Err(Reason::UserDeleted))], "{command:?}");
    }
    let usual = world.write(Write::of(Command::FollowLimit { uid, limit: None })).await;
    assert_eq!(usual.outcomes, [Outcome::Done], "what is taken away may always be");
    assert_eq!(world.events_since(&before).await, []);
}

/// The names of a user are its own until it is erased; then they are free, and the uid is not.
pub async fn names_are_free_once_their_user_is_erased(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let id = external("elsewhere");
    let assigned = uid_of_gene(id.gene(), 1);
    let assign = |uid| UserCommand::AssignExternalId { uid, external_id: id.clone(), listed: false };
    assert_eq!(world.user(assign(assigned)).await.result, Ok(true));
    if !world.lacks(Need::MixedBatches) {
        world.set_limit(uid.get(), Some(7)).await;
    }
    let again = || UserCommand::Register(account("alice", 2));
    for uid in [uid, assigned] {
        assert_eq!(world.delete_user(uid, 1).await, Ok(true));
    }
    assert_eq!(world.user(again()).await.result, Err(Reason::LoginNameTaken));
    assert_eq!(world.user(assign(uid_of_gene(id.gene(), 2))).await.uid, assigned);
    for uid in [uid, assigned] {
        assert_eq!(world.set_user_status(uid, UserStatus::Erased { at_ms: 2 }).await, Ok(true));
    }
    let view = world.view().await;
    assert_eq!(view.uid_of(&name("alice")).await.unwrap(), None);
    assert_eq!(view.password(uid).await.unwrap(), None);
    assert_eq!(view.external_ids(&[assigned]).await.unwrap(), [None]);
    assert_eq!(view.uids_of(std::slice::from_ref(&id)).await.unwrap(), [None]);
    let first = Registration { uid, ..account("alice", 1) };
    assert_eq!(world.user(UserCommand::Register(first)).await.result, Err(Reason::UidInUse));
    assert_eq!(world.user(assign(assigned)).await.result, Err(Reason::UidInUse));
    assert_eq!(world.user(again()).await.result, Ok(true));
    assert_eq!(world.user(assign(uid_of_gene(id.gene(), 2))).await.result, Ok(true));
    let (other, view) = (uid_for(&name("alice"), 2), world.view().await);
    assert_eq!(view.uid_of(&name("alice")).await.unwrap(), Some(other));
}

/// A list that names an id whose user is erased is refused for that id, with any other ids in it. The user itself begins anew,
/// and then the list finds it. Credentials that others issued before under the name are not good for the new user.
pub async fn a_list_brings_no_erased_user_back(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    let [gone, other, new] = ["gone", "other", "new"].map(external);
    let assign = |id: &ExternalId, salt, listed| UserCommand::AssignExternalId {
        uid: uid_of_gene(id.gene(), salt),
        external_id: id.clone(),
        listed,
    };
    for id in [&gone, &other] {
        assert_eq!(world.user(assign(id, 1, true)).await.result, Ok(true));
    }
    let uid = uid_of_gene(gone.gene(), 1);
    assert_eq!(world.delete_user(uid, 1).await, Ok(true));
    assert_eq!(
        world.user(assign(&gone, 2, true)).await.result,
        Ok(false),
        "until it is erased it has its uid"
    );
    assert_eq!(world.set_user_status(uid, UserStatus::Erased { at_ms: 2 }).await, Ok(true));
    let list = Write::all([&gone, &other, &new, &gone].map(|id| assign(id, 2, true)));
    let outcomes = world.write(list).await.outcomes;
    let results: Vec<_> = outcomes.iter().map(Outcome::result).collect();
    let refused = Err(Reason::UserDeleted);
    assert_eq!(results, [refused.clone(), Ok(false), Ok(true), refused]);
    assert_eq!(world.view().await.uids_of(std::slice::from_ref(&gone)).await.unwrap(), [None]);
    let anew = uid_of_gene(gone.gene(), 3);
    world.assert_not_before(anew, 0);
    world.clock().set(world.now_ms() + 1_000);
    let before = world.last();
    assert_eq!(world.user(assign(&gone, 3, false)).await.result, Ok(true));
    assert_eq!(world.user(assign(&gone, 4, true)).await.uid, anew);
    world.assert_not_before(anew, world.now_ms() + 1);
    world.assert_not_before(uid_of_gene(new.gene(), 2), 0);
    let events = world.events_since(&before).await;
    let told: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    let changes = [UserChange::ExternalIdAssigned, UserChange::SignedOut];
    assert_eq!(told, changes.map(|change| (anew, Change::User(change))));
    if world.lacks(Need::MixedBatches) {
        return;
    }
    // What the batch itself erases counts, too.
    let (uid, set) = (uid_of_gene(other.gene(), 1), |uid, status| UserCommand::SetStatus { uid, status });
    let commands = [
        set(uid, UserStatus::Deleted { erase_at_ms: 1 }),
        set(uid, UserStatus::Erased { at_ms: 2 }),
        assign(&other, 5, true),
        assign(&other, 5, false),
    ];
    let outcomes = world.write(Write::all(commands)).await.outcomes;
    let results: Vec<_> = outcomes.iter().map(Outcome::result).collect();
    assert_eq!(results, [Ok(true), Ok(true), Err(Reason::UserDeleted), Ok(true)]);
}

/// A name that goes to somebody else in the commit that erases its user is that one's.
pub async fn a_name_moves_within_a_commit(world: &World) {
    if world.lacks(Need::Accounts) || world.lacks(Need::MixedBatches) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    let id = external("elsewhere");
    let (before, after) = (uid_of_gene(id.gene(), 1), uid_of_gene(id.gene(), 2));
    let assign = |uid| UserCommand::AssignExternalId { uid, external_id: id.clone(), listed: false };
    assert_eq!(world.user(assign(before)).await.result, Ok(true));
    let mut commands = Vec::new();
    for uid in [uid, before] {
        for status in [UserStatus::Deleted { erase_at_ms: 1 }, UserStatus::Erased { at_ms: 2 }] {
            commands.push(UserCommand::SetStatus { uid, status });
        }
    }
    commands.extend([UserCommand::Register(account("alice", 2)), assign(after)]);
    let answer = world.write(Write::all(commands)).await;
    assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{answer:?}");
    let view = world.view().await;
    let other = uid_for(&name("alice"), 2);
    assert_eq!(view.uid_of(&name("alice")).await.unwrap(), Some(other));
    assert_eq!(
        (view.password(uid).await.unwrap(), view.password(other).await.unwrap()),
        (None, Some(hash("first")))
    );
    assert_eq!(view.uids_of(std::slice::from_ref(&id)).await.unwrap(), [Some(after)]);
    assert_eq!(view.external_ids(&[before, after]).await.unwrap(), [None, Some(id)]);
    assert_eq!(view.deleted_users(Walk::new(None, 9)).await.unwrap(), []);
}

/// Readers of the log are told who is deleted and who is erased, and readers of the posts of the former.
pub async fn deletions_are_logged(world: &World) {
    if world.lacks(Need::Accounts) || world.lacks_outboxes() {
        return;
    }
    let post = world.post(draft(7, "mine")).await;
    let before = world.last();
    let next = world.next(7).of(u(7));
    assert_eq!(world.delete_user(u(7), 1).await, Ok(true));
    let head = world.view().await.heads(&[u(7)]).await.unwrap().remove(0);
    assert_eq!((head.last_id, head.last, head.changed), (Some(post), next, next));
    assert_eq!(world.set_user_status(u(7), UserStatus::Erased { at_ms: 2 }).await, Ok(true));
    let head = world.view().await.heads(&[u(7)]).await.unwrap().remove(0);
    assert_eq!(head.changed, next, "nobody sees less than before");
    let changes: Vec<Change> =
        world.events_since(&before).await.into_iter().map(|event| event.change).collect();
    assert_eq!(changes, [UserChange::Deleted, UserChange::Erased].map(Change::User));
}

//! Posts that are for a group of their author.

use super::groups_world::g;
use super::{Need, START_MS, World, draft, edit, for_whom, old_post, reply, repost, text, u};
use guanxi_model::event::PostChange;
use guanxi_model::limits::REVISIONS_MAX;
use guanxi_model::post::{Body, Draft, Edit, ImportPost};
use guanxi_model::{Change, Event, GroupChange, GroupCommand, GroupId, PostId, Reason, Visibility};

/// A post for a group, to be changed by struct update.
fn to(group: GroupId, author: u64) -> Draft {
    Draft { visibility: Visibility::Group(group), ..draft(author, "among us") }
}

/// Of some groups, given as owner and number, those that a user is in.
async fn groups_in(world: &World, member: u64, groups: &[(u64, u32)]) -> Vec<bool> {
    let groups: Vec<_> = groups.iter().map(|(owner, id)| (u(*owner), g(*id))).collect();
    world.view().await.in_groups(u(member), &groups).await.unwrap()
}

/// A post keeps for which group it is, in every read and for every kind of post; and so does each of its revisions.
pub async fn a_post_is_for_a_group(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let (family, team) = (world.group_of(1, &[2, 3]).await, world.group_of(1, &[3]).await);
    let (open, first) = (world.post(draft(2, "open")).await, world.post(to(family, 1)).await);
    let answer = world.post(Draft { visibility: Visibility::Group(team), ..reply(1, open) }).await;
    let quote = world.post(Draft { repost_of: Some(open), ..to(team, 1) }).await;
    let shared = world.post(Draft { visibility: Visibility::Group(team), ..repost(1, open) }).await;
    let wanted = [(first, family), (answer, team), (quote, team), (shared, team)];
    for (id, group) in wanted {
        let visibility = Visibility::Group(group);
        assert_eq!(world.item(id).await.visibility, visibility, "{id:?}");
        assert_eq!(world.read_post(id).await.header.visibility, visibility, "{id:?}");
    }
    // What is held in memory of a reply has no room for its group: from everybody to one, and back.
    for visibility in [Visibility::Public, Visibility::Group(family), Visibility::Friends] {
        assert_eq!(world.edit(1, answer, for_whom(visibility)).await, Ok(true));
        assert_eq!(world.item(answer).await.visibility, visibility);
    }
    let revisions = world.view().await.revisions(answer, None, 9).await.unwrap();
    let were: Vec<_> = revisions.iter().map(|revision| revision.visibility).collect();
    assert_eq!(were, [Visibility::Group(family), Visibility::Public, Visibility::Group(team)]);
}

/// A post is for a group that its author has, and for no other.
pub async fn a_post_is_for_a_group_of_its_author_alone(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let (group, missing) = (world.group_of(1, &[2]).await, Err(Reason::GroupNotFound));
    assert_eq!(world.try_post(to(g(2), 1)).await, missing, "no such group");
    assert_eq!(world.try_post(to(group, 2)).await, missing, "a group of somebody else");
    let post = world.post(draft(1, "open")).await;
    let missing = missing.map(|_: PostId| true);
    assert_eq!(world.edit(1, post, for_whom(Visibility::Group(g(7)))).await, missing);
    let old = |key: &str, group| ImportPost {
        visibility: Visibility::Group(group),
        ..old_post(1, key, START_MS - 9)
    };
    let results = world.import_posts(&[old("a", g(2)), old("b", group)]).await;
    assert_eq!(results.iter().map(|found| found.result.clone()).collect::<Vec<_>>(), [missing, Ok(true)]);
    assert_eq!(world.read_post(post).await.revision, 1, "what is refused changes nothing");
    // An owner that deletes a group keeps the posts to itself: as they are, and as they were.
    let addressed = world.post(to(group, 1)).await;
    assert_eq!(world.delete_group(1, group).await, Ok(true));
    assert_eq!(world.edit(1, addressed, text("still")).await, Ok(true));
    let all = Edit { visibility: Some(Visibility::Group(group)), ..text("the whole post sent back") };
    assert_eq!(world.edit(1, addressed, all).await, Ok(true), "for whom it is does not change");
    assert_eq!((world.like(2, addressed).await, world.like(1, addressed).await), (FORBIDDEN, Ok(true)));
    assert_eq!(world.delete(1, addressed).await, Ok(true));
    assert_eq!(world.restore(1, addressed).await, Ok(true));
    let again = world.group_of(1, &[2]).await;
    assert_eq!(again, g(2), "no number is given twice, so that nobody comes into a group that is gone");
    assert_eq!(world.like(2, addressed).await, FORBIDDEN);
}

/// After a write to a group, however new and empty it is, its owner's numbers go on: no group gets the number of
/// another one, present or deleted.
pub async fn posts_change_no_numbers(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let create =
        async || world.group(GroupCommand::Create { owner: u(1), name: "new".into() }).await.id.unwrap();
    let mut groups = Vec::new();
    for _ in 0..3 {
        groups.push(create().await);
    }
    assert_eq!(world.add_members(1, g(2), &[2]).await.result, Ok(true));
    assert_eq!(world.delete_group(1, g(3)).await, Ok(true));
    let secret = world.post(to(g(2), 1)).await;
    let open = world.post(draft(1, "open")).await;
    let old = ImportPost { visibility: Visibility::Group(g(1)), ..old_post(1, "a", START_MS - 9) };
    for way in 0..3 {
        match way {
            0 => drop(world.post(to(g(1), 1)).await),
            1 => assert_eq!(world.edit(1, open, for_whom(Visibility::Group(g(1)))).await, Ok(true)),
            _ => assert_eq!(world.import_posts(std::slice::from_ref(&old)).await[0].result, Ok(true)),
        }
        assert_eq!(create().await, g(4 + way));
    }
    assert_eq!(world.members(1, g(2)).await, [2]);
    assert_eq!((world.like(2, secret).await, world.like(3, secret).await), (Ok(true), FORBIDDEN));
}

/// An exported post may be for a group that is not there, as one that its owner had deleted: it comes as its author's alone,
/// and no member joins a group of that number later. For a post of another source that is an error.
pub async fn exported_posts_may_be_for_a_group_that_is_gone(world: &World) {
    if world.lacks_posts() {
        return;
    }
    world.group_of(1, &[2]).await;
    let at_ms = START_MS - 9;
    let old = |key, group| ImportPost { visibility: Visibility::Group(group), ..old_post(1, key, at_ms) };
    let wanted = PostId::at_ms(u(1), at_ms).next();
    let exported = ImportPost { id: wanted, ..old("exported", g(7)) };
    let deleted = ImportPost { body: Body::default(), deleted: true, ..old("deleted", g(9)) };
    let outcomes = world.import_posts(&[old("foreign", g(7)), exported, deleted]).await;
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    assert_eq!(results, [Err(Reason::GroupNotFound), Ok(true), Ok(true)]);
    let post = wanted.unwrap();
    assert_eq!(world.item(post).await.visibility, Visibility::Group(g(7)));
    assert_eq!((world.like(1, post).await, world.like(2, post).await), (Ok(true), FORBIDDEN));
    assert_eq!(world.group_of(1, &[2]).await, g(10), "above all that posts are for");
    assert_eq!(world.like(2, post).await, FORBIDDEN);
}

const FORBIDDEN: Result<bool, Reason> = Err(Reason::PostForbidden);

/// Members see the posts for their group, followed or not, from the acknowledgement of their coming to that of their
/// going; a block ends it for both. A viewer that sees such a post likes and answers it; only its author shares it.
pub async fn members_alone_see_what_is_for_their_group(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let group = world.group_of(1, &[2]).await;
    world.build("3<->1").await;
    let post = world.post(to(group, 1)).await;
    let own = world.post(repost(1, post)).await;
    for id in [post, own] {
        for (uid, seen) in [(1, Ok(true)), (2, Ok(true)), (3, FORBIDDEN), (4, FORBIDDEN)] {
            assert_eq!(world.like(uid, id).await, seen, "{uid}");
            assert_eq!(world.unlike(uid, id).await, Ok(seen.is_ok()), "{uid}");
        }
    }
    let answer = world.post(reply(2, post)).await;
    assert_eq!(
        world.item(answer).await.visibility,
        Visibility::Public,
        "an answer is for whom its author says"
    );
    assert_eq!(world.try_post(reply(3, post)).await, Err(Reason::PostForbidden));
    for shared in [repost(2, post), Draft { repost_of: Some(post), ..draft(2, "look") }] {
        assert_eq!(world.try_post(shared).await, Err(Reason::PostForbidden));
    }
    assert_eq!(world.set_members(1, group, &[3], None).await.result, Ok(true));
    assert_eq!((world.like(2, post).await, world.like(3, post).await), (FORBIDDEN, Ok(true)));
    assert_eq!(world.unlike(2, post).await, Ok(false), "what undoes is never refused");
    world.build("3-x1").await;
    assert_eq!(world.like(3, post).await, FORBIDDEN);
    world.build("3-o1").await;
    assert_eq!(world.like(3, post).await, FORBIDDEN, "the end of a block brings nobody back");
    assert_eq!(world.add_members(1, group, &[3, 4]).await.result, Ok(true));
    assert_eq!((world.like(3, post).await, world.like(4, own).await), (Ok(false), Ok(true)));
}

/// In which of some groups a user is: of several owners at once, those that are gone among them, and at a view as they were.
pub async fn groups_are_asked_for_a_member(world: &World) {
    if world.lacks_posts() {
        return;
    }
    for (owner, members) in [(1, &[5, 6][..]), (1, &[6]), (300, &[5]), (2, &[])] {
        world.group_of(owner, members).await;
    }
    let all = [(1, 1), (1, 2), (300, 1), (2, 1), (3, 1), (1, 1)];
    let (before, some) = (world.view().await, [(u(1), g(1)), (u(2), g(1)), (u(300), g(1))]);
    assert_eq!(before.in_groups(u(5), &some).await.unwrap(), [true, false, true]);
    assert_eq!(groups_in(world, 5, &all).await, [true, false, true, false, false, true]);
    assert_eq!(groups_in(world, 6, &all).await, [true, true, false, false, false, true]);
    assert_eq!(groups_in(world, 1, &all).await, [false; 6], "an owner is no member");
    assert_eq!(groups_in(world, 5, &[]).await, [] as [bool; 0]);
    assert_eq!(world.delete_group(300, g(1)).await, Ok(true));
    assert_eq!(world.remove_members(1, g(1), &[5]).await.result, Ok(true));
    assert_eq!(world.add_members(2, g(1), &[5]).await.result, Ok(true));
    assert_eq!(groups_in(world, 5, &all).await, [false, false, false, true, false, false]);
    if !world.lacks(Need::PinnedViews) {
        assert_eq!(before.in_groups(u(5), &some).await.unwrap(), [true, false, true], "a view stands still");
    }
}

/// The first post for a group makes its members an audience: from then on a change of them is told as one, and the head of
/// the owner's outbox says that what was shown may have changed. Before, and for other changes, nothing of that.
pub async fn a_change_of_an_audience_is_told(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    let (group, other) = (world.group_of(1, &[2]).await, world.group_of(1, &[2]).await);
    let head = async || world.view().await.heads(&[u(1)]).await.unwrap()[0];
    let is_audience = async || world.view().await.group(u(1), group).await.unwrap().unwrap().audience;
    let last_kind = async || match world.last_change().await.change {
        Change::Group { kind, .. } => Some(kind),
        _ => None,
    };
    let post = world.post(draft(1, "open")).await;
    assert_eq!(world.add_members(1, group, &[3]).await.result, Ok(true));
    assert_eq!((last_kind().await, is_audience().await), (Some(GroupChange::MembersChanged), false));
    let before = head().await;
    assert_eq!(world.edit(1, post, for_whom(Visibility::Group(group))).await, Ok(true));
    assert!(is_audience().await);
    let revision = world.view().await.group(u(1), group).await.unwrap().unwrap().revision;
    assert_eq!(revision, 3, "that a post is for it is no change of the group");
    // It stays one, for every later state of the post.
    assert_eq!(world.edit(1, post, for_whom(Visibility::Public)).await, Ok(true));
    let widened = head().await;
    assert!(widened.changed.is_after(before.changed));
    let rename =
        GroupCommand::Update { owner: u(1), id: group, name: Some("us".into()), expected_revision: None };
    for kind in [GroupChange::Updated, GroupChange::MembersChanged] {
        let result = match kind {
            GroupChange::Updated => world.group(rename.clone()).await.result,
            _ => world.add_members(1, other, &[4]).await.result,
        };
        assert_eq!((result, last_kind().await, head().await), (Ok(true), Some(kind), widened));
    }
    let mut last = widened;
    for change in 0..4 {
        let changed = match change {
            0 => world.add_members(1, group, &[4]).await.result,
            1 => world.remove_members(1, group, &[2]).await.result,
            2 => world.set_members(1, group, &[5, 6], None).await.result,
            _ => world.delete_group(1, group).await,
        };
        let kind = if change == 3 { GroupChange::Deleted } else { GroupChange::AudienceChanged };
        assert_eq!((changed, last_kind().await), (Ok(true), Some(kind)));
        let events = world.events_since(&world.origin).await;
        let is_audience =
            |event: &&Event| matches!(event.change, Change::Group { kind: GroupChange::AudienceChanged, .. });
        let event = events.iter().rfind(is_audience).unwrap().at;
        let now = head().await;
        assert!(event.is_after(last.last), "{kind:?}");
        assert_eq!((now.last_id, now.last, now.changed), (last.last_id, event, event), "{kind:?}");
        last = now;
    }
}

/// A block that takes somebody out of an audience is told like any other going, of both owners.
pub async fn a_block_changes_audiences(world: &World) {
    if world.lacks_outboxes() {
        return;
    }
    for (owner, member) in [(1, 2), (2, 1)] {
        let group = world.group_of(owner, &[member, 3]).await;
        world.post(to(group, owner)).await;
    }
    let heads = async || world.view().await.heads(&[u(1), u(2)]).await.unwrap();
    let before = heads().await;
    world.build("1-x2").await;
    for (before, after) in before.into_iter().zip(heads().await) {
        assert!(after.changed.is_after(before.changed) && after.last == after.changed, "{after:?}");
    }
}

/// For fewer alone is it only narrower; where some see it who did not, it is wider, so that readers look for it again.
pub async fn a_group_is_within_everybody_alone(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let (group, other) = (world.group_of(1, &[2]).await, world.group_of(1, &[3]).await);
    let post = world.post(draft(1, "open")).await;
    let (group, other) = (Visibility::Group(group), Visibility::Group(other));
    for (visibility, kind) in [
        (group, PostChange::Narrowed),
        (other, PostChange::Widened),
        (Visibility::Friends, PostChange::Widened),
        (group, PostChange::Widened),
        (Visibility::Followers, PostChange::Widened),
        (Visibility::Friends, PostChange::Narrowed),
        (Visibility::Public, PostChange::Widened),
    ] {
        assert_eq!(world.edit(1, post, for_whom(visibility)).await, Ok(true));
        assert_eq!(world.last_change().await.change, Change::Post { id: post, kind }, "{visibility:?}");
    }
    assert_eq!(world.edit(1, post, for_whom(Visibility::Public)).await, Ok(false));
    // At the limit of revisions a post can still be for fewer, and for no others.
    for n in world.read_post(post).await.revision..REVISIONS_MAX {
        assert_eq!(world.edit(1, post, text(&n.to_string())).await, Ok(true));
    }
    let full = Err(Reason::LimitReached { limit: REVISIONS_MAX });
    assert_eq!(world.edit(1, post, Edit { visibility: Some(group), ..text("more") }).await, full);
    assert_eq!(world.edit(1, post, for_whom(group)).await, Ok(true));
    assert_eq!(world.edit(1, post, for_whom(other)).await, full);
    assert_eq!(world.edit(1, post, Edit { visibility: Some(group), ..edit() }).await, Ok(false));
}

/// Posts for groups are exported with their group, and imported where that is.
pub async fn posts_for_groups_are_exported(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let group = world.group_of(1, &[2]).await;
    let ids =
        [world.post(to(group, 1)).await, world.post(repost(1, world.post(draft(3, "open")).await)).await];
    assert_eq!(world.edit(1, ids[1], for_whom(Visibility::Group(group))).await, Ok(true));
    let exported = world.all_posts(9).await;
    let of_group: Vec<_> = exported.into_iter().filter(|post| post.visibility.group().is_some()).collect();
    let found: Vec<_> = of_group.iter().map(|post| (post.id, post.visibility)).collect();
    assert_eq!(found, ids.map(|id| (Some(id), Visibility::Group(group))));
    let again = world.import_posts(&of_group).await;
    assert!(again.iter().all(|outcome| outcome.result == Ok(false)), "{again:?}");
}

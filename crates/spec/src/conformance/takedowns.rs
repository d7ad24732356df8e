//! Posts and users that an operator takes down: as deleted and as deactivated to all others, and as they were once they are
//! reinstated.

use super::posts_world::{draft, reply, repost, text};
use super::sessions::port;
use super::users_world::{account, hash};
use super::{Need, World, u};
use guanxi_model::event::{PostChange, UserChange};
use guanxi_model::limits::TAKEDOWN_REASON_LEN_MAX;
use guanxi_model::post::PostCommand;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Change, Command, Login, NewSession, Op, PostId, Reason, Session, SessionCommand, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Facts as _, SessionWrites as _};

impl World {
    async fn take_post_down(&self, author: u64, id: PostId, reason: &str) -> Result<bool, Reason> {
        let command = PostCommand::TakeDown { author: u(author), id, reason: reason.to_owned() };
        self.post_act(command).await.result
    }

    async fn reinstate_post(&self, author: u64, id: PostId) -> Result<bool, Reason> {
        self.post_act(PostCommand::Reinstate { author: u(author), id }).await.result
    }

    async fn take_user_down(&self, uid: Uid, reason: &str) -> Result<bool, Reason> {
        self.user(UserCommand::TakeDown { uid, reason: reason.to_owned() }).await.result
    }

    async fn reinstate_user(&self, uid: Uid) -> Result<bool, Reason> {
        self.user(UserCommand::Reinstate { uid }).await.result
    }

    /// The last event is of a post.
    async fn assert_told(&self, author: u64, id: PostId, kind: PostChange) {
        let event = self.last_change().await;
        assert_eq!((event.subject, event.change), (u(author), Change::Post { id, kind }));
    }
}

/// A post that is taken down is as deleted to all users: no user likes, answers or shares it, and the post that it answers does
/// not count it. Its author can delete it, and nothing else. Twice is once, and a repeat with another reason is late.
pub async fn a_post_that_is_taken_down_is_as_deleted(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let answer = world.post(reply(2, original)).await;
    let shared = world.post(repost(3, answer)).await;
    assert_eq!(world.like(4, answer).await, Ok(true));
    assert_eq!(
        world.take_post_down(1, answer, "spam").await,
        Err(Reason::PostForbidden),
        "of another author"
    );
    assert_eq!(world.take_post_down(2, PostId::new(2).unwrap(), "spam").await, Err(Reason::PostNotFound));
    assert_eq!(world.reinstate_post(2, answer).await, Ok(false), "what stands");
    assert_eq!(world.take_post_down(2, answer, "spam").await, Ok(true));
    world.assert_told(2, answer, PostChange::TakenDown).await;
    let after = world.last();
    assert_eq!(world.take_post_down(2, answer, "another").await, Ok(false), "the first reason stays");
    assert_eq!(world.events_since(&after).await, []);
    assert_eq!(world.stats(original).await, (0, 0, 0), "it is not counted");
    for (user, refused) in [
        (2, world.like(2, answer).await),
        (5, world.like(5, answer).await),
        (5, world.like(5, shared).await),
        (5, world.try_post(reply(5, answer)).await.map(|_| true)),
        (2, world.try_post(reply(2, answer)).await.map(|_| true)),
        (5, world.try_post(repost(5, answer)).await.map(|_| true)),
        (2, world.try_post(repost(2, answer)).await.map(|_| true)),
    ] {
        assert_eq!(refused, Err(Reason::PostDeleted), "by {user}");
    }
    assert_eq!(world.edit(2, answer, text("other")).await, Err(Reason::PostTakenDown));
    assert_eq!(world.restore(2, answer).await, Err(Reason::PostTakenDown));
    assert_eq!(world.delete(3, answer).await, Err(Reason::PostForbidden));
    if world.lacks_outboxes() {
        return;
    }
    let taken = world.read_post(answer).await;
    assert_eq!((taken.header.deleted, taken.header.taken_down, taken.deleted_ms), (true, true, None));
    assert_eq!(taken.takedown.as_deref(), Some("spam"));
    assert_eq!(world.stats(answer).await, (1, 0, 1), "what others did to it stays");
    assert!(
        world.view().await.deleted_posts(Walk::new(None, 9)).await.unwrap().is_empty(),
        "nothing is purged"
    );
    let exported = world.all_posts(100).await.into_iter().find(|post| post.id == Some(answer)).unwrap();
    assert!(exported.deleted && exported.body.is_empty(), "lists have it as deleted");
}

/// A post comes back as it was, however often; one that its author has deleted meanwhile stays deleted, and can be restored then.
pub async fn a_reinstated_post_is_as_it_was(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let answer = world.post(reply(2, original)).await;
    assert_eq!(world.like(4, answer).await, Ok(true));
    assert_eq!(world.edit(2, answer, text("edited")).await, Ok(true));
    let before = world.read_post(answer).await;
    for round in 0..2 {
        assert_eq!(world.stats(original).await, (0, 1, 0), "round {round}");
        assert_eq!(world.take_post_down(2, answer, "spam").await, Ok(true));
        assert_eq!(world.reinstate_post(2, answer).await, Ok(true));
        world.assert_told(2, answer, PostChange::Reinstated).await;
        assert_eq!(world.reinstate_post(2, answer).await, Ok(false));
        assert_eq!(world.read_post(answer).await, before, "round {round}");
        assert_eq!(world.like(4, answer).await, Ok(false), "likes stay");
    }
    // Deleted while it is taken down, and before.
    for first_deleted in [false, true] {
        if first_deleted {
            assert_eq!(world.delete(2, answer).await, Ok(true));
        }
        assert_eq!(world.take_post_down(2, answer, "spam").await, Ok(true));
        assert_eq!(world.delete(2, answer).await, Ok(!first_deleted));
        assert_eq!(world.delete(2, answer).await, Ok(false));
        assert_eq!(world.restore(2, answer).await, Err(Reason::PostTakenDown));
        assert_eq!(world.stats(original).await, (0, 0, 0));
        if !world.lacks_outboxes() {
            let taken = world.read_post(answer).await;
            assert_eq!(
                (taken.header.deleted, taken.header.taken_down),
                (true, false),
                "its author sees it no more"
            );
            assert_eq!((taken.deleted_ms.is_some(), taken.takedown.is_some()), (true, true));
        }
        assert_eq!(world.reinstate_post(2, answer).await, Ok(true));
        assert_eq!(world.like(5, answer).await, Err(Reason::PostDeleted), "it stays deleted");
        assert_eq!(world.stats(original).await, (0, 0, 0));
        assert_eq!(world.restore(2, answer).await, Ok(true));
        assert_eq!(world.read_post(answer).await, before);
        assert_eq!(world.stats(original).await, (0, 1, 0));
    }
    // Of what is purged nothing is left to be taken down.
    let purge = PostCommand::Purge { author: u(2), id: answer, deleted_until: None };
    assert_eq!(world.take_post_down(2, answer, "spam").await, Ok(true));
    assert_eq!(world.post_act(purge).await.result, Ok(true));
    assert_eq!(world.reinstate_post(2, answer).await, Ok(false));
    assert_eq!(world.take_post_down(2, answer, "spam").await, Err(Reason::PostDeleted));
}

/// While a plain repost is taken down its user may repost the same again; then that one stands alone.
pub async fn a_reinstated_repost_stands_once(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let original = world.post(draft(1, "original")).await;
    let first = world.post(repost(2, original)).await;
    assert_eq!(world.take_post_down(2, first, "spam").await, Ok(true));
    assert!(!world.reposted(2, original).await);
    assert_eq!(world.undo_repost(2, original).await, Ok(false), "it does not stand");
    assert_eq!(world.reinstate_post(2, first).await, Ok(true));
    assert!(world.reposted(2, original).await);
    assert_eq!(world.take_post_down(2, first, "spam").await, Ok(true));
    let second = world.post(repost(2, original)).await;
    assert_eq!(world.stats(original).await, (0, 0, 1));
    assert_eq!(world.reinstate_post(2, first).await, Ok(true));
    assert_eq!(world.stats(original).await, (0, 0, 1), "the second stands");
    assert_eq!(world.undo_repost(2, original).await, Ok(true));
    assert_eq!(world.stats(original).await, (0, 0, 0));
    assert_eq!(world.restore(2, first).await, Ok(true), "the first is deleted by then");
    assert_eq!(world.restore(2, second).await, Ok(false), "another stands");
}

/// A reason says something, and is bounded; a write with another one does nothing.
pub async fn reasons_of_takedowns_are_bounded(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let id = world.post(draft(1, "mine")).await;
    let longest = "x".repeat(TAKEDOWN_REASON_LEN_MAX as usize);
    let too_long = Reason::TooLong { field: "reason", limit: TAKEDOWN_REASON_LEN_MAX };
    for (reason, refused) in
        [(String::new(), Reason::MissingField { field: "reason" }), (format!("{longest}x"), too_long)]
    {
        let post = PostCommand::TakeDown { author: u(1), id, reason: reason.clone() };
        let user = UserCommand::TakeDown { uid: u(1), reason };
        for command in [Command::from(post), Command::from(user)] {
            // Over the API it is a refusal of the call, as an outcome.
            let refusal = match world.try_write(Write::of(command)).await {
                Ok(answer) => answer.outcomes[0].result().unwrap_err(),
                Err(reason) => reason,
            };
            assert_eq!(refusal, refused);
        }
    }
    assert_eq!(world.like(2, id).await, Ok(true), "it stands");
    assert_eq!(world.take_post_down(1, id, &longest).await, Ok(true));
    assert_eq!(world.take_user_down(u(1), &longest).await, Ok(true));
    assert_eq!(world.reinstate_user(u(1)).await, Ok(true));
}

/// A user that is taken down is as deactivated, for every status below, which it has again afterwards.
pub async fn who_is_taken_down_is_as_deactivated(world: &World) {
    world.build("1->2 2->1 3->1").await;
    assert_eq!(world.reinstate_user(u(1)).await, Ok(false), "who stands");
    assert_eq!(world.take_user_down(u(1), "abuse").await, Ok(true));
    let event = world.last_change().await;
    assert_eq!((event.subject, event.change), (u(1), Change::User(UserChange::TakenDown)));
    let after = world.last();
    assert_eq!(world.take_user_down(u(1), "another").await, Ok(false));
    assert_eq!(world.events_since(&after).await, []);
    let standing = world.view().await.standings(&[u(1)]).await.unwrap().remove(0);
    assert!(standing.is_gone() && standing.taken_down && standing.status == UserStatus::Active);
    assert_eq!(world.result(Op::Follow, 1, 4).await, Err(Reason::UserDeactivated));
    assert_eq!(world.result(Op::Follow, 4, 1).await, Err(Reason::UserDeactivated));
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(false), "its edges stay");
    assert_eq!(world.result(Op::Unfollow, 3, 1).await, Ok(true), "what undoes is not refused");
    let user = async || world.view().await.users(&[u(1)]).await.unwrap().remove(0).unwrap();
    assert_eq!(user().await.takedown.as_deref(), Some("abuse"));
    let refused = Err(Reason::UserTakenDown { reason: "abuse".into() });
    assert_eq!(world.set_user_status(u(1), UserStatus::Active).await, refused);
    assert_eq!(world.reinstate_user(u(1)).await, Ok(true));
    let event = world.last_change().await;
    assert_eq!((event.subject, event.change), (u(1), Change::User(UserChange::Reinstated)));
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 1, 4).await, Ok(true));
    // Deactivated before, and meanwhile.
    for before in [true, false] {
        if before {
            world.set_status(1, UserStatus::Deactivated).await;
        }
        assert_eq!(world.take_user_down(u(1), "abuse").await, Ok(true));
        if !before {
            world.set_status(1, UserStatus::Deactivated).await;
        }
        assert_eq!(world.set_user_status(u(1), UserStatus::Active).await, refused);
        assert_eq!(world.reinstate_user(u(1)).await, Ok(true));
        assert_eq!(
            world.result(Op::Follow, 5, 1).await,
            Err(Reason::UserDeactivated),
            "it is deactivated again"
        );
        assert_eq!(user().await.takedown, None);
        world.set_status(1, UserStatus::Active).await;
    }
}

/// The posts of a user that is taken down are as good as deleted.
pub async fn posts_go_and_come_with_a_takedown(world: &World) {
    if world.lacks_posts() {
        return;
    }
    let post = world.post(draft(1, "mine")).await;
    let shared = world.post(repost(2, post)).await;
    assert_eq!(world.take_user_down(u(1), "abuse").await, Ok(true));
    assert_eq!(world.like(4, post).await, Err(Reason::PostDeleted));
    assert_eq!(world.like(4, shared).await, Err(Reason::PostDeleted), "with its original");
    assert_eq!(world.edit(1, post, text("other")).await, Err(Reason::UserDeactivated));
    assert_eq!(world.reinstate_user(u(1)).await, Ok(true));
    assert_eq!(world.like(4, shared).await, Ok(true));
    if world.lacks_outboxes() {
        return;
    }
    // The head of an author tells that all its posts went or came.
    world.post(draft(6, "mine")).await;
    for taken_down in [true, false] {
        let next = world.next(6).of(u(6));
        let done = if taken_down {
            world.take_user_down(u(6), "abuse").await
        } else {
            world.reinstate_user(u(6)).await
        };
        let head = world.view().await.heads(&[u(6)]).await.unwrap().remove(0);
        assert_eq!((done, head.last, head.changed), (Ok(true), next, next), "{taken_down}");
    }
}

/// A takedown ends sessions, and every credential that others have issued, in its own commit; a login answers why.
pub async fn a_takedown_ends_access(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let uid = world.register(account("alice", 1)).await;
    let session = |n: u8| Session::lone(uid, [n; 32], world.now_ms());
    let login = |n: u8| {
        let login = Some(Login { stored: hash("first"), renewed: None, day: 9 });
        SessionCommand::Begin(Box::new(NewSession { session: session(n), login }))
    };
    assert_eq!(world.session(login(1)).await.result, Ok(true));
    let key = session(1).key([1; 32]);
    assert!(store.find(key).await.unwrap().is_some());
    let takedown = UserCommand::TakeDown { uid, reason: "abuse".to_owned() };
    world.saw(&store.apply(Write::of(takedown)).await.unwrap().position);
    assert_eq!(store.find(key).await, Ok(None));
    let why = Err(Reason::UserTakenDown { reason: "abuse".into() });
    assert_eq!(world.session(login(2)).await.result, why);
    if let Some(ended) = &world.backend.ended {
        assert!(ended.is_gone(uid));
    }
    assert_eq!(world.reinstate_user(uid).await, Ok(true));
    world.assert_not_before(uid, world.now_ms() + 1);
    assert_eq!(store.find(key).await, Ok(None), "its sessions stay ended");
    assert_eq!(world.session(login(3)).await.result, Ok(true));
    store.put(session(4)).await.unwrap();
}

/// A user that is taken down can be deleted and erased, and is not taken down any more then.
pub async fn who_is_taken_down_can_be_deleted(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    assert_eq!(world.take_user_down(u(1), "abuse").await, Ok(true));
    assert_eq!(world.set_user_status(u(1), UserStatus::Deleted { erase_at_ms: 5 }).await, Ok(true));
    for refused in [world.take_user_down(u(1), "abuse").await, world.reinstate_user(u(1)).await] {
        assert_eq!(refused, Err(Reason::UserDeleted));
    }
    let user = world.view().await.users(&[u(1)]).await.unwrap().remove(0).unwrap();
    assert_eq!(user.takedown, None);
    assert_eq!(world.set_user_status(u(1), UserStatus::Erased { at_ms: 9 }).await, Ok(true));
    assert_eq!(world.take_user_down(u(1), "abuse").await, Err(Reason::UserDeleted));
}

//! Users who signed out everywhere, so that all that others had issued to them has ended.

use super::users_world::{account, hash};
use super::{Need, World, u};
use guanxi_model::event::UserChange;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Change, Reason, SessionCommand, SessionOutcome, Uid, Write};
use guanxi_ports::Facts as _;

impl World {
    pub(super) async fn session(&self, command: SessionCommand) -> SessionOutcome {
        self.write(Write::of(command)).await.session().unwrap()
    }

    async fn sign_out(&self, uid: Uid) {
        assert_eq!(self.session(SessionCommand::SignOut { uid }).await.result, Ok(true));
    }

    /// From when on what others issue to a user is good, if the backend tells.
    fn not_before_ms(&self, uid: Uid) -> Option<u64> {
        self.backend.ended.as_ref().map(|ended| ended.not_before_ms(uid))
    }

    pub(super) fn assert_not_before(&self, uid: Uid, at_ms: u64) {
        assert_eq!(self.not_before_ms(uid).unwrap_or(at_ms), at_ms);
    }
}

/// What was issued up to the moment of a sign-out has ended at its answer, and an event tells it; others are not concerned.
/// Nothing else is kept of the user.
pub async fn what_was_issued_before_has_ended(world: &World) {
    let before = world.last();
    world.assert_not_before(u(7), 0);
    world.sign_out(u(7)).await;
    world.assert_not_before(u(7), world.now_ms() + 1);
    world.assert_not_before(u(8), 0);
    world.clock().set(world.now_ms() + 5);
    world.sign_out(u(7)).await;
    world.assert_not_before(u(7), world.now_ms() + 1);
    let events = world.events_since(&before).await;
    let told: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    assert_eq!(told, [(u(7), Change::User(UserChange::SignedOut)); 2]);
    assert_eq!(world.view().await.users(&[u(7)]).await.unwrap(), [None]);
    if world.lacks(Need::Accounts) {
        return;
    }
    let uid = world.register(account("alice", 1)).await;
    world.assert_not_before(uid, 0);
    world.user(UserCommand::SetPassword { uid, password: hash("second"), replaces: None }).await;
    world.assert_not_before(uid, world.now_ms() + 1);
}

/// No credential of an inactive user is good. A user that comes back needs a credential that was issued since it
/// went.
pub async fn who_comes_back_stays_signed_out(world: &World) {
    let status = async |status| world.user(UserCommand::SetStatus { uid: u(7), status }).await;
    let went_ms = world.now_ms();
    status(UserStatus::Deactivated).await;
    world.assert_not_before(u(7), u64::MAX);
    world.clock().set(went_ms + 1_000);
    status(UserStatus::Active).await;
    world.assert_not_before(u(7), went_ms + 1);
    world.sign_out(u(7)).await;
    world.assert_not_before(u(7), went_ms + 1_001);
    if world.lacks(Need::Accounts) {
        return;
    }
    let before = world.last();
    status(UserStatus::Deleted { erase_at_ms: went_ms + 9_000 }).await;
    world.assert_not_before(u(7), u64::MAX);
    let events = world.events_since(&before).await.len();
    let refused = world.session(SessionCommand::SignOut { uid: u(7) }).await;
    assert_eq!(refused.result, Err(Reason::UserDeleted), "nothing is good any more, for ever");
    assert_eq!(world.events_since(&before).await.len(), events);
}

/// What has ended stays so although the clock goes back.
pub async fn a_sign_out_never_goes_back(world: &World) {
    let at_ms = world.now_ms();
    world.sign_out(u(7)).await;
    world.clock().set(at_ms - 60_000);
    world.sign_out(u(7)).await;
    world.assert_not_before(u(7), at_ms + 1);
    world.sign_out(u(8)).await;
    world.assert_not_before(u(8), at_ms - 60_000 + 1);
    world.clock().set(at_ms);
}

/// An answered caller finds everything ended that was issued by then, however many ask at once.
pub async fn racing_sign_outs_all_hold(world: &World) {
    let sign_out = |n: u64| {
        let (facts, uid) = (world.backend.store.clone(), u(1 + n % 3));
        tokio::spawn(async move { facts.apply(Write::of(SessionCommand::SignOut { uid })).await.unwrap() })
    };
    let racing: Vec<_> = (0..24).map(sign_out).collect();
    for (n, answer) in racing.into_iter().enumerate() {
        let answer = answer.await.unwrap();
        world.saw(&answer.position);
        let least = world.now_ms() + 1;
        assert!(world.not_before_ms(u(1 + n as u64 % 3)).is_none_or(|at_ms| at_ms >= least));
    }
}

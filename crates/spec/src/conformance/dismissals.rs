//! The users whom users have dismissed from suggestions.

use super::{Need, World, u};
use guanxi_model::limits::DISMISSED_MAX;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Outcome, Reason, RequestKey, Uid, Write};
use guanxi_ports::Walk;

const fn dismissal(viewer: Uid, uid: Uid, dismissed: bool) -> DismissCommand {
    DismissCommand { viewer, uid, dismissed }
}

impl World {
    async fn dismissal(&self, viewer: u64, uid: u64, dismissed: bool) -> Result<bool, Reason> {
        let answer = self.write(Write::of(dismissal(u(viewer), u(uid), dismissed))).await;
        answer.outcomes[0].result()
    }

    async fn dismissed(&self, viewer: u64) -> Vec<u64> {
        let edges = self.view().await.dismissed(u(viewer)).await.unwrap();
        assert!(edges.is_sorted_by(|a, b| a > b), "newest first: {edges:?}");
        edges.iter().map(|edge| edge.uid.get()).collect()
    }
}

/// Dismissing twice is a no-op, it is of one pair in one direction, and can be taken back.
pub async fn a_dismissal_stands_until_it_is_taken_back(world: &World) {
    assert_eq!(world.dismissed(1).await, [0; 0]);
    for (viewer, uid, dismissed, result) in [
        (1, 2, true, Ok(true)),
        (1, 2, true, Ok(false)),
        (1, 1, true, Err(Reason::SelfRelation)),
        (1, 1, false, Err(Reason::SelfRelation)),
        (1, 3, true, Ok(true)),
        (2, 1, false, Ok(false)),
        (4, 2, true, Ok(true)),
        (1, 2, false, Ok(true)),
        (1, 2, false, Ok(false)),
        (1, 5, true, Ok(true)),
    ] {
        world.clock().advance(1);
        assert_eq!(world.dismissal(viewer, uid, dismissed).await, result, "{viewer} {uid} {dismissed}");
    }
    assert_eq!((world.dismissed(1).await, world.dismissed(2).await), (vec![5, 3], vec![]));
    assert_eq!(world.dismissed(4).await, [2]);
    if !world.lacks(Need::Traces) {
        let view = world.view().await;
        assert_eq!(view.dismissed_by(u(2), Walk::new(None, 9)).await.unwrap(), [u(4)]);
        world.dismissal(7, 2, true).await.unwrap();
        world.dismissal(6, 2, true).await.unwrap();
        assert_eq!(view.dismissed_by(u(2), Walk::new(None, 9)).await.unwrap(), [u(4)], "a view stands still");
        let view = world.view().await;
        assert_eq!(view.dismissed_by(u(2), Walk::new(None, 2)).await.unwrap(), [u(4), u(6)]);
        assert_eq!(view.dismissed_by(u(2), Walk::new(Some(u(4)), 9)).await.unwrap(), [u(6), u(7)]);
        assert_eq!(view.dismissed_by(u(1), Walk::new(None, 9)).await.unwrap(), []);
    }
    let request = RequestKey { actor: u(1), id: "once".into(), fingerprint: 1 };
    let write = Write::of(dismissal(u(1), u(9), true)).under(Some(request));
    for _ in 0..2 {
        let answer = world.try_write(write.clone()).await.unwrap();
        assert_eq!(answer.outcomes, [Outcome::Plain(Ok(true))], "a repeat is answered from the first");
    }
}

/// Of more than a user may dismiss the oldest is forgotten, and nothing of anybody else.
pub async fn the_oldest_dismissal_makes_room(world: &World) {
    assert_eq!(world.dismissal(2, 100, true).await, Ok(true));
    let max = u64::from(DISMISSED_MAX);
    let all: Vec<DismissCommand> = (0..max).map(|n| dismissal(u(1), u(100 + n), true)).collect();
    world.clock().advance(1);
    if world.lacks_quietly(Need::MixedBatches) {
        for command in &all {
            world.write(Write::of(*command)).await;
        }
    } else {
        world.write(Write::all(all)).await;
    }
    assert_eq!(world.dismissed(1).await.len() as u64, max);
    world.clock().advance(1);
    // Of those of one moment the lower uid is the older one.
    assert_eq!(world.dismissal(1, 5_000, true).await, Ok(true));
    let dismissed = world.dismissed(1).await;
    assert_eq!((dismissed.len() as u64, dismissed[0]), (max, 5_000));
    assert!(!dismissed.contains(&100) && dismissed.contains(&101));
    assert_eq!(world.dismissal(1, 5_000, true).await, Ok(false), "what is there makes no room");
    assert_eq!(world.dismissed(1).await, dismissed);
    assert_eq!(world.dismissed(2).await, [100]);
}

/// No dismissal by or of a deleted user is noted, and an erased user has noted none.
pub async fn nothing_is_dismissed_by_or_of_who_is_deleted(world: &World) {
    if world.lacks(Need::Accounts) {
        return;
    }
    world.dismissal(1, 2, true).await.unwrap();
    world.dismissal(1, 3, true).await.unwrap();
    world.dismissal(4, 1, true).await.unwrap();
    for status in [UserStatus::Deleted { erase_at_ms: 1 }, UserStatus::Erased { at_ms: 2 }] {
        let outcome = world.user(UserCommand::SetStatus { uid: u(1), status }).await;
        assert_eq!(outcome.result, Ok(true));
        assert_eq!(world.dismissal(1, 5, true).await, Err(Reason::UserDeleted));
        assert_eq!(world.dismissal(5, 1, true).await, Err(Reason::UserDeleted));
        if matches!(status, UserStatus::Deleted { .. }) {
            assert_eq!(world.dismissal(1, 2, true).await, Ok(false));
            assert_eq!(world.dismissal(4, 1, false).await, Ok(true), "what undoes is not refused");
            assert_eq!(world.dismissed(1).await.len(), 2);
        }
    }
    assert_eq!((world.dismissed(1).await, world.dismissed(4).await), (vec![], vec![]));
}

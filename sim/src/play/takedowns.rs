//! Steps of operators who take posts and users down, and reinstate them.

use super::{Checked, Player, answered, repeated, same};
use crate::trace::{Nth, User, uid};
use guanxi_model::Write;
use guanxi_model::post::PostCommand;
use guanxi_model::user::UserCommand;
use guanxi_oracle::Happened;

/// Why everything is taken down here.
const REASON: &str = "spam";

impl Player {
    pub(super) async fn take_down(&mut self, nth: Nth, down: bool) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let author = self.oracle.author(id).ok_or("a post without author")?;
        let (command, what) = if down {
            let reason = REASON.to_owned();
            (PostCommand::TakeDown { author, id, reason }, Happened::TakenDown(id))
        } else {
            (PostCommand::Reinstate { author, id }, Happened::Reinstated(id))
        };
        let write = Write::of(command).under(self.request(author));
        let posts = &self.world().post_port;
        let answer = answered(repeated(|| posts.apply(write.clone())).await)?;
        let position = answer.position.clone();
        let result = answered(answer.post())?.result;
        if down && self.oracle.is_purged(id) {
            return same("a takedown of nothing", &result.is_ok(), &false);
        }
        let changed = self.note(&position, what).await?;
        same("changed", &result, &Ok(changed))
    }

    pub(super) async fn take_user_down(&mut self, user: User, down: bool) -> Checked {
        let uid = uid(user);
        let (command, what) = if down {
            (UserCommand::TakeDown { uid, reason: REASON.to_owned() }, Happened::UserTakenDown(uid))
        } else {
            (UserCommand::Reinstate { uid }, Happened::UserReinstated(uid))
        };
        let write = Write::of(command).under(self.request(uid));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let position = answer.position.clone();
        let result = answered(answer.user())?.result;
        if self.oracle.has_left(uid) {
            return same("a takedown after a deletion", &result.is_ok(), &false);
        }
        let changed = self.note(&position, what).await?;
        // All followers of the author look again at what it wrote.
        self.steady.clear();
        same("changed", &result, &Ok(changed))
    }
}

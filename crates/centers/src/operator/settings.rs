//! Follow limits, and how home timelines are pushed.

use super::OperatorCenter;
use crate::feed::{FanoutStatus, PostFanout};
use guanxi_model::limits::FOLLOW_LIMIT_MAX;
use guanxi_model::{Command, Error, FanoutPolicy, Position, PostId, Reason, Result, Uid, Write};
use guanxi_ports::FollowLimit;

impl OperatorCenter {
    /// Sets a user's own follow limit; `None` is that of all users. Follows beyond it stay, new ones are refused.
    ///
    /// # Errors
    /// `INVALID_FIELD` beyond [`FOLLOW_LIMIT_MAX`], or a whole-request error of the store.
    pub async fn set_follow_limit(&self, uid: Uid, limit: Option<u32>) -> Result<Position> {
        if limit.is_some_and(|limit| limit > FOLLOW_LIMIT_MAX) {
            return Err(Error::new(Reason::InvalidField { field: "limit" }));
        }
        self.ports.store.apply(Write::of(Command::FollowLimit { uid, limit })).await?.done()
    }

    /// The follow limit of a user, and where the answer stands.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn follow_limit(
        &self,
        uid: Uid,
        at_least: Option<Position>,
    ) -> Result<(FollowLimit, Position)> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        let limit = view.follow_limit(uid).await?;
        Ok((limit, view.position().joined(at_least.as_ref())))
    }

    /// The stored policy of the fan-out.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn fanout_policy(&self) -> Result<FanoutPolicy> {
        self.ports.store.view(None).await?.fanout_policy().await
    }

    /// Sets how home timelines are pushed, from now on and after a restart. No page changes by it.
    ///
    /// # Errors
    /// `INVALID_FIELD`, or a whole-request error of the store.
    pub async fn put_fanout_policy(&self, policy: FanoutPolicy) -> Result<Position> {
        self.feed.put_policy(policy).await
    }

    /// Returns the state of the fan-out. If a post is named and not forgotten, it also returns the state of that post's
    /// fan-out.
    ///
    /// # Errors
    /// When the log or the inboxes cannot be asked.
    pub async fn fanout_status(&self, post: Option<PostId>) -> Result<(FanoutStatus, Option<PostFanout>)> {
        Ok((self.feed.fanout_status().await?, post.and_then(|id| self.feed.post_fanout(id))))
    }
}

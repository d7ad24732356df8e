//! Settings: follow limits, and how home timelines are pushed.

use buffa::MessageField;
use guanxi_model::{FanoutPolicy, Position, Result, Uid};
use guanxi_ports::FollowLimit;
use guanxi_proto::v1;

use super::{OperatorClient, token};
use crate::admin::{policy_back, policy_shown};
use crate::client_side::{broken, call, of_write};

impl OperatorClient {
    /// Returns the follow limit of a user.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn follow_limit(&self, uid: Uid, at_least: Option<&Position>) -> Result<FollowLimit> {
        let request = v1::GetFollowLimitRequest { uid: uid.get(), token: token(at_least) };
        let answer = call(self.0.admin().get_follow_limit(request).await)?;
        Ok(FollowLimit { effective: answer.effective.unwrap_or_default(), own: answer.own })
    }

    /// Sets a user's own follow limit; `None` is that of all users.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn set_follow_limit(&self, uid: Uid, limit: Option<u32>) -> Result<Position> {
        let request = v1::SetFollowLimitRequest { uid: uid.get(), limit };
        let answer = call(self.0.admin().set_follow_limit(request).await).map_err(of_write)?;
        Position::from_token(&answer.token)
    }

    /// Returns how home timelines are pushed.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn fanout_policy(&self) -> Result<FanoutPolicy> {
        let request = v1::GetFanoutPolicyRequest::default();
        let answer = call(self.0.admin().get_fanout_policy(request).await)?;
        policy_back(answer.policy.as_option().ok_or_else(|| broken("no policy"))?)
    }

    /// Sets how home timelines are pushed.
    ///
    /// # Errors
    /// What the server refused; `OUTCOME_UNKNOWN`.
    pub async fn set_fanout_policy(&self, policy: &FanoutPolicy) -> Result<Position> {
        let request = v1::PutFanoutPolicyRequest { policy: MessageField::some(policy_shown(policy)) };
        let answer = call(self.0.admin().put_fanout_policy(request).await).map_err(of_write)?;
        Position::from_token(&answer.token)
    }
}

//! Settings over the API.

use guanxi_model::{FanoutPolicy, Position, Result, Uid};
use guanxi_ports::{BoxFuture, FollowLimit, SettingsView};
use guanxi_proto::v1;

use super::view::RemoteView;
use super::{broken, call, untold};
use crate::admin::policy_back;

impl SettingsView for RemoteView {
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        Box::pin(async move {
            let request = v1::GetFollowLimitRequest { uid: uid.get(), token: self.token() };
            let answer = call(self.operator()?.get_follow_limit(request).await)?;
            Ok(FollowLimit { effective: answer.effective.unwrap_or_default(), own: answer.own })
        })
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        let request = v1::GetImportJobRequest { job: job.to_owned() };
        Box::pin(async move {
            let answer = call(self.operator()?.get_import_job(request).await)?;
            Ok(if answer.found == Some(true) { answer.position } else { None })
        })
    }

    fn seen(&self, _uid: Uid) -> BoxFuture<'_, Result<Position>> {
        untold("seen marks")
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        Box::pin(async move {
            let request = v1::GetFanoutPolicyRequest::default();
            let answer = call(self.operator()?.get_fanout_policy(request).await)?;
            policy_back(answer.policy.as_option().ok_or_else(|| broken("no policy"))?)
        })
    }
}

//! What a view answers about users and settings.

use crate::view::RemoteView;
use crate::{broken, call, untold};
use guanxi_api::client_side::user_back;
use guanxi_model::limits::{RESOLVE_IDS_MAX, USERS_MAX};
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{
    AuditEntry, AuditId, ExternalId, FanoutPolicy, LoginName, Position, Reason, Result, Uid, User,
};
use guanxi_ports::{BoxFuture, FollowLimit, UserView};
use guanxi_proto::v1;

impl UserView for RemoteView {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        Box::pin(async move {
            let mut users = Vec::with_capacity(uids.len());
            while users.len() < uids.len() {
                let left = uids[users.len()..].iter().take(USERS_MAX as usize);
                let request = v1::BatchGetUsersRequest {
                    uids: left.map(|uid| uid.get()).collect(),
                    token: self.token(),
                };
                let answer = call(self.main.user().batch_get_users(request).await)?;
                let before = users.len();
                for user in answer.users.iter().take_while(|user| !user.omitted) {
                    users.push(user_back(user)?);
                }
                if users.len() == before {
                    return Err(broken("no user"));
                }
            }
            Ok(users)
        })
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        Box::pin(async move {
            let request = v1::LookupUserRequest {
                login_name: name.to_string(),
                token: self.token(),
                ..Default::default()
            };
            match call(self.main.user().lookup_user(request).await) {
                Ok(answer) => answer.user.as_option().map(|user| Uid::new(user.uid)).transpose(),
                Err(error) if error.reason == Reason::UserNotFound => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn password(&self, _uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        untold("passwords")
    }

    fn claim_of<'a>(&'a self, _contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        untold("claims of contacts")
    }

    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        Box::pin(async move {
            let mut uids = Vec::with_capacity(ids.len());
            for ids in ids.chunks(RESOLVE_IDS_MAX as usize) {
                let asked = ids.iter().map(|id| id.as_str().to_owned()).collect();
                let answer = self.resolve(asked, Vec::new()).await?;
                uids.extend(answer.by_external_id.iter().map(|found| Uid::new(found.uid).ok()));
            }
            if uids.len() == ids.len() { Ok(uids) } else { Err(broken("another number of ids")) }
        })
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        Box::pin(async move {
            let mut ids = Vec::with_capacity(uids.len());
            for uids in uids.chunks(RESOLVE_IDS_MAX as usize) {
                let asked = uids.iter().map(|uid| uid.get()).collect();
                for found in self.resolve(Vec::new(), asked).await?.by_uid {
                    let id = (!found.external_id.is_empty()).then_some(found.external_id);
                    ids.push(id.map(|id| ExternalId::new(id, "external_id")).transpose()?);
                }
            }
            if ids.len() == uids.len() { Ok(ids) } else { Err(broken("another number of uids")) }
        })
    }

    fn audit_entries(&self, _below: Option<AuditId>, _max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        untold("entries of the audit log as they are stored")
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        Box::pin(self.admin.follow_limit(uid, Some(&self.position)))
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.admin.import_position(job))
    }

    fn seen(&self, _uid: Uid) -> BoxFuture<'_, Result<Position>> {
        untold("seen marks")
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        Box::pin(self.admin.fanout_policy())
    }
}

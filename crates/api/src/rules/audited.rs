//! Which calls of operators are in the audit log, and what of them: one table, in which every call of AdminService is.
//!
//! Only operators call AdminService, and an operator calls nothing else that changes something. A request without a row does
//! not compile, and a call that is in neither list fails a test.

use guanxi_centers::operator::AuditAbout;
use guanxi_model::{AuditTarget, PostId, Uid};
use guanxi_proto::v1;

/// A request of AdminService.
pub(crate) trait Audited {
    /// Returns the subject of the call; `None` if the call is not in the audit log.
    fn about(&self) -> Option<AuditAbout>;
}

/// Makes the lists, and says of each request what is kept of it.
macro_rules! audit_table {
    (
        audited { $($method:literal $view:ident($request:ident) $(if $when:expr)? => $about:expr;)* }
        left_out { $($other:literal $other_view:ident: $why:literal;)* }
    ) => {
        /// Calls that are in the audit log.
        #[cfg(test)]
        pub(crate) const AUDITED: &[&str] = &[$($method),*];

        /// Calls that are not, and why.
        #[cfg(test)]
        pub(crate) const LEFT_OUT: &[(&str, &str)] = &[$(($other, $why)),*];

        $(
            impl Audited for v1::$view<'_> {
                fn about(&self) -> Option<AuditAbout> {
                    let $request = self;
                    $(if !$when {
                        return None;
                    })?
                    Some($about)
                }
            }
        )*
        $(
            impl Audited for v1::$other_view<'_> {
                fn about(&self) -> Option<AuditAbout> {
                    None
                }
            }
        )*
    };
}

audit_table! {
    audited {
        "Repair" RepairRequestView(request) => nothing().because(request.reason);
        "ImportEdges" ImportEdgesRequestView(request) => job(request.job);
        "ImportPosts" ImportPostsRequestView(request) => job(request.job);
        "ImportLikes" ImportLikesRequestView(request) => job(request.job);
        "ImportUsers" ImportUsersRequestView(request) => job(request.job);
        "ImportRequests" ImportRequestsRequestView(request) => job(request.job);
        "ExportEdges" ExportEdgesRequestView(_request) => nothing();
        "ExportPosts" ExportPostsRequestView(_request) => nothing();
        "ExportLikes" ExportLikesRequestView(_request) => nothing();
        "ExportRequests" ExportRequestsRequestView(_request) => nothing();
        "ExportUsers" ExportUsersRequestView(_request) => nothing();
        "ExportUser" ExportUserRequestView(request) => user(request.uid);
        "Backup" BackupRequestView(_request) => nothing();
        "SetFollowLimit" SetFollowLimitRequestView(request) => user(request.uid);
        "PutFanoutPolicy" PutFanoutPolicyRequestView(_request) => nothing();
        // Without `create` it only reads.
        "ResolveIds" ResolveIdsRequestView(request) if request.create => nothing();
        "RebuildSearch" RebuildSearchRequestView(_request) => nothing();
        // A walk is one look, with any number of pages.
        "QueryUsers" QueryUsersRequestView(request) if request.page_token.is_empty() => nothing();
        "QueryPosts" QueryPostsRequestView(request) if request.page_token.is_empty() => nothing();
        "ListUserEvents" ListUserEventsRequestView(request) if request.page_token.is_empty() => user(request.uid);
        "StartExport" StartExportRequestView(_request) => nothing();
        "CancelExport" CancelExportRequestView(request) => job(request.job);
        // A file is read once, in any number of ranges.
        "ReadExport" ReadExportRequestView(request) if request.offset == 0 => job(request.job);
        "TakeDownPost" TakeDownPostRequestView(request) => post(request.post_id).because(request.reason);
        "ReinstatePost" ReinstatePostRequestView(request) => post(request.post_id);
        "TakeDownUser" TakeDownUserRequestView(request) => user(request.uid).because(request.reason);
        "ReinstateUser" ReinstateUserRequestView(request) => user(request.uid);
        "CreateToken" CreateTokenRequestView(request) => token_of(request.name, request.end_user);
        "RevokeToken" RevokeTokenRequestView(request) => token(request.name);
        "CreateConsoleCode" CreateConsoleCodeRequestView(_request) => nothing();
    }
    left_out {
        "Verify" VerifyRequestView: "a proof changes nothing, and tells ids of what differs";
        "VerifyFeed" VerifyFeedRequestView: "a proof changes nothing, and tells ids of what differs";
        "VerifySearch" VerifySearchRequestView: "a proof changes nothing, and tells ids of what differs";
        "GetImportJob" GetImportJobRequestView: "reads a number";
        "GetFollowLimit" GetFollowLimitRequestView: "reads a number";
        "GetExport" GetExportRequestView: "reads how far a job is";
        "ListExports" ListExportsRequestView: "reads how far jobs are";
        "GetFanoutStatus" GetFanoutStatusRequestView: "reads numbers";
        "GetFanoutPolicy" GetFanoutPolicyRequestView: "reads a setting";
        "ListErasedUsers" ListErasedUsersRequestView: "reads ids of users of whom nothing is left";
        "ListTokens" ListTokensRequestView: "reads names of tokens";
        "ListAuditEntries" ListAuditEntriesRequestView: "reads the audit log";
        "Stats" StatsRequestView: "reads numbers";
        "GetOverview" GetOverviewRequestView: "reads numbers of the process";
        "GetShardMap" GetShardMapRequestView: "reads where shards are";
    }
}

/// About nothing that has an id.
fn nothing() -> AuditAbout {
    AuditAbout::default()
}

fn job(name: &str) -> AuditAbout {
    nothing().and(Some(AuditTarget::Job(name.to_owned())))
}

fn token(name: &str) -> AuditAbout {
    nothing().and(Some(AuditTarget::Token(name.to_owned())))
}

/// A new token: one of an end user is called by its user alone, since nothing of the name may outlive an erasure.
fn token_of(name: &str, end_user: u64) -> AuditAbout {
    match user_of(end_user) {
        Some(user) => nothing().and(Some(user)),
        None => token(name),
    }
}

fn user(raw: u64) -> AuditAbout {
    nothing().and(user_of(raw))
}

fn post(raw: u64) -> AuditAbout {
    nothing().and(PostId::new(raw).ok().map(AuditTarget::Post))
}

fn user_of(raw: u64) -> Option<AuditTarget> {
    Uid::new(raw).ok().map(AuditTarget::User)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Access, RULES};
    use guanxi_model::Principal;
    use guanxi_rim::Caller;
    use std::collections::BTreeSet;

    #[test]
    fn every_call_of_operators_is_in_the_audit_log_or_is_left_out_for_a_reason() {
        let left_out: Vec<&str> = LEFT_OUT.iter().map(|(method, _)| *method).collect();
        let listed: BTreeSet<&str> = AUDITED.iter().chain(&left_out).copied().collect();
        assert_eq!(listed.len(), AUDITED.len() + left_out.len(), "each call has one row");
        let calls = RULES.iter().filter_map(|rule| rule.path.strip_prefix("guanxi.v1.AdminService/"));
        assert_eq!(listed, calls.collect());
        assert!(LEFT_OUT.iter().all(|(_, why)| !why.is_empty()));
    }

    #[test]
    fn an_operator_calls_nothing_but_its_own_service_and_the_ways_in() {
        let operator = Caller::anybody(Principal::Admin);
        for rule in RULES.iter().filter(|rule| operator.enter(rule.access).is_ok()) {
            let is_own = rule.path.starts_with("guanxi.v1.AdminService/");
            assert!(is_own || rule.access == Access::Open, "{} is not in the audit log", rule.path);
        }
    }
}

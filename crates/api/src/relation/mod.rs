//! `guanxi.v1.RelationService`: from requests to the relation center and back.

mod affinity;
mod groups;
mod ordered;
mod read;
mod requests;
mod suggestions;
mod watch;
mod write;

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::group::GroupCenter;
use guanxi_centers::relation::RelationCenter;
use guanxi_model::Op;
use guanxi_proto::v1;
use guanxi_rim::Load;
use guanxi_rim::errors::to_wire;

pub use groups::members_scope;
pub(crate) use groups::shown as group_shown;
pub use requests::requests_scope;
pub use watch::op_of;
use write::pair_response;

use crate::page_token::PageTokens;
use crate::request::{ListReader, answer, caller, unary};

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct RelationApi {
    center: RelationCenter,
    groups: GroupCenter,
    affinity: AffinityCenter,
    load: Arc<Load>,
    pages: PageTokens,
}

impl RelationApi {
    pub(crate) fn new(
        center: RelationCenter,
        groups: GroupCenter,
        affinity: AffinityCenter,
        load: Arc<Load>,
        pages: PageTokens,
    ) -> Self {
        Self { center, groups, affinity, load, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

/// A handler of each operation on a pair that is asked for with the two users alone.
macro_rules! pair_writes {
    (
        plain { $(
            $(#[$doc:meta])*
            $op:ident {
                $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident,
                $method:ident($request:ident) -> $response:ident
            }
        )* }
        own { $($own:tt)* }
    ) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> ServiceResult<v1::$response> {
                let (subject, object, request_id) = (request.subject, request.object, request.request_id);
                let written = self.act(caller(&ctx)?, Op::$op, subject, object, request_id).await;
                answer(written.map(|written| pair_response!($response, written)))
            }
        )*
    };
}

/// A handler of each operation that one user does on many.
macro_rules! batch_writes {
    ($($op:ident: $method:ident($request:ident) -> $response:ident;)*) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> ServiceResult<v1::$response> {
                let (subject, objects, request_id) = (request.subject, &request.objects, request.request_id);
                let written = self.act_on_many(caller(&ctx)?, Op::$op, subject, objects, request_id).await;
                answer(written.map(|written| v1::$response {
                    outcomes: written.outcomes.iter().map(write::item).collect(),
                    token: written.position.to_token(),
                }))
            }
        )*
    };
}

impl v1::RelationService for RelationApi {
    guanxi_model::for_each_pair_op!(pair_writes);

    unary! {
        ordered::list_following(ListFollowingRequest) -> ListFollowingResponse;
        read::list_followers(ListFollowersRequest) -> ListFollowersResponse;
        ordered::list_friends(ListFriendsRequest) -> ListFriendsResponse;
        read::list_blocks(ListBlocksRequest) -> ListBlocksResponse;
        read::list_mutes(ListMutesRequest) -> ListMutesResponse;
        requests::send_friend_request(SendFriendRequestRequest) -> SendFriendRequestResponse;
        requests::list_friend_requests(ListFriendRequestsRequest) -> ListFriendRequestsResponse;
        requests::list_follow_requests(ListFollowRequestsRequest) -> ListFollowRequestsResponse;
        requests::get_unseen_requests(GetUnseenRequestsRequest) -> GetUnseenRequestsResponse;
        requests::mark_requests_seen(MarkRequestsSeenRequest) -> MarkRequestsSeenResponse;
        requests::mute(MuteRequest) -> MuteResponse;
        read::list_known_followers(ListKnownFollowersRequest) -> ListKnownFollowersResponse;
        read::list_mutual_following(ListMutualFollowingRequest) -> ListMutualFollowingResponse;
        read::get_relation(GetRelationRequest) -> GetRelationResponse;
        read::batch_get_relations(BatchGetRelationsRequest) -> BatchGetRelationsResponse;
        read::batch_check_pairs(BatchCheckPairsRequest) -> BatchCheckPairsResponse;
        suggestions::list_suggestions(ListSuggestionsRequest) -> ListSuggestionsResponse;
        suggestions::dismiss_suggestion(DismissSuggestionRequest) -> DismissSuggestionResponse;
        suggestions::undo_dismissal(UndoDismissalRequest) -> UndoDismissalResponse;
        suggestions::list_dismissed(ListDismissedRequest) -> ListDismissedResponse;
        read::get_counts(GetCountsRequest) -> GetCountsResponse;
        read::batch_get_counts(BatchGetCountsRequest) -> BatchGetCountsResponse;
    }

    unary! { of affinity;
        affinity::record_interactions(RecordInteractionsRequest) -> RecordInteractionsResponse;
        affinity::list_top_affinity(ListTopAffinityRequest) -> ListTopAffinityResponse;
    }

    unary! {
        of groups;
        groups::create_group(CreateGroupRequest) -> WriteGroupResponse;
        groups::update_group(UpdateGroupRequest) -> WriteGroupResponse;
        groups::delete_group(DeleteGroupRequest) -> WriteGroupResponse;
        groups::set_group_members(SetGroupMembersRequest) -> WriteGroupResponse;
        groups::add_group_members(AddGroupMembersRequest) -> WriteGroupResponse;
        groups::remove_group_members(RemoveGroupMembersRequest) -> WriteGroupResponse;
        groups::get_group(GetGroupRequest) -> GetGroupResponse;
        groups::list_groups(ListGroupsRequest) -> ListGroupsResponse;
        groups::list_group_members(ListGroupMembersRequest) -> ListGroupMembersResponse;
        groups::list_groups_with_member(ListGroupsWithMemberRequest) -> ListGroupsWithMemberResponse;
    }

    batch_writes! {
        Follow: batch_follow(BatchFollowRequest) -> BatchFollowResponse;
        Unfollow: batch_unfollow(BatchUnfollowRequest) -> BatchUnfollowResponse;
        ApproveFollow: batch_approve_follow(BatchApproveFollowRequest) -> BatchApproveFollowResponse;
        RejectFollow: batch_reject_follow(BatchRejectFollowRequest) -> BatchRejectFollowResponse;
    }

    async fn watch(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::WatchRequest>,
    ) -> ServiceResult<ServiceStream<v1::WatchResponse>> {
        let stream = watch::open(&self.center, Arc::clone(&self.load), &request).await;
        stream.map(Response::stream).map_err(|error| to_wire(&error))
    }
}

//! The operations of one user on another: everything that is said of one, in one row.
//!
//! A new operation is a row here, its rules in [`RULES`](super::RULES), and its RPC and cause in the API's proto.
//! Codes are on disk, and names are in fingerprints of remembered requests and in metrics: both are frozen.

/// Hands the table of operations to a macro, which makes of it what it needs.
///
/// A row is `Variant { code, name, title, guard, cause }`: the byte on disk, the name of fingerprints and metrics, the name
/// in documents, which count bounds it, and what proto calls its cause. Those of `plain` add the method by which it is
/// called with two users and nothing else; those of `own` are called with more, or by the server alone.
#[macro_export]
macro_rules! for_each_pair_op {
    ($table:ident) => {
        $table! {
            plain {
                /// Begin to follow; of a locked account, ask to.
                Follow { 0, "follow", "Follow", Some(GuardedCount::Follows), FOLLOW, follow(FollowRequest) -> FollowResponse }
                /// Stop following, or asking to.
                Unfollow { 1, "unfollow", "Unfollow", None, UNFOLLOW, unfollow(UnfollowRequest) -> UnfollowResponse }
                /// Make the other stop following.
                RemoveFollower {
                    2, "remove_follower", "RemoveFollower", None, REMOVE_FOLLOWER,
                    remove_follower(RemoveFollowerRequest) -> RemoveFollowerResponse
                }
                /// Cut both follows and refuse new ones.
                Block { 3, "block", "Block", Some(GuardedCount::Blocks), BLOCK, block(BlockRequest) -> BlockResponse }
                /// Allow follows again; restores nothing.
                Unblock { 4, "unblock", "Unblock", None, UNBLOCK, unblock(UnblockRequest) -> UnblockResponse }
                /// See the other's posts again.
                Unmute { 6, "unmute", "Unmute", None, UNMUTE, unmute(UnmuteRequest) -> UnmuteResponse }
                /// Become friends with the sender of a request.
                AcceptFriendRequest {
                    8, "accept_friend_request", "AcceptFriendRequest", Some(GuardedCount::Follows), ACCEPT_FRIEND_REQUEST,
                    accept_friend_request(AcceptFriendRequestRequest) -> AcceptFriendRequestResponse
                }
                /// End the other's friend request without accepting it.
                RejectFriendRequest {
                    9, "reject_friend_request", "RejectFriendRequest", None, REJECT_FRIEND_REQUEST,
                    reject_friend_request(RejectFriendRequestRequest) -> RejectFriendRequestResponse
                }
                /// End one's own friend request.
                CancelFriendRequest {
                    10, "cancel_friend_request", "CancelFriendRequest", None, CANCEL_FRIEND_REQUEST,
                    cancel_friend_request(CancelFriendRequestRequest) -> CancelFriendRequestResponse
                }
                /// End a friendship: both follows.
                RemoveFriend {
                    11, "remove_friend", "RemoveFriend", None, REMOVE_FRIEND,
                    remove_friend(RemoveFriendRequest) -> RemoveFriendResponse
                }
                /// Let the sender of a request follow.
                ApproveFollow {
                    12, "approve_follow", "ApproveFollow", None, APPROVE_FOLLOW,
                    approve_follow(ApproveFollowRequest) -> ApproveFollowResponse
                }
                /// End the other's request to follow without approving it.
                RejectFollow {
                    13, "reject_follow", "RejectFollow", None, REJECT_FOLLOW,
                    reject_follow(RejectFollowRequest) -> RejectFollowResponse
                }
            }
            own {
                /// Stop seeing the other's posts, or reposts, without their knowledge.
                Mute { 5, "mute", "Mute", Some(GuardedCount::Mutes), MUTE }
                /// Ask the other to be friends.
                SendFriendRequest {
                    7, "send_friend_request", "SendFriendRequest", Some(GuardedCount::Follows), SEND_FRIEND_REQUEST
                }
                /// The server: end the other's request, whose time is over.
                ExpireRequest { 14, "expire_request", "the end of a request's time", None, REQUEST_EXPIRED }
                /// The server: end a mute whose time is over.
                ExpireMute { 15, "expire_mute", "the end of a mute's time", None, MUTE_EXPIRED }
                /// The server: let the other follow, who waits although the account is unlocked.
                ApproveUnlocked { 16, "approve_unlocked", "the job behind unlocking", None, UNLOCKED }
            }
        }
    };
}

/// Which count of the actor bounds an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardedCount {
    /// How many it follows.
    Follows,
    /// How many it blocks.
    Blocks,
    /// How many it mutes.
    Mutes,
}

/// Makes the enum of operations.
macro_rules! ops {
    (
        plain { $(
            #[doc = $doc:literal]
            $op:ident { $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident, $($rpc:tt)* }
        )* }
        own { $(
            #[doc = $own_doc:literal]
            $own:ident { $own_code:literal, $own_name:literal, $own_title:literal, $own_guard:expr, $own_cause:ident }
        )* }
    ) => {
        /// An operation of one user on another.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = $doc] $op = $code,)*
            $(#[doc = $own_doc] $own = $own_code,)*
        }

        impl Op {
            /// Every operation, by its code.
            pub const ALL: [Self; [$($code,)* $($own_code),*].len()] =
                by_code([$(Self::$op,)* $(Self::$own),*]);

            /// Returns the byte that stands for it on disk; never changes.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns its name in fingerprints of requests and in metrics; never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$op => $name,)*
                    $(Self::$own => $own_name,)*
                }
            }

            /// Returns its name in documents.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$op => $title,)*
                    $(Self::$own => $own_title,)*
                }
            }

            /// Returns which count of the actor bounds it, if one does.
            pub const fn guard(self) -> Option<GuardedCount> {
                match self {
                    $(Self::$op => $guard,)*
                    $(Self::$own => $own_guard,)*
                }
            }
        }
    };
}
for_each_pair_op!(ops);

/// Puts operations in the order of their codes, which leave out no number.
const fn by_code<const N: usize>(ops: [Op; N]) -> [Op; N] {
    let (mut sorted, mut n) = (ops, 0);
    while n < N {
        sorted[ops[n].code() as usize] = ops[n];
        n += 1;
    }
    sorted
}

impl Op {
    /// Returns the operation of a byte on disk.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.code() == code)
    }

    /// Returns whether the sender of a request takes it back by this operation.
    pub const fn takes_back(self) -> bool {
        matches!(self, Self::CancelFriendRequest | Self::Unfollow)
    }

    /// Returns whether it grants the request of the other user, if there is one.
    pub const fn grants(self) -> bool {
        matches!(
            self,
            Self::Follow
                | Self::SendFriendRequest
                | Self::AcceptFriendRequest
                | Self::ApproveFollow
                | Self::ApproveUnlocked
        )
    }

    /// Returns whether it ends a request that was refused, so that the sender has to wait before it asks again.
    pub const fn rejects(self) -> bool {
        matches!(self, Self::RejectFriendRequest | Self::RejectFollow)
    }

    /// Returns whether the server alone does it: at the end of a time, or after an account was unlocked.
    pub const fn is_of_server(self) -> bool {
        matches!(self, Self::ExpireRequest | Self::ExpireMute | Self::ApproveUnlocked)
    }
}

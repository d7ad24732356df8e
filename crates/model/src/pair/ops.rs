//! The operations of one user on another: everything that is said of one, in one row.
//!
//! A new operation is a row here, its rules in [`RULES`](super::RULES), and its RPC and cause in the API's proto.
//! Codes are on disk, and names are in fingerprints of remembered requests and in metrics: both are frozen.

/// Hands the table of operations to a macro, which makes of it what it needs.
///
/// A row is `Variant { code, name, title, guard, cause, rpc }`: the byte on disk, the name of fingerprints and metrics,
/// the name in documents, which count bounds it, and what proto calls its cause and its method.
#[macro_export]
macro_rules! for_each_pair_op {
    ($table:ident) => {
        $table! {
            /// Begin to follow.
            Follow { 0, "follow", "Follow", Some(GuardedCount::Follows), FOLLOW, follow(FollowRequest) -> FollowResponse }
            /// Stop following.
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
            /// Stop seeing the other's posts, without their knowledge.
            Mute { 5, "mute", "Mute", Some(GuardedCount::Mutes), MUTE, mute(MuteRequest) -> MuteResponse }
            /// See them again.
            Unmute { 6, "unmute", "Unmute", None, UNMUTE, unmute(UnmuteRequest) -> UnmuteResponse }
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
    ($(
        #[doc = $doc:literal]
        $op:ident {
            $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident,
            $method:ident($request:ident) -> $response:ident
        }
    )*) => {
        /// An operation of one user on another.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = $doc] $op = $code,)*
        }

        impl Op {
            /// Every operation.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$op),*];

            /// Returns the byte that stands for it on disk; never changes.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns its name in fingerprints of requests and in metrics; never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$op => $name,)*
                }
            }

            /// Returns its name in documents.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$op => $title,)*
                }
            }

            /// Returns which count of the actor bounds it, if one does.
            pub const fn guard(self) -> Option<GuardedCount> {
                match self {
                    $(Self::$op => $guard,)*
                }
            }
        }
    };
}
for_each_pair_op!(ops);

impl Op {
    /// Returns the operation of a byte on disk.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.code() == code)
    }
}

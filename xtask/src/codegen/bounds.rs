//! The bounds of request fields, by the limits that the code holds.

use guanxi_model::limits::{
    ATTACHMENT_LEN_MAX, ATTACHMENTS_MAX, BATCH_MAX, CREDENTIAL_NAME_LEN_MAX, FOLLOW_LIMIT_MAX,
    GROUP_MEMBERS_MAX, GROUP_NAME_LEN_MAX, IMPORT_BATCH_MAX, IMPORT_LIKES_MAX, IMPORT_POSTS_MAX,
    IMPORT_USERS_MAX, JOB_NAME_LEN_MAX, PAGE_SIZE_MAX, POSITION_TOKEN_LEN_MAX, POST_TEXT_CHARS_MAX,
    POSTS_MAX, REQUEST_ID_LEN_MAX, SOURCE_KEY_LEN_MAX, TAKEDOWN_REASON_LEN_MAX, UNREAD_CAP_MAX,
    WATCH_UIDS_MAX,
};

/// Whether a message is a request or a part of one.
pub(super) fn is_of_requests(name: &str) -> bool {
    name.ends_with("Request") || REQUEST_PARTS.contains(&name)
}

/// Messages within requests. Some are in answers, too; our own client reads those in binary.
const REQUEST_PARTS: &[&str] = &[
    "Pair",
    "Interaction",
    "ImportEdge",
    "Attachment",
    "ImportPost",
    "ImportLike",
    "ImportUser",
    "PostKey",
    "FanoutPolicy",
];

/// Fields that hold uids. In JSON each may hold an id of the caller's own; a test of `api` compares this list, by the
/// document that is made of it, with its own.
pub(super) const UIDS: &[&str] = &[
    "uid",
    "uids",
    "subject",
    "object",
    "objects",
    "viewer",
    "viewers",
    "author",
    "authors",
    "original_author",
    "target",
    "source",
    "user",
    "end_user",
    "after_user",
    "after_target",
    "after_source",
    "sender",
    "receiver",
];

/// Requests whose uids are uids: of the dictionary itself, and of calls that want no token.
pub(super) const NO_EXTERNAL_IDS: &[&str] =
    &["ResolveIdsRequest", "RegisterRequest", "LoginRequest", "RefreshSessionRequest"];

/// An id of the caller's own in the place of a uid: 128 bytes without control characters.
pub(super) const EXTERNAL_ID: &str = "ext:[^\\x00-\\x1f\\x7f-\\x9f]{1,128}";

/// What a field may hold.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// A number from 0 to this.
    Number(u32),
    /// A text of so many characters, or bytes, which are never fewer.
    Text(u32, u32),
    /// A list of so many items.
    Items(u32, u32),
}

/// The bound of a field of a request or of a part of one.
pub(super) fn bound(message: &str, field: &str) -> Option<Bound> {
    Some(match (message, field) {
        ("ListPostRevisionsRequest" | "ListAuthorPostsRequest" | "SearchPostsRequest", "page_size") => {
            Bound::Number(POSTS_MAX)
        }
        ("SearchUsersRequest", "page_size") => Bound::Number(50),
        ("SuggestRequest", "page_size") => Bound::Number(20),
        (_, "page_size") => Bound::Number(PAGE_SIZE_MAX),
        ("GetUnreadRequest", "cap") => Bound::Number(UNREAD_CAP_MAX),
        ("SetFollowLimitRequest", "limit") => Bound::Number(FOLLOW_LIMIT_MAX),
        (_, "request_id") => Bound::Text(0, REQUEST_ID_LEN_MAX),
        (_, "token" | "seen") => Bound::Text(0, POSITION_TOKEN_LEN_MAX),
        (_, "text") => Bound::Text(0, POST_TEXT_CHARS_MAX),
        ("Attachment", "reference") => Bound::Text(1, ATTACHMENT_LEN_MAX),
        (_, "job") => Bound::Text(0, JOB_NAME_LEN_MAX),
        ("ImportPost" | "PostKey" | "ImportLike", "key") => Bound::Text(1, SOURCE_KEY_LEN_MAX),
        ("CreateTokenRequest", "name") => Bound::Text(1, CREDENTIAL_NAME_LEN_MAX),
        ("TakeDownPostRequest" | "TakeDownUserRequest", "reason") => Bound::Text(1, TAKEDOWN_REASON_LEN_MAX),
        ("WatchRequest", "uids") => Bound::Items(0, WATCH_UIDS_MAX),
        ("VerifyFeedRequest", "viewers") => Bound::Items(0, BATCH_MAX),
        ("CreateGroupRequest" | "UpdateGroupRequest", "name") => Bound::Text(1, GROUP_NAME_LEN_MAX),
        ("SetGroupMembersRequest", "objects") => Bound::Items(0, GROUP_MEMBERS_MAX),
        ("AddGroupMembersRequest" | "RemoveGroupMembersRequest", "objects") => {
            Bound::Items(1, GROUP_MEMBERS_MAX)
        }
        (_, "objects" | "uids" | "pairs") => Bound::Items(1, BATCH_MAX),
        (_, "post_ids") => Bound::Items(1, POSTS_MAX),
        (_, "attachments") => Bound::Items(0, ATTACHMENTS_MAX),
        ("ImportEdgesRequest", "edges") => Bound::Items(0, IMPORT_BATCH_MAX),
        ("ImportPostsRequest", "posts") => Bound::Items(0, IMPORT_POSTS_MAX),
        ("ImportLikesRequest", "likes") => Bound::Items(0, IMPORT_LIKES_MAX),
        ("ImportUsersRequest", "users") => Bound::Items(0, IMPORT_USERS_MAX),
        _ => return None,
    })
}

/// A pattern of the decimal numbers from 1 to a largest one, without leading zeros.
pub(super) fn pattern_up_to(max: u64) -> String {
    let digits = max.to_string().into_bytes();
    let len = digits.len();
    let rest = |count: usize| match count {
        0 => String::new(),
        1 => "[0-9]".to_owned(),
        _ => format!("[0-9]{{{count}}}"),
    };
    let range = |from: u8, to: u8| {
        if from == to {
            char::from(to).to_string()
        } else {
            format!("[{}-{}]", char::from(from), char::from(to))
        }
    };
    let mut parts = Vec::new();
    if len > 1 {
        parts.push(format!("[1-9][0-9]{{0,{}}}", len - 2));
    }
    // As many digits, and the first one that differs is smaller.
    for place in 0..len {
        let lowest = if place == 0 { b'1' } else { b'0' };
        if digits[place] > lowest {
            let same = String::from_utf8_lossy(&digits[..place]);
            parts.push(format!("{same}{}{}", range(lowest, digits[place] - 1), rest(len - place - 1)));
        }
    }
    parts.push(max.to_string());
    parts.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_what_is_up_to_its_largest() {
        assert_eq!(pattern_up_to(7), "[1-6]|7");
        assert_eq!(pattern_up_to(10), "[1-9][0-9]{0,0}|10");
        assert_eq!(pattern_up_to(213), "[1-9][0-9]{0,1}|1[0-9]{2}|20[0-9]|21[0-2]|213");
    }
}

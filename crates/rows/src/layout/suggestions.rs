//! The users whom users have dismissed from their suggestions, and their scores with others: one row for each way.

use super::parts::keys;
use super::relations::forward_key;
use guanxi_model::Uid;

/// Prefix of dismissed users, by who has dismissed them.
pub const DISMISSED: u8 = b'z';
/// Prefix of the same, by who is dismissed.
pub const DISMISSED_BY: u8 = b'2';

keys! {
    /// `uid viewer`, the key of a dismissal by who is dismissed: that user, and who has dismissed it.
    dismissed_by_key, parse_dismissed_by_key = [DISMISSED_BY] (uid: Uid, viewer: Uid);
}

/// Prefix of scores, by whose they are; the key of a user alone has its half-life.
pub const AFFINITY: u8 = b'W';
/// Prefix of the same, by with whom.
pub const SCORED_BY: u8 = b'3';

/// `uid actor`, the key of a score by with whom it is.
pub fn scored_by_key(uid: Uid, actor: Uid) -> [u8; 17] {
    let mut key = [SCORED_BY; 17];
    key[1..].copy_from_slice(&forward_key(uid, actor));
    key
}

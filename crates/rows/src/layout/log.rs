//! Keys of events, and where one is in the one log. What is stored there is [`guanxi_model::stored`]'s.

use guanxi_model::{EventAt, LogId};

/// `seq`, the key of an event.
pub const fn log_key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// Reads the key of an event.
pub fn parse_log_key(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.try_into().ok()?))
}

/// The place of an event of the one log.
pub const fn event_at(seq: u64) -> EventAt {
    EventAt::new(LogId(0), seq)
}

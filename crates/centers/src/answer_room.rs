//! How much room an answer has, so that none is too large for clients.

use guanxi_model::limits::ANSWER_BYTES_MAX;

/// The room of one answer while it is filled. The first thing always fits.
pub(crate) struct AnswerRoom {
    left: Option<usize>,
}

impl AnswerRoom {
    /// The room of an empty answer.
    pub(crate) const fn new() -> Self {
        Self { left: None }
    }

    /// Takes so many bytes, if there is room for them.
    pub(crate) const fn take(&mut self, bytes: usize) -> bool {
        let left = match self.left {
            None => Some(ANSWER_BYTES_MAX.saturating_sub(bytes)),
            Some(left) => left.checked_sub(bytes),
        };
        if left.is_some() {
            self.left = left;
        }
        left.is_some()
    }
}

/// How many of some items fit into one answer: as many as there is room for, and at least one.
pub(crate) fn fitting<T>(items: &[T], bytes: impl Fn(&T) -> usize) -> usize {
    let mut room = AnswerRoom::new();
    items.iter().take_while(|item| room.take(bytes(item))).count()
}

/// The bytes of a text in JSON, which are no fewer than in protobuf.
pub(crate) fn json_bytes(text: &str) -> usize {
    let bytes = |byte| match byte {
        b'"' | b'\\' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_fit_as_there_is_room_for_and_at_least_one() {
        let third = ANSWER_BYTES_MAX / 3;
        assert_eq!(fitting(&[third; 5], |bytes| *bytes), 3);
        assert_eq!(fitting(&[third; 2], |bytes| *bytes), 2);
        assert_eq!(fitting(&[ANSWER_BYTES_MAX + 1, 1], |bytes| *bytes), 1);
        assert_eq!(fitting(&[1, ANSWER_BYTES_MAX, 1], |bytes| *bytes), 1);
        assert_eq!(fitting(&[0; 0], |bytes| *bytes), 0);
    }

    #[test]
    fn texts_are_counted_as_json_writes_them() {
        assert_eq!(json_bytes("a\"\\\u{1}\u{5173}"), 1 + 2 + 2 + 6 + 3);
    }
}
